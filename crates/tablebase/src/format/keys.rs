//! Ultra-strong values, as files and the cache have them.
//!
//! A block has the keys of its drawn slots, a byte each, then their plies, a byte each, or two in files with longer ones. Unpacked, it
//! has three bytes for each slot, those of other slots being without meaning.

use super::digits;
use super::halves::Width;
use millbrain_core::game::value::Prospect;

/// Bytes of a slot of an unpacked block.
pub(super) const UNPACKED: usize = 3;

/// The width of plies in a file whose longest are so many.
pub(super) const fn width(longest: u32) -> Width {
    if longest <= u8::MAX as u32 { Width::One } else { Width::Two }
}

/// The value at a place of an unpacked block.
#[inline]
pub(super) fn prospect(block: &[u8], at: usize) -> Option<Prospect> {
    let &[key, low, high] = block.get(UNPACKED * at..UNPACKED * (at + 1))?.first_chunk()?;
    Some(Prospect { key: (key as i8).into(), plies: u16::from_le_bytes([low, high]).into() })
}

/// How many slots are drawn.
fn drawn(digits: &[u8]) -> usize {
    digits.iter().map(|&digit| usize::from(digit == digits::DRAW)).sum()
}

/// Keys and plies of drawn slots, packed.
#[cfg(feature = "build")]
pub(super) fn pack(width: Width, values: &[(i8, u16)]) -> Vec<u8> {
    let keys = values.iter().map(|&(key, _)| key as u8);
    let plies = values.iter().flat_map(|&(_, plies)| plies.to_le_bytes().into_iter().take(width.bytes()));
    keys.chain(plies).collect()
}

/// The values by slot, given the digits of the results; `None` if there are not as many as drawn slots.
pub(super) fn unpack(width: Width, packed: &[u8], digits: &[u8]) -> Option<Vec<u8>> {
    let count = drawn(digits);
    if packed.len() != count * (1 + width.bytes()) {
        return None;
    }
    let (keys, plies) = packed.split_at(count);
    let mut values = keys.iter().zip(plies.chunks_exact(width.bytes()));
    let unpacked = digits.iter().flat_map(|&digit| match digit {
        digits::DRAW => {
            values.next().map_or([0; UNPACKED], |(&key, plies)| [key, plies[0], plies.get(1).copied().unwrap_or(0)])
        }
        _ => [0; UNPACKED],
    });
    Some(unpacked.collect())
}

#[cfg(all(test, feature = "build"))]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_by_slot() {
        let digits = [1, 0, 1, 2, 1];
        for (width, long) in [(Width::One, 255), (Width::Two, 300)] {
            let values = [(-3, 7), (0, 0), (90, long)];
            let packed = pack(width, &values);
            let block = unpack(width, &packed, &digits).expect("as many as are drawn");
            for (slot, (key, plies)) in [0, 2, 4].into_iter().zip(values) {
                assert_eq!(prospect(&block, slot), Some(Prospect { key: key.into(), plies: plies.into() }));
            }
            assert_eq!(prospect(&block, 5), None);
            assert!(unpack(width, &packed, &digits[1..]).is_none() && unpack(width, &packed[1..], &digits).is_none());
        }
        assert_eq!([0, 255, 256].map(width), [Width::One, Width::One, Width::Two]);
    }
}
