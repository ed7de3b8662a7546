//! The command line: without a subcommand the protocol loop, otherwise one job.

use clap::{Parser, Subcommand};
use millbrain::perft;
use millbrain::protocol::{self, Output, bench, new_board};
use millbrain::search::Control;
use millbrain::variant::Variant;
use millbrain::{analysis, tablebase, tournament, tuning};
use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// An engine for Nine Men's Morris (six rule sets) and Smess.
///
/// Without a subcommand it speaks a UCI-style protocol on standard input and output: type 'uci', 'help' or
/// 'go movetime 1000'. Diagnostics go to standard error; set RUST_LOG (error, warn, info, debug) for more.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    #[command(subcommand)]
    job: Option<Job>,
}

#[derive(Subcommand)]
enum Job {
    /// Search a fixed set of positions and print nodes and speed
    ///
    /// One thread gives the same node total on every machine; the last line reads 'N nodes M nps'.
    Bench {
        /// Depth of each search in plies
        #[arg(default_value_t = bench::DEFAULT_DEPTH, value_parser = clap::value_parser!(u32).range(1..=100))]
        depth: u32,
        /// The depth, given as an option
        #[arg(long = "depth", value_name = "DEPTH", conflicts_with = "depth")]
        #[arg(value_parser = clap::value_parser!(u32).range(1..=100))]
        named_depth: Option<u32>,
        /// Search threads
        #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=512))]
        threads: u16,
        /// Transposition table in MiB
        #[arg(long, default_value_t = bench::DEFAULT_HASH as u32, value_parser = clap::value_parser!(u32).range(1..=65_536))]
        hash: u32,
    },
    /// Count the leaves of the game tree below a position
    ///
    /// Prints each root move with its count, then the total. A move together with its removal is one ply.
    Perft {
        /// Depth in plies
        #[arg(value_parser = clap::value_parser!(u32).range(0..=100))]
        depth: u32,
        /// morris, muehle, mylos, mlyn, lasker, morabaraba or smess
        #[arg(long, default_value = "morris")]
        variant: Variant,
        /// Position to count from (default: the start position)
        #[arg(long)]
        fen: Option<String>,
        /// Threads
        #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=512))]
        threads: u16,
        /// Hash table for subtree counts in MiB; 0 for none
        #[arg(long, default_value_t = 0)]
        hash: u32,
    },
    /// Play engines against each other and report who is stronger
    Match(Box<tournament::Arguments>),
    /// Analyse positions, one per line, and write one JSON object per line
    ///
    /// A line is a FEN, VARIANT;FEN;MOVES, or an object with id, variant, fen and moves, all optional.
    Analyse(analysis::Arguments),
    /// Build, verify and probe endgame tablebases
    #[command(subcommand)]
    Tablebase(tablebase::Job),
    /// Train the evaluation networks on positions from self-play
    Tune(tuning::Arguments),
}

fn main() -> ExitCode {
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("warn")).init();
    let done = match Arguments::parse().job {
        None => protocol::run(io::stdin(), Output::to_stdout()),
        Some(Job::Bench { depth, named_depth, threads, hash }) => {
            run_bench(named_depth.unwrap_or(depth), threads.into(), hash as usize)
        }
        Some(Job::Perft { depth, variant, fen, threads, hash }) => {
            run_perft(depth, variant, fen.as_deref(), threads.into(), hash as usize)
        }
        Some(Job::Match(arguments)) => tournament::run(&arguments),
        Some(Job::Analyse(arguments)) => analysis::run(&arguments),
        Some(Job::Tablebase(job)) => tablebase::run(&job),
        Some(Job::Tune(arguments)) => tuning::run(&arguments),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if is_broken_pipe(&*error) => ExitCode::from(BROKEN_PIPE),
        Err(error) => {
            // Where standard error is closed too, the status has to do.
            let _ = writeln!(io::stderr(), "millbrain: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The status that a shell shows for a program ended by the signal of a broken pipe: what `head` leaves behind.
const BROKEN_PIPE: u8 = 128 + 13;

/// Whether all that went wrong is that nobody reads the output any more.
fn is_broken_pipe(error: &(dyn Error + 'static)) -> bool {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe) {
            return true;
        }
        cause = error.source();
    }
    false
}

fn run_bench(depth: u32, threads: usize, hash: usize) -> Result<(), Box<dyn Error>> {
    let control = Arc::new(Control::new(false));
    let mut out = io::stdout().lock();
    let mut written = Ok(());
    let total = bench::run(depth, threads, hash, &control, |line| {
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

fn run_perft(
    depth: u32,
    variant: Variant,
    fen: Option<&str>,
    threads: usize,
    hash_mib: usize,
) -> Result<(), Box<dyn Error>> {
    let stop = AtomicBool::new(false);
    let mut board = new_board(variant.rules());
    board.set_up(fen, &[])?;
    let started = Instant::now();
    let divided = board.perft(depth, perft::Settings { threads, hash_mib, stop: &stop });
    let seconds = started.elapsed().as_secs_f64();
    writeln!(io::stdout(), "{}", perft::listing(&divided, depth))?;
    let rate = perft::total(&divided, depth) as f64 / seconds.max(1e-9) / 1e6;
    // For a reader; without one, nothing is lost.
    let _ = writeln!(io::stderr(), "{seconds:.3} s, {rate:.1} million leaves/s");
    Ok(())
}
