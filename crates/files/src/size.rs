//! Sizes of memory and of files, as text.

use std::fmt;
use std::str::FromStr;

/// A number of bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Size(pub u64);

/// The error for a text that is not a size.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("expected a size such as 12G or 800M")]
pub struct NoSize;

impl FromStr for Size {
    type Err = NoSize;

    fn from_str(text: &str) -> Result<Size, NoSize> {
        let number = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let shift = match text[number.len()..].to_ascii_lowercase().as_str() {
            "k" | "kib" => 10,
            "m" | "mib" => 20,
            "g" | "gib" => 30,
            "t" | "tib" => 40,
            _ => return Err(NoSize),
        };
        let number: u64 = number.parse().map_err(|_| NoSize)?;
        number.checked_mul(1 << shift).filter(|&bytes| bytes > 0).map(Size).ok_or(NoSize)
    }
}

/// Sizes below the first are printed in KiB, below the second in MiB, and otherwise in GiB.
const UNITS: [u64; 2] = [1 << 20, 1 << 30];

impl Size {
    /// Prints the size with a unit, in tenths of GiB, whole MiB or whole KiB; `rounded` is a division.
    fn reported(self, f: &mut fmt::Formatter<'_>, rounded: fn(u128, u128) -> u128) -> fmt::Result {
        let bytes = u128::from(self.0);
        if self.0 < UNITS[0] {
            write!(f, "{} KiB", rounded(bytes, 1 << 10))
        } else if self.0 < UNITS[1] {
            write!(f, "{} MiB", rounded(bytes, 1 << 20))
        } else {
            let tenths = rounded(bytes * 10, 1 << 30);
            write!(f, "{}.{} GiB", tenths / 10, tenths % 10)
        }
    }

    /// Returns the size rounded down, for what is available; what is needed is rounded up. So the lesser of two never
    /// looks as large as the other.
    pub const fn rounded_down(self) -> RoundedDown {
        RoundedDown(self)
    }
}

/// A size that is printed rounded down.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RoundedDown(Size);

impl fmt::Display for RoundedDown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.reported(f, |bytes, unit| bytes / unit)
    }
}

/// Prints the size rounded up.
impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.reported(f, u128::div_ceil)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        assert_eq!("12G".parse(), Ok(Size(12 << 30)));
        assert_eq!("800MiB".parse(), Ok(Size(800 << 20)));
        assert_eq!(Size(12 << 30).to_string(), "12.0 GiB");
        for (bytes, up, down) in [
            (0, "0 KiB", "0 KiB"),
            (1, "1 KiB", "0 KiB"),
            ((1 << 20) - 1, "1024 KiB", "1023 KiB"),
            ((1 << 20) + 1, "2 MiB", "1 MiB"),
            ((1 << 30) - 1, "1024 MiB", "1023 MiB"),
            ((3 << 29) + 1, "1.6 GiB", "1.5 GiB"),
            (u64::MAX, "17179869184.0 GiB", "17179869183.9 GiB"),
        ] {
            let size = Size(bytes);
            assert_eq!((size.to_string().as_str(), size.rounded_down().to_string().as_str()), (up, down));
        }
        for wrong in ["12", "G", "0M", "-1G", "99999999999999T", "1,5G"] {
            assert!(wrong.parse::<Size>().is_err(), "{wrong}");
        }
    }
}
