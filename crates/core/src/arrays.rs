//! Positions, moves and observations as numbers, for programs that learn from many games.
//!
//! A position is a row of numbers:
//! - a number for each point, in the order of a FEN: the kind of its piece, from 1, negative for Black; 0 without one,
//! - the side to move (1 or -1),
//! - the pieces in hand of White and of Black, if the game has a hand,
//! - the plies without progress,
//! - further numbers of a family.
//!
//! An action is a whole move: `steps * removal + step`. A step is the target of a placement, if the game has a hand, or
//! an origin and a target; a removal is 0, or 1 + the point of the piece that the move names as captured.
//!
//! An observation is a stack of planes over the grid of the board, seen by the side to move: own pieces by kind, the
//! opponent's, with a hand the free points and both hands, then the progress counter, the repetitions and the side.

use crate::any::Family;
use crate::game::fen::Faults;
use crate::game::{Move, Placed, Side};
use crate::layout::{Layout, Piece, Places};
use crate::network::Learned;
use std::error::Error;
use std::fmt;

/// The sizes that all arrays of a game follow from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sizes {
    /// Points or squares.
    pub cells: usize,
    /// Rows and columns of the grid that the points are on.
    pub grid: [usize; 2],
    /// Kinds of pieces.
    pub kinds: usize,
    /// The most pieces that a side has in hand; 0 for a game without a hand.
    pub hand: u32,
}

impl Sizes {
    /// Returns the sizes of a board.
    pub fn of(layout: &Layout) -> Sizes {
        let extent = |axis: fn(&crate::layout::Point) -> u8| 1 + layout.points.iter().map(axis).max().unwrap_or(0);
        Sizes {
            cells: layout.points.len(),
            grid: [extent(|point| point.y).into(), extent(|point| point.x).into()],
            kinds: layout.kinds.len(),
            hand: layout.hand,
        }
    }

    /// Returns the number of planes that only the first of two groups fills: the pieces, and the free points.
    const fn piece_planes(&self) -> usize {
        2 * self.kinds + (self.hand > 0) as usize
    }

    /// Returns the index of a piece's plane.
    const fn plane(&self, is_own: bool, kind: usize) -> usize {
        kind + if is_own { 0 } else { self.kinds }
    }
}

/// Why a row is not a position.
#[derive(Debug)]
pub enum RowFault {
    /// A number out of range.
    Number {
        /// Its column.
        column: usize,
        /// The number.
        found: i16,
        /// The expected numbers.
        expected: &'static str,
    },
    /// A position that the rules do not allow.
    Rules(Faults),
}

impl fmt::Display for RowFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RowFault::Number { column, found, expected } => {
                write!(f, "column {column} is {found}, expected {expected}")
            }
            RowFault::Rules(faults) => faults.fmt(f),
        }
    }
}

impl Error for RowFault {}

/// A game as numbers. The defaults follow from the description of the game; a family overrides them to be faster.
pub trait Arrays: Family + Learned {
    /// Returns the sizes of the board.
    fn sizes(&self) -> Sizes {
        Sizes::of(&self.layout())
    }

    /// Returns whether a move may name a captured piece.
    fn names_captures(&self) -> bool {
        false
    }

    /// Returns whether every move is an action: it names at most one captured piece.
    fn has_actions(&self) -> bool {
        true
    }

    /// Returns the numbers per row.
    fn width(&self) -> usize {
        let Sizes { cells, hand, .. } = self.sizes();
        cells + 2 + if hand > 0 { 2 } else { 0 }
    }

    /// Reads the position of a row of the right width.
    ///
    /// # Errors
    /// Numbers out of range, or positions that the rules do not allow.
    fn read(&self, row: &[i16]) -> Result<Self::Position, RowFault> {
        let layout = self.layout();
        let (cells, kinds) = (layout.points.len(), layout.kinds.len());
        let mut pieces = Vec::new();
        for (point, &found) in row[..cells].iter().enumerate() {
            let kind = usize::from(found.unsigned_abs());
            if kind > kinds {
                return Err(RowFault::Number { column: point, found, expected: "0 or a kind, negative for Black" });
            }
            let side = if found < 0 { Side::Black } else { Side::White };
            pieces.extend((kind > 0).then(|| Piece { point, side, kind: kind - 1 }));
        }
        let hands = if layout.hand > 0 { [count(row, cells + 1)?, count(row, cells + 2)?] } else { [0; 2] };
        let plies = count(row, cells + if layout.hand > 0 { 3 } else { 1 })?;
        let mut fen = layout.fen(&pieces, side(row, cells)?, hands);
        // Not every game has a counter.
        if plies > 0 {
            fen.push_str(&format!(" {plies}"));
        }
        self.parse_fen(&fen).map(|placed| placed.position).map_err(RowFault::Rules)
    }

