//! Ultra-strong values, packed for compression.

use millbrain_tablebase::format::keys::width;

/// Packs the values of drawn slots; there is at least one.
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

#[cfg(test)]
mod tests {
    use super::*;
    use millbrain_core::game::value::Prospect;
    use millbrain_tablebase::format::digits;
    use millbrain_tablebase::format::keys::{ALIKE, capacity, prospect, unpack};

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
