//! What a person at a terminal sees of a game.

use crate::any::AnyGame;
use crate::game::Side;
use crate::search::score::mate_moves;
use crate::texts::Language;
use anstyle::{AnsiColor, Style};
use std::fmt::Write;

/// How pieces of a side are written.
const fn style(side: Side) -> Style {
    match side {
        Side::White => AnsiColor::BrightYellow.on_default().bold(),
        Side::Black => AnsiColor::BrightBlue.on_default().bold(),
    }
}

/// Whose piece a letter of a diagram is: stones are `O` and `X`, pieces of Smess capital letters and small ones.
const fn owner(letter: char) -> Option<Side> {
    match letter {
        'X' | 'a'..='z' => Some(Side::Black),
        'A'..='Z' => Some(Side::White),
        _ => None,
    }
}

/// The board, the pieces in the colours of their sides; where colours are not wanted, the output leaves them out.
pub fn board(game: &AnyGame) -> String {
    let diagram = game.diagram();
    let lines: Vec<&str> = diagram.lines().collect();
    let mut text = String::new();
    for (i, line) in lines.iter().enumerate() {
        let names_files = i + 1 == lines.len();
        for letter in line.chars() {
            match owner(letter).filter(|_| !names_files) {
                Some(side) => {
                    let style = style(side);
                    let _ = write!(text, "{style}{letter}{style:#}");
                }
                None => text.push(letter),
            }
        }
        text.push('\n');
    }
    text
}

/// Whose move it is, in which phase, and what is in hand and off the board.
pub fn state(game: &AnyGame) -> String {
    let language = Language::default();
    let side = game.side();
    let mut text =
        format!("{} to move, {}", capital(&side.to_string()), language.named("phase", game.phase()).to_lowercase());
    if let Some([white, black]) = game.hands().filter(|hands| hands.iter().any(|&stones| stones > 0)) {
        let _ = write!(text, "; in hand: white {white}, black {black}");
    }
    let [white, black] = game.lost().map(|kinds| kinds.len());
    if white + black > 0 {
        let _ = write!(text, "; taken: white {white}, black {black}");
    }
    text
}

/// A word with a capital letter.
pub fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// A score from the side to move, for a person.
pub fn score(score: i32) -> String {
    match mate_moves(score) {
        Some(moves) if moves > 0 => format!("wins in {moves}"),
        Some(moves) => format!("loses in {}", -moves),
        None => format!("{:+.2}", f64::from(score) / 100.0),
    }
}
