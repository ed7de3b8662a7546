//! Matches between engines: ours, and any program that speaks the protocol.
//!
//! The runner is the referee. It knows the rules, checks every move, keeps the clocks and ends each game; an
//! engine is a process that may do anything, and nothing it does may hold up or bring down the match.

pub mod client;
pub mod config;
pub mod journal;
pub mod openings;
pub mod record;
pub mod referee;
mod runner;
pub mod schedule;
pub mod sprt;
pub mod standings;

use crate::files::named;
use crate::variant::Variant;
use clap::{ArgAction, ArgMatches, Args, Command, FromArgMatches, ValueEnum};
use config::ConfigError;
use journal::{Journal, MatchConfig};
use openings::OpeningSource;
use record::read_games;
use referee::House;
use runner::Sinks;
use schedule::Schedule;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How the engines are paired.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
enum Format {
    /// Everyone against everyone.
    #[default]
    RoundRobin,
    /// The first against the others.
    Gauntlet,
}

/// Play engines against each other.
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    engines: EngineLists,
    /// What holds for all engines, in the same words
    #[arg(long, num_args = 1.., value_name = "KEY=VALUE")]
    each: Vec<String>,
    /// morris, muehle, mylos, mlyn, lasker, morabaraba or smess
    #[arg(long, default_value = "morris")]
    variant: Variant,
    /// How the engines are paired
    #[arg(long, value_enum, default_value_t)]
    tournament: Format,
    /// Rounds: every pairing meets once in each
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    rounds: u32,
    /// Games of a meeting; two share an opening, with colours reversed
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    games: u32,
    /// Games side by side
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    concurrency: u16,
    /// file=FILE order=random|sequential, or plies=4 balance=60 to make them; seed=1
    #[arg(long, num_args = 1.., value_name = "KEY=VALUE")]
    openings: Vec<String>,
    /// End drawn games: movenumber=30 movecount=8 score=10
    #[arg(long, num_args = 1.., value_name = "KEY=VALUE")]
    draw: Vec<String>,
    /// End lost games: movecount=3 score=1000 twosided=false
    #[arg(long, num_args = 1.., value_name = "KEY=VALUE")]
    resign: Vec<String>,
    /// Full moves by the engines after which a game is drawn; 0 for no limit
    #[arg(long, default_value_t = 300)]
    maxmoves: u32,
    /// End the match by a sequential test: elo0=0 elo1=10 alpha=0.05 beta=0.05, in normalised Elo
    #[arg(long, num_args = 1.., value_name = "KEY=VALUE")]
    sprt: Vec<String>,
    /// Start engines again that have crashed or stalled, instead of ending the match
    #[arg(long)]
    recover: bool,
    /// Seconds after which an engine without a limit on time counts as stalled
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    stall: u32,
    /// Save every finished game to this new file, from which the match can be resumed
    #[arg(long, value_name = "FILE", conflicts_with = "resume")]
    save: Option<PathBuf>,
    /// Go on with a match from its --save file; all settings come from there
    #[arg(long, value_name = "FILE", conflicts_with_all = ["engine", "each", "sprt", "openings"])]
    resume: Option<PathBuf>,
    /// Write the games as text to this new file
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Write the result to this file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Play no match, but play the games of a --record file again and check them
    #[arg(long, value_name = "FILE", conflicts_with_all = ["engine", "resume", "save", "record", "json"])]
    replay: Option<PathBuf>,
}

/// The words of each `--engine`, kept apart.
struct EngineLists(Vec<Vec<String>>);

impl FromArgMatches for EngineLists {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let lists = matches.get_occurrences::<String>("engine");
        Ok(EngineLists(lists.map_or_else(Vec::new, |lists| lists.map(|words| words.cloned().collect()).collect())))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = EngineLists::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for EngineLists {
    fn augment_args(command: Command) -> Command {
        const HELP: &str = "An engine: name= cmd= args= dir= option.NAME= tc=MOVES/MIN:SEC+INC movetime=MS nodes= \
                            depth= timemargin=MS";
        let engine = clap::Arg::new("engine").long("engine").num_args(1..).action(ArgAction::Append);
        command.arg(engine.value_name("KEY=VALUE").help(HELP))
    }

    fn augment_args_for_update(command: Command) -> Command {
        EngineLists::augment_args(command)
    }
}

/// Set once the user has asked to end.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Does what the arguments ask for.
///
/// # Errors
/// Faulty settings, files that cannot be read or written, engines that fail, games that do not verify.
pub fn run(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    if let Some(path) = &arguments.replay {
        return replay(path);
    }
    ctrlc::set_handler(|| INTERRUPTED.store(true, Ordering::Relaxed))?;
    let sinks = |journal| Sinks { journal, record: arguments.record.clone(), json: arguments.json.clone() };
    if let Some(path) = &arguments.resume {
        let (journal, config, played) = Journal::resume(path)?;
        println!("Resumed after {} of {} games", played.len(), config.schedule.len());
        return runner::run(&config, &played, sinks(Some(journal)), &INTERRUPTED);
    }
    let config = arguments.config()?;
    let journal = arguments.save.as_deref().map(|path| Journal::create(path, &config)).transpose()?;
    runner::run(&config, &[], sinks(journal), &INTERRUPTED)
}

impl Arguments {
    /// The settings of a new match.
    fn config(&self) -> Result<MatchConfig, ConfigError> {
        let engines = config::engines(&self.engines.0, &self.each)?;
        let sprt = config::sequential_test(&self.sprt)?;
        if sprt.is_some() && (engines.len() != 2 || !self.games.is_multiple_of(2)) {
            return Err(ConfigError("--sprt unusable, expected two engines and an even number of --games".into()));
        }
        let house = House {
            draw: config::draw_adjudication(&self.draw)?,
            resign: config::resign_adjudication(&self.resign)?,
            max_moves: self.maxmoves,
            stall: Duration::from_secs(self.stall.into()),
        };
        let mut schedule = Schedule {
            engines: engines.len(),
            gauntlet: self.tournament == Format::Gauntlet,
            rounds: self.rounds as usize,
            games: self.games as usize,
            openings: 0,
        };
        let source = OpeningSource::parse(&self.openings)?;
        let openings = source.openings(self.variant, schedule.openings_wanted())?;
        if openings.len() < schedule.openings_wanted() {
            log::warn!("{} openings for {} meetings: some are used again", openings.len(), schedule.openings_wanted());
        }
        schedule.openings = openings.len();
        Ok(MatchConfig {
            variant: self.variant.to_string(),
            engines,
            schedule,
            openings,
            house,
            sprt,
            recover: self.recover,
            concurrency: self.concurrency.into(),
        })
    }
}

/// Plays the games of a file again.
fn replay(path: &Path) -> Result<(), Box<dyn Error>> {
    let text = std::fs::read_to_string(path).map_err(named(path))?;
    let games = read_games(&text).map_err(named(path))?;
    let mut faults = 0;
    for game in &games {
        if let Err(fault) = game.verify() {
            faults += 1;
            println!("game {}: {fault}", game.index + 1);
        }
    }
    println!("{} games, {faults} faulty", games.len());
    if faults > 0 { Err(format!("{}: {faults} faulty games", path.display()).into()) } else { Ok(()) }
}
