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

/// How long one who writes waits for another process.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long a server may take to end, and how often another one looks whether it has.
const LAST_SECONDS: Duration = Duration::from_millis(2_500);
const LOOK: Duration = Duration::from_millis(20);
/// How long a question may take.
const ANSWER_TIME: Duration = Duration::from_secs(2);
/// Steps of the database between two looks at the clock.
const STEPS_BETWEEN_LOOKS: i32 = 100_000;
/// Bytes of a page of the database.
const PAGE: u64 = 4_096;
/// What the database adds to the name of its file for those that it keeps beside it.
const BESIDE: [&str; 3] = ["-wal", "-shm", "-journal"];
/// What the file is called that the server of an archive has locked. It stays: removing it would take the lock from
/// others.
const LOCK: &str = "-lock";
/// Bytes that must fit on the disk before an archive that could not be written counts as healthy again.
const ROOM: usize = 1 << 20;

/// What is wrong with an archive.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ArchiveError {
    /// The database cannot do it.
    #[error("{}", .0.to_string().lines().next().unwrap_or_default())]
    Database(#[source] rusqlite::Error),
    /// The system cannot do it.
    #[error("{0}")]
    System(#[from] io::Error),
    /// There is no such file, or too few files may be open.
    #[error("cannot be opened, expected a file that may be read and written")]
    Unopened,
    /// Something else has written it.
    #[error("not an archive of games, expected one or the name of a new file")]
    Foreign,
    /// A later version of this program has written it.
    #[error("archive of version {found}, expected at most {}: it is a newer program's", schema::VERSION)]
    Newer {
        /// Its version.
        found: i64,
    },
    /// It cannot be written to.
    #[error("read-only, expected a file that may be written")]
    ReadOnly,
    /// Another server has it.
    #[error("in use by another server, expected an archive that no server uses")]
    InUse,
    /// A copy would replace the archive or a part of it.
    #[error("part of the archive itself, expected another file for the copy")]
    Itself,
    /// A question takes too long.
    #[error("the archive has too many games for this question, expected a narrower one")]
    TooLong,
    /// The server ends.
    #[error("the server ends, expected to try again later")]
    Closing,
    /// So many games wait to be annotated.
    #[error("{0} games wait to be annotated, expected to try again later")]
    Busy(i64),
    /// It has grown as large as it may.
    #[error("the archive is full, expected fewer games or a larger --archive-size")]
    Full,
    /// The disk is full.
    #[error("no space on the disk of the archive, expected to try again later")]
    NoSpace,
    /// What is stored cannot be read.
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
            // The disk is written to at commits alone: before them it is the limit of the archive that is reached.
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
    /// Closed after the readers: it then moves what was written ahead into the file, which the others may not.
    writer: Mutex<Connection>,
    /// The last write has failed, by a fault of the system.
    is_failing: AtomicBool,
    /// The server ends.
    is_closing: Arc<AtomicBool>,
    /// Locked while the archive is open.
    _lock: File,
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

/// Opens a database for reading.
fn reading(path: &Path) -> Result<Connection, ArchiveError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let reader = Connection::open_with_flags(path, flags)?;
    reader.busy_timeout(PATIENCE)?;
    Ok(reader)
}

/// Locks an archive for as long as the returned file is open. A server that ends is waited for.
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

/// Copies an archive, also while a server uses it. The copy is there whole or not at all, and replaces a file of its
/// name.
///
/// # Errors
/// No archive there, a copy that would replace the archive or that of a server, no room, and whatever the database or the
/// system says.
pub fn back_up(archive: &Path, copy: &Path) -> Result<(), InFile<ArchiveError>> {
    let reader = reading(archive).map_err(named(archive))?;
    schema::check(&reader).map_err(named(archive))?;
    copy_to(&reader, archive, copy).map_err(named(copy))
}

/// Copies a database that is open and whose file this is.
fn copy_to(reader: &Connection, archive: &Path, copy: &Path) -> Result<(), ArchiveError> {
    let unfinished = beside(copy, ".part");
    let belong =
        |file: &Path, other: &Path| BESIDE.iter().chain([&"", &LOCK]).any(|added| is_same(&beside(file, added), other));
    if belong(archive, copy) || belong(copy, archive) || is_same(&unfinished, archive) {
        return Err(ArchiveError::Itself);
    }
    // Held until the copy is in its place, if a server has ever used that place.
    let _lock = beside(copy, LOCK).exists().then(|| lock(copy)).transpose()?;
    let _ = fs::remove_file(&unfinished);
    let copied = reader.execute("VACUUM INTO ?1", [unfinished.to_string_lossy()]);
    copied.map_err(|error| match error.into() {
        ArchiveError::Full => ArchiveError::NoSpace,
        error => error,
    })?;
    File::open(&unfinished)?.sync_all()?;
    // What another database has written ahead there would be laid over the copy.
    for added in BESIDE {
        match fs::remove_file(beside(copy, added)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        }
    }
    Ok(fs::rename(&unfinished, copy)?)
}

impl Archive {
    /// Opens an archive, or makes a new one; older ones are brought to the present version.
    ///
    /// # Errors
    /// A file that is no archive, is a newer one, is read-only or in use by another server, and whatever the database says.
    /// The file is then as it was.
    pub fn open(path: &Path, size: u32) -> Result<Archive, ArchiveError> {
        let mut writer = Connection::open(path)?;
        writer.busy_timeout(PATIENCE)?;
        if writer.is_readonly(MAIN_DB)? {
            return Err(ArchiveError::ReadOnly);
        }
        schema::check(&writer)?;
        let lock = lock(path)?;
        // One that reads first and then writes would be refused where another process has written meanwhile.
        writer.set_transaction_behavior(TransactionBehavior::Immediate);
        // With FULL a commit is on disk when it returns, whatever happens to the machine.
        writer.pragma_update(None, "journal_mode", "WAL")?;
        writer.pragma_update(None, "synchronous", "FULL")?;
        writer.pragma_update(None, "foreign_keys", true)?;
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
        // From now on a transaction has room in memory.
        archive.writer().pragma_update(None, "cache_spill", false)?;
        Ok(archive)
    }

    fn writer(&self) -> MutexGuard<'_, Connection> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes in one transaction, all of it or nothing. What was written is on disk.
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

    /// Ends long questions and imports: the server ends.
    pub(crate) fn close(&self) {
        self.is_closing.store(true, Relaxed);
    }

    /// Checks that it answers and, if a write has failed, that it could be written now.
    ///
    /// # Errors
    /// Whatever the database or the system says.
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
