//! The interface between a game and the solver.

use super::check::Extent;
use super::code::Codes;
use super::endings::{Endings, Sector};
use super::format::Fault;
use super::solve::{Solution, Unsolved, Watcher};
use super::states::{Seed, Updates};
use crate::files::InFile;
use std::ops::Range;

/// The finished sectors that a solver reads.
pub(crate) trait Finished: Sync {
    /// The codes, by slot, of a sector that [`Endings::exits`] names.
    fn codes(&self, sector: Sector) -> Result<Codes, InFile<Fault>>;
}

/// Endings that can be solved.
pub(crate) trait Solvable: Endings {
    /// Solves the sectors of a [pair](Endings::pair).
    fn solve(&self, pair: &[Sector], finished: &dyn Finished, watcher: &dyn Watcher) -> Result<Solution, Unsolved>;

    /// The codes of a sector from those of the sectors that its moves lead to.
    fn derive(&self, sector: Sector, finished: &dyn Finished, watcher: &dyn Watcher) -> Result<Codes, Unsolved>;

    /// How many positions a sector has, by a formula.
    fn extent(&self, sector: Sector) -> Extent;

    /// Whether deriving a sector is fast and has nothing in common with solving it.
    fn derives_by_rows(&self) -> bool {
        false
    }

    /// Bytes of memory that deriving a sector takes.
    fn deriving_bytes(&self, sector: Sector) -> u64;

    /// Bytes of memory that solving a pair takes.
    fn solving_bytes(&self, pair: &[Sector]) -> u64;
}

/// Visits the positions of one sector row by row, for [`solve`](super::solve::solve). Threads divide the rows among
/// themselves.
pub(crate) trait Walk: Send + Sync {
    /// Number of rows.
    fn rows(&self) -> usize;

    /// The slots of a row.
    fn row(&self, row: usize) -> Range<u64>;

    /// For every slot of a row, finds the best value its moves out of the pair of sectors lead to, and the number of its
    /// other moves.
    fn seed(&self, row: usize, seeds: &mut Vec<Seed>);

    /// Sends an update to each position of the partner sector from which a quiet move leads to one of these
    /// slots of a row, once for each such move.
    fn predecessors(&self, row: usize, slots: &[u32], updates: &mut Updates<'_>);
}
