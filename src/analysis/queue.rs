//! The lines of the input, handed out one by one.

use crate::shard::Shard;
use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Seek};
use std::path::Path;

/// What some editors put before the first line of a text.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// A line to analyse.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Task {
    /// Its place in the output, from 0.
    pub place: usize,
    /// Its number in the input, from 1.
    pub line: usize,
    pub text: String,
}

/// The lines still to do.
pub(super) struct Queue<R> {
    input: R,
    shard: Shard,
    /// Lines that the output holds already.
    done: HashSet<usize>,
    line: usize,
    place: usize,
}

impl<R: BufRead> Queue<R> {
    pub(super) const fn new(input: R, shard: Shard, done: HashSet<usize>) -> Queue<R> {
        Queue { input, shard, done, line: 0, place: 0 }
    }

    /// The next line that is to be analysed; `None` at the end of the input.
    pub(super) fn next(&mut self) -> io::Result<Option<Task>> {
        let mut bytes = Vec::new();
        loop {
            bytes.clear();
            if self.input.read_until(b'\n', &mut bytes)? == 0 {
                return Ok(None);
            }
            self.line += 1;
            let marked = if self.line == 1 { bytes.strip_prefix(BYTE_ORDER_MARK) } else { None };
            let text = String::from_utf8_lossy(marked.unwrap_or(&bytes));
            let text = text.trim();
            let is_comment = text.is_empty() || text.starts_with('#');
            if self.shard.has(self.line - 1) && !is_comment && !self.done.contains(&self.line) {
                let place = self.place;
                self.place += 1;
                return Ok(Some(Task { place, line: self.line, text: text.to_string() }));
            }
        }
    }
}

/// Opens a file of positions; how many lines it has, unless it is a pipe.
///
/// # Errors
/// Whatever the file system says, and a folder.
pub fn open_input(path: &Path) -> io::Result<(BufReader<File>, Option<usize>)> {
    let file = File::open(path)?;
    let kind = file.metadata()?;
    if kind.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "a folder, expected a file of positions"));
    }
    let mut input = BufReader::new(file);
    if !kind.is_file() {
        return Ok((input, None));
    }
    let mut lines = 0;
    while input.skip_until(b'\n')? > 0 {
        lines += 1;
    }
    input.rewind()?;
    Ok((input, Some(lines)))
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn tasks(text: &[u8], shard: &str, done: &[usize]) -> Vec<(usize, usize, String)> {
        let mut queue = Queue::new(text, shard.parse().unwrap(), done.iter().copied().collect());
        let next = || queue.next().unwrap();
        std::iter::from_fn(next).map(|task| (task.place, task.line, task.text)).collect()
    }

    #[test]
    fn a_shard_has_every_nth_line_from_its_own_on() {
        let lines = |shard: &str| -> Vec<usize> {
            tasks(b"1\n2\n3\n4\n5\n6\n7\n8", shard, &[]).into_iter().map(|(_, line, _)| line).collect()
        };
        assert_eq!(lines("1/1"), [1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(lines("1/3"), [1, 4, 7]);
        assert_eq!(lines("2/3"), [2, 5, 8]);
        assert_eq!(lines("3/3"), [3, 6]);
        assert_eq!(lines("2/2"), [2, 4, 6, 8]);
        assert_eq!(lines("8/8"), [8]);
        assert_eq!(lines("9/9"), [0; 0]);
        for shard in ["1/1", "1/3", "2/3", "3/3", "1/9", "9/9"] {
            assert_eq!(shard.parse::<Shard>().unwrap().of(8), lines(shard).len(), "{shard}");
        }
    }

    #[test]
    fn comments_and_finished_lines_are_passed_over_but_counted() {
        let text = b"\xEF\xBB\xBFa\r\n\n  # x\n#y\n b \nc\n\xFF\nd";
        let found = tasks(text, "1/1", &[5]);
        let expected = [(0, 1, "a"), (1, 6, "c"), (2, 7, "\u{fffd}"), (3, 8, "d")];
        assert_eq!(found, expected.map(|(place, line, text)| (place, line, text.to_string())));
        assert_eq!(tasks(b"a\n\xEF\xBB\xBFb", "2/2", &[])[0].2, "\u{feff}b", "a mark stands at the start only");
    }

    #[test]
    fn lines_of_files_are_counted() {
        let path = std::env::temp_dir().join(format!("millbrain-queue-{}", std::process::id()));
        for (text, expected) in [("", 0), ("a", 1), ("a\n", 1), ("a\n\nb", 3)] {
            std::fs::write(&path, text).unwrap();
            let (mut input, lines) = open_input(&path).unwrap();
            assert_eq!(lines, Some(expected), "{text:?}");
            assert_eq!(io::read_to_string(&mut input).unwrap(), text);
        }
        std::fs::remove_file(&path).unwrap();
        assert!(open_input(&path).is_err());
        assert!(open_input(&std::env::temp_dir()).is_err());
        #[cfg(target_os = "linux")]
        assert_eq!(open_input(Path::new("/dev/null")).unwrap().1, None);
    }
}
