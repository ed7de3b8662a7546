//! Counts positions by formula, without numbering them: Burnside's lemma.
//!
//! A position and its images under the 16 symmetries of the board count as one. The number of such classes is the mean,
//! over the symmetries, of the number of positions that a symmetry leaves unchanged. In those positions each of its
//! cycles of points is free or full of one side's stones. With `own` and `opp` stones they are the coefficient of
//! `x^own y^opp` in the product of `1 + x^length + y^length` over all cycles.

use crate::binomial::MAX_SIZE;
use millbrain_core::morris::board::POINTS;
use millbrain_core::morris::symmetry::{POINT_IMAGE, SYMMETRIES};
use std::sync::OnceLock;

/// Numbers by the stones on the board of the mover and of its opponent, each at most [`MAX_SIZE`].
type Numbers = [[u64; MAX_SIZE + 1]; MAX_SIZE + 1];

/// Counts the positions with these stones on the board, a position and its images counted once.
pub fn classes(own: usize, opp: usize) -> u64 {
    static CLASSES: OnceLock<Numbers> = OnceLock::new();
    CLASSES.get_or_init(mean_over_symmetries)[own][opp]
}

/// Counts the positions with these stones on the board, every image counted.
pub fn images(own: usize, opp: usize) -> u64 {
    static IMAGES: OnceLock<Numbers> = OnceLock::new();
    // Every position is its own image under the identity, which has a cycle for each point.
    IMAGES.get_or_init(|| fixed(&[1; POINTS]))[own][opp]
}

fn mean_over_symmetries() -> Numbers {
    let mut sums = [[0; MAX_SIZE + 1]; MAX_SIZE + 1];
    for symmetry in &POINT_IMAGE {
        let fixed = fixed(&cycle_lengths(symmetry));
        for (sum, fixed) in sums.iter_mut().flatten().zip(fixed.iter().flatten()) {
            *sum += fixed;
        }
    }
    sums.map(|row| row.map(|sum| sum / SYMMETRIES as u64))
}

/// Returns the lengths of the cycles of a permutation of the points.
fn cycle_lengths(permutation: &[u8; POINTS]) -> Vec<usize> {
    let mut seen = [false; POINTS];
    let mut lengths = Vec::new();
    for first in 0..POINTS {
        let mut length = 0;
        let mut point = first;
        while !seen[point] {
            seen[point] = true;
            length += 1;
            point = permutation[point].into();
        }
        if length > 0 {
            lengths.push(length);
        }
    }
    lengths
}

