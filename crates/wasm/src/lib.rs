//! What of millbrain runs in a browser, as WebAssembly modules for the host in `web/engine`.
//!
//! The module `engine` is a session on one thread: protocol lines in, protocol lines out. The host writes a line into the
//! buffer that `abi` offers and hands it over; answers come out through a function that the host provides. A job runs when
//! the host says so. While it runs, it calls the host again and again, and the host hands over the lines that have come in
//! meanwhile: it may suspend the module there, or look into its mailbox and return.
//!
//! The module `rules` answers at once, and has nothing of the search in it, so that a board can be played on before the
//! engine has come: rules, positions, moves, texts. The module `games` reads and writes [`games`].

#[cfg(target_family = "wasm")]
mod abi;
#[cfg(feature = "engine")]
mod engine;
#[cfg(feature = "games")]
pub mod games;
#[cfg(feature = "rules")]
mod rules;
#[cfg(feature = "rules")]
mod state;

#[cfg(feature = "engine")]
pub use engine::{Engine, Host, InstallError};
#[cfg(feature = "rules")]
pub use rules::{Rules, RulesError};
#[cfg(feature = "rules")]
pub use state::{Described, State, variants};

/// The file of a network.
#[cfg(any(feature = "engine", feature = "rules"))]
fn network_file(name: &str) -> String {
    format!("{name}.net")
}
