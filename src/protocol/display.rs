//! Describes a position: the answers to `d` and `eval`.

use crate::any::AnyGame;
use crate::game::{Ending, Term};
use std::fmt::Write;

/// Formats a result, such as `white wins (REASON)`.
fn result_text(game: &AnyGame, ending: Ending) -> String {
    match ending.winner(game.side()) {
        Some(winner) => format!("{winner} wins ({})", ending.reason),
        None => format!("draw ({})", ending.reason),
    }
}

/// Formats the board and details of the position for a human reader.
pub fn display(game: &AnyGame) -> String {
    let mut text = game.diagram();
    let mut line = |name: &str, value: &str| {
        let _ = writeln!(text, "{name}: {value}");
    };
    line("Fen", &game.fen());
    line("Key", &format!("{:016x}", game.key()));
    line("Side to move", &game.side().to_string());
    for (name, value) in game.describe() {
        line(name, &value);
    }
    line("Occurrences", &game.occurrences().to_string());
    let moves = game.moves();
    line("Legal moves", &format!("{}{}{}", moves.len(), if moves.is_empty() { "" } else { ": " }, moves.join(" ")));
    if let Some(ending) = game.ending() {
        line("Result", &result_text(game, ending));
    }
    text
}

fn term_lines(terms: &[Term]) -> String {
    let mut text = format!("{:<16} {:>8} {:>8} {:>8}\n", "term", "white", "black", "total");
    for term in terms {
        let _ = writeln!(text, "{:<16} {:>8} {:>8} {:>8}", term.name, term.white, term.black, term.white - term.black);
    }
    text
}

/// Formats the evaluation, term by term.
pub fn evaluation(game: &AnyGame) -> String {
    let mut text = term_lines(&game.terms());
    let _ = match game.ending() {
        Some(ending) => writeln!(text, "Game over: {}", result_text(game, ending)),
        None => writeln!(text, "Evaluation: {} (side to move: {})", game.evaluate(), game.side()),
    };
    text
}
