//! Move generation and the other rules, with the rule switches resolved at compile time.

use super::board::{
    ALL, Closers, LINES, LINES_PLAIN, LINES_WITH_DIAGONALS, MIDDLES, NEIGHBOURS, POINTS, PointSet, anticlockwise,
    clockwise, in_mills, inwards, neighbours, outwards, points,
};
use super::position::{Position, Setup};
use super::rules::{FEW_STONES, FULL_BOARD, MIN_STONES, MORRIS, Removal, Rules};
use crate::game::fen::{Fault, Faults};
use crate::game::{DrawRules, Ending, Game, Move, Side, Verdict};
use std::borrow::Cow;

/// The position of a finished game that both sides have lost.
pub(super) const BOTH_LOST: Fault =
    Fault::Rule(Cow::Borrowed("both sides have fewer than three stones, expected at most one such side"));

/// Rule switch: flying with three stones.
pub const FLYING: u8 = 1;
/// Rule switch: nothing is removed when all enemy stones stand in mills.
pub const NEVER: u8 = 2;
/// Rule switch: diagonals.
pub const DIAGONALS: u8 = 4;
/// Rule switch: sliding while placing.
pub const SLIDES: u8 = 8;
/// All rule switches are looked up at run time.
pub const CUSTOM: u8 = 0xFF;

/// The switches of a rule set; [`CUSTOM`] if they are not enough to describe it.
pub const fn switches(rules: &Rules) -> u8 {
    if rules.once_per_line {
        return CUSTOM;
    }
    (rules.flying as u8 * FLYING)
        | (matches!(rules.removal, Removal::Never) as u8 * NEVER)
        | (rules.diagonals as u8 * DIAGONALS)
        | (rules.slides_while_placing as u8 * SLIDES)
}

/// The rules with these [`switches`] and so many stones; the draw rules are those of [`MORRIS`].
pub const fn rules_of(switches: u8, stones: u8) -> Rules {
    Rules {
        stones,
        flying: switches & FLYING != 0,
        removal: if switches & NEVER != 0 { Removal::Never } else { Removal::IfAll },
        diagonals: switches & DIAGONALS != 0,
        slides_while_placing: switches & SLIDES != 0,
        ..MORRIS
    }
}

/// A rule set of the morris family. `S` is either the set of its switches, which are then resolved at compile
/// time, or [`CUSTOM`], which works for every rule set and is slower.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Morris<const S: u8> {
    rules: Rules,
}

/// "No point" in the packed form of a move.
const NOWHERE: u32 = 31;

/// An unpacked move. Packed: origin in bits 0-4, target in bits 5-9, removed stone in bits 10-14.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Step {
    /// `None` for a placement.
    pub from: Option<u32>,
    pub to: u32,
    pub removed: Option<u32>,
}

const fn point_or_none(p: u32) -> Option<u32> {
    if p == NOWHERE { None } else { Some(p) }
}

impl Step {
    #[inline(always)]
    pub(super) const fn unpack(mv: Move) -> Step {
        let bits = mv.bits() as u32;
        Step { from: point_or_none(bits & 31), to: bits >> 5 & 31, removed: point_or_none(bits >> 10 & 31) }
    }

    pub(super) fn pack(self) -> Move {
        pack(self.from.unwrap_or(NOWHERE), self.to, self.removed.unwrap_or(NOWHERE))
    }
}

#[inline(always)]
const fn pack(from: u32, to: u32, removed: u32) -> Move {
    Move::from_bits((from | to << 5 | removed << 10) as u16)
}

const fn bit(p: u32) -> PointSet {
    1 << (p & 31)
}

impl<const S: u8> Morris<S> {
    /// This rule set.
    ///
    /// # Panics
    /// If `S` is not [`CUSTOM`] and contradicts the rules: a programming error.
    pub fn new(rules: Rules) -> Self {
        assert!(S == CUSTOM || S == switches(&rules), "switches {S:#x} contradict {rules:?}");
        Morris { rules }
    }

    /// The rules as data.
    pub const fn rules(&self) -> &Rules {
        &self.rules
    }

    #[inline(always)]
    pub(super) const fn flying(&self) -> bool {
        if S == CUSTOM { self.rules.flying } else { S & FLYING != 0 }
    }

    #[inline(always)]
    const fn never(&self) -> bool {
        if S == CUSTOM { matches!(self.rules.removal, Removal::Never) } else { S & NEVER != 0 }
    }

    /// Whether the corner diagonals are lines.
    #[inline(always)]
    pub const fn diagonals(&self) -> bool {
        if S == CUSTOM { self.rules.diagonals } else { S & DIAGONALS != 0 }
    }

    #[inline(always)]
    const fn slides_while_placing(&self) -> bool {
        if S == CUSTOM { self.rules.slides_while_placing } else { S & SLIDES != 0 }
    }

