//! Sets of few numbers out of many, by Elias and Fano: the high bits of each member in unary, the low bits as they are.
//! A member takes two to four bits more than its low bits, and a lookup reads two or three places.
//!
//! A set is three parts, one after the other: samples, high bits, low bits. The numbers up to a limit fall into buckets
//! by their high bits. The high bits have a one for every member and a zero at the end of each bucket. The samples are
//! the beginnings of every 128th bucket, in bits.

/// The number of buckets from one sample to the next.
const STRIDE: u64 = 128;
/// The bits of a word of high bits.
const WORD: u64 = 64;

/// The layout of a set: where its parts are, and how wide its low bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Sparse {
    /// The bound above all members.
    limit: u64,
    members: u64,
    /// The bits of a member that are not in its bucket's number.
    low: u32,
    /// The beginning of the set, in bytes.
    start: usize,
}

/// Reads the eight bytes from a place on as a number; missing ones are zero.
#[inline(always)]
fn eight(bytes: &[u8], at: usize) -> u64 {
    match bytes.get(at..).and_then(<[u8]>::first_chunk) {
        Some(eight) => u64::from_le_bytes(*eight),
        None => 0,
    }
}

impl Sparse {
    /// Returns the layout of a set of `members` members below a limit, whose parts begin at a byte.
    pub(super) const fn new(limit: u64, members: u64, start: usize) -> Sparse {
        // Half a bucket to one per member is smallest, or one to two.
        let low = if members == 0 || limit < members { 0 } else { (limit / members).ilog2() };
        let [few, many] = [Sparse { limit, members, low: low + 1, start }, Sparse { limit, members, low, start }];
        if few.bytes() < many.bytes() { few } else { many }
    }

    /// Returns the number of members.
    pub(super) const fn len(&self) -> u64 {
        self.members
    }

    const fn buckets(&self) -> u64 {
        (self.limit >> self.low) + 1
    }

    const fn samples(&self) -> u64 {
        self.buckets().div_ceil(STRIDE)
    }

    const fn words(&self) -> u64 {
        (self.members + self.buckets()).div_ceil(WORD)
    }

    /// Returns the beginning of the high bits, in bytes.
    #[inline(always)]
    const fn high(&self) -> usize {
        self.start + self.samples() as usize * 4
    }

    /// Returns the beginning of the low bits, in bytes.
    #[inline(always)]
    const fn lows(&self) -> usize {
        self.high() + self.words() as usize * 8
    }

    /// Returns the length in bytes. Reading the last of the low bits touches seven bytes more.
    pub(super) const fn bytes(&self) -> u64 {
        self.samples() * 4 + self.words() * 8 + (self.members * self.low as u64).div_ceil(8)
    }

    /// Appends the parts of a set of these members, in rising order.
    pub(super) fn write(limit: u64, members: &[u64], out: &mut Vec<u8>) -> Sparse {
        let set = Sparse::new(limit, members.len() as u64, out.len());
        let mut words = vec![0u64; set.words() as usize];
        let mut lows = vec![0u8; (set.members * u64::from(set.low)).div_ceil(8) as usize];
        for (i, member) in (0..).zip(members) {
            let bit = i + (member >> set.low);
            words[(bit / WORD) as usize] |= 1 << (bit % WORD);
            for j in (0..u64::from(set.low)).filter(|j| member >> j & 1 != 0) {
                let bit = i * u64::from(set.low) + j;
                lows[(bit / 8) as usize] |= 1 << (bit % 8);
            }
        }
        for bucket in (0..set.buckets()).step_by(STRIDE as usize) {
            let before = members.partition_point(|member| member >> set.low < bucket) as u64;
            out.extend_from_slice(&((before + bucket) as u32).to_le_bytes());
        }
        words.iter().for_each(|word| out.extend_from_slice(&word.to_le_bytes()));
        out.extend_from_slice(&lows);
        set
    }

    #[inline(always)]
    fn word(&self, bytes: &[u8], number: u64) -> u64 {
        eight(bytes, self.high() + number as usize * 8)
    }

    /// Returns whether a bit of the high bits is a one.
    #[inline(always)]
    fn is_member_bit(&self, bytes: &[u8], bit: u64) -> bool {
        self.word(bytes, bit / WORD) >> (bit % WORD) & 1 != 0
    }

    /// Returns the low bits of a member, by its number. Of few members among many they may be as wide as 57 bits.
    #[inline(always)]
    fn low_bits(&self, bytes: &[u8], member: u64) -> u64 {
        let bit = member * u64::from(self.low);
        let bits = eight(bytes, self.lows() + (bit / 8) as usize) >> (bit % 8);
        bits & ((1 << self.low) - 1)
    }

