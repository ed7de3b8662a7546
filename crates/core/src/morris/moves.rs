//! Moves, packed and unpacked.

use crate::game::Move;

/// "No point" in the packed form of a move.
const NOWHERE: u32 = 31;

/// An unpacked move. Packed: origin in bits 0-4, target in bits 5-9, removed stone in bits 10-14.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Step {
    /// `None` for a placement.
    pub from: Option<u32>,
    pub to: u32,
    pub removed: Option<u32>,
}

#[inline(always)]
const fn point_or_none(p: u32) -> Option<u32> {
    if p == NOWHERE { None } else { Some(p) }
}

#[inline(always)]
const fn none_as_nowhere(p: Option<u32>) -> u32 {
    match p {
        Some(p) => p,
        None => NOWHERE,
    }
}

impl Step {
    #[inline(always)]
    pub(super) const fn unpack(mv: Move) -> Step {
        let bits = mv.bits() as u32;
        Step { from: point_or_none(bits & 31), to: bits >> 5 & 31, removed: point_or_none(bits >> 10 & 31) }
    }

    #[inline(always)]
    pub(super) const fn pack(self) -> Move {
        Move::from_bits((none_as_nowhere(self.from) | self.to << 5 | none_as_nowhere(self.removed) << 10) as u16)
    }
}
