//! `millbrain truth`.

mod trial;

use super::limits::{SearchLimits, threads};
use super::{styled, variants};
use crate::any::AnyOracle;
use crate::files::{named, write_whole};
use crate::lines::read_text;
use crate::search::strength;
use crate::streams::stdout;
use crate::tablebase::{self, Refusal, Sources};
use crate::truth::{Draw, DrawError, Measure, Report, Row, Set, draw, measure};
use crate::variant::{NamedRules, Variant};
use clap::{Args, Subcommand};
use indicatif::ProgressBar;
use std::error::Error;
use std::io::Write;
use std::path::PathBuf;

/// Jobs with positions of known value.
#[derive(Subcommand)]
pub enum Job {
    /// Count the positions in which the search chooses a move that loses value
    ///
    /// Positions come from a file or are drawn as by 'truth draw'. Each is searched independently, with only the
    /// built-in tables; with --nodes or --depth equal runs give equal counts.
    Bench(Bench),
    /// Draw positions from varied games, each with some move that loses value, and write them with the other moves
    Draw(Drawing),
    /// Search for positions in which the search loses value, with an adversary that has all tables
    ///
    /// The adversary follows the engine from the start, or from random openings, with all its own moves that keep the
    /// value. It learns where the engine errs. Each position is searched independently. Equal runs have equal results.
    Hunt(trial::Hunting),
    /// Play games against an adversary that has all tables and leaves the engine the fewest good replies
    ///
    /// The engine keeps its hash table during a game. A game is lost as soon as the engine's position is.
    Games(trial::Playing),
    /// Make a carry pack from finds: the positions that the opponent wins after each losing move
    Pack(trial::Packing),
    /// Check by the rules alone that the strategies of a pack answer every reply, and so prove that a side does not
    /// lose
    Check(trial::Checking),
}

/// The source of the positions.
#[derive(Args)]
pub(super) struct Source {
    /// Rule set
    #[arg(default_value = Variant::NAMES[0], ignore_case = true, value_parser = variants())]
    variant: Variant,
    /// House rules of the variant, as options of the protocol: "Stones=7,Flying=false"
    #[arg(long, value_name = "LIST", default_value = "", hide_default_value = true)]
    rules: String,
    /// Folder of tables made by 'tablebase build', or address of a server of such folders; repeatable
    #[arg(long, value_name = "DIR|URL")]
    tables: Vec<PathBuf>,
    /// Maximum number of positions; with 'truth' the maximum per value, won and drawn
    #[arg(long, value_name = "N", default_value_t = 300)]
    pub(super) count: usize,
    /// Games to draw the positions from
    #[arg(long, value_name = "N", default_value_t = 2_000)]
    games: usize,
    /// Seed of the games
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Threads; all cores by default
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=512))]
    threads: Option<u16>,
}

