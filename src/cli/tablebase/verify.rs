//! `millbrain tablebase verify`.

use super::progress::Bars;
use crate::shard::Shard;
use crate::solver::Selection;
use crate::solver::compact::{self, VerifyCompact};
use crate::solver::verify::{SectorReport, VerifyRequest, verify};
use crate::tablebase::compact::is_compact;
use clap::Args;
use std::error::Error;
use std::io::Write;
use std::path::PathBuf;

/// Check tables.
#[derive(Args)]
pub struct Arguments {
    /// Folder made by 'tablebase build', or file made by 'tablebase compact'
    #[arg(value_name = "DIR|FILE")]
    dir: PathBuf,
    /// Compare each result of the file with this folder; without, only the checksums are checked
    #[arg(long, value_name = "DIR", conflicts_with_all = ["sectors", "sample", "plain"])]
    against: Option<PathBuf>,
    /// Sectors to check, as for 'build'; all in the folder by default
    #[arg(long, value_name = "LIST")]
    sectors: Option<Selection>,
    /// Check this many random positions of each sector instead of all
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    sample: Option<u64>,
    /// Visit each position separately with the plain move generator instead of row by row; slower, independent of the
    /// solver
    #[arg(long)]
    plain: bool,
    /// Check only part I of N; all parts together equal one full run
    #[arg(long, value_name = "I/N", default_value_t = Shard::ALL)]
    shard: Shard,
    /// Threads; all cores by default
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=512))]
    threads: Option<u16>,
}

/// Checks tables and prints a line for each sector.
///
/// # Errors
/// The first fault found, or a closed output.
pub fn run(arguments: Arguments, out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let Arguments { dir, against, sectors, sample, plain, shard, threads } = arguments;
    let mut print = |report: &SectorReport| {
        let SectorReport { sector, checked, slots, seconds } = report;
        let rate = *checked as f64 / seconds / 1e6;
        writeln!(
            out,
            "{sector:8} {checked:>11} of {slots:>11} slots checked, all right  {seconds:8.2} s {rate:6.2} M/s"
        )
    };
    if against.is_some() || is_compact(&dir) {
        let of_folders = [("--sectors", sectors.is_some()), ("--sample", sample.is_some()), ("--plain", plain)];
        if let Some((option, _)) = of_folders.iter().find(|(_, given)| *given) {
            return Err(format!("{option} unusable with a compact file, expected a folder").into());
        }
        compact::verify(&VerifyCompact { file: dir, against, shard, threads }, &Bars::default(), &mut print)?;
    } else {
        let request = VerifyRequest { folder: dir, sectors, sample, plain, shard, threads };
        verify(&request, &Bars::default(), &mut print)?;
    }
    Ok(())
}
