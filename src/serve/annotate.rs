//! Annotation: the engine looks at every position of a game, one after the other, behind everything else.

use super::archive::{self, Archive, ArchiveError, Task};
use crate::analysis::{self, Analysis, Score};
use crate::any::AnyGame;
use crate::game::Side;
use crate::search::hash::OutOfMemory;
use crate::search::{Control, HashTable, Limits};
use crate::tablebase::{self, Sources};
use crate::tournament::record::GameRecord;
use serde::{Deserialize, Serialize};
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// Hash table of the annotator in MiB.
const HASH: usize = 16;
/// How often it looks for work that nobody has told it of, such as that of another process.
const LOOK: Duration = Duration::from_secs(60);
/// Losses in centistones count up to this: a lost win is not made worse by a mate.
const MOST: i32 = 1_000;

/// Losses of the expected score, in permille, from which a move is marked.
const MARKS: [(i32, &str); 3] = [(200, "??"), (100, "?"), (50, "?!")];

/// In centistones, wins and losses at the ends of what counts.
fn centistones(score: Score) -> i32 {
    match score {
        Score::Cp(score) => score.clamp(-MOST, MOST),
        Score::Mate(moves) if moves > 0 => MOST,
        Score::Mate(_) => -MOST,
    }
}

/// What the engine says of a position.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Evaluation {
    best: Option<String>,
    score: Score,
    wdl: [u32; 3],
    pv: Vec<String>,
}

impl Evaluation {
    fn of(analysis: Analysis) -> Evaluation {
        Evaluation {
            best: analysis.best_move,
            score: analysis.best.score,
            wdl: analysis.best.wdl,
            pv: analysis.best.pv,
        }
    }

    /// Of a game that is over, from the side to move.
    fn over(winner: Option<Side>, side: Side) -> Evaluation {
        let (score, wdl) = match winner {
            None => (Score::Cp(0), [0, 1000, 0]),
            Some(winner) if winner == side => (Score::Mate(0), [1000, 0, 0]),
            Some(_) => (Score::Mate(0), [0, 0, 1000]),
        };
        Evaluation { best: None, score, wdl, pv: Vec::new() }
    }

    /// Expected score of the side to move, in permille.
    const fn expected(&self) -> i32 {
        let [win, draw, _] = self.wdl;
        (win + draw / 2) as i32
    }

    /// In centistones; a game that is over has a mate of 0 for whoever has won.
    fn centistones(&self) -> i32 {
        match self.wdl {
            [1000, 0, 0] => MOST,
            [0, 0, 1000] => -MOST,
            _ => centistones(self.score),
        }
    }
}

/// A move with its mark.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
struct Annotated<'a> {
    ply: usize,
    played: &'a str,
    best: Option<&'a str>,
    score: Score,
    loss: i32,
    mark: &'static str,
    pv: &'a [String],
}

/// The moves of a game with their marks; there is an evaluation for each position, the last one included.
fn annotated<'a>(game: &'a GameRecord, evaluations: &'a [Evaluation]) -> Vec<Annotated<'a>> {
    let pairs = evaluations.iter().zip(evaluations.iter().skip(1));
    let plies = game.moves.iter().zip(pairs).enumerate();
    let annotated = plies.map(|(i, (played, (before, after)))| {
        let played = played.text.as_str();
        // Another search of the same move finds another score: what was best has lost nothing.
        let is_best = before.best.as_deref() == Some(played);
        let lost = |before: i32, after: i32| if is_best { 0 } else { (before - after).max(0) };
        let chance = lost(before.expected(), 1000 - after.expected());
        let mark = MARKS.iter().find(|(least, _)| chance >= *least).map_or("", |(_, mark)| mark);
        Annotated {
            ply: i + 1,
            played,
            best: before.best.as_deref(),
            score: before.score,
            loss: lost(before.centistones(), -after.centistones()),
            mark,
            pv: &before.pv,
        }
    });
    annotated.collect()
}

/// What the worker shares with those who have work for it.
struct Bell {
    archive: Arc<Archive>,
    sources: Sources,
    stopped: AtomicBool,
    control: Mutex<Arc<Control>>,
    rung: Mutex<bool>,
    ringing: Condvar,
}

/// The worker that annotates games. It goes on where the last one stopped.
pub struct Annotator {
    bell: Arc<Bell>,
    worker: Option<JoinHandle<()>>,
}

