//! Ranks of sets, and renumbering of the members of a set among the points that another set leaves free.
//!
//! Sets of `k` points are ranked colexicographically: in the order of their bits read as a number. The rank of
//! `p1 < p2 < ... < pk` is `C(p1, 1) + C(p2, 2) + ... + C(pk, k)`, whatever the size of the board (the combinatorial
//! number system: Knuth, TAOCP 7.2.1.3).

use crate::binomial::{MAX_SIZE, binomial};
use millbrain_core::morris::board::{POINTS, PointSet};
use std::sync::OnceLock;

const HALF: u32 = 12;

/// The ranks of sets of one size: the sum of one entry for the low and one for the high half of the points.
pub(super) struct Ranks {
    low: [u16; 1 << HALF],
    high: [u32; 1 << HALF],
    size: usize,
    /// The sets in order of rank; only needed for solving and checking.
    sets: OnceLock<Vec<PointSet>>,
}

impl Ranks {
    fn new(size: usize) -> Ranks {
        let mut ranks = Ranks { low: [0; 1 << HALF], high: [0; 1 << HALF], size, sets: OnceLock::new() };
        for half in 0..1usize << HALF {
            let count = half.count_ones() as usize;
            let sum = |first: usize, offset: usize| -> u64 {
                (0..HALF as usize)
                    .filter(|p| half >> p & 1 != 0)
                    .enumerate()
                    .map(|(i, p)| binomial(p + offset, first + i + 1))
                    .sum()
            };
            ranks.low[half] = sum(0, 0) as u16;
            if let Some(below) = size.checked_sub(count) {
                ranks.high[half] = sum(below, HALF as usize) as u32;
            }
        }
        ranks
    }

    /// Returns the ranks of sets of `size` points, at most [`MAX_SIZE`].
    pub(super) fn of(size: usize) -> &'static Ranks {
        static ALL: [OnceLock<Ranks>; MAX_SIZE + 1] = [const { OnceLock::new() }; MAX_SIZE + 1];
        ALL[size].get_or_init(|| Ranks::new(size))
    }

    /// Returns the rank of a set of this size.
    #[inline(always)]
    pub(super) const fn rank(&self, set: PointSet) -> u32 {
        self.low[(set & 0xFFF) as usize] as u32 + self.high[(set >> HALF & 0xFFF) as usize]
    }

    /// Returns the set of this rank.
    #[inline(always)]
    pub(super) fn set(&self, rank: u32) -> PointSet {
        self.sets()[rank as usize]
    }

    /// Returns the same without a list of all sets.
    pub(super) fn unrank(&self, rank: u32) -> PointSet {
        let (mut rank, mut set, mut point) = (u64::from(rank), 0, POINTS);
        for left in (1..=self.size).rev() {
            point -= 1;
            while binomial(point, left) > rank {
                point -= 1;
            }
            rank -= binomial(point, left);
            set |= 1 << point;
        }
        set
    }

    /// Returns the size of the sets.
    pub(super) const fn size(&self) -> usize {
        self.size
    }

    /// Returns the sets in order of rank.
    #[inline(always)]
    pub(super) fn sets(&self) -> &[PointSet] {
        self.sets.get_or_init(|| sets(POINTS, self.size).collect())
    }
}

/// Returns the next set in colexicographic order (Gosper: HAKMEM, item 175).
#[inline(always)]
pub const fn next_set(set: PointSet) -> PointSet {
    let ripple = set + (set & set.wrapping_neg());
    ripple | ((set ^ ripple) >> 2 >> set.trailing_zeros())
}

/// Returns all sets of `size` of the first `points` points, in the order of their ranks.
pub(super) fn sets(points: usize, size: usize) -> impl Iterator<Item = PointSet> {
    let mut set = (1 << size) - 1;
    (0..binomial(points, size)).map(move |_| {
        let current = set;
        if size > 0 {
            set = next_set(set);
        }
        current
    })
}

/// Two tables for each byte of the board, by a mask and a set: the bits of the set under the mask squeezed together,
/// and the low bits of the set spread out over the mask.
struct ByteTables {
    squeeze: [u8; 1 << 16],
    spread: [u8; 1 << 16],
}

