//! Smess ("Take the Brain"): 7 by 8 squares, each with its own arrows.

mod arrays;
pub mod board;
mod display;
mod eval;
mod game;
mod hints;
mod layout;
mod movegen;
mod moves;
mod notation;
mod position;
pub mod rules;
mod validation;

pub use game::Smess;
pub use position::{Position, Setup};
pub use rules::{BRAIN_CAPTURED, ONLY_BRAINS, Rules};

/// The texts of what can be wrong with positions, and their values.
#[cfg(test)]
pub(crate) const TEXTS: [crate::message::Texts; 2] = [validation::Unfit::TEXTS, validation::Expected::TEXTS];
