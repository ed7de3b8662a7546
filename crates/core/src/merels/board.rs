//! The boards. Points are numbered in reading order.

use crate::mills::board::{Board, Images, MAX_POINTS, PointSet};

/// Symmetries of the square, and those of two squares, of which each can be the outer one.
const OF_SQUARE: usize = 8;
const OF_TWO_SQUARES: usize = 16;

/// The number of each point.
const ORDER: [u8; MAX_POINTS] = {
    let mut order = [0; MAX_POINTS];
    let mut p = 0;
    while p < MAX_POINTS {
        order[p] = p as u8;
        p += 1;
    }
    order
};

/// Returns the set of some points.
const fn set(points: &[u8]) -> PointSet {
    let mut set = 0;
    let mut i = 0;
    while i < points.len() {
        set |= 1 << points[i];
        i += 1;
    }
    set
}

/// Returns the sets of some lines.
const fn sets<const N: usize>(lines: &[[u8; 3]; N]) -> [PointSet; N] {
    let mut sets = [0; N];
    let mut i = 0;
    while i < N {
        sets[i] = set(&lines[i]);
        i += 1;
    }
    sets
}

/// Joins the points along some ways.
const fn joined<const N: usize>(mut neighbours: [PointSet; MAX_POINTS], ways: &[[u8; N]]) -> [PointSet; MAX_POINTS] {
    let mut i = 0;
    while i < ways.len() {
        let mut at = 1;
        while at < N {
            let [a, b] = [ways[i][at - 1], ways[i][at]];
            neighbours[a as usize] |= 1 << b;
            neighbours[b as usize] |= 1 << a;
            at += 1;
        }
        i += 1;
    }
    neighbours
}

/// Returns the place of a point relative to the middle of a board.
const fn place(name: &str, ranks: usize) -> [i32; 2] {
    let name = name.as_bytes();
    let middle = ranks as i32 / 2;
    [name[0] as i32 - b'a' as i32 - middle, name[1] as i32 - b'1' as i32 - middle]
}

/// Returns the image of a place. Symmetry `8s + 4m + r`: mirror in the vertical axis if `m`, then turn by `r` quarters,
/// then swap the squares if `s`.
const fn image([mut x, mut y]: [i32; 2], symmetry: usize) -> [i32; 2] {
    if symmetry & 4 != 0 {
        x = -x;
    }
    let mut turns = symmetry % 4;
    while turns > 0 {
        [x, y] = [y, -x];
        turns -= 1;
    }
    let is_outer = x.abs() == 2 || y.abs() == 2;
    match symmetry & 8 {
        0 => [x, y],
        _ if is_outer => [x / 2, y / 2],
        _ => [2 * x, 2 * y],
    }
}

/// Returns the first symmetries of a board.
const fn symmetries<const N: usize>(names: &[&str], ranks: usize) -> [Images; N] {
    let mut images = [ORDER; N];
    let mut s = 0;
    while s < N {
        let mut p = 0;
        while p < names.len() {
            let [x, y] = image(place(names[p], ranks), s);
            let mut q = 0;
            while q < names.len() {
                let [other_x, other_y] = place(names[q], ranks);
                if x == other_x && y == other_y {
                    images[s][p] = q as u8;
                }
                q += 1;
            }
            p += 1;
        }
        s += 1;
    }
    images
}

/// Three rows of three points, with the diagonals.
pub static NINE: Board = {
    const NAMES: [&str; 9] = ["a3", "b3", "c3", "a2", "b2", "c2", "a1", "b1", "c1"];
    const LINES: [[u8; 3]; 8] =
        [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]];
    Board {
        names: &NAMES,
        reading_order: ORDER.split_at(NAMES.len()).0,
        places: ORDER,
        rows: &[3, 3, 3],
        lines: &const { sets(&LINES) },
        neighbours: joined([0; MAX_POINTS], &LINES),
        symmetries: &const { symmetries::<OF_SQUARE>(&NAMES, 3) },
    }
};

