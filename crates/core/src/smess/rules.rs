//! The rules of Smess that can be changed, as plain data, and the reasons for the end of a game.

use crate::game::Reason;

/// A Brain has been captured.
pub const BRAIN_CAPTURED: Reason = Reason::Rule("Brain captured");
/// Only the two Brains are left.
pub const ONLY_BRAINS: Reason = Reason::Rule("only the two Brains are left");

/// The rules that can be changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rules {
    /// Draw after this many plies without capture or promotion; 0 switches the rule off.
    pub no_capture_draw: u16,
    /// Draw on the third occurrence of a position.
    pub repetition_draw: bool,
}

impl Default for Rules {
    fn default() -> Rules {
        Rules { no_capture_draw: 100, repetition_draw: true }
    }
}
