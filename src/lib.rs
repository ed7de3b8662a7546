//! An engine for Nine Men's Morris (six rule sets) and Smess, as a library.
//!
//! The binary of this package speaks a line protocol; what it does is available from Rust too. Rules, notation and search
//! are those of [`millbrain_core`], whose modules are here again; see there for a first game and a first search.
//! [`protocol`] is the protocol loop and [`cli`] the command line. Crates of their own, whose modules are here again too, are
//! [`tablebase`], which solves endings, [`games`], which keeps records, [`analysis`], which looks at positions and games,
//! [`tournament`], which plays matches between engines, [`truth`], which counts how often the search errs, and [`tuning`],
//! which trains the networks.
//!
//! The feature `native`, which is on by default, is what a browser goes without; `cli`, on by default too, is the program.

pub use millbrain_analysis as analysis;
pub use millbrain_core::game::{fen, value};
pub use millbrain_core::{
    any, bench, game, layout, morris, network, options, perft, platform, play, search, smess, texts, variant, with_game,
};
pub use millbrain_files::{self as files, shard};
pub use millbrain_games::{self as games, sanmill};
pub use millbrain_tablebase::{self as tablebase, with_endings};
#[cfg(feature = "native")]
pub use millbrain_tournament as tournament;
#[cfg(feature = "native")]
pub use millbrain_truth as truth;
#[cfg(feature = "native")]
pub use millbrain_tuning as tuning;

#[cfg(feature = "cli")]
pub mod cli;
pub mod protocol;
#[cfg(feature = "serve")]
pub mod serve;
mod streams;

use millbrain_files::lines;
use millbrain_games::ENGINE;
