//! An adversary with all tables that searches for positions in which the engine errs.
//!
//! It maintains a frontier of positions with the engine to move that have the value of the start. From each one that it
//! tries, it continues with every reply to the engine's move that preserves the value. So it branches wherever it can.
//! The frontier is sorted into classes by stones in hand, number of the engine's good moves, and whether the engine has
//! just erred. The adversary learns in which classes the engine errs, and takes most positions from these.

use super::finds::{Find, Lost};
use super::trial::{Court, Trial, TrialError, Watch};
use super::truth::{self, Counts};
use millbrain_core::any::AnyGame;
use millbrain_core::game::Verdict;
use millbrain_core::search::HashTable;
use rayon::prelude::*;
use serde::Serialize;
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

/// The number of positions that are tried together, before their results are used.
const BATCH: usize = 96;
/// The most positions of a class that are tried together.
const OF_A_CLASS: usize = 12;
/// The most positions of a class that are stored; further ones replace others at random.
const KEPT: usize = 100_000;
/// The number of good moves from which positions are not distinguished.
const MANY: usize = 8;
/// The number of positions to try per random opening.
const PER_OPENING: usize = 100;

/// A class of positions: stones in hand, good moves, and whether the engine has just erred.
type Class = (u32, usize, bool);

/// The trials of a class, and the positions to try.
#[derive(Default)]
struct Pile {
    tried: usize,
    finds: usize,
    fens: Vec<String>,
}

impl Pile {
    /// Returns the estimated share of finds, which is one in ten until more is known.
    fn promise(&self) -> f64 {
        (self.finds as f64 + 1.0) / (self.tried as f64 + 10.0)
    }
}

/// The state of a hunt.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Hunted {
    /// Number of positions that the engine has searched.
    pub positions: usize,
    /// Number of those in which a move loses value.
    pub open: usize,
    /// Positions in which the engine has lost value.
    #[serde(flatten)]
    pub finds: Lost,
    /// The finds by the stones in hand of both sides.
    pub by_hand: BTreeMap<u32, usize>,
}

impl Hunted {
    /// Returns the finds per million positions.
    pub fn per_million(&self) -> f64 {
        self.finds.all() as f64 * 1e6 / self.positions.max(1) as f64
    }
}

/// The result of trying a position.
struct Tried {
    class: Class,
    is_open: bool,
    find: Option<Find>,
    /// Positions to try next, with their keys and classes.
    next: Vec<(u64, Class, String)>,
}

/// The waiting positions, and all that ever were.
#[derive(Default)]
struct Frontier {
    piles: BTreeMap<Class, Pile>,
    seen: HashSet<u64>,
}

impl Frontier {
    fn add(&mut self, next: Vec<(u64, Class, String)>, rng: &mut fastrand::Rng) {
        for (key, class, fen) in next {
            if self.seen.insert(key) {
                let pile = self.piles.entry(class).or_default();
                if pile.fens.len() >= KEPT {
                    pile.fens.swap_remove(rng.usize(..KEPT));
                }
                pile.fens.push(fen);
            }
        }
    }

    /// Takes positions to try, at most `count`, from the most promising classes first.
    fn take(&mut self, count: usize, rng: &mut fastrand::Rng) -> Vec<(Class, String)> {
        let mut piles: Vec<(&Class, &mut Pile)> =
            self.piles.iter_mut().filter(|(_, pile)| !pile.fens.is_empty()).collect();
        piles.sort_by(|(_, a), (_, b)| b.promise().total_cmp(&a.promise()));
        let mut taken = Vec::new();
        for (class, pile) in piles {
            let room = OF_A_CLASS.min(count - taken.len()).min(pile.fens.len());
            taken.extend((0..room).map(|_| (*class, pile.fens.swap_remove(rng.usize(..pile.fens.len())))));
        }
        taken
    }
}