    #[inline(always)]
    const fn once_per_line(&self) -> bool {
        S == CUSTOM && self.rules.once_per_line
    }

    /// The lines of this board.
    pub(super) fn board_lines(&self) -> &'static [PointSet] {
        &LINES[..if self.diagonals() { LINES_WITH_DIAGONALS } else { LINES_PLAIN }]
    }

    /// Checks a setup against the rules; all faults are reported.
    ///
    /// # Errors
    /// Too many stones of a side, or both sides with fewer than three.
    pub fn validate(&self, setup: &Setup) -> Result<Position, Faults> {
        let mut faults = Faults::default();
        let limit = u32::from(self.rules.stones);
        let mut short = 0;
        for (i, side) in [Side::White, Side::Black].into_iter().enumerate() {
            let found = setup.stones[i].count_ones() + setup.hands[i];
            if found > limit {
                let what = format!("{side} has {found} stones on board and in hand, expected at most {limit}");
                faults.0.push(Fault::Rule(what.into()));
            }
            short += u32::from(found < MIN_STONES.into());
        }
        if short == 2 {
            faults.0.push(BOTH_LOST);
        }
        if faults.0.is_empty() { Ok(setup.position()) } else { Err(faults) }
    }

    /// The stones of `opp` that a mill may remove.
    #[inline(always)]
    pub const fn removable(&self, opp: PointSet) -> PointSet {
        let loose = opp & !in_mills(opp, self.diagonals());
        if loose != 0 || self.never() { loose } else { opp }
    }

    /// The points, free or not, where one more stone beside `own` forms a mill that counts for `side`.
    #[inline(always)]
    fn mill_points(&self, pos: &Position, own: PointSet, side: Side) -> PointSet {
        if !self.once_per_line() {
            return Closers::of(own, self.diagonals()).by_placing();
        }
        let formed = pos.formed_lines(side);
        self.board_lines()
            .iter()
            .enumerate()
            .filter(|&(i, &line)| formed >> i & 1 == 0 && (line & own).count_ones() == 2)
            .fold(0, |set, (_, &line)| set | (line & !own))
    }

    /// Whether a side with these stones on the board and so many in hand moves to any free point.
    #[inline(always)]
    pub const fn flies(&self, own: PointSet, hand: u32) -> bool {
        self.flying() && hand == 0 && own.count_ones() == 3
    }

    /// Targets of the stone on `from`: neighbours, or everywhere when flying.
    /// Read backwards: the points that a stone may have come from.
    #[inline(always)]
    pub fn targets(&self, from: u32, flies: bool, free: PointSet) -> PointSet {
        if flies { free } else { NEIGHBOURS[usize::from(self.diagonals())][from as usize % POINTS] & free }
    }

    /// Whether a side could form a mill with its next move if it were its turn.
    #[inline]
    fn can_close(&self, pos: &Position, own: PointSet, hand: u32, side: Side) -> bool {
        let free = pos.free();
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

    /// Whether the side to move can form a mill with its next move.
    #[inline]
    pub(super) fn mover_can_close(&self, pos: &Position) -> bool {
        self.can_close(pos, pos.own(), pos.own_hand(), pos.side())
    }

    /// Whether the opponent could form a mill, were it its turn.
    #[inline]
    pub(super) fn opponent_can_close(&self, pos: &Position) -> bool {
        self.can_close(pos, pos.opp(), pos.opp_hand(), pos.side().other())
    }

    /// Calls `sink(from, quiet targets, closing targets)` for each origin of moves.
    #[inline(always)]
    fn each_origin(&self, pos: &Position, mut sink: impl FnMut(u32, PointSet, PointSet)) {
        let (own, free, side) = (pos.own(), pos.free(), pos.side());
        let near = self.mill_points(pos, own, side) & free;
        if pos.own_hand() > 0 {
            sink(NOWHERE, free & !near, near);
            if !self.slides_while_placing() {
                return;
            }
        }
        let flies = self.flies(own, pos.own_hand());
        for from in points(own) {
            let targets = self.targets(from, flies, free);
            // Without the lifted stone there are only fewer mill points: `near` holds them all.
            let closing = match targets & near {
                0 => 0,
                some => some & self.mill_points(pos, own ^ bit(from), side),
            };
            sink(from, targets & !closing, closing);
        }
    }

    #[inline(always)]
    pub(super) fn each_mill_move(&self, pos: &Position, mut sink: impl FnMut(Move)) {
        let removable = self.removable(pos.opp());
        self.each_origin(pos, |from, _, closing| {
            for to in points(closing) {
                for removed in points(removable) {
                    sink(pack(from, to, removed));
                }
            }
        });
    }

    /// Counts the moves without a loop over stones: all stones step at once.
    #[inline(always)]
    fn count_in_bulk(&self, pos: &Position) -> u64 {
        let (own, free) = (pos.own(), pos.free());
        let closers = Closers::of(own, self.diagonals());
        let mut moves = 0;
        let mut closing = 0;
        if pos.own_hand() > 0 {
            moves += free.count_ones();
            closing += (closers.by_placing() & free).count_ones();
        }
        if pos.own_hand() == 0 && self.flies(own, 0) {
            moves += 3 * free.count_ones();
            if closers.by_placing() & free != 0 {
                for from in points(own) {
                    let rest = Closers::of(own ^ bit(from), self.diagonals());
                    closing += (rest.by_placing() & free).count_ones();
                }
            }
        } else if pos.own_hand() == 0 || self.slides_while_placing() {
            let across = if self.diagonals() { own } else { own & MIDDLES };
            let steps = [
                (clockwise(own) & free, closers.by_clockwise_step()),
                (anticlockwise(own) & free, closers.by_anticlockwise_step()),
                (inwards(across) & free, closers.by_step_across()),
                (outwards(across) & free, closers.by_step_across()),
            ];
            for (arrivals, mills) in steps {
                moves += arrivals.count_ones();
                closing += (arrivals & mills).count_ones();
            }
        }
        if closing == 0 {
            return u64::from(moves);
        }
        let removable = self.removable(pos.opp()).count_ones();
        u64::from(moves - closing + closing * removable.max(1))
    }
}

