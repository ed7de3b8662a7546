//! An engine for Nine Men's Morris (six rule sets) and Smess, as a library.
//!
//! The binary of this package speaks a line protocol; its functions are available from Rust too. Rules, notation and
//! search come from [`millbrain_core`], whose modules are re-exported here. See there for a first game and a first
//! search. [`protocol`] is the protocol loop and [`cli`] the command line. These modules are crates of their own, also
//! re-exported:
//!
//! - [`tablebase`] probes endings, and [`solver`] builds their tables.
//! - [`games`] stores records of games in many forms.
//! - [`analysis`] analyses positions and games.
//! - [`tournament`] plays matches between engines.
//! - [`truth`] measures the error rate of the search.
//! - [`tuning`] trains the networks.
//!
//! The default feature `native` covers everything that a browser lacks; the default feature `cli` is the program.

pub use millbrain_analysis as analysis;
pub use millbrain_core::game::{fen, value};
pub use millbrain_core::{
    any, arrays, bench, game, layout, merels, mills, morris, network, options, perft, platform, play, search, smess,
    texts, variant, with_game,
};
pub use millbrain_files::{self as files, shard};
pub use millbrain_games::{self as games, sanmill};
#[cfg(feature = "native")]
pub use millbrain_solver as solver;
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
