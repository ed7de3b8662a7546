//! The common setup of games that are played in parallel.

use super::hash_tables::HashTables;
use millbrain_core::any::{AnyGame, AnyOracle};
use millbrain_core::search::hash::OutOfMemory;
use millbrain_core::threads::{self, NoThreads};
use millbrain_core::variant::NamedRules;
use rayon::ThreadPool;

/// The reason why no game can begin.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SetupError {
    /// There is no memory for the tables of the searches.
    #[error(transparent)]
    Memory(#[from] OutOfMemory),
    /// The threads cannot be started.
    #[error(transparent)]
    Threads(#[from] NoThreads),
    /// The tables are for other rules.
    #[error("the tables know nothing of {0}, expected tables of its family")]
    Family(NamedRules),
}

/// Threads, the start of the games with its tables, and a hash table for each thread.
pub struct Setup {
    pub pool: ThreadPool,
    pub start: AnyGame,
    pub hash_tables: HashTables,
}

impl Setup {
    /// Creates the setup for `threads` threads, with hash tables of `mib` MiB.
    pub fn new(
        rules: NamedRules,
        oracle: Option<&AnyOracle>,
        threads: usize,
        hash_mib: usize,
    ) -> Result<Setup, SetupError> {
        let pool = threads::pool(threads)?;
        let mut start = AnyGame::new(rules.rules);
        if !start.set_oracle(oracle) {
            return Err(SetupError::Family(rules));
        }
        Ok(Setup { pool, start, hash_tables: HashTables::new(threads, hash_mib)? })
    }
}
