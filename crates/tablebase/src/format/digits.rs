//! Results packed into bytes: digits to the base 3, the first of a byte the least significant.

use millbrain_core::game::Verdict;

/// Digits per byte of results in memory.
pub const PER_BYTE: usize = 5;
/// Digits per byte before compression: with fewer values of a byte, zstd finds more matches.
pub const PER_PLAIN_BYTE: usize = 3;
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

/// The digit of a draw.
pub const DRAW: u8 = 1;
/// The digit of a win.
pub const WIN: u8 = 2;

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

/// The results of a block: five digits to a byte, or one digit if all are the same.
#[derive(Clone, Copy)]
pub struct Results<'a>(pub &'a [u8]);

impl Results<'_> {
    /// Returns the result at a place of the block.
    #[inline]
    pub fn verdict(self, at: usize) -> Option<Verdict> {
        Some(verdict(match self.0 {
            [one] => *one,
            many => DIGITS[usize::from(*many.get(at / PER_BYTE)?)][at % PER_BYTE],
        }))
    }

    /// Returns `count` digits from a place on, which is a multiple of five.
    pub fn digits(self, first: usize, count: usize) -> Option<Vec<u8>> {
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

/// Packs digits five to a byte, or returns one if all are the same.
pub fn pack(digits: &[u8]) -> Vec<u8> {
    if digits.iter().all(|digit| *digit == digits[0]) {
        return digits.iter().take(1).copied().collect();
    }
    let byte = |five: &[u8]| five.iter().rev().fold(0, |byte, digit| 3 * byte + digit);
    let mut packed: Vec<u8> = digits.chunks(PER_BYTE).map(byte).collect();
    packed.resize(packed.len().max(2), 0);
    packed
}

/// Repacks three digits to a byte as five to a byte; returns `None` if the input is not packed so.
///
/// Two bytes at least: one alone would be taken for a digit.
pub fn repack(plain: &[u8], slots: usize) -> Option<Vec<u8>> {
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
