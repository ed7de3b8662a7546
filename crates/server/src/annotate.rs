//! Annotation: the engine evaluates every position of a game in order, in turns with the searches of all sessions.

use super::archive::{self, Archive, ArchiveError, Task};
use super::{Queue, tablebase};
use millbrain_analysis::analyse_under;
use millbrain_analysis::marks::{Evaluation, annotated};
use millbrain_core::any::AnyGame;
use millbrain_core::search::hash::OutOfMemory;
use millbrain_core::search::{Control, HashTable, Limits};
use millbrain_games::record::GameRecord;
use millbrain_tablebase::probe::Library;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// Hash table of the annotator in MiB.
const HASH: usize = 16;
/// Interval at which the annotator checks for work without a notification, such as work from another process.
const LOOK: Duration = Duration::from_secs(60);

/// State shared by the worker and its clients.
struct Bell {
    archive: Arc<Archive>,
    tables: Arc<Library>,
    queue: Arc<Queue>,
    stopped: AtomicBool,
    control: Mutex<Arc<Control>>,
    rung: Mutex<bool>,
    ringing: Condvar,
}

/// The worker that annotates games. It resumes where the last worker stopped.
pub struct Annotator {
    bell: Arc<Bell>,
    worker: Option<JoinHandle<()>>,
}

impl Annotator {
    /// Starts to annotate the games waiting in the archive.
    ///
    /// # Errors
    /// When no thread can be started.
    pub fn start(archive: Arc<Archive>, tables: Arc<Library>, queue: Arc<Queue>) -> io::Result<Annotator> {
        let bell = Arc::new(Bell {
            archive,
            tables,
            queue,
            stopped: AtomicBool::new(false),
            control: Mutex::new(Arc::new(Control::new(false))),
            rung: Mutex::new(true),
            ringing: Condvar::new(),
        });
        let shared = Arc::clone(&bell);
        let worker = std::thread::Builder::new().name("annotator".to_string()).stack_size(8 << 20);
        let worker = worker.spawn(move || shared.run())?;
        Ok(Annotator { bell, worker: Some(worker) })
    }

    /// Notifies the worker of new work.
    pub fn ring(&self) {
        *self.bell.rung.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.bell.ringing.notify_all();
    }
}

impl Drop for Annotator {
    fn drop(&mut self) {
        self.bell.stopped.store(true, Ordering::Release);
        self.bell.control.lock().unwrap_or_else(PoisonError::into_inner).stop();
        self.ring();
        if let Some(worker) = self.worker.take() {
            let _ = worker.join();
        }
    }
}

/// Why a game is not annotated.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
enum AnnotateError {
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    #[error(transparent)]
    Memory(#[from] OutOfMemory),
    #[error(transparent)]
    Json(#[from] serde_json::Error),
}

impl Bell {
    fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Acquire)
    }

    fn run(&self) {
        while !self.is_stopped() {
            if let Err(error) = self.work_off() {
                log::warn!("annotations wait: {error}");
            }
            let rung = self.rung.lock().unwrap_or_else(PoisonError::into_inner);
            let wait = self.ringing.wait_timeout_while(rung, LOOK, |rung| !*rung);
            *wait.unwrap_or_else(PoisonError::into_inner).0 = false;
        }
    }

    /// Annotates games until none are left.
    fn work_off(&self) -> Result<(), AnnotateError> {
        let mut hash = None;
        while !self.is_stopped()
            && let Some(task) = self.archive.next_annotation()?
        {
            let hash = match &hash {
                Some(hash) => Arc::clone(hash),
                None => Arc::clone(hash.insert(Arc::new(HashTable::new(HASH)?))),
            };
            let Task { id, nodes, done, .. } = task;
            let record = archive::stored(&task.record);
            let positions = record.as_ref().and_then(|record| self.positions(record));
            let Some((record, positions)) = record.as_ref().zip(positions) else {
                log::warn!("{}", ArchiveError::Damaged(id));
                self.archive.finish_annotation(id, "[]")?;
                continue;
            };
            // Unreadable evaluations, such as another version's, are computed again.
            let done = done.iter().map_while(|text| serde_json::from_str(text).ok()).collect();
            self.annotate(id, nodes, record, &positions, done, &hash)?;
        }
        Ok(())
    }

    /// Returns all positions of a game, with the tablebases.
    fn positions(&self, record: &GameRecord) -> Option<Vec<AnyGame>> {
        let rules = record.rules().ok()?;
        let mut game = AnyGame::new(rules).at(Some(&record.fen), []).ok()?;
        game.set_oracle(tablebase::tables(&self.tables, &rules).oracle.as_ref());
        let mut positions = vec![game.clone()];
        for played in &record.moves {
            game.push(&played.text).ok()?;
            positions.push(game.clone());
        }
        Some(positions)
    }

    fn annotate(
        &self,
        id: i64,
        nodes: u64,
        record: &GameRecord,
        positions: &[AnyGame],
        mut done: Vec<Evaluation>,
        hash: &Arc<HashTable>,
    ) -> Result<(), AnnotateError> {
        for (ply, game) in positions.iter().enumerate().skip(done.len()) {
            let evaluation = match game.ending() {
                Some(ending) => Evaluation::over(ending.winner(game.side()), game.side()),
                None => self.evaluate(game, nodes, hash),
            };
            // The result of a stopped search is unreliable.
            if self.is_stopped() || !self.archive.add_evaluation(id, ply, &serde_json::to_string(&evaluation)?)? {
                return Ok(());
            }
            done.push(evaluation);
        }
        let moves = record.moves.iter().map(|played| played.text.as_str());
        let plies = serde_json::to_string(&annotated(moves, &done))?;
        Ok(self.archive.finish_annotation(id, &plies)?)
    }

    fn evaluate(&self, game: &AnyGame, nodes: u64, hash: &Arc<HashTable>) -> Evaluation {
        let control = Arc::new(Control::new(false));
        *self.control.lock().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&control);
        if self.is_stopped() {
            control.stop();
        }
        let limits = Limits { nodes: Some(nodes), ..Limits::default() };
        self.queue.run(&control, 1, || analyse_under(&control, game, &limits, 1, hash)).into()
    }
}
