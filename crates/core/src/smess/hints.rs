//! What the search asks of the game: hints for the order of moves, keys and images of moves under symmetries.

use super::board::{SLIDES_INTO, SQUARES, STEPS_FROM, STEPS_INTO, SquareSet, each_square};
use super::eval::{NINNY, NUMSKULL};
use super::game::Smess;
use super::movegen::attacks;
use super::moves::Step;
use super::position::{Kind, Position};
use crate::game::{Game, Move, Searchable, Term};

/// Value of a captured piece.
const fn worth(kind: Kind) -> i32 {
    match kind {
        Kind::Brain => 10_000,
        Kind::Numskull => NUMSKULL,
        Kind::Ninny => NINNY,
    }
}

/// What `order` looks at, computed once per node.
#[derive(Clone, Copy)]
pub struct Hints {
    /// Squares that enemy Brain and Ninnies attack.
    covered: SquareSet,
    /// The enemy Brain's square.
    enemy_brain: usize,
    /// Whether our own Brain is attacked.
    threatened: bool,
}

impl Searchable for Smess {
    type Hints = Hints;

    #[inline]
    fn evaluate(&self, pos: &Position) -> i32 {
        self.evaluation(pos)
    }

    fn terms(&self, pos: &Position) -> Vec<Term> {
        self.evaluation_terms(pos)
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
        Hints { covered, enemy_brain, threatened: self.is_threatened(pos) }
    }

    #[inline]
    fn order(&self, pos: &Position, hints: &Hints, mv: Move) -> i32 {
        let Step { from, to } = Step::unpack(mv);
        let kind = pos.kind(from);
        let mut value = 0;
        if pos.opp() >> to & 1 != 0 {
            value += 10 * worth(pos.kind(to)) - worth(kind).min(NUMSKULL + 10);
        }
        if pos.is_promotion(from, to) {
            value += 10 * (NUMSKULL - NINNY);
        }
        if kind == Kind::Numskull {
            if hints.covered >> to & 1 != 0 {
                value -= 600;
            }
            if hints.covered >> from & 1 != 0 {
                value += 300;
            }
            if SLIDES_INTO[hints.enemy_brain] >> to & 1 != 0 {
                value += 150;
            }
        } else if STEPS_INTO[hints.enemy_brain] >> to & 1 != 0 {
            value += 150;
        }
        if hints.threatened && kind == Kind::Brain {
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
        // The key is from the point of view of the mover, so rotated positions share it already. Moves are stored
        // as White would play them, hence the symmetry when Black is to move.
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
