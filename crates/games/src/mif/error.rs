//! What is wrong with a text of MIF.

use millbrain_core::game::fen::{Faults, shorten};
use millbrain_core::play::MoveFault;
use serde_json::Value;

/// What is wrong with a text of MIF, or why there is none of a game.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MifError {
    /// The text is not JSON.
    #[error("{0}")]
    Json(String),
    /// A member that is missing, unknown, or has another value; the path is a JSON pointer.
    #[error("{path} is {found}, expected {expected}")]
    Member {
        /// Where it stands.
        path: String,
        /// What is there.
        found: String,
        /// What was expected there.
        expected: String,
    },
    /// A number whose digest is another for every reader.
    #[error("the number {0}, expected whole numbers below 2^53 in what has a digest")]
    Number(String),
    /// Rules that the format cannot tell.
    #[error("no manifest can tell the rule {0}, expected a game without it")]
    Rules(&'static str),
    /// Rules that the text only refers to.
    #[error("the rules {0:?} are none of this program's, expected their manifest in the text (mode portable)")]
    Unresolved(String),
    /// The first position.
    #[error("{path}: {faults}")]
    Position {
        /// Where it stands.
        path: &'static str,
        /// What is wrong with it.
        #[source]
        faults: Faults,
    },
    /// An event that cannot be.
    #[error("event {seq} {fault}")]
    Event {
        /// Its number, from 1.
        seq: usize,
        /// What is wrong with it.
        #[source]
        fault: MoveFault,
    },
    /// The last position is not the one that the events lead to.
    #[error("/current is {given:?}, but the events lead to {reached:?}")]
    Checkpoint {
        /// What the text has.
        given: String,
        /// What the events lead to.
        reached: String,
    },
}

impl MifError {
    pub(super) fn member(path: &str, found: Option<&Value>, expected: &str) -> MifError {
        let found = found.map_or("missing".to_string(), |value| shorten(&value.to_string()));
        MifError::Member { path: path.to_string(), found, expected: expected.to_string() }
    }
}