/// Lets the adversary try a number of positions. Equal requests have equal results on any number of threads. It begins
/// at the `known` finds, and at the start or random openings.
///
/// # Errors
/// Fails if there is no memory, threads cannot be started, or the tables do not know the start. Fails with errors of
/// `progress`, too.
pub fn hunt(
    trial: &Trial,
    positions: usize,
    known: &[Find],
    progress: &mut Watch<'_, Hunted>,
) -> Result<Hunted, TrialError> {
    let court = trial.begin()?;
    let mut rng = fastrand::Rng::with_seed(trial.seed);
    let mut frontier = Frontier::default();
    let openings = if trial.openings == 0 { 1 } else { positions.div_ceil(PER_OPENING) };
    let openings: Vec<Vec<String>> = (0..openings).map(|_| court.opening(trial.openings, &mut rng)).collect();
    let begun = court.pool.install(|| {
        let from_opening = |moves: &Vec<String>| court.judge.at(None, moves.iter().map(String::as_str)).ok();
        let openings = openings.par_iter().filter_map(from_opening).flat_map_iter(|game| court.begun(&game, false));
        let again = |find: &Find| court.judge.at(Some(&find.fen), []).ok();
        let known = known.par_iter().filter_map(again).flat_map_iter(|mut game| court.candidate(&mut game, true));
        openings.chain(known).collect::<Vec<_>>()
    });
    frontier.add(begun, &mut rng);
    let mut hunted = Hunted::default();
    while hunted.positions < positions {
        let taken = frontier.take(BATCH.min(positions - hunted.positions), &mut rng);
        if taken.is_empty() {
            break;
        }
        let seen = &frontier.seen;
        let look = |(class, fen): &(Class, String)| {
            court.hash_tables.lend(|hash| {
                hash.clear();
                court.attempt(*class, fen, hash, seen)
            })
        };
        let tried: Vec<Tried> = court.pool.install(|| taken.par_iter().with_max_len(1).filter_map(look).collect());
        let mut finds = Vec::new();
        hunted.positions += taken.len();
        for Tried { class, is_open, find, next } in tried {
            let pile = frontier.piles.entry(class).or_default();
            pile.tried += 1;
            pile.finds += usize::from(find.is_some());
            hunted.open += usize::from(is_open);
            if let Some(find) = find {
                hunted.finds.add(&find);
                *hunted.by_hand.entry(class.0).or_default() += 1;
                finds.push(find);
            }
            frontier.add(next, &mut rng);
        }
        progress(&finds, &hunted)?;
    }
    Ok(hunted)
}

impl Court {
    /// Returns a position with the engine to move as a candidate, or `None` if there is nothing to lose, or its moves
    /// are unknown.
    fn candidate(&self, game: &mut AnyGame, after_find: bool) -> Option<(u64, Class, String)> {
        if game.ending().is_some() {
            return None;
        }
        let Counts { value, good, .. } = self.truth.counts(game)?;
        if value == Verdict::Loss {
            return None;
        }
        let in_hand = game.hands().map_or(0, |hands| hands.iter().sum());
        Some((game.canonical_key(), (in_hand, good.min(MANY), after_find), game.fen()))
    }

    /// Returns the position of a game with the engine to move, and those after the moves of the adversary that preserve
    /// the value.
    fn begun(&self, game: &AnyGame, after_find: bool) -> Vec<(u64, Class, String)> {
        let mut next = self.replies(game, after_find, &HashSet::new());
        next.extend(self.candidate(&mut game.clone(), after_find));
        next
    }

    /// Returns the new positions after the moves of the adversary that preserve the value.
    fn replies(&self, game: &AnyGame, after_find: bool, seen: &HashSet<u64>) -> Vec<(u64, Class, String)> {
        let mut game = game.clone();
        if game.ending().is_some() {
            return Vec::new();
        }
        let Some(position) = truth::position(&mut game) else { return Vec::new() };
        let mut next = Vec::new();
        let mut keys = HashSet::new();
        for choice in position.keeping().filter(|choice| !seen.contains(&choice.key)) {
            if keys.insert(choice.key) {
                // Legal: it is one of the moves.
                let _ = game.push(&choice.text);
                next.extend(self.candidate(&mut game, after_find));
                game.undo();
            }
        }
        next
    }

    /// Lets the engine search a position.
    fn attempt(&self, class: Class, fen: &str, hash: &Arc<HashTable>, seen: &HashSet<u64>) -> Option<Tried> {
        let mut game = self.judge.at(Some(fen), []).ok()?;
        let position = truth::position(&mut game)?;
        let chosen = self.choose(&self.engine.at(Some(fen), []).ok()?, hash)?;
        let find = self.find(&game, &position, &chosen);
        // After a find the engine may later choose one of the other moves.
        let good = position.keeping().map(|choice| &choice.text);
        let moves: Vec<&String> = if find.is_some() { good.collect() } else { vec![&chosen] };
        let mut next = Vec::new();
        for mv in moves {
            if game.push(mv).is_ok() {
                next.extend(self.replies(&game, find.is_some(), seen));
                game.undo();
            }
        }
        let is_open = position.keeping().count() < position.choices.len();
        Some(Tried { class, is_open, find, next })
    }
}
