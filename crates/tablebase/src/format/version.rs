//! Versions of the format.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A version of the format of table files. All files of a folder have the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(try_from = "u32", into = "u32")]
pub enum Version {
    /// Results five to a byte, and the distances of every sector as bytes.
    One,
    /// Results compressed, and half distances of the sectors that others do not follow from.
    #[default]
    Two,
}

impl Version {
    /// What messages say is expected.
    pub(crate) const KNOWN: &'static str = "1 or 2";

    /// Its number.
    pub const fn number(self) -> u32 {
        match self {
            Version::One => 1,
            Version::Two => 2,
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.number().fmt(f)
    }
}

/// A number or text that is no version of the format.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("unknown format, expected {}", Version::KNOWN)]
pub struct NoVersion;

impl TryFrom<u32> for Version {
    type Error = NoVersion;

    fn try_from(number: u32) -> Result<Version, NoVersion> {
        [Version::One, Version::Two].into_iter().find(|version| version.number() == number).ok_or(NoVersion)
    }
}

impl From<Version> for u32 {
    fn from(version: Version) -> u32 {
        version.number()
    }
}

impl FromStr for Version {
    type Err = NoVersion;

    fn from_str(text: &str) -> Result<Version, NoVersion> {
        text.parse::<u32>().map_err(|_| NoVersion)?.try_into()
    }
}
