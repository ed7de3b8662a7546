//! The output: objects in the order of the input, whichever is ready first.

use super::error::AnalysisError;
use crate::files::{go_on_after, named, open_regular, whole_lines};
use serde::Deserialize;
use std::collections::{BTreeMap, HashSet};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

/// All that is read back from a line of the output.
#[derive(Deserialize)]
struct Written {
    line: usize,
}

/// Opens the output for appending, with the numbers of the lines it holds already; a last line cut short by a
/// kill is dropped. Without `resume` it must be a new file.
///
/// # Errors
/// A file that exists already, or is not the output of an earlier run, and whatever the file system says.
pub fn open_output(path: &Path, resume: bool) -> Result<(File, HashSet<usize>), AnalysisError> {
    let exists = path.try_exists().map_err(named(path))?;
    if exists && !resume {
        return Err(AnalysisError::Exists(path.to_path_buf()));
    }
    if exists {
        open_regular(path).map_err(named(path))?;
    }
    let open = || OpenOptions::new().read(true).write(true).create(resume).create_new(!resume).open(path);
    let mut file = open().map_err(named(path))?;
    let (lines, whole) = whole_lines(&file).map_err(named(path))?;
    let mut done = HashSet::new();
    for (i, line) in lines.iter().enumerate() {
        let foreign = |source| AnalysisError::Foreign { path: path.to_path_buf(), line: i + 1, source };
        let written: Written = serde_json::from_str(line).map_err(foreign)?;
        done.insert(written.line);
    }
    go_on_after(&mut file, whole).map_err(named(path))?;
    Ok((file, done))
}

/// Writes objects in order.
pub(super) struct Ordered {
    out: Box<dyn Write>,
    /// For messages.
    name: String,
    /// Objects that come after one that is not ready yet.
    waiting: BTreeMap<usize, String>,
    next: usize,
}

impl Ordered {
    pub(super) fn new(out: Box<dyn Write>, name: String) -> Ordered {
        Ordered { out, name, waiting: BTreeMap::new(), next: 0 }
    }

    /// Takes the object for a place and writes all that no place before keeps back; how many these are.
    pub(super) fn put(&mut self, place: usize, object: String) -> io::Result<u64> {
        self.waiting.insert(place, object);
        let before = self.next;
        while let Some(object) = self.waiting.remove(&self.next) {
            // One write, so that a kill leaves whole lines and perhaps a torn last one.
            let written = self.out.write_all(format!("{object}\n").as_bytes()).and_then(|()| self.out.flush());
            // The kind is kept: a pipe that nobody reads any more is no fault to complain of.
            written.map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", self.name)))?;
            self.next += 1;
        }
        Ok((self.next - before) as u64)
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use std::sync::{Arc, Mutex};

    /// Takes so many lines, then is closed.
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
        let path = std::env::temp_dir().join(format!("millbrain-output-{}", std::process::id()));
        let refusal = |resume| open_output(&path, resume).map(|_| ()).unwrap_err().to_string();
        std::fs::write(&path, "{\"line\":3,\"id\":1}\n{\"line\":5}\n{\"line\":7").unwrap();
        assert!(refusal(false).contains("exists already"));
        let (mut file, done) = open_output(&path, true).unwrap();
        assert_eq!(done, HashSet::from([3, 5]));
        file.write_all(b"{\"line\":6}\n").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "{\"line\":3,\"id\":1}\n{\"line\":5}\n{\"line\":6}\n");
        std::fs::write(&path, "{\"line\":3}\n{\"lin\":5}\n").unwrap();
        assert!(refusal(true).contains(":2: ") && refusal(true).contains("expected the output of an earlier run"));
        std::fs::remove_file(&path).unwrap();
        assert!(open_output(&path, true).unwrap().1.is_empty());
        std::fs::remove_file(&path).unwrap();
        assert!(open_output(&path, false).unwrap().1.is_empty());
        std::fs::remove_file(&path).unwrap();
        std::fs::create_dir(&path).unwrap();
        assert!(refusal(true).contains("not a regular file"));
        std::fs::remove_dir(&path).unwrap();
    }
}
