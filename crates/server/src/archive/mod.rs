//! The archive: finished games in a database, found again by players, results and openings.
//!
//! A game is on disk when its number is handed out: the database writes ahead and flushes at every commit.

mod game;
mod import;
mod openings;
mod played;
mod queries;
mod schema;

pub use game::{Faulty, Game, Key, stored};
pub use import::{Import, Refusal};
pub use openings::opening_keys;
pub(crate) use played::Played;
pub use queries::{Filter, Listed, Listing, MAX_LISTED, Saved, Stored, Task};

use millbrain_games::lines::read_text;
use millbrain_tablebase::files::{InFile, named};
use rusqlite::{Connection, ErrorCode, OpenFlags};
use std::fs::File;
use std::io;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long one who writes waits for another process.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long a question may take.
const ANSWER_TIME: Duration = Duration::from_secs(2);
/// Steps of the database between two looks at the clock.
const STEPS_BETWEEN_LOOKS: i32 = 100_000;
/// Bytes of a page of the database.
const PAGE: u64 = 4_096;

/// What is wrong with an archive.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ArchiveError {
    /// The database cannot do it.
    #[error("archive: {0}")]
    Database(#[source] rusqlite::Error),
    /// A later version of this program has written it.
    #[error("archive of version {found}, expected at most {}: it is a newer program's", schema::VERSION)]
    Newer {
        /// Its version.
        found: i64,
    },
    /// A question takes too long.
    #[error("the archive has too many games for this question, expected a narrower one")]
    TooLong,
    /// So many games wait to be annotated.
    #[error("{0} games wait to be annotated, expected to try again later")]
    Busy(i64),
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

impl From<rusqlite::Error> for ArchiveError {
    fn from(error: rusqlite::Error) -> ArchiveError {
        match error.sqlite_error_code() {
            Some(ErrorCode::OperationInterrupted) => ArchiveError::TooLong,
            _ => ArchiveError::Database(error),
        }
    }
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

/// The archive, open. One connection writes and others read, so that a long search in it delays neither games nor others.
pub struct Archive {
    path: PathBuf,
    /// Those that nobody uses: there are as many as have been used at a time.
    readers: Mutex<Vec<Connection>>,
    /// Closed last: it then moves what was written ahead into the file, which the others may not.
    writer: Mutex<Connection>,
}

/// A connection that reads, until it is dropped. A question that takes longer than [`ANSWER_TIME`] fails.
struct Reader<'a> {
    archive: &'a Archive,
    connection: Option<Connection>,
}

impl Deref for Reader<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        match &self.connection {
            Some(connection) => connection,
            None => unreachable!("it is there until the drop"),
        }
    }
}

impl Drop for Reader<'_> {
    fn drop(&mut self) {
        self.archive.idle_readers().extend(self.connection.take());
    }
}

/// A connection to an archive that is there, for reading.
fn reading(path: &Path) -> Result<Connection, ArchiveError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let reader = Connection::open_with_flags(path, flags)?;
    reader.busy_timeout(PATIENCE)?;
    Ok(reader)
}

/// Copies an archive, also while a server uses it. The copy is there whole or not at all, and takes the place of a file
/// that has its name.
///
/// # Errors
/// No archive there, no room, and whatever the database or the system says.
pub fn back_up(archive: &Path, copy: &Path) -> Result<(), ArchiveError> {
    let mut unfinished = copy.as_os_str().to_owned();
    unfinished.push(".part");
    let unfinished = PathBuf::from(unfinished);
    let _ = std::fs::remove_file(&unfinished);
    let copied = reading(archive)?.execute("VACUUM INTO ?1", [unfinished.to_string_lossy()]);
    copied.map_err(ArchiveError::of_write)?;
    let flushed = File::open(&unfinished).and_then(|file| file.sync_all());
    flushed.and_then(|()| std::fs::rename(&unfinished, copy)).map_err(named(copy))?;
    Ok(())
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
        let archive = Archive { path: path.to_path_buf(), readers: Mutex::default(), writer: Mutex::new(writer) };
        archive.renew_positions()?;
        Ok(archive)
    }

    fn writer(&self) -> MutexGuard<'_, Connection> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn idle_readers(&self) -> MutexGuard<'_, Vec<Connection>> {
        self.readers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn reader(&self) -> Result<Reader<'_>, ArchiveError> {
        let idle = self.idle_readers().pop();
        let connection = idle.map_or_else(|| reading(&self.path), Ok)?;
        let begun = Instant::now();
        connection.progress_handler(STEPS_BETWEEN_LOOKS, Some(move || begun.elapsed() >= ANSWER_TIME));
        Ok(Reader { archive: self, connection: Some(connection) })
    }

    /// Whether it answers.
    ///
    /// # Errors
    /// Whatever the database says.
    pub fn check(&self) -> Result<(), ArchiveError> {
        Ok(self.reader()?.query_row("SELECT max(id) FROM games", [], |_| Ok(()))?)
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
