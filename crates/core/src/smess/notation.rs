//! FEN and move text.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use super::board::{FILES, RANKS, SQUARES, ranks_turned};
use super::game::Smess;
use super::moves::Step;
use super::position::{Kind, Position, Setup};
use super::validation::{Expected, Unfit};
use crate::game::fen::{self, Fault, Faults, Field};
use crate::game::{Move, Notation, Placed, Side};
use crate::texts::Language;
use std::fmt::Write;

/// The ids and letters of the kinds, in the order of [`Kind`].
pub(super) const KINDS: [(&str, [char; 2]); 3] =
    [("brain", ['B', 'b']), ("numskull", ['S', 's']), ("ninny", ['N', 'n'])];

fn piece(letter: char) -> Option<(Side, Kind)> {
    let kinds = KINDS.iter().zip([Kind::Brain, Kind::Numskull, Kind::Ninny]);
    let mut pieces =
        kinds.flat_map(|((_, [white, black]), kind)| [(white, Side::White, kind), (black, Side::Black, kind)]);
    pieces.find(|(known, ..)| **known == letter).map(|(_, side, kind)| (side, kind))
}

fn letter(side: Side, kind: Kind) -> char {
    let [white, black] = KINDS.get(kind as usize).map_or(['?'; 2], |(_, letters)| *letters);
    if side == Side::White { white } else { black }
}

/// Returns the piece on a square, if there is one.
pub(super) fn piece_at(pos: &Position, square: usize) -> Option<(Side, Kind)> {
    let [white, black] = pos.sides();
    let side = [(white, Side::White), (black, Side::Black)].into_iter().find(|(set, _)| set >> square & 1 != 0)?.1;
    Some((side, pos.kind(square)))
}

/// Returns the letter of the piece on a square, if there is one.
pub(super) fn letter_at(pos: &Position, square: usize) -> Option<char> {
    piece_at(pos, square).map(|(side, kind)| letter(side, kind))
}

pub(super) fn square_name(square: usize) -> String {
    let file = char::from(b'a' + (square % FILES) as u8);
    format!("{file}{}", square / FILES + 1)
}

fn square_by_name(name: &[u8]) -> Option<usize> {
    let &[file, rank] = name else { return None };
    let file = usize::from(file.to_ascii_lowercase().checked_sub(b'a')?);
    let rank = usize::from(rank.checked_sub(b'1')?);
    (file < FILES && rank < RANKS).then_some(rank * FILES + file)
}

impl Notation for Smess {
    const EXAMPLES: &'static [&'static str] = &["d2d3"];

    fn parse_fen(&self, text: &str) -> Result<Placed<Position>, Faults> {
        let mut fields = text.split_whitespace();
        let mut faults = Faults::default();
        let Some(board) = fields.next() else {
            let (field, expected) = (Field::Board.into(), Expected::Ranks.into());
            return Err(Faults(vec![Fault::Missing { field, expected }]));
        };
        let mut pieces = [[0; 3]; 2];
        let put = |place, (side, kind)| {
            if let Some(set) = pieces.get_mut(side as usize).and_then(|sets: &mut [u64; 3]| sets.get_mut(kind as usize))
            {
                *set |= 1 << ranks_turned(place);
            }
        };
        let whole = fen::read_board(board, &[FILES; RANKS], "B, S, N, b, s, n, 1-7", piece, &mut faults, put);
        let side = fen::read_side(fields.next(), &mut faults);
        let plies_without_progress =
            fen::read_number(fields.next(), Field::Counter, 0, fen::MAX_PLIES_WITHOUT_PROGRESS, 0, &mut faults);
        let move_number = fen::read_move_number(fields.next(), &mut faults);
        if let Some(extra) = fields.next() {
            faults.0.push(Fault::Extra(extra.to_string()));
        }
        let setup = Setup { pieces, side, plies_without_progress, move_number };
        match self.validate(&setup) {
            Ok(position) if faults.0.is_empty() => Ok(Placed { position, move_number }),
            Ok(_) => Err(faults),
            Err(more) => {
                // Without a readable board, missing Brains mean nothing.
                faults.0.extend(more.0.into_iter().filter(|fault| whole || *fault != Unfit::NoBrains.into()));
                Err(faults)
            }
        }
    }

    fn fen(&self, placed: &Placed<Position>) -> String {
        let pos = &placed.position;
        let mut text = fen::write_board(&[FILES; RANKS], (0..SQUARES).map(|place| letter_at(pos, ranks_turned(place))));
        let _ = write!(text, " {} {} {}", pos.side().letter(), pos.plies_without_progress(), placed.move_number);
        text
    }

    fn move_text(&self, mv: Move) -> String {
        let Step { from, to } = Step::unpack(mv);
        format!("{}{}", square_name(from), square_name(to))
    }

    fn parse_move(&self, text: &str) -> Option<Move> {
        let text = text.as_bytes();
        if text.len() != 4 {
            return None;
        }
        let (from, to) = text.split_at(2);
        let (from, to) = (square_by_name(from)?, square_by_name(to)?);
        (from != to).then_some(Step { from, to }.pack())
    }

    fn flipped(&self, pos: &Position) -> Position {
        pos.sides_exchanged()
    }

    fn diagram(&self, pos: &Position) -> String {
        self.board_text(pos)
    }

    fn describe(&self, pos: &Position) -> Vec<(&'static str, String)> {
        self.description(pos)
    }

    fn rules_text(&self, language: Language) -> Vec<String> {
        self.rules().sentences().into_iter().map(|sentence| sentence.in_language(language)).collect()
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, clippy::panic, reason = "tests")]
mod tests {
    use super::*;
    use crate::game::Game;

