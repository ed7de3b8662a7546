//! Ultra-strong values, as files and the cache store them.
//!
//! A block begins with the number of different values in it, two bytes. Then follow the values, three bytes each, the
//! most frequent first: the signed key and the plies. Then follows the number of the value of each drawn slot: one
//! byte, or two if there are more than 256 values, or nothing if there is one. Few values make up most of a block,
//! which compresses better than keys and plies apart. Unpacked, a block has three bytes per slot; those of slots that
//! are not drawn are meaningless.

use super::digits;
use millbrain_core::game::value::Prospect;

/// Bytes of a value.
const VALUE: usize = 3;
/// Bytes of the number of values.
const COUNT: usize = 2;
/// Bytes of a block with one value.
pub const ALIKE: usize = COUNT + VALUE;

/// Returns the most bytes of a block of `slots` slots.
pub const fn capacity(slots: usize) -> usize {
    COUNT + (VALUE + 2) * slots
}

/// Returns the value at a place of an unpacked block.
#[inline]
pub fn prospect(block: &[u8], at: usize) -> Option<Prospect> {
    let &[key, low, high] = block.get(VALUE * at..VALUE * (at + 1))?.first_chunk()?;
    Some(Prospect { key: (key as i8).into(), plies: u16::from_le_bytes([low, high]).into() })
}

/// Returns the bytes of the number of a value, if there are `values` values.
pub const fn width(values: usize) -> usize {
    match values {
        0 | 1 => 0,
        2..=256 => 1,
        _ => 2,
    }
}

/// Returns the values by slot, given the digits of the results, or `None` if the number of drawn slots differs.
pub fn unpack(packed: &[u8], digits: &[u8]) -> Option<Vec<u8>> {
    let drawn: usize = digits.iter().map(|&digit| usize::from(digit == digits::DRAW)).sum();
    if packed.is_empty() && drawn == 0 {
        return Some(vec![0; VALUE * digits.len()]);
    }
    let (&count, rest) = packed.split_first_chunk()?;
    let count = usize::from(u16::from_le_bytes(count));
    let (values, numbers) = rest.split_at_checked(VALUE * count)?;
    let (values, width) = (values.as_chunks::<VALUE>().0, width(count));
    if numbers.len() != drawn * width {
        return None;
    }
    let mut at = 0;
    let mut unpacked = vec![[0; VALUE]; digits.len()];
    for (value, _) in unpacked.iter_mut().zip(digits).filter(|(_, digit)| **digit == digits::DRAW) {
        let number = numbers[at..at + width].iter().rev().fold(0, |number, &byte| number << 8 | usize::from(byte));
        *value = *values.get(number)?;
        at += width;
    }
    Some(unpacked.into_flattened())
}
