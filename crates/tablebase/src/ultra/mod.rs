//! Ultra-strong values, which distinguish better and worse drawn positions.
//!
//! Sectors without stones in hand are ranked by how many of their positions are won and lost. If both sides hold the
//! draw, the game finally stays in one sector and its partner. The value of a drawn position is the rank of the sector
//! in which it stays if both sides play for that (Gévay and Danner, "Calculating Ultrastrong and Extended Solutions for
//! Nine Men's Morris, Morabaraba, and Lasker Morris").
//!
//! Values are stored as [`Prospect`]s: relative to the rank of the sector of a position, and with the plies to the move
//! that leaves it. With stones in hand no sector comes again, and the value of a position is that of its best move.

#[cfg(feature = "build")]
pub(crate) mod built;
#[cfg(feature = "build")]
pub(crate) mod prospects;
pub(crate) mod ranks;
#[cfg(all(test, feature = "build"))]
mod tests;

use crate::endings::Sector;
#[cfg(feature = "build")]
use crate::format::Fault;
#[cfg(feature = "build")]
use crate::solve::{Unsolved, Watcher};
use millbrain_core::game::value::Prospect;
#[cfg(feature = "build")]
use millbrain_files::InFile;
#[cfg(feature = "build")]
use prospects::Prospects;

/// A sector and its rank.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Ranked {
    pub sector: Sector,
    pub rank: i32,
}

impl Ranked {
    /// Returns the value of a move from this sector to a drawn position of another with this value, for the side that
    /// makes it.
    pub(crate) fn before(self, next: Ranked, value: Prospect) -> Prospect {
        match -(value.key + next.rank) - self.rank {
            0 => Prospect { key: 0, plies: 0 },
            key if next.sector == self.sector.partner() => Prospect { key, plies: value.plies + 1 },
            key => Prospect { key, plies: 1 },
        }
    }
}

/// The score of a move to a drawn position with an ultra-strong value of 0, for the side that makes it. A larger score
/// is better. The score of another drawn position is larger by as much as its value is smaller.
#[cfg(feature = "build")]
pub(crate) const EVEN: i32 = 128;
/// The score of a move to a position that is not drawn. From a drawn position it loses.
#[cfg(feature = "build")]
pub(crate) const LOSING: u8 = 1;

/// The input of the solver.
#[cfg(feature = "build")]
pub(crate) trait Grounds: Sync {
    /// Returns the rank of a sector.
    fn rank(&self, sector: Sector) -> i32;

    /// Returns the results of a sector by slot: 0 loss, 1 draw, 2 win.
    fn results(&self, sector: Sector) -> Result<Vec<u8>, InFile<Fault>>;

    /// Returns the score of a move to each slot of a finished sector: a number around [`EVEN`], or [`LOSING`].
    fn moves_to(&self, sector: Sector) -> Result<Vec<u8>, Unsolved>;
}

/// Endings whose ultra-strong values can be solved.
#[cfg(feature = "build")]
pub(crate) trait UltraSolver: Sync {
    /// Solves a pair without stones in hand. Returns the values of the sector in which the side to move has no fewer
    /// stones.
    fn solve(&self, pair: &[Sector], grounds: &dyn Grounds, watcher: &dyn Watcher) -> Result<Prospects, Unsolved>;

    /// Returns the score of a move to each slot of a sector, from the scores of the sectors that its own moves lead to.
    fn derive(&self, sector: Sector, grounds: &dyn Grounds) -> Result<Vec<u8>, Unsolved>;

    /// Returns the bytes of memory that solving a pair takes.
    fn bytes(&self, pair: &[Sector]) -> u64;
}
