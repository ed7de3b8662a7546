//! Positions as numbers, faster than the description of the game gives them.

use super::board::{FILES, RANKS, SQUARES, ranks_turned};
use super::game::Smess;
use super::notation::KINDS;
use super::position::{Position, Setup};
use crate::arrays::{Arrays, RowFault, Sizes, clock, count, side, sign};
use crate::game::Side;

impl Arrays for Smess {
    fn sizes(&self) -> Sizes {
        Sizes { cells: SQUARES, grid: [RANKS, FILES], kinds: KINDS.len(), hand: 0 }
    }

    fn read(&self, row: &[i16]) -> Result<Position, RowFault> {
        let mut pieces = [[0; 3]; 2];
        for (column, &found) in row[..SQUARES].iter().enumerate() {
            let kind = usize::from(found.unsigned_abs());
            if kind > 3 {
                return Err(RowFault::Number { column, found, expected: "a number in -3..=3" });
            }
            if kind > 0 {
                pieces[usize::from(found < 0)][kind - 1] |= 1 << ranks_turned(column);
            }
        }
        let after = SQUARES;
        let setup =
            Setup { pieces, side: side(row, after)?, plies_without_progress: count(row, after + 1)?, move_number: 1 };
        self.validate(&setup).map_err(RowFault::Rules)
    }

    fn write(&self, pos: &Position, row: &mut [i16]) {
        let [white, _] = pos.sides();
        let occupied = pos.occupied();
        for (cell, number) in row[..SQUARES].iter_mut().enumerate() {
            let square = ranks_turned(cell);
            *number = match (occupied >> square & 1, white >> square & 1) {
                (0, _) => 0,
                (_, 0) => -1 - pos.kind(square) as i16,
                _ => 1 + pos.kind(square) as i16,
            };
        }
        row[SQUARES] = sign(pos.side());
        row[SQUARES + 1] = clock(pos.plies_without_progress());
    }

    fn draw(&self, pos: &Position, planes: &mut [f32]) {
        let occupied = pos.occupied();
        let [white, _] = pos.sides();
        let own = if pos.side() == Side::White { white } else { occupied & !white };
        for cell in 0..SQUARES {
            let square = ranks_turned(cell);
            if occupied >> square & 1 != 0 {
                let opponent = usize::from(own >> square & 1 == 0);
                planes[(KINDS.len() * opponent + pos.kind(square) as usize) * SQUARES + cell] = 1.0;
            }
        }
    }
}
