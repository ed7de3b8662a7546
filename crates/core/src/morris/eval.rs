//! Evaluation in centistones: the lead in stones and what a network adds to it.
//!
//! The network sees a position as patterns of stones, the same for all 16 symmetric images of it.
//! The board is covered by blocks of nine points (the three parallel sides around a spoke, and the three corners
//! around a diagonal, four of each) and by its three rings. Symmetric patterns share one input, so symmetric
//! positions have exactly the same evaluation and training needs a sixteenth of the positions. Strong Othello
//! programs evaluate in this way, by looking up whole regions in tables (Buro 1997).

use super::board::PointSet;
use super::game::Morris;
use super::position::Position;
use crate::game::Term;
use crate::network::{Learned, NetworkSlot, network_slot};
use std::sync::LazyLock;

/// A stone in centistones.
const STONE: i32 = 100;

/// The lead in stones, hands included, from the side to move.
#[inline(always)]
const fn stone_lead(pos: &Position) -> i32 {
    STONE * (pos.own_total() as i32 - pos.opp_total() as i32)
}

impl<const S: u8> Morris<S> {
    /// The evaluation, from the side to move.
    #[inline(always)]
    pub(super) fn evaluation(&self, pos: &Position) -> i32 {
        stone_lead(pos) + self.correction(pos)
    }

    /// The evaluation term by term.
    pub(super) fn evaluation_terms(&self, pos: &Position) -> Vec<Term> {
        let ([white, black], hands) = (pos.stones(), pos.hands());
        let value = |stones: PointSet, hand: u32| STONE * (stones.count_ones() + hand) as i32;
        let stones = Term { name: "stones", white: value(white, hands[0]), black: value(black, hands[1]) };
        vec![stones, Term::of_mover("network", pos.side(), self.correction(pos))]
    }
}

/// Patterns of a block: three states of nine points.
const BLOCKS: usize = 3usize.pow(9);
/// Patterns of a ring: three states of eight points.
const RINGS: usize = 3usize.pow(8);
/// Patterns of a block up to symmetry.
const BLOCK_CLASSES: usize = 5346;
/// Patterns of a ring up to symmetry.
const RING_CLASSES: usize = 954;
/// A hand or a number of stones: 0 to 12.
const COUNTS: usize = 13;

const SIDES: usize = 0;
const CORNERS: usize = SIDES + BLOCK_CLASSES;
const OUTER_RINGS: usize = CORNERS + BLOCK_CLASSES;
const MIDDLE_RING: usize = OUTER_RINGS + RING_CLASSES;
const NUMBERS: usize = MIDDLE_RING + RING_CLASSES;

/// The tables that turn stones into pattern numbers.
struct Patterns {
    /// The number that has these bits as ternary digits.
    ternary: [u16; 512],
    block_class: Vec<u16>,
    ring_class: Vec<u16>,
}

/// Numbers patterns so that symmetric ones get the same number. A symmetry lists the image of each point.
fn classes(patterns: usize, symmetries: &[Vec<usize>]) -> Vec<u16> {
    let mut class = vec![u16::MAX; patterns];
    let mut known = 0;
    for pattern in 0..patterns {
        if class[pattern] != u16::MAX {
            continue;
        }
        for symmetry in symmetries {
            let mut rest = pattern;
            let mut image = 0;
            for &to in symmetry {
                image += rest % 3 * 3usize.pow(to as u32);
                rest /= 3;
            }
            class[image] = known;
        }
        known += 1;
    }
    class
}

static PATTERNS: LazyLock<Patterns> = LazyLock::new(|| {
    let mut ternary = [0; 512];
    for (bits, number) in ternary.iter_mut().enumerate() {
        *number = (0..9).map(|i| (bits >> i & 1) as u16 * 3u16.pow(i as u32)).sum();
    }
    // A block is three rows of three: its rows are rings, its columns are lines across them.
    let block = |swap: bool, mirror: bool| {
        let place = |i: usize| {
            let (row, column) = (i / 3, i % 3);
            3 * if swap { 2 - row } else { row } + if mirror { 2 - column } else { column }
        };
        (0..9).map(place).collect::<Vec<_>>()
    };
    let blocks = [block(false, false), block(false, true), block(true, false), block(true, true)];
    let ring = |s: usize| (0..8).map(|k| (if s >= 4 { 8 - k } else { k } + 2 * s) % 8).collect::<Vec<_>>();
    let rings: Vec<_> = (0..8).map(ring).collect();
    Patterns { ternary, block_class: classes(BLOCKS, &blocks), ring_class: classes(RINGS, &rings) }
});

