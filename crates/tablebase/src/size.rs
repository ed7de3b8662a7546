//! Sizes of memory and of files, in words.

use std::fmt;
use std::str::FromStr;

/// A number of bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Size(pub u64);

/// A text that is no size.
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

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            bytes @ 0..0x4000_0000 => write!(f, "{} MiB", bytes.div_ceil(1 << 20)),
            bytes => write!(f, "{:.1} GiB", bytes as f64 / f64::from(1 << 30)),
        }
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
        for wrong in ["12", "G", "0M", "-1G", "99999999999999T", "1,5G"] {
            assert!(wrong.parse::<Size>().is_err(), "{wrong}");
        }
    }
}
