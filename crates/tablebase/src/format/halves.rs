//! Half distances. Together with the result they give distances: a win has an odd number of plies, a loss an even one.
//!
//! A block has the half distances of its decided positions, one after the other. Unpacked, it has a number for each
//! slot; the number of a draw is meaningless.

use super::digits;
use millbrain_core::game::Verdict;
use millbrain_core::game::value::Value;

/// The bytes of a half distance.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Width {
    /// One byte.
    One,
    /// Two bytes.
    Two,
}

impl Width {
    /// Returns the width for distances of up to `longest` plies.
    pub const fn of(longest: u32) -> Width {
        if longest / 2 <= u8::MAX as u32 { Width::One } else { Width::Two }
    }

    /// Returns the number of bytes.
    pub const fn bytes(self) -> usize {
        match self {
            Width::One => 1,
            Width::Two => 2,
        }
    }

    /// Returns the half distance at a place of a block, which has only one if all are the same.
    #[inline]
    pub fn half(self, block: &[u8], at: usize) -> Option<u32> {
        let at = if block.len() == self.bytes() { 0 } else { at };
        match self {
            Width::One => block.get(at).map(|&half| half.into()),
            Width::Two => block.get(2 * at..2 * at + 2).map(|half| u32::from(half[0]) | u32::from(half[1]) << 8),
        }
    }

    /// Returns the half distances by slot, from the packed ones of the decided slots, or `None` if the numbers differ.
    pub fn unpack(self, packed: &[u8], digits: &[u8]) -> Option<Vec<u8>> {
        match self {
            Width::One => unpack::<1>(packed, digits),
            Width::Two => unpack::<2>(packed, digits),
        }
    }
}

/// Counts the decided slots.
pub fn decided(digits: &[u8]) -> usize {
    digits.iter().map(|&digit| usize::from(digit != digits::DRAW)).sum()
}

fn unpack<const WIDTH: usize>(packed: &[u8], digits: &[u8]) -> Option<Vec<u8>> {
    if packed.len() != WIDTH * decided(digits) {
        return None;
    }
    let mut packed = packed.as_chunks::<WIDTH>().0.to_vec();
    // A draw takes the number that follows, which is faster than a branch.
    packed.push([0; WIDTH]);
    let mut at = 0;
    let mut halves = vec![[0; WIDTH]; digits.len()];
    for (half, &digit) in halves.iter_mut().zip(digits) {
        *half = packed[at];
        at += usize::from(digit != digits::DRAW);
    }
    Some(halves.into_flattened())
}

/// Returns the value of a position with this result and half its distance.
#[inline]
pub const fn value(verdict: Verdict, half: u32) -> Value {
    match verdict {
        Verdict::Win => Value::Win(2 * half + 1),
        Verdict::Draw => Value::Draw,
        Verdict::Loss => Value::Loss(2 * half),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_of_both_widths_are_found_by_slot() {
        let digits = [2, 1, 0, 1, 1, 2, 0];
        assert_eq!(decided(&digits), 4);
        for (width, packed) in [(Width::One, vec![7, 0, 255, 9]), (Width::Two, vec![7, 0, 0, 0, 255, 255, 9, 1])] {
            let halves = width.unpack(&packed, &digits).expect("as many as are decided");
            let expected = if width == Width::One { [7, 0, 255, 9] } else { [7, 0, 65_535, 265] };
            for (slot, half) in [0, 2, 5, 6].into_iter().zip(expected) {
                assert_eq!(width.half(&halves, slot), Some(half));
            }
            assert_eq!(width.half(&halves, 7), None);
            assert!(width.unpack(&packed[1..], &digits).is_none());
            assert!(width.unpack(&packed, &digits[1..]).is_none());
        }
        assert_eq!((Width::One.half(&[3], 99), Width::Two.half(&[3, 1], 99)), (Some(3), Some(259)));
    }

    #[test]
    fn a_byte_serves_up_to_511_plies() {
        assert_eq!((Width::of(511), Width::of(512)), (Width::One, Width::Two));
        let values = [Verdict::Win, Verdict::Draw, Verdict::Loss].map(|verdict| value(verdict, 255));
        assert_eq!(values, [Value::Win(511), Value::Draw, Value::Loss(510)]);
    }
}