impl<const S: u8> Game for Morris<S> {
    type Position = Position;

    fn start(&self) -> Position {
        let hand = u32::from(self.rules.stones);
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
        DrawRules { repetition: self.rules.repetition_draw, progress_limit: self.rules.no_mill_draw }
    }

    #[inline(always)]
    fn decided(&self, pos: &Position) -> Option<Ending> {
        if pos.own_total() < MIN_STONES as u32 {
            return Some(Ending::new(Verdict::Loss, FEW_STONES));
        }
        if pos.opp_total() < MIN_STONES as u32 {
            return Some(Ending::new(Verdict::Win, FEW_STONES));
        }
        (pos.free() == 0).then_some(Ending::new(Verdict::Draw, FULL_BOARD))
    }

    #[inline]
    fn generate(&self, pos: &Position, mut sink: impl FnMut(Move)) {
        if self.decided(pos).is_some() {
            return;
        }
        let removable = self.removable(pos.opp());
        self.each_origin(pos, |from, quiet, closing| {
            for to in points(closing) {
                if removable == 0 {
                    sink(pack(from, to, NOWHERE));
                }
                for removed in points(removable) {
                    sink(pack(from, to, removed));
                }
            }
            for to in points(quiet) {
                sink(pack(from, to, NOWHERE));
            }
        });
    }

    #[inline]
    fn count_moves(&self, pos: &Position) -> u64 {
        if self.decided(pos).is_some() {
            return 0;
        }
        if !self.once_per_line() {
            return self.count_in_bulk(pos);
        }
        let mut count = 0;
        self.generate(pos, |_| count += 1);
        count
    }

    #[inline]
    fn is_legal(&self, pos: &Position, mv: Move) -> bool {
        let Step { from, to, removed } = Step::unpack(mv);
        let is_point = |p: u32| (p as usize) < POINTS;
        let in_range = is_point(to) && from.is_none_or(is_point) && removed.is_none_or(is_point);
        if mv.is_none() || !in_range || pos.free() & bit(to) == 0 || self.decided(pos).is_some() {
            return false;
        }
        let own = pos.own();
        let rest = match from {
            None if pos.own_hand() > 0 => own,
            Some(from) if own & bit(from) != 0 && (pos.own_hand() == 0 || self.slides_while_placing()) => {
                if self.targets(from, self.flies(own, pos.own_hand()), pos.free()) & bit(to) == 0 {
                    return false;
                }
                own ^ bit(from)
            }
            _ => return false,
        };
        let closes = self.mill_points(pos, rest, pos.side()) & bit(to) != 0;
        let removable = if closes { self.removable(pos.opp()) } else { 0 };
        removed.map_or(removable == 0, |removed| removable & bit(removed) != 0)
    }

    fn has_moves(&self, pos: &Position) -> bool {
        self.decided(pos).is_none()
            && (pos.own_hand() > 0
                || self.flies(pos.own(), pos.own_hand())
                || neighbours(pos.own(), self.diagonals()) & pos.free() != 0)
    }

