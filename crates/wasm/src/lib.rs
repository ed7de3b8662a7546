//! The engine as a WebAssembly module: protocol lines in, protocol lines out.
//!
//! A module is one session on one thread. The host (web/engine) writes a line into the buffer that `abi` offers and
//! hands it over; answers come out through a function that the host provides. A job runs when the host says so. While it
//! runs, it calls the host again and again, and the host hands over the lines that have come in meanwhile: it may
//! suspend the module there, or look into its mailbox and return.
//!
//! Without any job the module answers at once, so that a page can ask a second instance of it for the rules, and have it
//! read and write [`games`].

#[cfg(target_family = "wasm")]
mod abi;
mod engine;
pub mod games;
mod state;

pub use engine::{Engine, Host, InstallError};
pub use state::{Described, State, variants};
