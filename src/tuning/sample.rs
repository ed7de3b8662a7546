//! Reads labelled positions.

use crate::game::Notation;

/// A position with its labels, from the side to move.
pub(super) struct Sample<P> {
    pub position: P,
    /// Score of a search in centistones.
    pub score: i32,
    /// Result of the game: 1, 0 or -1.
    pub result: i32,
}

impl<P> Sample<P> {
    /// Reads `FEN;score;result`.
    pub(super) fn parse<G: Notation<Position = P>>(game: &G, line: &str) -> Result<Sample<P>, String> {
        let mut fields = line.split(';');
        let (Some(fen), Some(score), Some(result), None) = (fields.next(), fields.next(), fields.next(), fields.next())
        else {
            return Err("expected 'FEN;score;result'".to_string());
        };
        let placed = game.parse_fen(fen).map_err(|faults| faults.to_string())?;
        let number = |text: &str| text.trim().parse::<i32>().map_err(|error| format!("{text:?}: {error}"));
        let sample = Sample { position: placed.position, score: number(score)?, result: number(result)? };
        if !(-1..=1).contains(&sample.result) {
            return Err(format!("result {result:?}, expected 1, 0 or -1"));
        }
        Ok(sample)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::smess::{Rules, Smess};

    #[test]
    fn lines_are_read() {
        let game = Smess::new(Rules::default());
        let fen = "1ssbss1/nnnnnnn/7/7/7/7/NNNNNNN/1SSBSS1 w 0 1";
        let read = |rest: &str| Sample::parse(&game, &format!("{fen}{rest}"));
        let sample = read(";-12;1").expect("good");
        assert_eq!((sample.score, sample.result), (-12, 1));
        for (rest, told) in
            [(";1", "expected 'FEN"), (";1;2", "result"), (";x;0", "\"x\""), (";1;0;0", "expected 'FEN")]
        {
            let fault = read(rest).err().expect("a fault");
            assert!(fault.contains(told), "{fault}");
        }
        assert!(Sample::parse(&game, "nonsense;1;0").is_err());
    }
}
