//! Locks of a folder that several builds share, on one machine or, where the file system has locks, on several.

use millbrain_files::{InFile, named, open_regular};
use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// The locks of a folder: files in a folder of their own. They are never removed: a process that removed one would take
/// it from another.
pub(crate) struct Locks(PathBuf);

impl Locks {
    /// Opens the locks of a folder.
    ///
    /// # Errors
    /// Fails with the error of the file system.
    pub(crate) fn in_folder(folder: &Path) -> Result<Locks, InFile<io::Error>> {
        let locks = folder.join("locks");
        std::fs::create_dir_all(&locks).map_err(named(&locks))?;
        Ok(Locks(locks))
    }

    /// Waits for a lock, and holds it for as long as the file is open.
    ///
    /// # Errors
    /// Fails with the error of the file system.
    pub(crate) fn lock(&self, name: &str) -> Result<File, InFile<io::Error>> {
        let (path, file) = self.open(name)?;
        file.lock().map_err(named(&path))?;
        Ok(file)
    }

    /// Takes a lock for as long as the file is open; returns `None` if another process has it.
    ///
    /// # Errors
    /// Fails with the error of the file system.
    pub(crate) fn try_lock(&self, name: &str) -> Result<Option<File>, InFile<io::Error>> {
        let (path, file) = self.open(name)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(file)),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(named(&path)(error)),
        }
    }

    fn open(&self, name: &str) -> Result<(PathBuf, File), InFile<io::Error>> {
        let path = self.0.join(name);
        if path.exists() {
            open_regular(&path).map_err(named(&path))?;
        }
        let file = File::create(&path).map_err(named(&path))?;
        Ok((path, file))
    }
}
