//! The numbering of a sector. The first part is the orbit of the mover's set under the 16 symmetries. The second is the
//! rank of the opponent's set among the points that the representative of that orbit (its first member) leaves free. If
//! the representative is itself symmetric, several slots stand for images of one position: the least is used, the
//! others are vacant.

mod combinations;
mod orbits;

use super::force::Force;
use crate::binomial::binomial;
use crate::endings::Sector;
pub use combinations::Gaps;
use combinations::Ranks;
pub use combinations::next_set;
use millbrain_core::morris::board::{ALL, POINTS, PointSet};
use millbrain_core::morris::symmetry::{SYMMETRIES, image};
use orbits::{Orbits, Place};
use std::ops::Range;

/// The numbering of one sector.
#[derive(Clone, Copy)]
pub struct Numbering {
    orbits: &'static Orbits,
    ranks: &'static Ranks,
    /// The slots per orbit.
    columns: u32,
}

/// The place of the positions with one set of the mover.
#[derive(Clone, Copy)]
pub struct RowIndex {
    numbering: Numbering,
    place: Place,
    gaps: Gaps,
    /// The first slot of the row.
    first: u64,
}

impl RowIndex {
    /// Returns the slot of the position with this set of the opponent.
    #[inline(always)]
    pub fn slot(&self, opp: PointSet) -> u64 {
        let seen = image(self.place.symmetry(), opp);
        let rank = if self.place.symmetric() {
            self.numbering.min_rank(self.place.orbit(), self.gaps, seen).0
        } else {
            self.numbering.ranks.rank(self.gaps.squeeze(seen))
        };
        self.first + u64::from(rank)
    }
}

impl Numbering {
    /// Returns the numbering of a sector.
    pub fn of(sector: Sector) -> Numbering {
        let [own, opp] = [sector.own, sector.opp].map(|code| usize::from(Force::of(code).board));
        Numbering::of_sizes(own, opp)
    }

    /// Returns the numbering by a set of `own` points and one of `opp` others.
    pub fn of_sizes(own: usize, opp: usize) -> Numbering {
        Numbering { orbits: Orbits::of(own), ranks: Ranks::of(opp), columns: binomial(POINTS - own, opp) as u32 }
    }

    /// Returns the number of orbits.
    pub fn rows(self) -> usize {
        self.orbits.len()
    }

    /// Returns the slots per orbit.
    #[inline(always)]
    pub const fn columns(self) -> u32 {
        self.columns
    }

    /// Returns the slots of an orbit.
    #[inline(always)]
    pub fn row(self, orbit: usize) -> Range<u64> {
        let first = self.first_slot(orbit);
        first..first + u64::from(self.columns)
    }

    /// Returns the number of slots, vacant ones included.
    pub fn slots(self) -> u64 {
        self.first_slot(self.rows())
    }

    #[inline(always)]
    fn first_slot(self, orbit: usize) -> u64 {
        orbit as u64 * u64::from(self.columns)
    }

    /// Returns the points that the first member of an orbit leaves free.
    #[inline(always)]
    pub fn gaps(self, orbit: usize) -> Gaps {
        self.orbits.first(orbit)
    }

    /// Returns the opponent's set in a column.
    #[inline(always)]
    pub fn opp(self, gaps: Gaps, column: u32) -> PointSet {
        gaps.spread(self.ranks.set(column))
    }

    /// Returns the orbit of a set, and a symmetry that maps the set to the first member.
    pub fn place(self, own: PointSet) -> (usize, usize) {
        let place = self.orbits.place(own);
        (place.orbit(), place.symmetry())
    }