/// Arguments for drawing positions.
#[derive(Args)]
pub struct Drawing {
    #[command(flatten)]
    source: Source,
    /// File to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

/// Arguments for measuring the search on positions.
#[derive(Args)]
pub struct Bench {
    #[command(flatten)]
    source: Source,
    /// File of positions written by 'truth draw'; it names their rules
    #[arg(long, value_name = "FILE", conflicts_with_all = ["variant", "rules", "tables", "count", "games", "seed"])]
    positions: Option<PathBuf>,
    #[command(flatten)]
    limits: SearchLimits,
    /// Skill level to measure; below full strength no other limit is needed
    #[arg(long, default_value_t = strength::FULL, value_parser = clap::value_parser!(u32).range(0..=i64::from(strength::FULL)))]
    level: u32,
    /// Transposition table of each search in MiB
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    hash: u32,
    /// Print a JSON object, with the positions in which the search was wrong
    #[arg(long)]
    json: bool,
}

/// Runs a job and prints its results.
///
/// # Errors
/// Positions that cannot be read or drawn, no limit, or a closed output.
pub fn run(job: Job) -> Result<(), Box<dyn Error>> {
    match job {
        Job::Draw(Drawing { source, out }) => {
            let set = source.draw()?;
            Ok(write_whole(&out, set.to_string().as_bytes()).map_err(named(&out))?)
        }
        Job::Bench(bench) => bench.run(&mut stdout()),
        Job::Hunt(job) => job.run(&mut stdout()),
        Job::Games(job) => job.run(&mut stdout()),
        Job::Pack(job) => job.run(&mut stdout()),
        Job::Check(job) => job.run(&mut stdout()),
    }
}

/// Opens tables for these rules from some places.
fn opened(rules: &NamedRules, sources: &Sources) -> Result<Option<AnyOracle>, Refusal> {
    let opened = tablebase::open(&rules.rules, sources);
    opened.refusals.into_iter().next().map_or(Ok(opened.oracle), Err)
}

/// Opens tables like [`opened`], and requires some.
fn judging(rules: &NamedRules, sources: &Sources) -> Result<AnyOracle, Box<dyn Error>> {
    Ok(opened(rules, sources)?.ok_or_else(|| format!("no tables for {rules}, expected --tables"))?)
}

impl Source {
    pub(super) fn threads(&self) -> usize {
        threads(self.threads)
    }

    /// Draws the requested number of positions from games.
    fn draw(&self) -> Result<Set, Box<dyn Error>> {
        Ok(self.draw_by(draw)?.0)
    }

    /// Draws positions from games with a function, and returns them with the oracle that evaluates them.
    pub(super) fn draw_by(&self, draw: Drawer) -> Result<(Set, AnyOracle), Box<dyn Error>> {
        let rules = NamedRules::read(self.variant, &self.rules)?;
        let oracle = judging(&rules, &Sources::at(self.tables.iter().cloned()))?;
        let &Source { count, games, seed, .. } = self;
        let request = Draw { rules, oracle, count, games, seed, threads: self.threads() };
        let bar = styled(ProgressBar::new(games as u64), "{bar:30} {pos}/{len} games, {eta} left");
        let set = draw(&request, &|| bar.inc(1))?;
        bar.finish_and_clear();
        Ok((set, request.oracle))
    }
}

/// A function that draws positions.
type Drawer = fn(&Draw, &(dyn Fn() + Sync)) -> Result<Set, DrawError>;

impl Bench {
    fn run(&self, out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
        let &Bench { hash, json, level, .. } = self;
        // Below full strength the level's depth ends a search.
        let limits = if level < strength::FULL { self.limits.if_any() } else { self.limits.read()? };
        let set = match &self.positions {
            Some(path) => read_text(path)?.parse::<Set>().map_err(named(path))?,
            None => self.source.draw()?,
        };
        let settings = Measure { limits, level, threads: self.source.threads(), hash_mib: hash as usize };
        let bar = ProgressBar::new(set.positions.len() as u64);
        let bar = styled(bar, "{bar:30} {pos}/{len} positions, {eta} left");
        let report = measure(&set, &settings, &|_| bar.inc(1))?;
        bar.finish_and_clear();
        if json {
            writeln!(out, "{}", serde_json::to_string(&report)?)?;
        } else {
            write!(out, "{}", table(&report))?;
        }
        Ok(())
    }
}

/// Formats a line for each value and phase.
fn table(report: &Report) -> String {
    let line = |value: &str, phase: &str, row: &Row| {
        let [share, error, random] = [row.share(), row.error(), row.random_share()].map(|share| share * 100.0);
        let (positions, spoiled) = (row.positions, row.spoiled);
        format!("{value:6} {phase:8} {positions:>9} {spoiled:>8} {share:>8.2} % +-{error:.2} {random:>9.1} %\n")
    };
    let mut text = format!("{:6} {:8} {:>9} {:>8} {:>17} {:>11}\n", "", "", "positions", "spoiled", "share", "random");
    for (value, phases) in &report.rows {
        text.extend(phases.iter().map(|(phase, row)| line(value, phase, row)));
    }
    text + &line("all", "", &report.total)
}
