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
pub(super) const ALIKE: usize = COUNT + VALUE;

/// Returns the most bytes of a block of `slots` slots.
pub(super) const fn capacity(slots: usize) -> usize {
    COUNT + (VALUE + 2) * slots
}

/// Returns the value at a place of an unpacked block.
#[inline]
pub(super) fn prospect(block: &[u8], at: usize) -> Option<Prospect> {
    let &[key, low, high] = block.get(VALUE * at..VALUE * (at + 1))?.first_chunk()?;
    Some(Prospect { key: (key as i8).into(), plies: u16::from_le_bytes([low, high]).into() })
}

/// Packs the values of drawn slots; there is at least one.
#[cfg(feature = "build")]
pub(super) fn pack(values: &[(i8, u16)]) -> Vec<u8> {
    let mut counts: std::collections::BTreeMap<(i8, u16), u32> = std::collections::BTreeMap::new();
    values.iter().for_each(|&value| *counts.entry(value).or_default() += 1);
    let mut different: Vec<((i8, u16), u32)> = counts.into_iter().collect();
    different.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
    let numbers: std::collections::HashMap<(i8, u16), u16> =
        different.iter().map(|&(value, _)| value).zip(0..).collect();
    let mut packed = (different.len() as u16).to_le_bytes().to_vec();
    packed.extend(different.iter().flat_map(|&((key, plies), _)| [key as u8, plies as u8, (plies >> 8) as u8]));
    let width = width(different.len());
    packed.extend(values.iter().flat_map(|value| numbers[value].to_le_bytes().into_iter().take(width)));
    packed
}

/// Returns the bytes of the number of a value, if there are `values` values.
const fn width(values: usize) -> usize {
    match values {
        0 | 1 => 0,
        2..=256 => 1,
        _ => 2,
    }
}

/// Returns the values by slot, given the digits of the results, or `None` if the number of drawn slots differs.
pub(super) fn unpack(packed: &[u8], digits: &[u8]) -> Option<Vec<u8>> {
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

#[cfg(all(test, feature = "build"))]
mod tests {
    use super::*;

    /// Values of drawn slots are read back, with few and with many different ones.
    #[test]
    fn values_are_found_by_slot() {
        for different in [1, 2, 256, 257, 3_000] {
            let value = |at: usize| ((at % different % 200) as i8, (at % different * 7) as u16);
            let values: Vec<(i8, u16)> = (0..4_000).map(value).collect();
            let packed = pack(&values);
            assert!(packed.len() <= capacity(values.len()) && (different > 1 || packed.len() == ALIKE));
            let digits: Vec<u8> =
                (0..8_000).map(|slot| if slot % 2 == 0 { digits::DRAW } else { digits::WIN }).collect();
            let block = unpack(&packed, &digits).expect("as many as are drawn");
            for (at, &(key, plies)) in values.iter().enumerate() {
                assert_eq!(prospect(&block, 2 * at), Some(Prospect { key: key.into(), plies: plies.into() }));
            }
            assert_eq!(prospect(&block, digits.len()), None);
            if different > 1 {
                assert!(
                    unpack(&packed, &digits[1..]).is_none() && unpack(&packed[..packed.len() - 1], &digits).is_none()
                );
            }
        }
        assert!(unpack(&[], &[digits::WIN]).is_some() && unpack(&[], &[digits::DRAW]).is_none());
        assert!(unpack(&[2, 0, 1, 1, 0, 2, 2, 0, 2], &[digits::DRAW]).is_none(), "there is no third value");
        assert!(unpack(&[1, 0, 1, 1], &[digits::DRAW]).is_none(), "cut short");
    }
}
