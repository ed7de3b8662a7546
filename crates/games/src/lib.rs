//! Games of Nine Men's Morris and Smess once they are played: kept, written down and looked at.
//!
//! [`game`] has games with their variations as data, and [`forms`] reads and writes them in four forms: [`record`], those of finished
//! games in a match, [`sgf`], [`lists`] of moves, and [`mif`], for positions too; [`split`] takes long texts apart. [`house_rules`] are
//! the rules they were played by, [`sanmill`] has the
//! words of another program. [`analysis`] works through files of positions, [`marks`] tells good moves from bad ones, and [`annotate`] explains whole games.
//! [`book`] has opening books. [`lines`] and [`difference`] are what the readers of all these files share.

pub mod analysis;
pub mod annotate;
pub mod book;
pub mod difference;
pub mod forms;
pub mod game;
pub mod house_rules;
pub mod import;
pub mod lines;
pub mod lists;
pub mod marks;
pub mod mif;
pub mod record;
pub mod sanmill;
pub mod score;
pub mod sgf;
pub mod split;

/// What the engine calls itself: its name and version.
pub const ENGINE: &str = concat!("millbrain ", env!("CARGO_PKG_VERSION"));

/// The example of the README is compiled and run with those of the documentation.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
