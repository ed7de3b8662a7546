//! A position, its keys, and the setup that it is made from after validation.

use super::board::{BRAIN_HOME, NINNY_HOME, NUMSKULL_HOME, SQUARES, SquareSet, each_square};
use crate::game::Side;
use crate::splitmix::splitmix;

/// Pieces of a side at the start.
pub const PIECES: u32 = 12;

/// A position: the pieces of the mover and of the opponent, side to move, plies without progress, and the Zobrist key
/// from both points of view. Brains and Numskulls are marked; the other pieces are Ninnies.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Position {
    own: SquareSet,
    opp: SquareSet,
    brains: SquareSet,
    numskulls: SquareSet,
    /// The keys as seen by the mover and by the opponent, which sees the board rotated by 180 degrees.
    keys: [u64; 2],
    plies_without_progress: u16,
    /// The lead of the mover in material, in centininnies: stored, as counting takes longer.
    lead: i16,
    /// Number of pieces.
    pieces: u8,
    side: Side,
}

/// A Ninny in centininnies.
pub(super) const NINNY: i32 = 100;
/// A Numskull.
pub(super) const NUMSKULL: i32 = 330;

/// Kinds of pieces, as indices of the key table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// It moves one square; its capture ends the game.
    Brain,
    /// It moves any number of squares along one arrow.
    Numskull,
    /// It moves one square; it promotes.
    Ninny,
}

/// Returns the material value of a piece.
const fn worth(kind: Kind) -> i16 {
    match kind {
        Kind::Brain => 0,
        Kind::Numskull => NUMSKULL as i16,
        Kind::Ninny => NINNY as i16,
    }
}

/// Keys by owner (viewer, other), kind and square as the viewer sees it.
static ZOBRIST: [[[u64; SQUARES]; 3]; 2] = {
    let mut table = [[[0; SQUARES]; 3]; 2];
    let mut i = 0;
    while i < 2 * 3 * SQUARES {
        table[i / (3 * SQUARES)][i / SQUARES % 3][i % SQUARES] = splitmix((i as u64) << 32);
        i += 1;
    }
    table
};

/// Returns the change of both keys (mover's, opponent's) when a piece appears or disappears.
#[inline(always)]
fn key_change(side: Side, owned_by_mover: bool, kind: Kind, square: usize) -> [u64; 2] {
    let turned = SQUARES - 1 - square;
    let (seen, seen_by_other) = match side {
        Side::White => (square, turned),
        Side::Black => (turned, square),
    };
    let owner = usize::from(!owned_by_mover);
    [ZOBRIST[owner][kind as usize][seen], ZOBRIST[1 - owner][kind as usize][seen_by_other]]
}

impl Position {
    /// Returns the pieces of the side to move.
    #[inline(always)]
    pub const fn own(&self) -> SquareSet {
        self.own
    }

    /// Returns the pieces of the opponent.
    #[inline(always)]
    pub const fn opp(&self) -> SquareSet {
        self.opp
    }

    /// Returns the Brains of both sides.
    #[inline(always)]
    pub const fn brains(&self) -> SquareSet {
        self.brains
    }

    /// Returns the Numskulls of both sides.
    #[inline(always)]
    pub const fn numskulls(&self) -> SquareSet {
        self.numskulls
    }

    /// Returns the Ninnies of both sides.
    #[inline(always)]
    pub const fn ninnies(&self) -> SquareSet {
        (self.own | self.opp) & !(self.brains | self.numskulls)
    }

    /// Returns all pieces.
    #[inline(always)]
    pub const fn occupied(&self) -> SquareSet {
        self.own | self.opp
    }

    /// Returns the pieces of White and of Black.
    pub const fn sides(&self) -> [SquareSet; 2] {
        match self.side {
            Side::White => [self.own, self.opp],
            Side::Black => [self.opp, self.own],
        }
    }

    /// Returns the side to move.
    #[inline(always)]
    pub const fn side(&self) -> Side {
        self.side
    }

    /// Returns the plies since the last capture or promotion, at most 65535.
    #[inline(always)]
    pub const fn plies_without_progress(&self) -> u16 {
        self.plies_without_progress
    }

    /// Returns the mover's lead in material, in centininnies; Brains do not count.
    #[inline(always)]
    pub const fn material_lead(&self) -> i32 {
        self.lead as i32
    }

    /// Returns the number of pieces of both sides.
    #[inline(always)]
    pub const fn pieces(&self) -> usize {
        self.pieces as usize
    }

    /// Returns the key of the position as its mover sees it.
    #[inline(always)]
    pub const fn key(&self) -> u64 {
        self.keys[0]
    }

    /// Returns the kind of the piece on an occupied square.
    #[inline(always)]
    pub const fn kind(&self, square: usize) -> Kind {
        if self.brains >> square & 1 != 0 {
            Kind::Brain
        } else if self.numskulls >> square & 1 != 0 {
            Kind::Numskull
        } else {
            Kind::Ninny
        }
    }

