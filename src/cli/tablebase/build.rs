//! `millbrain tablebase build`.

use super::progress::Bars;
use crate::cli::rules::Rules;
use crate::files::size::Size;
use crate::solver::Selection;
use crate::solver::build::{BuildRequest, PairReport, UltraReport, build};
use clap::Args;
use std::error::Error;
use std::io::Write;
use std::path::PathBuf;

/// Build tables.
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    rules: Rules,
    /// Sectors, side to move first: 6-3, 3-3..6-6, a comma-separated list, a total number of stones or pieces, all, or
    /// game
    ///
    /// "all" is the moving phase, "game" is every position from the start on, including stones in hand. Sectors that
    /// they depend on are built too. Finished files are kept; damaged ones are rebuilt.
    #[arg(long, value_name = "LIST")]
    sectors: Selection,
    /// Include sectors with stones in hand: in 5+4-6+3 the side to move has 5 on the board and 4 in hand, the other 6
    /// and 3
    #[arg(long)]
    placing: bool,
    /// Store only results, without distances, for sectors with stones in hand: a quarter of the disk space
    #[arg(long)]
    results: bool,
    /// Apply the draw counter of the rules: a win that it prevents is a draw, and distances count to the next mill or
    /// the end
    ///
    /// Sectors with stones in hand store only results. Not for rules where a mill may take no stone, or where stones
    /// slide while others are in hand.
    #[arg(long)]
    draw_counter: bool,
    /// Add the ultra-strong values of drawn positions without stones in hand, for the option Play Style
    ///
    /// They depend on the ranks of all such sectors in the folder, so adding sectors later rebuilds them.
    #[arg(long, conflicts_with = "draw_counter")]
    ultra: bool,
    /// Folder to build in
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Maximum memory, such as 12G or 800M; three quarters of the machine's by default
    #[arg(long, value_name = "SIZE")]
    memory: Option<Size>,
    /// Threads; all cores by default
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=512))]
    threads: Option<u16>,
    /// Print a JSON object for each pair of sectors instead of a line of text
    #[arg(long)]
    json: bool,
}

/// Builds tables and prints a line for each pair of sectors.
///
/// # Errors
/// Any fault that stops the build, or a closed output.
pub fn run(arguments: Arguments, out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let Arguments { rules, sectors, placing, results, draw_counter, ultra, out: folder, memory, threads, json } =
        arguments;
    let request = BuildRequest { sectors, placing, results, draw_counter, ultra, folder, memory, threads };
    let bars = Bars::default();
    build(rules.named()?.rules, &request, &bars, &mut |pair| {
        let text = if json { serde_json::to_string(pair)? } else { line(pair) };
        bars.suspend(|| writeln!(out, "{text}"))
    })?;
    Ok(())
}

fn line(pair: &PairReport) -> String {
    let done = format!(
        "{:12} {:>11} positions {:4} plies {:8.2} s {:6.2} M/s",
        pair.sectors.join(" "),
        pair.positions,
        pair.levels,
        pair.seconds,
        pair.positions_per_second as f64 / 1e6
    );
    match pair.ultra {
        None => format!("{done}  wdl {:>10} dtw {:>10} bytes", pair.wdl_bytes, pair.dtw_bytes),
        Some(UltraReport { drawn, better, worse, bytes }) => {
            format!("{done}  ultra {bytes:>10} bytes for {drawn} drawn, {better} better, {worse} worse")
        }
    }
}