static BYTES: ByteTables = {
    let mut tables = ByteTables { squeeze: [0; 1 << 16], spread: [0; 1 << 16] };
    let mut mask = 0;
    while mask < 256 {
        // Each entry follows from that of the set without its lowest bit.
        let mut set = 1;
        while set < 256usize {
            let lowest = set.trailing_zeros();
            let rest = set & (set - 1);
            let below = (mask & ((1 << lowest) - 1)) as u32;
            let squeezed = if mask >> lowest & 1 != 0 { 1 << below.count_ones() } else { 0 };
            tables.squeeze[mask << 8 | set] = tables.squeeze[mask << 8 | rest] | squeezed;
            let mut target = mask;
            let mut i = 0;
            while i < lowest {
                target &= target.wrapping_sub(1);
                i += 1;
            }
            let spread = target & target.wrapping_neg();
            tables.spread[mask << 8 | set] = tables.spread[mask << 8 | rest] | (spread & 0xFF) as u8;
            set += 1;
        }
        mask += 1;
    }
    tables
};

/// The points left free by a set, ready for squeezing sets into them.
#[derive(Clone, Copy)]
pub struct Gaps {
    /// The free points in the low 24 bits, then their counts in the first and in the second byte.
    packed: u32,
}

impl Gaps {
    /// Returns the points that `occupied` leaves free.
    pub(super) const fn of(occupied: PointSet) -> Gaps {
        let free = !occupied & ((1 << POINTS) - 1);
        Gaps { packed: free | (free & 0xFF).count_ones() << 24 | (free & 0xFF00).count_ones() << 28 }
    }

    /// Counts the free points before the second and before the third byte.
    const fn before(self) -> (u32, u32) {
        let first = self.packed >> 24 & 15;
        (first, first + (self.packed >> 28))
    }

    /// Returns the numbers with which the second and the third ring begin: each has a byte.
    pub const fn rings(self) -> [usize; 2] {
        let (first, second) = self.before();
        [first as usize, second as usize]
    }

    /// Returns the free points.
    #[inline(always)]
    pub const fn free(self) -> PointSet {
        self.packed & 0x00FF_FFFF
    }

    /// Returns the numbers of the members of `set` among the free points, as a set.
    #[inline(always)]
    pub fn squeeze(self, set: PointSet) -> PointSet {
        let byte = |i: u32| {
            let (mask, set) = (self.packed >> (8 * i) & 0xFF, set >> (8 * i) & 0xFF);
            u32::from(BYTES.squeeze[(mask << 8 | set) as usize])
        };
        let (first, second) = self.before();
        byte(0) | byte(1) << first | byte(2) << second
    }

    /// Inverts [`Gaps::squeeze`].
    #[inline(always)]
    pub fn spread(self, numbers: PointSet) -> PointSet {
        let byte = |i: u32, numbers: u32| {
            let mask = self.packed >> (8 * i) & 0xFF;
            u32::from(BYTES.spread[(mask << 8 | (numbers & 0xFF)) as usize]) << (8 * i)
        };
        let (first, second) = self.before();
        byte(0, numbers) | byte(1, numbers >> first) | byte(2, numbers >> second)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_number_the_sets_in_order() {
        for size in 0..=MAX_SIZE {
            let ranks = Ranks::of(size);
            for (expected, set) in (0..).zip(sets(if size > 6 { 18 } else { POINTS }, size)) {
                assert_eq!(set.count_ones() as usize, size);
                assert_eq!((ranks.rank(set), ranks.unrank(expected)), (expected, set));
            }
        }
        assert_eq!(Ranks::of(12).rank(0xFFF000), binomial(24, 12) as u32 - 1);
    }

    #[test]
    fn squeezing_and_spreading_are_inverse() {
        let mut rng = fastrand::Rng::with_seed(5);
        for _ in 0..50_000 {
            let occupied = rng.u32(..) & rng.u32(..) & 0xFF_FFFF;
            let gaps = Gaps::of(occupied);
            let set = rng.u32(..) & gaps.free();
            let numbers = gaps.squeeze(set);
            let mut expected = 0;
            for (i, p) in (0..24).filter(|p| gaps.free() >> p & 1 != 0).enumerate() {
                expected |= (set >> p & 1) << i;
            }
            assert_eq!(numbers, expected);
            assert_eq!(gaps.spread(numbers), set);
        }
    }
}
