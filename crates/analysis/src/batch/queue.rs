//! The queue of input lines.

use super::settings::Content;
use millbrain_files::lines::{BYTE_ORDER_MARK, Found, Lines};
use millbrain_files::shard::Shard;
use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Seek, SeekFrom};
use std::ops::Range;
use xxhash_rust::xxh3::Xxh3Default;

/// The size of the read buffer in bytes.
const BUFFER: usize = 64 << 10;

/// A line to analyse.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Task {
    /// Its place in the output, from 0.
    pub place: usize,
    /// Its number in the input, from 1.
    pub line: usize,
    /// Its text; `None` if it is too long to be read.
    pub text: Option<String>,
}

/// The lines still to do.
pub(super) struct Queue<R> {
    input: Lines<R>,
    shard: Shard,
    /// Lines that the output already has.
    done: HashSet<usize>,
    line: usize,
    place: usize,
}

impl<R: BufRead> Queue<R> {
    /// Returns the lines of an input whose first has this number, from 1.
    pub(super) const fn new(input: R, first: usize, shard: Shard, done: HashSet<usize>) -> Queue<R> {
        Queue { input: Lines::new(input), shard, done, line: first.saturating_sub(1), place: 0 }
    }

    /// Returns the next line that is to be analysed; `None` at the end of the input.
    pub(super) fn next(&mut self) -> io::Result<Option<Task>> {
        let mut bytes = Vec::new();
        loop {
            let found = self.input.read(&mut bytes)?;
            if found == Found::End {
                return Ok(None);
            }
            self.line += 1;
            let marked = if self.line == 1 { bytes.strip_prefix(BYTE_ORDER_MARK.as_bytes()) } else { None };
            let text = String::from_utf8_lossy(marked.unwrap_or(&bytes));
            let text = text.trim();
            let is_comment = text.is_empty() || text.starts_with('#');
            if self.shard.has(self.line - 1) && !is_comment && !self.done.contains(&self.line) {
                let place = self.place;
                self.place += 1;
                let text = (found == Found::Line).then(|| text.to_string());
                return Ok(Some(Task { place, line: self.line, text }));
            }
        }
    }
}

/// Returns the lines of an input that no output has yet, as runs without a finished line.
///
/// # Errors
/// Fails with the error of the file system.
pub fn left(input: impl BufRead, lines: usize, done: HashSet<usize>) -> io::Result<Vec<Shard>> {
    let mut queue = Queue::new(input, 1, Shard::ALL, done);
    let mut runs: Vec<Range<usize>> = Vec::new();
    while let Some(Task { line, .. }) = queue.next()? {
        match runs.last_mut() {
            // Only empty lines and comments are between the two.
            Some(run) if (run.end + 1..line).all(|number| !queue.done.contains(&number)) => run.end = line,
            _ => runs.push(line - 1..line),
        }
    }
    Ok(runs.into_iter().map(|run| Shard::run(run, lines)).collect())
}

/// Returns the positions in a file from its current place, and their content, which is unknown for a pipe.
///
/// # Errors
/// Fails with errors of the file system, and for a folder.
pub fn open_input(file: File) -> io::Result<(BufReader<File>, Option<Content>)> {
    let kind = match file.metadata() {
        // Windows does not support this for a pipe.
        Err(_) if cfg!(windows) => return Ok((BufReader::with_capacity(BUFFER, file), None)),
        kind => kind?,
    };
    if kind.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "a folder, expected a file of positions"));
    }
    let mut input = BufReader::with_capacity(BUFFER, file);
    if !kind.is_file() {
        return Ok((input, None));
    }
    let start = input.stream_position()?;
    let content = content(&mut input)?;
    input.seek(SeekFrom::Start(start))?;
    Ok((input, Some(content)))
}

/// Reads to the end.
fn content(input: &mut impl BufRead) -> io::Result<Content> {
    let (mut digest, mut bytes, mut lines) = (Xxh3Default::new(), 0, 0);
    let mut last = b'\n';
    loop {
        let buffer = input.fill_buf()?;
        if buffer.is_empty() {
            let lines = lines + usize::from(!b"\r\n".contains(&last));
            return Ok(Content { lines, bytes, digest: format!("{:016x}", digest.digest()) });
        }
        digest.update(buffer);
        for &byte in buffer {
            lines += usize::from(byte == b'\r' || byte == b'\n' && last != b'\r');
            last = byte;
        }
        let length = buffer.len();
        bytes += length as u64;
        input.consume(length);
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn tasks(text: &[u8], shard: &str, done: &[usize]) -> Vec<(usize, usize, String)> {
        tasks_from(1, text, shard, done)
    }

    fn tasks_from(first: usize, text: &[u8], shard: &str, done: &[usize]) -> Vec<(usize, usize, String)> {
        let mut queue = Queue::new(text, first, shard.parse().unwrap(), done.iter().copied().collect());
        let next = || queue.next().unwrap();
        std::iter::from_fn(next).map(|task| (task.place, task.line, task.text.unwrap())).collect()
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
    fn lines_of_a_piece_have_the_numbers_of_the_whole() {
        let text = b"\xEF\xBB\xBFa\n# x\nb\nc\n";
        assert_eq!(tasks_from(1, text, "1/1", &[])[0].2, "a");
        let expected =
            [(0, 100, "\u{feff}a"), (1, 103, "c")].map(|(place, line, text)| (place, line, text.to_string()));
        assert_eq!(tasks_from(100, text, "1/1", &[102]), expected, "a mark stands at the start of the whole only");
        assert_eq!(tasks_from(100, text, "2/2", &[])[0].1, 100);
    }

    #[test]
    fn files_are_measured_from_where_they_are_read_next() {
        let path = std::env::temp_dir().join(format!("millbrain-queue-{}", std::process::id()));
        let long = "a\n".repeat(BUFFER);
        let mut digests = HashSet::new();
        for (text, expected) in [("", 0), ("a", 1), ("a\n", 1), ("a\n\nb", 3), ("a\n\nc", 3), (&long, BUFFER)] {
            std::fs::write(&path, format!("xy{text}")).unwrap();
            let mut file = File::open(&path).unwrap();
            file.seek(SeekFrom::Start(2)).unwrap();
            let (mut input, content) = open_input(file).unwrap();
            let content = content.unwrap();
            assert_eq!((content.lines, content.bytes), (expected, text.len() as u64), "{text:?}");
            assert!(digests.insert(content.digest), "{text:?}");
            assert_eq!(io::read_to_string(&mut input).unwrap(), text);
        }
        std::fs::remove_file(&path).unwrap();
        #[cfg(unix)]
        assert!(open_input(File::open(std::env::temp_dir()).unwrap()).is_err());
        #[cfg(target_os = "linux")]
        assert_eq!(open_input(File::open("/dev/null").unwrap()).unwrap().1, None);
    }
}
