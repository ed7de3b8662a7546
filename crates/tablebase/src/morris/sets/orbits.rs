//! The orbits of stone sets under the 16 symmetries of the board.

use super::combinations::{Gaps, Ranks, sets};
use crate::binomial::{MAX_SIZE, binomial};
use millbrain_core::morris::board::{POINTS, PointSet};
use millbrain_core::morris::symmetry::{INVERSE, SYMMETRIES, image};
use std::sync::OnceLock;

/// The orbit of a set, a symmetry that maps the set to the first member of the orbit, and whether other symmetries do.
#[derive(Clone, Copy)]
pub(super) struct Place(u32);

impl Place {
    #[inline(always)]
    pub(super) const fn orbit(self) -> usize {
        (self.0 >> 5) as usize
    }

    #[inline(always)]
    pub(super) const fn symmetry(self) -> usize {
        (self.0 >> 1 & 15) as usize
    }

    /// Returns whether some symmetry other than the identity maps the set onto itself.
    #[inline(always)]
    pub(super) const fn symmetric(self) -> bool {
        self.0 & 1 != 0
    }
}

/// The orbits of all sets of one size.
pub(super) struct Orbits {
    ranks: &'static Ranks,
    places: Vec<Place>,
    firsts: Vec<Gaps>,
    /// A bit for each symmetry that maps the first member of an orbit onto itself.
    stabilisers: Vec<u16>,
}

impl Orbits {
    fn new(size: usize) -> Orbits {
        let ranks = Ranks::of(size);
        let mut orbits = Orbits {
            ranks,
            places: vec![Place(u32::MAX); binomial(POINTS, size) as usize],
            firsts: Vec::new(),
            stabilisers: Vec::new(),
        };
        for (rank, set) in sets(POINTS, size).enumerate() {
            if orbits.places[rank].0 != u32::MAX {
                continue;
            }
            let orbit = orbits.firsts.len() as u32;
            let stabiliser = (0..SYMMETRIES).filter(|&s| image(s, set) == set).fold(0, |bits, s| bits | 1 << s);
            for s in (0..SYMMETRIES).rev() {
                let place = &mut orbits.places[ranks.rank(image(s, set)) as usize];
                *place = Place(orbit << 5 | u32::from(INVERSE[s]) << 1 | u32::from(stabiliser != 1));
            }
            orbits.firsts.push(Gaps::of(set));
            orbits.stabilisers.push(stabiliser);
        }
        orbits
    }

    /// Returns the orbits of the sets of `size` points, at most [`MAX_SIZE`].
    pub(super) fn of(size: usize) -> &'static Orbits {
        static ALL: [OnceLock<Orbits>; MAX_SIZE + 1] = [const { OnceLock::new() }; MAX_SIZE + 1];
        ALL[size].get_or_init(|| Orbits::new(size))
    }

    /// Returns the number of orbits.
    pub(super) fn len(&self) -> usize {
        self.firsts.len()
    }

    /// Returns the place of a set of this size.
    #[inline(always)]
    pub(super) fn place(&self, set: PointSet) -> Place {
        self.place_of(self.ranks.rank(set))
    }

    /// Returns the place of the set of this rank.
    #[inline(always)]
    pub(super) fn place_of(&self, rank: u32) -> Place {
        self.places[rank as usize]
    }

    /// Returns the points that the first member of an orbit leaves free.
    #[inline(always)]
    pub(super) fn first(&self, orbit: usize) -> Gaps {
        self.firsts[orbit]
    }

    /// Returns the symmetries that map the first member of an orbit onto itself, a bit each; the identity is bit 0.
    #[inline(always)]
    pub(super) fn stabiliser(&self, orbit: usize) -> u16 {
        self.stabilisers[orbit]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use millbrain_core::morris::board::ALL;

    #[test]
    fn every_set_is_mapped_to_the_first_of_its_orbit() {
        // Numbers of orbits by Burnside's lemma.
        for (size, orbits) in [(3, 158), (4, 757), (5, 2830), (8, 46879), (9, 82880)] {
            assert_eq!(Orbits::of(size).len(), orbits);
        }
        let mut rng = fastrand::Rng::with_seed(9);
        let orbits = Orbits::of(5);
        for _ in 0..5_000 {
            let set = (0..).map(|_| rng.u32(..) & rng.u32(..) & ALL).find(|set| set.count_ones() == 5).expect("some");
            let place = orbits.place(set);
            let first = !orbits.first(place.orbit()).free() & ALL;
            assert_eq!(image(place.symmetry(), set), first);
            assert_eq!(place.symmetric(), (1..SYMMETRIES).any(|s| image(s, set) == set));
            assert_eq!((0..SYMMETRIES).map(|s| image(s, set)).min(), Some(first), "the first is the least");
        }
    }
}
