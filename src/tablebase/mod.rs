//! Endgame tablebases: built by retrograde analysis, checked by a forward pass, probed by the engine.
//!
//! A *sector* holds all positions with given forces of the side to move and of its opponent. A slide leads from a sector
//! to its partner, which has the same forces with the other side to move, so the two are solved together. A capture
//! leads to a smaller sector, which is solved before. docs/tablebases.md has the details.

pub mod build;
mod code;
mod combinations;
mod embedded;
mod endings;
mod format;
mod kept;
mod manifest;
mod morris;
mod orbits;
pub mod probe;
mod recent;
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
pub use manifest::{FolderFault, folder_rules};
pub use morris::MorrisEndings;
pub use smess::SmessEndings;
pub use tables::{Opened, OpenedAny, Refusal, Sources, Tabled, Tables, open_tables};

/// What to do with tables.
#[derive(Subcommand)]
pub enum Job {
    /// Build the tables of some sectors and of all they depend on
    Build(build::Arguments),
    /// Check the checksums of tables, then the value of every position, or of a sample, against those after its moves
    Verify(verify::Arguments),
    /// Print counts and longest wins of the tables in a folder
    Stats(stats::Arguments),
    /// Print the value of a position and of each of its moves, best first
    Probe(probe::Arguments),
}

/// Does a job and prints its results.
///
/// # Errors
/// Whatever keeps it from being done.
pub fn run(job: &Job) -> Result<(), Box<dyn Error>> {
    let out = &mut std::io::stdout();
    match job {
        Job::Build(arguments) => build::run(arguments, out),
        Job::Verify(arguments) => verify::run(arguments, out),
        Job::Stats(arguments) => stats::run(arguments, out),
        Job::Probe(arguments) => probe::run(arguments, out),
    }
}

/// Evaluates an expression with `$endings` bound to the endings of a [`Ruleset`](crate::variant::Ruleset); it is
/// a [`NoEndings`] error if there are none.
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
                // With sliding while placing, positions with stones in hand can repeat: one pass cannot solve them.
                let $endings = $crate::tablebase::MorrisEndings::<$switches>::new(rules.stones)
                    .with_placing(!rules.slides_while_placing);
                $body
            }};
        }
        // Without stones in hand, sliding while placing makes no difference.
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
