//! Scores as engines tell them and records keep them.

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
    /// In centistones; a win is near 100,000, a loss near -100,000.
    pub const fn centistones(self) -> i32 {
        match self {
            Score::Cp(score) => score,
            Score::Mate(moves) if moves > 0 => 100_000 - moves,
            Score::Mate(moves) => -100_000 - moves,
        }
    }
}

/// In stones, or moves to the end: `+0.35`, or `-M4` for a loss in four moves.
impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Score::Cp(score) => write!(f, "{:+.2}", f64::from(score) / 100.0),
            Score::Mate(moves) => write!(f, "{}M{}", if moves > 0 { '+' } else { '-' }, moves.unsigned_abs()),
        }
    }
}

/// A text that is no score.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("score {0:?}, expected one such as +0.35 or -M4")]
pub struct UnknownScore(String);

/// The inverse of `to_string`.
impl FromStr for Score {
    type Err = UnknownScore;

    fn from_str(text: &str) -> Result<Score, UnknownScore> {
        let mate = |sign: i32, moves: &str| moves.parse().ok().map(|moves: u16| Score::Mate(sign * i32::from(moves)));
        let score = if let Some(moves) = text.strip_prefix("+M") {
            mate(1, moves)
        } else if let Some(moves) = text.strip_prefix("-M") {
            mate(-1, moves)
        } else {
            let stones = text.parse::<f64>().ok().filter(|stones| stones.abs() < 1e6);
            stones.map(|stones| Score::Cp((stones * 100.0).round() as i32))
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
        assert_eq!(["1", "-.5"].map(str::parse), [Ok(Score::Cp(100)), Ok(Score::Cp(-50))]);
        for text in ["", "M3", "+M", "+M-3", "+M70000", "NaN", "inf", "1e9", "0.3x"] {
            assert!(text.parse::<Score>().is_err(), "{text}");
        }
    }
}
