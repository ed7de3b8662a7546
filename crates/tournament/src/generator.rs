//! Generates openings by random moves and evaluates them in parallel, with the same result for any number of threads.

use super::opening::{Opening, OpeningsError};
use millbrain_core::any::AnyGame;
use millbrain_core::search::{Control, HashTable, Limits, Request};
use std::collections::{BTreeMap, HashSet};
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, Builder, available_parallelism};
use std::time::Duration;

/// Nodes of the search that checks the balance of an opening.
pub(super) const NODES: u64 = 20_000;
/// Size of the hash table of that search in MiB.
const HASH_MIB: usize = 4;
/// Consecutive attempts without a new opening after which the generator gives up.
const MAX_ATTEMPTS: usize = 5_000;
/// Interval between progress reports and checks for an interrupt.
const POLL: Duration = Duration::from_millis(50);

/// The parameters of the generator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Recipe {
    /// Random plies of an opening.
    pub plies: u32,
    /// Maximum score for either side, in centistones.
    pub balance: u32,
    /// Seed of the random moves.
    pub seed: u64,
    /// Maximum number of openings.
    pub wanted: usize,
}

/// Random moves to a position that no earlier candidate has reached, up to symmetry.
struct Candidate {
    /// Number of the candidate, from 0.
    place: usize,
    /// The attempt that found it, from 1.
    attempt: usize,
    moves: Vec<String>,
    game: AnyGame,
}

/// The sequence of candidates. It depends only on the seed, not on the evaluation.
struct Candidates<'a> {
    start: &'a AnyGame,
    plies: u32,
    rng: fastrand::Rng,
    seen: HashSet<u64>,
    attempts: usize,
    /// The attempt that found the last candidate.
    last: usize,
    found: usize,
    stop: &'a AtomicBool,
}

impl Iterator for Candidates<'_> {
    type Item = Candidate;

    fn next(&mut self) -> Option<Candidate> {
        // Candidates beyond the maximum number of attempts could not count.
        while self.attempts - self.last < MAX_ATTEMPTS && !self.stop.load(Ordering::Relaxed) {
            self.attempts += 1;
            let mut game = self.start.clone();
            let mut moves = Vec::new();
            for _ in 0..self.plies {
                let Some(mv) = self.rng.choice(game.moves()) else { break };
                // Legal: it is one of the moves.
                let _ = game.push(&mv);
                moves.push(mv);
            }
            if game.ending().is_some() || !self.seen.insert(game.symmetric_key()) {
                continue;
            }
            let place = self.found;
            self.found += 1;
            self.last = self.attempts;
            return Some(Candidate { place, attempt: self.attempts, moves, game });
        }
        None
    }
}

/// A candidate evaluated by a search.
struct Judged {
    candidate: Candidate,
    is_balanced: bool,
}

/// Evaluates candidates until none are left or the receiver is gone.
fn judge(
    candidates: &Mutex<Candidates<'_>>,
    balance: u32,
    hash: &Arc<HashTable>,
    control: &Arc<Control>,
    judged: &Sender<Judged>,
) {
    loop {
        let next = candidates.lock().unwrap_or_else(PoisonError::into_inner).next();
        let Some(candidate) = next else { return };
        hash.clear();
        let limits = Limits { nodes: Some(NODES), ..Limits::default() };
        let answer = candidate.game.search(&Request::plain(&limits, hash, control), &mut |_| {});
        let is_balanced = answer.score.unsigned_abs() <= balance;
        // A stopped search has no result.
        if control.stopped() || judged.send(Judged { candidate, is_balanced }).is_err() {
            return;
        }
    }
}

/// Generates openings, no two alike up to symmetry, on all cores. `progress` gets their number many times a second.
///
/// # Errors
/// No memory, no thread, or an interrupt.
pub(super) fn generate(
    start: &AnyGame,
    recipe: &Recipe,
    interrupted: &AtomicBool,
    progress: &mut dyn FnMut(usize),
) -> Result<Vec<Opening>, OpeningsError> {
    let cores = available_parallelism().map_or(1, NonZeroUsize::get);
    generate_on(cores.min(recipe.wanted), start, recipe, interrupted, progress)
}

