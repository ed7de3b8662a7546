//! The rule sets of the merels family as plain data.

use super::Merels;
use super::board::{NINE, SEVENTEEN, SIXTEEN};
use crate::game::{DrawRules, MAX_DRAW_PLIES};
use crate::message::Message;
use crate::mills::board::Board;
use crate::mills::rules::{self, MIN_STONES, MillRules};
use crate::mills::{Position, Removal, Removals};
use crate::options::{Field, fields};
use crate::search::score::WdlModel;

/// A board, by its number of points.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Points {
    /// Three rows of three.
    Nine,
    /// Two squares.
    Sixteen,
    /// Two squares and a cross in the inner one.
    Seventeen,
}

impl Points {
    /// All boards.
    pub const ALL: [Points; 3] = [Points::Nine, Points::Sixteen, Points::Seventeen];
    /// Their names.
    const NAMES: &[&str] = &[Points::Nine.name(), Points::Sixteen.name(), Points::Seventeen.name()];

    /// Returns the name used by the protocol and by tablebases.
    pub const fn name(self) -> &'static str {
        match self {
            Points::Nine => "9",
            Points::Sixteen => "16",
            Points::Seventeen => "17",
        }
    }

    /// Returns the board.
    pub const fn board(self) -> &'static Board {
        match self {
            Points::Nine => &NINE,
            Points::Sixteen => &SIXTEEN,
            Points::Seventeen => &SEVENTEEN,
        }
    }

    const fn sentences(self) -> &'static [&'static str] {
        match self {
            Points::Nine => &["merels.board.9"],
            Points::Sixteen => &["merels.board.16"],
            Points::Seventeen => &["merels.board.17"],
        }
    }
}

/// A rule set. Every field is also an engine option.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Rules {
    /// The board.
    pub points: Points,
    /// Stones of each side, 3..=12.
    pub stones: u8,
    /// Whether a side with three stones and none in hand moves to any free point.
    pub flying: bool,
    /// Whether the first mill wins. Otherwise a mill removes a stone.
    pub first_mill_wins: bool,
    /// The rule for removing when every enemy stone is in a mill.
    pub removal: Removal,
    /// The rule for removing when a move closes several mills at once.
    pub removals: Removals,
    /// Whether a side with stones in hand may slide instead of placing.
    pub slides_while_placing: bool,
    /// Whether a side can form a mill on each line only once.
    pub once_per_line: bool,
    /// The plies without placement or mill after which the game is drawn; 0 switches the rule off.
    pub no_mill_draw: u16,
    /// Whether the third occurrence of a position is a draw.
    pub repetition_draw: bool,
}

impl Rules {
    /// Returns the sentences of the rules, by the names of [`crate::texts`].
    pub fn sentences(&self) -> Vec<Message> {
        rules::sentences(self)
    }
}

/// The options of these rules.
pub(crate) const FIELDS: &[Field<Rules>] = fields!(Rules {
    points: Field::word(
        "Points",
        Points::NAMES,
        |r| r.points.name(),
        |r, name| r.points = Points::ALL.into_iter().find(|points| points.name() == name).unwrap_or(r.points),
    ),
    stones: Field::number("Stones", [MIN_STONES as u16, 12], |r| r.stones.into(), |r, stones| r.stones = stones as u8),
    flying: Field::switch("Flying", |r| r.flying, |r, on| r.flying = on),
    first_mill_wins: Field::switch("First Mill Wins", |r| r.first_mill_wins, |r, on| r.first_mill_wins = on),
    removal: Field::word("Removal", Removal::NAMES, |r| r.removal.name(), |r, name| r.removal = Removal::named(name),),
    removals: Field::word(
        "Removals",
        Removals::NAMES,
        |r| r.removals.name(),
        |r, name| r.removals = Removals::named(name),
    ),
    slides_while_placing: Field::switch(
        "Moves While Placing",
        |r| r.slides_while_placing,
        |r, on| r.slides_while_placing = on
    ),
    once_per_line: Field::switch("Once Per Line Mills", |r| r.once_per_line, |r, on| r.once_per_line = on),
    no_mill_draw: Field::number(
        "No Mill Draw",
        [0, MAX_DRAW_PLIES],
        |r| r.no_mill_draw,
        |r, plies| r.no_mill_draw = plies
    ),
    repetition_draw: Field::switch("Repetition Draw", |r| r.repetition_draw, |r, on| r.repetition_draw = on),
});

/// `six`: two squares, six stones, no flying.
pub const SIX: Rules = Rules {
    points: Points::Sixteen,
    stones: 6,
    flying: false,
    first_mill_wins: false,
    removal: Removal::IfAll,
    removals: Removals::One,
    slides_while_placing: false,
    once_per_line: false,
    no_mill_draw: 100,
    repetition_draw: true,
};
/// `three`: three rows of three points, three stones; the first mill wins.
pub const THREE: Rules = Rules { points: Points::Nine, stones: 3, first_mill_wins: true, ..SIX };
/// `five`: five stones.
pub const FIVE: Rules = Rules { stones: 5, ..SIX };
/// `seven`: seven stones, and a cross in the inner square.
pub const SEVEN: Rules = Rules { points: Points::Seventeen, stones: 7, ..SIX };

/// The worth of a free neighbouring point in centistones.
const FREE_POINT: i32 = 4;

impl MillRules for Rules {
    const ID: &'static str = "merels";
    // Each of these moves exists on all boards.
    const EXAMPLES: &'static [&'static str] = &["c2", "c1c2", "c2xa1"];

    type Plain = Rules;

    fn plain(&self) -> Rules {
        *self
    }

    #[inline]
    fn board(&self) -> &'static Board {
        self.points.board()
    }

    fn stones(&self) -> u8 {
        self.stones
    }

    fn flying(&self) -> bool {
        self.flying
    }

    fn never(&self) -> bool {
        self.removal == Removal::Never
    }

    fn slides_while_placing(&self) -> bool {
        self.slides_while_placing
    }

    fn once_per_line(&self) -> bool {
        self.once_per_line
    }

    fn each_mill(&self) -> bool {
        self.removals == Removals::EachMill
    }

    fn first_mill_wins(&self) -> bool {
        self.first_mill_wins
    }

    fn draw_rules(&self) -> DrawRules {
        DrawRules { repetition: self.repetition_draw, progress_limit: self.no_mill_draw }
    }

    fn board_sentences(&self) -> &'static [&'static str] {
        self.points.sentences()
    }

    fn wdl_model(&self) -> WdlModel {
        WdlModel::default()
    }

    fn positional(game: &Merels, pos: &Position) -> (&'static str, i32) {
        let reach = |stones| (game.rules.neighbours(stones) & game.free(pos)).count_ones() as i32;
        ("free points", FREE_POINT * (reach(pos.own()) - reach(pos.opp())))
    }
}
