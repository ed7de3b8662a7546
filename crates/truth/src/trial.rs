//! The engine on trial and the tables that judge it.

use super::finds::{Find, FindsError};
use super::hash_tables::HashTables;
use super::setup::{Setup, SetupError};
use super::truth::{self, Truth};
use millbrain_core::any::{AnyGame, AnyOracle};
use millbrain_core::search::{Control, HashTable, Limits, Request};
use millbrain_core::variant::NamedRules;
use rayon::ThreadPool;
use std::sync::Arc;

/// Openings that are drawn at random until one has the value of the start.
const ATTEMPTS: usize = 1_000;

/// Who is on trial, and who knows the truth.
#[derive(Clone)]
pub struct Trial {
    /// The rules.
    pub rules: NamedRules,
    /// The values of all positions.
    pub truth: AnyOracle,
    /// What the engine knows: the tables that are part of the program, a pack.
    pub engine: Option<AnyOracle>,
    /// Nodes of each search.
    pub nodes: u64,
    /// Hash table of each search in MiB.
    pub hash_mib: usize,
    /// Plies of random openings; 0 for the start position.
    pub openings: usize,
    /// Seed of whatever is drawn.
    pub seed: u64,
    /// Threads, from 1; the results are the same for any number.
    pub threads: usize,
}

/// Why nothing is tried.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrialError {
    /// No memory, no threads, or tables for other rules.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// Tables are missing.
    #[error("the tables do not know the start of {0}, expected those of 'tablebase build --sectors game'")]
    Start(NamedRules),
    /// The finds cannot be kept.
    #[error(transparent)]
    Finds(#[from] FindsError),
}

/// Is told of finds as they are made, and how things stand; a fault that it returns ends the trial.
pub type Watch<'a, T> = dyn FnMut(&[Find], &T) -> Result<(), TrialError> + 'a;

/// A trial that has begun.
pub struct Court {
    /// The start, with an oracle that knows all.
    pub judge: AnyGame,
    /// The start, with what the engine knows.
    pub engine: AnyGame,
    pub truth: Truth,
    pub hash_tables: HashTables,
    pub pool: ThreadPool,
    nodes: u64,
}

impl Trial {
    /// Prepares a trial.
    pub(crate) fn begin(&self) -> Result<Court, TrialError> {
        let setup = Setup::new(self.rules, Some(&self.truth), self.threads, self.hash_mib)?;
        let Setup { pool, start: mut judge, hash_tables } = setup;
        if truth::position(&mut judge).is_none() {
            return Err(TrialError::Start(self.rules));
        }
        let mut engine = AnyGame::new(self.rules.rules);
        engine.set_oracle(self.engine.as_ref());
        engine.prepare();
        Ok(Court { judge, engine, truth: Truth::default(), hash_tables, pool, nodes: self.nodes })
    }
}

impl Court {
    /// The move that the engine chooses.
    pub fn choose(&self, game: &AnyGame, hash: &Arc<HashTable>) -> Option<String> {
        let limits = Limits { nodes: Some(self.nodes), ..Limits::default() };
        let control = Arc::new(Control::new(false));
        game.search(&Request::plain(&limits, hash, &control), &mut |_| {}).best
    }

    /// A find, if the engine's move loses value where the judge's game has come to.
    pub fn find(&self, game: &AnyGame, position: &truth::Position, chosen: &str) -> Option<Find> {
        Find::of(game.fen(), position, chosen, self.nodes)
    }

    /// Random moves from the start, so many that the value is that of the start after them; none if there are none.
    pub fn opening(&self, plies: usize, rng: &mut fastrand::Rng) -> Vec<String> {
        let expected =
            truth::result(&self.judge).map(|value| if plies.is_multiple_of(2) { value } else { value.opposite() });
        for _ in 0..ATTEMPTS {
            let mut game = self.judge.clone();
            let mut moves = Vec::new();
            while moves.len() < plies && game.ending().is_none() {
                let Some(mv) = rng.choice(game.moves()) else { break };
                // Legal: it is one of the moves.
                let _ = game.push(&mv);
                moves.push(mv);
            }
            if game.ending().is_none() && truth::result(&game) == expected {
                return moves;
            }
        }
        Vec::new()
    }
}
