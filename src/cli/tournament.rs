//! `millbrain match`.

use super::rules::Rules;
use super::styled;
use crate::any::AnyOracle;
use crate::files::{can_write_whole, named};
use crate::games::reason;
use crate::lines::read_text;
use crate::shard::Shard;
use crate::streams::stdout;
use crate::tablebase::{self, Sources};
use crate::tournament::config;
use crate::tournament::interrupt::Interrupt;
use crate::tournament::journal::{self, Journal, MatchConfig};
use crate::tournament::merge::Merged;
use crate::tournament::openings::OpeningSource;
use crate::tournament::plan::Plan;
use crate::tournament::record::{GameRecord, read_games};
use crate::tournament::referee::Adjudication;
use crate::tournament::runner::{self, Reporter, Saving, Sinks};
use crate::tournament::schedule::Schedule;
use crate::tournament::sprt::Sprt;
use crate::tournament::standings::Standings;
use crate::variant::Ruleset;
use clap::{ArgAction, ArgMatches, Args, Command, FromArgMatches, ValueEnum};
use indicatif::ProgressBar;
use std::error::Error;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Games between two prints of the standings.
const TABLE_EVERY: u64 = 20;

/// Pairing of the engines.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
enum Format {
    /// Every engine plays every other.
    #[default]
    RoundRobin,
    /// The first engine plays all others.
    Gauntlet,
}

/// Play engines against each other.
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    engines: EngineLists,
    /// Settings applied to every engine (same keys)
    #[arg(long, num_args = 1.., value_name = "KEY=VALUE")]
    each: Vec<String>,
    #[command(flatten)]
    rules: Rules,
    /// Pairing of the engines
    #[arg(long, value_enum, default_value_t)]
    tournament: Format,
    /// Rounds; every pairing meets once per round
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    rounds: u32,
    /// Games per meeting; two share an opening, with colours reversed
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    games: u32,
    /// Games played in parallel
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    concurrency: u16,
    /// file=FILE (lines, or games of any form) plies=N order=random|sequential, or plies=4 balance=60 to generate them;
    /// seed=1
    #[arg(long, num_args = 1.., value_name = "KEY=VALUE")]
    openings: Vec<String>,
    /// End drawn games: movenumber=30 movecount=8 score=10
    #[arg(long, num_args = 1.., value_name = "KEY=VALUE")]
    draw: Vec<String>,
    /// End lost games: movecount=3 score=1000 twosided=false
    #[arg(long, num_args = 1.., value_name = "KEY=VALUE")]
    resign: Vec<String>,
    /// End games whose result tables know: tables=DIR, in addition to the built-in ones; repeatable
    #[arg(long, num_args = 1.., value_name = "KEY=VALUE")]
    adjudicate: Vec<String>,
    /// Full moves by the engines before a game is drawn; 0 for no limit
    #[arg(long, default_value_t = 300)]
    maxmoves: u32,
    /// Stop the match by a sequential test: elo0=0 elo1=10 alpha=0.05 beta=0.05, in normalised Elo
    #[arg(long, num_args = 1.., value_name = "KEY=VALUE")]
    sprt: Vec<String>,
    /// End the match at the first crash or stall instead of restarting the engine
    #[arg(long)]
    no_recover: bool,
    /// The default; with --resume, for a match saved with --no-recover
    #[arg(long, hide = true, conflicts_with = "no_recover")]
    recover: bool,
    /// Replay a game if its engine was killed (SIGKILL or SIGTERM), as when memory is short; otherwise the engine loses
    /// it
    #[arg(long)]
    replay_killed: bool,
    /// Continue even if an engine rejects a setting
    #[arg(long)]
    lenient: bool,
    /// Seconds before an engine without a time limit counts as stalled
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    stall: u32,
    /// Save the settings and every finished game to this new file, for --resume
    #[arg(long, value_name = "FILE", conflicts_with = "resume")]
    save: Option<PathBuf>,
    /// Continue a match from its --save file, with the settings saved there
    #[arg(long, value_name = "FILE", conflicts_with_all = [
        "engine", "each", "variant", "rules", "tournament", "rounds", "games", "concurrency", "openings", "draw", "resign", "adjudicate",
        "maxmoves", "sprt", "no_recover", "replay_killed", "stall", "shard",
    ])]
    resume: Option<PathBuf>,
    /// Part I of N: only every N-th meeting, starting at meeting I; --merge combines the parts. --sprt never ends a
    /// part
    #[arg(long, value_name = "I/N", default_value_t = Shard::ALL, requires = "save")]
    shard: Shard,
    /// Print as JSON the settings and what is left to play, with --resume of that match; no games
    #[arg(long, conflicts_with_all = ["merge", "replay", "save", "record", "json"])]
    plan: bool,
    /// Combine these --save files of one match, in any order; no games
    #[arg(long, num_args = 1.., value_name = "FILE", conflicts_with_all = [
        "engine", "each", "variant", "rules", "tournament", "rounds", "games", "concurrency", "openings", "draw", "resign", "adjudicate",
        "maxmoves", "sprt", "no_recover", "recover", "replay_killed", "lenient", "stall", "shard", "resume", "replay",
    ])]
    merge: Vec<PathBuf>,
    /// Write the games to this new file: in the portable game notation if its name ends with .pgn, otherwise as records
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Write the result to this file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Log the dialogues with the engines in this folder, times in seconds from the start; --resume appends to it
    ///
    /// NAME-N.log logs engine NAME in the N-th of the parallel games: '>>' is input, '<<' is output, '!!' is standard
    /// error. '==' marks starts, ends and omitted output: more than 1 MiB between two commands.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["replay", "merge", "plan"])]
    log: Option<PathBuf>,
    /// Show the match to browsers at this address during play
    #[cfg(feature = "serve")]
    #[arg(long, value_name = "IP:PORT", conflicts_with_all = ["replay", "merge"])]
    serve: Option<std::net::SocketAddr>,
    /// Verify the games of a --record file by replaying them; no match
    #[arg(long, value_name = "FILE", conflicts_with_all = ["engine", "resume", "save", "record", "json"])]
    replay: Option<PathBuf>,
}

