//! Watches the journal of a match that is played by another process: its finished games and standings.

use super::live::{Live, table};
use crate::files::{open_regular, whole_lines};
use crate::tournament::journal::{LineError, MatchConfig, read_journal};
use crate::tournament::record::GameRecord;
use crate::tournament::standings::Standings;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// How often the journal is looked at.
const LOOK: Duration = Duration::from_millis(500);

/// Why a journal cannot be watched.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WatchError {
    /// It cannot be read.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// It is no journal.
    #[error("{}:{source}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: LineError,
    },
    /// There is no thread for it.
    #[error("no thread to watch the journal with ({0}), expected a less busy system")]
    Thread(#[source] io::Error),
}

/// Watches a journal until it is dropped.
pub struct Watcher {
    stop: Option<SyncSender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Watcher {
    /// Begins to watch a journal; its games so far are told at once.
    ///
    /// # Errors
    /// A file that is no journal.
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

/// What has been seen of a journal.
struct Seen {
    path: PathBuf,
    live: Arc<Live>,
    config: MatchConfig,
    standings: Standings,
    /// Bytes of the file when it was last read.
    length: u64,
    /// Games that have been told.
    games: usize,
}

impl Seen {
    fn begin(path: &Path) -> Result<Seen, WatchError> {
        let (config, _) = read(path)?;
        let names = config.engines.iter().map(|engine| engine.name.clone()).collect();
        let standings = Standings::new(config.schedule.clone(), names);
        let live = Live::new(&config, &[]);
        let mut seen = Seen { path: path.to_path_buf(), live, config, standings, length: 0, games: 0 };
        seen.look()?;
        Ok(seen)
    }

    fn look(&mut self) -> Result<(), WatchError> {
        let failed = |source| WatchError::File { path: self.path.clone(), source };
        let length = std::fs::metadata(&self.path).map_err(failed)?.len();
        if length == self.length {
            return Ok(());
        }
        // A faulty file is told of once.
        self.length = length;
        let (_, games) = read(&self.path)?;
        for game in games.iter().skip(self.games) {
            self.standings.add(game);
            self.live.finished(game, table(&self.standings, &self.config));
        }
        self.games = self.games.max(games.len());
        Ok(())
    }
}

fn read(path: &Path) -> Result<(MatchConfig, Vec<GameRecord>), WatchError> {
    let failed = |source| WatchError::File { path: path.to_path_buf(), source };
    let file = open_regular(path).map_err(failed)?;
    let (lines, _) = whole_lines(&file).map_err(failed)?;
    read_journal(&lines).map_err(|source| WatchError::Line { path: path.to_path_buf(), source })
}
