//! Moves, packed and unpacked.

use crate::game::Move;

/// "No point" in the packed form of a move.
pub(super) const NOWHERE: u32 = 31;

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

impl Step {
    #[inline(always)]
    pub(super) const fn unpack(mv: Move) -> Step {
        let bits = mv.bits() as u32;
        Step { from: point_or_none(bits & 31), to: bits >> 5 & 31, removed: point_or_none(bits >> 10 & 31) }
    }

    #[inline(always)]
    pub(super) fn pack(self) -> Move {
        Step::pack_points(self.from.unwrap_or(NOWHERE), self.to, self.removed.unwrap_or(NOWHERE))
    }

    /// Packs a move given as points or [`NOWHERE`]: for move generation, where a test for each move would cost time.
    #[inline(always)]
    pub(super) const fn pack_points(from: u32, to: u32, removed: u32) -> Move {
        Move::from_bits((from | to << 5 | removed << 10) as u16)
    }
}
