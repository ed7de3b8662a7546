//! Opens files with care, and writes them so that a kill at any moment leaves them whole.

use std::fs::{self, File, TryLockError};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// An error with the file that it is about.
#[derive(Debug, thiserror::Error)]
#[error("{}: {source}", path.display())]
pub struct InFile<E> {
    /// The file or folder.
    pub path: PathBuf,
    /// The error.
    pub source: E,
}

/// Returns a function that adds the path to an error.
pub fn named<E>(path: &Path) -> impl Fn(E) -> InFile<E> + '_ {
    move |source| InFile { path: path.to_path_buf(), source }
}

/// Opens a file for reading. Folders, pipes and devices are refused: a pipe would block until someone writes to it.
///
/// # Errors
/// Fails with the error of the file system, or if it is not a regular file.
pub fn open_regular(path: &Path) -> io::Result<File> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    File::open(path)
}

/// The least number of files that a process may have open: the whole game has a thousand, and some systems begin with
/// 256.
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
/// Fails with the error of the file system, or if the file ends before.
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
        // These systems have no threads that could move the position concurrently.
        let mut file = file;
        file.seek(SeekFrom::Start(offset))?;
        std::io::Read::read_exact(&mut file, buffer)
    }
}

/// Writes at an offset, so that threads can share the file.
///
/// # Errors
/// Fails with the error of the file system.
pub fn write_at(file: &File, bytes: &[u8], offset: u64) -> io::Result<()> {
    #[cfg(unix)]
    return std::os::unix::fs::FileExt::write_all_at(file, bytes, offset);
    #[cfg(windows)]
    {
        let mut written = 0;
        while written < bytes.len() {
            written += std::os::windows::fs::FileExt::seek_write(file, &bytes[written..], offset + written as u64)?;
        }
        Ok(())
    }
    #[cfg(not(any(unix, windows)))]
    {
        let mut file = file;
        file.seek(SeekFrom::Start(offset))?;
        file.write_all(bytes)
    }
}

/// Writes a file under a temporary name, flushes it and renames it.
///
/// # Errors
/// Fails with the error of the file system, or if the name is that of a device, pipe or folder. An existing file is
/// then unchanged.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    refuse_special(path)?;
    replace(path, |file| file.write_all(bytes))
}

/// Lets `write` fill a file under a temporary name, flushes it and renames it, whatever the name refers to now.
///
/// # Errors
/// Fails with the error of the file system or of `write`. An earlier file of this name is then unchanged. The temporary
/// file is removed, since it may have filled the disk.
pub fn replace<T>(path: &Path, write: impl FnOnce(&mut File) -> io::Result<T>) -> io::Result<T> {
    let temporary = temporary(path);
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

/// Checks that [`write_whole`] can begin to write a file: for a job that writes it at its end.
///
/// # Errors
/// Fails as [`write_whole`] does.
pub fn can_write_whole(path: &Path) -> io::Result<()> {
    refuse_special(path)?;
    let temporary = temporary(path);
    File::create_new(&temporary)?;
    fs::remove_file(&temporary)
}

/// Rejects a name given by a user where a file would replace something else, such as a device.
fn refuse_special(path: &Path) -> io::Result<()> {
    if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file, expected a file to write"));
    }
    Ok(())
}

/// Returns the temporary name of a file, and removes what a killed process may have left under it.
fn temporary(path: &Path) -> PathBuf {
    let temporary = beside(path, ".tmp");
    let _ = fs::remove_file(&temporary);
    temporary
}

/// Returns whether two names refer to one file, by whatever path or link; it need not exist yet.
pub fn is_same(a: &Path, b: &Path) -> bool {
    #[cfg(unix)]
    if let (Ok(a), Ok(b)) = (fs::metadata(a), fs::metadata(b)) {
        use std::os::unix::fs::MetadataExt;
        return (a.dev(), a.ino()) == (b.dev(), b.ino());
    }
    let place = |path: &Path| {
        path.canonicalize().or_else(|_| {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
            folder.canonicalize().map(|folder| folder.join(path.file_name().unwrap_or_default()))
        })
    };
    matches!((place(a), place(b)), (Ok(a), Ok(b)) if a == b)
}

/// Returns whether another run writes to an output. If not, none can until it is closed.
pub fn is_busy(file: &File) -> bool {
    matches!(file.try_lock(), Err(TryLockError::WouldBlock))
}

/// Returns the name of a file that belongs to another one: its name with a suffix.
pub fn beside(path: &Path, added: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(added);
    name.into()
}

/// The complete lines of a file that is written line by line. A last line without a newline was cut short by a kill and
/// is left out.
pub struct WholeLines<'a> {
    file: BufReader<&'a File>,
    line: Vec<u8>,
    length: u64,
}

impl<'a> WholeLines<'a> {
    /// Reads the lines of a file from its current position.
    pub fn of(file: &'a File) -> WholeLines<'a> {
        WholeLines { file: BufReader::new(file), line: Vec::new(), length: 0 }
    }

    /// Returns the next line with its newline, or `None` at the end.
    ///
    /// # Errors
    /// Fails with the error of the file system.
    pub fn next_line(&mut self) -> io::Result<Option<&[u8]>> {
        self.line.clear();
        let length = self.file.read_until(b'\n', &mut self.line)?;
        if self.line.last() != Some(&b'\n') {
            return Ok(None);
        }
        self.length += length as u64;
        Ok(Some(&self.line))
    }

    /// Returns the length of the lines so far in bytes.
    pub const fn length(&self) -> u64 {
        self.length
    }
}

/// Returns all [`WholeLines`] of a file, and their length in bytes.
///
/// # Errors
/// Fails if the file cannot be read, or is not text.
pub fn whole_lines(file: &File) -> io::Result<(Vec<String>, u64)> {
    let (mut read, mut lines) = (WholeLines::of(file), Vec::new());
    while let Some(line) = read.next_line()? {
        let text = str::from_utf8(line).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "not text"))?;
        lines.push(text.to_string());
    }
    Ok((lines, read.length()))
}

/// Cuts a file to its first `length` bytes and moves to its end, ready to append.
///
/// # Errors
/// Fails with the error of the file system.
pub fn go_on_after(file: &mut File, length: u64) -> io::Result<()> {
    file.set_len(length)?;
    file.seek(SeekFrom::End(0))?;
    Ok(())
}
