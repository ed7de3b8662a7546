//! The output: objects in the order of the input, whichever is ready first.

use super::error::AnalysisError;
use super::settings::{Settings, unknown};
use millbrain_files::{WholeLines, go_on_after, is_busy, named, open_regular};
use serde::Deserialize;
use std::collections::{BTreeMap, HashSet};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

/// The only member that is read back from a line of the output.
#[derive(Deserialize)]
struct Written {
    line: usize,
}

/// Opens the output for appending, and returns the numbers of the lines that it already has. A last line cut short by a
/// kill is dropped. Without `resume` it must be a new file. The settings are stored in a file beside it.
///
/// # Errors
/// Fails if the file exists already, is not the output of an earlier run with these settings, or another run writes to
/// it. Fails with errors of the file system, too.
pub fn open_output(path: &Path, resume: bool, settings: &Settings) -> Result<(File, HashSet<usize>), AnalysisError> {
    if resume && !settings.has_input() {
        return Err(AnalysisError::Pipe);
    }
    let exists = path.try_exists().map_err(named(path))?;
    if exists && !resume {
        return Err(AnalysisError::Exists(path.to_path_buf()));
    }
    if exists {
        open_regular(path).map_err(named(path))?;
    }
    let saved = Settings::saved(path)?;
    let open = || OpenOptions::new().read(true).write(true).create(resume).create_new(!resume).open(path);
    let mut file = open().map_err(named(path))?;
    if is_busy(&file) {
        return Err(AnalysisError::Busy(path.to_path_buf()));
    }
    if file.metadata().map_err(named(path))?.len() == 0 {
        let begun = settings.save(path);
        if begun.is_err() && !exists {
            let _ = fs::remove_file(path);
        }
        return begun.map(|()| (file, HashSet::new()));
    }
    settings.check(path, &saved.ok_or_else(|| unknown(path))?, path)?;
    let mut done = HashSet::new();
    let whole = each_object(&file, path, |line, _| {
        done.insert(line);
    })?;
    go_on_after(&mut file, whole).map_err(named(path))?;
    Ok((file, done))
}

/// Calls back with the line number of each whole object of an output, and the byte at which it begins. Returns the
/// length of all of them.
pub(super) fn each_object(
    file: &File,
    path: &Path,
    mut on_object: impl FnMut(usize, u64),
) -> Result<u64, AnalysisError> {
    let mut lines = WholeLines::of(file);
    for number in 1.. {
        let start = lines.length();
        let Some(line) = lines.next_line().map_err(named(path))? else { break };
        let foreign = |source| AnalysisError::Foreign { path: path.to_path_buf(), line: number, source };
        on_object(serde_json::from_slice::<Written>(line).map_err(foreign)?.line, start);
    }
    Ok(lines.length())
}

/// Writes objects in order.
pub(crate) struct Ordered {
    out: Box<dyn Write>,
    /// The name of the output, for messages.
    name: String,
    /// Objects that wait for an earlier one.
    waiting: BTreeMap<usize, String>,
    next: usize,
}

impl Ordered {
    pub(crate) fn new(out: Box<dyn Write>, name: String) -> Ordered {
        Ordered { out, name, waiting: BTreeMap::new(), next: 0 }
    }

    /// Takes the object for a place and writes all that no longer wait for an earlier one. Returns the number written.
    pub(crate) fn put(&mut self, place: usize, object: String) -> io::Result<u64> {
        self.waiting.insert(place, object);
        let before = self.next;
        while let Some(object) = self.waiting.remove(&self.next) {
            // One write, so that a kill leaves whole lines and perhaps a torn last one.
            let written = self.out.write_all(format!("{object}\n").as_bytes()).and_then(|()| self.out.flush());
            // The kind is preserved: a pipe closed by its reader is not reported as a fault.
            written.map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", self.name)))?;
            self.next += 1;
        }
        Ok((self.next - before) as u64)
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::super::settings::Content;
    use super::*;
    use crate::batch::Request;
    use millbrain_core::search::Limits;
    use millbrain_core::variant::Variant;
    use millbrain_files::shard::Shard;
    use std::sync::{Arc, Mutex};

    fn request() -> Request {
        Request {
            rules: Variant::Morris.into(),
            limits: Limits::default(),
            multipv: 1,
            threads: 1,
            hash_mib: 1,
            first_line: 1,
            shard: Shard::ALL,
            tablebases: Vec::new(),
            with_time: true,
        }
    }

    /// Takes a number of lines, then is closed.
    struct Pipe(Arc<Mutex<String>>, usize);

    impl Write for Pipe {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let mut text = self.0.lock().unwrap();
            if text.lines().count() == self.1 {
                return Err(io::ErrorKind::BrokenPipe.into());
            }
            text.push_str(std::str::from_utf8(bytes).unwrap());
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn objects_wait_for_those_before_them() {
        let text = Arc::new(Mutex::new(String::new()));
        let mut ordered = Ordered::new(Box::new(Pipe(Arc::clone(&text), 4)), "out".to_string());
        let mut put = |place: usize| ordered.put(place, place.to_string()).map_err(|error| error.kind());
        assert_eq!((put(2), put(1), put(0), put(3)), (Ok(0), Ok(0), Ok(3), Ok(1)));
        assert_eq!(*text.lock().unwrap(), "0\n1\n2\n3\n");
        assert_eq!(put(4), Err(io::ErrorKind::BrokenPipe));
        ordered.next = 5;
        assert!(ordered.put(5, String::new()).unwrap_err().to_string().starts_with("out: "));
    }

    #[test]
    fn an_output_is_gone_on_with_after_its_last_whole_line() {
        let folder = std::env::temp_dir().join(format!("millbrain-output-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("out");
        let content = Content { lines: 9, bytes: 99, digest: String::new() };
        let settings = Settings::of(&request(), Some(&content)).unwrap();
        let refusal = |resume| open_output(&path, resume, &settings).map(|_| ()).unwrap_err().to_string();
        settings.save(&path).unwrap();
        fs::write(&path, "{\"line\":3,\"id\":1}\n{\"line\":5}\n{\"line\":7").unwrap();
        assert!(refusal(false).contains("exists already"));
        let (mut file, done) = open_output(&path, true, &settings).unwrap();
        assert_eq!(done, HashSet::from([3, 5]));
        file.write_all(b"{\"line\":6}\n").unwrap();
        drop(file);
        assert_eq!(fs::read_to_string(&path).unwrap(), "{\"line\":3,\"id\":1}\n{\"line\":5}\n{\"line\":6}\n");
        for foreign in [&b"{\"line\":3}\n{\"lin\":5}\n"[..], b"{\"line\":3}\n\xff\n"] {
            fs::write(&path, foreign).unwrap();
            assert!(refusal(true).contains(":2: ") && refusal(true).contains("expected the output of an earlier run"));
        }
        for resume in [true, false] {
            fs::remove_file(&path).unwrap();
            assert!(open_output(&path, resume, &settings).unwrap().1.is_empty());
        }
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        assert!(refusal(true).contains("not a regular file"));
        fs::remove_dir_all(folder).unwrap();
    }
}
