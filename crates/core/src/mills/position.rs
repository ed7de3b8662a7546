//! A position in 16 bytes, and the setup that it is made from after validation.

use super::board::{MAX_LINES, MAX_POINTS, PointSet};
use crate::game::Side;

/// The bits of an army that are its stones.
const ALL: PointSet = (1 << MAX_POINTS) - 1;
const HAND_SHIFT: u32 = MAX_POINTS as u32;
const HAND_MASK: u32 = 15;
const TOTAL_SHIFT: u32 = 28;
const PLIES_MASK: u64 = 0xFFFF;
const SIDE_BIT: u64 = 1 << 16;
const LINES_SHIFT: [u32; 2] = [17, 37];
const LINES_MASK: u64 = (1 << MAX_LINES) - 1;

/// One side's stones, hand, and number of stones in both, packed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Army(u32);

impl Army {
    const fn new(stones: PointSet, hand: u32) -> Army {
        Army(stones | hand << HAND_SHIFT | (stones.count_ones() + hand) << TOTAL_SHIFT)
    }

    /// Returns the army with these stones on the board, and one fewer in hand if it was placed.
    #[inline(always)]
    const fn moved(self, placed: bool, stones: PointSet) -> Army {
        Army(((self.0 & !ALL) - ((placed as u32) << HAND_SHIFT)) | stones)
    }

    /// Returns the army with no more than these stones on the board.
    #[inline(always)]
    const fn left(self, stones: PointSet) -> Army {
        let removed = self.0 & ALL & !stones;
        if removed == 0 {
            return self;
        }
        Army((self.0 ^ removed) - (removed.count_ones() << TOTAL_SHIFT))
    }
}

/// A position of a game of mills: stones and hands of the mover and of its opponent, side to move and plies without
/// progress. Under once-per-line rules it also records the lines on which each side has formed a mill.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Position {
    own: Army,
    opp: Army,
    /// Plies without progress in bits 0-15, side to move in bit 16, White's lines in bits 17-36, Black's in bits 37-56.
    rest: u64,
}

const _: () = assert!(size_of::<Position>() == 16);

impl Position {
    /// Returns the stones of the side to move.
    #[inline(always)]
    pub const fn own(&self) -> PointSet {
        self.own.0 & ALL
    }

    /// Returns the stones of the opponent.
    #[inline(always)]
    pub const fn opp(&self) -> PointSet {
        self.opp.0 & ALL
    }

    /// Returns the stones in hand of the side to move.
    #[inline(always)]
    pub const fn own_hand(&self) -> u32 {
        self.own.0 >> HAND_SHIFT & HAND_MASK
    }

    /// Returns the stones in hand of the opponent.
    #[inline(always)]
    pub const fn opp_hand(&self) -> u32 {
        self.opp.0 >> HAND_SHIFT & HAND_MASK
    }

    /// Returns the stones of the side to move on board and in hand.
    #[inline(always)]
    pub const fn own_total(&self) -> u32 {
        self.own.0 >> TOTAL_SHIFT
    }

    /// Returns the stones of the opponent on board and in hand.
    #[inline(always)]
    pub const fn opp_total(&self) -> u32 {
        self.opp.0 >> TOTAL_SHIFT
    }

    /// Returns the plies since the last placement or mill, at most 65535.
    #[inline(always)]
    pub const fn plies_without_progress(&self) -> u16 {
        (self.rest & PLIES_MASK) as u16
    }

    /// Returns the side to move.
    #[inline(always)]
    pub const fn side(&self) -> Side {
        if self.rest & SIDE_BIT == 0 { Side::White } else { Side::Black }
    }

    /// Returns the stones of White and of Black.
    pub const fn stones(&self) -> [PointSet; 2] {
        match self.side() {
            Side::White => [self.own(), self.opp()],
            Side::Black => [self.opp(), self.own()],
        }
    }

