//! Parts of a job that several processes share.

use std::fmt;
use std::str::FromStr;

/// Part I of N: every N-th item, from item I on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shard {
    part: usize,
    parts: usize,
}

impl Shard {
    /// The whole.
    pub const ALL: Shard = Shard { part: 1, parts: 1 };

    /// Whether an item, numbered from 0, belongs to the part.
    pub const fn has(self, item: usize) -> bool {
        item % self.parts == self.part - 1
    }

    /// How many of the first items belong to the part.
    pub const fn of(self, items: usize) -> usize {
        (items + self.parts - self.part) / self.parts
    }
}

/// A text that is not a part of a whole.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("expected I/N with I from 1 to N")]
pub struct NoShard;

impl FromStr for Shard {
    type Err = NoShard;

    /// Reads `I/N`.
    fn from_str(text: &str) -> Result<Shard, NoShard> {
        let parts = text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
        match parts {
            Some((part, parts)) if 1 <= part && part <= parts => Ok(Shard { part, parts }),
            _ => Err(NoShard),
        }
    }
}

/// As it is read: `I/N`.
impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.part, self.parts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shard_has_every_nth_item_from_its_own_on() {
        for (text, expected) in [
            ("1/1", &[0, 1, 2, 3, 4, 5, 6, 7][..]),
            ("1/3", &[0, 3, 6]),
            ("3/3", &[2, 5]),
            ("8/8", &[7]),
            ("1/9", &[0]),
            ("9/9", &[]),
        ] {
            let shard: Shard = text.parse().expect("a shard");
            assert_eq!((0..8).filter(|&item| shard.has(item)).collect::<Vec<_>>(), expected, "{text}");
            assert_eq!((shard.of(8), shard.to_string().as_str()), (expected.len(), text));
        }
    }

    #[test]
    fn shards_are_numbered_from_one() {
        for wrong in ["", "1", "/", "0/3", "4/3", "1/0", "-1/3", "1/x", "1/2/3"] {
            assert_eq!(wrong.parse::<Shard>(), Err(NoShard), "{wrong}");
        }
        assert!(NoShard.to_string().contains("expected I/N"));
    }
}
