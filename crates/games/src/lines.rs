//! Reads texts: as lines of any bytes, of which none may fill the memory, or whole.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use millbrain_tablebase::files::{InFile, named};
use std::fs;
use std::io::{self, BufRead, ErrorKind, Read};
use std::path::Path;

/// What some editors put before the first line of a text.
pub const BYTE_ORDER_MARK: &str = "\u{feff}";

/// Longer lines, in bytes, are passed over: no command and no position needs as much.
pub const MAX_LINE: u64 = 16 << 20;

/// What there was to read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Found {
    /// A line; the last one may lack its end.
    Line,
    /// A line of more than [`MAX_LINE`] bytes, of which the rest is passed over.
    TooLong,
    /// Nothing more.
    End,
}

/// Reads a line with its end, as far as [`MAX_LINE`], into a buffer that it empties first.
///
/// # Errors
/// Whatever the input says.
pub fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<Found> {
    line.clear();
    input.by_ref().take(MAX_LINE).read_until(b'\n', line)?;
    if line.is_empty() {
        Ok(Found::End)
    } else if line.last() != Some(&b'\n') && line.len() as u64 == MAX_LINE {
        input.skip_until(b'\n')?;
        Ok(Found::TooLong)
    } else {
        Ok(Found::Line)
    }
}

/// Reads a whole file of text, without a byte-order mark at its start.
///
/// # Errors
/// Whatever the file system says, and a file that is no text.
pub fn read_text(path: &Path) -> Result<String, InFile<io::Error>> {
    let text = fs::read_to_string(path).map_err(|error| match error.kind() {
        ErrorKind::InvalidData => io::Error::new(ErrorKind::InvalidData, "not text, expected UTF-8"),
        ErrorKind::IsADirectory => io::Error::new(ErrorKind::IsADirectory, "a folder, expected a file of text"),
        _ => error,
    });
    let text = text.map_err(named(path))?;
    Ok(text.strip_prefix(BYTE_ORDER_MARK).map(String::from).unwrap_or(text))
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn whole_texts_have_no_mark() {
        let path = std::env::temp_dir().join(format!("millbrain-lines-{}", std::process::id()));
        let read = |bytes: &[u8]| {
            fs::write(&path, bytes).unwrap();
            read_text(&path).map_err(|error| error.to_string())
        };
        assert_eq!(read(b"\xEF\xBB\xBFa\r\n\xEF\xBB\xBF").unwrap(), "a\r\n\u{feff}");
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
        let long = "x".repeat(MAX_LINE as usize + 5);
        let text = format!("a\r\n\n{}\n{long}\nb", &long[..MAX_LINE as usize - 1]);
        let (mut input, mut line) = (text.as_bytes(), Vec::new());
        let mut next = || {
            let found = read_line(&mut input, &mut line).unwrap();
            (found, line.len())
        };
        for expected in [
            (Found::Line, 3),
            (Found::Line, 1),
            (Found::Line, MAX_LINE as usize),
            (Found::TooLong, MAX_LINE as usize),
            (Found::Line, 1),
            (Found::End, 0),
            (Found::End, 0),
        ] {
            assert_eq!(next(), expected);
        }
    }
}