impl Patterns {
    #[inline(always)]
    fn number(&self, own: PointSet, opp: PointSet) -> usize {
        usize::from(self.ternary[own as usize & 511]) + 2 * usize::from(self.ternary[opp as usize & 511])
    }
}

/// Three neighbouring points of each ring, from `k` on, as nine bits. Each ring is given repeated.
#[inline(always)]
const fn block(rings: [u32; 3], k: u32) -> u32 {
    (rings[0] >> k & 7) | (rings[1] >> k & 7) << 3 | (rings[2] >> k & 7) << 6
}

/// The networks: for rules with flying, without flying, and with diagonals.
static FLYING_NETWORK: NetworkSlot = network_slot!("morris");
static SLIDING_NETWORK: NetworkSlot = network_slot!("mlyn");
static DIAGONALS_NETWORK: NetworkSlot = network_slot!("morabaraba");

impl<const S: u8> Learned for Morris<S> {
    const INPUTS: usize = NUMBERS + 4 * COUNTS;
    const PHASES: usize = 10;

    #[inline(always)]
    fn inputs(&self, pos: &Position, mut sink: impl FnMut(usize)) {
        let patterns = &*PATTERNS;
        let (own, opp) = (pos.own(), pos.opp());
        // Each ring is repeated, so that no block is cut in two.
        let doubled = |set: PointSet| [0, 8, 16].map(|shift| (set >> shift & 0xFF) * 0x0101);
        let (own_rings, opp_rings) = (doubled(own), doubled(opp));
        for k in 0..8 {
            // From an odd point on, the three points are a side of the ring; from an even one, around a corner.
            let first = if k % 2 == 1 { SIDES } else { CORNERS };
            let number = patterns.number(block(own_rings, k), block(opp_rings, k));
            sink(first + usize::from(patterns.block_class[number]));
        }
        for ring in 0..3 {
            let first = if ring == 1 { MIDDLE_RING } else { OUTER_RINGS };
            let number = patterns.number(own_rings[ring] & 0xFF, opp_rings[ring] & 0xFF);
            sink(first + usize::from(patterns.ring_class[number]));
        }
        let counts = [pos.own_hand(), pos.opp_hand(), own.count_ones(), opp.count_ones()];
        for (i, count) in counts.into_iter().enumerate() {
            sink(NUMBERS + i * COUNTS + (count as usize).min(COUNTS - 1));
        }
    }

    #[inline(always)]
    fn phase(&self, pos: &Position) -> usize {
        let (own, opp) = (pos.own_total(), pos.opp_total());
        match pos.own_hand() {
            0 => match (own, opp) {
                (..=3, ..=3) => 0,
                (..=3, _) => 1,
                (_, ..=3) => 2,
                _ => 3 + ((own + opp).saturating_sub(8) / 4).min(2) as usize,
            },
            hand => 6 + ((hand as usize - 1) / 2).min(3),
        }
    }

    #[inline(always)]
    fn base(&self, pos: &Position) -> i32 {
        stone_lead(pos)
    }

    #[inline(always)]
    fn network_slot(&self) -> Option<&'static NetworkSlot> {
        Some(if self.diagonals() {
            &DIAGONALS_NETWORK
        } else if self.flying() {
            &FLYING_NETWORK
        } else {
            &SLIDING_NETWORK
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_numbered_without_gaps() {
        for (table, count) in [(&PATTERNS.block_class, BLOCK_CLASSES), (&PATTERNS.ring_class, RING_CLASSES)] {
            let mut seen = vec![false; count];
            table.iter().for_each(|&class| seen[usize::from(class)] = true);
            assert!(seen.into_iter().all(|seen| seen));
        }
    }
}
