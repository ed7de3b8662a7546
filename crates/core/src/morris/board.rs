//! The 24 points, their lines and neighbours, and the bit tricks on sets of points.
//!
//! A point is `8 * ring + k`: ring 0 is the outer square, 2 the inner one, and `k` runs clockwise from the north point.
//! Even `k` are the middles of the sides, odd `k` the corners. A set of points is three bytes, and a step round all
//! rings at once is a rotation of each byte.

pub use crate::mills::board::{PointSet, points};

use super::symmetry::POINT_IMAGE;
use crate::mills::board::{Board, places};

/// Number of points.
pub const POINTS: usize = 24;
/// Every point.
pub const ALL: PointSet = 0x00FF_FFFF;
/// The middles of the sides.
pub const MIDDLES: PointSet = 0x0055_5555;
/// The corners.
pub const CORNERS: PointSet = 0x00AA_AAAA;

/// Names of the points, in point order.
pub const NAMES: [&str; POINTS] = [
    "d7", "g7", "g4", "g1", "d1", "a1", "a4", "a7", //
    "d6", "f6", "f4", "f2", "d2", "b2", "b4", "b6", //
    "d5", "e5", "e4", "e3", "d3", "c3", "c4", "c5",
];

/// Lengths of the rows from rank 7 to rank 1.
pub const ROWS: [usize; 7] = [3, 3, 3, 6, 3, 3, 3];

/// The points row by row from rank 7 to rank 1, left to right: the order of a FEN.
pub const READING_ORDER: [u8; POINTS] =
    [7, 0, 1, 15, 8, 9, 23, 16, 17, 6, 14, 22, 18, 10, 2, 21, 20, 19, 13, 12, 11, 5, 4, 3];

/// Number of lines with the diagonals; without them the last four do not exist.
pub const LINES_WITH_DIAGONALS: usize = 20;
/// Number of lines of the plain board.
pub const LINES_PLAIN: usize = 16;

/// The lines: 12 sides of the rings, 4 spokes through the middles, 4 diagonals through the corners.
pub const LINES: [PointSet; LINES_WITH_DIAGONALS] = {
    let mut lines = [0; LINES_WITH_DIAGONALS];
    let mut ring = 0;
    while ring < 3 {
        let mut side = 0;
        while side < 4 {
            let middle = 2 * side;
            lines[4 * ring + side] =
                (1 << (8 * ring + (middle + 7) % 8)) | (1 << (8 * ring + middle)) | (1 << (8 * ring + middle + 1));
            side += 1;
        }
        ring += 1;
    }
    let mut k = 0;
    while k < 4 {
        lines[12 + k] = 0x01_0101 << (2 * k);
        lines[16 + k] = 0x01_0101 << (2 * k + 1);
        k += 1;
    }
    lines
};

/// Returns the points whose lines and neighbours cross the rings: middles, and with diagonals the corners too.
pub const fn spokes(diagonals: bool) -> PointSet {
    if diagonals { ALL } else { MIDDLES }
}

/// Moves each point one step clockwise round its ring.
#[inline(always)]
pub const fn clockwise(x: PointSet) -> PointSet {
    ((x << 1) & 0x00FE_FEFE) | ((x >> 7) & 0x0001_0101)
}

/// Moves each point one step anticlockwise round its ring.
#[inline(always)]
pub const fn anticlockwise(x: PointSet) -> PointSet {
    ((x >> 1) & 0x007F_7F7F) | ((x << 7) & 0x0080_8080)
}

/// Moves each point one ring inwards; points of the inner ring are dropped.
#[inline(always)]
pub const fn inwards(x: PointSet) -> PointSet {
    (x << 8) & ALL
}

/// Moves each point one ring outwards; points of the outer ring are dropped.
#[inline(always)]
pub const fn outwards(x: PointSet) -> PointSet {
    x >> 8
}

/// Moves each point one ring inwards, and from the inner ring to the outer: the lines across the rings as cycles.
#[inline(always)]
pub const fn cycled_inwards(x: PointSet) -> PointSet {
    ((x << 8) | (x >> 16)) & ALL
}

