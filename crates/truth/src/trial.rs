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

/// The number of random openings to try until one has the value of the start.
const ATTEMPTS: usize = 1_000;

/// The settings of a trial: the engine and the tables.
#[derive(Clone)]
pub struct Trial {
    /// The rules.
    pub rules: NamedRules,
    /// The values of all positions.
    pub truth: AnyOracle,
    /// The engine's own tables: those that are part of the program, a pack.
    pub engine: Option<AnyOracle>,
    /// Nodes of each search.
    pub nodes: u64,
    /// Hash table of each search in MiB.
    pub hash_mib: usize,
    /// Plies of random openings; 0 for the start position.
    pub openings: usize,
    /// Seed of all random choices.
    pub seed: u64,
    /// Threads, from 1; the results are the same for any number.
    pub threads: usize,
}

/// The reason why a trial cannot begin or continue.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrialError {
    /// There is no memory, threads cannot be started, or the tables are for other rules.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// Tables are missing.
    #[error("the tables do not know the start of {0}, expected those of 'tablebase build --sectors game'")]
    Start(NamedRules),
    /// The finds cannot be stored.
    #[error(transparent)]
    Finds(#[from] FindsError),
}

/// Receives new finds and the current state; an error that it returns ends the trial.
pub type Watch<'a, T> = dyn FnMut(&[Find], &T) -> Result<(), TrialError> + 'a;

/// A trial that has begun.
pub struct Court {
    /// The start, with the oracle of all values.
    pub judge: AnyGame,
    /// The start, with the engine's own tables.
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
    /// Returns the move that the engine chooses.
    pub fn choose(&self, game: &AnyGame, hash: &Arc<HashTable>) -> Option<String> {
        let limits = Limits { nodes: Some(self.nodes), ..Limits::default() };
        let control = Arc::new(Control::new(false));
        game.search(&Request::plain(&limits, hash, &control), &mut |_| {}).best
    }

    /// Returns a find, if the engine's move loses value in the current position of the judge's game.
    pub fn find(&self, game: &AnyGame, position: &truth::Position, chosen: &str) -> Option<Find> {
        Find::of(game.fen(), position, chosen, self.nodes)
    }

    /// Returns random moves from the start that preserve its value; none if there are none.
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
