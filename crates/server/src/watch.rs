//! Watches the journal of a match played by another process: its finished games and standings.

use super::live::{Live, table};
use millbrain_files::named;
use millbrain_tournament::journal::{self, JournalError, MatchConfig};
use millbrain_tournament::scoreboard::Scoreboard;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// Interval at which the journal is checked.
const LOOK: Duration = Duration::from_millis(500);

/// Why a journal cannot be watched.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WatchError {
    /// The file cannot be read, or is not a journal.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// No thread can be started.
    #[error("no thread to watch the journal with ({0}); is the limit of processes reached?")]
    Thread(#[source] io::Error),
}

/// Watches a journal until it is dropped.
pub struct Watcher {
    stop: Option<SyncSender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Watcher {
    /// Starts to watch a journal; its games so far are reported immediately.
    ///
    /// # Errors
    /// A file that is not a journal.
    pub fn start(path: &Path) -> Result<(Watcher, Arc<Live>), WatchError> {
        let mut seen = Seen::begin(path)?;
        let live = Arc::clone(&seen.live);
        let (stop, stopped) = sync_channel::<()>(0);
        let body = move || {
            while stopped.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
                if let Err(error) = seen.look() {
                    log::warn!("{error}");
                }
            }
        };
        let thread = std::thread::Builder::new().name("watch".to_string()).spawn(body).map_err(WatchError::Thread)?;
        Ok((Watcher { stop: Some(stop), thread: Some(thread) }, live))
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The state of a watched journal.
struct Seen {
    path: PathBuf,
    live: Arc<Live>,
    config: MatchConfig,
    scoreboard: Scoreboard,
    /// Size of the file in bytes at the last read.
    length: u64,
    /// Number of games read; those after a gap wait to be counted, as in the match itself.
    games: usize,
}

impl Seen {
    fn begin(path: &Path) -> Result<Seen, WatchError> {
        let length = length(path)?;
        let (config, games) = journal::read(path)?;
        let count = games.len();
        let mut scoreboard = Scoreboard::new(&config, games);
        let live = Live::new(&config, &mut scoreboard);
        Ok(Seen { path: path.to_path_buf(), live, config, scoreboard, length, games: count })
    }

    fn look(&mut self) -> Result<(), WatchError> {
        let length = length(&self.path)?;
        if length == self.length {
            return Ok(());
        }
        // A faulty file is reported once.
        self.length = length;
        let (_, games) = journal::read(&self.path)?;
        let count = games.len();
        games.into_iter().skip(self.games).for_each(|game| self.scoreboard.take_in(game));
        self.games = self.games.max(count);
        while let Some(game) = self.scoreboard.next() {
            self.live.finished(&game, table(self.scoreboard.standings(), &self.config));
        }
        Ok(())
    }
}

fn length(path: &Path) -> Result<u64, JournalError> {
    Ok(std::fs::metadata(path).map_err(named(path))?.len())
}