/// Works like [`generate`], on `threads` threads, or fewer if the system lacks resources.
fn generate_on(
    threads: usize,
    start: &AnyGame,
    recipe: &Recipe,
    interrupted: &AtomicBool,
    progress: &mut dyn FnMut(usize),
) -> Result<Vec<Opening>, OpeningsError> {
    let &Recipe { plies, balance, seed, wanted } = recipe;
    if wanted == 0 {
        return Ok(Vec::new());
    }
    let first = Arc::new(HashTable::new(HASH_MIB)?);
    let more: Vec<_> = (1..threads).map_while(|_| HashTable::new(HASH_MIB).ok()).map(Arc::new).collect();
    let control = Arc::new(Control::new(false));
    let candidates = Mutex::new(Candidates {
        start,
        plies,
        rng: fastrand::Rng::with_seed(seed),
        seen: HashSet::new(),
        attempts: 0,
        last: 0,
        found: 0,
        stop: control.stop_flag(),
    });
    thread::scope(|scope| {
        let (sender, judged) = channel();
        let start_judge = |hash| {
            let (candidates, control, sender) = (&candidates, &control, sender.clone());
            let thread = Builder::new().name("openings".to_string());
            thread.spawn_scoped(scope, move || judge(candidates, balance, hash, control, &sender)).map(drop)
        };
        start_judge(&first).map_err(OpeningsError::Thread)?;
        // A single thread is sufficient.
        let _ = more.iter().try_for_each(start_judge);
        drop(sender);
        let openings = choose(&judged, wanted, interrupted, progress);
        control.stop();
        openings
    })
}

