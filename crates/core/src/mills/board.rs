//! Boards as data: points with names, lines that are mills, and steps between points.

use crate::bits::iter_ones;

/// A set of points: bit `p` for point `p`, in the low [`MAX_POINTS`] bits.
pub type PointSet = u32;

/// The most points of a board.
pub const MAX_POINTS: usize = 24;
/// The most lines of a board.
pub const MAX_LINES: usize = 20;
/// The most points in a row of a board.
const MAX_ROW: usize = 6;

/// A point for each point, such as its image under a symmetry.
pub type Images = [u8; MAX_POINTS];

/// A board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Board {
    /// The names of the points: file and rank.
    pub names: &'static [&'static str],
    /// The points row by row from the top, left to right: the order of a FEN.
    pub reading_order: &'static [u8],
    /// The index of each point in that order.
    pub places: Images,
    /// The lengths of the rows.
    pub rows: &'static [usize],
    /// The lines that are mills.
    pub lines: &'static [PointSet],
    /// The neighbours of each point.
    pub neighbours: [PointSet; MAX_POINTS],
    /// The symmetries, of which the first is the identity.
    pub symmetries: &'static [Images],
}

impl Board {
    /// Returns every point.
    #[inline(always)]
    pub const fn all(&self) -> PointSet {
        (1 << self.names.len()) - 1
    }

    /// Returns the name of a point.
    pub fn name(&self, p: u32) -> &'static str {
        self.names.get(p as usize).copied().unwrap_or("?")
    }

    /// Returns the point with this name (lower or upper case).
    pub fn point_by_name(&self, name: &str) -> Option<u32> {
        self.names.iter().position(|n| n.eq_ignore_ascii_case(name)).map(|p| p as u32)
    }

    /// Returns the points of a set in reading order.
    pub fn in_order(&self, set: PointSet) -> impl Iterator<Item = u32> {
        self.reading_order.iter().map(|&p| p.into()).filter(move |p| set >> p & 1 != 0)
    }

    /// Returns the characters of a FEN's rows, for a message.
    pub fn alphabet(&self) -> &'static str {
        const OF_WIDTH: [&str; MAX_ROW + 1] = ["", "", "", "O, X, 1-3", "O, X, 1-4", "O, X, 1-5", "O, X, 1-6"];
        let width = self.rows.iter().max().copied().unwrap_or_default();
        OF_WIDTH.get(width).copied().unwrap_or_default()
    }

    /// Returns the index of a point in reading order.
    pub fn place(&self, p: u32) -> usize {
        self.places.get(p as usize).copied().unwrap_or_default().into()
    }

    /// Returns the image of a point under a symmetry.
    pub fn image_of(&self, symmetry: usize, p: u32) -> u32 {
        let images = self.symmetries.get(symmetry);
        images.and_then(|images| images.get(p as usize)).map_or(p, |&image| image.into())
    }

    /// Returns the image of a set under a symmetry.
    pub fn image(&self, symmetry: usize, set: PointSet) -> PointSet {
        points(set).fold(0, |image, p| image | bit(self.image_of(symmetry, p)))
    }

    /// Returns the inverse of a symmetry.
    pub fn inverse(&self, symmetry: usize) -> usize {
        let undoes = |&other: &usize| points(self.all()).all(|p| self.image_of(other, self.image_of(symmetry, p)) == p);
        (0..self.symmetries.len()).find(undoes).unwrap_or_default()
    }
}

/// Returns the index of each point in a reading order.
pub(crate) const fn places(reading_order: &[u8]) -> Images {
    let mut places = [0; MAX_POINTS];
    let mut at = 0;
    while at < reading_order.len() {
        places[reading_order[at] as usize] = at as u8;
        at += 1;
    }
    places
}

/// Returns the set of one point.
#[inline(always)]
pub(crate) const fn bit(p: u32) -> PointSet {
    1 << (p & 31)
}

/// Iterates over the points of a set, lowest first.
#[inline(always)]
pub fn points(set: PointSet) -> impl Iterator<Item = u32> {
    iter_ones(set)
}
