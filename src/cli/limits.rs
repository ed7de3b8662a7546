//! The options for search limits and threads of a job.

use crate::search::Limits;
use clap::Args;
use std::error::Error;
use std::time::Duration;

/// Returns the requested number of threads, or the number of cores.
pub fn threads(asked: Option<u16>) -> usize {
    asked.map_or_else(|| std::thread::available_parallelism().map_or(1, usize::from), usize::from)
}

/// Limits of each search.
#[derive(Clone, Debug, Args)]
pub struct SearchLimits {
    /// Nodes for each position; equal runs give equal results
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Depth for each position in plies
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    depth: Option<u32>,
    /// Milliseconds for each position
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    movetime: Option<u64>,
}

impl SearchLimits {
    /// Returns the limits, at least one.
    ///
    /// # Errors
    /// No limit.
    pub fn read(&self) -> Result<Limits, Box<dyn Error>> {
        let limits = self.if_any();
        if !limits.is_bounded() {
            return Err("no limit, expected --nodes, --depth or --movetime".into());
        }
        Ok(limits)
    }

    /// Returns the limits, possibly none: for searches that end by themselves.
    pub fn if_any(&self) -> Limits {
        let &SearchLimits { nodes, depth, movetime } = self;
        Limits { nodes, depth, movetime: movetime.map(Duration::from_millis), ..Limits::default() }
    }
}
