//! How often the search errs, measured against the true values of tablebases, and what follows from them: puzzles and opening books.

mod book;
mod draw;
mod hash_tables;
mod measure;
mod puzzles;
mod set;

pub use book::{BookRequest, BuildError, build_book};
pub use draw::{Draw, DrawError, draw};
pub use measure::{Measure, MeasureError, Report, Row, measure};
pub use puzzles::{Puzzle, puzzles};
pub use set::{Position, Set, SetError};

/// The example of the README is compiled and run with those of the documentation.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
