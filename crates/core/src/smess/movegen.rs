//! Move generation and the other rules.

use super::board::{BETWEEN, SLIDES_INTO, SQUARES, STEPS_FROM, STEPS_INTO, SquareSet, each_square, slides};
use super::position::{Position, Setup};
use crate::game::{DrawRules, Ending, Game, Move, Reason, Verdict};

/// A Brain has been captured.
pub const BRAIN_CAPTURED: Reason = Reason::Rule("Brain captured");
/// Only the two Brains are left.
pub const ONLY_BRAINS: Reason = Reason::Rule("only the two Brains are left");

/// The rules that can be changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rules {
    /// Draw after this many plies without capture or promotion; 0 switches the rule off.
    pub no_capture_draw: u16,
    /// Draw on the third occurrence of a position.
    pub repetition_draw: bool,
}

impl Default for Rules {
    fn default() -> Rules {
        Rules { no_capture_draw: 100, repetition_draw: true }
    }
}

/// The rules of Smess.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Smess {
    rules: Rules,
}

/// The packed form of a move: origin in bits 0-5, target in bits 6-11.
#[inline(always)]
pub(super) const fn pack(from: usize, to: usize) -> Move {
    Move::from_bits((from | to << 6) as u16)
}

/// Origin and target of a move.
#[inline(always)]
pub(super) const fn unpack(mv: Move) -> (usize, usize) {
    (mv.bits() as usize & 63, mv.bits() as usize >> 6 & 63)
}

/// Whether a side's pieces attack a square.
#[inline]
pub(super) fn attacks(pos: &Position, pieces: SquareSet, square: usize) -> bool {
    if STEPS_INTO[square] & pieces & !pos.numskulls() != 0 {
        return true;
    }
    let occupied = pos.occupied();
    each_square(SLIDES_INTO[square] & pieces & pos.numskulls()).any(|from| BETWEEN[from][square] & occupied == 0)
}

impl Smess {
    /// Smess with these draw rules.
    pub const fn new(rules: Rules) -> Smess {
        Smess { rules }
    }

    /// The rules as data.
    pub const fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Calls `sink(from, targets)` for each own piece.
    #[inline(always)]
    pub(super) fn each_origin(&self, pos: &Position, mut sink: impl FnMut(usize, SquareSet)) {
        let (own, occupied) = (pos.own(), pos.occupied());
        for from in each_square(own & !pos.numskulls()) {
            sink(from, STEPS_FROM[from] & !own);
        }
        for from in each_square(own & pos.numskulls()) {
            sink(from, slides(from, occupied) & !own);
        }
    }
}

impl Game for Smess {
    type Position = Position;

    fn start(&self) -> Position {
        Setup::start().position()
    }

    fn side(&self, pos: &Position) -> crate::game::Side {
        pos.side()
    }

    fn plies_without_progress(&self, pos: &Position) -> u16 {
        pos.plies_without_progress()
    }

    fn draw_rules(&self) -> DrawRules {
        DrawRules { repetition: self.rules.repetition_draw, progress_limit: self.rules.no_capture_draw }
    }

    #[inline(always)]
    fn decided(&self, pos: &Position) -> Option<Ending> {
        let brains = pos.brains();
        if brains & pos.own() == 0 {
            return Some(Ending::new(Verdict::Loss, BRAIN_CAPTURED));
        }
        if brains & pos.opp() == 0 {
            return Some(Ending::new(Verdict::Win, BRAIN_CAPTURED));
        }
        (pos.occupied() == brains).then_some(Ending::new(Verdict::Draw, ONLY_BRAINS))
    }

    #[inline]
    fn generate(&self, pos: &Position, mut sink: impl FnMut(Move)) {
        if self.decided(pos).is_some() {
            return;
        }
        self.each_origin(pos, |from, targets| {
            for to in each_square(targets) {
                sink(pack(from, to));
            }
        });
    }

    #[inline]
    fn count_moves(&self, pos: &Position) -> u64 {
        if self.decided(pos).is_some() {
            return 0;
        }
        let mut count = 0;
        self.each_origin(pos, |_, targets| count += targets.count_ones());
        u64::from(count)
    }

    #[inline]
    fn is_legal(&self, pos: &Position, mv: Move) -> bool {
        let (from, to) = unpack(mv);
        if mv.is_none() || from >= SQUARES || to >= SQUARES || pos.own() >> from & 1 == 0 || self.decided(pos).is_some()
        {
            return false;
        }
        let targets = if pos.numskulls() >> from & 1 != 0 { slides(from, pos.occupied()) } else { STEPS_FROM[from] };
        targets & !pos.own() & 1 << to != 0 && mv == pack(from, to)
    }

    fn has_moves(&self, pos: &Position) -> bool {
        let own = pos.own();
        self.decided(pos).is_none()
            && (each_square(own & !pos.numskulls()).any(|from| STEPS_FROM[from] & !own != 0)
                || each_square(own & pos.numskulls()).any(|from| slides(from, pos.occupied()) & !own != 0))
    }

    #[inline(always)]
    fn play(&self, pos: &Position, mv: Move) -> Position {
        let (from, to) = unpack(mv);
        pos.after(from, to)
    }

    fn is_irreversible(&self, pos: &Position, mv: Move) -> bool {
        let (from, to) = unpack(mv);
        pos.opp() >> to & 1 != 0 || pos.is_promotion(from, to)
    }

    #[inline(always)]
    fn key(&self, pos: &Position) -> u64 {
        pos.key()
    }
}
