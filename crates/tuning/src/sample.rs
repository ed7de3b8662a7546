//! Reads labelled positions.

use millbrain_core::game::Notation;
use millbrain_core::game::fen::Faults;
use std::num::ParseIntError;

/// The error for a line that is not a labelled position.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SampleError {
    /// The line has neither three nor four fields.
    #[error("expected 'FEN;score;result' or 'FEN;score;result;plies'")]
    Fields,
    /// The FEN is faulty.
    #[error(transparent)]
    Fen(#[from] Faults),
    /// The score, result or plies are not a whole number.
    #[error("{text:?}: {source}")]
    Number {
        /// The text found.
        text: String,
        /// The fault in it.
        source: ParseIntError,
    },
    /// The result is another number.
    #[error("result {0:?}, expected 1, 0 or -1")]
    Result(String),
    /// A number of plies belongs to neither a win nor a loss, or is below 0.
    #[error("plies {0:?}, expected those of a win or loss, from 0")]
    Plies(String),
}

/// A position with its labels, from the side to move.
pub(super) struct Sample<P> {
    pub position: P,
    /// Score of a search in centistones.
    pub score: i32,
    /// Result of the game: 1, 0 or -1.
    pub result: i32,
    /// The plies to the win or loss with perfect play, if known.
    pub plies: Option<u32>,
}

impl<P> Sample<P> {
    /// Reads `FEN;score;result` or `FEN;score;result;plies`.
    pub(super) fn parse<G: Notation<Position = P>>(game: &G, line: &str) -> Result<Sample<P>, SampleError> {
        let mut fields = line.split(';');
        let (Some(fen), Some(score), Some(result)) = (fields.next(), fields.next(), fields.next()) else {
            return Err(SampleError::Fields);
        };
        let (plies, None) = (fields.next(), fields.next()) else { return Err(SampleError::Fields) };
        let placed = game.parse_fen(fen)?;
        let number = |text: &str| {
            text.trim().parse::<i32>().map_err(|source| SampleError::Number { text: text.to_string(), source })
        };
        let mut sample =
            Sample { position: placed.position, score: number(score)?, result: number(result)?, plies: None };
        if !(-1..=1).contains(&sample.result) {
            return Err(SampleError::Result(result.to_string()));
        }
        if let Some(text) = plies {
            let plies = u32::try_from(number(text)?).ok().filter(|_| sample.result != 0);
            sample.plies = Some(plies.ok_or_else(|| SampleError::Plies(text.to_string()))?);
        }
        Ok(sample)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use millbrain_core::smess::{Rules, Smess};

    #[test]
    fn lines_are_read() {
        let game = Smess::new(Rules::default());
        let fen = "1ssbss1/nnnnnnn/7/7/7/7/NNNNNNN/1SSBSS1 w 0 1";
        let read = |rest: &str| Sample::parse(&game, &format!("{fen}{rest}"));
        let sample = read(";-12;1").expect("good");
        assert_eq!((sample.score, sample.result, sample.plies), (-12, 1, None));
        assert_eq!(read(";-12;-1;7").expect("good").plies, Some(7));
        for (rest, reported) in [
            (";1", "expected 'FEN"),
            (";1;2", "result"),
            (";x;0", "\"x\""),
            (";1;0;0", "those of a win"),
            (";1;1;-1", "from 0"),
            (";1;1;y", "\"y\""),
            (";1;1;1;1", "expected 'FEN"),
        ] {
            let fault = read(rest).err().expect("a fault").to_string();
            assert!(fault.contains(reported), "{fault}");
        }
        assert!(Sample::parse(&game, "nonsense;1;0").is_err());
    }
}
