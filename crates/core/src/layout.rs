//! The board and its pieces as data: for programs that draw a game or play it by hand.
//!
//! ```
//! use millbrain_core::any::AnyGame;
//! use millbrain_core::variant::Variant;
//!
//! let game = AnyGame::new(Variant::Morris.rules());
//! let layout = game.layout();
//! assert_eq!((layout.points.len(), layout.lines.len()), (24, 16));
//!
//! let parts = game.move_parts();
//! let placed = &layout.points[parts[0].to];
//! assert_eq!((parts[0].text.as_str(), parts[0].from), (placed.name.as_str(), None));
//! ```

use crate::game::fen::write_board;
use crate::game::{Move, Notation, Side};
use serde::{Deserialize, Serialize};

/// A point or a square.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Point {
    /// Its name in moves, such as `d6`.
    pub name: String,
    /// Column from the left, from 0.
    pub x: u8,
    /// Row from the top, from 0.
    pub y: u8,
}

impl Point {
    /// Returns the point whose name is its file (`a` for the first) and its rank (1 for the lowest), on a board with
    /// `ranks` ranks.
    pub fn named(name: impl Into<String>, ranks: u8) -> Point {
        let name = name.into();
        let mut bytes = name.bytes();
        let mut from = |first: u8| bytes.next().unwrap_or(first).saturating_sub(first);
        let (x, rank) = (from(b'a'), from(b'0'));
        Point { name, x, y: ranks.saturating_sub(rank) }
    }
}

/// A kind of pieces.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Kind {
    /// Its id; the name is the text `piece.ID`.
    pub id: &'static str,
    /// The letters of White's and Black's pieces in a FEN.
    pub letters: [char; 2],
}

/// The board of a rule set.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Layout {
    /// The points or squares, row by row from the top, in FEN order.
    pub points: Vec<Point>,
    /// The number of points in each row of a FEN.
    pub rows: Vec<usize>,
    /// Whether they are squares side by side; otherwise points, joined by steps.
    pub squares: bool,
    /// The lines that count when one side fills them, such as those of mills, by indices in `points`.
    pub lines: Vec<Vec<usize>>,
    /// The neighbouring points that the board joins, as pairs of indices in `points`; empty for squares.
    pub steps: Vec<[usize; 2]>,
    /// The arrows of each point as steps to the right and down; empty for a board without arrows.
    pub arrows: Vec<Vec<[i8; 2]>>,
    /// Points that a board marks, such as those where a piece is promoted, by indices in `points`.
    pub marked: Vec<usize>,
    /// The kinds of pieces, the most numerous last.
    pub kinds: Vec<Kind>,
    /// The most pieces that a side has in hand; 0 for a game without a hand.
    pub hand: u32,
    /// The images of the points under each symmetry of the board, as indices in `points`; the first is the identity.
    pub symmetries: Vec<Vec<usize>>,
}

impl Layout {
    /// Returns the FEN of a position that may break the rules, for an editor: the pieces on the board, the side to
    /// move, and the pieces in hand of White and of Black. Counters are reset.
    pub fn fen(&self, pieces: &[Piece], side: Side, hands: [u32; 2]) -> String {
        let letter = |point| {
            let piece = pieces.iter().find(|piece| piece.point == point)?;
            Some(self.kinds.get(piece.kind)?.letters[piece.side as usize])
        };
        let mut text = write_board(&self.rows, (0..self.points.len()).map(letter));
        text.push(' ');
        text.push(side.letter());
        if self.hand > 0 {
            text.push_str(&format!(" {} {}", hands[0], hands[1]));
        }
        text
    }
}

/// A piece on the board.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Piece {
    /// Its index in [`Layout::points`].
    pub point: usize,
    /// Its side.
    pub side: Side,
    /// Its index in [`Layout::kinds`].
    pub kind: usize,
}

/// A move split into parts; points are indices in [`Layout::points`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct MoveParts {
    /// The move in the game's notation.
    pub text: String,
    /// The origin of the piece; `None` if it is placed from the hand.
    pub from: Option<usize>,
    /// Its target.
    pub to: usize,
    /// The points of the pieces that the move names as captured; a capture by moving onto a piece names none.
    pub taken: Vec<usize>,
}

/// A move as indices in [`Layout::points`], without text: for code that handles many moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Places {
    /// The origin of the piece; `None` if it is placed from the hand.
    pub from: Option<usize>,
    /// Its target.
    pub to: usize,
    /// The first, in the order of points, of the pieces that the move names as captured.
    pub taken: Option<usize>,
}

/// A game that describes its board and pieces. Points are indices in the [`Layout::points`] of its layout.
pub trait Described: Notation {
    /// Returns the board.
    fn layout(&self) -> Layout;

    /// Returns the pieces on the board, in the order of points.
    fn pieces(&self, pos: &Self::Position) -> Vec<Piece>;

    /// Returns the pieces in hand of White and of Black, or `None` in a game without a hand.
    fn hands(&self, _: &Self::Position) -> Option<[u32; 2]> {
        None
    }

    /// Returns the pieces of White and of Black that are out of the game, by kind; none by default.
    fn lost(&self, _: &Self::Position) -> [Vec<usize>; 2] {
        [Vec::new(), Vec::new()]
    }

    /// Returns whether moves can take pieces; otherwise nobody gains material.
    fn has_captures(&self) -> bool {
        true
    }

    /// Returns the id of the phase of the side to move; its name is the text `phase.ID`.
    fn phase(&self, pos: &Self::Position) -> &'static str;

    /// Splits a move into parts, legal or not.
    fn parts(&self, mv: Move) -> MoveParts;

    /// Does the same with indices only.
    fn places(&self, mv: Move) -> Places {
        let MoveParts { from, to, taken, .. } = self.parts(mv);
        Places { from, to, taken: taken.first().copied() }
    }
}
