//! `millbrain perft`.

use super::rules::Rules;
use crate::any::AnyGame;
use crate::perft;
use crate::streams::stdout;
use clap::Args;
use std::error::Error;
use std::io::{self, Write};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// Count the leaves of the game tree.
#[derive(Args)]
pub struct Arguments {
    /// Depth in plies
    #[arg(value_parser = clap::value_parser!(u32).range(0..=100))]
    depth: u32,
    #[command(flatten)]
    rules: Rules,
    /// Position to count from (default: the start position)
    #[arg(long)]
    fen: Option<String>,
    /// Threads
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=512))]
    threads: u16,
    /// Hash table for subtree counts in MiB; 0 for none
    #[arg(long, default_value_t = 0)]
    hash: u32,
}

/// Counts leaves and prints the counts; the speed goes to standard error.
///
/// # Errors
/// An invalid FEN or a closed output.
pub fn run(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    let depth = arguments.depth;
    let stop = AtomicBool::new(false);
    let game = AnyGame::new(arguments.rules.named()?.rules).at(arguments.fen.as_deref(), [])?;
    let started = Instant::now();
    let settings =
        perft::Settings { threads: arguments.threads.into(), hash_mib: arguments.hash as usize, stop: &stop };
    let divided = game.perft(depth, settings);
    let seconds = started.elapsed().as_secs_f64();
    writeln!(stdout(), "{}", perft::listing(&divided, depth))?;
    let rate = perft::total(&divided, depth) as f64 / seconds.max(1e-9) / 1e6;
    // The speed is only informative; a closed standard error loses nothing.
    let _ = writeln!(io::stderr(), "{seconds:.3} s, {rate:.1} million leaves/s");
    Ok(())
}
