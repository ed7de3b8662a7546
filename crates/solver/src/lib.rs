//! Builds the endgame tablebases of [`millbrain_tablebase`] by retrograde analysis, and checks them by a forward pass.
//!
//! [`build`](build::build) solves sectors and all that they depend on. [`verify`](verify::verify) checks that every
//! value follows from those one move on. [`pack`] finds strategies for carry packs, and proves what a pack claims.

pub mod build;
mod code;
pub mod compact;
mod folder;
mod format;
mod memory;
mod merels;
mod morris;
pub mod pack;
mod prospects;
mod select;
mod smess;
mod solvable;
mod solve;
#[cfg(test)]
mod tests;
mod ultra;

pub use build::check::Contradiction;
pub use build::progress::{Progress, Stage};
pub use build::verify;
pub use code::{Code, Codes};
pub use select::{NoSector, Selection};
pub use solve::TooLong;

/// Compiles and runs the README's example with those of the documentation.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
