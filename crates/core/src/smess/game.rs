//! The game as a type, and its rules.

use super::board::{SQUARES, STEPS_FROM, each_square, slides};
use super::moves::Step;
use super::position::{Position, Setup};
use super::rules::{BRAIN_CAPTURED, ONLY_BRAINS, Rules};
use crate::game::{DrawRules, Ending, Game, Move, Side, Verdict};

/// Smess with these draw rules.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Smess {
    rules: Rules,
}

impl Smess {
    /// Creates Smess with these draw rules.
    pub const fn new(rules: Rules) -> Smess {
        Smess { rules }
    }

    /// Returns the rules as data.
    pub const fn rules(&self) -> &Rules {
        &self.rules
    }
}

impl Game for Smess {
    type Position = Position;

    fn start(&self) -> Position {
        Setup::start().position()
    }

    fn side(&self, pos: &Position) -> Side {
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
                sink(Step { from, to }.pack());
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
        let Step { from, to } = Step::unpack(mv);
        if mv.is_none() || from >= SQUARES || to >= SQUARES || pos.own() >> from & 1 == 0 || self.decided(pos).is_some()
        {
            return false;
        }
        let targets = if pos.numskulls() >> from & 1 != 0 { slides(from, pos.occupied()) } else { STEPS_FROM[from] };
        targets & !pos.own() & 1 << to != 0 && mv == Step { from, to }.pack()
    }

    fn has_moves(&self, pos: &Position) -> bool {
        let own = pos.own();
        self.decided(pos).is_none()
            && (each_square(own & !pos.numskulls()).any(|from| STEPS_FROM[from] & !own != 0)
                || each_square(own & pos.numskulls()).any(|from| slides(from, pos.occupied()) & !own != 0))
    }

    #[inline(always)]
    fn play(&self, pos: &Position, mv: Move) -> Position {
        let Step { from, to } = Step::unpack(mv);
        pos.after(from, to)
    }

    #[inline(always)]
    fn is_irreversible(&self, pos: &Position, mv: Move) -> bool {
        let Step { from, to } = Step::unpack(mv);
        let promoting = if pos.is_ninny(from) { pos.promotion_squares() } else { 0 };
        (pos.opp() | promoting) >> to & 1 != 0
    }

    #[inline(always)]
    fn key(&self, pos: &Position) -> u64 {
        pos.key()
    }
}
