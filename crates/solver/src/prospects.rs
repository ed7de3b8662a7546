//! The ultra-strong values of a sector, in memory.

use crate::memory::filled;
use millbrain_core::game::value::Prospect;
use rayon::prelude::*;

/// The score of a move to a drawn position with an ultra-strong value of 0, for the side that makes it. A larger score
/// is better. The score of another drawn position is larger by as much as its value is smaller.
pub(crate) const EVEN: i32 = 128;
/// The score of a move to a position that is not drawn. From a drawn position it loses.
pub(crate) const LOSING: u8 = 1;

/// The values of a sector by slot.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Prospects {
    /// The keys; [`Prospects::NONE`] for positions that are not drawn and for vacant slots.
    pub keys: Vec<i8>,
    /// The plies to the move that leaves the sector and its partner, 0 where the key is 0.
    pub plies: Vec<u16>,
}

impl Prospects {
    /// The key of a slot that is not drawn.
    pub(crate) const NONE: i8 = i8::MIN;

    /// Creates slots without a value.
    pub(crate) fn none(slots: usize) -> Prospects {
        Prospects { keys: filled(Prospects::NONE, slots), plies: filled(0, slots) }
    }

    /// Returns the value of a slot, if it has one.
    pub(crate) fn of(&self, slot: usize) -> Option<Prospect> {
        let key = self.keys[slot];
        (key != Prospects::NONE).then(|| Prospect { key: key.into(), plies: self.plies[slot].into() })
    }

    /// Returns the score of a move to each slot, given the rank of the sector.
    pub(crate) fn moves_to(&self, rank: i32) -> Vec<u8> {
        let of = |&key: &i8| if key == Prospects::NONE { LOSING } else { (EVEN - rank - i32::from(key)) as u8 };
        self.keys.par_iter().map(of).collect()
    }

    /// Returns the longest distance.
    pub(crate) fn longest(&self) -> u16 {
        self.plies.par_iter().copied().max().unwrap_or(0)
    }
}
