//! Games of Nine Men's Morris and Smess once they are played: kept, written down and looked at.
//!
//! [`record`] has finished games, as data and as text; [`house_rules`] the rules they were played by, [`sanmill`] the words
//! of another program for them. [`analysis`] works through files of positions, and [`marks`] tells good moves from bad ones.
//! [`lines`] and [`difference`] are what the readers of all these files share.

pub mod analysis;
pub mod difference;
pub mod house_rules;
pub mod lines;
pub mod marks;
pub mod record;
pub mod sanmill;

/// What the engine calls itself: its name and version.
pub const ENGINE: &str = concat!("millbrain ", env!("CARGO_PKG_VERSION"));

/// The example of the README is compiled and run with those of the documentation.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
