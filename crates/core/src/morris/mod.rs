//! The morris family: Nine Men's Morris (Mühle, Mlyn) and its relatives on the 24-point board.

pub mod board;
mod display;
mod eval;
mod game;
mod hints;
mod layout;
mod mfen;
mod movegen;
mod moves;
mod notation;
mod position;
pub mod rules;
mod sanmill;
pub mod symmetry;
mod validation;

pub use game::{CUSTOM, DIAGONALS, FLYING, Morris, NEVER, SLIDES, rules_of, switches};
pub use mfen::Mfen;
pub use position::{Position, Setup};
pub use rules::{FEW_STONES, FULL_BOARD, Removal, Removals, Rules};
pub use sanmill::sanmill_fen;

/// The texts of what can be wrong with positions and moves, and their values.
#[cfg(test)]
pub(crate) const TEXTS: [crate::message::Texts; 4] =
    [notation::Objection::TEXTS, validation::Unfit::TEXTS, validation::Field::TEXTS, validation::Expected::TEXTS];