    /// Returns the stones in hand of White and of Black.
    pub const fn hands(&self) -> [u32; 2] {
        match self.side() {
            Side::White => [self.own_hand(), self.opp_hand()],
            Side::Black => [self.opp_hand(), self.own_hand()],
        }
    }

    /// Returns the lines on which a side has formed a mill, a bit per line; only once-per-line rules record them.
    #[inline(always)]
    pub const fn formed_lines(&self, side: Side) -> u32 {
        (self.rest >> LINES_SHIFT[side as usize] & LINES_MASK) as u32
    }

    /// Returns the stones and hands of both sides in 56 bits: all except side to move, plies without progress and
    /// formed lines.
    #[inline(always)]
    pub(super) const fn packed(&self) -> u64 {
        let stones = self.own() as u64 | (self.opp() as u64) << 24;
        stones | (self.own_hand() as u64) << 48 | (self.opp_hand() as u64) << 52
    }

    /// Returns the formed lines of both sides, White's in the low bits.
    pub(super) const fn lines_of_both(&self) -> u64 {
        self.rest >> LINES_SHIFT[0]
    }

    /// Returns the position after a move that leaves these stones to the mover and its opponent.
    #[inline(always)]
    pub(super) const fn after(&self, placed: bool, own: PointSet, opp: PointSet, progress: bool) -> Position {
        let counting = self.rest + (self.rest & PLIES_MASK != PLIES_MASK) as u64;
        let rest = if progress { self.rest & !PLIES_MASK } else { counting };
        Position { own: self.opp.left(opp), opp: self.own.moved(placed, own), rest: rest ^ SIDE_BIT }
    }

    /// Returns the same position with the opponent to move.
    pub(super) const fn passed(&self) -> Position {
        Position { own: self.opp, opp: self.own, rest: self.rest ^ SIDE_BIT }
    }

    /// Returns the same position with White and Black exchanged.
    pub(super) const fn sides_exchanged(&self) -> Position {
        let [white, black] = [self.formed_lines(Side::White) as u64, self.formed_lines(Side::Black) as u64];
        let rest = (self.rest & (PLIES_MASK | SIDE_BIT)) | black << LINES_SHIFT[0] | white << LINES_SHIFT[1];
        Position { rest: rest ^ SIDE_BIT, ..*self }
    }

    /// Returns the same position with more lines marked for a side.
    pub(super) const fn with_formed_lines(mut self, side: Side, lines: u32) -> Position {
        self.rest |= (lines as u64) << LINES_SHIFT[side as usize];
        self
    }
}

/// A position as a text describes it, unchecked; [`Mills::validate`](super::Mills::validate) turns it into a
/// [`Position`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Setup {
    /// Stones of White and Black.
    pub stones: [PointSet; 2],
    /// Stones in hand of White and Black.
    pub hands: [u32; 2],
    /// Side to move.
    pub side: Side,
    /// Plies since the last placement or mill.
    pub plies_without_progress: u32,
    /// Move number, from 1.
    pub move_number: u32,
    /// Lines on which White and Black have formed a mill.
    pub formed_lines: [u32; 2],
}

impl Setup {
    /// Returns the position of a setup that has been validated.
    pub(super) const fn position(&self) -> Position {
        let white = Army::new(self.stones[0] & ALL, self.hands[0]);
        let black = Army::new(self.stones[1] & ALL, self.hands[1]);
        let progress = if self.plies_without_progress > 0xFFFF { 0xFFFF } else { self.plies_without_progress } as u64;
        let [white_lines, black_lines] = self.formed_lines;
        let lines =
            (white_lines as u64 & LINES_MASK) << LINES_SHIFT[0] | (black_lines as u64 & LINES_MASK) << LINES_SHIFT[1];
        match self.side {
            Side::White => Position { own: white, opp: black, rest: progress | lines },
            Side::Black => Position { own: black, opp: white, rest: progress | lines | SIDE_BIT },
        }
    }
}