    /// Returns the enemy's Numskull squares, where the mover's Ninnies promote.
    #[inline(always)]
    pub const fn promotion_squares(&self) -> SquareSet {
        NUMSKULL_HOME[self.side.other() as usize]
    }

    /// Returns whether the piece on a square is a Ninny.
    #[inline(always)]
    pub(super) const fn is_ninny(&self, square: usize) -> bool {
        (self.brains | self.numskulls) >> square & 1 == 0
    }

    /// Returns whether a piece moving between these squares would promote.
    #[inline(always)]
    pub const fn is_promotion(&self, from: usize, to: usize) -> bool {
        self.promotion_squares() >> to & 1 != 0 && self.is_ninny(from)
    }

    #[inline(always)]
    fn toggle_key(&mut self, owned_by_mover: bool, kind: Kind, square: usize) {
        let change = key_change(self.side, owned_by_mover, kind, square);
        self.keys[0] ^= change[0];
        self.keys[1] ^= change[1];
    }

    /// Returns the position after the mover's piece has moved from one square to another.
    #[inline(always)]
    pub(super) fn after(mut self, from: usize, to: usize) -> Position {
        let (from_bit, to_bit) = (1 << from, 1 << to);
        let kind = self.kind(from);
        let captures = self.opp & to_bit != 0;
        if captures {
            let captured = self.kind(to);
            self.toggle_key(false, captured, to);
            self.lead += worth(captured);
            self.pieces -= 1;
            self.opp ^= to_bit;
            self.brains &= !to_bit;
            self.numskulls &= !to_bit;
        }
        let promotes = self.is_promotion(from, to);
        let arriving = if promotes { Kind::Numskull } else { kind };
        self.toggle_key(true, kind, from);
        self.toggle_key(true, arriving, to);
        if promotes {
            self.lead += worth(Kind::Numskull) - worth(Kind::Ninny);
        }
        self.own ^= from_bit | to_bit;
        match arriving {
            Kind::Brain => self.brains ^= from_bit | to_bit,
            Kind::Numskull => self.numskulls = (self.numskulls & !from_bit) | to_bit,
            Kind::Ninny => {}
        }
        self.plies_without_progress =
            if captures || promotes { 0 } else { self.plies_without_progress.saturating_add(1) };
        self.passed()
    }

    /// Returns the same position with White and Black exchanged and the board rotated by 180 degrees.
    pub(super) const fn sides_exchanged(self) -> Position {
        const fn turned(set: SquareSet) -> SquareSet {
            set.reverse_bits() >> (64 - SQUARES)
        }
        Position {
            own: turned(self.own),
            opp: turned(self.opp),
            brains: turned(self.brains),
            numskulls: turned(self.numskulls),
            side: self.side.other(),
            ..self
        }
    }

    /// Returns the same position with the opponent to move.
    #[inline(always)]
    pub(super) const fn passed(self) -> Position {
        Position {
            own: self.opp,
            opp: self.own,
            keys: [self.keys[1], self.keys[0]],
            lead: -self.lead,
            side: self.side.other(),
            ..self
        }
    }
}

/// A position as a text describes it, unchecked; [`Smess::validate`](super::Smess::validate) turns it into a
/// [`Position`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Setup {
    /// Brains, Numskulls and Ninnies of White and Black.
    pub pieces: [[SquareSet; 3]; 2],
    /// Side to move.
    pub side: Side,
    /// Plies since the last capture or promotion.
    pub plies_without_progress: u32,
    /// Move number, from 1.
    pub move_number: u32,
}

impl Setup {
    /// Returns the start position.
    pub const fn start() -> Setup {
        Setup {
            pieces: [
                [BRAIN_HOME[0], NUMSKULL_HOME[0], NINNY_HOME[0]],
                [BRAIN_HOME[1], NUMSKULL_HOME[1], NINNY_HOME[1]],
            ],
            side: Side::White,
            plies_without_progress: 0,
            move_number: 1,
        }
    }

    /// Returns the position, unchecked.
    pub(super) fn position(&self) -> Position {
        let [white, black] = self.pieces;
        let union = |set: [SquareSet; 3]| set[0] | set[1] | set[2];
        let (own, opp) = match self.side {
            Side::White => (union(white), union(black)),
            Side::Black => (union(black), union(white)),
        };
        let mut pos = Position {
            own,
            opp,
            brains: white[0] | black[0],
            numskulls: white[1] | black[1],
            keys: [0; 2],
            plies_without_progress: self.plies_without_progress.min(u32::from(u16::MAX)) as u16,
            lead: 0,
            pieces: (own | opp).count_ones() as u8,
            side: self.side,
        };
        for square in each_square(own | opp) {
            let (is_own, kind) = (own >> square & 1 != 0, pos.kind(square));
            pos.toggle_key(is_own, kind, square);
            pos.lead += if is_own { worth(kind) } else { -worth(kind) };
        }
        pos
    }
}
