//! The parts of millbrain that run in a browser, as WebAssembly modules for the host in `web/engine`.
//!
//! The module `engine` is a session on one thread: protocol lines in, protocol lines out. The host writes a line into
//! the buffer of `abi` and passes it on; answers come out through a function that the host provides. A job runs when
//! the host starts it. During the job it calls the host repeatedly, which passes the lines received so far. The host
//! may suspend the module there, or check its mailbox and return.
//!
//! The module `rules` answers immediately and contains no search, so that a board is usable before the engine has
//! loaded: rules, positions, moves, texts. The module `games` reads and writes [`games`].

#[cfg(target_family = "wasm")]
mod abi;
#[cfg(feature = "engine")]
mod engine;
#[cfg(any(feature = "games", feature = "rules"))]
mod fault;
#[cfg(feature = "games")]
pub mod games;
#[cfg(feature = "rules")]
mod rules;
#[cfg(feature = "rules")]
mod state;

#[cfg(feature = "engine")]
pub use engine::{Engine, Host, InstallError};
#[cfg(any(feature = "games", feature = "rules"))]
pub use fault::Fault;
#[cfg(feature = "rules")]
pub use rules::Rules;
#[cfg(feature = "rules")]
pub use state::{Described, State, variants};

/// Returns the file name of a network.
#[cfg(any(feature = "engine", feature = "rules"))]
fn network_file(name: &str) -> String {
    format!("{name}.net")
}
