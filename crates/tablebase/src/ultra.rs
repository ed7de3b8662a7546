//! Ultra-strong values, which distinguish better and worse drawn positions.
//!
//! Sectors without stones in hand are ranked by how many of their positions are won and lost. If both sides hold the
//! draw, the game finally stays in one sector and its partner. The value of a drawn position is the rank of the sector
//! in which it stays if both sides play for that (Gévay and Danner, "Calculating Ultrastrong and Extended Solutions for
//! Nine Men's Morris, Morabaraba, and Lasker Morris").
//!
//! Values are stored as [`Prospect`]s: relative to the rank of the sector of a position, and with the plies to the move
//! that leaves it. With stones in hand no sector comes again, and the value of a position is that of its best move.

use crate::endings::Sector;
use millbrain_core::game::value::Prospect;
use std::collections::BTreeMap;

/// The ranks of sectors by name, side to move first. The rank of the partner is the same with the other sign; equal
/// sectors have equal ranks.
pub type Ranks = BTreeMap<String, i32>;

/// Returns a sector with its rank.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ranked {
    /// The sector.
    pub sector: Sector,
    /// Its rank.
    pub rank: i32,
}

impl Ranked {
    /// Returns the value of a move from this sector to a drawn position of another with this value, for the side that
    /// makes it.
    pub fn before(self, next: Ranked, value: Prospect) -> Prospect {
        match -(value.key + next.rank) - self.rank {
            0 => Prospect { key: 0, plies: 0 },
            key if next.sector == self.sector.partner() => Prospect { key, plies: value.plies + 1 },
            key => Prospect { key, plies: 1 },
        }
    }
}
