//! Smess ("Take the Brain"): 7 by 8 squares, each with its own arrows.

pub mod board;
mod eval;
mod inputs;
mod movegen;
mod notation;
mod position;

pub use movegen::{BRAIN_CAPTURED, ONLY_BRAINS, Rules, Smess};
pub use position::{Position, Setup};
