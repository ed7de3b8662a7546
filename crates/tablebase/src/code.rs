//! Values as bytes.

use millbrain_core::game::value::Value;

/// A value in a byte: the distance, which is odd for a win and even for a loss, or one of two marks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Code(pub u8);

impl Code {
    /// Largest distance that a byte can hold.
    pub const MAX_DISTANCE: u32 = 253;
    /// A draw.
    pub const DRAW: Code = Code(255);
    /// An unused slot: its position is kept in the slot of a symmetric one.
    pub const VACANT: Code = Code(254);

    /// The value; a vacant slot reads as a draw.
    #[inline(always)]
    pub const fn value(self) -> Value {
        match self.0 {
            254.. => Value::Draw,
            plies if plies % 2 == 1 => Value::Win(plies as u32),
            plies => Value::Loss(plies as u32),
        }
    }

    /// The code of a value with a distance of at most [`Code::MAX_DISTANCE`].
    #[cfg(test)]
    pub const fn of(value: Value) -> Code {
        match value {
            Value::Draw => Code::DRAW,
            Value::Win(plies) | Value::Loss(plies) => Code(plies as u8),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_keep_values() {
        for plies in 0..=Code::MAX_DISTANCE {
            let value = if plies % 2 == 1 { Value::Win(plies) } else { Value::Loss(plies) };
            assert_eq!(Code::of(value).value(), value);
        }
        assert_eq!(Code::of(Value::Draw).value(), Value::Draw);
    }
}
