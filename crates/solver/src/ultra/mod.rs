//! The solver of ultra-strong values, which [`millbrain_tablebase::ultra`] explains.

pub(crate) mod built;
pub(crate) mod ranks;
#[cfg(test)]
mod tests;

use crate::prospects::Prospects;
use crate::solve::{Unsolved, Watcher};
use millbrain_files::InFile;
use millbrain_tablebase::Sector;
use millbrain_tablebase::format::Fault;

/// The input of the solver.
pub(crate) trait Grounds: Sync {
    /// Returns the rank of a sector.
    fn rank(&self, sector: Sector) -> i32;

    /// Returns the results of a sector by slot: 0 loss, 1 draw, 2 win.
    fn results(&self, sector: Sector) -> Result<Vec<u8>, InFile<Fault>>;

    /// Returns the score of a move to each slot of a finished sector: a number around
    /// [`EVEN`](crate::prospects::EVEN), or [`LOSING`](crate::prospects::LOSING).
    fn moves_to(&self, sector: Sector) -> Result<Vec<u8>, Unsolved>;
}

/// Endings whose ultra-strong values can be solved.
pub(crate) trait UltraSolver: Sync {
    /// Solves a pair without stones in hand. Returns the values of the sector in which the side to move has no fewer
    /// stones.
    fn solve(&self, pair: &[Sector], grounds: &dyn Grounds, watcher: &dyn Watcher) -> Result<Prospects, Unsolved>;

    /// Returns the score of a move to each slot of a sector, from the scores of the sectors that its own moves lead to.
    fn derive(&self, sector: Sector, grounds: &dyn Grounds) -> Result<Vec<u8>, Unsolved>;

    /// Returns the bytes of memory that solving a pair takes.
    fn bytes(&self, pair: &[Sector]) -> u64;
}
