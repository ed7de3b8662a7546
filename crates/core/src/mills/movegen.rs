//! Move generation: mills that a move closes, targets of stones, and moves counted in bulk.

use super::board::{PointSet, bit, points};
use super::game::Mills;
use super::moves::{NOWHERE, Step, origin};
use super::position::Position;
use super::rules::MillRules;
use crate::game::{Move, Side};

impl<R: MillRules> Mills<R> {
    /// Returns the stones of `opp` that a mill may remove.
    #[inline(always)]
    pub fn removable(&self, opp: PointSet) -> PointSet {
        if self.rules.first_mill_wins() {
            return 0;
        }
        let loose = opp & !self.rules.in_mills(opp);
        if loose != 0 || self.rules.never() { loose } else { opp }
    }

    /// Returns whether a mill may remove nothing when these are the enemy stones on the board: all may be protected, or
    /// there are none.
    #[inline(always)]
    pub fn has_silent_mills(&self, opp: PointSet) -> bool {
        self.rules.never() || opp == 0 || self.rules.first_mill_wins()
    }

    /// Returns the points, free or not, where one more stone beside `own` forms a mill that counts for `side`.
    #[inline(always)]
    pub(super) fn mill_points(&self, pos: &Position, own: PointSet, side: Side) -> PointSet {
        if !self.rules.once_per_line() {
            return self.rules.closers(own);
        }
        let formed = pos.formed_lines(side);
        let lines = self.rules.board().lines.iter();
        lines
            .enumerate()
            .filter(|&(i, &line)| formed >> i & 1 == 0 && (line & own).count_ones() == 2)
            .fold(0, |set, (_, &line)| set | (line & !own))
    }

    /// Returns whether a side with these stones on the board and in hand moves to any free point.
    #[inline(always)]
    pub fn flies(&self, own: PointSet, hand: u32) -> bool {
        self.rules.flying() && hand == 0 && own.count_ones() == 3
    }

    /// Returns the targets of the stone on `from`: neighbours, or everywhere when flying. Read backwards, these are the
    /// points that a stone may have come from.
    #[inline(always)]
    pub fn targets(&self, from: u32, flies: bool, free: PointSet) -> PointSet {
        if flies { free } else { self.rules.neighbours_of(from) & free }
    }

    /// Returns whether a side could form a mill with its next move if it were to move.
    #[inline]
    fn can_close(&self, pos: &Position, own: PointSet, hand: u32, side: Side) -> bool {
        let free = self.free(pos);
        let near = self.mill_points(pos, own, side) & free;
        if near == 0 {
            return false;
        }
        if hand > 0 {
            return true;
        }
        let flies = self.flies(own, hand);
        points(own).any(|from| {
            let targets = self.targets(from, flies, near);
            targets != 0 && self.mill_points(pos, own ^ bit(from), side) & targets != 0
        })
    }

    /// Returns whether the side to move can form a mill with its next move.
    #[inline]
    pub(super) fn mover_can_close(&self, pos: &Position) -> bool {
        self.can_close(pos, pos.own(), pos.own_hand(), pos.side())
    }

    /// Returns whether the opponent could form a mill if it were to move.
    #[inline]
    pub(super) fn opponent_can_close(&self, pos: &Position) -> bool {
        self.can_close(pos, pos.opp(), pos.opp_hand(), pos.side().other())
    }

    /// Calls `sink(from, quiet targets, closing targets)` for each origin of moves; [`NOWHERE`] is the hand.
    #[inline(always)]
    pub(super) fn each_origin(&self, pos: &Position, mut sink: impl FnMut(u32, PointSet, PointSet)) {
        let (own, free, side) = (pos.own(), self.free(pos), pos.side());
        let near = self.mill_points(pos, own, side) & free;
        let (hand, slides) = (pos.own_hand() > 0, pos.own_hand() == 0 || self.rules.slides_while_placing());
        let flies = self.flies(own, pos.own_hand());
        for from in hand.then_some(NOWHERE).into_iter().chain(points(if slides { own } else { 0 })) {
            let (targets, rest) = match origin(from) {
                None => (free, own),
                Some(from) => (self.targets(from, flies, free), own ^ bit(from)),
            };
            // Without the lifted stone there are only fewer mill points: `near` holds them all.
            let closing = match targets & near {
                0 => 0,
                some => some & self.mill_points(pos, rest, side),
            };
            sink(from, targets & !closing, closing);
        }
    }

    #[inline(always)]
    pub(super) fn each_mill_move(&self, pos: &Position, mut sink: impl FnMut(Move)) {
        let removable = if self.rules.first_mill_wins() { bit(NOWHERE) } else { self.removable(pos.opp()) };
        self.each_origin(pos, |from, _, closing| {
            for to in points(closing) {
                if self.rules.each_mill() && !self.rules.first_mill_wins() {
                    let steps = self.plain().taking_steps(pos, from, to);
                    steps.into_iter().filter(|step| step.removed != 0).for_each(|step| sink(step.pack()));
                    continue;
                }
                for removed in points(removable) {
                    sink(Step::pack_points(from, to, removed));
                }
            }
        });
    }

    /// Calls `sink` for each move under the rule that each mill removes a stone.
    pub(super) fn each_taking_move(&self, pos: &Position, mut sink: impl FnMut(Move)) {
        self.each_origin(pos, |from, quiet, closing| {
            for to in points(closing) {
                self.taking_steps(pos, from, to).into_iter().for_each(|step| sink(step.pack()));
            }
            for to in points(quiet) {
                sink(Step::pack_points(from, to, NOWHERE));
            }
        });
    }

    /// Returns each step that closes mills by going from a point or [`NOWHERE`] to `to`. It removes one stone for each
    /// mill, one after the other, each protected or not on the board at that moment. It removes fewer if no more can be
    /// removed.
    #[cold]
    pub(super) fn taking_steps(&self, pos: &Position, from: u32, to: u32) -> Vec<Step> {
        let from = origin(from);
        let rest = from.map_or(pos.own(), |from| pos.own() ^ bit(from));
        let (own, formed) = (rest | bit(to), if self.rules.once_per_line() { pos.formed_lines(pos.side()) } else { 0 });
        let counts = |&(i, &line): &(usize, &PointSet)| line & bit(to) != 0 && line & !own == 0 && formed >> i & 1 == 0;
        let mills = self.rules.board().lines.iter().enumerate().filter(counts).count();
        let mut sets = vec![0];
        for _ in 0..mills {
            let longer = |&taken: &PointSet| {
                let removable = self.removable(pos.opp() & !taken);
                let stays = (removable == 0).then_some(taken);
                points(removable).map(move |point| taken | bit(point)).chain(stays)
            };
            sets = sets.iter().flat_map(longer).collect();
            sets.sort_unstable();
            sets.dedup();
        }
        sets.into_iter().map(|removed| Step { from, to, removed }).collect()
    }
}
