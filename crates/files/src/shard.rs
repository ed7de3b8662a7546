//! Parts of a job that is split between processes.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::Range;
use std::str::FromStr;

/// Part I of N: every N-th item from item I on. It may also be several such parts in a row, I to J of N.
///
/// Where N is the number of items, `I-J/N` are the items I to J.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Shard {
    first: usize,
    last: usize,
    parts: usize,
}

impl Shard {
    /// The whole.
    pub const ALL: Shard = Shard { first: 1, last: 1, parts: 1 };

    /// Returns whether the part is the whole.
    pub const fn is_all(&self) -> bool {
        self.first == 1 && self.last == self.parts
    }

    /// Returns the number of parts of the whole, from 1.
    pub const fn parts(self) -> usize {
        self.parts
    }

    /// Returns the part that has this item, numbered from 0, out of `parts`, at least 1.
    pub const fn with(item: usize, parts: usize) -> Shard {
        let part = item % parts + 1;
        Shard { first: part, last: part, parts }
    }

    /// Returns the part with a range of the `of` items, numbered from 0.
    pub const fn run(items: Range<usize>, of: usize) -> Shard {
        Shard { first: items.start + 1, last: items.end, parts: of }
    }

    /// Returns whether an item, numbered from 0, belongs to the part.
    pub const fn has(self, item: usize) -> bool {
        let part = item % self.parts + 1;
        self.first <= part && part <= self.last
    }

    /// Counts how many of the first `items` items belong to the part.
    pub const fn of(self, items: usize) -> usize {
        let rest = items % self.parts + 1;
        let of_rest = if rest > self.last { self.last + 1 } else { rest }.saturating_sub(self.first);
        items / self.parts * (self.last + 1 - self.first) + of_rest
    }
}

/// Defaults to the whole.
impl Default for Shard {
    fn default() -> Shard {
        Shard::ALL
    }
}

/// The error for a text that is not a part of a whole.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("expected I/N with I from 1 to N, or I-J/N for the parts I to J")]
pub struct NoShard;

impl FromStr for Shard {
    type Err = NoShard;

    /// Reads `I/N` or `I-J/N`.
    fn from_str(text: &str) -> Result<Shard, NoShard> {
        let (part, parts) = text.split_once('/').ok_or(NoShard)?;
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let number = |text: &str| text.parse().map_err(|_| NoShard);
        let shard = Shard { first: number(first)?, last: number(last)?, parts: number(parts)? };
        // One part more must be a number too.
        let is_part = 1 <= shard.first && shard.first <= shard.last && shard.last <= shard.parts;
        if is_part && shard.parts < usize::MAX { Ok(shard) } else { Err(NoShard) }
    }
}

impl TryFrom<String> for Shard {
    type Error = NoShard;

    fn try_from(text: String) -> Result<Shard, NoShard> {
        text.parse()
    }
}

impl From<Shard> for String {
    fn from(shard: Shard) -> String {
        shard.to_string()
    }
}

/// Prints the form that is parsed.
impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.first)?;
        if self.last > self.first {
            write!(f, "-{}", self.last)?;
        }
        write!(f, "/{}", self.parts)
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
            ("2-3/4", &[1, 2, 5, 6]),
            ("1-4/4", &[0, 1, 2, 3, 4, 5, 6, 7]),
            ("3-5/8", &[2, 3, 4]),
            ("7-9/9", &[6, 7]),
            ("9-12/12", &[]),
        ] {
            let shard: Shard = text.parse().expect("a shard");
            assert_eq!((0..8).filter(|&item| shard.has(item)).collect::<Vec<_>>(), expected, "{text}");
            assert_eq!(shard.is_all(), expected.len() == 8, "{text}");
            for items in 0..=8 {
                assert_eq!(shard.of(items), expected.iter().filter(|&&item| item < items).count(), "{text} of {items}");
            }
            assert_eq!(shard.to_string(), text);
        }
    }

    #[test]
    fn each_item_belongs_to_exactly_one_part() {
        for parts in 1..20 {
            let shards: Vec<_> = (0..parts).map(|part| Shard::with(part, parts)).collect();
            for item in 0..50 {
                let owners: Vec<_> = shards.iter().copied().filter(|shard| shard.has(item)).collect();
                assert_eq!(owners, [Shard::with(item, parts)]);
            }
        }
    }

    #[test]
    fn a_run_is_a_part_in_which_each_item_is_one() {
        for (run, text) in [(0..1, "1/5"), (1..4, "2-4/5"), (0..5, "1-5/5")] {
            assert_eq!(Shard::run(run, 5).to_string(), text);
        }
    }

    #[test]
    fn a_shard_is_saved_as_it_is_given() {
        for text in ["2/3", "2-3/5"] {
            let shard: Shard = text.parse().expect("a shard");
            let json = serde_json::to_string(&shard).expect("JSON");
            assert_eq!(json, format!("{text:?}"));
            assert_eq!(serde_json::from_str::<Shard>(&json).expect("a shard"), shard);
        }
        assert!(serde_json::from_str::<Shard>("\"3/2\"").is_err_and(|error| error.to_string().contains("I/N")));
    }

    #[test]
    fn shards_are_numbered_from_one() {
        for wrong in
            ["", "1", "/", "0/3", "4/3", "1/0", "-1/3", "1/x", "1/2/3", "3-2/3", "2-4/3", "0-1/3", "1-/3", "1-2-3/4"]
        {
            assert_eq!(wrong.parse::<Shard>(), Err(NoShard), "{wrong}");
        }
        assert_eq!(format!("1/{}", usize::MAX).parse::<Shard>(), Err(NoShard));
        assert_eq!("2-2/3".parse::<Shard>(), "2/3".parse());
        assert!(NoShard.to_string().contains("expected I/N"));
    }
}