    /// Returns the beginning of the high bits of a bucket, or `None` if the bits are not those of a set.
    #[inline(always)]
    fn begin(&self, bytes: &[u8], bucket: u64) -> Option<u64> {
        let sample = self.start + (bucket / STRIDE) as usize * 4;
        let sampled = u64::from(u32::from_le_bytes(*bytes.get(sample..)?.first_chunk()?));
        let mut skipped = (bucket % STRIDE) as u32;
        if skipped == 0 {
            return Some(sampled);
        }
        let mut number = sampled / WORD;
        let mut zeros = !self.word(bytes, number) & (u64::MAX << (sampled % WORD));
        while zeros.count_ones() < skipped {
            skipped -= zeros.count_ones();
            number += 1;
            if number >= self.words() {
                return None;
            }
            zeros = !self.word(bytes, number);
        }
        for _ in 1..skipped {
            zeros &= zeros - 1;
        }
        Some(number * WORD + u64::from(zeros.trailing_zeros()) + 1)
    }

    /// Returns whether a number is a member, given the bytes that contain the set.
    #[inline]
    pub(super) fn contains(&self, bytes: &[u8], number: u64) -> bool {
        let bucket = number >> self.low;
        if number >= self.limit {
            return false;
        }
        let Some(mut bit) = self.begin(bytes, bucket) else { return false };
        let low = number & ((1 << self.low) - 1);
        while self.is_member_bit(bytes, bit) {
            // With damaged bits the difference may be negative; there is no such member.
            let member = bit.wrapping_sub(bucket);
            let found = if member < self.members { self.low_bits(bytes, member) } else { return false };
            if found >= low {
                return found == low;
            }
            bit += 1;
        }
        false
    }

    /// Returns all members in rising order.
    pub(super) fn iter<'a>(&'a self, bytes: &'a [u8]) -> impl Iterator<Item = u64> + 'a {
        let ones = (0..self.words() * WORD).filter(|&bit| self.is_member_bit(bytes, bit));
        let members = (0..self.members)
            .zip(ones)
            .map(|(member, bit)| bit.wrapping_sub(member).wrapping_shl(self.low) | self.low_bits(bytes, member));
        members.filter(|&member| member < self.limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn drawn(limit: u64, count: usize, rng: &mut fastrand::Rng) -> BTreeSet<u64> {
        (0..count).map(|_| rng.u64(..limit)).collect()
    }

    #[test]
    fn members_are_found_and_no_others() {
        let mut rng = fastrand::Rng::with_seed(1);
        for (limit, count) in
            [(1, 1), (2, 2), (7, 3), (64, 64), (1_000, 0), (1_000, 500), (1 << 33, 3), (1 << 30, 5_000)]
        {
            let members = drawn(limit, count, &mut rng);
            let list: Vec<u64> = members.iter().copied().collect();
            // There are bytes before and after it.
            let mut bytes = vec![0xA5; 3];
            let set = Sparse::write(limit, &list, &mut bytes);
            assert_eq!((set, set.bytes() as usize), (Sparse::new(limit, list.len() as u64, 3), bytes.len() - 3));
            bytes.extend([0x5A; 8]);
            assert_eq!(set.iter(&bytes).collect::<Vec<_>>(), list);
            let near = list.iter().flat_map(|&member| member.saturating_sub(2)..member + 3);
            let far = (0..2_000).map(|_| rng.u64(..limit + 2)).collect::<Vec<_>>();
            for number in near.chain(far) {
                assert_eq!(set.contains(&bytes, number), members.contains(&number), "{number} of {limit}");
            }
        }
    }

    #[test]
    fn few_of_many_take_little_more_than_their_low_bits() {
        let list: Vec<u64> = drawn(1 << 34, 20_000, &mut fastrand::Rng::with_seed(2)).into_iter().collect();
        let set = Sparse::new(1 << 34, list.len() as u64, 0);
        let bits = set.bytes() as f64 * 8.0 / list.len() as f64;
        // The optimum of any code is the logarithm of the share plus 1.44 bits.
        assert!((19.0..24.5).contains(&bits), "{bits}");
    }

    /// A lookup returns for any bits.
    #[test]
    fn bits_that_are_no_set_are_survived() {
        let mut rng = fastrand::Rng::with_seed(3);
        let list: Vec<u64> = drawn(1 << 20, 300, &mut rng).into_iter().collect();
        let mut bytes = Vec::new();
        let set = Sparse::write(1 << 20, &list, &mut bytes);
        for _ in 0..300 {
            let mut torn = bytes.clone();
            for _ in 0..rng.usize(1..40) {
                let place = rng.usize(..torn.len());
                let any = rng.u8(..);
                torn[place] = rng.choice([0, 0xFF, any]).unwrap_or(0);
            }
            torn.truncate(rng.usize(..torn.len() + 1));
            let found = (0..500).filter(|_| set.contains(&torn, rng.u64(..1 << 21))).count();
            assert!(found <= 500);
            assert!(set.iter(&torn).count() <= list.len());
        }
    }
}
