//! Merges the outputs of several runs.

use super::error::AnalysisError;
use super::output::each_object;
use super::settings::{Settings, unknown};
use millbrain_files::{is_busy, is_same, named, open_regular, replace};
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};

/// The place of a line's object: in the order of lines, and for equal lines in that of the files.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    line: usize,
    file: usize,
    start: u64,
}

/// Writes the objects of some outputs in the order of their lines, including those of an existing output, which may be
/// one of the files. The files must be of the same analysis: only their shards may differ. They are only read, and may
/// still be written to. If several objects are for one line, the first counts.
///
/// # Errors
/// Fails if a file cannot be read, is not an output, or belongs to another analysis. Fails if another run writes to the
/// output, or it cannot be written.
pub fn merge(files: &[PathBuf], out: &Path) -> Result<(), AnalysisError> {
    let there = out.try_exists().map_err(named(out))?.then_some(out);
    let others = files.iter().map(PathBuf::as_path).filter(|file| there.is_none_or(|out| !is_same(file, out)));
    let paths: Vec<&Path> = others.chain(there).collect();
    let mut opened = Vec::with_capacity(paths.len());
    let mut places = Vec::new();
    let mut whole: Option<(&Path, Settings)> = None;
    for (number, &path) in paths.iter().enumerate() {
        let file = open_regular(path).map_err(named(path))?;
        if Some(path) == there && is_busy(&file) {
            return Err(AnalysisError::Busy(path.to_path_buf()));
        }
        let settings = Settings::saved(path)?.ok_or_else(|| unknown(path))?.of_whole();
        match &whole {
            Some((first, expected)) => settings.check(path, expected, first)?,
            None => whole = Some((path, settings)),
        }
        each_object(&file, path, |line, start| places.push(Place { line, file: number, start }))?;
        opened.push(file);
    }
    places.sort_unstable();
    places.dedup_by_key(|place| place.line);
    if let Some((_, settings)) = whole {
        settings.save(out)?;
    }
    replace(out, |file| write(&opened, &places, file)).map_err(named(out))?;
    Ok(())
}

/// Copies the lines at these places.
fn write(files: &[File], places: &[Place], out: &mut File) -> io::Result<()> {
    let mut inputs = Vec::with_capacity(files.len());
    for mut file in files {
        file.rewind()?;
        inputs.push((BufReader::new(file), 0));
    }
    let (mut out, mut line) = (BufWriter::new(out), Vec::new());
    for place in places {
        let Some((input, at)) = inputs.get_mut(place.file) else { continue };
        // Most lines follow the previous one in their file, so that the read buffer remains valid.
        input.seek_relative(place.start as i64 - *at as i64)?;
        line.clear();
        *at = place.start + input.read_until(b'\n', &mut line)? as u64;
        out.write_all(&line)?;
    }
    out.flush()
}
