//! Reads texts: as lines of any bytes, none of which may fill the memory, or whole.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use crate::{InFile, named};
use std::fs;
use std::io::{self, BufRead, ErrorKind};
use std::path::Path;

/// The mark that some editors write before the first line of a text.
pub const BYTE_ORDER_MARK: &str = "\u{feff}";

/// The longest line in bytes; longer ones are skipped: no command and no position needs as much.
pub const MAX_LINE: u64 = 16 << 20;

/// The result of reading a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Found {
    /// A line.
    Line,
    /// A line of more than [`MAX_LINE`] bytes, whose rest is skipped.
    TooLong,
    /// The end of the input.
    End,
}

/// Reads lines, which end with LF, CRLF or CR.
pub struct Lines<R> {
    input: R,
    /// The last line ended with CR: an LF that comes next belongs to it.
    after_return: bool,
}

impl<R: BufRead> Lines<R> {
    /// Reads the lines of this input.
    pub const fn new(input: R) -> Lines<R> {
        Lines { input, after_return: false }
    }

    /// Reads a line without its end, up to [`MAX_LINE`], into a buffer that it empties first. It waits for nothing
    /// after the end of a line.
    ///
    /// # Errors
    /// Fails with the error of the input.
    pub fn read(&mut self, line: &mut Vec<u8>) -> io::Result<Found> {
        line.clear();
        let mut found = Found::End;
        loop {
            let buffer = match self.input.fill_buf() {
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                buffer => buffer?,
            };
            let Some(&first) = buffer.first() else { return Ok(found) };
            if std::mem::take(&mut self.after_return) && first == b'\n' {
                self.input.consume(1);
                continue;
            }
            let end = buffer.iter().position(|byte| b"\r\n".contains(byte));
            let text = buffer.get(..end.unwrap_or(buffer.len())).unwrap_or_default();
            if found != Found::TooLong {
                line.extend_from_slice(text);
                found = if line.len() as u64 > MAX_LINE { Found::TooLong } else { Found::Line };
                line.truncate(MAX_LINE as usize);
            }
            let taken = text.len() + usize::from(end.is_some());
            self.after_return = end.and_then(|end| buffer.get(end)) == Some(&b'\r');
            self.input.consume(taken);
            if end.is_some() {
                return Ok(found);
            }
        }
    }
}

/// Reads a whole file of text, without a byte-order mark at its start; all its lines end with LF.
///
/// # Errors
/// Fails with errors of the file system, and for a file that is not text.
pub fn read_text(path: &Path) -> Result<String, InFile<io::Error>> {
    let text = fs::read_to_string(path).map_err(|error| match error.kind() {
        ErrorKind::InvalidData => io::Error::new(ErrorKind::InvalidData, "not text, expected UTF-8"),
        ErrorKind::IsADirectory => io::Error::new(ErrorKind::IsADirectory, "a folder, expected a file of text"),
        _ => error,
    });
    let text = text.map_err(named(path))?;
    let text = text.strip_prefix(BYTE_ORDER_MARK).map(String::from).unwrap_or(text);
    Ok(if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n") } else { text })
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use std::io::BufReader;

    #[test]
    fn whole_texts_have_no_mark() {
        let path = std::env::temp_dir().join(format!("millbrain-lines-{}", std::process::id()));
        let read = |bytes: &[u8]| {
            fs::write(&path, bytes).unwrap();
            read_text(&path).map_err(|error| error.to_string())
        };
        assert_eq!(read(b"\xEF\xBB\xBFa\r\n\xEF\xBB\xBFb\r\rc\n\r").unwrap(), "a\n\u{feff}b\n\nc\n\n");
        assert_eq!(read(b"").unwrap(), "");
        assert!(read(b"a\xff").unwrap_err().ends_with(": not text, expected UTF-8"));
        fs::remove_file(&path).unwrap();
        assert!(read_text(&path).is_err());
        #[cfg(unix)]
        assert!(
            read_text(&std::env::temp_dir()).unwrap_err().to_string().ends_with("a folder, expected a file of text")
        );
    }

    #[test]
    fn the_rest_of_a_long_line_is_passed_over() {
        let longest = "x".repeat(MAX_LINE as usize);
        let text = format!("a\r\n\n{longest}\n{longest}x\r{longest}xxxxx\nb");
        let (mut lines, mut line) = (Lines::new(text.as_bytes()), Vec::new());
        for expected in [
            (Found::Line, 1),
            (Found::Line, 0),
            (Found::Line, MAX_LINE as usize),
            (Found::TooLong, MAX_LINE as usize),
            (Found::TooLong, MAX_LINE as usize),
            (Found::Line, 1),
            (Found::End, 0),
            (Found::End, 0),
        ] {
            assert_eq!((lines.read(&mut line).unwrap(), line.len()), expected);
        }
    }

    /// Lines may have any ends, and reads may stop anywhere between them.
    #[test]
    fn lines_end_with_any_sign() {
        for ends in [["\n"; 4], ["\r\n"; 4], ["\r"; 4], ["\r\n", "\r", "\r\n", "\r"], ["\n", "\r\n", "\n", "\r"]] {
            let text: String = ["a", "", "", "bc"].iter().zip(ends).map(|(line, end)| format!("{line}{end}")).collect();
            for text in [text.clone() + "d", text + "d\r\n"] {
                for size in 1..=text.len() {
                    let mut lines = Lines::new(BufReader::with_capacity(size, text.as_bytes()));
                    let mut line = Vec::new();
                    let mut read = Vec::new();
                    while lines.read(&mut line).unwrap() == Found::Line {
                        read.push(String::from_utf8(line.clone()).unwrap());
                    }
                    assert_eq!(read, ["a", "", "", "bc", "d"], "{text:?} by {size}");
                }
            }
        }
    }
}
