//! The game as a type, with the rule switches resolved at compile time.

use super::board::{
    ALL, BOARDS, Closers, MIDDLES, NEIGHBOURS, POINTS, PointSet, anticlockwise, clockwise, in_mills, inwards,
    neighbours, outwards, pairing_points, points,
};
use super::eval::wdl_model;
use super::rules::{MORRIS, Removal, Removals, Rules};
use super::symmetry::{INVERSE, POINT_IMAGE, canonical, image};
use super::{mfen, sanmill};
use crate::game::fen::Faults;
use crate::game::{DrawRules, Placed};
use crate::mills::board::{Board, bit};
use crate::mills::{MillRules, Mills, Position};
use crate::network::Learned;
use crate::search::score::WdlModel;

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

/// The rules of the morris family. `S` is either the set of its switches, which are then resolved at compile time, or
/// [`CUSTOM`]. That works for every rule set and is slower.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switched<const S: u8>(Rules);

/// A rule set of the morris family.
pub type Morris<const S: u8> = Mills<Switched<S>>;

impl<const S: u8> Morris<S> {
    /// Creates this rule set.
    ///
    /// # Panics
    /// Panics if `S` is not [`CUSTOM`] and contradicts the rules: a programming error.
    pub fn new(rules: Rules) -> Self {
        assert!(S == CUSTOM || S == switches(&rules), "switches {S:#x} contradict {rules:?}");
        Mills { rules: Switched(rules) }
    }

    /// Returns the rules as data.
    pub const fn rules(&self) -> &Rules {
        &self.rules.0
    }

    /// Returns whether the corner diagonals are lines.
    #[inline(always)]
    pub const fn diagonals(&self) -> bool {
        self.rules.diagonals()
    }

    /// Returns whether a side with stones in hand may slide one.
    #[inline(always)]
    pub fn slides_while_placing(&self) -> bool {
        self.rules.slides_while_placing()
    }

    /// Counts the moves without a loop over stones: all stones step at once.
    #[inline(always)]
    fn count_in_bulk(&self, pos: &Position) -> u64 {
        let (own, free) = (pos.own(), ALL & !(pos.own() | pos.opp()));
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

impl<const S: u8> Switched<S> {
    #[inline(always)]
    const fn diagonals(&self) -> bool {
        if S == CUSTOM { self.0.diagonals } else { S & DIAGONALS != 0 }
    }
}

impl<const S: u8> MillRules for Switched<S> {
    const ID: &'static str = "morris";
    const EXAMPLES: &'static [&'static str] = &["d6", "a4a7", "d6xb4"];

    type Plain = Switched<CUSTOM>;

    #[inline(always)]
    fn plain(&self) -> Switched<CUSTOM> {
        Switched(self.0)
    }

    #[inline(always)]
    fn board(&self) -> &'static Board {
        &BOARDS[usize::from(self.diagonals())]
    }

    fn stones(&self) -> u8 {
        self.0.stones
    }

    #[inline(always)]
    fn flying(&self) -> bool {
        if S == CUSTOM { self.0.flying } else { S & FLYING != 0 }
    }

    #[inline(always)]
    fn never(&self) -> bool {
        if S == CUSTOM { matches!(self.0.removal, Removal::Never) } else { S & NEVER != 0 }
    }

    #[inline(always)]
    fn slides_while_placing(&self) -> bool {
        if S == CUSTOM { self.0.slides_while_placing } else { S & SLIDES != 0 }
    }

    #[inline(always)]
    fn once_per_line(&self) -> bool {
        S == CUSTOM && self.0.once_per_line
    }

    #[inline(always)]
    fn each_mill(&self) -> bool {
        S == CUSTOM && matches!(self.0.removals, Removals::EachMill)
    }

    fn draw_rules(&self) -> DrawRules {
        DrawRules { repetition: self.0.repetition_draw, progress_limit: self.0.no_mill_draw }
    }

    fn board_sentences(&self) -> &'static [&'static str] {
        if self.diagonals() { &["morris.board", "morris.diagonals"] } else { &["morris.board"] }
    }

    fn wdl_model(&self) -> WdlModel {
        wdl_model(&self.0)
    }

    #[inline(always)]
    fn positional(game: &Morris<S>, pos: &Position) -> (&'static str, i32) {
        ("network", game.correction(pos))
    }

    /// Reads a FEN, of this program or of Sanmill, or a record of MIF.
    fn read(game: &Morris<S>, text: &str) -> Result<Placed<Position>, Faults> {
        let game = Morris::<CUSTOM>::new(*game.rules());
        match text.split_whitespace().next() {
            Some(board) if board.starts_with(mfen::PREFIX) => game.read_record(text),
            Some(board) if sanmill::is_board(board) => game.read_sanmill_fen(text),
            _ => game.read_fen(text),
        }
    }

    #[inline(always)]
    fn points(&self) -> PointSet {
        ALL
    }

    #[inline(always)]
    fn closers(&self, own: PointSet) -> PointSet {
        Closers::of(own, self.diagonals()).by_placing()
    }

    #[inline(always)]
    fn in_mills(&self, own: PointSet) -> PointSet {
        in_mills(own, self.diagonals())
    }

    #[inline(always)]
    fn neighbours(&self, set: PointSet) -> PointSet {
        neighbours(set, self.diagonals())
    }

    #[inline(always)]
    fn neighbours_of(&self, p: u32) -> PointSet {
        NEIGHBOURS[usize::from(self.diagonals())][p as usize]
    }

    #[inline(always)]
    fn pairing_points(&self, own: PointSet, free: PointSet) -> PointSet {
        pairing_points(own, free, self.diagonals())
    }

    #[inline(always)]
    fn crossing(&self, p: u32) -> i32 {
        CROSSINGS[usize::from(self.diagonals())][(p % NO_POINT) as usize]
    }

    #[inline(always)]
    fn canonical(&self, stones: u64) -> (u64, u8) {
        canonical(stones)
    }

    #[inline(always)]
    fn image_of(&self, symmetry: u8, p: u32) -> u32 {
        POINT_IMAGE[usize::from(symmetry)][p as usize].into()
    }

    #[inline(always)]
    fn image(&self, symmetry: u8, set: PointSet) -> PointSet {
        image(symmetry.into(), set)
    }

    #[inline(always)]
    fn inverse(&self, symmetry: u8) -> u8 {
        INVERSE[usize::from(symmetry)]
    }

    #[inline(always)]
    fn count_moves(game: &Morris<S>, pos: &Position) -> u64 {
        game.count_in_bulk(pos)
    }
}

/// A power of two above all points.
const NO_POINT: u32 = 32;

/// The values of points by their neighbours; no point at all has the value 0.
static CROSSINGS: [[i32; NO_POINT as usize]; 2] = {
    let mut table = [[0; NO_POINT as usize]; 2];
    let mut p = 0;
    while p < POINTS {
        table[0][p] = 40 * NEIGHBOURS[0][p].count_ones() as i32;
        table[1][p] = 40 * NEIGHBOURS[1][p].count_ones() as i32;
        p += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::super::rules::{LASKER, MORABARABA, MYLOS};
    use super::*;
    use crate::game::{Ending, Game, Notation, Side, Verdict};
    use crate::mills::FULL_BOARD;
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
