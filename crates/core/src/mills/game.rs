//! The rules of a game of mills.

use super::board::{MAX_LINES, MAX_POINTS, PointSet, bit, points};
use super::moves::{NOWHERE, Step, origin};
use super::position::{Position, Setup};
use super::rules::{FEW_STONES, FULL_BOARD, MILL, MIN_STONES, MillRules};
use crate::game::{DrawRules, Ending, Game, Move, Side, Verdict};

/// A game of mills by the rules of a family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mills<R> {
    pub(crate) rules: R,
}

impl<R: MillRules> Mills<R> {
    /// Returns the rules as the family has them.
    pub const fn of_family(&self) -> &R {
        &self.rules
    }

    /// Returns the same rules for code that is not worth compiling for each rule set.
    #[inline(always)]
    pub(super) fn plain(&self) -> Mills<R::Plain> {
        Mills { rules: self.rules.plain() }
    }

    /// Returns the free points.
    #[inline(always)]
    pub(crate) fn free(&self, pos: &Position) -> PointSet {
        self.rules.points() & !(pos.own() | pos.opp())
    }

    /// Counts the moves by listing them.
    pub(super) fn count_one_by_one(&self, pos: &Position) -> u64 {
        let mut count = 0;
        self.generate(pos, |_| count += 1);
        count
    }

    /// Returns how a first mill has won.
    fn won_by_mill(&self, pos: &Position) -> Option<Ending> {
        let has_mill = |stones| self.rules.first_mill_wins() && self.rules.in_mills(stones) != 0;
        if has_mill(pos.opp()) {
            return Some(Ending::new(Verdict::Loss, MILL));
        }
        has_mill(pos.own()).then_some(Ending::new(Verdict::Win, MILL))
    }
}

impl<R: MillRules> Game for Mills<R> {
    type Position = Position;

    fn start(&self) -> Position {
        let hand = u32::from(self.rules.stones());
        Setup {
            stones: [0; 2],
            hands: [hand; 2],
            side: Side::White,
            plies_without_progress: 0,
            move_number: 1,
            formed_lines: [0; 2],
        }
        .position()
    }

    fn side(&self, pos: &Position) -> Side {
        pos.side()
    }

    fn plies_without_progress(&self, pos: &Position) -> u16 {
        pos.plies_without_progress()
    }

    fn draw_rules(&self) -> DrawRules {
        self.rules.draw_rules()
    }

    #[inline(always)]
    fn decided(&self, pos: &Position) -> Option<Ending> {
        if pos.own_total() < MIN_STONES as u32 {
            return Some(Ending::new(Verdict::Loss, FEW_STONES));
        }
        if pos.opp_total() < MIN_STONES as u32 {
            return Some(Ending::new(Verdict::Win, FEW_STONES));
        }
        let full = (self.free(pos) == 0).then_some(Ending::new(Verdict::Draw, FULL_BOARD));
        self.won_by_mill(pos).or(full)
    }

    #[inline]
    fn generate(&self, pos: &Position, mut sink: impl FnMut(Move)) {
        if self.decided(pos).is_some() {
            return;
        }
        if self.rules.each_mill() {
            return self.plain().each_taking_move(pos, sink);
        }
        const NOTHING: PointSet = bit(NOWHERE);
        let removable = match self.removable(pos.opp()) {
            0 => NOTHING,
            some => some,
        };
        // The sink is called in one place, so that it becomes part of the loop.
        self.each_origin(pos, |from, quiet, closing| {
            for (targets, removable) in [(closing, removable), (quiet, NOTHING)] {
                for to in points(targets) {
                    for removed in points(removable) {
                        sink(Step::pack_points(from, to, removed));
                    }
                }
            }
        });
    }

    #[inline]
    fn count_moves(&self, pos: &Position) -> u64 {
        if self.decided(pos).is_some() {
            return 0;
        }
        if self.rules.once_per_line() || self.rules.each_mill() {
            return self.count_one_by_one(pos);
        }
        R::count_moves(self, pos)
    }

