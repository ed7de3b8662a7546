//! `millbrain tablebase`.

mod build;
mod compact;
mod probe;
mod progress;
mod stats;
mod summary;
mod verify;

use crate::streams::stdout;
use clap::Subcommand;
use std::error::Error;

/// Jobs with tables.
#[derive(Subcommand)]
pub enum Job {
    /// Build the tables of some sectors and of their dependencies
    Build(build::Arguments),
    /// Make a file of the results alone, a quarter of their size in a folder
    Compact(compact::Arguments),
    /// Check the checksums of tables, then the value of every position, or of a sample, against its successors
    Verify(verify::Arguments),
    /// Print counts and longest wins of the tables in a folder
    Stats(stats::Arguments),
    /// Print the value of a game, of its first moves and the replies, and the contents of the tables, as a JSON object
    Summary(summary::Arguments),
    /// Print the value of a position and of each of its moves, best first
    Probe(probe::Arguments),
}

/// Runs a job and prints its results.
///
/// # Errors
/// Any fault that stops the job, or a closed output.
pub fn run(job: Job) -> Result<(), Box<dyn Error>> {
    let out = &mut stdout();
    match job {
        Job::Build(arguments) => build::run(arguments, out),
        Job::Compact(arguments) => compact::run(arguments, out),
        Job::Verify(arguments) => verify::run(arguments, out),
        Job::Stats(arguments) => stats::run(&arguments, out),
        Job::Summary(arguments) => summary::run(&arguments, out),
        Job::Probe(arguments) => probe::run(arguments, out),
    }
}