/// The words of each `--engine` separately.
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
        const HELP: &str = "An engine: name= cmd= args= dir= dialect=millbrain|sanmill option.NAME= tc=MOVES/MIN:SEC+INC \
                            movetime=MS nodes= depth= timemargin=MS; options that choose the rules are refused: --rules does";
        let engine = clap::Arg::new("engine").long("engine").num_args(1..).action(ArgAction::Append);
        command.arg(engine.value_name("KEY=VALUE").help(HELP))
    }

    fn augment_args_for_update(command: Command) -> Command {
        EngineLists::augment_args(command)
    }
}

/// The user's request to end.
static INTERRUPT: Interrupt = Interrupt::new();

/// Plays a new match or resumes one, prints its plan, merges its parts, or verifies its games.
///
/// # Errors
/// Faulty settings, files or an output that cannot be read or written, engines that fail, games that do not verify.
pub fn run(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    let out = &mut stdout();
    if let Some(path) = &arguments.replay {
        return replay(path, out);
    }
    if !arguments.merge.is_empty() {
        return arguments.merge(out);
    }
    if arguments.plan {
        let (config, played) = match &arguments.resume {
            Some(path) => journal::read(path)?,
            None => (arguments.config()?, Vec::new()),
        };
        return Ok(writeln!(out, "{}", serde_json::to_string(&Plan::new(&config, played))?)?);
    }
    arguments.check_outputs()?;
    ctrlc::set_handler(|| INTERRUPT.ask())?;
    let (config, played, saving) = match &arguments.resume {
        Some(path) => {
            let (journal, mut config, played) = Journal::resume(path)?;
            config.recover |= arguments.recover;
            config.lenient |= arguments.lenient;
            writeln!(out, "Resumed after {} of {} games", played.len(), config.games().count())?;
            (config, played, Saving::Resumed(journal))
        }
        None => (arguments.config()?, Vec::new(), arguments.save.clone().map_or(Saving::None, Saving::New)),
    };
    let (record, json, log) = (arguments.record.clone(), arguments.json.clone(), arguments.log.clone());
    let sinks = Sinks { saving, record, json, log };
    let mut printer = Printer::new(&config, played.len(), out);
    #[cfg(feature = "serve")]
    if let Some(address) = arguments.serve {
        let watched = super::serve::of_match(address, &config, &played)?;
        let mut reporter = Shown { printer, feed: &watched.feed };
        let outcome = runner::run(&config, played, sinks, &open_tables, &mut reporter, &INTERRUPT);
        watched.stop();
        return Ok(outcome?);
    }
    Ok(runner::run(&config, played, sinks, &open_tables, &mut printer, &INTERRUPT)?)
}

