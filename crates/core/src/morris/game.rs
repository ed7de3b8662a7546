//! The game as a type, with the rule switches resolved at compile time, and its rules.

use super::board::{LINES, LINES_PLAIN, LINES_WITH_DIAGONALS, POINTS, PointSet, bit, neighbours, points};
use super::moves::{NOWHERE, Step, origin};
use super::position::{Position, Setup};
use super::rules::{FEW_STONES, FULL_BOARD, MIN_STONES, MORRIS, Removal, Removals, Rules};
use crate::game::{DrawRules, Ending, Game, Move, Side, Verdict};

/// Rule switch: flying with three stones.
pub const FLYING: u8 = 1;
/// Rule switch: no stone is removed when all enemy stones are in mills.
pub const NEVER: u8 = 2;
/// Rule switch: diagonals.
pub const DIAGONALS: u8 = 4;
/// Rule switch: sliding while placing.
pub const SLIDES: u8 = 8;
/// No rule switch is resolved at compile time.
pub const CUSTOM: u8 = 0xFF;

/// Returns the switches of a rule set, or [`CUSTOM`] if they are not enough to describe it.
pub const fn switches(rules: &Rules) -> u8 {
    // All fields are named, so that a new option cannot be forgotten.
    let &Rules {
        stones: _,
        flying,
        removal,
        removals,
        diagonals,
        slides_while_placing,
        no_mill_draw: _,
        repetition_draw: _,
        once_per_line,
    } = rules;
    if once_per_line || matches!(removals, Removals::EachMill) {
        return CUSTOM;
    }
    (flying as u8 * FLYING)
        | (matches!(removal, Removal::Never) as u8 * NEVER)
        | (diagonals as u8 * DIAGONALS)
        | (slides_while_placing as u8 * SLIDES)
}

/// Returns the rules with these [`switches`] and number of stones; the draw rules are those of [`MORRIS`].
pub const fn rules_of(switches: u8, stones: u8) -> Rules {
    Rules {
        stones,
        flying: switches & FLYING != 0,
        removal: if switches & NEVER != 0 { Removal::Never } else { Removal::IfAll },
        removals: MORRIS.removals,
        diagonals: switches & DIAGONALS != 0,
        slides_while_placing: switches & SLIDES != 0,
        no_mill_draw: MORRIS.no_mill_draw,
        repetition_draw: MORRIS.repetition_draw,
        once_per_line: MORRIS.once_per_line,
    }
}

/// A rule set of the morris family. `S` is either the set of its switches, which are then resolved at compile time, or
/// [`CUSTOM`]. That works for every rule set and is slower.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Morris<const S: u8> {
    rules: Rules,
}

impl<const S: u8> Morris<S> {
    /// Creates this rule set.
    ///
    /// # Panics
    /// Panics if `S` is not [`CUSTOM`] and contradicts the rules: a programming error.
    pub fn new(rules: Rules) -> Self {
        assert!(S == CUSTOM || S == switches(&rules), "switches {S:#x} contradict {rules:?}");
        Morris { rules }
    }

    /// Returns the rules as data.
    pub const fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Returns the same rules looked up at run time, for code that is not worth compiling for each rule set.
    #[inline(always)]
    pub(super) const fn unspecialised(&self) -> Morris<CUSTOM> {
        Morris { rules: self.rules }
    }

    #[inline(always)]
    pub(super) const fn flying(&self) -> bool {
        if S == CUSTOM { self.rules.flying } else { S & FLYING != 0 }
    }

    /// Returns whether nothing is removed when all enemy stones are in mills.
    #[inline(always)]
    pub const fn never(&self) -> bool {
        if S == CUSTOM { matches!(self.rules.removal, Removal::Never) } else { S & NEVER != 0 }
    }

    /// Returns whether the corner diagonals are lines.
    #[inline(always)]
    pub const fn diagonals(&self) -> bool {
        if S == CUSTOM { self.rules.diagonals } else { S & DIAGONALS != 0 }
    }

    /// Returns whether a side with stones in hand may slide one.
    #[inline(always)]
    pub const fn slides_while_placing(&self) -> bool {
        if S == CUSTOM { self.rules.slides_while_placing } else { S & SLIDES != 0 }
    }

    #[inline(always)]
    pub(super) const fn once_per_line(&self) -> bool {
        S == CUSTOM && self.rules.once_per_line
    }

    #[inline(always)]
    pub(super) const fn each_mill(&self) -> bool {
        S == CUSTOM && matches!(self.rules.removals, Removals::EachMill)
    }

