//! A filter before a set (Bloom 1970): one memory access excludes most positions that are not in it, before their slots
//! are computed.

/// The least number of bits per member.
const BITS: u64 = 12;

/// Two bits in one word for each member of a set.
pub(super) struct Filter(Box<[u64]>);

/// Returns the number of the word of a key, as a fraction of all words, and the bits in it.
#[inline(always)]
const fn place(key: u64) -> (u64, u64) {
    let product = key as u128 * 0x9E37_79B9_7F4A_7C15;
    let mixed = (product >> 64) as u64 ^ product as u64;
    (mixed >> 12, 1 << (mixed & 63) | 1 << (mixed >> 6 & 63))
}

impl Filter {
    /// Builds the filter of a set of `members` members, given their keys.
    pub(super) fn of(members: u64, keys: impl Iterator<Item = u64>) -> Filter {
        let words = (members * BITS / 64).next_power_of_two() as usize;
        let mut filter = Filter(vec![0; words].into());
        for key in keys {
            let (word, bits) = place(key);
            filter.0[word as usize & (words - 1)] |= bits;
        }
        filter
    }

    /// Returns whether a key may be that of a member; `false` is certain.
    #[inline(always)]
    pub(super) fn may_have(&self, key: u64) -> bool {
        let (word, bits) = place(key);
        self.0[word as usize & (self.0.len() - 1)] & bits == bits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_pass_and_few_others_do() {
        let mut rng = fastrand::Rng::with_seed(4);
        for members in [0, 1, 5, 100, 40_000] {
            // Keys like those of boards: bits that are mostly zero.
            let mut keys = std::iter::repeat_with(|| rng.u64(..) & rng.u64(..) & 0x3F_FFFF_FFFF_FFFF);
            let inside: Vec<u64> = keys.by_ref().take(members).collect();
            let filter = Filter::of(members as u64, inside.iter().copied());
            assert!(inside.iter().all(|&key| filter.may_have(key)));
            let passed = keys.take(100_000).filter(|&key| filter.may_have(key)).count();
            assert!(passed < 4_000, "{passed} of 100,000 pass beside {members}");
        }
    }
}
