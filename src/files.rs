//! Files that a kill at any moment leaves whole.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::Path;

/// What turns an error into a message that names the file.
pub fn named<E: std::fmt::Display>(path: &Path) -> impl Fn(E) -> String + '_ {
    move |error| format!("{}: {error}", path.display())
}

/// Writes a file under a temporary name, flushes it and renames it.
///
/// # Errors
/// Whatever the file system says; an earlier file of this name is as it was.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    replace(path, |file| file.write_all(bytes))
}

/// Has a file written under a temporary name, flushes it and renames it.
///
/// # Errors
/// Whatever the file system or the writer says; an earlier file of this name is as it was, and the temporary one,
/// which may have filled the disk, is gone.
pub fn replace<T>(path: &Path, write: impl FnOnce(&mut File) -> io::Result<T>) -> io::Result<T> {
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(".tmp");
    let written = File::create(&temporary).and_then(|mut file| {
        let written = write(&mut file)?;
        file.sync_all()?;
        fs::rename(&temporary, path)?;
        Ok(written)
    });
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written
}

/// The whole lines of a file that is written line by line, and their length in bytes: a last line without its end
/// was cut short by a kill and is left out.
///
/// # Errors
/// When the file cannot be read, or is no text.
pub fn whole_lines(file: &File) -> io::Result<(Vec<String>, u64)> {
    let mut reader = BufReader::new(file);
    let (mut lines, mut whole) = (Vec::new(), 0);
    loop {
        let mut line = String::new();
        let length = reader.read_line(&mut line)?;
        if length == 0 || !line.ends_with('\n') {
            return Ok((lines, whole));
        }
        whole += length as u64;
        lines.push(line);
    }
}

/// Cuts a file to its first `length` bytes and goes to its end, to be written on.
///
/// # Errors
/// Whatever the file system says.
pub fn go_on_after(file: &mut File, length: u64) -> io::Result<()> {
    file.set_len(length)?;
    file.seek(SeekFrom::End(0))?;
    Ok(())
}
