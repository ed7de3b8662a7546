//! `millbrain tune`.

use super::variants;
#[cfg(feature = "tune")]
use crate::protocol::Settings;
#[cfg(feature = "tune")]
use crate::search::Tunable;
use crate::search::score::WdlModel;
use crate::shard::Shard;
use crate::streams::stdout;
use crate::tuning::{self, FittedWdl, Progress};
use crate::variant::Variant;
use clap::{Args, Subcommand};
use std::error::Error;
use std::io::{self, Write};
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
    /// Score (centistones) and result (1, 0, -1) are from the side to move. A fourth field has the plies of a win or
    /// loss that the tables know. Game N depends only on the seed and N.
    Play(Play),
    /// Train the network of a variant on files of positions
    Fit(Fit),
    /// Fit the model that turns scores into chances to the results of games
    Wdl(Wdl),
    /// List the parameters of the search for SPSA tools: 'name, int, default, least, most, step, rate'
    #[cfg(feature = "tune")]
    Spsa,
}

/// Arguments for playing games.
#[derive(Args)]
struct Play {
    /// Rule set
    #[arg(long, default_value = Variant::NAMES[0], ignore_case = true, value_parser = variants())]
    variant: Variant,
    /// Games to play
    #[arg(long, default_value_t = 1000)]
    games: usize,
    /// Play only part I of N, or the parts I to J: I-J/N
    #[arg(long, value_name = "I/N", default_value_t = Shard::ALL)]
    shard: Shard,
    /// Nodes for each move
    #[arg(long, default_value_t = 5000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Seed of the openings and random moves
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Maximum random plies of an opening
    #[arg(long, default_value_t = 24, value_parser = clap::value_parser!(u32).range(2..=200))]
    opening: u32,
    /// Maximum score of an opening in centistones
    #[arg(long, default_value_t = 250, value_parser = clap::value_parser!(i32).range(1..=10_000))]
    balance: i32,
    /// Average plies between random moves
    #[arg(long, default_value_t = 25, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    random_every: u32,
    /// Maximum plies of a game after the opening
    #[arg(long, default_value_t = 300, value_parser = clap::value_parser!(u16).range(1..=1_000))]
    plies: u16,
    /// Threads; each plays one game at a time
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=512))]
    threads: u16,
    /// Folder of tables made by 'tablebase build'; repeatable. A position in the tables gets their result, any other
    /// that of the next position in them, or of the game
    #[arg(long, value_name = "DIR")]
    tables: Vec<PathBuf>,
    /// File to write
    #[arg(long)]
    out: PathBuf,
}

/// Arguments for training.
#[derive(Args)]
struct Fit {
    /// Variant whose network is trained
    #[arg(long, default_value = Variant::NAMES[0], ignore_case = true, value_parser = variants())]
    variant: Variant,
    /// Files of positions
    #[arg(long, required = true, num_args = 1..)]
    data: Vec<PathBuf>,
    /// Network to start from, of any rules of the family (default: random weights)
    #[arg(long)]
    from: Option<PathBuf>,
    /// Passes over the data
    #[arg(long, default_value_t = 6)]
    epochs: u32,
    /// Share of the search score in the target; the rest is the result of the game
    #[arg(long, default_value_t = 0.4, value_parser = share)]
    score_share: f32,
    /// Reduction in value of a win in 100 plies or more compared with an immediate one, where the tables know its
    /// plies, 0 to 1
    #[arg(long, default_value_t = 0.0, value_parser = share)]
    win_decay: f32,
    /// Initial step size; it decays to a hundredth of this
    #[arg(long, default_value_t = 0.01, value_parser = share)]
    rate: f32,
    /// Weight decay per step, relative to the step size
    #[arg(long, default_value_t = 0.2, value_parser = decay)]
    decay: f32,
    /// Centistones that change the odds by a factor of e (default: fitted to the results)
    #[arg(long, value_parser = clap::value_parser!(i32).range(1..=10_000))]
    scale: Option<i32>,
    /// Threads
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=512))]
    threads: u16,
    /// File to write the network to
    #[arg(long)]
    out: PathBuf,
}

/// Arguments for fitting the chances.
#[derive(Args)]
struct Wdl {
    /// Variant whose model is fitted
    #[arg(long, default_value = Variant::NAMES[0], ignore_case = true, value_parser = variants())]
    variant: Variant,
    /// Files of positions made by 'tune play' without tables
    #[arg(long, required = true, num_args = 1..)]
    data: Vec<PathBuf>,
}

/// Parses a number from 0 to 1.
fn share(text: &str) -> Result<f32, String> {
    number(text, 1.0)
}

/// Parses a weight decay: above 100 a step may reverse the sign of weights.
fn decay(text: &str) -> Result<f32, String> {
    number(text, 100.0)
}

fn number(text: &str, most: f32) -> Result<f32, String> {
    let number = text.parse().ok().filter(|number| (0.0..=most).contains(number));
    number.ok_or_else(|| format!("expected a number in 0..={most}"))
}

/// Runs the subcommand.
///
/// # Errors
/// Files that cannot be read or written, faulty positions, with file and line, or a closed output.
pub fn run(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    match &arguments.job {
        Job::Play(play) => tuning::play(&play.request())?,
        Job::Fit(fit) => tuning::fit(&fit.request(), &mut |progress| print(&mut stdout(), progress))?,
        Job::Wdl(Wdl { variant, data }) => {
            let FittedWdl { positions, model, loss, present, present_loss } = tuning::fit_wdl(*variant, data)?;
            writeln!(stdout(), "{positions} positions")?;
            for (name, WdlModel { margin, spread }, loss) in
                [("fitted", model, loss), ("present", present, present_loss)]
            {
                writeln!(stdout(), "{name}: margin {margin}, spread {spread}, loss {loss:.5}")?;
            }
        }
        #[cfg(feature = "tune")]
        Job::Spsa => {
            for tunable in Tunable::<Settings>::all() {
                writeln!(stdout(), "{tunable}")?;
            }
        }
    }
    Ok(())
}

