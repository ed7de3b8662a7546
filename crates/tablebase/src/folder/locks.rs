//! Locks of a folder that several builds share, on one machine or, where the file system has locks, on several.

use millbrain_files::{InFile, named, open_regular};
use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// The locks of a folder: files in a folder of their own. They stay, since whoever removes one takes it from others.
pub(crate) struct Locks(PathBuf);

impl Locks {
    /// The locks of a folder.
    ///
    /// # Errors
    /// Whatever the file system says.
    pub(crate) fn in_folder(folder: &Path) -> Result<Locks, InFile<io::Error>> {
        let locks = folder.join("locks");
        std::fs::create_dir_all(&locks).map_err(named(&locks))?;
        Ok(Locks(locks))
    }

    /// Waits for a lock, and has it for as long as the file is open.
    ///
    /// # Errors
    /// Whatever the file system says.
    pub(crate) fn lock(&self, name: &str) -> Result<File, InFile<io::Error>> {
        let (path, file) = self.open(name)?;
        file.lock().map_err(named(&path))?;
        Ok(file)
    }

    /// Takes a lock for as long as the file is open; `None` if somebody else has it.
    ///
    /// # Errors
    /// Whatever the file system says.
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
