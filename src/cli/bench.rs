//! `millbrain bench`.

use crate::bench;
use crate::search::Control;
use crate::streams::stdout;
use clap::Args;
use std::error::Error;
use std::io::Write;
use std::sync::Arc;

/// Search a fixed set of positions.
#[derive(Args)]
pub struct Arguments {
    /// Depth of each search in plies
    #[arg(default_value_t = bench::DEFAULT_DEPTH, value_parser = clap::value_parser!(u32).range(1..=100))]
    depth: u32,
    /// Search threads
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=512))]
    threads: u16,
    /// Transposition table in MiB
    #[arg(long, default_value_t = bench::DEFAULT_HASH as u32, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    hash: u32,
}

/// Searches and prints a line for each position, then the totals.
///
/// # Errors
/// No memory, no threads, or a closed output.
pub fn run(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    let control = Arc::new(Control::new(false));
    let mut out = stdout();
    let mut written = Ok(());
    let total = bench::run(arguments.depth, arguments.threads.into(), arguments.hash as usize, &control, |line| {
        if written.is_ok() {
            written = writeln!(out, "{line}");
        }
        if written.is_err() {
            control.stop();
        }
    })?;
    written?;
    writeln!(out, "{}", total.line())?;
    Ok(())
}