    /// Writes a position into a row of the right width.
    fn write(&self, pos: &Self::Position, row: &mut [i16]) {
        let (cells, rest) = row.split_at_mut(self.sizes().cells);
        cells.fill(0);
        for Piece { point, side, kind } in self.pieces(pos) {
            cells[point] = sign(side) * (1 + kind as i16);
        }
        let hands = self.hands(pos).into_iter().flatten().map(|hand| hand as i16);
        let numbers = [sign(self.side(pos))].into_iter().chain(hands).chain([clock(self.plies_without_progress(pos))]);
        rest.iter_mut().zip(numbers).for_each(|(cell, number)| *cell = number);
    }

    /// Returns the FEN of a position, with the move number 1.
    fn text(&self, pos: &Self::Position) -> String {
        self.fen(&Placed { position: *pos, move_number: 1 })
    }

    /// Returns the number of steps: of actions without a removal.
    fn steps(&self) -> usize {
        let Sizes { cells, hand, .. } = self.sizes();
        cells * (cells + usize::from(hand > 0))
    }

    /// Returns the number of actions, legal or not.
    fn actions(&self) -> usize {
        self.steps() * if self.names_captures() { 1 + self.sizes().cells } else { 1 }
    }

    /// Returns the action of a move that names at most one captured piece.
    fn action(&self, mv: Move) -> usize {
        let (Sizes { cells, hand, .. }, Places { from, to, taken }) = (self.sizes(), self.places(mv));
        let origin = from.map_or(0, |from| from + usize::from(hand > 0));
        self.steps() * taken.map_or(0, |taken| taken + 1) + cells * origin + to
    }

    /// Returns the planes, rows and columns of an observation.
    fn planes(&self) -> [usize; 3] {
        let sizes @ Sizes { grid: [rows, columns], hand, .. } = self.sizes();
        [sizes.piece_planes() + if hand > 0 { 5 } else { 3 }, rows, columns]
    }

    /// Writes the planes of the pieces on the board, seen by the side to move, and of the free points, if the game has
    /// a hand. They are zero before.
    fn draw(&self, pos: &Self::Position, planes: &mut [f32]) {
        let (layout, own) = (self.layout(), self.side(pos));
        let sizes @ Sizes { grid: [rows, columns], .. } = Sizes::of(&layout);
        let pieces = self.pieces(pos);
        for (at, point) in layout.points.iter().enumerate() {
            let cell = columns * usize::from(point.y) + usize::from(point.x);
            let piece = pieces.iter().find(|piece| piece.point == at);
            let plane = piece.map_or(2 * sizes.kinds, |piece| sizes.plane(piece.side == own, piece.kind));
            if let Some(number) = planes.get_mut(rows * columns * plane + cell) {
                *number = 1.0;
            }
        }
    }

    /// Writes an observation: the position, the progress counter, the repetitions and the side to move.
    fn observe(&self, pos: &Self::Position, occurrences: usize, planes: &mut [f32]) {
        let sizes @ Sizes { grid: [rows, columns], .. } = self.sizes();
        let (drawn, rest) = planes.split_at_mut(sizes.piece_planes() * rows * columns);
        drawn.fill(0.0);
        self.draw(pos, drawn);
        let hands = self.hands(pos).into_iter().flat_map(|[white, black]| match self.side(pos) {
            Side::White => [white, black],
            Side::Black => [black, white],
        });
        let hands = hands.map(|hand| hand as f32 / sizes.hand as f32);
        let limit = self.draw_rules().progress_limit;
        let share = |part: f32| if part < 1.0 { part } else { 1.0 };
        let counter =
            if limit > 0 { share(f32::from(self.plies_without_progress(pos)) / f32::from(limit)) } else { 0.0 };
        let repetitions = share(occurrences.saturating_sub(1) as f32 / 2.0);
        let black = if self.side(pos) == Side::Black { 1.0 } else { 0.0 };
        for (plane, value) in rest.chunks_mut(rows * columns).zip(hands.chain([counter, repetitions, black])) {
            plane.fill(value);
        }
    }
}

/// Returns the number of a side.
pub(crate) const fn sign(side: Side) -> i16 {
    match side {
        Side::White => 1,
        Side::Black => -1,
    }
}

/// Reads a number of at least 0 from a column.
pub(crate) fn count(row: &[i16], column: usize) -> Result<u32, RowFault> {
    let found = row[column];
    u32::try_from(found).map_err(|_| RowFault::Number { column, found, expected: "a number from 0" })
}

/// Reads the side to move from a column.
pub(crate) fn side(row: &[i16], column: usize) -> Result<Side, RowFault> {
    match row[column] {
        1 => Ok(Side::White),
        -1 => Ok(Side::Black),
        found => Err(RowFault::Number { column, found, expected: "1 for White or -1 for Black to move" }),
    }
}

/// Returns a counter, which no rule lets grow beyond 1000.
pub(crate) fn clock(plies: u16) -> i16 {
    i16::try_from(plies).unwrap_or(i16::MAX)
}
