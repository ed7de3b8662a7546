//! The rule sets of the morris family as plain data.

pub use crate::mills::rules::{FEW_STONES, FULL_BOARD, MIN_STONES, Removal, Removals};

use super::game::{CUSTOM, Morris};
use crate::game::MAX_DRAW_PLIES;
use crate::message::Message;
use crate::mills::rules::sentences;
use crate::options::{Field, fields};

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
        sentences(&Morris::<CUSTOM>::new(*self).rules)
    }
}

const BOARDS: &[&str] = &["plain", "diagonals"];

/// The options of these rules.
pub(crate) const FIELDS: &[Field<Rules>] = fields!(Rules {
    stones: Field::number("Stones", [MIN_STONES as u16, 12], |r| r.stones.into(), |r, stones| r.stones = stones as u8),
    flying: Field::switch("Flying", |r| r.flying, |r, on| r.flying = on),
    removal: Field::word("Removal", Removal::NAMES, |r| r.removal.name(), |r, name| r.removal = Removal::named(name),),
    removals: Field::word(
        "Removals",
        Removals::NAMES,
        |r| r.removals.name(),
        |r, name| r.removals = Removals::named(name),
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
