//! The interface between a game and the solver: how the positions of a sector are visited.

use super::code::Code;
use super::endings::{Endings, Sector};
use super::states::{Seed, Updates};
use std::ops::Range;

/// The finished sectors that a solver reads.
pub trait Finished: Sync {
    /// The codes, by slot, of a sector that [`Endings::exits`] names.
    fn codes(&self, sector: Sector) -> &[Code];
}

/// Endings that can be solved: moves can be taken back.
pub trait Solvable: Endings {
    /// Visits the positions of one sector.
    type Walk<'a>: Walk;

    /// Prepares the walk through a sector.
    fn walk<'a>(&self, sector: Sector, finished: &'a dyn Finished) -> Self::Walk<'a>;
}

/// Visits the positions of one sector row by row. Threads divide the rows among themselves.
pub trait Walk: Send + Sync {
    /// Number of rows.
    fn rows(&self) -> usize;

    /// Whether there are quiet moves at all; if not, the seeds are the values.
    fn has_quiet_moves(&self) -> bool {
        true
    }

    /// The slots of a row.
    fn row(&self, row: usize) -> Range<u64>;

    /// For every slot of a row, finds the best value its moves out of the pair of sectors lead to, and the number of its
    /// other moves.
    fn seed(&self, row: usize, seeds: &mut Vec<Seed>);

    /// Sends an update to each position of the partner sector from which a quiet move leads to one of these
    /// slots of a row, once for each such move.
    fn predecessors(&self, row: usize, slots: &[u32], updates: &mut Updates<'_>);
}