/// Counts the positions that a symmetry with cycles of these lengths leaves unchanged.
fn fixed(cycles: &[usize]) -> Numbers {
    let mut numbers = [[0; MAX_SIZE + 1]; MAX_SIZE + 1];
    numbers[0][0] = 1;
    for &length in cycles {
        // Downwards, so that the entries read are still without this cycle.
        for own in (0..=MAX_SIZE).rev() {
            for opp in (0..=MAX_SIZE).rev() {
                let with_own = own.checked_sub(length).map_or(0, |own| numbers[own][opp]);
                let with_opp = opp.checked_sub(length).map_or(0, |opp| numbers[own][opp]);
                numbers[own][opp] += with_own + with_opp;
            }
        }
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::super::{Force, MorrisEndings};
    use super::*;
    use crate::binomial::binomial;
    use crate::endings::{Endings, Sector};
    use millbrain_core::morris::{DIAGONALS, FLYING};

    fn classes_of(sector: Sector) -> u64 {
        let [own, opp] = [sector.own, sector.opp].map(Force::of);
        classes(own.board.into(), opp.board.into())
    }

    /// Counts some sectors, and all positions in them.
    fn total(sectors: impl IntoIterator<Item = Sector>) -> (usize, u64) {
        sectors.into_iter().fold((0, 0), |(count, sum), sector| (count + 1, sum + classes_of(sector)))
    }

    /// Returns the totals of the moving phase and the placing phase of a rule set.
    fn totals(switches: u8, stones: u8) -> [(usize, u64); 2] {
        let endings = MorrisEndings::new(switches, stones).with_placing(true);
        // Empty boards of games with fewer stones are not positions of this one.
        let is_other_start = |sector: &Sector| {
            let [own, opp] = [sector.own, sector.opp].map(Force::of);
            own.board == 0 && opp.board == 0 && own.hand < stones
        };
        let (placing, moving): (Vec<Sector>, Vec<Sector>) =
            endings.sectors().into_iter().filter(|sector| !is_other_start(sector)).partition(|&s| endings.in_hand(s));
        [total(moving), total(placing)]
    }

    #[test]
    fn whole_games_hold_as_many_positions_as_are_known() {
        assert_eq!(totals(FLYING, 9), [(49, 8_904_593_601), (449, 17_856_741_338)]);
        let morabaraba = totals(FLYING | DIAGONALS, 12);
        assert_eq!(morabaraba, [(100, 16_528_583_563), (1116, 95_470_982_737)]);
        assert_eq!(totals(FLYING, 10)[0], (64, 12_658_488_857));
    }

    #[test]
    fn each_ply_of_the_placing_phase_holds_as_many_positions_as_are_known() {
        let endings = MorrisEndings::new(FLYING, 9).with_placing(true);
        let mut plies = [0; 18];
        for sector in endings.sectors().into_iter().filter(|&sector| endings.in_hand(sector)) {
            let [own, opp] = [sector.own, sector.opp].map(Force::of);
            if own.board > 0 || opp.board > 0 || own.hand == 9 {
                plies[usize::from(18 - own.hand - opp.hand)] += classes_of(sector);
            }
        }
        assert_eq!(
            plies,
            [
                1,
                4,
                50,
                508,
                5136,
                35_182,
                234_696,
                1_137_041,
                5_264_226,
                18_665_926,
                62_979_220,
                169_189_814,
                431_620_994,
                902_908_402,
                1_794_931_977,
                3_005_114_203,
                4_805_546_173,
                6_659_107_785
            ]
        );
    }

    #[test]
    fn sliding_while_placing_gives_as_many_positions_as_are_known() {
        const STONES: u8 = 10;
        let forces: Vec<Force> =
            (3..=STONES).flat_map(|total| (0..=total).map(move |hand| Force { board: total - hand, hand })).collect();
        // The first move of either side places a stone, since it has none to slide.
        let is_possible = |own: Force, opp: Force| match (own.hand, opp.hand) {
            (STONES, STONES) => true,
            (STONES, opp_hand) => opp.board == 1 && opp_hand == STONES - 1,
            (own_hand, opp_hand) => opp.board > 0 && own_hand + opp_hand > 0,
        };
        let pairs = forces.iter().flat_map(|&own| forces.iter().map(move |&opp| (own, opp)));
        let sectors = pairs.filter(|&(own, opp)| is_possible(own, opp));
        let sectors = sectors.map(|(own, opp)| Sector::new(own.code(), opp.code()));
        assert_eq!(total(sectors), (3006, 120_802_475_233));
    }

    #[test]
    fn the_formula_counts_the_slots_that_are_used() {
        let endings = MorrisEndings::new(FLYING, 9).with_placing(true);
        for sector in endings.sectors().into_iter().filter(|&sector| endings.slots(sector) < 400_000) {
            let [own, opp] = [sector.own, sector.opp].map(|code| usize::from(Force::of(code).board));
            let (mut used, mut all) = (0, 0);
            for images in (0..endings.slots(sector)).map(|slot| endings.images(sector, slot)) {
                used += u64::from(images > 0);
                all += u64::from(images);
            }
            assert_eq!((classes(own, opp), images(own, opp)), (used, all), "{}", endings.name(sector));
        }
    }

    #[test]
    fn all_images_are_the_ways_to_choose_two_sets() {
        for (own, opp) in (0..=MAX_SIZE).flat_map(|own| (0..=MAX_SIZE).map(move |opp| (own, opp))) {
            assert_eq!(images(own, opp), binomial(POINTS, own) * binomial(POINTS - own, opp));
        }
    }
}
