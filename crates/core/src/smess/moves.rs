//! Moves, packed and unpacked.

use crate::game::Move;

/// An unpacked move. Packed: origin in bits 0-5, target in bits 6-11.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Step {
    pub from: usize,
    pub to: usize,
}

impl Step {
    #[inline(always)]
    pub(super) const fn unpack(mv: Move) -> Step {
        Step { from: mv.bits() as usize & 63, to: mv.bits() as usize >> 6 & 63 }
    }

    #[inline(always)]
    pub(super) const fn pack(self) -> Move {
        Move::from_bits((self.from | self.to << 6) as u32)
    }
}