/// Moves each point one ring outwards, and from the outer ring to the inner.
#[inline(always)]
pub const fn cycled_outwards(x: PointSet) -> PointSet {
    ((x >> 8) | (x << 16)) & ALL
}

/// Returns the points next to a set.
#[inline(always)]
pub const fn neighbours(x: PointSet, diagonals: bool) -> PointSet {
    let across = x & spokes(diagonals);
    clockwise(x) | anticlockwise(x) | inwards(across) | outwards(across)
}

/// Neighbours of each point, for the plain board and the one with diagonals.
pub const NEIGHBOURS: [[PointSet; POINTS]; 2] = {
    let mut table = [[0; POINTS]; 2];
    let mut p = 0;
    while p < POINTS {
        table[0][p] = neighbours(1 << p, false);
        table[1][p] = neighbours(1 << p, true);
        p += 1;
    }
    table
};

/// The plain board and the one with diagonals, as data.
pub(super) static BOARDS: [Board; 2] = {
    const fn board(lines: &'static [PointSet], neighbours: [PointSet; POINTS]) -> Board {
        let (names, reading_order, rows, symmetries) = (&NAMES, &READING_ORDER, &ROWS, &POINT_IMAGE);
        Board { names, reading_order, places: places(reading_order), rows, lines, neighbours, symmetries }
    }
    [board(LINES.split_at(LINES_PLAIN).0, NEIGHBOURS[0]), board(&LINES, NEIGHBOURS[1])]
};

/// The points that would complete a line of a set, by kind of line.
#[derive(Clone, Copy)]
pub struct Closers {
    /// Middles whose side is otherwise full.
    pub middle: PointSet,
    /// Corners whose clockwise side is otherwise full.
    pub clockwise: PointSet,
    /// Corners whose anticlockwise side is otherwise full.
    pub anticlockwise: PointSet,
    /// Points whose line across the rings is otherwise full.
    pub across: PointSet,
}

impl Closers {
    /// Finds each point of the board with a line whose other two points belong to `x`.
    #[inline(always)]
    pub const fn of(x: PointSet, diagonals: bool) -> Closers {
        let cw = clockwise(x);
        let acw = anticlockwise(x);
        Closers {
            middle: cw & acw & MIDDLES,
            clockwise: acw & anticlockwise(acw) & CORNERS,
            anticlockwise: cw & clockwise(cw) & CORNERS,
            across: cycled_inwards(x) & cycled_outwards(x) & spokes(diagonals),
        }
    }

    /// Returns the points where a stone arriving from off the board completes a line.
    #[inline(always)]
    pub const fn by_placing(self) -> PointSet {
        self.middle | self.clockwise | self.anticlockwise | self.across
    }

    /// Returns the points where a stone arriving by a clockwise step completes a line, other than one it has just left.
    #[inline(always)]
    pub const fn by_clockwise_step(self) -> PointSet {
        self.clockwise | self.across
    }

    /// Returns the points where a stone arriving by an anticlockwise step completes a line.
    #[inline(always)]
    pub const fn by_anticlockwise_step(self) -> PointSet {
        self.anticlockwise | self.across
    }

    /// Returns the points where a stone arriving from another ring completes a line.
    #[inline(always)]
    pub const fn by_step_across(self) -> PointSet {
        self.middle | self.clockwise | self.anticlockwise
    }
}

/// Returns the middle points of full sides, and the full lines across the rings (all three points of each).
#[inline(always)]
const fn full_lines(x: PointSet, diagonals: bool) -> (PointSet, PointSet) {
    let sides = x & clockwise(x) & anticlockwise(x) & MIDDLES;
    let across = x & cycled_inwards(x) & cycled_outwards(x) & spokes(diagonals);
    (sides, across)
}

/// Returns the stones of `x` in a full line.
#[inline(always)]
pub const fn in_mills(x: PointSet, diagonals: bool) -> PointSet {
    let (sides, across) = full_lines(x, diagonals);
    sides | clockwise(sides) | anticlockwise(sides) | across
}