impl Annotator {
    /// Begins to work off what the archive has.
    ///
    /// # Errors
    /// When there is no thread.
    pub fn start(archive: Arc<Archive>, sources: Sources) -> io::Result<Annotator> {
        let bell = Arc::new(Bell {
            archive,
            sources,
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

    /// There is work.
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
    #[error("{0}")]
    Archive(#[from] ArchiveError),
    #[error("{0}")]
    Memory(#[from] OutOfMemory),
    #[error("{0}")]
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

    /// Annotates games until there are none.
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
            // What cannot be read, perhaps another version's, is evaluated again.
            let done = done.iter().map_while(|text| serde_json::from_str(text).ok()).collect();
            self.annotate(id, nodes, record, &positions, done, &hash)?;
        }
        Ok(())
    }

    /// All positions of a game, the tablebases at hand.
    fn positions(&self, record: &GameRecord) -> Option<Vec<AnyGame>> {
        let rules = record.rules().ok()?;
        let mut game = AnyGame::new(rules).at(Some(&record.fen), []).ok()?;
        game.set_oracle(tablebase::open(&rules, &self.sources).oracle.as_ref());
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
            // A search that was stopped says little.
            if self.is_stopped() || !self.archive.add_evaluation(id, ply, &serde_json::to_string(&evaluation)?)? {
                return Ok(());
            }
            done.push(evaluation);
        }
        let plies = serde_json::to_string(&annotated(record, &done))?;
        Ok(self.archive.finish_annotation(id, &plies)?)
    }

    fn evaluate(&self, game: &AnyGame, nodes: u64, hash: &Arc<HashTable>) -> Evaluation {
        let control = Arc::new(Control::new(false));
        *self.control.lock().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&control);
        if self.is_stopped() {
            control.stop();
        }
        let limits = Limits { nodes: Some(nodes), ..Limits::default() };
        Evaluation::of(analysis::analyse_under(&control, game, &limits, 1, hash))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tournament::record::{MoveRecord, Outcome, Termination};

    fn evaluation(best: &str, score: i32) -> Evaluation {
        let wdl = crate::search::score::wdl(score);
        Evaluation { best: Some(best.to_string()), score: Score::Cp(score), wdl, pv: vec![best.to_string()] }
    }

    fn game(moves: &[&str]) -> GameRecord {
        let played = |text: &&str| MoveRecord { text: text.to_string(), ..MoveRecord::default() };
        GameRecord {
            index: 0,
            round: 1,
            white: "A".to_string(),
            black: "B".to_string(),
            variant: "morris".to_string(),
            house_rules: String::new(),
            thinking: ["-".to_string(), "-".to_string()],
            fen: "3/3/3/6/3/3/3 w 9 9 0 1".to_string(),
            moves: moves.iter().map(played).collect(),
            late_move: None,
            outcome: Outcome::Draw,
            termination: Termination::Adjudication,
            reason: "agreed".to_string(),
        }
    }

    #[test]
    fn marks_go_by_the_chances_lost() {
        let game = game(&["d6", "f4", "d2", "b4", "a1"]);
        let evaluations = [
            evaluation("d6", 20),
            // What was played was best, whatever the next search says.
            evaluation("f2", 40),
            // Black stood at +40 and stands at -60.
            evaluation("d2", 60),
            evaluation("b4", -500),
            evaluation("a4", 500),
            Evaluation::over(Some(Side::Black), Side::Black),
        ];
        let annotated = annotated(&game, &evaluations);
        let marks: Vec<_> = annotated.iter().map(|ply| (ply.ply, ply.loss, ply.mark)).collect();
        assert_eq!(marks, [(1, 0, ""), (2, 100, "?"), (3, 0, ""), (4, 0, ""), (5, 1_500, "??")]);
        let json = serde_json::to_string(&annotated[1]).expect("data");
        let told = r#"{"ply":2,"played":"f4","best":"f2","score":{"cp":40},"loss":100,"mark":"?","pv":["f2"]}"#;
        assert_eq!(json, told);
    }

    #[test]
    fn games_that_are_over_count_fully() {
        assert_eq!(Evaluation::over(Some(Side::White), Side::Black).centistones(), -MOST);
        assert_eq!(Evaluation::over(Some(Side::White), Side::White).expected(), 1000);
        assert_eq!(Evaluation::over(None, Side::White).expected(), 500);
        assert_eq!(centistones(Score::Mate(-3)), -MOST);
        let kept = serde_json::to_string(&evaluation("d6", 7)).expect("data");
        assert_eq!(serde_json::from_str::<Evaluation>(&kept).expect("data"), evaluation("d6", 7));
    }
}
