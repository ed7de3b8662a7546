//! Measurements of the search's error rate against the true values of tablebases, and products of these values: puzzles
//! and opening books.

mod book;
mod draw;
mod early;
mod finds;
mod games;
mod hash_tables;
mod hunt;
mod measure;
mod puzzles;
mod set;
mod setup;
mod trial;
mod truth;

pub use book::{BookRequest, BuildError, build_book};
pub use draw::{Draw, DrawError, draw};
pub use early::early_wins;
pub use finds::{Find, FindsError, FindsFile, Lost};
pub use games::{Played, play};
pub use hunt::{Hunted, hunt};
pub use measure::{Measure, MeasureError, Report, Row, measure};
pub use puzzles::{Puzzle, draw_for_puzzles, puzzles};
pub use set::{Position, Set, SetError};
pub use setup::SetupError;
pub use trial::{Trial, TrialError, Watch};

/// Compiles and runs the README's example with those of the documentation.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
