//! The archive: finished games in a database, searchable by players, results and openings.
//!
//! A game is on disk when its number is returned: the database writes ahead and flushes at every commit.

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

use millbrain_files::{InFile, beside, is_same, named};
use rusqlite::{Connection, ErrorCode, MAIN_DB, OpenFlags, Transaction, TransactionBehavior};
use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Time that a writer waits for another process.
const PATIENCE: Duration = Duration::from_secs(5);
/// Time for another server to end, and the interval at which to check for it.
const LAST_SECONDS: Duration = Duration::from_millis(2_500);
const LOOK: Duration = Duration::from_millis(20);
/// Time limit for a query.
const ANSWER_TIME: Duration = Duration::from_secs(2);
/// Database steps between two checks of the clock.
const STEPS_BETWEEN_LOOKS: i32 = 100_000;
/// Page size of the database in bytes.
const PAGE: u64 = 4_096;
/// Pages of the database that the writer keeps in memory, in KiB. With SQLite's 2 MiB an import of 60,000 games takes a
/// fifth longer.
const CACHE_KIB: i32 = 16 << 10;
/// Suffixes of the database's auxiliary files.
const BESIDE: [&str; 3] = ["-wal", "-shm", "-journal"];
/// Suffix of the lock file of an archive's server. It is never removed: that would invalidate other locks.
const LOCK: &str = "-lock";
/// Bytes that must fit on the disk before a failed archive counts as healthy again.
const ROOM: usize = 1 << 20;

/// A fault of an archive.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ArchiveError {
    /// An error of the database.
    #[error("{}", .0.to_string().lines().next().unwrap_or_default())]
    Database(#[source] rusqlite::Error),
    /// An error of the system.
    #[error("{0}")]
    System(#[from] io::Error),
    /// The file does not exist, or too many files are open.
    #[error("cannot be opened, expected a file that may be read and written")]
    Unopened,
    /// A file of another program.
    #[error("not an archive of games, expected one or the name of a new file")]
    Foreign,
    /// A file of a later version of this program.
    #[error("archive of version {found}, expected at most {}: it is a newer program's", schema::VERSION)]
    Newer {
        /// Its version.
        found: i64,
    },
    /// The file is read-only.
    #[error("read-only, expected a file that may be written")]
    ReadOnly,
    /// Another server uses the archive.
    #[error("in use by another server, expected an archive that no server uses")]
    InUse,
    /// A copy would replace the archive or a part of it.
    #[error("part of the archive itself, expected another file for the copy")]
    Itself,
    /// A query exceeds its time limit.
    #[error("the archive has too many games for this question, expected a narrower one")]
    TooLong,
    /// The server is shutting down.
    #[error("the server ends, expected to try again later")]
    Closing,
    /// This number of games already waits for annotation.
    #[error("{0} games wait to be annotated, expected to try again later")]
    Busy(i64),
    /// The archive has reached its maximum size.
    #[error("the archive is full, expected fewer games or a larger --archive-size")]
    Full,
    /// The disk is full.
    #[error("no space on the disk of the archive, expected to try again later")]
    NoSpace,
    /// Stored data cannot be read.
    #[error("game {0} is damaged in the archive")]
    Damaged(i64),
}

impl From<rusqlite::Error> for ArchiveError {
    fn from(error: rusqlite::Error) -> ArchiveError {
        match error.sqlite_error_code() {
            Some(ErrorCode::OperationInterrupted) => ArchiveError::TooLong,
            Some(ErrorCode::CannotOpen) => ArchiveError::Unopened,
            Some(ErrorCode::NotADatabase) => ArchiveError::Foreign,
            Some(ErrorCode::ReadOnly) => ArchiveError::ReadOnly,
            // Only commits write to the disk: an earlier error means that the archive has reached its limit.
            Some(ErrorCode::DiskFull) => ArchiveError::Full,
            _ => ArchiveError::Database(error),
        }
    }
}

/// The file of the archive and its limits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ArchiveConfig {
    /// The file.
    pub path: PathBuf,
    /// Maximum size in MiB.
    pub size: u32,
    /// Files of games to import at the start.
    pub import: Vec<PathBuf>,
    /// Nodes for each position of an annotated game.
    pub nodes: u64,
}

/// The open archive. One connection writes and others read, so that a long search delays neither games nor other
/// searches.
pub struct Archive {
    path: PathBuf,
    /// Idle connections: as many as were ever used at a time.
    readers: Mutex<Vec<Connection>>,
    /// Closed after the readers: it then moves the written-ahead data into the file, which readers cannot do.
    writer: Mutex<Connection>,
    /// Whether the last write failed with an error of the system.
    is_failing: AtomicBool,
    /// Whether the server is shutting down.
    is_closing: Arc<AtomicBool>,
    /// Locked while the archive is open.
    _lock: File,
}

/// A reading connection, returned to the pool when dropped. A query that takes longer than [`ANSWER_TIME`] fails.
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

/// Opens a database for reading.
fn reading(path: &Path) -> Result<Connection, ArchiveError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let reader = Connection::open_with_flags(path, flags)?;
    reader.busy_timeout(PATIENCE)?;
    Ok(reader)
}

