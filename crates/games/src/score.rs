//! Scores as engines report them and records store them.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A score from the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Score {
    /// Hundredths of a stone.
    Cp(i32),
    /// Own moves to the win; negative for moves to the loss.
    Mate(i32),
}

impl Score {
    /// Returns the score in centistones; a win is near 100,000, a loss near -100,000.
    pub const fn centistones(self) -> i32 {
        match self {
            Score::Cp(score) => score,
            Score::Mate(moves) if moves > 0 => 100_000 - moves,
            Score::Mate(moves) => -100_000 - moves,
        }
    }
}

/// Prints stones, or moves to the end: `+0.35`, or `-M4` for a loss in four moves.
impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Score::Cp(score) => {
                let sign = if score < 0 { '-' } else { '+' };
                write!(f, "{sign}{}.{:02}", score.unsigned_abs() / 100, score.unsigned_abs() % 100)
            }
            Score::Mate(moves) => write!(f, "{}M{}", if moves > 0 { '+' } else { '-' }, moves.unsigned_abs()),
        }
    }
}

/// The error for a text that is not a score.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("score {0:?}, expected one such as +0.35 or -M4")]
pub struct UnknownScore(String);

/// Parses a decimal number below a million, rounded to hundredths. It avoids floating point, whose tables would be a
/// twentieth of a page's module.
fn hundredths(text: &str) -> Option<i32> {
    let (is_negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if whole.len() + part.len() == 0 || whole.len() > 6 || !is_number(whole) || !is_number(part) {
        return None;
    }
    let digit = |at: usize| part.as_bytes().get(at).map_or(0, |&byte| i32::from(byte - b'0'));
    let whole: i32 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
    let hundredths = 100 * whole + 10 * digit(0) + digit(1) + i32::from(digit(2) >= 5);
    Some(if is_negative { -hundredths } else { hundredths })
}

/// Inverts `to_string`.
impl FromStr for Score {
    type Err = UnknownScore;

    fn from_str(text: &str) -> Result<Score, UnknownScore> {
        let mate = |sign: i32, moves: &str| moves.parse().ok().map(|moves: u16| Score::Mate(sign * i32::from(moves)));
        let score = if let Some(moves) = text.strip_prefix("+M") {
            mate(1, moves)
        } else if let Some(moves) = text.strip_prefix("-M") {
            mate(-1, moves)
        } else {
            hundredths(text).map(Score::Cp)
        };
        score.ok_or_else(|| UnknownScore(text.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wins_are_better_the_sooner_they_come() {
        let scores = [Score::Mate(2), Score::Mate(3), Score::Cp(9), Score::Mate(-3), Score::Mate(-2)];
        assert_eq!(scores.map(Score::centistones), [99_998, 99_997, 9, -99_997, -99_998]);
        // Mate in 0: the game has been lost.
        assert_eq!(Score::Mate(0).centistones(), -100_000);
    }

    #[test]
    fn scores_come_back_from_their_text() {
        let texts = ["-0.07", "+0.00", "+1.23", "+M3", "-M4", "-M0"];
        let scores = [Score::Cp(-7), Score::Cp(0), Score::Cp(123), Score::Mate(3), Score::Mate(-4), Score::Mate(0)];
        assert_eq!(scores.map(|score| score.to_string()), texts);
        assert_eq!(texts.map(str::parse), scores.map(Ok));
        let texts = ["1", "-.5", "+2.", "0.125", "-0.124", "999999.994"];
        let scores = [100, -50, 200, 13, -12, 99_999_999].map(Score::Cp);
        assert_eq!(texts.map(str::parse), scores.map(Ok));
        for text in
            ["", "M3", "+M", "+M-3", "+M70000", "NaN", "inf", "1e9", "0.3x", "+", "-.", ".", "--1", "1000000", "1.2.3"]
        {
            assert!(text.parse::<Score>().is_err(), "{text}");
        }
    }
}
