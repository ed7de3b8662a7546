//! Evaluation, in centistones: a few hand-made terms per phase, corrected by a network.

use super::board::{
    CORNERS, Closers, MIDDLES, NEIGHBOURS, POINTS, PointSet, anticlockwise, clockwise, cycled_inwards, cycled_outwards,
    in_mills, inwards, mill_count, neighbours, outwards, spokes,
};
use super::movegen::{Morris, Step};
use super::position::Position;
use super::symmetry::{INVERSE, POINT_IMAGE, canonical};
use crate::game::{Game, Move, Searchable, Term};
use crate::network::Learned;

/// Weights of the terms in one phase. All counts are of one side.
struct Weights {
    stones: i32,
    /// Per slide to a free point.
    mobility: i32,
    /// Per stone without a free neighbour.
    blocked: i32,
    /// Per closed mill.
    mills: i32,
    /// Per free point where the side can close a mill with its next move.
    open_mills: i32,
    /// Per mill that closes by opening another one (a Zwickmühle).
    double_mills: i32,
    /// Per stone in hand beyond the opponent's.
    hand: i32,
}

const PLACING: Weights =
    Weights { stones: 100, mobility: 4, blocked: -6, mills: 6, open_mills: 18, double_mills: 12, hand: 5 };
const MOVING: Weights =
    Weights { stones: 100, mobility: 6, blocked: -8, mills: 8, open_mills: 22, double_mills: 40, hand: 0 };
const FLYING: Weights =
    Weights { stones: 100, mobility: 2, blocked: 0, mills: 2, open_mills: 24, double_mills: 10, hand: 0 };

/// The terms of one side, in the order of `NAMES`.
type Terms = [i32; 7];

const NAMES: [&str; 7] = ["stones", "mobility", "blocked", "mills", "open mills", "double mills", "stones in hand"];

impl<const S: u8> Morris<S> {
    /// Weighted terms of the side with these stones.
    #[inline(always)]
    fn side_terms(&self, own: PointSet, hand: u32, free: PointSet) -> Terms {
        let diagonals = self.diagonals();
        let on_board = own.count_ones();
        let flies = hand == 0 && on_board == 3 && self.flying();
        let weights = if hand > 0 {
            &PLACING
        } else if flies {
            &FLYING
        } else {
            &MOVING
        };
        let across = if diagonals { own } else { own & MIDDLES };
        let arrivals =
            [clockwise(own) & free, anticlockwise(own) & free, inwards(across) & free, outwards(across) & free];
        let mobility: u32 = arrivals.iter().map(|set| set.count_ones()).sum();
        let blocked = (own & !neighbours(free, diagonals)).count_ones();
        let closers = Closers::of(own, diagonals);
        let by_step = (arrivals[0] & closers.by_clockwise_step())
            | (arrivals[1] & closers.by_anticlockwise_step())
            | ((arrivals[2] | arrivals[3]) & closers.by_step_across());
        let open = if hand > 0 || flies { closers.by_placing() & free } else { by_step };
        // A closing point beside a stone of a closed mill: opening that mill closes the other.
        let double = by_step & neighbours(in_mills(own, diagonals), diagonals);
        [
            weights.stones * (on_board + hand) as i32,
            weights.mobility * mobility as i32,
            weights.blocked * blocked as i32,
            weights.mills * mill_count(own, diagonals) as i32,
            weights.open_mills * open.count_ones() as i32,
            weights.double_mills * double.count_ones() as i32,
            weights.hand * hand as i32,
        ]
    }
}

impl<const S: u8> Morris<S> {
    /// The sum of all terms, from the side to move.
    #[inline(always)]
    pub(super) fn terms_value(&self, pos: &Position) -> i32 {
        let free = pos.free();
        let own = self.side_terms(pos.own(), pos.own_hand(), free);
        let opp = self.side_terms(pos.opp(), pos.opp_hand(), free);
        own.iter().sum::<i32>() - opp.iter().sum::<i32>()
    }
}

/// Points that matter for ordering, computed once per node.
#[derive(Clone, Copy)]
pub struct Hints {
    /// Points where the opponent would complete a line.
    enemy_mills: PointSet,
    /// Enemy stones next to such points: worth removing.
    enemy_threats: PointSet,
    /// Points where a stone makes two of a line whose third point is free.
    pairs: PointSet,
}

/// The points with a line whose other two points are one stone of `own` and one point of `free`.
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

/// Points with many neighbours are worth having.
const CROSSINGS: [[i32; POINTS]; 2] = {
    let mut table = [[0; POINTS]; 2];
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
        self.terms_value(pos) + self.network().correction(self, pos)
    }

    fn terms(&self, pos: &Position) -> Vec<Term> {
        let [white, black] = pos.stones();
        let [white_hand, black_hand] = pos.hands();
        let white = self.side_terms(white, white_hand, pos.free());
        let black = self.side_terms(black, black_hand, pos.free());
        let values = white.into_iter().zip(black);
        let terms = NAMES.into_iter().zip(values).map(|(name, (white, black))| Term { name, white, black });
        terms.chain([Term::of_mover("network", pos.side(), self.network().correction(self, pos))]).collect()
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
        Step::unpack(mv).removed.is_some()
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
        let step = Step::unpack(mv);
        let has = |set: PointSet, p: u32| (set >> p & 1) as i32;
        let at = |p: u32| crossings[p as usize % POINTS];
        let arriving = 900 * has(hints.enemy_mills, step.to) + 130 * has(hints.pairs, step.to) + at(step.to);
        let leaving = step.from.map_or(0, at);
        let taking = step.removed.map_or(0, |removed| 400 * has(hints.enemy_threats, removed) + at(removed));
        arriving - leaving + taking
    }

    fn allows_null(&self, pos: &Position) -> bool {
        // Sliding is full of zugzwang; while both sides place, a tempo is never a burden.
        pos.own_hand() > 1 && pos.opp_hand() > 0
    }

    fn pass(&self, pos: &Position) -> Position {
        pos.passed()
    }

    #[inline]
    fn table_key(&self, pos: &Position) -> (u64, u8) {
        const STONES: u64 = (1 << 48) - 1;
        let key = self.key(pos);
        if self.rules().once_per_line || pos.own_hand() == 0 {
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
        Step { from: step.from.map(map), to: map(step.to), removed: step.removed.map(map) }.pack()
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
