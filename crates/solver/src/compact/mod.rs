//! Compact tables: made from a folder, and compared with one.

mod section;
#[cfg(test)]
mod tests;
mod verify;

pub use verify::{Mismatch, VerifyCompact, verify};

use crate::build::progress::Progress;
use crate::solvable::Solvable;
use millbrain_core::threads::{self, NoThreads};
use millbrain_files::{InFile, beside, named, open_regular, replace};
use millbrain_tablebase::compact::{Section, header, header_bytes};
use millbrain_tablebase::folder::{Entry, Folder, FolderFault, folder_rules};
use millbrain_tablebase::format::Fault;
use millbrain_tablebase::{Metric, NoEndings, Sector, with_endings};
use rayon::prelude::*;
use std::fs;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// A request to make compact tables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CompactRequest {
    /// The folder of tables.
    pub from: PathBuf,
    /// The file to write.
    pub out: PathBuf,
    /// The number of threads; `None` for all cores.
    pub threads: Option<u16>,
}

/// A finished section.
#[derive(Clone, PartialEq, Debug, serde::Serialize)]
pub struct SectionReport {
    /// The sector.
    pub sector: String,
    /// Its slots.
    pub slots: u64,
    /// Its bytes.
    pub bytes: u64,
    /// Time taken; 0 if the section was finished before.
    pub seconds: f64,
}

/// The reason why no file is made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompactError {
    /// There are no tables for these rules.
    #[error(transparent)]
    Rules(#[from] NoEndings),
    /// The folder cannot be used.
    #[error(transparent)]
    Folder(#[from] FolderFault),
    /// A table cannot be used.
    #[error(transparent)]
    Table(#[from] InFile<Fault>),
    /// The threads cannot be started.
    #[error(transparent)]
    Threads(#[from] NoThreads),
    /// The folder has a draw counter.
    #[error("{}: tables with a draw counter, expected tables without", .0.display())]
    Counter(PathBuf),
    /// The folder has no tables.
    #[error("{}: no finished sector, expected a folder made by 'tablebase build'", .0.display())]
    Empty(PathBuf),
    /// A sector that others follow from is not finished.
    #[error("{sector}: its results follow from {missing}, which is not built yet")]
    Missing {
        /// The sector.
        sector: String,
        /// The sector that is missing.
        missing: String,
    },
    /// A file cannot be written.
    #[error(transparent)]
    Write(#[from] InFile<io::Error>),
    /// The report of a section could not be delivered.
    #[error("{source}")]
    Report {
        /// The error.
        source: io::Error,
    },
}

/// Makes compact tables of the results in a folder. `on_section` gets the report of each section.
///
/// Finished sections are kept in a folder beside the file until it is complete, so that a run that was stopped can
/// continue.
///
/// # Errors
/// Fails if the tables are not whole and sound, or a file cannot be written. Fails with errors of `on_section`, too.
pub fn compact(
    request: &CompactRequest,
    progress: &dyn Progress,
    on_section: &mut dyn FnMut(&SectionReport) -> io::Result<()>,
) -> Result<(), CompactError> {
    with_endings!(
        folder_rules(&request.from)?,
        |endings| compact_with(&Folder::endings(&request.from, endings)?, request, progress, on_section),
        else Err(NoEndings.into())
    )
}

fn compact_with<E: Solvable>(
    endings: &E,
    request: &CompactRequest,
    progress: &dyn Progress,
    on_section: &mut dyn FnMut(&SectionReport) -> io::Result<()>,
) -> Result<(), CompactError> {
    if endings.metric() != Metric::End {
        return Err(CompactError::Counter(request.from.clone()));
    }
    let folder = Folder::open(&request.from, endings)?;
    let sectors = sectors(endings, &folder)?;
    let pool = threads::pool(request.threads.map_or(0, usize::from))?;
    let parts = beside(&request.out, ".parts");
    fs::create_dir_all(&parts).map_err(named(&parts))?;
    let mut planned: Vec<Planned> = sectors
        .iter()
        .map(|&(sector, entry)| {
            let section = section::left_out(endings, sector, entry);
            Planned { section, entry, part: (!endings.is_left_out(sector)).then(|| parts.join(endings.name(sector))) }
        })
        .collect();
    let mut report = |section: &Section, seconds: f64| {
        let report = SectionReport {
            sector: endings.name(section.sector),
            slots: section.slots,
            bytes: section.length(),
            seconds,
        };
        on_section(&report).map_err(|source| CompactError::Report { source })
    };
    let mut missing = Vec::new();
    for Planned { section, entry, part } in &mut planned {
        let Some(part) = part else { continue };
        match section::finished(part, section, entry) {
            Some(found) => {
                *section = found;
                report(section, 0.0)?;
            }
            None => missing.push((section, *entry, &*part)),
        }
    }
    for missing in missing.chunks_mut(pool.current_num_threads()) {
        let started = Instant::now();
        let fit = |(section, ..): &(&mut Section, _, _)| section::model(endings, &folder, section);
        let models = pool.install(|| missing.par_iter().map(fit).collect::<Result<Vec<_>, _>>())?;
        let mut fitting = started.elapsed().as_secs_f64();
        for ((section, entry, part), model) in missing.iter_mut().zip(&models) {
            let started = Instant::now();
            let write = || section::write(endings, &folder, entry, **section, model, part, progress);
            **section = pool.install(write)?;
            report(section, fitting + started.elapsed().as_secs_f64())?;
            fitting = 0.0;
        }
    }
    join(endings.tag(), &planned, &request.out)?;
    Ok(fs::remove_dir_all(&parts).map_err(named(&parts))?)
}

/// A section of the file to make.
struct Planned<'a> {
    /// The section, without results until they are written.
    section: Section,
    entry: &'a Entry,
    /// The file that has the results until all are there; none if the sector has none of its own.
    part: Option<PathBuf>,
}

/// Returns the finished sectors of a folder with their entries, in building order.
fn sectors<'a, E: Solvable>(endings: &E, folder: &'a Folder) -> Result<Vec<(Sector, &'a Entry)>, CompactError> {
    let all = endings.sectors().into_iter();
    let sectors: Vec<_> = all.filter_map(|sector| Some((sector, folder.entry(endings, sector)?))).collect();
    if sectors.is_empty() {
        return Err(CompactError::Empty(folder.path().to_path_buf()));
    }
    for &(sector, _) in sectors.iter().filter(|(sector, _)| endings.is_left_out(*sector)) {
        let missing = endings.successors(sector).into_iter().find(|&next| folder.entry(endings, next).is_none());
        if let Some(missing) = missing {
            return Err(CompactError::Missing { sector: endings.name(sector), missing: endings.name(missing) });
        }
    }
    Ok(sectors)
}

/// Writes the file from its sections, which are finished files.
fn join(tag: [u8; 8], finished: &[Planned], out: &Path) -> Result<(), InFile<io::Error>> {
    let mut end = header_bytes(finished.len());
    let sections: Vec<Section> = finished
        .iter()
        .map(|Planned { section, .. }| {
            let moved = section.moved(end - section::PART);
            end += section.length();
            moved
        })
        .collect();
    let write = |file: &mut fs::File| {
        let mut file = BufWriter::with_capacity(1 << 20, file);
        file.write_all(&header(tag, &sections, end))?;
        for part in finished.iter().filter_map(|planned| planned.part.as_ref()) {
            let mut part = open_regular(part)?;
            part.seek(SeekFrom::Start(section::PART))?;
            io::copy(&mut part, &mut file)?;
        }
        file.flush()
    };
    replace(out, write).map_err(named(out))
}
