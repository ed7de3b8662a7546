//! The best rank that each set of numbers gains by one more number, for all sets of a size at once.
//!
//! Sets in order of rank are in the order of their last numbers: first those without the last number of all, then those
//! with it, in the order of their other numbers. So for the sets that gain the last number, the resulting sets are
//! contiguous and in the same order. Both parts are the same task with one number less.
//!
//! A number that closes a mill counts by other ranks.

use crate::code::Plies;
use millbrain_core::morris::board::{PointSet, points};
use millbrain_tablebase::binomial::binomial;

/// The number of ranks that are compared together.
const WIDE: usize = 16;
/// The same for shorter lists.
const NARROW: usize = 4;

/// The ranks of sets that have gained a number, in order.
#[derive(Clone, Copy)]
pub(super) struct Gained<'a, D> {
    /// The rank if the number is in no mill.
    pub quiet: &'a [D],
    /// The rank if the number is in a mill.
    pub closed: &'a [D],
    /// The numbers in mills.
    pub mills: &'a [PointSet],
}

impl<'a, D> Gained<'a, D> {
    /// Splits off the first `place` sets.
    fn split_at(self, place: usize) -> (Gained<'a, D>, Gained<'a, D>) {
        let (quiet, closed, mills) =
            (self.quiet.split_at(place), self.closed.split_at(place), self.mills.split_at(place));
        let part = |quiet, closed, mills| Gained { quiet, closed, mills };
        (part(quiet.0, closed.0, mills.0), part(quiet.1, closed.1, mills.1))
    }
}

/// Raises `best` of each set of `size` of the first `count` numbers to the greatest of `ranks` among the sets with one
/// number more. Sets are in order of rank. `ranks` has all sets of `size + 1`.
pub(super) fn raise<D: Plies>(best: &mut [D], ranks: &[D], count: usize, size: usize) {
    if size >= count {
        return;
    }
    if size == 0 {
        best[0] = ranks.iter().copied().fold(best[0], D::max);
        return;
    }
    if count == SMALL {
        let padded = padded(ranks);
        return raise_small(best, size, |place| padded[usize::from(place) % PADDED]);
    }
    let (without, with) = best.split_at_mut(binomial(count - 1, size) as usize);
    let (ranks_without, ranks_with) = ranks.split_at(binomial(count - 1, size + 1) as usize);
    raise_each(without, ranks_with);
    raise(without, ranks_without, count - 1, size);
    raise(with, ranks_with, count - 1, size - 1);
}

/// Does the same where numbers may close mills.
pub(super) fn raise_or_close<D: Plies>(best: &mut [D], gained: Gained<'_, D>, count: usize, size: usize) {
    if size >= count {
        return;
    }
    if count == SMALL {
        return raise_small_or_close(best, gained, size);
    }
    let last = count - 1;
    let (without, with) = best.split_at_mut(binomial(last, size) as usize);
    let (gained_without, gained_with) = gained.split_at(binomial(last, size + 1) as usize);
    raise_each_or_close(without, gained_with, 1 << last);
    raise_or_close(without, gained_without, last, size);
    if size > 0 {
        raise_or_close(with, gained_with, last, size - 1);
    }
}

/// Returns the first rank if there are no mills, otherwise the second. It has no branch, so that many are chosen at
/// once.
#[inline(always)]
fn chosen<D: Plies>(quiet: D, closed: D, mills: PointSet) -> D {
    let any = if mills == 0 { D::default() } else { D::MAX };
    (quiet & !any).max(closed & any)
}

