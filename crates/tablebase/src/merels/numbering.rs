//! The numbers of positions on a board of any shape, a position and its images under symmetry counted once.
//!
//! The stones of the side to move give the row: the number of the least image of their set among the sets of as many
//! points. The opponent's stones, in the same image, give the place in the row: their rank among the points then free.
//! If the least image is itself symmetric, the least of the ranks counts, and the others stay vacant.

use crate::binomial::{MAX_SIZE, binomial};
use millbrain_core::mills::board::{Board, PointSet, points};
use std::sync::LazyLock;

/// A least image.
struct Row {
    set: PointSet,
    /// The symmetries that leave it unchanged, without the identity.
    stabiliser: Vec<u8>,
}

/// The numbering of a board's positions.
pub struct Numbering {
    board: &'static Board,
    /// The images of each byte of a set under each symmetry.
    images: Vec<[[PointSet; 256]; 3]>,
    /// The rows of the sets of each size, in order.
    rows: [Vec<Row>; MAX_SIZE + 1],
    /// The row of each set, and the symmetry that leads there.
    places: Vec<(u16, u8)>,
}

/// A numbering that is made when it is needed.
pub type LazyNumbering = LazyLock<Numbering>;

/// Returns the rank of a set among the sets of as many points of `free`.
fn rank(set: PointSet, free: PointSet) -> u64 {
    let number = |p: u32| (free & ((1 << p) - 1)).count_ones() as usize;
    (1..).zip(points(set)).map(|(size, p)| binomial(number(p), size)).sum()
}

/// Returns the set of this size and rank.
fn of_rank(mut rank: u64, size: usize, free: PointSet) -> PointSet {
    let free: Vec<u32> = points(free).collect();
    (1..=size).rev().fold(0, |set, size| {
        let number = (size - 1..free.len()).rev().find(|&n| binomial(n, size) <= rank).unwrap_or(size - 1);
        rank -= binomial(number, size);
        set | 1 << free[number]
    })
}

impl Numbering {
    /// Numbers the positions of a board.
    pub fn new(board: &'static Board) -> Numbering {
        let byte = |symmetry, at: usize| std::array::from_fn(|byte| board.image(symmetry, (byte << (8 * at)) as u32));
        let of_bytes = |symmetry| std::array::from_fn(|at| byte(symmetry, at));
        let images = (0..board.symmetries.len()).map(of_bytes).collect();
        let places = vec![(u16::MAX, 0); board.all() as usize + 1];
        let mut numbering = Numbering { board, images, rows: std::array::from_fn(|_| Vec::new()), places };
        for set in 0..=board.all() {
            numbering.add(set);
        }
        numbering
    }

    /// Adds the row of a set, if it is the least of its images.
    fn add(&mut self, set: PointSet) {
        let size = set.count_ones() as usize;
        if size > MAX_SIZE || self.places[set as usize].0 != u16::MAX {
            return;
        }
        let row = self.rows[size].len() as u16;
        let mut stabiliser = Vec::new();
        for symmetry in (0..self.board.symmetries.len()).rev() {
            let image = self.image(symmetry as u8, set);
            self.places[image as usize] = (row, self.board.inverse(symmetry) as u8);
            if symmetry > 0 && image == set {
                stabiliser.push(symmetry as u8);
            }
        }
        self.rows[size].push(Row { set, stabiliser });
    }

    /// Returns the image of a set under a symmetry.
    #[inline]
    fn image(&self, symmetry: u8, set: PointSet) -> PointSet {
        let images = &self.images[usize::from(symmetry)];
        let [low, middle, high, _] = set.to_le_bytes().map(usize::from);
        images[0][low] | images[1][middle] | images[2][high]
    }

    /// Returns the number of rows of positions with this number of stones of the side to move.
    pub fn rows(&self, own: usize) -> usize {
        self.rows[own].len()
    }

    /// Returns the number of slots in a row, for these numbers of stones.
    pub fn row_length(&self, own: usize, opp: usize) -> u64 {
        binomial(self.board.names.len() - own, opp)
    }

    /// Returns the slot of a position.
    pub fn slot(&self, own: PointSet, opp: PointSet) -> u64 {
        let (row, symmetry) = self.places[own as usize];
        let Row { set, stabiliser } = &self.rows[own.count_ones() as usize][usize::from(row)];
        let (opp, free) = (self.image(symmetry, opp), self.board.all() & !set);
        let others = stabiliser.iter().map(|&symmetry| self.image(symmetry, opp));
        let least = others.fold(opp, PointSet::min);
        u64::from(row) * self.row_length(set.count_ones() as usize, opp.count_ones() as usize) + rank(least, free)
    }

    /// Returns the stones of a slot and the number of images of the position; `None` if the slot is vacant.
    pub fn sets(&self, own: usize, opp: usize, slot: u64) -> Option<(PointSet, PointSet, u32)> {
        let length = self.row_length(own, opp);
        let Row { set, stabiliser } = &self.rows[own][(slot / length) as usize];
        let opp = of_rank(slot % length, opp, self.board.all() & !set);
        let mut fixed = 1;
        for &symmetry in stabiliser {
            let image = self.image(symmetry, opp);
            if image < opp {
                return None;
            }
            fixed += u32::from(image == opp);
        }
        Some((*set, opp, self.board.symmetries.len() as u32 / fixed))
    }
}
