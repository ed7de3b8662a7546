//! Moves, packed and unpacked.

use super::board::{MAX_POINTS, PointSet, points};
use crate::game::Move;

/// "No point" in the packed form of a move.
pub(super) const NOWHERE: u32 = 31;

/// Every point that a move can name.
const ALL: PointSet = (1 << MAX_POINTS) - 1;

/// The most stones that a move removes: no point is on more than three lines.
pub(super) const MOST_REMOVED: usize = 3;

/// An unpacked move. Packed: origin in bits 0-4, target in bits 5-9, and the removed stone in bits 10-14, each a point
/// or [`NOWHERE`]. Bits 15-19 and 20-24 have the second and the third stone as a point plus 1, or 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Step {
    /// The origin; `None` for a placement.
    pub from: Option<u32>,
    pub to: u32,
    /// The removed stones.
    pub removed: PointSet,
}

/// Returns the origin of a move, from its packed form.
#[inline(always)]
pub(super) const fn origin(p: u32) -> Option<u32> {
    if p == NOWHERE { None } else { Some(p) }
}

/// Returns the second and the third stone that a move removes.
#[cold]
const fn more_removed(bits: u32) -> PointSet {
    ((1 << (bits >> 15 & 31) >> 1) | (1 << (bits >> 20 & 31) >> 1)) & ALL
}

impl Step {
    #[inline(always)]
    pub(super) const fn unpack(mv: Move) -> Step {
        let bits = mv.bits();
        // Bit 31 means nowhere and is not a point.
        let mut removed = (1 << (bits >> 10 & 31)) & ALL;
        if bits >> 15 != 0 {
            removed |= more_removed(bits);
        }
        Step { from: origin(bits & 31), to: bits >> 5 & 31, removed }
    }

    /// Returns whether a packed move removes a stone: without a first there are no others.
    #[inline(always)]
    pub(super) const fn takes(mv: Move) -> bool {
        (mv.bits() >> 10 & 31) < MAX_POINTS as u32
    }

    /// Packs the step. One that removes more than [`MOST_REMOVED`] stones loses the last of them.
    #[inline]
    pub(super) fn pack(self) -> Move {
        let mut removed = points(self.removed);
        let first = Step::pack_points(self.from.unwrap_or(NOWHERE), self.to, removed.next().unwrap_or(NOWHERE));
        let more = removed.take(MOST_REMOVED - 1).zip([15, 20]);
        Move::from_bits(more.fold(first.bits(), |bits, (point, shift)| bits | (point + 1) << shift))
    }

    /// Packs a move given as points or [`NOWHERE`]: for move generation, where a test for each move would cost time.
    #[inline(always)]
    pub(super) const fn pack_points(from: u32, to: u32, removed: u32) -> Move {
        Move::from_bits(from | to << 5 | removed << 10)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_packed_with_up_to_three_stones_taken() {
        for removed in [0, 1, 1 << 23, 0b11, 1 << 23 | 1, 1 << 22 | 1 << 23, 0b111, 1 << 23 | 1 << 22 | 1, 7 << 21] {
            for from in [None, Some(0), Some(23)] {
                let step = Step { from, to: 7, removed };
                assert_eq!(Step::unpack(step.pack()), step);
                assert_eq!(Step::takes(step.pack()), removed != 0);
            }
        }
    }
}