/// Raises each rank to the one in the same place of another list, depending on whether this number is in a mill there.
fn raise_each_or_close<D: Plies>(best: &mut [D], gained: Gained<'_, D>, number: PointSet) {
    let raise = |best: &mut [D; WIDE], quiet: &[D; WIDE], closed: &[D; WIDE], mills: &[PointSet; WIDE]| {
        for i in 0..WIDE {
            best[i] = best[i].max(chosen(quiet[i], closed[i], mills[i] & number));
        }
    };
    let Gained { quiet, closed, mills } = gained;
    let last = (quiet.last_chunk(), closed.last_chunk(), mills.last_chunk());
    if let (Some(best), (Some(quiet), Some(closed), Some(mills))) = (best.last_chunk_mut(), last) {
        raise(best, quiet, closed, mills);
    } else {
        let gained = quiet.iter().zip(closed).zip(mills);
        best.iter_mut()
            .zip(gained)
            .for_each(|(best, ((&quiet, &closed), &mills))| *best = (*best).max(chosen(quiet, closed, mills & number)));
        return;
    }
    let chunks = quiet.as_chunks().0.iter().zip(closed.as_chunks().0).zip(mills.as_chunks().0);
    best.as_chunks_mut().0.iter_mut().zip(chunks).for_each(|(best, ((quiet, closed), mills))| {
        raise(best, quiet, closed, mills);
    });
}

/// Raises each rank to the one in the same place of another list, which is as long.
#[inline(always)]
pub(super) fn raise_each<D: Plies>(best: &mut [D], ranks: &[D]) {
    if !raise_chunks::<D, WIDE>(best, ranks) && !raise_chunks::<D, NARROW>(best, ranks) {
        best.iter_mut().zip(ranks).for_each(|(best, &rank)| *best = (*best).max(rank));
    }
}

/// Raises the ranks in chunks of `N`; returns false if there are fewer.
#[inline(always)]
fn raise_chunks<D: Plies, const N: usize>(best: &mut [D], ranks: &[D]) -> bool {
    let raise = |best: &mut [D; N], ranks: &[D; N]| {
        best.iter_mut().zip(ranks).for_each(|(best, &rank)| *best = (*best).max(rank));
    };
    // The last ones may be raised twice, which changes nothing.
    let (Some(last), Some(last_ranks)) = (best.last_chunk_mut(), ranks.last_chunk()) else { return false };
    raise(last, last_ranks);
    best.as_chunks_mut().0.iter_mut().zip(ranks.as_chunks().0).for_each(|(best, ranks)| raise(best, ranks));
    true
}

/// The count of numbers up to which tables are used.
const SMALL: usize = 6;

/// The most sets of one size of these few numbers.
const SETS: usize = 20;
/// Longer than any list of these sets, so that no index has to be checked.
const PADDED: usize = 32;

/// The gains of each set of these numbers, by rank among those of its size: for each number not in it, the number times
/// [`PADDED`] plus the rank of the set with it. Entries beyond the gains of a size are not read.
type Gains = [[u8; SMALL]; SETS];

/// The ranks of the sets of a few numbers among those of their size.
const RANKS: [u8; 1 << SMALL] = {
    let mut ranks = [0; 1 << SMALL];
    let mut counts = [0; SMALL + 1];
    let mut set = 0;
    while set < 1 << SMALL {
        let size = (set as u32).count_ones() as usize;
        ranks[set] = counts[size];
        counts[size] += 1;
        set += 1;
    }
    ranks
};

/// The gains by size.
static GAINS: [Gains; SMALL] = {
    let mut gains = [[[0; SMALL]; SETS]; SMALL];
    let mut set = 0;
    while set + 1 < 1 << SMALL {
        let gains = &mut gains[(set as u32).count_ones() as usize][RANKS[set] as usize];
        let (mut number, mut found) = (0, 0);
        while number < SMALL {
            if set >> number & 1 == 0 {
                gains[found] = (number * PADDED) as u8 + RANKS[set | 1 << number];
                found += 1;
            }
            number += 1;
        }
        set += 1;
    }
    gains
};

/// Returns a list of a few sets, padded with entries that are never read.
#[inline(always)]
fn padded<D: Plies>(ranks: &[D]) -> [D; PADDED] {
    let mut padded = [D::default(); PADDED];
    padded[..ranks.len()].copy_from_slice(ranks);
    padded
}

/// Raises the ranks of the sets of these few numbers, given the rank for each of their gains.
#[inline(always)]
fn raise_small<D: Plies>(best: &mut [D], size: usize, rank: impl Fn(u8) -> D) {
    match size {
        0 => raise_by_gains::<D, 6>(best, size, rank),
        1 => raise_by_gains::<D, 5>(best, size, rank),
        2 => raise_by_gains::<D, 4>(best, size, rank),
        3 => raise_by_gains::<D, 3>(best, size, rank),
        4 => raise_by_gains::<D, 2>(best, size, rank),
        _ => raise_by_gains::<D, 1>(best, size, rank),
    }
}

