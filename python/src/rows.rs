//! Positions as rows of numbers, for arrays.
//!
//! A row of the morris family has 28 numbers, one of the merels family fewer:
//! - the points in the order of the FEN (1 White, -1 Black, 0 free),
//! - the side to move (1 or -1),
//! - the stones in hand of White and of Black,
//! - the plies without progress,
//! - with once-per-line mills four more: the lines of White (bits 0-9, bits 10-19), and those of Black.
//!
//! A row of Smess has 58: 56 squares (1 Brain, 2 Numskull, 3 Ninny, negative for Black), the side to move, and the
//! plies without progress.

use millbrain::any::Family;
use millbrain::fen::Faults;
use millbrain::game::{Placed, Side};
use millbrain::mills::{MillRules, Mills, Position, Setup};
use millbrain::network::Learned;
use millbrain::smess::{self, Smess, board as squares};

/// Bits in each half of the lines.
const HALF_OF_LINES: u32 = 10;

/// Why a row is not a position.
#[derive(Debug)]
pub enum RowFault {
    /// A number out of range.
    Number { column: usize, found: i16, expected: &'static str },
    /// A position that the rules do not allow.
    Rules(Faults),
}

impl std::fmt::Display for RowFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            RowFault::Number { column, found, expected } => {
                write!(f, "column {column} is {found}, expected {expected}")
            }
            RowFault::Rules(faults) => faults.fmt(f),
        }
    }
}

/// A game with positions as rows.
pub trait Rows: Family + Learned {
    /// Returns the number of points or squares.
    fn cells(&self) -> usize;

    /// Returns the numbers per row.
    fn width(&self) -> usize;

    /// Returns the columns of a row, the cells among them, the network inputs, and the maximum inputs of a position.
    fn sizes(&self) -> [usize; 4] {
        [self.width(), self.cells(), Self::INPUTS, Self::MAX_INPUTS]
    }

    /// Reads the position of a row of the right width.
    ///
    /// # Errors
    /// Numbers out of range, or positions that the rules do not allow.
    fn read(&self, row: &[i16]) -> Result<Self::Position, RowFault>;

    /// Writes a position into a row of the right width.
    fn write(&self, pos: &Self::Position, row: &mut [i16]);

    /// Returns the FEN of a position, with the move number 1.
    fn text(&self, pos: &Self::Position) -> String {
        self.fen(&Placed { position: *pos, move_number: 1 })
    }
}

const fn sign(side: Side) -> i16 {
    match side {
        Side::White => 1,
        Side::Black => -1,
    }
}

/// Reads a number of at least 0 from a column.
fn count(row: &[i16], column: usize) -> Result<u32, RowFault> {
    let found = row[column];
    u32::try_from(found).map_err(|_| RowFault::Number { column, found, expected: "a number from 0" })
}

fn side(row: &[i16], column: usize) -> Result<Side, RowFault> {
    match row[column] {
        1 => Ok(Side::White),
        -1 => Ok(Side::Black),
        found => Err(RowFault::Number { column, found, expected: "1 for White or -1 for Black to move" }),
    }
}

/// Returns a counter, which no rule lets grow beyond 1000.
fn clock(plies: u16) -> i16 {
    i16::try_from(plies).unwrap_or(i16::MAX)
}

impl<R: MillRules> Rows for Mills<R>
where
    Mills<R>: Learned<Position = Position>,
{
    fn cells(&self) -> usize {
        self.of_family().board().names.len()
    }

    fn width(&self) -> usize {
        self.cells() + if self.of_family().once_per_line() { 8 } else { 4 }
    }

    fn read(&self, row: &[i16]) -> Result<Position, RowFault> {
        let mut stones = [0, 0];
        for (column, (&found, point)) in row.iter().zip(self.of_family().board().reading_order).enumerate() {
            match found {
                0 => {}
                1 => stones[0] |= 1 << point,
                -1 => stones[1] |= 1 << point,
                _ => return Err(RowFault::Number { column, found, expected: "1, -1 or 0" }),
            }
        }
        let after = self.cells();
        let mut formed_lines = [0, 0];
        if self.of_family().once_per_line() {
            for (side, lines) in formed_lines.iter_mut().enumerate() {
                for half in 0..2 {
                    let column = after + 4 + 2 * side + half;
                    let bits = count(row, column)?;
                    if bits >> HALF_OF_LINES != 0 {
                        return Err(RowFault::Number { column, found: row[column], expected: "at most 1023" });
                    }
                    *lines |= bits << (HALF_OF_LINES * half as u32);
                }
            }
        }
        let setup = Setup {
            stones,
            hands: [count(row, after + 1)?, count(row, after + 2)?],
            side: side(row, after)?,
            plies_without_progress: count(row, after + 3)?,
            move_number: 1,
            formed_lines,
        };
        self.validate(&setup).map_err(RowFault::Rules)
    }

    fn write(&self, pos: &Position, row: &mut [i16]) {
        let [white, black] = pos.stones();
        for (cell, point) in row.iter_mut().zip(self.of_family().board().reading_order) {
            *cell = (white >> point & 1) as i16 - (black >> point & 1) as i16;
        }
        let after = self.cells();
        row[after] = sign(pos.side());
        let [white, black] = pos.hands();
        row[after + 1] = white as i16;
        row[after + 2] = black as i16;
        row[after + 3] = clock(pos.plies_without_progress());
        if self.of_family().once_per_line() {
            let lines = [Side::White, Side::Black].map(|side| pos.formed_lines(side));
            let halves = lines.into_iter().flat_map(|lines| [lines & 1023, lines >> HALF_OF_LINES]);
            row[after + 4..].iter_mut().zip(halves).for_each(|(cell, half)| *cell = half as i16);
        }
    }
}

impl Rows for Smess {
    fn cells(&self) -> usize {
        squares::SQUARES
    }

    fn width(&self) -> usize {
        squares::SQUARES + 2
    }

    fn read(&self, row: &[i16]) -> Result<smess::Position, RowFault> {
        let mut pieces = [[0; 3]; 2];
        for (column, &found) in row[..squares::SQUARES].iter().enumerate() {
            let kind = usize::from(found.unsigned_abs());
            if kind > 3 {
                return Err(RowFault::Number { column, found, expected: "a number in -3..=3" });
            }
            if kind > 0 {
                pieces[usize::from(found < 0)][kind - 1] |= 1 << squares::ranks_turned(column);
            }
        }
        let after = squares::SQUARES;
        let setup = smess::Setup {
            pieces,
            side: side(row, after)?,
            plies_without_progress: count(row, after + 1)?,
            move_number: 1,
        };
        self.validate(&setup).map_err(RowFault::Rules)
    }

    fn write(&self, pos: &smess::Position, row: &mut [i16]) {
        let [white, _] = pos.sides();
        let occupied = pos.occupied();
        for (cell, number) in row[..squares::SQUARES].iter_mut().enumerate() {
            let square = squares::ranks_turned(cell);
            *number = match (occupied >> square & 1, white >> square & 1) {
                (0, _) => 0,
                (_, 0) => -1 - pos.kind(square) as i16,
                _ => 1 + pos.kind(square) as i16,
            };
        }
        row[squares::SQUARES] = sign(pos.side());
        row[squares::SQUARES + 1] = clock(pos.plies_without_progress());
    }
}
