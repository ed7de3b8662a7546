//! Positions as numbers, faster than the description of the game gives them. With once-per-line mills a row has four
//! more: the lines of White (bits 0-9, bits 10-19), and those of Black.

use super::board::points;
use super::game::Mills;
use super::position::{Position, Setup};
use super::rules::MillRules;
use crate::arrays::{Arrays, RowFault, Sizes, clock, count, side, sign};
use crate::game::Side;
use crate::network::Learned;

/// Bits in each half of the lines.
const HALF_OF_LINES: u32 = 10;

impl<R: MillRules> Arrays for Mills<R>
where
    Mills<R>: Learned<Position = Position>,
{
    fn sizes(&self) -> Sizes {
        let board = self.rules.board();
        let side = board.rows.len();
        Sizes { cells: board.names.len(), grid: [side; 2], kinds: 1, hand: self.rules.stones().into() }
    }

    fn names_captures(&self) -> bool {
        !self.rules.first_mill_wins()
    }

    fn has_actions(&self) -> bool {
        !self.rules.each_mill()
    }

    fn width(&self) -> usize {
        self.sizes().cells + if self.rules.once_per_line() { 8 } else { 4 }
    }

    fn read(&self, row: &[i16]) -> Result<Position, RowFault> {
        let mut stones = [0, 0];
        for (column, (&found, point)) in row.iter().zip(self.rules.board().reading_order).enumerate() {
            match found {
                0 => {}
                1 => stones[0] |= 1 << point,
                -1 => stones[1] |= 1 << point,
                _ => return Err(RowFault::Number { column, found, expected: "1, -1 or 0" }),
            }
        }
        let after = self.sizes().cells;
        let mut formed_lines = [0, 0];
        if self.rules.once_per_line() {
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
        for (cell, point) in row.iter_mut().zip(self.rules.board().reading_order) {
            *cell = (white >> point & 1) as i16 - (black >> point & 1) as i16;
        }
        let after = self.sizes().cells;
        row[after] = sign(pos.side());
        let [white, black] = pos.hands();
        row[after + 1] = white as i16;
        row[after + 2] = black as i16;
        row[after + 3] = clock(pos.plies_without_progress());
        if self.rules.once_per_line() {
            let lines = [Side::White, Side::Black].map(|side| pos.formed_lines(side));
            let halves = lines.into_iter().flat_map(|lines| [lines & 1023, lines >> HALF_OF_LINES]);
            row[after + 4..].iter_mut().zip(halves).for_each(|(cell, half)| *cell = half as i16);
        }
    }

    fn draw(&self, pos: &Position, planes: &mut [f32]) {
        let board = self.rules.board();
        let side = board.rows.len();
        let (own, opp) = (pos.own(), pos.opp());
        for point in points(board.all()) {
            let plane = if own >> point & 1 != 0 {
                0
            } else if opp >> point & 1 != 0 {
                1
            } else {
                2
            };
            let &[file, rank] = board.name(point).as_bytes() else { continue };
            let row = side - usize::from(rank - b'0');
            planes[side * (side * plane + row) + usize::from(file - b'a')] = 1.0;
        }
    }
}
