//! Compact tables: the results of a rule set in one file, a quarter of their size in a folder.
//!
//! A file has a section for each sector. Sectors whose results follow from those of others in one ply
//! ([`Endings::is_left_out`]) have counts, but no results of their own. Blocks of [`BLOCK`] slots can be decoded one by
//! one.
//!
//! Results are coded one slot after the other by an arithmetic [`coder`]. Its predictions come from a [`Model`] of the
//! sector, which adapts within each block, given [`Contexts`] of the slot: numbers that a [`Scanner`] makes of the
//! position and of the results of similar positions earlier in the block.
//!
//! Numbers are little-endian. A file is a header, a list of sections, and for each section with results its model, its
//! blocks and their index:
//!
//! | offset | bytes | content |
//! |---|---|---|
//! | 0 | 8 | `MILLTBLC` |
//! | 8 | 4 | [version](VERSION) of the format |
//! | 12 | 4 | number of sections |
//! | 16 | 8 | rules: the tag of the endings |
//! | 24 | 8 | length of the file |
//! | 32 | 8 | XXH3-64 of bytes 0 to 31 and of the list of sections |
//! | 40 | 96 per section | list of sections, in building order |
//!
//! A section in the list:
//!
//! | offset | bytes | content |
//! |---|---|---|
//! | 0 | 2 | forces of the side to move and of the opponent |
//! | 2 | 2 | zero |
//! | 4 | 4 | bytes of the model |
//! | 8 | 8 | slots |
//! | 16 | 8 | offset of the model in the file; the blocks follow it. Zero if the sector is left out |
//! | 24 | 8 | offset of the index |
//! | 32 | 8 | XXH3-64 of the model |
//! | 40 | 24 | numbers of won, lost and drawn positions |
//! | 64 | 24 | the same with every image counted |
//! | 88 | 8 | zero |
//!
//! The index has a group of 392 bytes for every 64 blocks, the last filled up with zeros: where the group's first block
//! begins, counted from the model (8); the bytes of each block (2 each); and the low half of the XXH3-64 of each
//! block's bytes (4 each), whose seed is the number of the block plus 2^32 times the forces as a number.

pub mod coder;
mod file;
mod model;

pub use file::{Compact, SECTION, Section, compact_rules, header, header_bytes, index, is_compact};
pub use model::{Model, Trainer};

use coder::{Decoder, Encoder};
use std::ops::Range;

#[cfg(doc)]
use crate::endings::Endings;

/// The version of the format.
pub const VERSION: u32 = 1;
/// The extension of file names.
pub const EXTENSION: &str = "mbt";
/// The slots of a block; a quarter of a block of results in a folder.
pub const BLOCK: u64 = 7_680;
/// The number of values of each context.
pub const VALUES: [usize; CONTEXTS] = [1024, 1024, 2560, 2560, 256, 1024, 4096, 256, 256, 256];
/// The number of contexts of a slot.
pub const CONTEXTS: usize = 10;

/// The contexts of a slot: numbers below [`VALUES`]. Contexts that a family does not need are zero.
pub type Contexts = [u16; CONTEXTS];

/// The result of a slot, as far as a scanner knows it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scanned {
    /// The result is coded in these contexts.
    Coded(Contexts),
    /// The slot is vacant. It has this digit, which is not coded.
    Vacant(u8),
}

/// Visits the slots of a block in order.
pub trait Scanner {
    /// Begins a block with this slot.
    fn begin(&mut self, first: u64);

    /// Scans the next slot, given the digits of the slots before it in the block.
    fn next(&mut self, digits: &[u8]) -> Scanned;
}

/// Contexts for any numbering: the results of the slots before.
#[derive(Default)]
pub struct History;

/// The digit that stands for a slot outside of the block.
pub const UNKNOWN: u8 = 3;

impl Scanner for History {
    fn begin(&mut self, _: u64) {}

    fn next(&mut self, digits: &[u8]) -> Scanned {
        let mut contexts = [0; CONTEXTS];
        let mut before = digits.iter().rev().copied().chain(std::iter::repeat(UNKNOWN));
        for context in &mut contexts[..2] {
            *context = before.by_ref().take(5).fold(0, |number, digit| number << 2 | u16::from(digit));
        }
        Scanned::Coded(contexts)
    }
}

