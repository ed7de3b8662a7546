//! Positions of the morris family: the symmetries of the board from the coordinates of its points, and the positions of
//! given stones, one for each class of images.

use millbrain_core::game::Side;
use millbrain_core::morris::board::{LINES, LINES_PLAIN, NAMES, POINTS, PointSet, point_by_name, points};
use millbrain_core::morris::{CUSTOM, Morris, Position, Setup};
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// The bytes of a set of a side on the board: one for each ring.
const BYTES: usize = 3;

/// The images of sets of points under symmetries.
pub struct Board {
    images: Vec<Images>,
}

/// The images of the points under a symmetry, for each byte of a set.
type Images = [[PointSet; 256]; BYTES];

fn image(to: &Images, set: PointSet) -> PointSet {
    let [outer, middle, inner, _] = set.to_le_bytes().map(usize::from);
    to[0][outer] | to[1][middle] | to[2][inner]
}

/// Returns the files and ranks of a point, counted from the middle of the board.
fn coordinates(point: usize) -> (i32, i32) {
    let name = NAMES[point].as_bytes();
    (i32::from(name[0]) - i32::from(b'd'), i32::from(name[1]) - i32::from(b'4'))
}

fn point_at((x, y): (i32, i32)) -> u32 {
    let name = [(i32::from(b'd') + x) as u8, (i32::from(b'4') + y) as u8].map(char::from);
    point_by_name(&name.iter().collect::<String>()).expect("a point")
}

/// Returns the symmetries of the drawn board: the square turned and mirrored, with or without the outer and the inner
/// ring exchanged.
pub fn symmetries() -> Vec<[u32; POINTS]> {
    let exchanged = |(x, y): (i32, i32)| {
        let ring = x.abs().max(y.abs());
        (x / ring * (4 - ring), y / ring * (4 - ring))
    };
    let mut all = BTreeSet::new();
    for turn in 0..8 {
        let turned = |point| {
            let (x, y) = coordinates(point);
            let (x, y) = if turn & 4 != 0 { (y, x) } else { (x, y) };
            (if turn & 1 != 0 { -x } else { x }, if turn & 2 != 0 { -y } else { y })
        };
        all.insert(std::array::from_fn(|point| point_at(turned(point))));
        all.insert(std::array::from_fn(|point| point_at(exchanged(turned(point)))));
    }
    all.into_iter().collect()
}

/// Returns the maps of the points that map lines to lines.
pub fn maps_of_lines() -> Vec<[u32; POINTS]> {
    let lines = &LINES[..LINES_PLAIN];
    let mut maps = Vec::new();
    let mut open = vec![Vec::new()];
    while let Some(map) = open.pop() {
        if let Ok(whole) = <[u32; POINTS]>::try_from(map.as_slice()) {
            maps.push(whole);
            continue;
        }
        let next = map.len() as u32;
        // The lines of the next point whose other points are mapped by now.
        let decided: Vec<PointSet> = lines.iter().copied().filter(|line| line >> next == 1).collect();
        for image in (0..POINTS as u32).filter(|image| !map.contains(image)) {
            let mut longer = map.clone();
            longer.push(image);
            let image_of = |line: PointSet| points(line).fold(0, |set, point| set | 1 << longer[point as usize]);
            if decided.iter().all(|&line| lines.contains(&image_of(line))) {
                open.push(longer);
            }
        }
    }
    maps
}

/// Returns all sets of `size` points, in the order of their bits read as a number.
pub fn sets(size: u32) -> Vec<PointSet> {
    let mut sets = Vec::new();
    extend(&mut sets, 0, size, POINTS as u32);
    sets
}

/// Adds to a list the unions of a set with `size` of the points below a limit.
fn extend(sets: &mut Vec<PointSet>, set: PointSet, size: u32, limit: u32) {
    if size == 0 {
        return sets.push(set);
    }
    for highest in size - 1..limit {
        extend(sets, set | 1 << highest, size - 1, highest);
    }
}

