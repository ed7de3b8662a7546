//! The interface to a game whose tables can be built.

use crate::code::Codes;
use crate::solve::{Extent, Finished, Solution, Unsolved, Watcher};
use crate::ultra::UltraSolver;
use millbrain_tablebase::{Endings, Sector};
use std::ops::Range;

/// Endings that can be solved.
pub(crate) trait Solvable: Endings {
    /// Solves the sectors of a [pair](Endings::pair).
    fn solve(&self, pair: &[Sector], finished: &dyn Finished, watcher: &dyn Watcher) -> Result<Solution, Unsolved>;

    /// Derives the codes of a sector from those of the sectors that its moves lead to, by default by solving it.
    fn derive(&self, sector: Sector, finished: &dyn Finished, watcher: &dyn Watcher) -> Result<Codes, Unsolved> {
        let mut solved = self.solve(&self.pair(sector), finished, watcher)?;
        Ok(solved.sectors.remove(0))
    }

    /// Counts the positions of a sector by a formula.
    fn extent(&self, sector: Sector) -> Extent;

    /// Returns whether deriving a sector is fast and has nothing in common with solving it.
    fn derives_by_rows(&self) -> bool {
        false
    }

    /// Returns the solver of ultra-strong values, if there is one.
    fn ultra(&self) -> Option<&dyn UltraSolver> {
        None
    }

    /// Returns the bytes of memory that deriving a sector takes.
    fn deriving_bytes(&self, sector: Sector) -> u64;

    /// Returns the bytes of memory that solving a pair takes.
    fn solving_bytes(&self, pair: &[Sector]) -> u64;

    /// Visits a range of slots in order. `each` gets slots whose positions have equally many images, and that number:
    /// 1, 2, 4, 8 or 16, or 0 for vacant slots.
    fn each_image_count(&self, sector: Sector, slots: Range<u64>, each: &mut dyn FnMut(Range<u64>, u32));
}