/// Opens the tables of `--adjudicate` and the built-in ones.
fn open_tables(rules: &Ruleset, places: &[String]) -> Result<Option<AnyOracle>, Box<dyn Error + Send + Sync>> {
    let opened = tablebase::open(rules, &Sources::at(places.iter().map(PathBuf::from)));
    match opened.refusals.into_iter().next() {
        Some(refusal) => Err(refusal.into()),
        None => Ok(opened.oracle),
    }
}

/// Prints a match and shows it to spectators.
#[cfg(feature = "serve")]
struct Shown<'a> {
    printer: Printer<'a>,
    feed: &'a crate::serve::live::Feed,
}

#[cfg(feature = "serve")]
impl Reporter for Shown<'_> {
    fn game_finished(&mut self, game: &GameRecord, standings: &Standings) -> io::Result<()> {
        self.feed.game_finished(game, standings);
        self.printer.game_finished(game, standings)
    }

    fn match_ended(&mut self, standings: &Standings, interrupted: bool) -> io::Result<()> {
        self.feed.match_ended();
        self.printer.match_ended(standings, interrupted)
    }

    fn observer(&self) -> std::sync::Arc<dyn crate::tournament::observer::Observer> {
        self.feed.observer()
    }
}

/// Shows the number of generated openings on standard error: as a bar on a terminal, otherwise as occasional lines.
struct Making {
    bar: ProgressBar,
    /// The time of the next line.
    next: Instant,
}

impl Making {
    /// Most generations end before the first line.
    const FIRST: Duration = Duration::from_secs(1);
    const LATER: Duration = Duration::from_secs(10);

    fn new(wanted: usize) -> Making {
        let bar = styled(ProgressBar::new(wanted as u64), "{bar:30} {pos}/{len} openings, {eta} left");
        Making { bar, next: Instant::now() + Making::FIRST }
    }

    fn show(&mut self, made: usize) {
        self.bar.set_position(made as u64);
        if self.bar.is_hidden() && Instant::now() >= self.next {
            self.next += Making::LATER;
            // A closed standard error loses only progress.
            let _ = writeln!(io::stderr(), "{made} of {} openings made", self.bar.length().unwrap_or_default());
        }
    }
}

impl Drop for Making {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// Prints every finished game, the standings at intervals, and a progress bar on standard error.
struct Printer<'a> {
    bar: ProgressBar,
    out: &'a mut dyn Write,
    /// Total number of games.
    total: usize,
    sprt: Option<Sprt>,
}

impl<'a> Printer<'a> {
    fn new(config: &MatchConfig, played: usize, out: &'a mut dyn Write) -> Printer<'a> {
        let total = config.games().count();
        let bar = ProgressBar::new(total as u64).with_position(played as u64);
        let bar = styled(bar, "{bar:30} {pos}/{len} games, {eta} left  {msg}");
        Printer { bar, out, total, sprt: config.test().copied() }
    }
}

impl Reporter for Printer<'_> {
    fn game_finished(&mut self, game: &GameRecord, standings: &Standings) -> io::Result<()> {
        let tally = standings.first_pairing().tally;
        self.bar.set_position(standings.games());
        self.bar.set_message(format!("+{} -{} ={}", tally.wins, tally.losses, tally.draws));
        let Printer { bar, out, sprt, .. } = self;
        bar.suspend(|| {
            let GameRecord { index, white, black, outcome, reason, .. } = game;
            let reason = reason::in_words(reason);
            writeln!(out, "Finished game {} ({white} vs {black}): {outcome} {{{reason}}}", index + 1)?;
            if standings.games().is_multiple_of(TABLE_EVERY) {
                out.write_all(standings.text(sprt.as_ref()).as_bytes())?;
            }
            out.flush()
        })
    }

