//! Counting what a sector holds.

use super::code::Code;
use super::endings::{Endings, Sector};
use super::tally::{Counts, Longest, Tally};
use millbrain_core::game::value::Value;
use rayon::prelude::*;

/// The tally of part of a sector. The longest are distances with the first slot that has them.
#[derive(Clone, Copy, Default)]
struct Partial {
    reduced: Counts,
    unreduced: Counts,
    longest: [Option<(u32, u64)>; 2],
}

impl Partial {
    fn count(mut self, slot: u64, value: Value, images: u32) -> Partial {
        self.reduced.add(value, 1);
        self.unreduced.add(value, images.into());
        let (Value::Win(plies) | Value::Loss(plies)) = value else { return self };
        let longest = &mut self.longest[plies as usize % 2];
        *longest = longer(*longest, Some((plies, slot)));
        self
    }

    fn plus(self, other: Partial) -> Partial {
        Partial {
            reduced: self.reduced.plus(other.reduced),
            unreduced: self.unreduced.plus(other.unreduced),
            longest: [0, 1].map(|i| longer(self.longest[i], other.longest[i])),
        }
    }
}

/// The longer of two distances; if they are equal, the one with the smaller slot.
fn longer(a: Option<(u32, u64)>, b: Option<(u32, u64)>) -> Option<(u32, u64)> {
    a.into_iter().chain(b).max_by_key(|&(plies, slot)| (plies, std::cmp::Reverse(slot)))
}

/// Counts a sector.
pub(super) fn tally<E: Endings>(endings: &E, sector: Sector, code: impl Fn(u64) -> Code + Sync) -> Tally {
    const CHUNK: u64 = 1 << 16;
    let slots = endings.slots(sector);
    let partial = (0..slots.div_ceil(CHUNK))
        .into_par_iter()
        .map(|chunk| {
            (chunk * CHUNK..((chunk + 1) * CHUNK).min(slots)).fold(Partial::default(), |partial, slot| {
                match endings.images(sector, slot) {
                    0 => partial,
                    images => partial.count(slot, code(slot).value(), images),
                }
            })
        })
        .reduce(Partial::default, Partial::plus);
    let example = |longest: Option<(u32, u64)>| {
        let (plies, slot) = longest?;
        Some(Longest { plies, fen: endings.fen(&endings.position(sector, slot)?) })
    };
    Tally {
        reduced: partial.reduced,
        unreduced: partial.unreduced,
        longest_win: example(partial.longest[1]),
        longest_loss: example(partial.longest[0]),
    }
}
