//! The interface of the search: hints for move ordering, keys and images of moves under symmetries.

use super::board::{SLIDES_INTO, SQUARES, STEPS_FROM, STEPS_INTO, SquareSet, each_square};
use super::eval::WDL_MODEL;
use super::game::Smess;
use super::movegen::attacks;
use super::moves::Step;
use super::position::{Kind, NINNY, NUMSKULL, Position};
use crate::game::{Game, Move, Searchable, Term};
use crate::search::score::WdlModel;

/// Returns the value of a captured piece.
const fn worth(kind: Kind) -> i32 {
    match kind {
        Kind::Brain => 10_000,
        Kind::Numskull => NUMSKULL,
        Kind::Ninny => NINNY,
    }
}

/// The hints for `order`, computed once per node.
#[derive(Clone, Copy)]
pub struct Hints {
    /// Squares that enemy Brain and Ninnies attack.
    covered: SquareSet,
    /// Squares where a Numskull threatens the enemy Brain if nothing is between.
    lines: SquareSet,
    /// Squares where a Brain or Ninny threatens it.
    steps: SquareSet,
    /// Squares where our Ninnies promote.
    promotion: SquareSet,
    /// Whether our own Brain is attacked.
    threatened: bool,
}

impl Searchable for Smess {
    type Hints = Hints;

    #[inline]
    fn evaluate(&self, pos: &Position) -> i32 {
        self.evaluation(pos)
    }

    fn material(&self, pos: &Position) -> i32 {
        pos.material_lead()
    }

    fn terms(&self, pos: &Position) -> Vec<Term> {
        self.evaluation_terms(pos)
    }

    fn wdl_model(&self) -> WdlModel {
        WDL_MODEL
    }

    #[inline]
    fn can_win_now(&self, pos: &Position) -> bool {
        let brain = pos.brains() & pos.opp();
        brain != 0 && attacks(pos, pos.own(), brain.trailing_zeros() as usize % SQUARES)
    }

    #[inline]
    fn is_threatened(&self, pos: &Position) -> bool {
        let brain = pos.brains() & pos.own();
        brain != 0 && attacks(pos, pos.opp(), brain.trailing_zeros() as usize % SQUARES)
    }

    #[inline]
    fn generate_tactical(&self, pos: &Position, sink: impl FnMut(Move)) {
        if self.decided(pos).is_some() {
            return;
        }
        self.each_capture_or_promotion(pos, sink);
    }

    #[inline(always)]
    fn is_tactical(&self, pos: &Position, mv: Move) -> bool {
        self.is_irreversible(pos, mv)
    }

    #[inline]
    fn hints(&self, pos: &Position) -> Hints {
        let covered = each_square(pos.opp() & !pos.numskulls()).fold(0, |set, s| set | STEPS_FROM[s]);
        let enemy_brain = (pos.brains() & pos.opp()).trailing_zeros() as usize % SQUARES;
        Hints {
            covered,
            lines: SLIDES_INTO[enemy_brain],
            steps: STEPS_INTO[enemy_brain],
            promotion: pos.promotion_squares(),
            threatened: self.is_threatened(pos),
        }
    }

    #[inline]
    fn order(&self, pos: &Position, hints: &Hints, mv: Move) -> i32 {
        let Step { from, to } = Step::unpack(mv);
        let has = |set: SquareSet, square: usize| (set >> square & 1) as i32;
        let (is_brain, is_numskull) = (has(pos.brains(), from) != 0, has(pos.numskulls(), from) != 0);
        let mut value = if is_numskull {
            300 * has(hints.covered, from) - 600 * has(hints.covered, to) + 150 * has(hints.lines, to)
        } else {
            150 * has(hints.steps, to)
        };
        if has(pos.opp(), to) != 0 {
            value += 10 * worth(pos.kind(to)) - worth(pos.kind(from)).min(NUMSKULL + 10);
        }
        if has(hints.promotion, to) != 0 && !is_brain && !is_numskull {
            value += 10 * (NUMSKULL - NINNY);
        }
        if hints.threatened && is_brain {
            value += 800;
        }
        value
    }

    fn allows_null(&self, pos: &Position) -> bool {
        (pos.own() & pos.numskulls()) != 0
    }

    fn pass(&self, pos: &Position) -> Position {
        pos.passed()
    }

    #[inline(always)]
    fn hash_key(&self, pos: &Position) -> (u64, u8) {
        // The key is from the point of view of the mover, so rotated positions already share it. Moves are stored as
        // White would play them, hence the symmetry when Black is to move.
        (pos.key(), pos.side() as u8)
    }

    #[inline(always)]
    fn map_move(&self, mv: Move, symmetry: u8) -> Move {
        if symmetry == 0 || mv.is_none() {
            return mv;
        }
        let Step { from, to } = Step::unpack(mv);
        Step { from: SQUARES - 1 - from, to: SQUARES - 1 - to }.pack()
    }

    #[inline(always)]
    fn unmap_move(&self, mv: Move, symmetry: u8) -> Move {
        self.map_move(mv, symmetry)
    }

    #[inline(always)]
    fn history_index(&self, mv: Move) -> usize {
        (mv.bits() & 0xFFF) as usize
    }
}