    fn match_ended(&mut self, standings: &Standings, interrupted: bool) -> io::Result<()> {
        self.bar.finish_and_clear();
        let games = standings.games();
        if interrupted {
            writeln!(self.out, "Interrupted after {games} of {} games", self.total)?;
        }
        if games > 0 {
            self.out.write_all(standings.text(self.sprt.as_ref()).as_bytes())?;
        }
        self.out.flush()
    }
}

impl Arguments {
    /// Counts the games of several journals, and ends like the match that played them.
    fn merge(&self, out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
        self.check_outputs()?;
        let merged = Merged::of(&self.merge)?;
        let (config, games, unfinished) = (merged.config().clone(), merged.games(), merged.unfinished());
        let scoreboard = merged.count(self.save.as_deref(), self.record.as_deref(), self.json.as_deref())?;
        let scheduled = config.schedule.len();
        if games < scheduled && !scoreboard.is_decided() {
            write!(out, "Merged {games} of {scheduled} games")?;
            if !unfinished.is_empty() {
                let shards: Vec<_> = unfinished.iter().map(ToString::to_string).collect();
                write!(out, "; unfinished shards: {}", shards.join(", "))?;
            }
            writeln!(out)?;
        }
        Ok(Printer::new(&config, games, out).match_ended(scoreboard.standings(), false)?)
    }

    /// Checks that the result file can be written at the end.
    fn check_outputs(&self) -> Result<(), Box<dyn Error>> {
        if let Some(json) = &self.json {
            can_write_whole(json).map_err(named(json))?;
        }
        Ok(())
    }

    /// Returns the settings of a new match.
    fn config(&self) -> Result<MatchConfig, Box<dyn Error>> {
        let engines = config::engines(&self.engines.0, &self.each)?;
        let adjudication = Adjudication {
            draw: config::draw_adjudication(&self.draw)?,
            resign: config::resign_adjudication(&self.resign)?,
            max_moves: self.maxmoves,
            stall: Duration::from_secs(self.stall.into()),
        };
        let rules = self.rules.named()?;
        let schedule = Schedule {
            engines: engines.len(),
            gauntlet: self.tournament == Format::Gauntlet,
            rounds: self.rounds as usize,
            games: self.games as usize,
            openings: 0,
        };
        let mut config = MatchConfig {
            variant: rules.variant.to_string(),
            house_rules: rules.list(),
            engines,
            schedule,
            openings: Vec::new(),
            adjudication,
            tables: config::adjudicating_tables(&self.adjudicate)?,
            sprt: config::sequential_test(&self.sprt)?,
            recover: !self.no_recover,
            lenient: self.lenient,
            replay_killed: self.replay_killed,
            concurrency: self.concurrency.into(),
            shard: self.shard,
        };
        let source = OpeningSource::parse(&self.openings)?;
        // Checked before the openings are generated, which takes long.
        config.check()?;
        let wanted = config.schedule.openings_wanted();
        let mut making = Making::new(wanted);
        config.openings = source.openings(rules, wanted, INTERRUPT.first(), &mut |made| making.show(made))?;
        drop(making);
        config.schedule.openings = config.openings.len();
        if config.openings.len() < wanted {
            log::warn!("{} openings for {wanted} meetings: some are used again", config.openings.len());
        }
        Ok(config)
    }
}

