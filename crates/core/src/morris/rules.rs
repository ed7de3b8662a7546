//! The rule sets of the morris family as plain data, and the reasons for the end of a game.

use super::board::POINTS;
use crate::game::{MAX_DRAW_PLIES, Reason};
use crate::message::Message;
use crate::options::{Field, fields};

/// A side has fewer than three stones on board and in hand.
pub const FEW_STONES: Reason = Reason::Rule("few-stones");
/// All 24 points are taken.
pub const FULL_BOARD: Reason = Reason::Rule("full-board");

/// The rule for removing when every enemy stone is in a mill.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Removal {
    /// Any stone may be removed.
    IfAll,
    /// No stone is removed.
    Never,
}

impl Removal {
    /// Returns the name used by the protocol and by tablebases.
    pub const fn name(self) -> &'static str {
        match self {
            Removal::IfAll => "if-all",
            Removal::Never => "never",
        }
    }
}

/// The rule for removing when a move closes several mills at once.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Removals {
    /// One stone is removed.
    One,
    /// One stone is removed for each mill, one after the other.
    EachMill,
}

impl Removals {
    /// Returns the name used by the protocol.
    pub const fn name(self) -> &'static str {
        match self {
            Removals::One => "one",
            Removals::EachMill => "each mill",
        }
    }
}

/// A side with fewer stones, those in hand included, has lost.
pub const MIN_STONES: u8 = 3;

/// A rule set. Every field is also an engine option.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Rules {
    /// Stones of each side, 3..=12.
    pub stones: u8,
    /// Whether a side with three stones and none in hand moves to any free point.
    pub flying: bool,
    /// The rule for removing when every enemy stone is in a mill.
    pub removal: Removal,
    /// The rule for removing when a move closes several mills at once.
    pub removals: Removals,
    /// Whether the corner diagonals are lines and neighbours.
    pub diagonals: bool,
    /// Whether a side with stones in hand may slide instead of placing.
    pub slides_while_placing: bool,
    /// The plies without placement or mill after which the game is drawn; 0 switches the rule off.
    pub no_mill_draw: u16,
    /// Whether the third occurrence of a position is a draw.
    pub repetition_draw: bool,
    /// Whether a side can form a mill on each line only once.
    pub once_per_line: bool,
}

impl Rules {
    /// Returns the sentences of the rules, by the names of [`crate::texts`].
    pub fn sentences(&self) -> Vec<Message> {
        // All fields are named, so that a new option cannot be forgotten.
        let &Rules {
            stones,
            flying,
            removal,
            removals,
            diagonals,
            slides_while_placing,
            no_mill_draw,
            repetition_draw,
            once_per_line,
        } = self;
        let mill = match removals {
            Removals::One => "morris.mill",
            Removals::EachMill => "morris.mill.each",
        };
        let protected = match removal {
            Removal::IfAll => "morris.removal.if-all",
            Removal::Never => "morris.removal.never",
        };
        let plain = [
            (true, "morris.board"),
            (diagonals, "morris.diagonals"),
            (true, "morris.placing"),
            (slides_while_placing, "morris.slides"),
            (true, "morris.moving"),
            (true, if flying { "morris.flying" } else { "morris.no-flying" }),
            (true, mill),
            (true, protected),
            (once_per_line, "morris.once-per-line"),
            (true, "morris.loss"),
            (usize::from(stones) * 2 >= POINTS, "morris.full-board"),
            (repetition_draw, "repetition-draw"),
        ];
        let mut all = vec![Message::counted("morris.stones", stones.into())];
        all.extend(plain.into_iter().filter(|(is_so, _)| *is_so).map(|(_, name)| Message::plain(name)));
        all.extend((no_mill_draw > 0).then(|| Message::counted("morris.no-mill-draw", no_mill_draw.into())));
        all
    }
}

const PROTECTIONS: &[&str] = &[Removal::IfAll.name(), Removal::Never.name()];
const REMOVALS: &[&str] = &[Removals::One.name(), Removals::EachMill.name()];
const BOARDS: &[&str] = &["plain", "diagonals"];

/// The options of these rules.
pub(crate) const FIELDS: &[Field<Rules>] = fields!(Rules {
    stones: Field::number("Stones", [MIN_STONES as u16, 12], |r| r.stones.into(), |r, stones| r.stones = stones as u8),
    flying: Field::switch("Flying", |r| r.flying, |r, on| r.flying = on),
    removal: Field::word(
        "Removal",
        PROTECTIONS,
        |r| r.removal.name(),
        |r, name| r.removal = if name == Removal::Never.name() { Removal::Never } else { Removal::IfAll },
    ),
    removals: Field::word(
        "Removals",
        REMOVALS,
        |r| r.removals.name(),
        |r, name| r.removals = if name == Removals::EachMill.name() { Removals::EachMill } else { Removals::One },
    ),
    diagonals: Field::word(
        "Board",
        BOARDS,
        |r| BOARDS[usize::from(r.diagonals)],
        |r, name| r.diagonals = name == BOARDS[1]
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

/// Tournament rules: the `morris` preset.
pub const MORRIS: Rules = Rules {
    stones: 9,
    flying: true,
    removal: Removal::IfAll,
    removals: Removals::One,
    diagonals: false,
    slides_while_placing: false,
    no_mill_draw: 100,
    repetition_draw: true,
    once_per_line: false,
};

/// `muehle`: a draw after 20 plies without a mill.
pub const MUEHLE: Rules = Rules { no_mill_draw: 20, ..MORRIS };
/// `mylos`: no stone is removed when all enemy stones are in mills.
pub const MYLOS: Rules = Rules { removal: Removal::Never, ..MORRIS };
/// `mlyn`: no flying.
pub const MLYN: Rules = Rules { flying: false, ..MORRIS };
/// `lasker`: ten stones, and stones may slide while placing.
pub const LASKER: Rules = Rules { stones: 10, slides_while_placing: true, ..MORRIS };
/// `morabaraba`: twelve stones and the diagonals.
pub const MORABARABA: Rules = Rules { stones: 12, diagonals: true, ..MORRIS };