    const START: &str = "1ssbss1/nnnnnnn/7/7/7/7/NNNNNNN/1SSBSS1 w 0 1";

    fn faults(fen: &str) -> String {
        Smess::default().parse_fen(fen).unwrap_err().to_string()
    }

    #[test]
    fn fens_are_read_and_written() {
        let game = Smess::default();
        for fen in [START, "b6/7/7/3S3/7/7/7/6B b 99 70", "Bn4b/7/7/7/7/7/7/N5s w 65535 4294967295"] {
            let placed = game.parse_fen(fen).unwrap_or_else(|faults| panic!("{fen}: {faults}"));
            assert_eq!(game.fen(&placed), fen);
        }
        assert_eq!(game.parse_fen(START).unwrap().position, game.start());
        let placed = game.parse_fen("b6/7/7/7/7/7/7/6B b").unwrap();
        assert_eq!(game.fen(&placed), "b6/7/7/7/7/7/7/6B b 0 1");
        // A Brain may be missing: the game is over.
        assert!(game.parse_fen("7/7/7/7/7/7/7/6B b").is_ok());
    }

    #[test]
    fn faults_of_a_fen_are_reported_together() {
        for (fen, expected) in [
            ("", "board is missing, expected eight ranks of squares"),
            ("7/7/7 w", "3 rows, expected 8"),
            ("7/7/7/7/7/7/7/7/7 w", "9 rows, expected 8"),
            ("7/7/7/7/7/7/7/7 w", "both Brains are missing, expected at least one"),
            ("B6/7/7/7/7/7/7/8 x", "row 8 is too long: 8 cells, expected 7; side to move is \"x\", expected w or b"),
            (
                "Q6/7/7/7/7/7/7/6 w -1 x z",
                "character 'Q' in row 1, expected one of B, S, N, b, s, n, 1-7; row 8 is too short: 6 cells, expected 7; counter is \"-1\", expected a number from 0 to 65535; move number is \"x\", expected a number from 0 to 4294967295; unexpected text \"z\" after the last field; both Brains are missing, expected at least one",
            ),
            ("BB5/7/7/7/7/7/7/b6 w", "white has 2 Brains, expected at most 1"),
            ("B6/7/7/nnnnnnn/nnnnn2/7/7/b6 w", "black has 13 pieces, expected at most 12"),
            (
                "B5/7/7/nnnnnnn/nnnnn2/7/7/b6 w",
                "row 1 is too short: 6 cells, expected 7; black has 13 pieces, expected at most 12",
            ),
        ] {
            assert_eq!(faults(fen), expected, "{fen}");
        }
    }

    #[test]
    fn moves_are_read_and_written() {
        let game = Smess::default();
        for (from, file) in ('a'..='g').enumerate() {
            for rank in 0..8 {
                let text = format!("{file}{}d4", rank + 1);
                let expected = (text != "d4d4").then(|| Step { from: 7 * rank + from, to: 24 }.pack());
                assert_eq!(game.parse_move(&text), expected, "{text}");
                assert_eq!(game.parse_move(&text.to_uppercase()), expected, "{text}");
                assert!(expected.is_none_or(|mv| game.move_text(mv) == text));
            }
        }
        for text in ["", "d2", "d2d", "d2d33", "d2d0", "d2d9", "d0d1", "h1g1", "a1h1", "2d3d", "d2-d3", "`1a1"] {
            assert_eq!(game.parse_move(text), None, "{text}");
        }
    }
}