/// Two squares. The ways between them are no lines: they have two points.
pub static SIXTEEN: Board = {
    const NAMES: [&str; 16] =
        ["a5", "c5", "e5", "b4", "c4", "d4", "a3", "b3", "d3", "e3", "b2", "c2", "d2", "a1", "c1", "e1"];
    const LINES: [[u8; 3]; 8] =
        [[0, 1, 2], [3, 4, 5], [10, 11, 12], [13, 14, 15], [0, 6, 13], [3, 7, 10], [5, 8, 12], [2, 9, 15]];
    const BETWEEN: [[u8; 2]; 4] = [[1, 4], [6, 7], [8, 9], [11, 14]];
    Board {
        names: &NAMES,
        reading_order: ORDER.split_at(NAMES.len()).0,
        places: ORDER,
        rows: &[3, 3, 4, 3, 3],
        lines: &const { sets(&LINES) },
        neighbours: joined(joined([0; MAX_POINTS], &LINES), &BETWEEN),
        symmetries: &const { symmetries::<OF_TWO_SQUARES>(&NAMES, 5) },
    }
};

/// Two squares, and a cross in the inner one, whose two lines are mills too.
pub static SEVENTEEN: Board = {
    const NAMES: [&str; 17] =
        ["a5", "c5", "e5", "b4", "c4", "d4", "a3", "b3", "c3", "d3", "e3", "b2", "c2", "d2", "a1", "c1", "e1"];
    const LINES: [[u8; 3]; 10] = [
        [0, 1, 2],
        [3, 4, 5],
        [11, 12, 13],
        [14, 15, 16],
        [0, 6, 14],
        [3, 7, 11],
        [5, 9, 13],
        [2, 10, 16],
        [4, 8, 12],
        [7, 8, 9],
    ];
    const BETWEEN: [[u8; 2]; 4] = [[1, 4], [6, 7], [9, 10], [12, 15]];
    Board {
        names: &NAMES,
        reading_order: ORDER.split_at(NAMES.len()).0,
        places: ORDER,
        rows: &[3, 3, 5, 3, 3],
        lines: &const { sets(&LINES) },
        neighbours: joined(joined([0; MAX_POINTS], &LINES), &BETWEEN),
        symmetries: &const { symmetries::<OF_SQUARE>(&NAMES, 5) },
    }
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mills::board::points;
    use std::collections::HashSet;

    #[test]
    fn symmetries_keep_lines_and_neighbours_and_are_all_there_are() {
        for (board, count, degrees) in [(&NINE, 8, 32), (&SIXTEEN, 16, 40), (&SEVENTEEN, 8, 48)] {
            let lines: HashSet<PointSet> = board.lines.iter().copied().collect();
            let distinct: HashSet<&Images> = board.symmetries.iter().collect();
            assert_eq!((lines.len(), distinct.len()), (board.lines.len(), count));
            assert_eq!(board.neighbours.iter().map(|near| near.count_ones()).sum::<u32>(), degrees);
            for s in 0..count {
                assert!(lines.iter().all(|&line| lines.contains(&board.image(s, line))));
                assert_eq!(board.image(s, board.all()), board.all());
                assert_eq!(board.image(board.inverse(s), board.image(s, 0b1_0110)), 0b1_0110);
                for p in points(board.all()) {
                    let near = board.neighbours[board.image_of(s, p) as usize];
                    assert_eq!(near, board.image(s, board.neighbours[p as usize]));
                }
            }
        }
    }

    #[test]
    fn names_are_in_reading_order_and_lines_are_straight() {
        for board in [&NINE, &SIXTEEN, &SEVENTEEN] {
            let place = |p: u32| place(board.name(p), board.rows.len());
            let places: Vec<_> = points(board.all()).map(place).map(|[x, y]| (-y, x)).collect();
            assert!(places.is_sorted());
            let rows: Vec<usize> = places.chunk_by(|a, b| a.0 == b.0).map(<[_]>::len).collect();
            assert_eq!(rows, board.rows);
            for &line in board.lines {
                let [a, b, c] = points(line).map(place).collect::<Vec<_>>().try_into().expect("three points");
                assert_eq!([a[0] + c[0], a[1] + c[1]], [2 * b[0], 2 * b[1]]);
            }
        }
    }
}
