//! Training of the networks on positions from self-play.

mod fit;
mod play;
mod sample;

use crate::variant::Variant;
use clap::{Args, Subcommand};
use std::error::Error;
use std::path::PathBuf;

/// Make positions for training, or train on them.
#[derive(Args)]
pub struct Arguments {
    #[command(subcommand)]
    job: Job,
}

#[derive(Subcommand)]
enum Job {
    /// Play games against itself and write their quiet positions, one 'FEN;score;result' per line
    ///
    /// Score (centistones) and result (1, 0, -1) are from the side to move. Game N depends only on the seed and N.
    Play(Play),
    /// Train the network of a variant on files of positions
    Fit(Fit),
}

/// What to play.
#[derive(Args)]
pub struct Play {
    /// morris, muehle, mylos, mlyn, lasker, morabaraba or smess
    #[arg(long, default_value = "morris")]
    pub variant: Variant,
    /// Games to play
    #[arg(long, default_value_t = 1000)]
    pub games: u64,
    /// Nodes for each move
    #[arg(long, default_value_t = 5000)]
    pub nodes: u64,
    /// Seed of the openings and random moves
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Threads; each plays one game at a time
    #[arg(long, default_value_t = 1)]
    pub threads: usize,
    /// File to write
    #[arg(long)]
    pub out: PathBuf,
}

/// What to train on, and how.
#[derive(Args)]
pub struct Fit {
    /// Variant whose network is trained
    #[arg(long, default_value = "morris")]
    pub variant: Variant,
    /// Files of positions
    #[arg(long, required = true, num_args = 1..)]
    pub data: Vec<PathBuf>,
    /// Network to start from, of any rules of the family (default: random weights)
    #[arg(long)]
    pub from: Option<PathBuf>,
    /// Passes over the data
    #[arg(long, default_value_t = 6)]
    pub epochs: u32,
    /// Share of the search score in the target; the rest is the result of the game
    #[arg(long, default_value_t = 0.6)]
    pub score_share: f32,
    /// Initial step size; it decays to a hundredth of this
    #[arg(long, default_value_t = 0.002)]
    pub rate: f32,
    /// Weight decay per step, relative to the step size
    #[arg(long, default_value_t = 2.0)]
    pub decay: f32,
    /// Centistones that change the odds by a factor of e (default: fitted to the results)
    #[arg(long)]
    pub scale: Option<i32>,
    /// Threads
    #[arg(long, default_value_t = 1)]
    pub threads: usize,
    /// File to write the network to
    #[arg(long)]
    pub out: PathBuf,
}

/// Runs the subcommand.
///
/// # Errors
/// Files that cannot be read or written, and faulty positions, with file and line.
pub fn run(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    match &arguments.job {
        Job::Play(play) => play::run(play),
        Job::Fit(fit) => fit::run(fit),
    }
}
