//! Analysis of positions and games of Nine Men's Morris and Smess.
//!
//! [`analyse`] searches one position, with its tables if it has any, and [`batch`] processes files of positions.
//! [`marks`] rates moves, and [`annotate`] explains whole games.

pub mod annotate;
pub mod batch;
pub mod marks;
mod position;

pub use position::{Analysis, Line, Lines, analyse, analyse_under};

/// Compiles and runs the README's example with those of the documentation.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
