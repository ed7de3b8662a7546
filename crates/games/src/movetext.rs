//! Movetext, the grammar of the portable game notation: tags, moves with their numbers, variations in parentheses,
//! comments in braces or after a semicolon, marks, results.
//!
//! A `Scanner` makes tokens of characters, `Tree` makes moves and variations of tokens, and `write` makes movetext of
//! them. Records, the notation of other programs and lists of moves are all movetext.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing))]

use crate::record::Outcome;

mod info;
mod scan;
mod tree;
mod write;

pub(crate) use info::{Style, take as take_words, write as write_words};
pub use scan::MARKS;
pub(crate) use scan::{Place, Scanner, Token, scan};
pub(crate) use tree::Tree;
pub(crate) use write::{tag, write};

/// The fault of a text of games.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// A tag is invalid.
    #[error("{0:?}, expected [NAME \"VALUE\"]")]
    Tag(String),
    /// A comment has no closing brace.
    #[error("a comment has no end, expected '}}'")]
    OpenComment,
    /// A variation has no closing parenthesis.
    #[error("a variation has no end, expected ')'")]
    OpenVariation,
    /// A parenthesis closes nothing.
    #[error("')' closes no variation, expected '(' before it")]
    NoVariation,
    /// A variation belongs to no move.
    #[error("'(' stands before the first move, expected after the move that the variation replaces")]
    EarlyVariation,
    /// The result after the moves differs from that of the tag.
    #[error("the moves end with {found}, expected {reported} as the tag says")]
    OtherResult {
        /// The result after the moves.
        found: Outcome,
        /// The result of the tag.
        reported: Outcome,
    },
    /// A removal belongs to no move.
    #[error("{0:?} stands before the first move, expected after a move that closes a mill")]
    EarlyRemoval(String),
}

/// A fault of a text, with its line.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: {source}")]
pub struct TextError {
    /// The faulty line, from 1.
    pub line: usize,
    /// The fault.
    pub source: Fault,
}

/// Adds words to a text, with a separator.
pub fn join(text: &mut String, between: &str, more: &str) {
    if !text.is_empty() && !more.is_empty() {
        text.push_str(between);
    }
    text.push_str(more);
}
