//! Evaluation, in centininnies: a few hand-made terms, corrected by a network.

use super::board::{PROMOTION_DISTANCE, SLIDES_INTO, SQUARES, STEPS_FROM, STEPS_INTO, SquareSet, each_square, slides};
use super::movegen::{Smess, attacks, unpack};
use super::position::{Kind, Position};
use crate::game::{Game, Move, Searchable, Side, Term};
use crate::network::Learned;

const NINNY: i32 = 100;
const NUMSKULL: i32 = 330;
/// Per square a Numskull may go to.
const MOBILITY: i32 = 5;
/// Per arrow that a Brain or Ninny may follow.
const STEPS: i32 = 2;
/// Per enemy piece that could step or slide next to the Brain's square on an empty board.
const BRAIN_ATTACKER: i32 = -9;
/// Per own piece next to the Brain.
const BRAIN_GUARD: i32 = 6;
/// By the steps a Ninny is away from promotion.
const PROMOTION: [i32; 8] = [0, 70, 42, 26, 14, 6, 2, 0];

const NAMES: [&str; 5] = ["material", "arrow mobility", "ninny steps", "brain safety", "promotion"];

fn side_terms(pos: &Position, own: SquareSet, opp: SquareSet, side: Side) -> [i32; 5] {
    let occupied = pos.occupied();
    let numskulls = own & pos.numskulls();
    let ninnies = own & pos.ninnies();
    let material = NINNY * ninnies.count_ones() as i32 + NUMSKULL * numskulls.count_ones() as i32;
    let mut mobility = 0;
    for square in each_square(numskulls) {
        mobility += (slides(square, occupied) & !own).count_ones() as i32;
    }
    let mut steps = 0;
    let mut promotion = 0;
    for square in each_square(ninnies) {
        steps += (STEPS_FROM[square] & !own).count_ones() as i32;
        let distance = usize::from(PROMOTION_DISTANCE[side as usize][square]);
        promotion += PROMOTION.get(distance).copied().unwrap_or(0);
    }
    let mut safety = 0;
    let brain = own & pos.brains();
    if brain != 0 {
        let square = brain.trailing_zeros() as usize % SQUARES;
        let near = STEPS_INTO[square] | STEPS_FROM[square];
        let mut attackers = SLIDES_INTO[square] & opp & pos.numskulls();
        for beside in each_square(near) {
            attackers |= (SLIDES_INTO[beside] & pos.numskulls() | STEPS_INTO[beside]) & opp;
        }
        safety = BRAIN_ATTACKER * attackers.count_ones() as i32 + BRAIN_GUARD * (near & own).count_ones() as i32;
    }
    [material, MOBILITY * mobility, STEPS * steps, safety, promotion]
}

/// The sum of all terms, from the side to move.
#[inline(always)]
pub(super) fn handmade(pos: &Position) -> i32 {
    let own = side_terms(pos, pos.own(), pos.opp(), pos.side());
    let opp = side_terms(pos, pos.opp(), pos.own(), pos.side().other());
    own.iter().sum::<i32>() - opp.iter().sum::<i32>()
}

/// Worth of a captured piece.
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
        handmade(pos) + self.network().correction(self, pos)
    }

    fn terms(&self, pos: &Position) -> Vec<Term> {
        let [white, black] = pos.sides();
        let values =
            side_terms(pos, white, black, Side::White).into_iter().zip(side_terms(pos, black, white, Side::Black));
        let terms = NAMES.into_iter().zip(values).map(|(name, (white, black))| Term { name, white, black });
        terms.chain([Term::of_mover("network", pos.side(), self.network().correction(self, pos))]).collect()
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
    fn generate_tactical(&self, pos: &Position, mut sink: impl FnMut(Move)) {
        if self.decided(pos).is_some() {
            return;
        }
        let promotion = pos.promotion_squares();
        let ninnies = pos.ninnies();
        self.each_origin(pos, |from, targets| {
            let promoting = if ninnies >> from & 1 != 0 { promotion } else { 0 };
            for to in each_square(targets & (pos.opp() | promoting)) {
                sink(super::movegen::pack(from, to));
            }
        });
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
        let (from, to) = unpack(mv);
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
    fn table_key(&self, pos: &Position) -> (u64, u8) {
        // Keys are as the mover sees the board, so the half turn is already taken care of: but a move is stored
        // as played by White, hence the symmetry when Black is to move.
        (pos.key(), pos.side() as u8)
    }

    #[inline(always)]
    fn map_move(&self, mv: Move, symmetry: u8) -> Move {
        if symmetry == 0 || mv.is_none() {
            return mv;
        }
        let (from, to) = unpack(mv);
        super::movegen::pack(SQUARES - 1 - from, SQUARES - 1 - to)
    }

    #[inline(always)]
    fn unmap_move(&self, mv: Move, symmetry: u8) -> Move {
        self.map_move(mv, symmetry)
    }

    #[inline(always)]
    fn history_index(&self, mv: Move) -> usize {
        usize::from(mv.bits() & 0xFFF)
    }
}
