//! A second, slow implementation of the rules, written from their description with boards as plain lists of letters. It
//! shares no code with the engine that it is compared with.

pub mod morris;
pub mod smess;

/// A game in progress.
pub trait Reference: Clone {
    /// Returns the texts of the legal moves.
    fn moves(&self) -> Vec<String>;

    /// Plays a legal move.
    fn play(&mut self, text: &str);

    /// Returns `win`, `loss` or `draw` for the side to move, and the reason.
    fn ending(&self) -> Option<(&'static str, &'static str)>;

    /// Returns the FEN.
    fn fen(&self) -> String;
}

/// Returns a row of a FEN: runs of free places become digits.
pub fn row_text(row: &[char]) -> String {
    let mut text = String::new();
    let mut run = 0;
    for &place in row {
        if place == '.' {
            run += 1;
            continue;
        }
        if run > 0 {
            text.push_str(&run.to_string());
            run = 0;
        }
        text.push(place);
    }
    if run > 0 {
        text.push_str(&run.to_string());
    }
    text
}
