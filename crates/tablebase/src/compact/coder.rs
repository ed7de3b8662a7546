//! A binary arithmetic coder. It uses integers only, so that every machine codes alike.
//!
//! A probability is that of a set bit, in 65,536ths. Predictions are *logits*: the logarithm to the base 2 of the odds
//! of a set bit, in 16ths.

/// Logits per factor of two of the odds.
pub const LOGIT_UNIT: i32 = 16;
/// The largest logit that makes a difference: odds of 16,384 to 1.
const MAX_LOGIT: i32 = 14 * LOGIT_UNIT;

/// The probabilities by logit.
static PROBABILITIES: [u16; 2 * MAX_LOGIT as usize + 1] = {
    /// One as a number with 62 binary places.
    const ONE: u128 = 1 << 62;
    // The sixteenth root of one half.
    let mut step = ONE / 2;
    let mut square_roots = 0;
    while square_roots < LOGIT_UNIT.trailing_zeros() {
        step = (step << 62).isqrt();
        square_roots += 1;
    }
    let mut table = [0; 2 * MAX_LOGIT as usize + 1];
    let mut odds_against = ONE;
    let mut logit = 0;
    while logit <= MAX_LOGIT as usize {
        let probability = ((ONE << 16) / (ONE + odds_against)) as u32;
        table[MAX_LOGIT as usize + logit] = probability as u16;
        table[MAX_LOGIT as usize - logit] = ((1 << 16) - probability) as u16;
        odds_against = (odds_against * step) >> 62;
        logit += 1;
    }
    table
};

/// Returns the probability of a set bit.
#[inline(always)]
pub fn probability(logit: i32) -> u32 {
    PROBABILITIES[(logit.clamp(-MAX_LOGIT, MAX_LOGIT) + MAX_LOGIT) as usize].into()
}

/// Returns the last number of the lower part of a range: that of a set bit.
#[inline(always)]
const fn split(low: u32, high: u32, probability: u32) -> u32 {
    low + (((high - low) as u64 * probability as u64) >> 16) as u32
}

/// Returns whether the numbers of a range begin with the same byte.
#[inline(always)]
const fn share_a_byte(low: u32, high: u32) -> bool {
    (low ^ high) >> 24 == 0
}

/// Codes bits.
pub struct Encoder {
    bytes: Vec<u8>,
    low: u32,
    high: u32,
}

impl Default for Encoder {
    fn default() -> Encoder {
        Encoder { bytes: Vec::new(), low: 0, high: u32::MAX }
    }
}

impl Encoder {
    /// Codes a bit.
    pub fn push(&mut self, bit: bool, probability: u32) {
        let last = split(self.low, self.high, probability);
        if bit {
            self.high = last;
        } else {
            self.low = last + 1;
        }
        while share_a_byte(self.low, self.high) {
            self.bytes.push((self.high >> 24) as u8);
            self.low <<= 8;
            self.high = self.high << 8 | 0xFF;
        }
    }

    /// Returns the code of all bits. The decoder reads zeros after its end, so it ends with no zero.
    pub fn finish(mut self) -> Vec<u8> {
        if self.low > 0 {
            // The fewest bytes that begin a number of the range.
            let number = (1..=4).map(|bytes| u32::MAX << (32 - 8 * bytes) & self.high).find(|&n| n >= self.low);
            self.bytes.extend(number.unwrap_or(self.high).to_be_bytes());
        }
        let length = self.bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
        self.bytes.truncate(length);
        self.bytes
    }
}

/// Reads what an [`Encoder`] has coded.
pub struct Decoder<'a> {
    rest: std::slice::Iter<'a, u8>,
    low: u32,
    high: u32,
    number: u32,
}

impl<'a> Decoder<'a> {
    /// Creates a decoder of some code.
    pub fn new(code: &'a [u8]) -> Decoder<'a> {
        let mut rest = code.iter();
        let mut number = 0;
        for _ in 0..4 {
            number = number << 8 | rest.next().map_or(0, |&byte| u32::from(byte));
        }
        Decoder { rest, low: 0, high: u32::MAX, number }
    }

    /// Decodes a bit.
    #[inline(always)]
    pub fn bit(&mut self, probability: u32) -> bool {
        let last = split(self.low, self.high, probability);
        let bit = self.number <= last;
        if bit {
            self.high = last;
        } else {
            self.low = last + 1;
        }
        while share_a_byte(self.low, self.high) {
            self.low <<= 8;
            self.high = self.high << 8 | 0xFF;
            self.number = self.number << 8 | self.rest.next().map_or(0, |&byte| u32::from(byte));
        }
        bit
    }

    /// Returns whether the whole code has been read.
    pub fn is_at_end(&self) -> bool {
        self.rest.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_follow_from_odds() {
        let of = |logit: i32| f64::from(probability(logit)) / 65_536.0;
        for logit in -MAX_LOGIT..=MAX_LOGIT {
            let expected = 1.0 / (1.0 + 2f64.powf(-f64::from(logit) / f64::from(LOGIT_UNIT)));
            assert!((of(logit) - expected).abs() < 2.0 / 65_536.0, "{logit}");
            assert_eq!(probability(logit) + probability(-logit), 65_536);
        }
        assert_eq!((probability(0), probability(i32::MAX), probability(i32::MIN)), (32_768, 65_532, 4));
    }

    /// Bits come back, and cost what their probabilities say.
    #[test]
    fn bits_come_back_from_their_code() {
        let mut rng = fastrand::Rng::with_seed(1);
        for length in [0, 1, 2, 7, 300, 20_000] {
            for bias in [0, 40, 200] {
                let bits: Vec<(bool, u32)> = (0..length)
                    .map(|_| {
                        let logit = rng.i32(-bias..=bias);
                        (rng.u32(..65_536) < probability(logit), probability(logit))
                    })
                    .collect();
                let mut encoder = Encoder::default();
                bits.iter().for_each(|&(bit, probability)| encoder.push(bit, probability));
                let code = encoder.finish();
                let mut decoder = Decoder::new(&code);
                for (i, &(bit, probability)) in bits.iter().enumerate() {
                    assert_eq!(decoder.bit(probability), bit, "bit {i} of {length}");
                }
                assert!(decoder.is_at_end());
                let cost = |&(bit, p): &(bool, u32)| -(f64::from(if bit { p } else { 65_536 - p }) / 65_536.0).log2();
                let expected = bits.iter().map(cost).sum::<f64>() / 8.0;
                assert!((code.len() as f64) < expected * 1.001 + 2.0, "{} bytes, {expected:.1} expected", code.len());
            }
        }
    }

    #[test]
    fn improbable_bits_come_back_too() {
        let mut encoder = Encoder::default();
        (0..2_000).for_each(|i| encoder.push(i % 2 == 0, probability(if i % 2 == 0 { i32::MIN } else { i32::MAX })));
        let code = encoder.finish();
        let mut decoder = Decoder::new(&code);
        (0..2_000).for_each(|i| {
            assert_eq!(decoder.bit(probability(if i % 2 == 0 { i32::MIN } else { i32::MAX })), i % 2 == 0);
        });
    }
}
