//! What each set of numbers gains by one number more, for all sets of a size at once.
//!
//! Sets in order of rank are in the order of their last numbers: first those without the last number of all, then those with
//! it, in the order of what else they have. So the sets that gain the last number find what they become in one piece and in
//! their own order, and both parts are the same task with one number less.

use crate::binomial::binomial;
use crate::code::Plies;

/// Ranks that are compared together.
const WIDE: usize = 16;

/// For all sets of `size` of the first `count` numbers, in order of rank, raises `best` to the greatest of `ranks` among the
/// sets with one number more, of which there are those of `size + 1`.
pub(super) fn raise<D: Plies>(best: &mut [D], ranks: &[D], count: usize, size: usize) {
    if size >= count {
        return;
    }
    if size == 0 {
        best[0] = ranks.iter().copied().fold(best[0], D::max);
        return;
    }
    if count == SMALL {
        return raise_small(best, ranks, size);
    }
    let (without, with) = best.split_at_mut(binomial(count - 1, size) as usize);
    let (ranks_without, ranks_with) = ranks.split_at(binomial(count - 1, size + 1) as usize);
    raise_each(without, ranks_with);
    raise(without, ranks_without, count - 1, size);
    raise(with, ranks_with, count - 1, size - 1);
}

/// Raises each rank to the one in the same place of another list.
#[inline(always)]
fn raise_each<D: Plies>(best: &mut [D], ranks: &[D]) {
    let raise = |best: &mut [D; WIDE], ranks: &[D; WIDE]| {
        best.iter_mut().zip(ranks).for_each(|(best, &rank)| *best = (*best).max(rank));
    };
    // The last ones may be raised twice, which changes nothing.
    if let (Some(last), Some(last_ranks)) = (best.last_chunk_mut(), ranks.last_chunk()) {
        raise(last, last_ranks);
        best.as_chunks_mut().0.iter_mut().zip(ranks.as_chunks().0).for_each(|(best, ranks)| raise(best, ranks));
    } else {
        best.iter_mut().zip(ranks).for_each(|(best, &rank)| *best = (*best).max(rank));
    }
}

/// So few numbers are looked up in a table.
const SMALL: usize = 6;

/// A set of some of a few numbers, by rank among those of its size, and what it becomes with each number more.
type Gains = [[u8; SMALL]; 20];

/// By size; sets with fewer gains repeat one of them.
static GAINS: [Gains; SMALL] = {
    let mut gains = [[[0; SMALL]; 20]; SMALL];
    let mut ranks = [0; 1 << SMALL];
    let mut counts = [0; SMALL + 1];
    let mut set = 0;
    while set < 1 << SMALL {
        let size = (set as u32).count_ones() as usize;
        ranks[set] = counts[size];
        counts[size] += 1;
        set += 1;
    }
    set = 0;
    while set + 1 < 1 << SMALL {
        let size = (set as u32).count_ones() as usize;
        let (mut number, mut last) = (0, !set & (set + 1));
        while number < SMALL {
            if set >> number & 1 == 0 {
                last = 1 << number;
            }
            gains[size][ranks[set]][number] = ranks[set | last] as u8;
            number += 1;
        }
        set += 1;
    }
    gains
};

fn raise_small<D: Plies>(best: &mut [D], ranks: &[D], size: usize) {
    // Longer than any list, so that no place has to be checked.
    let mut padded = [D::default(); 32];
    padded[..ranks.len()].copy_from_slice(ranks);
    for (best, gains) in best.iter_mut().zip(&GAINS[size]) {
        *best = gains.iter().fold(*best, |best, &place| best.max(padded[usize::from(place) % 32]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::morris::sets::Numbering;
    use millbrain_core::morris::board::points;

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
}
