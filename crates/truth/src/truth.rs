//! The values of positions and their moves, by tables that have all of them.

use millbrain_core::any::AnyGame;
use millbrain_core::game::Verdict;
use millbrain_core::game::value::Known;
use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

/// A move and its result.
pub struct Choice {
    pub text: String,
    /// The canonical key of the position after it.
    pub key: u64,
    /// The result for the side that makes it.
    pub result: Verdict,
}

/// A position with all its moves.
pub struct Position {
    /// The result for the side to move.
    pub value: Verdict,
    pub choices: Vec<Choice>,
}

impl Position {
    /// Returns the moves that preserve the value.
    pub fn keeping(&self) -> impl Iterator<Item = &Choice> {
        self.choices.iter().filter(|choice| choice.result == self.value)
    }

    /// Returns the result of a move, or `None` if it is not legal.
    pub fn result_of(&self, text: &str) -> Option<Verdict> {
        self.choices.iter().find(|choice| choice.text == text).map(|choice| choice.result)
    }

    /// Returns the losing moves, one of each set of symmetric moves, if the position is not lost.
    pub fn losing(&self) -> Vec<String> {
        let mut keys = std::collections::HashSet::new();
        let losing = self.choices.iter().filter(|choice| choice.result == Verdict::Loss && self.value != Verdict::Loss);
        losing.filter(|choice| keys.insert(choice.key)).map(|choice| choice.text.clone()).collect()
    }

    /// Counts its different moves, and those that preserve the value.
    pub fn counts(&self) -> Counts {
        let mut keys: Vec<(u64, bool)> =
            self.choices.iter().map(|choice| (choice.key, choice.result == self.value)).collect();
        keys.sort_unstable();
        keys.dedup();
        Counts { value: self.value, good: keys.iter().filter(|(_, good)| *good).count(), all: keys.len() }
    }
}

/// Counts of the different moves of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Counts {
    /// The result for the side to move.
    pub value: Verdict,
    /// Moves that preserve its value.
    pub good: usize,
    /// All moves.
    pub all: usize,
}

/// The number of counts that are cached.
const KEPT: usize = 1 << 22;

/// The cached counts of positions.
#[derive(Default)]
pub struct Truth {
    counts: RwLock<HashMap<u64, Counts>>,
}

/// Returns the result of the current position of a game, or `None` if the tables do not know it.
pub fn result(game: &AnyGame) -> Option<Verdict> {
    game.verdict().or_else(|| game.known().map(Known::verdict))
}

/// Returns the current position of a game, with its moves. Returns `None` if it has no moves, or the tables do not know
/// them.
pub fn position(game: &mut AnyGame) -> Option<Position> {
    let mut known: HashMap<u64, Verdict> = HashMap::new();
    let mut choices = Vec::new();
    for (text, key) in game.moves_by_key() {
        let result = match known.get(&key) {
            Some(&result) => result,
            None => {
                // Legal: it is one of the moves.
                let _ = game.push(&text);
                let after = result(game).map(Verdict::opposite);
                game.undo();
                after?
            }
        };
        known.insert(key, result);
        choices.push(Choice { text, key, result });
    }
    let value = choices.iter().map(|choice| choice.result).max_by_key(|&result| Known::Verdict(result).rank())?;
    Some(Position { value, choices })
}

impl Truth {
    /// Counts the moves of the current position of a game.
    pub fn counts(&self, game: &mut AnyGame) -> Option<Counts> {
        let key = game.canonical_key();
        let known = self.counts.read().unwrap_or_else(PoisonError::into_inner).get(&key).copied();
        known.or_else(|| {
            let counts = position(game)?.counts();
            let mut kept = self.counts.write().unwrap_or_else(PoisonError::into_inner);
            if kept.len() >= KEPT {
                kept.clear();
            }
            kept.insert(key, counts);
            Some(counts)
        })
    }
}
