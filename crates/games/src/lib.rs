//! Games of Nine Men's Morris and Smess once they are played: kept and written down.
//!
//! [`game`] has games with their variations as data, and [`forms`] reads and writes them: as [`record`]s of a match, in
//! the portable game notation, in SGF, as lists of moves, and in [`mif`], for positions too. Other sites' forms are
//! read. [`split`] takes long texts apart, [`movetext`] has the grammar that most forms share. [`house_rules`] are the
//! rules the games were played by, [`sanmill`] has the words of another program. [`book`] has opening
//! books.

pub mod book;
pub mod forms;
pub mod game;
pub mod house_rules;
mod lists;
pub mod mif;
pub mod movetext;
mod others;
mod parts;
mod pgn;
pub mod record;
pub mod sanmill;
pub mod score;
mod sgf;
pub mod split;

/// What the engine calls itself: its name and version.
pub const ENGINE: &str = concat!("millbrain ", env!("CARGO_PKG_VERSION"));

/// The example of the README is compiled and run with those of the documentation.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
