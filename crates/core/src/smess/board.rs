//! The 56 squares, their arrows, and the ray tables made from them.
//!
//! A square is `7 * rank + file`, from a1 = 0 to g8 = 55; rotating the board by 180 degrees maps square `s` to
//! `55 - s`.

use crate::bits::iter_ones;

/// A set of squares: bit `s` for square `s`, in the low 56 bits.
pub type SquareSet = u64;

/// Number of squares.
pub const SQUARES: usize = 56;
/// Number of files.
pub const FILES: usize = 7;
/// Number of ranks.
pub const RANKS: usize = 8;
/// Converts between a square and its index in FEN order: the ranks from the other end.
pub const fn ranks_turned(square: usize) -> usize {
    (RANKS - 1 - square / FILES) * FILES + square % FILES
}

/// Number of directions.
pub const DIRECTIONS: usize = 8;

pub(super) const N: u8 = 1;
pub(super) const NE: u8 = 2;
pub(super) const E: u8 = 4;
pub(super) const SE: u8 = 8;
pub(super) const S: u8 = 16;
pub(super) const SW: u8 = 32;
pub(super) const W: u8 = 64;
pub(super) const NW: u8 = 128;
const ALL8: u8 = 255;
const DIAGONAL: u8 = NE | SE | SW | NW;

/// File and rank steps of the directions, in the order of the arrow bits.
pub(super) const STEPS: [(i32, i32); DIRECTIONS] =
    [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)];

/// Whether the squares of a ray in each direction have rising numbers.
pub const RISING: [bool; DIRECTIONS] = [true, true, true, false, false, false, false, true];

/// The arrows of each square as printed on the board, from rank 8 down to rank 1, files a to g.
const PRINTED: [[u8; FILES]; RANKS] = [
    [E | S, E | S | W, E | S | W, E | S | W, E | S | W, E | S | W, S],
    [N | S, E | S | NW, N | E | S | W, E | S | W, N | E | S | W, S | W, N | S],
    [N | E | S, N | E | S | W, DIAGONAL, E | W, DIAGONAL, N | E | W, N | S | W],
    [NE | E | SE, E, N | E | S, ALL8, N | E | S, N | E | S | W, N | S],
    [N | S, N | E | S | W, N | S | W, ALL8, N | S | W, W, SW | W | NW],
    [N | E | S, E | S | W, DIAGONAL, E | W, DIAGONAL, N | E | S | W, N | S | W],
    [N | S, N | E, N | E | S | W, N | E | W, N | E | S | W, N | SE | W, N | S],
    [N, N | E | W, N | E | W, N | E | W, N | E | W, N | E | W, N | W],
];

/// The arrows of each square, a bit per direction.
pub const ARROWS: [u8; SQUARES] = {
    let mut arrows = [0; SQUARES];
    let mut s = 0;
    while s < SQUARES {
        arrows[s] = PRINTED[RANKS - 1 - s / FILES][s % FILES];
        s += 1;
    }
    arrows
};

const fn shifted(s: usize, direction: usize) -> Option<usize> {
    let (file, rank) = ((s % FILES) as i32 + STEPS[direction].0, (s / FILES) as i32 + STEPS[direction].1);
    if file < 0 || file >= FILES as i32 || rank < 0 || rank >= RANKS as i32 {
        return None;
    }
    Some(rank as usize * FILES + file as usize)
}

/// The squares from a square (exclusive) to the edge in each direction, regardless of arrows.
pub const RAYS: [[SquareSet; SQUARES]; DIRECTIONS] = {
    let mut rays = [[0; SQUARES]; DIRECTIONS];
    let mut d = 0;
    while d < DIRECTIONS {
        let mut s = 0;
        while s < SQUARES {
            let mut at = s;
            while let Some(next) = shifted(at, d) {
                rays[d][s] |= 1 << next;
                at = next;
            }
            s += 1;
        }
        d += 1;
    }
    rays
};

/// The squares one step along an arrow from each square.
pub const STEPS_FROM: [SquareSet; SQUARES] = {
    let mut table = [0; SQUARES];
    let mut s = 0;
    while s < SQUARES {
        let mut d = 0;
        while d < DIRECTIONS {
            if ARROWS[s] >> d & 1 != 0
                && let Some(to) = shifted(s, d)
            {
                table[s] |= 1 << to;
            }
            d += 1;
        }
        s += 1;
    }
    table
};

/// The squares from which one step along an arrow leads to each square.
pub const STEPS_INTO: [SquareSet; SQUARES] = {
    let mut table = [0; SQUARES];
    let mut s = 0;
    while s < SQUARES {
        let mut t = 0;
        while t < SQUARES {
            if STEPS_FROM[t] >> s & 1 != 0 {
                table[s] |= 1 << t;
            }
            t += 1;
        }
        s += 1;
    }
    table
};