    #[inline(always)]
    fn play(&self, pos: &Position, mv: Move) -> Position {
        let Step { from, to, removed } = Step::unpack(mv);
        let before = from.map_or(pos.own(), |from| pos.own() & !bit(from));
        let own = before | bit(to);
        let opp = removed.map_or(pos.opp(), |removed| pos.opp() & !bit(removed));
        let side = pos.side();
        // A mill that removes nothing is progress too. It needs the `never` rule or an enemy without stones on the board.
        let silent_mill = from.is_some()
            && removed.is_none()
            && (self.never() || pos.opp() == 0)
            && self.mill_points(pos, before, side) & bit(to) != 0;
        let next = pos.after(from.is_none(), own, opp, from.is_none() || removed.is_some() || silent_mill);
        if !self.once_per_line() {
            return next;
        }
        let formed = self
            .board_lines()
            .iter()
            .enumerate()
            .fold(0, |set, (i, &line)| if line & bit(to) != 0 && line & !own == 0 { set | 1 << i } else { set });
        next.with_formed_lines(side, formed)
    }

    fn is_irreversible(&self, _pos: &Position, mv: Move) -> bool {
        let step = Step::unpack(mv);
        step.from.is_none() || step.removed.is_some()
    }

    #[inline(always)]
    fn key(&self, pos: &Position) -> u64 {
        // 56 bits hold stones and hands exactly; only the lines of once-per-line rules have to be hashed in.
        let lines = if self.once_per_line() { own_lines_first(pos).wrapping_mul(0x9E37_79B9_7F4A_7C15) } else { 0 };
        pos.packed() ^ lines
    }
}

/// The formed lines of both sides, the mover's in the low bits.
fn own_lines_first(pos: &Position) -> u64 {
    let both = pos.lines_of_both();
    match pos.side() {
        Side::White => both,
        Side::Black => both >> LINES_WITH_DIAGONALS | (both & 0xF_FFFF) << LINES_WITH_DIAGONALS,
    }
}

const _: () = assert!(ALL.count_ones() as usize == POINTS);

#[cfg(test)]
mod tests {
    use super::super::rules::{LASKER, MORABARABA, MYLOS};
    use super::*;
    use crate::game::Notation;

    fn custom(rules: Rules) -> Morris<CUSTOM> {
        Morris::new(rules)
    }

    fn texts<const S: u8>(game: &Morris<S>, fen: &str) -> Vec<String> {
        let pos = game.parse_fen(fen).expect("valid").position;
        game.moves(&pos).into_iter().map(|mv| game.move_text(mv)).collect()
    }

    #[test]
    fn two_lines_at_once_remove_one_stone() {
        let moves = texts(&custom(MORRIS), "OO1/3/3/5O/3/3/X1O w 5 8");
        assert!(moves.contains(&"g7xa1".to_string()));
        assert!(!moves.contains(&"g7".to_string()));
    }

    #[test]
    fn protected_stones_under_both_removal_rules() {
        let fen = "XXX/3/3/6/3/3/OO1 w 7 6";
        assert_eq!(texts(&custom(MORRIS), fen).iter().filter(|m| m.starts_with("g1x")).count(), 3);
        assert!(texts(&custom(MYLOS), fen).contains(&"g1".to_string()));
    }

    #[test]
    fn a_full_board_is_a_draw() {
        let game = custom(MORABARABA);
        let pos = game.parse_fen("OXO/XOX/OXO/XOXOXO/XOX/OXO/XOX w 0 0").expect("valid").position;
        assert_eq!(game.ending(&pos), Some(Ending::new(Verdict::Draw, FULL_BOARD)));
    }

    #[test]
    fn sliding_while_placing() {
        let game: Morris<{ FLYING | SLIDES }> = Morris::new(LASKER);
        let moves = texts(&game, "O2/3/3/6/3/3/X2 w 9 9");
        assert!(moves.contains(&"a7d7".to_string()) && moves.contains(&"a7a4".to_string()));
        assert_eq!(moves.len(), 22 + 2);
    }

    #[test]
    fn a_line_counts_once_per_side_when_asked() {
        let game = custom(Rules { once_per_line: true, ..MORRIS });
        let pos = game.parse_fen("OO1/3/1X1/X1X1XO/X2/2O/3 w 0 0 0 1").expect("valid").position;
        let find = |pos: &Position, text: &str| {
            game.moves(pos).into_iter().find(|&m| game.move_text(m) == text).unwrap_or_else(|| panic!("{text}"))
        };
        let mut pos = game.play(&pos, find(&pos, "g4g7xa4"));
        assert_eq!(pos.formed_lines(Side::White).count_ones(), 1);
        for text in ["c3d3", "g7g4", "d3c3"] {
            pos = game.play(&pos, find(&pos, text));
        }
        let again = game.play(&pos, find(&pos, "g4g7"));
        assert_eq!(again.plies_without_progress(), pos.plies_without_progress() + 1, "no mill, no progress");
    }
}