    /// Returns the lines of this board.
    pub(super) fn board_lines(&self) -> &'static [PointSet] {
        &LINES[..if self.diagonals() { LINES_WITH_DIAGONALS } else { LINES_PLAIN }]
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
        if self.each_mill() {
            return self.unspecialised().each_taking_move(pos, sink);
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
        if !self.once_per_line() && !self.each_mill() {
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
        let first_removed = mv.bits() >> 10 & 31;
        let in_range = is_point(to) && from.is_none_or(is_point) && origin(first_removed).is_none_or(is_point);
        if mv.bits() >> 15 != 0 && !(self.each_mill() && Step::unpack(mv).pack() == mv) {
            return false;
        }
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
        if closes && self.each_mill() {
            let steps = self.unspecialised().taking_steps(pos, from.unwrap_or(NOWHERE), to);
            return steps.iter().any(|step| step.removed == removed);
        }
        let removable = if closes { self.removable(pos.opp()) } else { 0 };
        if removed == 0 { removable == 0 } else { removable & removed != 0 }
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
        let opp = pos.opp() & !removed;
        let side = pos.side();
        // A mill that removes nothing is progress too.
        let silent_mill = from.is_some()
            && removed == 0
            && self.has_silent_mills(pos.opp())
            && self.mill_points(pos, before, side) & bit(to) != 0;
        let next = pos.after(from.is_none(), own, opp, from.is_none() || removed != 0 || silent_mill);
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
        step.from.is_none() || step.removed != 0
    }

    fn next_progress_ends(&self, pos: &Position) -> bool {
        // Every mill takes a stone then: it is the last one of its side.
        let takes = self.rules.removal == Removal::IfAll && !self.once_per_line();
        takes && pos.own_total().max(pos.opp_total()) <= MIN_STONES.into() && pos.own_hand() + pos.opp_hand() == 0
    }

    #[inline(always)]
    fn key(&self, pos: &Position) -> u64 {
        // 56 bits hold stones and hands exactly; only the lines of once-per-line rules have to be hashed in.
        let lines = if self.once_per_line() { own_lines_first(pos).wrapping_mul(0x9E37_79B9_7F4A_7C15) } else { 0 };
        pos.packed() ^ lines
    }
}

/// Returns the formed lines of both sides, the mover's in the low bits.
fn own_lines_first(pos: &Position) -> u64 {
    let both = pos.lines_of_both();
    match pos.side() {
        Side::White => both,
        Side::Black => both >> LINES_WITH_DIAGONALS | (both & 0xF_FFFF) << LINES_WITH_DIAGONALS,
    }
}

#[cfg(test)]
mod tests {
    use super::super::rules::{LASKER, MORABARABA, MYLOS};
    use super::*;
    use crate::game::Notation;
    use crate::play::Play;

    fn custom(rules: Rules) -> Morris<CUSTOM> {
        Morris::new(rules)
    }

    #[test]
    fn the_next_progress_ends_the_game_of_the_last_stones() {
        let ends = |rules: Rules, fen: &str| {
            let game = custom(rules);
            game.next_progress_ends(&game.parse_fen(fen).expect("valid").position)
        };
        let three = "1O1/3/3/X4O/3/3/XOX w 0 0";
        assert!(ends(MORRIS, three) && ends(Rules { no_mill_draw: 0, ..MORRIS }, three));
        assert!(!ends(MORRIS, "1O1/1O1/3/X4O/3/3/XOX w 0 0"), "four stones");
        assert!(!ends(MORRIS, "1O1/3/3/X4O/3/3/XX1 w 1 0"), "one in hand");
        // Mills that take nothing are progress too.
        assert!(!ends(Rules { once_per_line: true, ..MORRIS }, three));
        assert!(!ends(Rules { removal: Removal::Never, ..MORRIS }, three));
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
    fn each_mill_takes_a_stone() {
        let rules = Rules { removals: Removals::EachMill, ..MORRIS };
        let starting = |rules: Rules, fen: &str, start: &str| {
            let mut moves = texts(&custom(rules), fen);
            moves.retain(|text| text.starts_with(start));
            moves.sort_unstable();
            moves
        };
        let pairs = starting(rules, "OO1/3/3/5O/3/3/X1O w 5 8", "g7");
        assert_eq!(pairs, ["g7xa1"], "there is no second one to take");
        assert_eq!(starting(rules, "OO1/3/3/5O/3/3/XXO w 5 7", "g7"), ["g7xa1xd1"]);
        // The first stone removed may free others: two of a mill may go, and after the loose one any of the mill.
        let of_a_mill = starting(rules, "OO1/3/3/5O/XXX/3/2O w 5 6", "g7");
        assert_eq!(of_a_mill, ["g7xc3xd3", "g7xc3xe3", "g7xd3xe3"]);
        assert_eq!(starting(rules, "OO1/3/3/5O/XXX/3/X1O w 5 5", "g7"), ["g7xc3xa1", "g7xd3xa1", "g7xe3xa1"]);
        let never = Rules { removal: Removal::Never, ..rules };
        assert_eq!(starting(never, "OO1/3/3/5O/XXX/3/X1O w 5 5", "g7"), ["g7xa1"]);
        assert_eq!(starting(never, "OO1/3/3/5O/XXX/3/2O w 5 5", "g7"), ["g7"]);
        // Where three lines meet, three.
        let three = Rules { diagonals: true, stones: 12, ..rules };
        assert_eq!(starting(three, "1OO/O2/O2/O3X1/3/3/OXX w 5 9", "a7"), ["a7xf4xd1xg1"]);
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

    /// Of the slides that remove no stone, only those that close a mill reset the draw counter.
    #[test]
    fn a_mill_that_takes_nothing_is_progress() {
        let counter = |rules: Rules, fen: &str, text: &str| {
            let play = Play::set_up(custom(rules), Some(fen), [text]).unwrap_or_else(|fault| panic!("{fault}"));
            play.position().plies_without_progress()
        };
        let all_in_a_mill = "OO1/3/3/5O/3/3/XXX w 0 0 7 9";
        assert_eq!(counter(MYLOS, all_in_a_mill, "g4g7"), 0, "no stone may be taken");
        assert_eq!(counter(MYLOS, all_in_a_mill, "g4f4"), 8);
        let none_on_the_board = "OO1/3/3/5O/3/3/3 w 6 9 7 9";
        assert_eq!(counter(LASKER, none_on_the_board, "g4g7"), 0, "there is no stone to take");
        assert_eq!(counter(LASKER, none_on_the_board, "g4f4"), 8);
        let one_outside = "OO1/3/3/5O/3/X2/XX1 w 0 0 7 9";
        assert_eq!(counter(MYLOS, one_outside, "g4g7xb2"), 0);
        assert_eq!(counter(MYLOS, one_outside, "g4f4"), 8);
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
