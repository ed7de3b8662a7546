//! `millbrain tablebase compact`.

use super::progress::Bars;
use crate::solver::compact::{CompactRequest, SectionReport, compact};
use clap::Args;
use std::error::Error;
use std::io::Write;
use std::path::PathBuf;

/// Make compact tables.
#[derive(Args)]
pub struct Arguments {
    /// Folder made by 'tablebase build'
    #[arg(long, value_name = "DIR")]
    from: PathBuf,
    /// File to write, such as morris.mbt
    ///
    /// Finished sectors are kept in FILE.parts until the file is complete; the same command continues there.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Threads; all cores by default
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=512))]
    threads: Option<u16>,
    /// Print a JSON object for each sector instead of a line of text
    #[arg(long)]
    json: bool,
}

/// Makes the file and prints a line for each sector that has results of its own.
///
/// # Errors
/// Tables that cannot be used, a file that cannot be written, or a closed output.
pub fn run(arguments: Arguments, out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let Arguments { from, out: file, threads, json } = arguments;
    let bars = Bars::default();
    compact(&CompactRequest { from, out: file, threads }, &bars, &mut |section| {
        let text = if json { serde_json::to_string(section)? } else { line(section) };
        bars.suspend(|| writeln!(out, "{text}"))
    })?;
    Ok(())
}

fn line(section: &SectionReport) -> String {
    let SectionReport { sector, slots, bytes, seconds } = section;
    let bits = *bytes as f64 * 8.0 / *slots as f64;
    format!("{sector:8} {slots:>11} slots {bytes:>11} bytes {bits:6.3} bits a slot {seconds:8.2} s")
}
