//! Counts of the positions of a sector.

use millbrain_core::game::value::Value;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Numbers of positions by result, for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Counts {
    /// Won positions.
    pub wins: u64,
    /// Lost positions.
    pub losses: u64,
    /// Drawn positions.
    pub draws: u64,
}

impl Counts {
    /// Counts all positions.
    pub const fn total(&self) -> u64 {
        self.wins + self.losses + self.draws
    }

    /// Adds positions of this value.
    pub fn add(&mut self, value: Value, positions: u64) {
        match value {
            Value::Win(_) => self.wins += positions,
            Value::Loss(_) => self.losses += positions,
            Value::Draw => self.draws += positions,
        }
    }

    /// Returns the sum of both.
    pub const fn plus(self, other: Counts) -> Counts {
        Counts { wins: self.wins + other.wins, losses: self.losses + other.losses, draws: self.draws + other.draws }
    }
}

/// A position of the longest distance.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Longest {
    /// Distance in plies.
    pub plies: u32,
    /// The position.
    pub fen: String,
}

/// The figures of one or more sectors.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Tally {
    /// Counts with a position and its images counted once.
    pub reduced: Counts,
    /// Counts with every image counted.
    pub unreduced: Counts,
    /// The longest win of the side to move.
    pub longest_win: Option<Longest>,
    /// The longest loss of the side to move.
    pub longest_loss: Option<Longest>,
}

impl Tally {
    /// Returns the counts alone.
    pub fn counts(self) -> Tally {
        Tally { longest_win: None, longest_loss: None, ..self }
    }

    /// Adds the figures of another sector. Of two positions with the longest distance the first remains.
    pub fn add(&mut self, other: &Tally) {
        self.reduced = self.reduced.plus(other.reduced);
        self.unreduced = self.unreduced.plus(other.unreduced);
        for (longest, others) in
            [(&mut self.longest_win, &other.longest_win), (&mut self.longest_loss, &other.longest_loss)]
        {
            let plies = |longest: &Option<Longest>| longest.as_ref().map(|longest| longest.plies);
            if plies(others) > plies(longest) {
                longest.clone_from(others);
            }
        }
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Counts { wins, losses, draws } = self;
        write!(f, "{wins} won, {losses} lost, {draws} drawn")
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (all images: {})", self.reduced, self.unreduced)?;
        for (what, longest) in [("win", &self.longest_win), ("loss", &self.longest_loss)] {
            if let Some(Longest { plies, fen }) = longest {
                write!(f, ", longest {what} {plies} plies ({fen})")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tally_is_reported_in_one_line() {
        let mut counts = Counts::default();
        for (value, positions) in [(Value::Win(3), 5), (Value::Loss(2), 6), (Value::Draw, 7), (Value::Win(1), 1)] {
            counts.add(value, positions);
        }
        assert_eq!((counts.to_string().as_str(), counts.total()), ("6 won, 6 lost, 7 drawn", 19));
        let twice = counts.plus(counts);
        assert_eq!((twice.wins, twice.losses, twice.draws), (12, 12, 14));
        let longest = |plies| Some(Longest { plies, fen: "FEN".to_string() });
        let tally = Tally { reduced: counts, unreduced: twice, longest_win: longest(3), longest_loss: None };
        let counted = "6 won, 6 lost, 7 drawn (all images: 12 won, 12 lost, 14 drawn)";
        assert_eq!(tally.to_string(), format!("{counted}, longest win 3 plies (FEN)"));
        let tally = Tally { longest_win: None, longest_loss: longest(2), ..tally };
        assert_eq!(tally.to_string(), format!("{counted}, longest loss 2 plies (FEN)"));
    }
}