/// Encodes the digits of a block that begins with the slot `first`. The code may stand for others in vacant slots.
pub fn encode(model: &Model, scanner: &mut impl Scanner, first: u64, digits: &[u8]) -> Vec<u8> {
    let mut encoder = Encoder::default();
    let mut predictor = model.predictor();
    let mut known = Vec::with_capacity(digits.len());
    scanner.begin(first);
    for &digit in digits {
        known.push(match scanner.next(&known) {
            Scanned::Vacant(digit) => digit,
            Scanned::Coded(contexts) => {
                let place = model.place(digit);
                predictor.place(&contexts, |question, probability| {
                    let is_it = place == question;
                    encoder.push(is_it, probability);
                    is_it
                });
                digit
            }
        });
    }
    encoder.finish()
}

/// Decodes the digits of a block, or returns `None` if the code is longer than it should be.
pub fn decode(model: &Model, scanner: &mut impl Scanner, slots: Range<u64>, code: &[u8]) -> Option<Vec<u8>> {
    let mut decoder = Decoder::new(code);
    let mut predictor = model.predictor();
    let mut digits = Vec::with_capacity((slots.end - slots.start) as usize);
    scanner.begin(slots.start);
    for _ in slots {
        digits.push(match scanner.next(&digits) {
            Scanned::Vacant(digit) => digit,
            Scanned::Coded(contexts) => {
                model.digit(predictor.place(&contexts, |_, probability| decoder.bit(probability)))
            }
        });
    }
    decoder.is_at_end().then_some(digits)
}

/// Returns the slots of a block of a sector.
pub fn block_slots(slots: u64, block: u64) -> Range<u64> {
    block * BLOCK..((block + 1) * BLOCK).min(slots)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::endings::{Endings, Sector};
    use crate::{MorrisEndings, SmessEndings};
    use millbrain_core::morris::FLYING;

    /// Codes blocks of random digits that depend on the slot, with a model that has learnt one of them.
    fn check<E: Endings>(endings: &E, sector: Sector) {
        let mut rng = fastrand::Rng::with_seed(2);
        let digit =
            |slot: u64, rng: &mut fastrand::Rng| if rng.u8(..8) == 0 { rng.u8(..3) } else { (slot / 700 % 2) as u8 };
        let mut trainer = Trainer::new([3, 9, 1]);
        let mut scanner = endings.scanner(sector);
        let learnt: Vec<u8> = (0..BLOCK).map(|slot| digit(slot, &mut rng)).collect();
        trainer.learn(&mut scanner, 0, &learnt, 0.3);
        let model = trainer.model();
        assert_eq!(Model::read(&model.bytes()).as_ref(), Some(&model));
        for slots in [0..1, 0..BLOCK, 5 * BLOCK..5 * BLOCK + 999] {
            let digits: Vec<u8> = slots.clone().map(|slot| digit(slot, &mut rng)).collect();
            let code = encode(&model, &mut scanner, slots.start, &digits);
            let decoded =
                decode(&model, &mut endings.scanner(sector), slots.clone(), &code).expect("the code's digits");
            assert_eq!(decoded.len(), digits.len());
            for (slot, (digit, decoded)) in slots.clone().zip(digits.iter().zip(&decoded)) {
                assert!(digit == decoded || endings.images(sector, slot) == 0, "{slot}");
            }
            assert!(code.len() as u64 * 8 < slots.end - slots.start + 20, "at most a bit a slot: {}", code.len());
            let longer = [&code[..], &[1; 9]].concat();
            assert_eq!(decode(&model, &mut scanner, slots, &longer), None);
        }
    }

    #[test]
    fn blocks_come_back_from_their_codes() {
        let endings = MorrisEndings::new(FLYING, 9).with_placing(true);
        for sector in [Sector::new(3, 3), Sector::new(9, 4), Sector::new(0x21, 0x15)] {
            check(&endings, sector);
        }
        let smess = SmessEndings;
        check(&smess, smess.sectors()[0]);
    }
}