/// Returns the images under the 16 symmetries.
pub fn board() -> &'static Board {
    static BOARD: LazyLock<Board> = LazyLock::new(|| Board::new(&symmetries()));
    &BOARD
}

impl Board {
    /// Computes the images under some maps of the points.
    pub fn new(maps: &[[u32; POINTS]]) -> Board {
        let image = |map: &[u32; POINTS], byte: usize, bits: usize| {
            (0..8).filter(|bit| bits >> bit & 1 != 0).fold(0, |set, bit| set | 1 << map[8 * byte + bit])
        };
        let images = |map| std::array::from_fn(|byte| std::array::from_fn(|bits| image(map, byte, bits)));
        Board { images: maps.iter().map(images).collect() }
    }

    /// Returns the images of a set, one for each symmetry.
    fn images(&self, set: PointSet) -> impl Iterator<Item = PointSet> {
        self.images.iter().map(move |to| image(to, set))
    }

    /// Returns the images of two sets as numbers: the first, then the second.
    fn images_of_both(&self, own: PointSet, opp: PointSet) -> impl Iterator<Item = u64> {
        self.images(own).zip(self.images(opp)).map(|(own, opp)| u64::from(own) << POINTS | u64::from(opp))
    }

    /// Returns the number of a position, which it shares with its images: after stones in hand and on the board, the
    /// least image of both sets. The last 24 bits are the opponent's set.
    pub fn id(&self, pos: &Position) -> u64 {
        let own = self.images(pos.own()).min().expect("the identity");
        let opp = self.images.iter().filter(|to| image(to, pos.own()) == own).map(|to| image(to, pos.opp())).min();
        let hands = u64::from(pos.own_hand()) << 4 | u64::from(pos.opp_hand());
        let row = (u64::from(pos.opp().count_ones()) << 8 | hands) << POINTS | u64::from(own);
        row << POINTS | u64::from(opp.expect("some symmetry"))
    }

    /// Counts the different images of a position.
    pub fn image_count(&self, pos: &Position) -> u64 {
        let itself = u64::from(pos.own()) << POINTS | u64::from(pos.opp());
        let fixed = self.images_of_both(pos.own(), pos.opp()).filter(|&image| image == itself).count();
        (self.images.len() / fixed) as u64
    }

    /// Returns all positions with these stones on the board and in hand, the mover's first: the least of each class of
    /// images.
    pub fn positions(&self, game: &Morris<CUSTOM>, own: Force, opp: Force) -> Vec<Position> {
        let opp_sets = sets(opp.board);
        let is_least = |own: PointSet, opp: PointSet| {
            let itself = u64::from(own) << POINTS | u64::from(opp);
            self.images_of_both(own, opp).all(|image| itself <= image)
        };
        let mut positions = Vec::new();
        for own_set in sets(own.board).into_iter().filter(|&set| self.images(set).all(|image| set <= image)) {
            for &opp_set in opp_sets.iter().filter(|&&opp_set| opp_set & own_set == 0 && is_least(own_set, opp_set)) {
                let setup = Setup {
                    stones: [own_set, opp_set],
                    hands: [own.hand, opp.hand],
                    side: Side::White,
                    plies_without_progress: 0,
                    move_number: 1,
                    formed_lines: [0; 2],
                };
                positions.push(game.validate(&setup).expect("a position of these rules"));
            }
        }
        positions
    }
}

/// The stones of a side.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Force {
    pub board: u32,
    pub hand: u32,
}

impl Force {
    pub const fn total(self) -> u32 {
        self.board + self.hand
    }
}

#[test]
fn the_board_has_as_many_symmetries_as_are_known() {
    assert_eq!(symmetries().len(), 16);
    assert_eq!(sets(3).len(), 2024);
    assert!(sets(3).is_sorted_by(|a, b| a < b));
}