/// Returns the points with a line whose other two points are one stone of `own` and one point of `free`.
#[inline(always)]
pub(super) const fn pairing_points(own: PointSet, free: PointSet, diagonals: bool) -> PointSet {
    let (cw_own, acw_own) = (clockwise(own), anticlockwise(own));
    let (cw_free, acw_free) = (clockwise(free), anticlockwise(free));
    let middle = (cw_own & acw_free) | (cw_free & acw_own);
    let ahead = (acw_own & anticlockwise(acw_free)) | (acw_free & anticlockwise(acw_own));
    let behind = (cw_own & clockwise(cw_free)) | (cw_free & clockwise(cw_own));
    let across = (cycled_inwards(own) & cycled_outwards(free)) | (cycled_inwards(free) & cycled_outwards(own));
    (middle & MIDDLES) | ((ahead | behind) & CORNERS) | (across & spokes(diagonals))
}

/// Returns the point with this name (lower or upper case).
pub fn point_by_name(name: &str) -> Option<u32> {
    NAMES.iter().position(|n| n.eq_ignore_ascii_case(name)).map(|p| p as u32)
}

const _: () = assert!(ALL.count_ones() as usize == POINTS);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_rows_columns_and_diagonals() {
        let coordinates = |p: u32| {
            let name = NAMES[p as usize].as_bytes();
            (i32::from(name[0] - b'a'), i32::from(name[1] - b'1'))
        };
        for (i, &line) in LINES.iter().enumerate() {
            assert_eq!(line.count_ones(), 3);
            let p: Vec<_> = points(line).map(coordinates).collect();
            let same_file = p.iter().all(|c| c.0 == p[0].0);
            let same_rank = p.iter().all(|c| c.1 == p[0].1);
            let diagonal = p.iter().all(|c| c.0 == c.1) || p.iter().all(|c| c.0 + c.1 == 6);
            assert!(if i < LINES_PLAIN { same_file || same_rank } else { diagonal }, "line {i}");
        }
    }

    #[test]
    fn reading_order_walks_down_the_ranks() {
        let mut keys: Vec<_> = READING_ORDER
            .iter()
            .map(|&p| {
                let name = NAMES[p as usize].as_bytes();
                (b'9' - name[1], name[0])
            })
            .collect();
        let read = keys.clone();
        keys.sort_unstable();
        assert_eq!(read, keys);
    }

    #[test]
    fn set_operations_agree_with_the_line_table() {
        let mut rng = fastrand::Rng::with_seed(1);
        for _ in 0..20_000 {
            let x = rng.u32(..) & rng.u32(..) & ALL;
            for diagonals in [false, true] {
                let lines = &LINES[..if diagonals { LINES_WITH_DIAGONALS } else { LINES_PLAIN }];
                let full: Vec<_> = lines.iter().filter(|&&l| l & x == l).collect();
                assert_eq!(in_mills(x, diagonals), full.iter().fold(0, |a, &&l| a | l));
                let closing = lines.iter().fold(0, |a, &l| {
                    points(l).fold(a, |a, p| if (l & !(1 << p)) & !x == 0 { a | (1 << p) } else { a })
                });
                assert_eq!(Closers::of(x, diagonals).by_placing(), closing);
            }
        }
    }

    #[test]
    fn neighbours_share_a_line_and_are_adjacent_on_it() {
        let degree = |diagonals: usize| -> u32 { NEIGHBOURS[diagonals].iter().map(|n| n.count_ones()).sum() };
        assert_eq!(degree(0), 64);
        assert_eq!(degree(1), 80);
        for (p, &next_to) in NEIGHBOURS[1].iter().enumerate() {
            for q in points(next_to) {
                assert_ne!(NEIGHBOURS[1][q as usize] & (1 << p), 0);
                assert!(LINES.iter().any(|&l| l & (1 << p) != 0 && l & (1 << q) != 0));
            }
        }
    }
}
