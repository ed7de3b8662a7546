//! Endgame tablebases: built by retrograde analysis, checked by a forward pass, asked by the engine.
//!
//! A *sector* holds all positions with given forces of the side to move and of its opponent. A slide leads from
//! a sector to its partner, the same forces with the other side to move, so that the two are solved together;
//! a capture leads to a smaller sector, finished before. See docs/tablebases.md for the whole story.

pub mod build;
mod code;
mod combinations;
mod embedded;
mod endings;
mod format;
mod manifest;
mod morris;
mod orbits;
pub mod probe;
mod select;
mod smess;
mod solve;
pub mod stats;
mod tables;
mod tally;
#[cfg(test)]
mod tests;
pub mod verify;

use clap::Subcommand;
use std::error::Error;

pub use endings::{Endings, PositionOf, RulesTag, Sector, Solvable};
pub use morris::MorrisEndings;
pub use smess::SmessEndings;
pub use tables::{Opened, Refusal, Sources, Tabled, Tables};

/// A job with tables.
#[derive(Subcommand)]
pub enum Job {
    /// Build the tables of a set of sectors and of all they depend on
    Build(build::Arguments),
    /// Check every position of tables, or a sample, against those its moves lead to; checksums first
    Verify(verify::Arguments),
    /// Print what the tables of a folder hold
    Stats(stats::Arguments),
    /// Print the value of a position and of each of its moves, best first
    Probe(probe::Arguments),
}

/// Does a job.
///
/// # Errors
/// Whatever keeps it from being done.
pub fn run(job: &Job) -> Result<(), Box<dyn Error>> {
    match job {
        Job::Build(arguments) => build::run(arguments),
        Job::Verify(arguments) => verify::run(arguments),
        Job::Stats(arguments) => stats::run(arguments),
        Job::Probe(arguments) => probe::run(arguments),
    }
}

/// Evaluates an expression with `$endings` bound to the endings of a [`Ruleset`](crate::variant::Ruleset); it is
/// a [`NoEndings`] error where there are none.
#[macro_export]
macro_rules! with_endings {
    ($rules:expr, |$endings:ident| $body:expr) => {
        match $rules {
            $crate::variant::Ruleset::Smess(_) => {
                let $endings = $crate::tablebase::SmessEndings;
                $body
            }
            $crate::variant::Ruleset::Morris(rules) => $crate::with_morris_endings!(&rules, |$endings| $body),
        }
    };
}

/// [`with_endings!`] for the rules of the morris family alone.
#[macro_export]
macro_rules! with_morris_endings {
    ($rules:expr, |$endings:ident| $body:expr) => {{
        let rules: &$crate::morris::Rules = $rules;
        macro_rules! with_switches {
            ($switches:literal) => {{
                // Sliding while placing makes cycles among positions with stones in hand.
                let $endings = $crate::tablebase::MorrisEndings::<$switches>::new(rules.stones)
                    .with_placing(!rules.slides_while_placing);
                $body
            }};
        }
        // Sliding while placing makes no difference to endings.
        match $crate::morris::switches(rules) & !$crate::morris::SLIDES {
            0 => with_switches!(0),
            1 => with_switches!(1),
            2 => with_switches!(2),
            3 => with_switches!(3),
            4 => with_switches!(4),
            5 => with_switches!(5),
            6 => with_switches!(6),
            7 => with_switches!(7),
            _ => Err($crate::tablebase::NoEndings.into()),
        }
    }};
}

/// Rules that there are no tables for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NoEndings;

impl std::fmt::Display for NoEndings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("no tables for these rules, expected rules without once-per-line mills")
    }
}

impl Error for NoEndings {}
