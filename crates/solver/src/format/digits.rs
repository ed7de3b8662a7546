//! Results as digits, packed for compression.

use crate::code::{Code, Plies};
use millbrain_tablebase::format::digits::{DRAW, PER_PLAIN_BYTE, WIN};

/// Returns the digit of a code that is not vacant.
#[inline(always)]
pub fn of_code<P: Plies>(code: Code<P>) -> u8 {
    if code == Code::DRAW { DRAW } else { code.0.get() as u8 % 2 * WIN }
}

/// Packs digits for compression.
pub fn pack(digits: &[u8]) -> Vec<u8> {
    let byte = |digits: &[u8; PER_PLAIN_BYTE]| digits[0] + 3 * digits[1] + 9 * digits[2];
    let (whole, rest) = digits.as_chunks();
    let mut bytes: Vec<u8> = whole.iter().map(byte).collect();
    if !rest.is_empty() {
        bytes.push(byte(&std::array::from_fn(|i| rest.get(i).copied().unwrap_or(0))));
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use millbrain_core::game::Verdict;
    use millbrain_tablebase::format::digits::{Results, repack};

    /// Returns the digit of a result: 0 loss, 1 draw, 2 win.
    const fn digit(verdict: Verdict) -> u8 {
        match verdict {
            Verdict::Loss => 0,
            Verdict::Draw => DRAW,
            Verdict::Win => WIN,
        }
    }

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