/// Locks an archive as long as the returned file is open. Waits for a server that is shutting down.
fn lock(path: &Path) -> Result<File, ArchiveError> {
    let (lock, begun) = (File::create(beside(path, LOCK))?, Instant::now());
    loop {
        match lock.try_lock() {
            Ok(()) => return Ok(lock),
            Err(TryLockError::WouldBlock) if begun.elapsed() < LAST_SECONDS => thread::sleep(LOOK),
            Err(TryLockError::WouldBlock) => return Err(ArchiveError::InUse),
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
    }
}

/// Copies an archive, even while a server uses it. The copy is complete or absent, and replaces an existing file.
///
/// # Errors
/// A missing archive, a full disk, or any error of the database or the system. A copy that would replace the archive or
/// that of a server.
pub fn back_up(archive: &Path, copy: &Path) -> Result<(), InFile<ArchiveError>> {
    let reader = reading(archive).map_err(named(archive))?;
    schema::check(&reader).map_err(named(archive))?;
    copy_to(&reader, archive, copy).map_err(named(copy))
}

/// Copies an open database with this file.
fn copy_to(reader: &Connection, archive: &Path, copy: &Path) -> Result<(), ArchiveError> {
    let unfinished = beside(copy, ".part");
    let belong =
        |file: &Path, other: &Path| BESIDE.iter().chain([&"", &LOCK]).any(|added| is_same(&beside(file, added), other));
    if belong(archive, copy) || belong(copy, archive) || is_same(&unfinished, archive) {
        return Err(ArchiveError::Itself);
    }
    // Held until the copy is in place, if a server has ever used that path.
    let _lock = beside(copy, LOCK).exists().then(|| lock(copy)).transpose()?;
    let _ = fs::remove_file(&unfinished);
    let copied = reader.execute("VACUUM INTO ?1", [unfinished.to_string_lossy()]);
    copied.map_err(|error| match error.into() {
        ArchiveError::Full => ArchiveError::NoSpace,
        error => error,
    })?;
    File::open(&unfinished)?.sync_all()?;
    // Another database's written-ahead data there would be applied to the copy.
    for added in BESIDE {
        match fs::remove_file(beside(copy, added)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        }
    }
    Ok(fs::rename(&unfinished, copy)?)
}

impl Archive {
    /// Opens or creates an archive; an older one is migrated to the current version.
    ///
    /// # Errors
    /// A file that is not an archive, is a newer one, is read-only or in use by another server, and any error of the
    /// database. Then the file is unchanged.
    pub fn open(path: &Path, size: u32) -> Result<Archive, ArchiveError> {
        let mut writer = Connection::open(path)?;
        writer.busy_timeout(PATIENCE)?;
        if writer.is_readonly(MAIN_DB)? {
            return Err(ArchiveError::ReadOnly);
        }
        schema::check(&writer)?;
        let lock = lock(path)?;
        // A transaction that reads before it writes would fail if another process has written in between.
        writer.set_transaction_behavior(TransactionBehavior::Immediate);
        // With FULL a commit is on disk when it returns, even if the machine crashes.
        writer.pragma_update(None, "journal_mode", "WAL")?;
        writer.pragma_update(None, "synchronous", "FULL")?;
        writer.pragma_update(None, "foreign_keys", true)?;
        writer.pragma_update(None, "cache_size", -CACHE_KIB)?;
        writer.pragma_update(None, "max_page_count", u64::from(size) * ((1 << 20) / PAGE))?;
        schema::migrate(&mut writer)?;
        let archive = Archive {
            path: path.to_path_buf(),
            readers: Mutex::default(),
            writer: Mutex::new(writer),
            is_failing: AtomicBool::new(false),
            is_closing: Arc::default(),
            _lock: lock,
        };
        archive.renew_positions()?;
        // From here on, a transaction stays in memory.
        archive.writer().pragma_update(None, "cache_spill", false)?;
        Ok(archive)
    }

    fn writer(&self) -> MutexGuard<'_, Connection> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes in one transaction, all or nothing. Written data is on disk.
    fn write<T>(&self, work: impl FnOnce(&Transaction<'_>) -> Result<T, ArchiveError>) -> Result<T, ArchiveError> {
        let mut writer = self.writer();
        let written = writer.transaction().map_err(ArchiveError::from).and_then(|transaction| {
            let result = work(&transaction)?;
            transaction.commit().map_err(|error| match error.into() {
                ArchiveError::Full => ArchiveError::NoSpace,
                error => error,
            })?;
            Ok(result)
        });
        match &written {
            Ok(_) => self.is_failing.store(false, Relaxed),
            Err(
                ArchiveError::Database(_) | ArchiveError::Unopened | ArchiveError::ReadOnly | ArchiveError::NoSpace,
            ) => {
                self.is_failing.store(true, Relaxed);
            }
            Err(_) => {}
        }
        written
    }

    fn idle_readers(&self) -> MutexGuard<'_, Vec<Connection>> {
        self.readers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn reader(&self) -> Result<Reader<'_>, ArchiveError> {
        let idle = self.idle_readers().pop();
        let connection = idle.map_or_else(|| reading(&self.path), Ok)?;
        let (begun, is_closing) = (Instant::now(), Arc::clone(&self.is_closing));
        let is_over = move || begun.elapsed() >= ANSWER_TIME || is_closing.load(Relaxed);
        connection.progress_handler(STEPS_BETWEEN_LOOKS, Some(is_over));
        Ok(Reader { archive: self, connection: Some(connection) })
    }

    /// Ends long queries and imports at shutdown.
    pub(crate) fn close(&self) {
        self.is_closing.store(true, Relaxed);
    }

    /// Checks that the archive answers and, after a failed write, that writing is possible now.
    ///
    /// # Errors
    /// Any error of the database or the system.
    pub fn check(&self) -> Result<(), ArchiveError> {
        self.reader()?.query_row("SELECT max(id) FROM games", [], |_| Ok(()))?;
        if self.is_failing.load(Relaxed) {
            let room = beside(&self.path, "-room");
            let written = File::create(&room).and_then(|mut file| file.write_all(&vec![0; ROOM]));
            let _ = fs::remove_file(&room);
            written?;
            self.is_failing.store(false, Relaxed);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
