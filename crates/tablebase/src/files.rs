//! Opening files with care, and writing them so that a kill at any moment leaves them whole.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// An error about a file, which it names.
#[derive(Debug, thiserror::Error)]
#[error("{}: {source}", path.display())]
pub struct InFile<E> {
    /// The file, or folder.
    pub path: PathBuf,
    /// What is wrong with it.
    pub source: E,
}

/// Names the file that an error is about.
pub fn named<E>(path: &Path) -> impl Fn(E) -> InFile<E> + '_ {
    move |source| InFile { path: path.to_path_buf(), source }
}

/// Opens a file for reading. Folders, pipes and devices are refused: a pipe would block until someone writes to it.
///
/// # Errors
/// Whatever the file system says, or that it is no regular file.
pub fn open_regular(path: &Path) -> io::Result<File> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    File::open(path)
}

/// Files a process is allowed to have open at least: the whole game has a thousand, and some systems begin with 256.
#[cfg(unix)]
const OPEN_FILES: u64 = 4096;

/// Raises the number of files that the process may have open, if it is low.
pub fn allow_many_files() {
    #[cfg(unix)]
    if let Err(error) = rlimit::increase_nofile_limit(OPEN_FILES) {
        log::warn!("the number of open files cannot be raised: {error}");
    }
}

/// Reads at an offset until the buffer is full, so that threads can share the file.
///
/// # Errors
/// Whatever the file system says, or that the file ends before.
pub fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<()> {
    #[cfg(unix)]
    return std::os::unix::fs::FileExt::read_exact_at(file, buffer, offset);
    #[cfg(windows)]
    {
        let mut filled = 0;
        while filled < buffer.len() {
            let read = std::os::windows::fs::FileExt::seek_read(file, &mut buffer[filled..], offset + filled as u64)?;
            if read == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            filled += read;
        }
        Ok(())
    }
    #[cfg(not(any(unix, windows)))]
    {
        // Such systems have no threads that could move the position meanwhile.
        let mut file = file;
        file.seek(SeekFrom::Start(offset))?;
        std::io::Read::read_exact(&mut file, buffer)
    }
}

/// Writes a file under a temporary name, flushes it and renames it.
///
/// # Errors
/// Whatever the file system says; an earlier file of this name is then unchanged.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    replace(path, |file| file.write_all(bytes))
}

/// Lets `write` fill a file under a temporary name, flushes it and renames it.
///
/// # Errors
/// Whatever the file system or `write` says. An earlier file of this name is then unchanged, and the temporary file is
/// removed, since it may have filled the disk.
pub fn replace<T>(path: &Path, write: impl FnOnce(&mut File) -> io::Result<T>) -> io::Result<T> {
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(".tmp");
    // A killed process may have left one.
    let _ = fs::remove_file(&temporary);
    let written = File::create_new(&temporary).and_then(|mut file| {
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

/// The complete lines of a file that is written line by line, and their length in bytes. A last line without a newline
/// was cut short by a kill and is left out.
///
/// # Errors
/// If the file cannot be read, or is not text.
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

/// Cuts a file to its first `length` bytes and moves to its end, ready to append.
///
/// # Errors
/// Whatever the file system says.
pub fn go_on_after(file: &mut File, length: u64) -> io::Result<()> {
    file.set_len(length)?;
    file.seek(SeekFrom::End(0))?;
    Ok(())
}