    /// Returns the opponent's sets by column, each as the numbers of its points among those that are free.
    #[inline(always)]
    pub fn sets_by_column(self) -> &'static [PointSet] {
        &self.ranks.sets()[..self.columns as usize]
    }

    /// Returns the column of a set of numbers.
    #[inline(always)]
    pub const fn column(self, numbers: PointSet) -> usize {
        self.ranks.rank(numbers) as usize
    }

    /// Returns the size of the opponent's sets.
    pub const fn size(self) -> usize {
        self.ranks.size()
    }

    /// Returns the sets of `size` of the first `count` numbers, in order of their ranks.
    pub fn sets_among(count: usize, size: usize) -> &'static [PointSet] {
        &Ranks::of(size).sets()[..binomial(count, size) as usize]
    }

    /// Returns the rank of a set among those of this size.
    pub fn rank(size: usize, numbers: PointSet) -> usize {
        Ranks::of(size).rank(numbers) as usize
    }

    /// Returns whether some symmetry other than the identity maps the first member of an orbit onto itself.
    pub fn is_symmetric(self, orbit: usize) -> bool {
        self.orbits.stabiliser(orbit) != 1
    }

    /// Returns the symmetries that map the first member of an orbit onto itself.
    pub fn symmetries(self, orbit: usize) -> impl Iterator<Item = usize> {
        let stabiliser = self.orbits.stabiliser(orbit);
        (0..SYMMETRIES).filter(move |s| stabiliser >> s & 1 != 0)
    }

    /// Returns a slot of a position, vacant or not, given the rank of the mover's set and the images of the opponent's.
    #[inline(always)]
    pub fn any_slot(self, own: u32, opp: impl Fn(usize) -> PointSet) -> u64 {
        let place = self.orbits.place_of(own);
        let numbers = self.gaps(place.orbit()).squeeze(opp(place.symmetry()));
        self.first_slot(place.orbit()) + u64::from(self.ranks.rank(numbers))
    }

    /// Returns the row index of one of the mover's sets.
    #[inline(always)]
    pub fn row_index(self, own: PointSet) -> RowIndex {
        let place = self.orbits.place(own);
        let orbit = place.orbit();
        RowIndex { numbering: self, place, gaps: self.gaps(orbit), first: self.first_slot(orbit) }
    }

    /// Returns the slot of a position, given the images of the opponent's set, and the number of symmetries that map
    /// the position onto itself.
    #[inline(always)]
    pub fn locate(self, own: PointSet, opp: impl Fn(usize) -> PointSet) -> (u64, u32) {
        self.locate_at(self.orbits.place(own), opp)
    }

    /// Returns the slot of a position, given the rank of the mover's set and the images of the opponent's.
    #[inline(always)]
    pub fn slot_of(self, own: u32, opp: impl Fn(usize) -> PointSet) -> u64 {
        self.locate_at(self.orbits.place_of(own), opp).0
    }

    #[inline(always)]
    fn locate_at(self, place: Place, opp: impl Fn(usize) -> PointSet) -> (u64, u32) {
        let gaps = self.gaps(place.orbit());
        let seen = opp(place.symmetry());
        let mut rank = self.ranks.rank(gaps.squeeze(seen));
        let mut stabiliser = 1;
        if place.symmetric() {
            (rank, stabiliser) = self.min_rank(place.orbit(), gaps, seen);
        }
        (self.first_slot(place.orbit()) + u64::from(rank), stabiliser)
    }

    /// Calls `each` with the orbit and every column of a position, given the images of the opponent's set. There is one
    /// column, or several where the first member of the orbit is symmetric.
    #[inline(always)]
    pub fn each_place(self, own: PointSet, opp: impl Fn(usize) -> PointSet, mut each: impl FnMut(usize, u32)) {
        let place = self.orbits.place(own);
        let orbit = place.orbit();
        let gaps = self.gaps(orbit);
        let seen = opp(place.symmetry());
        let column = |seen| self.ranks.rank(gaps.squeeze(seen));
        if !place.symmetric() {
            return each(orbit, column(seen));
        }
        let stabiliser = self.orbits.stabiliser(orbit);
        let symmetries = || (0..SYMMETRIES).filter(|s| stabiliser >> s & 1 != 0);
        for symmetry in symmetries() {
            // Several symmetries may lead to one image; the first counts.
            let seen_now = image(symmetry, seen);
            if symmetries().take_while(|&earlier| earlier < symmetry).all(|earlier| image(earlier, seen) != seen_now) {
                each(orbit, column(seen_now));
            }
        }
    }

    /// Returns the slot of the position with these sets.
    #[inline(always)]
    pub fn slot(self, own: PointSet, opp: PointSet) -> u64 {
        self.locate(own, |symmetry| image(symmetry, opp)).0
    }

    /// Returns the set of numbers in a column, without a list of all sets.
    pub fn numbers(self, column: u32) -> PointSet {
        self.ranks.unrank(column)
    }

    /// Returns the column of the slot that a position has, given an orbit and the opponent's set; it is the least of
    /// those of its images.
    pub fn least_column(self, orbit: usize, gaps: Gaps, opp: PointSet) -> u32 {
        self.min_rank(orbit, gaps, opp).0
    }

    /// Returns the least rank among the images of the opponent's set under the stabiliser of an orbit's first member.
    /// The second number counts the images that are the set itself.
    fn min_rank(self, orbit: usize, gaps: Gaps, opp: PointSet) -> (u32, u32) {
        let stabiliser = self.orbits.stabiliser(orbit);
        let mut fixed = 0;
        let mut least = u32::MAX;
        for symmetry in (0..SYMMETRIES).filter(|s| stabiliser >> s & 1 != 0) {
            let seen = image(symmetry, opp);
            fixed += u32::from(seen == opp);
            least = least.min(self.ranks.rank(gaps.squeeze(seen)));
        }
        (least, fixed)
    }

    /// Returns the orbit of a slot and its column there.
    fn split(self, slot: u64) -> (usize, u32) {
        let columns = u64::from(self.columns);
        ((slot / columns) as usize, (slot % columns) as u32)
    }

    /// Returns the sets of the mover and of the opponent; `None` for a vacant slot.
    pub fn sets(self, slot: u64) -> Option<(PointSet, PointSet)> {
        let (orbit, column) = self.split(slot);
        let gaps = self.gaps(orbit);
        let opp = gaps.spread(self.ranks.unrank(column));
        self.stabiliser(orbit, gaps, column, opp).map(|_| (ALL & !gaps.free(), opp))
    }

    /// Counts the positions of a slot.
    pub fn images(self, slot: u64) -> u32 {
        let (orbit, column) = self.split(slot);
        if self.orbits.stabiliser(orbit) == 1 {
            return SYMMETRIES as u32;
        }
        let gaps = self.gaps(orbit);
        let opp = self.opp(gaps, column);
        self.stabiliser(orbit, gaps, column, opp).map_or(0, |stabiliser| SYMMETRIES as u32 / stabiliser)
    }

    /// Counts the symmetries that fix the position in a column of an orbit; returns `None` if the slot is vacant.
    pub fn stabiliser(self, orbit: usize, gaps: Gaps, column: u32, opp: PointSet) -> Option<u32> {
        if self.orbits.stabiliser(orbit) == 1 {
            return Some(1);
        }
        let (least, fixed) = self.min_rank(orbit, gaps, opp);
        (least == column).then_some(fixed)
    }
}
