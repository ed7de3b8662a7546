//! Evaluation in centistones: the lead in stones plus the correction of a network.
//!
//! The network sees a position as patterns of stones, the same for all 16 symmetric images of it. The board is covered
//! by its three rings and by blocks of nine points. Four blocks are the three parallel sides around a spoke, four the
//! three corners around a diagonal. Symmetric patterns share one input. So symmetric positions have exactly the same
//! evaluation, and training needs a sixteenth of the positions. Strong Othello programs evaluate in this way, by
//! looking up whole regions in tables (Buro 1997).

use super::board::PointSet;
use super::game::Morris;
use super::rules::{Removal, Rules};
use crate::game::Searchable;
use crate::mills::{MillRules, Position};
use crate::network::{Learned, NetworkSlot, network_slot};
use crate::search::score::WdlModel;
use std::sync::LazyLock;

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
/// The hands and the stones on the board of both sides.
const NUMBERS_OF_SIDES: usize = 4;
/// Corner blocks of the board, and side blocks.
const BLOCKS_OF_BOARD: usize = 4;
/// Rings of the board.
const RINGS_OF_BOARD: usize = 3;

const SIDES: usize = 0;
const CORNERS: usize = SIDES + BLOCK_CLASSES;
const OUTER_RINGS: usize = CORNERS + BLOCK_CLASSES;
const MIDDLE_RING: usize = OUTER_RINGS + RING_CLASSES;
const NUMBERS: usize = MIDDLE_RING + RING_CLASSES;

/// The ternary digits of each set of points of a ring, for own stones; those of the opponent count twice.
static RING_DIGITS: [u16; 256] = {
    let mut table = [0; 256];
    let mut set = 1;
    while set < 256usize {
        table[set] = table[set & (set - 1)] + 3u16.pow(set.trailing_zeros());
        set += 1;
    }
    table
};

/// The ternary digits of the three points from each point on, for each set of points of a ring: byte `k` for point `k`.
static TRIPLES: [u64; 256] = {
    let mut table = [0; 256];
    let mut set = 0;
    while set < 256usize {
        let mut k = 0;
        while k < 8 {
            let three = (set | set << 8) >> k & 7;
            table[set] |= (RING_DIGITS[three] as u64) << (8 * k);
            k += 1;
        }
        set += 1;
    }
    table
};

/// Powers of two, so that a masked number needs no check.
const BLOCK_TABLE: usize = BLOCKS.next_power_of_two();
const RING_TABLE: usize = RINGS.next_power_of_two();

/// The classes of patterns, by pattern number.
struct Patterns {
    block_class: Box<[u16; BLOCK_TABLE]>,
    ring_class: Box<[u16; RING_TABLE]>,
}

/// Numbers patterns so that symmetric ones get the same number. A symmetry lists the image of each point.
fn classes<const SIZE: usize>(patterns: usize, symmetries: &[Vec<usize>]) -> Box<[u16; SIZE]> {
    let mut class = Box::new([u16::MAX; SIZE]);
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
    Patterns { block_class: classes(BLOCKS, &blocks), ring_class: classes(RINGS, &rings) }
});

/// Returns the set of points of a ring, as the index of a table.
#[inline(always)]
const fn ring_of(set: PointSet, ring: usize) -> usize {
    (set >> (8 * ring) & 0xFF) as usize
}

/// Returns the numbers of four blocks, 16 bits each, from the digits of their three rows.
#[inline(always)]
const fn four_blocks(rows: [u64; 3]) -> u64 {
    const LANES: u64 = 0x00FF_00FF_00FF_00FF;
    (rows[0] & LANES) + 27 * (rows[1] & LANES) + 729 * (rows[2] & LANES)
}

/// The networks: for rules with flying, with sliding while stones are placed, without flying, and with diagonals.
static FLYING_NETWORK: NetworkSlot = network_slot!("morris");
static LASKER_NETWORK: NetworkSlot = network_slot!("lasker");
static SLIDING_NETWORK: NetworkSlot = network_slot!("mlyn");
static DIAGONALS_NETWORK: NetworkSlot = network_slot!("morabaraba");

/// Returns how scores turn into results, fitted by `millbrain tune wdl` to games of each variant at 2,000 nodes per
/// move. House rules have the model of the most similar variant.
pub(super) const fn wdl_model(rules: &Rules) -> WdlModel {
    const fn model(margin: i32, spread: i32) -> WdlModel {
        WdlModel { margin, spread }
    }
    match rules {
        Rules { diagonals: true, .. } => model(90, 88),
        Rules { flying: false, .. } => model(147, 53),
        Rules { removal: Removal::Never, .. } => model(131, 115),
        Rules { no_mill_draw: 1..=50, .. } => model(270, 84),
        _ => model(207, 99),
    }
}

impl<const S: u8> Learned for Morris<S> {
    const INPUTS: usize = NUMBERS + NUMBERS_OF_SIDES * COUNTS;
    const PHASES: usize = 10;
    const MAX_INPUTS: usize = 2 * BLOCKS_OF_BOARD + RINGS_OF_BOARD + NUMBERS_OF_SIDES;
    const FEATURES: &'static str = "morris: side and corner blocks, rings, hands, stones";

    #[inline(always)]
    fn inputs(&self, pos: &Position, mut sink: impl FnMut(usize)) {
        let patterns = &*PATTERNS;
        let (own, opp) = (pos.own(), pos.opp());
        // All eight blocks at once. From an odd point on, the three points are a side of the ring; from an even one,
        // around a corner.
        let rows = [0, 1, 2].map(|ring| TRIPLES[ring_of(own, ring)] + 2 * TRIPLES[ring_of(opp, ring)]);
        let (corners, sides) = (four_blocks(rows), four_blocks(rows.map(|row| row >> 8)));
        for k in 0..BLOCKS_OF_BOARD {
            let class = |blocks: u64| usize::from(patterns.block_class[(blocks >> (16 * k)) as usize % BLOCK_TABLE]);
            sink(CORNERS + class(corners));
            sink(SIDES + class(sides));
        }
        for ring in 0..RINGS_OF_BOARD {
            let first = if ring == 1 { MIDDLE_RING } else { OUTER_RINGS };
            let number = RING_DIGITS[ring_of(own, ring)] + 2 * RING_DIGITS[ring_of(opp, ring)];
            sink(first + usize::from(patterns.ring_class[usize::from(number) % RING_TABLE]));
        }
        let (own_hand, opp_hand) = (pos.own_hand(), pos.opp_hand());
        let counts: [u32; NUMBERS_OF_SIDES] =
            [own_hand, opp_hand, pos.own_total() - own_hand, pos.opp_total() - opp_hand];
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
        self.material(pos)
    }

    #[inline(always)]
    fn network_slot(&self) -> Option<&'static NetworkSlot> {
        Some(if self.diagonals() {
            &DIAGONALS_NETWORK
        } else if self.slides_while_placing() {
            &LASKER_NETWORK
        } else if self.rules.flying() {
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
        let Patterns { block_class, ring_class } = &*PATTERNS;
        for (table, count) in [(&block_class[..BLOCKS], BLOCK_CLASSES), (&ring_class[..RINGS], RING_CLASSES)] {
            let mut seen = vec![false; count];
            table.iter().for_each(|&class| seen[usize::from(class)] = true);
            assert!(seen.into_iter().all(|seen| seen));
        }
    }
}