impl Play {
    fn request(&self) -> tuning::Play {
        let &Play { variant, games, shard, nodes, seed, opening, balance, random_every, .. } = self;
        let (plies, threads) = (self.plies.into(), self.threads.into());
        let (tables, out) = (self.tables.clone(), self.out.clone());
        tuning::Play { variant, games, shard, nodes, seed, opening, balance, random_every, plies, threads, tables, out }
    }
}

impl Fit {
    fn request(&self) -> tuning::Fit {
        let &Fit { variant, epochs, score_share, win_decay, rate, decay, scale, .. } = self;
        let (data, from, out) = (self.data.clone(), self.from.clone(), self.out.clone());
        let threads = self.threads.into();
        tuning::Fit { variant, data, from, epochs, score_share, win_decay, rate, decay, scale, threads, out }
    }
}

/// Prints the progress of the training.
fn print(out: &mut dyn Write, progress: Progress) -> io::Result<()> {
    match progress {
        Progress::Read { positions, held_out, scale, scores, evaluation, material } => {
            writeln!(out, "{positions} positions, {held_out} held out, scale {scale}")?;
            writeln!(out, "held out: loss of the scores {scores:.5}")?;
            writeln!(out, "held out: loss of the present evaluation {evaluation:.5}")?;
            writeln!(out, "held out: loss of the material {material:.5}")
        }
        Progress::Epoch { number, loss, held_out } => {
            writeln!(out, "epoch {number:3} loss {loss:.5} held out {held_out:.5}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::tests::parsed;

    fn job(words: &str) -> Job {
        parsed::<Arguments>(words).expect("good").job
    }

    #[test]
    fn arguments_become_requests() {
        let Job::Play(play) = job(
            "play --variant smess --games 2 --shard 2/2 --nodes 3 --seed 4 --threads 5 --tables t --opening 6 --balance 7 \
                 --random-every 8 --plies 9 --out o",
        ) else {
            panic!("not what was asked for");
        };
        let request = play.request();
        assert_eq!((request.opening, request.balance, request.random_every, request.plies), (6, 7, 8, 9));
        let tuning::Play { variant, games, shard, nodes, seed, threads, tables, out, .. } = request;
        assert_eq!(tables, [PathBuf::from("t")]);
        assert_eq!((variant, games, nodes, seed, threads), (Variant::Smess, 2, 3, 4, 5));
        assert_eq!((shard.to_string().as_str(), out), ("2/2", PathBuf::from("o")));
        let words = "fit --variant mlyn --data a b --from f --epochs 2 --score-share 0.25 --win-decay 0.125 --rate 0.5 --decay 1.5 \
                     --scale 7 --threads 8 --out o";
        let Job::Fit(fit) = job(words) else { panic!("not what was asked for") };
        let fit = fit.request();
        assert_eq!((fit.variant, fit.epochs, fit.scale, fit.threads), (Variant::Mlyn, 2, Some(7), 8));
        assert_eq!((fit.score_share, fit.win_decay, fit.rate, fit.decay), (0.25, 0.125, 0.5, 1.5));
        assert_eq!(fit.data, ["a", "b"].map(PathBuf::from));
        assert_eq!((fit.from, fit.out), (Some(PathBuf::from("f")), PathBuf::from("o")));
    }

    #[test]
    fn numbers_beyond_their_range_are_refused() {
        let fit = |words: &str| parsed::<Arguments>(&format!("fit --data a --out o {words}"));
        for words in ["--score-share 0", "--score-share 1", "--rate 1e-3", "--decay 0", "--scale 1", "--threads 512"] {
            assert!(fit(words).is_ok(), "{words}");
        }
        for words in [
            "--score-share 1.01",
            "--score-share nan",
            "--rate inf",
            "--rate=-1",
            "--decay 101",
            "--decay x",
            "--scale 0",
            "--scale 10001",
            "--threads 0",
            "--threads 513",
            "--epochs=-1",
        ] {
            let refused = fit(words).err().expect(words);
            assert!(refused.contains("expected a number in") || refused.contains("invalid"), "{refused}");
        }
        let play = |words: &str| parsed::<Arguments>(&format!("play --out o {words}"));
        assert!(play("--threads 1 --nodes 1 --games 0").is_ok());
        assert!(play("--threads 513").is_err() && play("--threads 0").is_err() && play("--nodes 0").is_err());
    }

    #[test]
    fn progress_is_printed() {
        let mut out = Vec::new();
        let read =
            Progress::Read { positions: 9, held_out: 1, scale: 200, scores: 0.5, evaluation: 0.25, material: 1.0 };
        print(&mut out, read).expect("printed");
        print(&mut out, Progress::Epoch { number: 12, loss: 0.123_456, held_out: 2.0 }).expect("printed");
        assert_eq!(
            String::from_utf8(out).expect("text"),
            "9 positions, 1 held out, scale 200\nheld out: loss of the scores 0.50000\n\
             held out: loss of the present evaluation 0.25000\nheld out: loss of the material 1.00000\n\
             epoch  12 loss 0.12346 held out 2.00000\n"
        );
    }
}
