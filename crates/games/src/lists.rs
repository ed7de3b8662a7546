//! The move lists of the program Sanmill. Rows are numbered, a stone moves as `a4-a7`, and a removed stone is a word of
//! its own after the move that closes the mill:
//!
//! ```text
//! 1.    d6    f4
//! 2.    a4-a7 xg1    d2
//! ```
//!
//! A game from a position begins with a tag that has Sanmill's FEN. A result that the moves do not show ends the list.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use crate::game::{Game, NotationError};
use crate::movetext::tag;
use crate::record::Outcome;
use crate::sanmill;
use millbrain_core::game::Side;
use std::fmt::Write;

/// Writes the main line of a game.
///
/// # Errors
/// Fails for a game of another family, or invalid rules or FEN.
pub(crate) fn write(game: &Game) -> Result<String, NotationError> {
    let first = game.first()?;
    if first.family() != "morris" {
        return Err(game.other_family("Sanmill has no")?);
    }
    let mut text = String::new();
    if game.fen.is_some()
        && let Some(fen) = sanmill::fen(game.rules()?, &first.fen())
    {
        text = tag("FEN", &fen) + "\n";
    }
    let mut cells: Vec<String> = if first.side() == Side::Black { vec!["...".to_string()] } else { Vec::new() };
    let word = |text: &str| sanmill::word(text).replace('x', " x");
    cells.extend(game.main_line().into_iter().map(|node| word(&node.played.text)));
    for (row, cells) in cells.chunks(2).enumerate() {
        let _ = writeln!(text, "{}.    {}", row + 1, cells.join("    "));
    }
    if game.outcome() != Outcome::Open && game.end_by_rules()?.is_none() {
        let _ = writeln!(text, "{}", game.outcome());
    }
    Ok(text)
}