/// Takes the balanced candidates in order, until there are enough or none are left.
fn choose(
    judged: &Receiver<Judged>,
    wanted: usize,
    interrupted: &AtomicBool,
    progress: &mut dyn FnMut(usize),
) -> Result<Vec<Opening>, OpeningsError> {
    let mut openings = Vec::new();
    // Candidates that wait for an earlier one.
    let mut waiting = BTreeMap::new();
    let (mut place, mut last) = (0, 0);
    loop {
        if interrupted.load(Ordering::Relaxed) {
            return Err(OpeningsError::Interrupted { made: openings.len(), wanted });
        }
        progress(openings.len());
        match judged.recv_timeout(POLL) {
            Err(RecvTimeoutError::Timeout) => continue,
            Err(RecvTimeoutError::Disconnected) => return Ok(openings),
            Ok(judged) => waiting.insert(judged.candidate.place, judged),
        };
        while let Some(Judged { candidate, is_balanced }) = waiting.remove(&place) {
            place += 1;
            if candidate.attempt - last > MAX_ATTEMPTS {
                return Ok(openings);
            }
            if is_balanced {
                last = candidate.attempt;
                openings.push(Opening { fen: None, moves: candidate.moves });
                if openings.len() == wanted {
                    return Ok(openings);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use millbrain_core::variant::Variant;

    static NO_STOP: AtomicBool = AtomicBool::new(false);

    fn lines(openings: Vec<Opening>) -> Vec<String> {
        openings.into_iter().map(|opening| opening.moves.join(" ")).collect()
    }

    /// Generates on one thread and on three.
    fn made(variant: Variant, recipe: Recipe) -> Vec<String> {
        let start = AnyGame::new(variant.rules());
        let on = |threads| lines(generate_on(threads, &start, &recipe, &NO_STOP, &mut |_| {}).expect("openings"));
        let alone = on(1);
        assert_eq!(on(3), alone, "whatever the number of threads");
        alone
    }

    /// Resumed, repeated and sharded matches rely on it.
    #[test]
    fn openings_depend_on_the_seed_alone() {
        let recipe = Recipe { plies: 5, balance: 15, seed: 9, wanted: 6 };
        let morris = [
            "e5 d1 b4 b6 a4",
            "a1 b2 f4 d5 d3",
            "d2 b2 e3 d1 a7",
            "f6 c3 g4 d5 d7",
            "f4 g7 c3 g4 d1",
            "e3 g7 d1 c4 d6",
        ];
        assert_eq!(made(Variant::Morris, recipe), morris);
        let smess = [
            "f2f3 e7e6 e2f2 c7c6 f3e3",
            "c2c3 b8a8 b2c2 f7f6 f2g1",
            "f2f3 d7d6 f1g1 f8g8 a2a3",
            "g2g1 b7b6 d2d3 f7f6 a2a3",
            "a2a3 b7b6 a3b3 f8g8 b3c3",
            "f2g1 b7b6 e2f2 b6b5 f2f3",
        ];
        assert_eq!(made(Variant::Smess, recipe), smess);
        assert_ne!(made(Variant::Smess, Recipe { seed: 1, ..recipe }), smess);
    }

    #[test]
    fn attempts_end_where_there_are_no_more() {
        // Up to symmetry there are only four first placements, and none of them wins.
        let few = Recipe { plies: 1, balance: 1_000, seed: 9, wanted: 40 };
        assert_eq!(made(Variant::Mylos, few), ["b4", "a7", "a4", "b6"]);
        assert_eq!(made(Variant::Mylos, Recipe { wanted: 0, ..few }), [""; 0]);
        // There are more candidates than attempts, none of them balanced.
        let start = AnyGame::new(Variant::Smess.rules());
        let (sender, judged) = channel();
        for place in 0..=MAX_ATTEMPTS {
            let candidate = Candidate { place, attempt: place + 1, moves: Vec::new(), game: start.clone() };
            sender.send(Judged { candidate, is_balanced: place == MAX_ATTEMPTS }).expect("a receiver");
        }
        assert_eq!(choose(&judged, 1, &NO_STOP, &mut |_| {}).expect("no fault"), []);
    }

    /// Exactly the maximum number of attempts after the last opening may find another.
    #[test]
    fn attempts_count_from_the_last_opening() {
        let start = AnyGame::new(Variant::Smess.rules());
        let (sender, judged) = channel();
        for (place, attempt) in [5, MAX_ATTEMPTS + 5, 2 * MAX_ATTEMPTS + 6].into_iter().enumerate() {
            let candidate = Candidate { place, attempt, moves: vec![place.to_string()], game: start.clone() };
            sender.send(Judged { candidate, is_balanced: true }).expect("a receiver");
        }
        assert_eq!(lines(choose(&judged, 3, &NO_STOP, &mut |_| {}).expect("no fault")), ["0", "1"]);
    }

    #[test]
    fn the_order_is_that_of_the_candidates() {
        let start = AnyGame::new(Variant::Smess.rules());
        let (sender, judged) = channel();
        for (place, is_balanced) in [(2, true), (1, true), (3, true), (0, false)] {
            let candidate =
                Candidate { place, attempt: place + 1, moves: vec![place.to_string()], game: start.clone() };
            sender.send(Judged { candidate, is_balanced }).expect("a receiver");
        }
        let mut reported = Vec::new();
        let chosen = choose(&judged, 2, &NO_STOP, &mut |made| reported.push(made)).expect("no fault");
        assert_eq!(lines(chosen), ["1", "2"]);
        assert_eq!(reported, [0; 4], "all of them wait for the first");
    }

    #[test]
    fn an_interrupt_ends_the_making_and_its_searches() {
        let start = AnyGame::new(Variant::Morris.rules());
        let recipe = Recipe { plies: 8, balance: 20, seed: 1, wanted: usize::MAX };
        let interrupted = AtomicBool::new(false);
        let mut reported = Vec::new();
        let error = generate_on(2, &start, &recipe, &interrupted, &mut |made| {
            reported.push(made);
            interrupted.store(made >= 2, Ordering::Relaxed);
        })
        .expect_err("an interrupt");
        let made = *reported.last().expect("progress");
        assert!(made >= 2 && reported.is_sorted() && reported[0] == 0, "{reported:?}");
        assert!(matches!(error, OpeningsError::Interrupted { wanted: usize::MAX, .. }), "{error}");
    }
}
