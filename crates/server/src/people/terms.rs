//! Colours, terms, actions and offers of players, and their faults.

use millbrain_core::game::Side;
use millbrain_core::options::OptionFault;
use millbrain_core::play::MoveFault;
use millbrain_core::variant::UnknownVariant;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Digits of a secret.
pub(super) const SECRET: usize = 32;

/// Maximum lines of a plan, and maximum moves of a line.
pub(super) const PLANNED: usize = 20;

/// White or Black.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Colour {
    /// Moves first.
    White,
    /// Moves second.
    Black,
}

impl Colour {
    /// Returns the other colour.
    pub const fn other(self) -> Colour {
        match self {
            Colour::White => Colour::Black,
            Colour::Black => Colour::White,
        }
    }

    /// Returns the side of a game.
    pub const fn side(self) -> Side {
        match self {
            Colour::White => Side::White,
            Colour::Black => Side::Black,
        }
    }
}

impl From<Side> for Colour {
    fn from(side: Side) -> Colour {
        match side {
            Side::White => Colour::White,
            Side::Black => Colour::Black,
        }
    }
}

/// A value for White and one for Black.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Both<T> {
    /// White's value.
    pub white: T,
    /// Black's value.
    pub black: T,
}

impl<T> Both<T> {
    /// Returns the value of a side.
    pub const fn of(&self, colour: Colour) -> &T {
        match colour {
            Colour::White => &self.white,
            Colour::Black => &self.black,
        }
    }

    /// Returns the mutable value of a side.
    pub const fn of_mut(&mut self, colour: Colour) -> &mut T {
        match colour {
            Colour::White => &mut self.white,
            Colour::Black => &mut self.black,
        }
    }
}

/// An offer of one player to the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Offer {
    /// A draw.
    Draw,
    /// Taking back the last move of the player who offers.
    Takeback,
    /// Another game with the colours exchanged.
    Rematch,
}

/// The side that has made each open offer.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Offers {
    pub(super) draw: Option<Colour>,
    pub(super) takeback: Option<Colour>,
    pub(super) rematch: Option<Colour>,
}

impl Offers {
    /// Returns the side of an open offer.
    pub(super) const fn of(&mut self, offer: Offer) -> &mut Option<Colour> {
        match offer {
            Offer::Draw => &mut self.draw,
            Offer::Takeback => &mut self.takeback,
            Offer::Rematch => &mut self.rematch,
        }
    }
}

/// An action of a player in a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Act {
    /// Plays a move.
    Move {
        /// Number of moves before it.
        ply: usize,
        /// Text of the move.
        text: String,
    },
    /// Prepares answers to moves of the opponent, in place of those prepared before.
    Plan {
        /// Number of moves before them.
        ply: usize,
        /// Lines of moves, each of the opponent's with the answer.
        lines: Vec<Vec<String>>,
    },
    /// Makes an offer.
    Offer(Offer),
    /// Accepts an offer of the opponent.
    Accept(Offer),
    /// Declines an offer of the opponent, or withdraws the player's own.
    Decline(Offer),
    /// Resigns.
    Resign,
    /// Withdraws an invitation that no one has accepted.
    Cancel,
}

/// Why an action is refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// Unknown variant.
    #[error(transparent)]
    Variant(#[from] UnknownVariant),
    /// Invalid house rules.
    #[error(transparent)]
    Rules(#[from] OptionFault),
    /// Invalid clock.
    #[error("clock {0:?}, expected seconds such as 300+3, or 40/300 for periods of 40 moves")]
    Clock(String),
    /// Invalid secret.
    #[error("token, expected {SECRET} digits 0-9 and a-f, picked at random")]
    Token,
    /// Both seats are taken.
    #[error("both seats are taken, expected to watch")]
    Taken,
    /// Nobody has joined yet, or the game is over.
    #[error("the game is not being played")]
    NotPlaying,
    /// The game is not over.
    #[error("the game is not over")]
    NotOver,
    /// The other side is to move.
    #[error("the other side is to move")]
    NotYours,
    /// The player is to move.
    #[error("you are to move, expected the other side to be")]
    Yours,
    /// A plan of another form.
    #[error("plan, expected at most {PLANNED} lines of 2 to {PLANNED} moves, each ending with your answer")]
    Plan,
    /// Other moves have been played.
    #[error("there are {found} moves, expected a move after these")]
    Stale {
        /// Number of moves played.
        found: usize,
    },
    /// The rules do not allow the move.
    #[error("move {text:?} {fault}")]
    Move {
        /// Text of the move.
        text: String,
        /// Fault of the move.
        fault: MoveFault,
    },
    /// There is no such offer to accept or decline.
    #[error("there is no such offer")]
    NoOffer,
    /// The same offer was already made at this move.
    #[error("this was offered already, expected to wait for a move")]
    Again,
    /// There is no move to take back.
    #[error("you have no move to take back")]
    NoMove,
    /// The other player is already seated.
    #[error("the other player is there, expected to resign")]
    Begun,
}

impl Fault {
    /// Returns the ID of the fault; `docs/server.md` lists all of them.
    pub const fn code(&self) -> &'static str {
        match self {
            Fault::Variant(_) => "variant",
            Fault::Rules(_) => "rules",
            Fault::Clock(_) => "clock",
            Fault::Token => "token",
            Fault::Taken => "taken",
            Fault::NotPlaying => "not-playing",
            Fault::NotOver => "not-over",
            Fault::NotYours => "not-yours",
            Fault::Yours => "yours",
            Fault::Plan => "plan",
            Fault::Stale { .. } => "stale",
            Fault::Move { .. } => "move",
            Fault::NoOffer => "no-offer",
            Fault::Again => "again",
            Fault::NoMove => "no-move",
            Fault::Begun => "begun",
        }
    }

    /// Returns the values for the message, by name.
    pub fn values(&self) -> Value {
        match self {
            Fault::Clock(text) | Fault::Move { text, .. } => json!({"text": text}),
            Fault::Stale { found } => json!({"n": found}),
            _ => json!({}),
        }
    }
}

/// The terms of a game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Terms {
    /// Name of the variant.
    pub variant: String,
    /// House rules, as in `Stones=7,Flying=false`.
    #[serde(default)]
    pub rules: String,
    /// Clock in seconds, `[MOVES/]BASE[+INCREMENT]`; `None` for a correspondence game.
    #[serde(default)]
    pub clock: Option<String>,
    /// Whether the lobby lists the game.
    #[serde(default)]
    pub listed: bool,
}
