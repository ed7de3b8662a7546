//! The morris family: Nine Men's Morris (Mühle, Mlyn) and its relatives on the 24-point board.

pub mod board;
mod eval;
mod game;
mod mfen;
pub mod rules;
mod sanmill;
pub mod symmetry;

pub use crate::mills::{FEW_STONES, FULL_BOARD, Position, Removal, Removals, Setup};
pub use game::{CUSTOM, DIAGONALS, FLYING, Morris, NEVER, SLIDES, Switched, rules_of, switches};
pub use mfen::Mfen;
pub use rules::Rules;
pub use sanmill::sanmill_fen;
