//! `millbrain puzzles`.

use super::styled;
use super::truth::Source;
use crate::files::{named, write_whole};
use crate::streams::stdout;
use crate::truth::{draw_for_puzzles, puzzles};
use clap::Args;
use indicatif::ProgressBar;
use std::error::Error;
use std::io::Write;
use std::path::PathBuf;

/// Make puzzles.
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    source: Source,
    /// File to write; standard output if omitted
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Makes puzzles and writes them, one JSON object per line.
///
/// # Errors
/// Positions that cannot be drawn, no memory, or an output that cannot be written.
pub fn run(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    let source = &arguments.source;
    let (set, oracle) = source.draw_by(draw_for_puzzles)?;
    let bar = styled(ProgressBar::new(set.positions.len() as u64), "{bar:30} {pos}/{len} positions, {eta} left");
    let made = puzzles(&set, &oracle, source.count, source.threads(), &|| bar.inc(1))?;
    bar.finish_and_clear();
    let lines = made.iter().map(|puzzle| Ok(serde_json::to_string(puzzle)? + "\n"));
    let text = lines.collect::<Result<String, serde_json::Error>>()?;
    match &arguments.out {
        Some(path) => write_whole(path, text.as_bytes()).map_err(named(path))?,
        None => stdout().write_all(text.as_bytes())?,
    }
    Ok(())
}
