//! Results packed into bytes: digits to the base 3, the first of a byte the least significant.

#[cfg(feature = "build")]
use crate::code::{Code, Plies};
use millbrain_core::game::Verdict;

/// Digits per byte of results in memory.
pub(super) const PER_BYTE: usize = 5;
/// Digits per byte before compression: with fewer values of a byte, zstd finds more matches.
pub(super) const PER_PLAIN_BYTE: usize = 3;
/// The number of values of a byte before compression.
const PLAIN: u8 = 27;

/// Returns the result of a digit.
const fn verdict(digit: u8) -> Verdict {
    match digit {
        0 => Verdict::Loss,
        1 => Verdict::Draw,
        _ => Verdict::Win,
    }
}

/// Returns the digit of a result: 0 loss, 1 draw, 2 win.
#[cfg(test)]
pub(super) const fn digit(verdict: Verdict) -> u8 {
    match verdict {
        Verdict::Loss => 0,
        Verdict::Draw => DRAW,
        Verdict::Win => WIN,
    }
}

/// The digit of a draw.
pub(super) const DRAW: u8 = 1;
/// The digit of a win.
pub(super) const WIN: u8 = 2;

/// The five digits of each byte; bytes from 243 on do not occur.
static DIGITS: [[u8; PER_BYTE]; 256] = {
    let mut table = [[DRAW; PER_BYTE]; 256];
    let mut byte = 0;
    while byte < 243 {
        let mut rest = byte;
        let mut i = 0;
        while i < PER_BYTE {
            table[byte][i] = (rest % 3) as u8;
            rest /= 3;
            i += 1;
        }
        byte += 1;
    }
    table
};

/// Returns the digit of a code that is not vacant.
#[cfg(feature = "build")]
#[inline(always)]
pub(super) fn of_code<P: Plies>(code: Code<P>) -> u8 {
    if code == Code::DRAW { DRAW } else { code.0.get() as u8 % 2 * WIN }
}

/// Packs digits for compression.
#[cfg(feature = "build")]
pub(super) fn pack(digits: &[u8]) -> Vec<u8> {
    let byte = |digits: &[u8; PER_PLAIN_BYTE]| digits[0] + 3 * digits[1] + 9 * digits[2];
    let (whole, rest) = digits.as_chunks();
    let mut bytes: Vec<u8> = whole.iter().map(byte).collect();
    if !rest.is_empty() {
        bytes.push(byte(&std::array::from_fn(|i| rest.get(i).copied().unwrap_or(0))));
    }
    bytes
}

/// The results of a block: five digits to a byte, or one digit if all are the same.
#[derive(Clone, Copy)]
pub(in super::super) struct Results<'a>(pub &'a [u8]);

impl Results<'_> {
    /// Returns the result at a place of the block.
    #[inline]
    pub(in super::super) fn verdict(self, at: usize) -> Option<Verdict> {
        Some(verdict(match self.0 {
            [one] => *one,
            many => DIGITS[usize::from(*many.get(at / PER_BYTE)?)][at % PER_BYTE],
        }))
    }

    /// Returns `count` digits from a place on, which is a multiple of five.
    pub(super) fn digits(self, first: usize, count: usize) -> Option<Vec<u8>> {
        debug_assert!(first.is_multiple_of(PER_BYTE));
        if let [one] = self.0 {
            return Some(vec![*one; count]);
        }
        let bytes = self.0.get(first / PER_BYTE..(first + count).div_ceil(PER_BYTE))?;
        let mut digits = Vec::with_capacity(bytes.len() * PER_BYTE);
        bytes.iter().for_each(|&byte| digits.extend_from_slice(&DIGITS[usize::from(byte)]));
        digits.truncate(count);
        Some(digits)
    }
}

/// Repacks three digits to a byte as five to a byte; returns `None` if the input is not packed so.
///
/// The result has at least two bytes: a single one would be taken for a digit.
pub(super) fn repack(plain: &[u8], slots: usize) -> Option<Vec<u8>> {
    if plain.len() != slots.div_ceil(PER_PLAIN_BYTE) || plain.iter().any(|&byte| byte >= PLAIN) {
        return None;
    }
    let length = slots.div_ceil(PER_BYTE).max(2);
    let mut packed = Vec::with_capacity(length + 2);
    let groups = plain.chunks_exact(PER_BYTE);
    let rest = groups.remainder();
    for group in groups {
        packed.extend_from_slice(&three_bytes([group[0], group[1], group[2], group[3], group[4]]));
    }
    if !rest.is_empty() {
        packed.extend_from_slice(&three_bytes(std::array::from_fn(|i| rest.get(i).copied().unwrap_or(0))));
    }
    packed.resize(length, 0);
    Some(packed)
}

/// Repacks fifteen digits from three to a byte to five to a byte.
#[inline]
fn three_bytes([a, b, c, d, e]: [u8; 5]) -> [u8; 3] {
    [a + PLAIN * (b % 9), b / 9 + 3 * c + 81 * (d % 3), d / 3 + 9 * e]
}

#[cfg(all(test, feature = "build"))]
mod tests {
    use super::*;

    #[test]
    fn digits_come_back_however_they_were_packed() {
        let mut rng = fastrand::Rng::with_seed(5);
        for length in (1..40).chain([30_720]) {
            let digits: Vec<u8> = (0..length).map(|_| rng.u8(..3)).collect();
            let packed = repack(&pack(&digits), length).expect("whole");
            assert_eq!(packed.len(), length.div_ceil(5).max(2));
            for (at, &expected) in digits.iter().enumerate() {
                assert_eq!(Results(&packed).verdict(at).map(digit), Some(expected), "{at} of {length}");
            }
            assert_eq!(Results(&packed).digits(0, length).as_ref(), Some(&digits));
            assert!(repack(&pack(&digits), length + 3).is_none());
        }
        assert!(repack(&[27], 3).is_none());
        assert_eq!((Results(&[1]).verdict(99), Results(&[1, 2]).verdict(10)), (Some(Verdict::Draw), None));
        assert_eq!((Results(&[2]).digits(5, 2), Results(&[1, 2]).digits(5, 6)), (Some(vec![2, 2]), None));
    }
}
