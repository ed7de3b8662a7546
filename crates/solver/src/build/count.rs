//! Counts the positions of a sector.

use crate::code::{Code, Codes, Plies, with_codes};
use crate::solvable::Solvable;
use millbrain_core::game::value::Value;
use millbrain_tablebase::Sector;
use millbrain_tablebase::{Counts, Longest, Tally};
use rayon::prelude::*;

/// The tally of part of a sector. The longest are distances with the first slot that has them.
#[derive(Clone, Copy, Default)]
struct Partial {
    reduced: Counts,
    unreduced: Counts,
    longest: [Option<(u32, u64)>; 2],
}

impl Partial {
    /// Returns the tally of some slots from the first on. `histograms[i]` counts each code among the slots with 2 to
    /// the power of `i` images. A vacant slot has the code of the one before, so it is never the first with its code.
    fn of<P: Plies>(first: u64, codes: &[Code<P>], histograms: &[Vec<u32>; 5]) -> Partial {
        let mut partial = Partial::default();
        for (i, histogram) in histograms.iter().enumerate() {
            for (code, &count) in (0..).zip(histogram).filter(|(_, count)| **count > 0) {
                let value = Code(P::of(code)).value();
                partial.reduced.add(value, count.into());
                partial.unreduced.add(value, u64::from(count) << i);
                if let Value::Win(plies) | Value::Loss(plies) = value {
                    let longest = &mut partial.longest[plies as usize % 2];
                    *longest = (*longest).max(Some((plies, 0)));
                }
            }
        }
        for (plies, slot) in partial.longest.iter_mut().flatten() {
            let place = codes.iter().position(|code| code.0.get() == *plies);
            *slot = first + place.unwrap_or_default() as u64;
        }
        partial
    }

    fn plus(self, other: Partial) -> Partial {
        Partial {
            reduced: self.reduced.plus(other.reduced),
            unreduced: self.unreduced.plus(other.unreduced),
            longest: [0, 1].map(|i| longer(self.longest[i], other.longest[i])),
        }
    }
}

/// Returns the longer of two distances; if they are equal, the one with the smaller slot.
fn longer(a: Option<(u32, u64)>, b: Option<(u32, u64)>) -> Option<(u32, u64)> {
    a.into_iter().chain(b).max_by_key(|&(plies, slot)| (plies, std::cmp::Reverse(slot)))
}

/// Counts a sector, given the codes of its slots.
pub(crate) fn tally<E: Solvable>(endings: &E, sector: Sector, codes: &Codes) -> Tally {
    with_codes!(codes, |codes| tally_of(endings, sector, codes))
}

fn tally_of<E: Solvable, P: Plies>(endings: &E, sector: Sector, codes: &[Code<P>]) -> Tally {
    const CHUNK: usize = 1 << 16;
    let chunks = codes.par_chunks(CHUNK).enumerate();
    let partial = chunks
        .map(|(chunk, codes)| {
            let first = (chunk * CHUNK) as u64;
            let mut histograms: [Vec<u32>; 5] = std::array::from_fn(|_| vec![0; P::MAX.get() as usize + 1]);
            endings.each_image_count(sector, first..first + codes.len() as u64, &mut |slots, images| {
                if images > 0 {
                    let histogram = &mut histograms[images.trailing_zeros() as usize];
                    let codes = &codes[(slots.start - first) as usize..(slots.end - first) as usize];
                    codes.iter().for_each(|code| histogram[code.0.get() as usize] += 1);
                }
            });
            Partial::of(first, codes, &histograms)
        })
        .reduce(Partial::default, Partial::plus);
    let example = |longest: Option<(u32, u64)>| {
        let (plies, slot) = longest?;
        Some(Longest { plies: endings.metric().plies(plies), fen: endings.fen(&endings.position(sector, slot)?) })
    };
    Tally {
        reduced: partial.reduced,
        unreduced: partial.unreduced,
        longest_win: example(partial.longest[1]),
        longest_loss: example(partial.longest[0]),
    }
}
