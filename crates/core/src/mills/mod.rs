//! Games of mills: what the families [`morris`](crate::morris) and [`merels`](crate::merels) have in common. A family
//! is a type that implements [`MillRules`]: its board, its rules, and faster ways for a board that allows them.

mod arrays;
pub mod board;
mod display;
mod game;
mod hints;
mod layout;
mod movegen;
mod moves;
pub(crate) mod notation;
mod position;
pub mod rules;
pub(crate) mod validation;

pub use game::Mills;
pub use position::{Position, Setup};
pub use rules::{FEW_STONES, FULL_BOARD, MILL, MIN_STONES, MillRules, Removal, Removals};

/// The texts of what can be wrong with positions and moves, and their values.
#[cfg(test)]
pub(crate) const TEXTS: [crate::message::Texts; 4] =
    [notation::Objection::TEXTS, validation::Unfit::TEXTS, validation::Field::TEXTS, validation::Expected::TEXTS];
