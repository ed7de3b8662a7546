//! Values as numbers.

use millbrain_core::game::value::Value;
use std::ops::{BitAnd, Not};

/// The numbers that values are stored as: bytes, or words where a distance is too long for a byte.
pub trait Plies: Copy + Ord + Default + BitAnd<Output = Self> + Not<Output = Self> + Send + Sync + 'static {
    /// The largest number; as a code, a draw.
    const MAX: Self;
    /// The second largest number; as a code, an unused slot.
    const VACANT: Self;

    /// Converts a number that is not larger than [`Plies::MAX`].
    fn of(number: u32) -> Self;

    /// Returns the number.
    fn get(self) -> u32;
}

macro_rules! plies {
    ($number:ty) => {
        impl Plies for $number {
            const MAX: $number = <$number>::MAX;
            const VACANT: $number = <$number>::MAX - 1;

            #[inline(always)]
            fn of(number: u32) -> $number {
                debug_assert!(number <= u32::from(<$number>::MAX));
                number as $number
            }

            #[inline(always)]
            fn get(self) -> u32 {
                self.into()
            }
        }
    };
}

plies!(u8);
plies!(u16);

/// A value as a number: the distance, which is odd for a win and even for a loss, or one of two marks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Code<P = u8>(pub P);

impl<P: Plies> Code<P> {
    /// A draw.
    pub const DRAW: Code<P> = Code(P::MAX);
    /// An unused slot: its position is stored in the slot of a symmetric one.
    pub const VACANT: Code<P> = Code(P::VACANT);

    /// Returns the longest distance that has a code: 253, or 65,533 in words.
    pub fn max_distance() -> u32 {
        P::VACANT.get() - 1
    }

    /// Returns the value; a vacant slot reads as a draw.
    #[inline(always)]
    pub fn value(self) -> Value {
        match self.0.get() {
            plies if plies >= P::VACANT.get() => Value::Draw,
            plies if plies % 2 == 1 => Value::Win(plies),
            plies => Value::Loss(plies),
        }
    }

    /// Returns the code of a value with a distance of at most [`Code::max_distance`].
    #[inline(always)]
    pub fn of(value: Value) -> Code<P> {
        match value {
            Value::Draw => Code::DRAW,
            Value::Win(plies) | Value::Loss(plies) => Code(P::of(plies)),
        }
    }
}

/// The codes of a sector by slot, as narrow as its longest distance allows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Codes {
    /// Codes of distances of at most 253 plies.
    Bytes(Vec<Code>),
    /// Codes where some distance is longer.
    Words(Vec<Code<u16>>),
}

/// Evaluates an expression with `$list` bound to the list of codes of either width.
macro_rules! with_codes {
    ($codes:expr, |$list:ident| $body:expr) => {
        match $codes {
            $crate::code::Codes::Bytes($list) => $body,
            $crate::code::Codes::Words($list) => $body,
        }
    };
}
pub(crate) use with_codes;

impl Codes {
    /// Returns the number of slots.
    pub fn len(&self) -> usize {
        with_codes!(self, |codes| codes.len())
    }

    /// Returns whether there are no slots.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the value of a slot.
    ///
    /// # Panics
    /// Panics if there is no such slot.
    #[inline]
    pub fn value(&self, slot: usize) -> Value {
        with_codes!(self, |codes| codes[slot].value())
    }

    /// Returns the value of a slot, or `None` if it is vacant.
    ///
    /// # Panics
    /// Panics if there is no such slot.
    #[inline]
    pub fn value_if_used(&self, slot: usize) -> Option<Value> {
        with_codes!(self, |codes| (codes[slot] != Code::VACANT).then(|| codes[slot].value()))
    }
}

/// Converts codes of one width to those of a sector.
pub trait IntoCodes: Plies {
    /// Wraps codes of this width.
    fn into_codes(codes: Vec<Code<Self>>) -> Codes;
}

impl IntoCodes for u8 {
    fn into_codes(codes: Vec<Code>) -> Codes {
        Codes::Bytes(codes)
    }
}

impl IntoCodes for u16 {
    fn into_codes(codes: Vec<Code<u16>>) -> Codes {
        let is_long =
            |code: &Code<u16>| !matches!(*code, Code::DRAW | Code::VACANT) && code.0.get() > Code::<u8>::max_distance();
        if codes.iter().any(is_long) {
            return Codes::Words(codes);
        }
        let narrow = |code: Code<u16>| match code {
            Code::DRAW => Code::DRAW,
            Code::VACANT => Code::VACANT,
            Code(plies) => Code(plies as u8),
        };
        Codes::Bytes(codes.into_iter().map(narrow).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes_keep_values<P: Plies>() {
        for plies in 0..=Code::<P>::max_distance() {
            let value = if plies % 2 == 1 { Value::Win(plies) } else { Value::Loss(plies) };
            assert_eq!(Code::<P>::of(value).value(), value);
        }
        assert_eq!(Code::<P>::of(Value::Draw).value(), Value::Draw);
        assert_eq!(Code::<P>::VACANT.value(), Value::Draw);
    }

    #[test]
    fn codes_of_both_widths_keep_values() {
        codes_keep_values::<u8>();
        codes_keep_values::<u16>();
        assert_eq!((Code::<u8>::max_distance(), Code::<u16>::max_distance()), (253, 65_533));
    }

    #[test]
    fn codes_are_as_narrow_as_their_distances() {
        let short = [Code(253), Code::DRAW, Code::VACANT, Code(0)];
        let wide: Vec<Code<u16>> = vec![Code(253), Code::DRAW, Code::VACANT, Code(0)];
        assert_eq!(u16::into_codes(wide.clone()), Codes::Bytes(short.to_vec()));
        let long = [wide, vec![Code(254)]].concat();
        assert_eq!(u16::into_codes(long.clone()), Codes::Words(long.clone()));
        let words = Codes::Words(long);
        assert_eq!((words.value(0), words.value(1), words.value(4)), (Value::Win(253), Value::Draw, Value::Loss(254)));
    }
}
