//! The faults of a text of MIF.

use millbrain_core::game::fen::{Faults, shorten};
use millbrain_core::play::MoveFault;
use serde_json::Value;

/// The fault of a text of MIF, or the reason why a game cannot be written.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MifError {
    /// The text is not JSON.
    #[error("{0}")]
    Json(String),
    /// A member is missing or unknown, or has a wrong value; the path is a JSON pointer.
    #[error("{path} is {found}, expected {expected}")]
    Member {
        /// Its path.
        path: String,
        /// The found value.
        found: String,
        /// The expected value.
        expected: String,
    },
    /// The digest of a number differs between readers.
    #[error("the number {0}, expected whole numbers below 2^53 in what has a digest")]
    Number(String),
    /// The format cannot express the rules.
    #[error("no manifest can tell the rule {0}, expected a game without it")]
    Rules(&'static str),
    /// The text only refers to its rules.
    #[error("the rules {0:?} are none of this program's, expected their manifest in the text (mode portable)")]
    Unresolved(String),
    /// The first position is invalid.
    #[error("{path}: {faults}")]
    Position {
        /// Its path.
        path: &'static str,
        /// The faults.
        #[source]
        faults: Faults,
    },
    /// An event is impossible.
    #[error("event {seq} {fault}")]
    Event {
        /// Its number, from 1.
        seq: usize,
        /// The fault.
        #[source]
        fault: MoveFault,
    },
    /// The last position is not the one that the events lead to.
    #[error("/current is {given:?}, but the events lead to {reached:?}")]
    Checkpoint {
        /// The position in the text.
        given: String,
        /// The position that the events lead to.
        reached: String,
    },
}

impl MifError {
    pub(super) fn member(path: &str, found: Option<&Value>, expected: &str) -> MifError {
        let found = found.map_or("missing".to_string(), |value| shorten(&value.to_string()));
        MifError::Member { path: path.to_string(), found, expected: expected.to_string() }
    }
}
