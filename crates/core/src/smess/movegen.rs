//! Move generation: targets of pieces, and attacks.

use super::board::{BETWEEN, SLIDES_INTO, STEPS_FROM, STEPS_INTO, SquareSet, each_square, slides};
use super::game::Smess;
use super::moves::Step;
use super::position::Position;
use crate::game::Move;

/// Returns whether a side's pieces attack a square.
#[inline]
pub(super) fn attacks(pos: &Position, pieces: SquareSet, square: usize) -> bool {
    if STEPS_INTO[square] & pieces & !pos.numskulls() != 0 {
        return true;
    }
    let occupied = pos.occupied();
    each_square(SLIDES_INTO[square] & pieces & pos.numskulls()).any(|from| BETWEEN[from][square] & occupied == 0)
}

impl Smess {
    /// Calls `sink(from, targets)` for each own piece.
    #[inline(always)]
    pub(super) fn each_origin(&self, pos: &Position, mut sink: impl FnMut(usize, SquareSet)) {
        let (own, occupied) = (pos.own(), pos.occupied());
        for (pieces, slide) in [(own & !pos.numskulls(), false), (own & pos.numskulls(), true)] {
            for from in each_square(pieces) {
                let targets = if slide { slides(from, occupied) } else { STEPS_FROM[from] };
                sink(from, targets & !own);
            }
        }
    }

    /// Calls `sink` for each capture and promotion.
    #[inline(always)]
    pub(super) fn each_capture_or_promotion(&self, pos: &Position, mut sink: impl FnMut(Move)) {
        let promotion = pos.promotion_squares();
        let ninnies = pos.ninnies();
        self.each_origin(pos, |from, targets| {
            let promoting = if ninnies >> from & 1 != 0 { promotion } else { 0 };
            for to in each_square(targets & (pos.opp() | promoting)) {
                sink(Step { from, to }.pack());
            }
        });
    }
}
