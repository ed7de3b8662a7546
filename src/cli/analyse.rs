//! `millbrain analyse`.

use super::rules::Rules;
use super::styled;
use crate::analysis::batch::{self, AnalysisError, Content, Request, Settings, Sink, open_input, open_output};
use crate::files::{InFile, named};
use crate::options::OptionFault;
use crate::search::Limits;
use crate::shard::Shard;
use crate::streams::{Waiting, stdout};
use clap::Args;
use indicatif::ProgressBar;
use std::collections::HashSet;
use std::error::Error;
use std::fs::File;
use std::io::{self, BufReader, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Analyse positions.
#[derive(Args)]
pub struct Arguments {
    /// File of positions, one per line; standard input if omitted or -
    file: Option<PathBuf>,
    #[command(flatten)]
    rules: Rules,
    /// Depth for each position in plies
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    depth: Option<u32>,
    /// Nodes for each position; the results are the same on every machine
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Milliseconds for each position
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    movetime: Option<u64>,
    /// Search for a win in this many moves
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    mate: Option<u32>,
    /// Number of variations to find
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=500))]
    multipv: u16,
    /// Positions to analyse in parallel, each with one search thread
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=512))]
    threads: u16,
    /// Transposition table of each thread in MiB
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    hash: u32,
    /// File to write; standard output if omitted
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Resume an --out file: keep its results and analyse the rest
    #[arg(long, requires = "out")]
    resume: bool,
    /// Number of the first line, for a part of a larger file
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=1 << 62))]
    first_line: u64,
    /// Part I of N: only every N-th line, starting at line I; I-J/N for the parts I to J. --merge combines the outputs
    #[arg(long, value_name = "I/N", default_value_t = Shard::ALL)]
    shard: Shard,
    /// Combine these --out files of one analysis into --out in line order; no analysis
    #[arg(long, num_args = 1.., value_name = "FILE", requires = "out", conflicts_with_all = [
        "file", "variant", "rules", "depth", "nodes", "movetime", "mate", "multipv", "threads", "hash", "resume", "first_line",
        "shard", "plan", "tablebase", "no_time",
    ])]
    merge: Vec<PathBuf>,
    /// Start or resume --out and print the remaining lines, I-J/N for those from I to J of N; no analysis
    #[arg(long, requires = "out", conflicts_with_all = ["first_line", "shard"])]
    plan: bool,
    /// Folder made by 'tablebase build', compact file, pack, or address of a compact file or a server; repeatable, also
    /// for different rules
    #[arg(long, value_name = "PATH|URL")]
    tablebase: Vec<PathBuf>,
    /// Omit the time taken, so that equal runs give equal bytes
    #[arg(long)]
    no_time: bool,
}

impl Arguments {
    /// Returns the file of positions; `None` for standard input.
    fn input(&self) -> Option<&Path> {
        self.file.as_deref().filter(|path| *path != Path::new("-"))
    }

    /// Whether the positions come from standard input.
    pub fn reads_input(&self) -> bool {
        self.merge.is_empty() && self.input().is_none()
    }

    fn request(&self) -> Result<Request, OptionFault> {
        let request = Request {
            rules: self.rules.named()?,
            limits: Limits {
                depth: self.depth,
                nodes: self.nodes,
                mate: self.mate,
                movetime: self.movetime.map(Duration::from_millis),
                ..Limits::default()
            },
            multipv: self.multipv.into(),
            threads: self.threads.into(),
            hash_mib: self.hash as usize,
            first_line: self.first_line as usize,
            shard: self.shard,
            tablebases: self.tablebase.clone(),
            with_time: !self.no_time,
        };
        Ok(request)
    }
}

/// Runs the analysis that the arguments describe, with progress, or merges outputs.
///
/// # Errors
/// No limit, or any fault that stops the analysis.
pub fn run(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    if let (false, Some(out)) = (arguments.merge.is_empty(), &arguments.out) {
        return Ok(batch::merge(&arguments.merge, out)?);
    }
    let request = arguments.request()?;
    if !request.limits.is_bounded() {
        return Err("no limit, expected --depth, --nodes, --movetime or --mate".into());
    }
    request.check()?;
    let (input, content) = open(arguments.input())?;
    if arguments.plan && content.is_none() {
        return Err("--plan unusable with positions from a pipe, expected a file: its lines are counted".into());
    }
    let sink = match &arguments.out {
        None => Sink { out: Box::new(stdout()), name: "standard output".to_string(), done: HashSet::new() },
        Some(path) => {
            let settings = Settings::of(&request, content.as_ref())?;
            let (file, done) = open_output(path, arguments.resume, &settings)?;
            Sink { out: Box::new(file), name: path.display().to_string(), done }
        }
    };
    let lines = content.map(|content| content.lines);
    if let (true, Some(lines)) = (arguments.plan, lines) {
        let mut out = stdout();
        let left = batch::left(input, lines, sink.done).map_err(AnalysisError::Input)?;
        return Ok(left.iter().try_for_each(|part| writeln!(out, "{part}"))?);
    }
    let bar = match lines {
        Some(lines) => ProgressBar::new(request.shard.of(lines) as u64).with_position(sink.done.len() as u64),
        None => ProgressBar::new_spinner(),
    };
    let bar = styled(bar, "{bar:30} {pos}/{len} positions, {per_sec}, {eta} left");
    batch::run(&request, Box::new(input), sink, &mut |written| bar.inc(written))?;
    bar.finish_and_clear();
    Ok(())
}

/// The reader of the positions.
type Input = BufReader<Waiting<File>>;

/// Opens the file of positions, or standard input.
fn open(path: Option<&Path>) -> Result<(Input, Option<Content>), InFile<io::Error>> {
    let file = match path {
        // A regular file has a known size.
        None => standard_input(),
        Some(path) => File::open(path),
    };
    let opened = file.and_then(open_input).map_err(named(path.unwrap_or(Path::new("standard input"))));
    // Only the first line has been read so far.
    opened.map(|(input, content)| (BufReader::new(Waiting(input.into_inner())), content))
}

#[cfg(unix)]
fn standard_input() -> io::Result<File> {
    use std::os::fd::AsFd;
    io::stdin().as_fd().try_clone_to_owned().map(File::from)
}

#[cfg(windows)]
fn standard_input() -> io::Result<File> {
    use std::os::windows::io::AsHandle;
    io::stdin().as_handle().try_clone_to_owned().map(File::from)
}