#[inline(always)]
fn raise_by_gains<D: Plies, const N: usize>(best: &mut [D], size: usize, rank: impl Fn(u8) -> D) {
    for (best, gains) in best.iter_mut().zip(&GAINS[size]) {
        *best = gains[..N].iter().fold(*best, |best, &gain| best.max(rank(gain)));
    }
}

fn raise_small_or_close<D: Plies>(best: &mut [D], gained: Gained<'_, D>, size: usize) {
    let quiet = padded(gained.quiet);
    let some_mill = gained.mills.iter().fold(0, |some, mills| some | mills) & ((1 << SMALL) - 1);
    if some_mill == 0 {
        return raise_small(best, size, |place| quiet[usize::from(place) % PADDED]);
    }
    let closed = padded(gained.closed);
    let mut mills = [0; PADDED];
    mills[..gained.mills.len()].copy_from_slice(gained.mills);
    // One list for each number, and more, so that no index has to be checked.
    let mut ranks = [quiet; u8::MAX as usize / PADDED + 1];
    for number in points(some_mill) {
        let ranks = &mut ranks[number as usize % SMALL];
        for i in 0..PADDED {
            ranks[i] = chosen(quiet[i], closed[i], mills[i] & 1 << number);
        }
    }
    let ranks = ranks.as_flattened();
    raise_small(best, size, |gain| ranks[usize::from(gain)]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::morris::frame::Frame;
    use millbrain_core::morris::board::POINTS;
    use millbrain_tablebase::morris::Numbering;

    #[test]
    fn sets_gain_what_one_number_more_brings() {
        let mut rng = fastrand::Rng::with_seed(7);
        for (count, size) in
            [(3, 3), (1, 0), (5, 0), (5, 2), (6, 1), (6, 5), (7, 6), (9, 3), (15, 8), (21, 2), (13, 11)]
        {
            let ranks: Vec<u8> = (0..binomial(count, size + 1)).map(|_| rng.u8(..)).collect();
            let sets = Numbering::sets_among(count, size);
            let mut best = vec![9; sets.len()];
            let gained = |set: u32| {
                let others = points(!set & ((1 << count) - 1));
                others.map(|number| ranks[Numbering::rank(size + 1, set | 1 << number)]).max().unwrap_or_default()
            };
            let expected: Vec<u8> = sets.iter().map(|&set| gained(set).max(9)).collect();
            raise(&mut best, &ranks, count, size);
            assert!(best == expected, "{size} of {count}");
        }
    }

    #[test]
    fn numbers_that_close_mills_count_by_other_ranks() {
        let mut rng = fastrand::Rng::with_seed(8);
        for own in 0..=12 {
            let count = POINTS - own;
            for size in (0..count.min(10)).filter(|size| size + own < 17) {
                let after = Numbering::of_sizes(own, size + 1);
                let frame = Frame::of(after, rng.usize(..after.rows()));
                let mills = frame.mills(after, rng.bool());
                let [quiet, closed] = [(); 2].map(|()| mills.iter().map(|_| rng.u8(..)).collect::<Vec<u8>>());
                let sets = Numbering::sets_among(count, size);
                let gained = |set: u32| {
                    let others = points(!set & ((1 << count) - 1));
                    let rank = |number: u32| {
                        let column = after.column(set | 1 << number);
                        if mills[column] >> number & 1 == 0 { quiet[column] } else { closed[column] }
                    };
                    others.map(rank).max().unwrap_or_default()
                };
                let expected: Vec<u8> = sets.iter().map(|&set| gained(set).max(9)).collect();
                let mut best = vec![9; sets.len()];
                raise_or_close(&mut best, Gained { quiet: &quiet, closed: &closed, mills: &mills }, count, size);
                assert!(best == expected, "{size} of {count}");
            }
        }
    }
}
