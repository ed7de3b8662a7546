//! The rules of Smess that can be changed, as plain data, and the reasons for the end of a game.

use crate::game::{MAX_DRAW_PLIES, Reason};
use crate::message::Message;
use crate::options::{Field, fields};

/// A Brain has been captured.
pub const BRAIN_CAPTURED: Reason = Reason::Rule("brain-captured");
/// Only the two Brains are left.
pub const ONLY_BRAINS: Reason = Reason::Rule("only-brains");

/// The rules that can be changed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Rules {
    /// The plies without capture or promotion after which the game is drawn; 0 switches the rule off.
    pub no_capture_draw: u16,
    /// Whether the third occurrence of a position is a draw.
    pub repetition_draw: bool,
}

impl Rules {
    /// Returns the sentences of the rules, by the names of [`crate::texts`].
    pub fn sentences(&self) -> Vec<Message> {
        // All fields are named, so that a new option cannot be forgotten.
        let &Rules { no_capture_draw, repetition_draw } = self;
        let mut all = [
            "smess.pieces",
            "smess.arrows",
            "smess.moves",
            "smess.captures",
            "smess.promotion",
            "smess.loss",
            "smess.only-brains",
        ]
        .map(Message::plain)
        .to_vec();
        all.extend(repetition_draw.then(|| Message::plain("repetition-draw")));
        all.extend((no_capture_draw > 0).then(|| Message::counted("smess.no-capture-draw", no_capture_draw.into())));
        all
    }
}

/// The options of these rules.
pub(crate) const FIELDS: &[Field<Rules>] = fields!(Rules {
    no_capture_draw: Field::number(
        "No Capture Draw",
        [0, MAX_DRAW_PLIES],
        |r| r.no_capture_draw,
        |r, plies| r.no_capture_draw = plies
    ),
    repetition_draw: Field::switch("Repetition Draw", |r| r.repetition_draw, |r, on| r.repetition_draw = on),
});

/// The `smess` preset.
pub const SMESS: Rules = Rules { no_capture_draw: 100, repetition_draw: true };

impl Default for Rules {
    fn default() -> Rules {
        SMESS
    }
}
