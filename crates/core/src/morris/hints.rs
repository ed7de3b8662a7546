//! The interface of the search: hints for move ordering, keys and images of moves under symmetries.

use super::board::{
    CORNERS, Closers, MIDDLES, NEIGHBOURS, POINTS, PointSet, anticlockwise, clockwise, cycled_inwards, cycled_outwards,
    neighbours, points, spokes,
};
use super::eval::wdl_model;
use super::game::Morris;
use super::moves::{NOWHERE, Step};
use super::position::Position;
use super::symmetry::{INVERSE, POINT_IMAGE, canonical};
use crate::game::{Game, Move, Searchable, Term};
use crate::search::score::WdlModel;

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

/// Returns the points with a line whose other two points are one stone of `own` and one point of `free`.
#[inline(always)]
const fn pairing_points(own: PointSet, free: PointSet, diagonals: bool) -> PointSet {
    let (cw_own, acw_own) = (clockwise(own), anticlockwise(own));
    let (cw_free, acw_free) = (clockwise(free), anticlockwise(free));
    let middle = (cw_own & acw_free) | (cw_free & acw_own);
    let ahead = (acw_own & anticlockwise(acw_free)) | (acw_free & anticlockwise(acw_own));
    let behind = (cw_own & clockwise(cw_free)) | (cw_free & clockwise(cw_own));
    let across = (cycled_inwards(own) & cycled_outwards(free)) | (cycled_inwards(free) & cycled_outwards(own));
    (middle & MIDDLES) | ((ahead | behind) & CORNERS) | (across & spokes(diagonals))
}

/// The values of points by their neighbours; no point at all has the value 0.
static CROSSINGS: [[i32; NOWHERE as usize + 1]; 2] = {
    let mut table = [[0; NOWHERE as usize + 1]; 2];
    let mut p = 0;
    while p < POINTS {
        table[0][p] = 40 * NEIGHBOURS[0][p].count_ones() as i32;
        table[1][p] = 40 * NEIGHBOURS[1][p].count_ones() as i32;
        p += 1;
    }
    table
};

impl<const S: u8> Searchable for Morris<S> {
    type Hints = Hints;

    #[inline]
    fn evaluate(&self, pos: &Position) -> i32 {
        self.evaluation(pos)
    }

    fn material(&self, pos: &Position) -> i32 {
        100 * (pos.own_total() as i32 - pos.opp_total() as i32)
    }

    fn terms(&self, pos: &Position) -> Vec<Term> {
        self.evaluation_terms(pos)
    }

    fn wdl_model(&self) -> WdlModel {
        wdl_model(self.rules())
    }

    #[inline]
    fn can_win_now(&self, pos: &Position) -> bool {
        pos.opp_total() == 3 && self.removable(pos.opp()) != 0 && self.mover_can_close(pos)
    }

    #[inline]
    fn is_threatened(&self, pos: &Position) -> bool {
        pos.own_total() == 3 && self.removable(pos.own()) != 0 && self.opponent_can_close(pos)
    }

    #[inline]
    fn generate_tactical(&self, pos: &Position, sink: impl FnMut(Move)) {
        self.each_mill_move(pos, sink);
    }

    #[inline(always)]
    fn is_tactical(&self, _pos: &Position, mv: Move) -> bool {
        Step::takes(mv)
    }

    #[inline]
    fn hints(&self, pos: &Position) -> Hints {
        let diagonals = self.diagonals();
        let (own, opp, free) = (pos.own(), pos.opp(), pos.free());
        let enemy_mills = Closers::of(opp, diagonals).by_placing() & free;
        let enemy_threats = opp & neighbours(enemy_mills, diagonals);
        Hints { enemy_mills, enemy_threats, pairs: pairing_points(own, free, diagonals) }
    }

    #[inline]
    fn order(&self, _pos: &Position, hints: &Hints, mv: Move) -> i32 {
        let crossings = &CROSSINGS[usize::from(self.diagonals())];
        let has = |set: PointSet, p: u32| (set >> p & 1) as i32;
        let at = |p: u32| crossings[(p & NOWHERE) as usize];
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
        if self.rules().once_per_line {
            return (key, 0);
        }
        let (stones, symmetry) = canonical(key & STONES);
        (stones | (key & !STONES), symmetry)
    }

    #[inline]
    fn map_move(&self, mv: Move, symmetry: u8) -> Move {
        if symmetry == 0 || mv.is_none() {
            return mv;
        }
        let image = &POINT_IMAGE[usize::from(symmetry)];
        let map = |p: u32| u32::from(image[p as usize]);
        let step = Step::unpack(mv);
        Step {
            from: step.from.map(map),
            to: map(step.to),
            removed: super::symmetry::image(symmetry.into(), step.removed),
        }
        .pack()
    }

    #[inline]
    fn unmap_move(&self, mv: Move, symmetry: u8) -> Move {
        self.map_move(mv, INVERSE[usize::from(symmetry)])
    }

    #[inline(always)]
    fn history_index(&self, mv: Move) -> usize {
        (mv.bits() & 0x3FF) as usize
    }
}