/// The squares from which a Numskull reaches each square on an empty board.
pub const SLIDES_INTO: [SquareSet; SQUARES] = {
    let mut table = [0; SQUARES];
    let mut t = 0;
    while t < SQUARES {
        let mut d = 0;
        while d < DIRECTIONS {
            if ARROWS[t] >> d & 1 != 0 {
                let mut at = t;
                while let Some(next) = shifted(at, d) {
                    table[next] |= 1 << t;
                    at = next;
                }
            }
            d += 1;
        }
        t += 1;
    }
    table
};

/// The squares strictly between two squares of one ray; empty for any other pair.
pub static BETWEEN: [[SquareSet; SQUARES]; SQUARES] = {
    let mut table = [[0; SQUARES]; SQUARES];
    let mut s = 0;
    while s < SQUARES {
        let mut d = 0;
        while d < DIRECTIONS {
            let mut passed = 0;
            let mut at = s;
            while let Some(next) = shifted(at, d) {
                table[s][next] = passed;
                passed |= 1 << next;
                at = next;
            }
            d += 1;
        }
        s += 1;
    }
    table
};

const fn squares(rank: usize, files: &[usize]) -> SquareSet {
    let mut set = 0;
    let mut i = 0;
    while i < files.len() {
        set |= 1 << (rank * FILES + files[i]);
        i += 1;
    }
    set
}

/// The start squares of the Numskulls of White and Black; a Ninny that reaches one of the enemy's becomes a Numskull.
pub const NUMSKULL_HOME: [SquareSet; 2] = [squares(0, &[1, 2, 4, 5]), squares(7, &[1, 2, 4, 5])];
/// Start squares of the Brains.
pub const BRAIN_HOME: [SquareSet; 2] = [squares(0, &[3]), squares(7, &[3])];
/// Start squares of the Ninnies.
pub const NINNY_HOME: [SquareSet; 2] = [squares(1, &[0, 1, 2, 3, 4, 5, 6]), squares(6, &[0, 1, 2, 3, 4, 5, 6])];

/// Returns the targets of a Numskull on `from`: along its arrows up to and including the first piece.
#[inline(always)]
pub fn slides(from: usize, occupied: SquareSet) -> SquareSet {
    let mut targets = 0;
    for direction in iter_ones(ARROWS[from]) {
        let d = direction as usize & 7;
        let ray = RAYS[d][from];
        let blockers = ray & occupied;
        targets |= if RISING[d] {
            // Up to the lowest blocker; without one the subtraction wraps and leaves the whole ray.
            ray & (blockers ^ blockers.wrapping_sub(1))
        } else {
            // From the highest blocker on; bit 0 is the substitute where there is none.
            ray & (u64::MAX << (63 - (blockers | 1).leading_zeros()))
        };
    }
    targets
}

/// Iterates over the squares of a set, lowest first.
#[inline(always)]
pub fn each_square(set: SquareSet) -> impl Iterator<Item = usize> {
    iter_ones(set).map(|square| square as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_board_has_170_arrows_none_off_the_board() {
        let total: u32 = ARROWS.iter().map(|a| a.count_ones()).sum();
        assert_eq!(total, 170);
        let on_board: u32 = STEPS_FROM.iter().map(|set| set.count_ones()).sum();
        assert_eq!(on_board, total);
    }

    #[test]
    fn half_a_turn_is_a_symmetry() {
        for s in 0..SQUARES {
            assert_eq!(ARROWS[SQUARES - 1 - s], ARROWS[s].rotate_left(4), "square {s}");
        }
    }

    #[test]
    fn slides_agree_with_walking() {
        let mut rng = fastrand::Rng::with_seed(3);
        for _ in 0..20_000 {
            let from = rng.usize(..SQUARES);
            let occupied = rng.u64(..) & rng.u64(..) & ((1 << SQUARES) - 1) & !(1 << from);
            let mut walked = 0;
            for d in (0..DIRECTIONS).filter(|d| ARROWS[from] >> d & 1 != 0) {
                let mut at = from;
                while let Some(next) = shifted(at, d) {
                    walked |= 1 << next;
                    if occupied >> next & 1 != 0 {
                        break;
                    }
                    at = next;
                }
            }
            assert_eq!(slides(from, occupied), walked);
            for to in each_square(walked) {
                assert_ne!(SLIDES_INTO[to] >> from & 1, 0);
                assert_eq!(BETWEEN[from][to] & occupied, 0);
            }
        }
    }
}
