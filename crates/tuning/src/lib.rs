//! Training of the networks on positions from self-play.

mod fit;
mod play;
mod sample;
mod wdl;

pub use fit::{Fit, FitError, Progress, fit};
pub use play::{Play, SelfPlayError, play};
pub use sample::SampleError;
pub use wdl::{FittedWdl, fit_wdl};

/// Compiles and runs the README's example with those of the documentation.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
