//! The archive: finished games in a database, found again by players, results and openings.
//!
//! A game is on disk when its number is handed out: the database writes ahead and flushes at every commit.

mod game;
mod import;
mod queries;
mod schema;

pub use game::{Faulty, Game, Key, opening_keys, stored};
pub use import::{Import, Refusal};
pub use queries::{Filter, Listed, Listing, MAX_LISTED, Saved, Stored, Task};

use millbrain_games::lines::read_text;
use millbrain_tablebase::files::InFile;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long one who writes waits for another process.
const PATIENCE: Duration = Duration::from_secs(5);
/// Bytes of a page of the database.
const PAGE: u64 = 4_096;

/// What is wrong with an archive.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ArchiveError {
    /// The database cannot do it.
    #[error("archive: {0}")]
    Database(#[from] rusqlite::Error),
    /// A later version of this program has written it.
    #[error("archive of version {found}, expected at most {}: it is a newer program's", schema::VERSION)]
    Newer {
        /// Its version.
        found: i64,
    },
    /// It has grown as large as it may.
    #[error("the archive is full, expected fewer games or a larger --archive-size")]
    Full,
    /// A file of games cannot be read.
    #[error("{0}")]
    File(#[from] InFile<io::Error>),
    /// What is stored cannot be read.
    #[error("game {0} is damaged in the archive")]
    Damaged(i64),
}

impl ArchiveError {
    /// The error of a write.
    fn of_write(error: rusqlite::Error) -> ArchiveError {
        match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => ArchiveError::Full,
            _ => ArchiveError::Database(error),
        }
    }
}

/// Where the archive is, and how large it may be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ArchiveConfig {
    /// The file.
    pub path: PathBuf,
    /// Most MiB.
    pub size: u32,
    /// Files of games to be taken in at the start.
    pub import: Vec<PathBuf>,
    /// Nodes for each position of a game that is annotated.
    pub nodes: u64,
}

/// The archive, open. One connection writes and another reads, so that a long search in it delays no game.
pub struct Archive {
    reader: Mutex<Connection>,
    /// Closed last: it then moves what was written ahead into the file, which the other may not.
    writer: Mutex<Connection>,
}

impl Archive {
    /// Opens an archive, or makes a new one; older ones are brought to the present version.
    ///
    /// # Errors
    /// A file that is no archive, or is a newer one, and whatever the database says.
    pub fn open(path: &Path, size: u32) -> Result<Archive, ArchiveError> {
        let mut writer = Connection::open(path)?;
        writer.busy_timeout(PATIENCE)?;
        // With FULL a commit is on disk when it returns, whatever happens to the machine.
        writer.pragma_update(None, "journal_mode", "WAL")?;
        writer.pragma_update(None, "synchronous", "FULL")?;
        writer.pragma_update(None, "foreign_keys", true)?;
        writer.pragma_update(None, "max_page_count", u64::from(size) * ((1 << 20) / PAGE))?;
        schema::migrate(&mut writer)?;
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let reader = Connection::open_with_flags(path, flags)?;
        reader.busy_timeout(PATIENCE)?;
        let archive = Archive { reader: Mutex::new(reader), writer: Mutex::new(writer) };
        archive.renew_positions()?;
        Ok(archive)
    }

    fn writer(&self) -> MutexGuard<'_, Connection> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn reader(&self) -> MutexGuard<'_, Connection> {
        self.reader.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes in the games of a file.
    ///
    /// # Errors
    /// A file that cannot be read, and whatever the database says.
    pub fn import_file(&self, path: &Path) -> Result<Import, ArchiveError> {
        let text = read_text(path)?;
        self.import(&text)
    }
}

#[cfg(test)]
mod tests;