    #[inline]
    fn is_legal(&self, pos: &Position, mv: Move) -> bool {
        let Step { from, to, removed } = Step::unpack(mv);
        let is_point = |p: u32| (p as usize) < MAX_POINTS && self.rules.points() & bit(p) != 0;
        let first_removed = mv.bits() >> 10 & 31;
        let in_range = is_point(to) && from.is_none_or(is_point) && origin(first_removed).is_none_or(is_point);
        if mv.bits() >> 15 != 0 && !(self.rules.each_mill() && Step::unpack(mv).pack() == mv) {
            return false;
        }
        if mv.is_none() || !in_range || self.free(pos) & bit(to) == 0 || self.decided(pos).is_some() {
            return false;
        }
        let own = pos.own();
        let rest = match from {
            None if pos.own_hand() > 0 => own,
            Some(from) if own & bit(from) != 0 && (pos.own_hand() == 0 || self.rules.slides_while_placing()) => {
                if self.targets(from, self.flies(own, pos.own_hand()), self.free(pos)) & bit(to) == 0 {
                    return false;
                }
                own ^ bit(from)
            }
            _ => return false,
        };
        let closes = self.mill_points(pos, rest, pos.side()) & bit(to) != 0;
        if closes && self.rules.each_mill() {
            let steps = self.plain().taking_steps(pos, from.unwrap_or(NOWHERE), to);
            return steps.iter().any(|step| step.removed == removed);
        }
        let removable = if closes { self.removable(pos.opp()) } else { 0 };
        if removed == 0 { removable == 0 } else { removable & removed != 0 }
    }

    fn has_moves(&self, pos: &Position) -> bool {
        self.decided(pos).is_none()
            && (pos.own_hand() > 0
                || self.flies(pos.own(), pos.own_hand())
                || self.rules.neighbours(pos.own()) & self.free(pos) != 0)
    }

    #[inline(always)]
    fn play(&self, pos: &Position, mv: Move) -> Position {
        let Step { from, to, removed } = Step::unpack(mv);
        let before = from.map_or(pos.own(), |from| pos.own() & !bit(from));
        let own = before | bit(to);
        let opp = pos.opp() & !removed;
        let side = pos.side();
        // A mill that removes nothing is progress too.
        let silent_mill = from.is_some()
            && removed == 0
            && self.has_silent_mills(pos.opp())
            && self.mill_points(pos, before, side) & bit(to) != 0;
        let next = pos.after(from.is_none(), own, opp, from.is_none() || removed != 0 || silent_mill);
        if !self.rules.once_per_line() {
            return next;
        }
        let formed = self
            .rules
            .board()
            .lines
            .iter()
            .enumerate()
            .fold(0, |set, (i, &line)| if line & bit(to) != 0 && line & !own == 0 { set | 1 << i } else { set });
        next.with_formed_lines(side, formed)
    }

    fn is_irreversible(&self, _pos: &Position, mv: Move) -> bool {
        let step = Step::unpack(mv);
        step.from.is_none() || step.removed != 0
    }

    fn next_progress_ends(&self, pos: &Position) -> bool {
        // Every mill takes a stone then: it is the last one of its side.
        let takes = !self.rules.never() && !self.rules.once_per_line();
        let is_last = takes && pos.own_total().max(pos.opp_total()) <= MIN_STONES.into();
        (is_last || self.rules.first_mill_wins()) && pos.own_hand() + pos.opp_hand() == 0
    }

    #[inline(always)]
    fn key(&self, pos: &Position) -> u64 {
        // 56 bits hold stones and hands exactly; only the lines of once-per-line rules have to be hashed in.
        let lines =
            if self.rules.once_per_line() { own_lines_first(pos).wrapping_mul(0x9E37_79B9_7F4A_7C15) } else { 0 };
        pos.packed() ^ lines
    }
}

/// Returns the formed lines of both sides, the mover's in the low bits.
fn own_lines_first(pos: &Position) -> u64 {
    let both = pos.lines_of_both();
    match pos.side() {
        Side::White => both,
        Side::Black => both >> MAX_LINES | (both & ((1 << MAX_LINES) - 1)) << MAX_LINES,
    }
}
