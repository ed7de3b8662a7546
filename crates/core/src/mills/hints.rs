//! The interface of the search: hints for move ordering, keys and images of moves under symmetries.

use super::board::{PointSet, bit, points};
use super::game::Mills;
use super::moves::{NOWHERE, Step};
use super::position::Position;
use super::rules::MillRules;
use crate::game::{Game, Move, Searchable, Term};
use crate::search::score::WdlModel;

/// A stone in centistones.
const STONE: i32 = 100;

/// Points that matter for move ordering, computed once per node.
#[derive(Clone, Copy)]
pub struct Hints {
    /// Points where the opponent would complete a line.
    enemy_mills: PointSet,
    /// Enemy stones next to such points: worth removing.
    enemy_threats: PointSet,
    /// Points where a stone makes two of a line whose third point is free.
    pairs: PointSet,
}

impl<R: MillRules> Mills<R> {
    /// Returns whether a mill wins against a side with these stones on the board and this many in all.
    #[inline(always)]
    fn mill_wins(&self, stones: PointSet, total: u32) -> bool {
        self.rules.first_mill_wins() || total == 3 && self.removable(stones) != 0
    }

    /// Returns whether a move closes a mill.
    fn closes(&self, pos: &Position, mv: Move) -> bool {
        let Step { from, to, .. } = Step::unpack(mv);
        let rest = from.map_or(pos.own(), |from| pos.own() & !bit(from));
        self.mill_points(pos, rest, pos.side()) & bit(to) != 0
    }
}

impl<R: MillRules> Searchable for Mills<R> {
    type Hints = Hints;

    #[inline]
    fn evaluate(&self, pos: &Position) -> i32 {
        self.material(pos) + R::positional(self, pos).1
    }

    #[inline(always)]
    fn material(&self, pos: &Position) -> i32 {
        STONE * (pos.own_total() as i32 - pos.opp_total() as i32)
    }

    fn terms(&self, pos: &Position) -> Vec<Term> {
        let ([white, black], hands) = (pos.stones(), pos.hands());
        let value = |stones: PointSet, hand: u32| STONE * (stones.count_ones() + hand) as i32;
        let stones = Term { name: "stones", white: value(white, hands[0]), black: value(black, hands[1]) };
        let (name, positional) = R::positional(self, pos);
        vec![stones, Term::of_mover(name, pos.side(), positional)]
    }

    fn wdl_model(&self) -> WdlModel {
        self.rules.wdl_model()
    }

    #[inline]
    fn can_win_now(&self, pos: &Position) -> bool {
        self.mill_wins(pos.opp(), pos.opp_total()) && self.mover_can_close(pos)
    }

    #[inline]
    fn is_threatened(&self, pos: &Position) -> bool {
        self.mill_wins(pos.own(), pos.own_total()) && self.opponent_can_close(pos)
    }

    #[inline]
    fn generate_tactical(&self, pos: &Position, sink: impl FnMut(Move)) {
        if !(self.rules.first_mill_wins() && self.decided(pos).is_some()) {
            self.each_mill_move(pos, sink);
        }
    }

    #[inline(always)]
    fn is_tactical(&self, pos: &Position, mv: Move) -> bool {
        Step::takes(mv) || self.rules.first_mill_wins() && self.closes(pos, mv)
    }

    #[inline]
    fn hints(&self, pos: &Position) -> Hints {
        let (own, opp, free) = (pos.own(), pos.opp(), self.free(pos));
        let enemy_mills = self.rules.closers(opp) & free;
        let enemy_threats = opp & self.rules.neighbours(enemy_mills);
        Hints { enemy_mills, enemy_threats, pairs: self.rules.pairing_points(own, free) }
    }

    #[inline]
    fn order(&self, _pos: &Position, hints: &Hints, mv: Move) -> i32 {
        let has = |set: PointSet, p: u32| (set >> p & 1) as i32;
        let at = |p: u32| self.rules.crossing(p);
        let (from, to) = (mv.bits() & NOWHERE, mv.bits() >> 5 & NOWHERE);
        let quiet = 900 * has(hints.enemy_mills, to) + 130 * has(hints.pairs, to) + at(to) - at(from);
        if !Step::takes(mv) {
            return quiet;
        }
        let removed = Step::unpack(mv).removed;
        let taking: i32 = points(removed).map(|removed| 400 * has(hints.enemy_threats, removed) + at(removed)).sum();
        quiet + taking
    }

    fn allows_null(&self, pos: &Position) -> bool {
        // Zugzwang is common once stones slide; while both sides place, having to move is no disadvantage.
        pos.own_hand() > 1 && pos.opp_hand() > 0
    }

    fn pass(&self, pos: &Position) -> Position {
        pos.passed()
    }

    #[inline]
    fn hash_key(&self, pos: &Position) -> (u64, u8) {
        // Once stones slide, symmetric positions are rare.
        if pos.own_hand() == 0 { (self.key(pos), 0) } else { self.root_key(pos) }
    }

    #[inline]
    fn root_key(&self, pos: &Position) -> (u64, u8) {
        const STONES: u64 = (1 << 48) - 1;
        let key = self.key(pos);
        // The lines that have been mills are in the key, but have no images.
        if self.rules.once_per_line() {
            return (key, 0);
        }
        let (stones, symmetry) = self.rules.canonical(key & STONES);
        (stones | (key & !STONES), symmetry)
    }

    #[inline]
    fn map_move(&self, mv: Move, symmetry: u8) -> Move {
        if symmetry == 0 || mv.is_none() {
            return mv;
        }
        let map = |p: u32| self.rules.image_of(symmetry, p);
        let step = Step::unpack(mv);
        Step { from: step.from.map(map), to: map(step.to), removed: self.rules.image(symmetry, step.removed) }.pack()
    }

    #[inline]
    fn unmap_move(&self, mv: Move, symmetry: u8) -> Move {
        self.map_move(mv, self.rules.inverse(symmetry))
    }

    #[inline(always)]
    fn history_index(&self, mv: Move) -> usize {
        (mv.bits() & 0x3FF) as usize
    }
}
