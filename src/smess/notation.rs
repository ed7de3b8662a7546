//! FEN, move text and diagrams.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use super::board::{FILES, RANKS, SQUARES};
use super::movegen::{Smess, attacks, pack, unpack};
use super::position::{Kind, Position, Setup};
use crate::fen::{self, Fault, Faults};
use crate::game::{Game, Move, Notation, Placed, Side};
use std::fmt::Write;

fn piece(letter: char) -> Option<(Side, Kind)> {
    let kind = match letter.to_ascii_uppercase() {
        'B' => Kind::Brain,
        'S' => Kind::Numskull,
        'N' => Kind::Ninny,
        _ => return None,
    };
    Some((if letter.is_ascii_uppercase() { Side::White } else { Side::Black }, kind))
}

fn letter(side: Side, kind: Kind) -> char {
    let letter = match kind {
        Kind::Brain => 'B',
        Kind::Numskull => 'S',
        Kind::Ninny => 'N',
    };
    if side == Side::White { letter } else { letter.to_ascii_lowercase() }
}

/// The letter of the piece on a square, if there is one.
fn letter_at(pos: &Position, square: usize) -> Option<char> {
    let [white, black] = pos.sides();
    if (white | black) >> square & 1 == 0 {
        return None;
    }
    let side = if white >> square & 1 != 0 { Side::White } else { Side::Black };
    Some(letter(side, pos.kind(square)))
}

fn square_name(square: usize) -> String {
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
    fn parse_fen(&self, text: &str) -> Result<Placed<Position>, Faults> {
        let mut fields = text.split_whitespace();
        let mut faults = Faults::default();
        let Some(board) = fields.next() else {
            return Err(Faults(vec![Fault::Missing { field: "board", expected: "eight ranks of squares" }]));
        };
        let mut pieces = [[0; 3]; 2];
        let rows: Vec<&str> = board.split('/').collect();
        let whole = rows.len() == RANKS;
        if !whole {
            faults.0.push(Fault::RowCount { found: rows.len(), expected: RANKS });
        }
        for (row, text) in rows.into_iter().enumerate().take(if whole { RANKS } else { 0 }) {
            let first = (RANKS - 1 - row) * FILES;
            fen::read_row(text, row, FILES, "B, S, N, b, s, n, 1-7", piece, &mut faults, |column, (side, kind)| {
                if let Some(set) =
                    pieces.get_mut(side as usize).and_then(|sets: &mut [u64; 3]| sets.get_mut(kind as usize))
                {
                    *set |= 1 << (first + column);
                }
            });
        }
        let side = fen::read_side(fields.next(), &mut faults);
        let counter = fen::read_number(fields.next(), "counter", 0, fen::MAX_COUNTER, 0, &mut faults);
        let move_number = fen::read_number(fields.next(), "move number", 1, fen::MAX_MOVE_NUMBER, 1, &mut faults);
        if let Some(extra) = fields.next() {
            faults.0.push(Fault::Extra(extra.to_string()));
        }
        let setup = Setup { pieces, side, counter, move_number };
        match Position::try_from(&setup) {
            Ok(position) if faults.0.is_empty() => Ok(Placed { position, move_number }),
            Ok(_) => Err(faults),
            Err(more) => {
                // Without a board to look at, missing Brains are no news.
                faults.0.extend(more.0.into_iter().filter(|fault| whole || *fault != Fault::NoBrains));
                Err(faults)
            }
        }
    }

    fn fen(&self, placed: &Placed<Position>) -> String {
        let pos = &placed.position;
        let mut text = String::new();
        for rank in (0..RANKS).rev() {
            let mut run = 0;
            for file in 0..FILES {
                match letter_at(pos, rank * FILES + file) {
                    None => run += 1,
                    Some(letter) => {
                        if run > 0 {
                            let _ = write!(text, "{run}");
                            run = 0;
                        }
                        text.push(letter);
                    }
                }
            }
            if run > 0 {
                let _ = write!(text, "{run}");
            }
            if rank > 0 {
                text.push('/');
            }
        }
        let _ = write!(text, " {} {} {}", pos.side().letter(), pos.counter(), placed.move_number);
        text
    }

    fn move_text(&self, mv: Move) -> String {
        let (from, to) = unpack(mv);
        format!("{}{}", square_name(from), square_name(to))
    }

    fn parse_move(&self, text: &str) -> Option<Move> {
        let text = text.as_bytes();
        if text.len() != 4 {
            return None;
        }
        let (from, to) = text.split_at(2);
        let (from, to) = (square_by_name(from)?, square_by_name(to)?);
        (from != to).then_some(pack(from, to))
    }

    fn diagram(&self, pos: &Position) -> String {
        let mut text = String::new();
        let rule = "  +---+---+---+---+---+---+---+\n";
        for rank in (0..RANKS).rev() {
            text.push_str(rule);
            let _ = write!(text, "{}", rank + 1);
            for file in 0..FILES {
                let _ = write!(text, " | {}", letter_at(pos, rank * FILES + file).unwrap_or(' '));
            }
            text.push_str(" |\n");
        }
        text.push_str(rule);
        text.push_str("    a   b   c   d   e   f   g\n");
        text
    }

    fn flipped(&self, pos: &Position) -> Position {
        pos.sides_exchanged()
    }

    fn describe(&self, pos: &Position) -> Vec<(&'static str, String)> {
        let count = |set: u64| set.count_ones();
        let [white, black] = pos.sides();
        let line = |set: u64| {
            format!(
                "Brain {} Numskulls {} Ninnies {}",
                count(set & pos.brains()),
                count(set & pos.numskulls()),
                count(set & pos.ninnies())
            )
        };
        let attacked = |own: u64, by: u64| {
            (0..SQUARES)
                .find(|&s| own & pos.brains() & 1 << s != 0)
                .map_or("captured", |s| if attacks(pos, by, s) { "attacked" } else { "safe" })
        };
        let phase = if self.ending(pos).is_some() { "over" } else { "playing" };
        vec![
            ("Phase", phase.to_string()),
            ("Pieces white", line(white)),
            ("Pieces black", line(black)),
            ("Brain white", attacked(white, black).to_string()),
            ("Brain black", attacked(black, white).to_string()),
        ]
    }
}
