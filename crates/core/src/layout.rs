//! What a board looks like and what stands on it, as data: for whoever draws a game or plays it by hand.
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
    /// The point whose name is its file (`a` for the first) and its rank (1 for the lowest), on a board of so many ranks.
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
    /// The points or squares, row by row from the top, as a FEN has them.
    pub points: Vec<Point>,
    /// How many of them each row of a FEN has.
    pub rows: Vec<usize>,
    /// Whether they are squares side by side; otherwise points, joined by lines.
    pub squares: bool,
    /// The lines of the board, by places in `points`.
    pub lines: Vec<Vec<usize>>,
    /// The arrows of each point as steps to the right and down; empty for a board without arrows.
    pub arrows: Vec<Vec<[i8; 2]>>,
    /// Points that a board marks, such as those where a piece is promoted, by places in `points`.
    pub marked: Vec<usize>,
    /// The kinds of pieces, the most numerous last.
    pub kinds: Vec<Kind>,
    /// The most pieces that a side has in hand; 0 for a game without a hand.
    pub hand: u32,
    /// Each symmetry of the board, as the places in `points` that the points are sent to; the first is the identity.
    pub symmetries: Vec<Vec<usize>>,
}

impl Layout {
    /// The FEN of a position that may break the rules, for an editor: what stands where, who moves, and the pieces in hand
    /// of White and of Black. Counters begin anew.
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
    /// Its place in [`Layout::points`].
    pub point: usize,
    /// Whose it is.
    pub side: Side,
    /// Its place in [`Layout::kinds`].
    pub kind: usize,
}

/// A move taken apart; points are places in [`Layout::points`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct MoveParts {
    /// The move as the game writes it.
    pub text: String,
    /// Where the piece comes from; `None` if it is placed from the hand.
    pub from: Option<usize>,
    /// Where it goes.
    pub to: usize,
    /// The points of the pieces that the move names as taken; a capture by moving onto a piece names none.
    pub taken: Vec<usize>,
}

/// A move as places in [`Layout::points`], without text: for whoever looks at many moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Places {
    /// Where the piece comes from; `None` if it is placed from the hand.
    pub from: Option<usize>,
    /// Where it goes.
    pub to: usize,
    /// Of the pieces that the move names as taken the first in the order of points.
    pub taken: Option<usize>,
}

/// A game that describes its board and pieces. Points are places in the [`Layout::points`] of its layout.
pub trait Described: Notation {
    /// The board.
    fn layout(&self) -> Layout;

    /// The pieces on the board, in the order of points.
    fn pieces(&self, pos: &Self::Position) -> Vec<Piece>;

    /// The pieces in hand of White and of Black; `None` in a game without a hand.
    fn hands(&self, _: &Self::Position) -> Option<[u32; 2]> {
        None
    }

    /// The pieces of White and of Black that are out of the game, by kind; none, unless the game says otherwise.
    fn lost(&self, _: &Self::Position) -> [Vec<usize>; 2] {
        [Vec::new(), Vec::new()]
    }

    /// The id of the phase that the side to move is in; its name is the text `phase.ID`.
    fn phase(&self, pos: &Self::Position) -> &'static str;

    /// A move taken apart, legal or not.
    fn parts(&self, mv: Move) -> MoveParts;

    /// The same as places alone.
    fn places(&self, mv: Move) -> Places {
        let MoveParts { from, to, taken, .. } = self.parts(mv);
        Places { from, to, taken: taken.first().copied() }
    }
}
