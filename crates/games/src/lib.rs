//! Played games of Nine Men's Morris and Smess: storage and notation.
//!
//! [`game`] has games with their variations as data. [`forms`] reads and writes them: as [`record`]s of a match, in the
//! portable game notation, in SGF, as lists of moves, and in [`mif`], for positions too. Other sites' forms are only
//! read.
//!
//! - [`split`] splits long texts.
//! - [`movetext`] has the grammar that most forms share.
//! - [`house_rules`] are the rules of the games.
//! - [`reason`] is why games have ended.
//! - [`sanmill`] has the notation of another program.
//! - [`book`] has opening books.

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
pub mod reason;
pub mod record;
pub mod sanmill;
pub mod score;
mod sgf;
pub mod split;

/// The name and version of the engine.
pub const ENGINE: &str = concat!("millbrain ", env!("CARGO_PKG_VERSION"));

/// Compiles and runs the README's example with those of the documentation.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
