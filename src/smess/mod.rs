//! Smess ("Take the Brain"): 7 by 8 squares, every square with arrows of its own.

pub mod board;
mod eval;
mod inputs;
mod movegen;
mod notation;
mod position;

pub use movegen::{Rules, Smess};
pub use position::{Position, Setup};