/// Replays the games of a file.
fn replay(path: &Path, out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let text = read_text(path)?;
    let games = read_games(&text).map_err(named(path))?;
    if games.is_empty() {
        return Err(format!("{}: no games, expected records that 'match --record' has written", path.display()).into());
    }
    let mut faults = 0;
    for game in &games {
        if let Err(fault) = game.verify() {
            faults += 1;
            writeln!(out, "game {}: {fault}", game.index + 1)?;
        }
    }
    writeln!(out, "{} games, {faults} faulty", games.len())?;
    if faults > 0 { Err(format!("{}: {faults} faulty games", path.display()).into()) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::tests::parsed;
    use crate::tournament::record::{Outcome, Termination};

    const TWO: &str = "--engine name=A cmd=a --engine name=B cmd=b tc=2 --each nodes=1 --openings plies=0";

    fn config(words: &str) -> Result<MatchConfig, String> {
        parsed::<Arguments>(&format!("{TWO} {words}"))?.config().map_err(|error| error.to_string())
    }

    #[test]
    fn arguments_become_settings() {
        let plain = config("").expect("good");
        assert_eq!((plain.variant.as_str(), plain.engines.len(), plain.concurrency), ("morris", 2, 1));
        assert_eq!(
            (plain.engines[1].name.as_str(), plain.engines[1].thinking.to_string()),
            ("B", "2, nodes 1".to_string())
        );
        let schedule = Schedule { engines: 2, gauntlet: false, rounds: 1, games: 2, openings: 1 };
        assert_eq!((plain.schedule, plain.openings.len(), plain.sprt), (schedule, 1, None));
        let adjudication = Adjudication { draw: None, resign: None, max_moves: 300, stall: Duration::from_secs(60) };
        assert_eq!((plain.adjudication, plain.recover, plain.lenient), (adjudication, true, false));
        let given = config(
            "--variant smess --tournament gauntlet --rounds 3 --games 4 --concurrency 5 --draw score=1 --resign score=2 \
             --maxmoves 6 --sprt elo1=7 --no-recover --lenient --stall 8",
        );
        let given = given.expect("good");
        assert_eq!(
            (given.variant.as_str(), given.concurrency, given.sprt.map(|sprt| sprt.elo1)),
            ("smess", 5, Some(7.0))
        );
        // The only default opening is the empty board, although more are needed.
        let schedule = Schedule { engines: 2, gauntlet: true, rounds: 3, games: 4, openings: 1 };
        assert_eq!((given.schedule, given.openings.len()), (schedule, 1));
        assert_eq!((given.adjudication.max_moves, given.adjudication.stall), (6, Duration::from_secs(8)));
        assert!(
            given.adjudication.draw.is_some_and(|rule| rule.score == 1)
                && given.adjudication.resign.is_some_and(|rule| rule.score == 2)
        );
        assert_eq!((given.recover, given.lenient), (false, true));
        // `--recover`, required before it became the default, is still accepted.
        assert!(config("--recover").expect("good").recover);
    }

    #[test]
    fn arguments_that_contradict_each_other_are_refused() {
        for bad in [
            "--recover --no-recover",
            "--save a --resume b",
            "--plan --save a",
            "--plan --log a",
            "--merge a --log b",
            "--replay a --save b",
            "--rounds 0",
            "--games 0",
        ] {
            assert!(parsed::<Arguments>(bad).is_err(), "{bad}");
        }
        for flag in
            ["--engine cmd=a", "--draw score=1", "--resign score=1", "--no-recover", "--rounds 2", "--sprt elo1=3"]
        {
            assert!(
                parsed::<Arguments>(&format!("--resume a {flag}")).is_err_and(|error| error.contains("--resume")),
                "{flag}"
            );
        }
        for flag in ["--lenient", "--recover", "--record b --json c", "--log d"] {
            assert!(parsed::<Arguments>(&format!("--resume a {flag}")).is_ok(), "{flag}");
        }
    }

    #[test]
    fn shards_differ_in_nothing_else() {
        let words = "--rounds 5 --sprt elo1=5 --openings plies=2 seed=4";
        let whole = config(words).expect("good");
        assert!(whole.shard.is_all() && whole.openings.len() == 5);
        let part = config(&format!("{words} --shard 2/3 --save a")).expect("good");
        // Every part has all openings.
        assert_eq!(part, MatchConfig { shard: "2/3".parse().expect("a shard"), ..whole });
        let refused = |words: &str| config(words).expect_err("a fault");
        assert!(refused("--shard 2/3").contains("--save <FILE>"));
        for wrong in ["0/3", "4/3", "1", "x"] {
            let reported = refused(&format!("--shard {wrong} --save a"));
            assert!(
                reported.contains(&format!("'{wrong}' for '--shard <I/N>': expected I/N with I from 1 to N")),
                "{reported}"
            );
        }
        let reported = "shard 6/9 has no game, expected at most 5 shards: there are no more meetings";
        assert_eq!(refused("--rounds 5 --shard 6/9 --save a"), reported);
        assert!(parsed::<Arguments>("--resume a --shard 1/2").is_err_and(|error| error.contains("--resume")));
    }

    #[test]
    fn a_sequential_test_is_for_two_engines_and_pairs_of_games() {
        assert!(config("--sprt elo1=5").is_ok() && config("--sprt elo1=5 --games 4").is_ok());
        let reported = "--sprt unusable, expected two engines and an even number of --games";
        assert_eq!(config("--sprt elo1=5 --games 3").err().as_deref(), Some(reported));
        assert_eq!(config("--sprt elo1=5 --engine cmd=c").err().as_deref(), Some(reported));
        assert!(config("--games 3 --engine cmd=c").is_ok());
    }

    /// Returns standings that A leads, and its last game.
    fn won(config: &MatchConfig, games: usize) -> (GameRecord, Standings) {
        let mut standings = Standings::new(config.schedule.clone(), vec!["A".to_string(), "B".to_string()]);
        let game = |index: usize| {
            let [white, black] = if index.is_multiple_of(2) { ["A", "B"] } else { ["B", "A"] };
            GameRecord {
                index,
                round: 1 + index / 2,
                white: white.to_string(),
                black: black.to_string(),
                variant: "morris".to_string(),
                house_rules: String::new(),
                thinking: [String::new(), String::new()],
                fen: String::new(),
                moves: Vec::new(),
                late_move: None,
                outcome: if white == "A" { Outcome::WhiteWins } else { Outcome::BlackWins },
                termination: Termination::Normal,
                reason: "no moves".to_string(),
            }
        };
        (0..games).for_each(|index| standings.add(&game(index)));
        (game(games - 1), standings)
    }

    #[test]
    fn the_table_comes_after_each_twenty_games_and_at_the_end() {
        let config = config("--rounds 20 --sprt elo0=0 elo1=400").expect("good");
        let mut out = Vec::new();
        let mut printer = Printer::new(&config, 0, &mut out);
        for games in 1..=40 {
            let (game, standings) = won(&config, games);
            printer.game_finished(&game, &standings).expect("printed");
        }
        printer.match_ended(&won(&config, 40).1, false).expect("printed");
        let text = String::from_utf8(out).expect("text");
        let mut lines = text.lines();
        assert_eq!(lines.next(), Some("Finished game 1 (A vs B): 1-0 {no moves}"));
        assert_eq!(lines.next(), Some("Finished game 2 (B vs A): 0-1 {no moves}"));
        assert_eq!(text.matches("Finished game").count(), 40);
        assert_eq!(text.matches("Score of A vs B: 20 - 0 - 0").count(), 1);
        assert_eq!(text.matches("Score of A vs B: 40 - 0 - 0").count(), 2);
        assert_eq!(text.matches("Score of").count(), 3);
        assert!(text.contains(": passed"), "{text}");
    }

    #[test]
    fn an_interrupted_match_says_so() {
        let config = config("--rounds 2").expect("good");
        let ended = |standings: &Standings, interrupted| {
            let mut out = Vec::new();
            Printer::new(&config, 0, &mut out).match_ended(standings, interrupted).expect("printed");
            String::from_utf8(out).expect("text")
        };
        let names = vec!["A".to_string(), "B".to_string()];
        let none = Standings::new(config.schedule.clone(), names);
        assert_eq!(ended(&none, true), "Interrupted after 0 of 4 games\n");
        assert_eq!(ended(&none, false), "");
        let (_, some) = won(&config, 3);
        assert!(ended(&some, true).starts_with("Interrupted after 3 of 4 games\nScore of A vs B: 3 - 0 - 0 "));
        assert!(ended(&some, false).starts_with("Score of A vs B: 3 - 0 - 0 "));
    }

    /// An output that is closed.
    struct Closed;

    impl Write for Closed {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_closed_output_is_an_error() {
        let config = config("").expect("good");
        let (game, standings) = won(&config, 1);
        let mut closed = Closed;
        let mut printer = Printer::new(&config, 0, &mut closed);
        let shown = [printer.game_finished(&game, &standings), printer.match_ended(&standings, false)];
        for shown in shown {
            assert_eq!(shown.map_err(|error| error.kind()), Err(io::ErrorKind::BrokenPipe));
        }
    }
}
