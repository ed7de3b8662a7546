//! `millbrain truth hunt`, `games`, `pack` and `check`: trials of the engine and its packs against an adversary with
//! all tables.

use super::super::limits::threads;
use super::super::{styled, variants};
use super::{judging, opened};
use crate::any::{AnyGame, AnyOracle};
use crate::files::size::Size;
use crate::files::{can_write_whole, named, write_whole};
use crate::solver::pack::proof::check;
use crate::solver::pack::strategy::{Extent, Level, Strategies, add_strategies};
use crate::tablebase::pack::{Contents, Said};
use crate::tablebase::{Refusal, Sources};
use crate::truth::{Find, FindsError, FindsFile, Hunted, Played, Trial, TrialError, early_wins, hunt, play};
use crate::variant::{NamedRules, Variant};
use clap::Args;
use indicatif::ProgressBar;
use serde::Serialize;
use std::collections::BTreeSet;
use std::error::Error;
use std::io::Write;
use std::path::PathBuf;

/// The rules.
#[derive(Args)]
struct Game {
    /// Rule set
    #[arg(default_value = Variant::NAMES[0], ignore_case = true, value_parser = variants())]
    variant: Variant,
    /// House rules of the variant, as options of the protocol: "Stones=7,Flying=false"
    #[arg(long, value_name = "LIST", default_value = "", hide_default_value = true)]
    rules: String,
}

/// The engine on trial, and the tables that evaluate it.
#[derive(Args)]
struct Parties {
    /// Folder of tables of the whole game, made by 'tablebase build --sectors game', or address of a server of such
    /// folders; repeatable
    #[arg(long, value_name = "DIR|URL")]
    tables: Vec<PathBuf>,
    /// Memory for blocks of the tables, such as 2G
    #[arg(long, value_name = "SIZE", default_value = "1G")]
    cache: Size,
    /// Nodes of each search
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Transposition table of each search in MiB
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    hash: u32,
    /// Start from random openings of this many plies that keep the value of the start; 0 for the start position
    #[arg(long, value_name = "PLIES", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=100))]
    openings: u32,
    /// Random seed
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Threads; all cores by default
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=512))]
    threads: Option<u16>,
}

/// The packs of the engine, and the output of finds.
#[derive(Args)]
struct Carried {
    /// Pack of the engine; repeatable
    #[arg(long, value_name = "FILE")]
    pack: Vec<PathBuf>,
    /// Ignore the built-in pack
    #[arg(long)]
    no_pack: bool,
    /// File to append finds to, for 'truth pack'; a hunt begins at its existing finds
    #[arg(long, value_name = "FINDS")]
    out: Option<PathBuf>,
    /// Print a JSON object
    #[arg(long)]
    json: bool,
}

/// Arguments of a hunt.
#[derive(Args)]
pub struct Hunting {
    #[command(flatten)]
    game: Game,
    #[command(flatten)]
    parties: Parties,
    #[command(flatten)]
    carried: Carried,
    /// Positions to try
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(1..))]
    positions: u32,
}

/// Arguments of games against the adversary.
#[derive(Args)]
pub struct Playing {
    #[command(flatten)]
    game: Game,
    #[command(flatten)]
    parties: Parties,
    #[command(flatten)]
    carried: Carried,
    /// Games to play, the engine on either side in turn
    #[arg(long, value_name = "N", default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(1..))]
    games: u32,
    /// Maximum plies of a game
    #[arg(long, value_name = "N", default_value_t = 90, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    plies: u32,
}

/// Arguments of a pack to make.
#[derive(Args)]
pub struct Packing {
    #[command(flatten)]
    game: Game,
    /// Files of finds; with --close a single file, which is extended
    #[arg(long, value_name = "FINDS", required_unless_present = "strategy")]
    finds: Vec<PathBuf>,
    /// File to write; an existing pack keeps its positions
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Include all positions within this many plies of the start that follow the first mistake of a game; needs
    /// --tables
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=12))]
    plies: u32,
    /// Include strategies for each side that can keep the value of the start; needs --tables. They cover all positions
    /// with that value after this many plies, up to the ply of --until
    #[arg(long, value_name = "PLIES", requires = "tables", value_parser = clap::value_parser!(u32).range(0..=12))]
    strategy: Option<u32>,
    /// With --strategy: the last ply of a game covered by it
    #[arg(long, value_name = "PLY", default_value_t = 18, requires = "strategy", value_parser = clap::value_parser!(u32).range(1..=1_000))]
    until: u32,
    /// With --strategy: where it holds a draw and is closed, also answer replies that give the draw away; then 'truth
    /// check' needs no tables
    #[arg(long, requires = "strategy")]
    every_reply: bool,
    /// Hunt and play with the pack, and rebuild it with the finds, until a round finds nothing
    #[arg(long, requires = "tables")]
    close: bool,
    #[command(flatten)]
    parties: Parties,
    /// With --close: positions that a round tries from the start, and the same number from random openings
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    positions: u32,
    /// With --close: games that a round plays from the start, and the same number from random openings
    #[arg(long, value_name = "N", default_value_t = 2_000)]
    games: u32,
    /// With --close: maximum number of rounds
    #[arg(long, value_name = "N", default_value_t = 100)]
    rounds: u64,
}

/// Arguments of a pack to check.
#[derive(Args)]
pub struct Checking {
    #[command(flatten)]
    game: Game,
    /// The pack
    #[arg(long, value_name = "FILE")]
    pack: PathBuf,
    /// Threads; all cores by default
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=512))]
    threads: Option<u16>,
}

/// Opens these packs for an engine, and the built-in ones if `embedded`.
fn equipped(rules: &NamedRules, packs: &[PathBuf], embedded: bool) -> Result<Option<AnyOracle>, Refusal> {
    opened(rules, &Sources { packs: embedded, ..Sources::at(packs.iter().cloned()) })
}

impl Parties {
    /// Returns the trial of an engine.
    fn trial(&self, rules: NamedRules, engine: Option<AnyOracle>) -> Result<Trial, Box<dyn Error>> {
        let sources = Sources { cache: self.cache, ..Sources::at(self.tables.iter().cloned()) };
        Ok(Trial {
            rules,
            truth: judging(&rules, &sources)?,
            engine,
            nodes: self.nodes,
            hash_mib: self.hash as usize,
            openings: self.openings as usize,
            seed: self.seed,
            threads: threads(self.threads),
        })
    }
}

impl Game {
    fn named(&self) -> Result<NamedRules, Box<dyn Error>> {
        Ok(NamedRules::read(self.variant, &self.rules)?)
    }
}

impl Carried {
    fn finds(&self, rules: &NamedRules) -> Result<Option<FindsFile>, FindsError> {
        self.out.as_ref().map(|path| FindsFile::open(path, rules)).transpose()
    }

    /// Prints the result as a JSON object or as a line.
    fn tell<T: Serialize>(&self, out: &mut dyn Write, found: &T, line: fn(&T) -> String) -> Result<(), Box<dyn Error>> {
        Ok(writeln!(out, "{}", if self.json { serde_json::to_string(found)? } else { line(found) })?)
    }
}

/// Appends to a file of finds, if there is one.
fn keep(file: &mut Option<FindsFile>, finds: &[Find]) -> Result<(), TrialError> {
    Ok(file.as_mut().map_or(Ok(()), |file| file.append(finds))?)
}

fn bar(length: u32, what: &str) -> ProgressBar {
    styled(ProgressBar::new(length.into()), &format!("{{bar:30}} {{pos}}/{{len}} {what}, {{msg}}, {{eta}} left"))
}

/// Runs a hunt with a progress bar.
fn hunted(trial: &Trial, positions: u32, file: &mut Option<FindsFile>) -> Result<Hunted, TrialError> {
    let bar = bar(positions, "positions");
    let known: Vec<Find> = file.as_ref().map_or_else(Vec::new, |file| file.finds.clone());
    let hunted = hunt(trial, positions as usize, &known, &mut |finds, hunted| {
        bar.set_position(hunted.positions as u64);
        bar.set_message(format!("{} finds", hunted.finds.all()));
        keep(file, finds)
    });
    bar.finish_and_clear();
    hunted
}

/// Plays games with a progress bar.
fn played(trial: &Trial, games: u32, plies: u32, file: &mut Option<FindsFile>) -> Result<Played, TrialError> {
    let bar = bar(games, "games");
    let played = play(trial, games as usize, plies as usize, &mut |finds, played| {
        bar.set_position(played.games as u64);
        bar.set_message(format!("{} lost", played.lost));
        keep(file, finds)
    });
    bar.finish_and_clear();
    played
}

/// Formats the results of a hunt in one line.
fn hunt_line(hunted: &Hunted) -> String {
    let Hunted { positions, finds, .. } = hunted;
    format!(
        "{positions} positions: {} drawn to lost, {} won to lost, {} won to drawn; {:.0} finds in a million",
        finds.drawn_to_lost,
        finds.won_to_lost,
        finds.won_to_drawn,
        hunted.per_million()
    )
}

/// Formats the results of games in one line.
fn games_line(played: &Played) -> String {
    let Played { games, lost, drawn, won, moves, lost_at } = played;
    let at = match (lost_at.first_key_value(), lost_at.last_key_value()) {
        (Some((first, _)), Some((last, _))) => format!(" (value lost in plies {first} to {last})"),
        _ => String::new(),
    };
    format!("{games} games: {lost} lost{at}, {drawn} drawn, {won} won; {moves} moves of the engine")
}

impl Hunting {
    pub(super) fn run(&self, out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
        let Hunting { game, parties, carried, positions } = self;
        let rules = game.named()?;
        let trial = parties.trial(rules, equipped(&rules, &carried.pack, !carried.no_pack)?)?;
        let hunted = hunted(&trial, *positions, &mut carried.finds(&rules)?)?;
        carried.tell(out, &hunted, hunt_line)
    }
}

impl Playing {
    pub(super) fn run(&self, out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
        let Playing { game, parties, carried, games, plies } = self;
        let rules = game.named()?;
        let trial = parties.trial(rules, equipped(&rules, &carried.pack, !carried.no_pack)?)?;
        let played = played(&trial, *games, *plies, &mut carried.finds(&rules)?)?;
        carried.tell(out, &played, games_line)
    }
}

impl Packing {
    pub(super) fn run(&self, out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
        let rules = self.game.named()?;
        can_write_whole(&self.out).map_err(named(&self.out))?;
        let mut contents = Contents::new(rules.rules);
        if self.out.exists() {
            contents = Contents::read(&rules.rules, &self.out).map_err(named(&self.out))?;
        }
        if self.plies > 0 {
            for fen in early_wins(&self.parties.trial(rules, None)?, self.plies as usize)? {
                contents.add_won(&fen)?;
            }
        }
        if let Some(plies) = self.strategy {
            let trial = self.parties.trial(rules, None)?;
            let Trial { truth, threads, .. } = trial;
            let extent = Extent { plies: plies as usize, last: self.until as usize, every_reply: self.every_reply };
            let Strategies { levels, won, closed, proves, .. } =
                add_strategies(&mut contents, &rules.rules, &truth, extent, threads)?;
            for Level { ply, to_answer, chosen } in levels {
                writeln!(out, "ply {ply}: {to_answer} positions answered by {chosen}")?;
            }
            if closed {
                let replies = if proves { "every reply" } else { "every reply that keeps the value" };
                writeln!(out, "closed: {replies} is answered, however long the game")?;
            }
            writeln!(out, "{won} won positions from which a move leads to a draw of these")?;
        }
        let mut files = self.finds.iter().map(|path| FindsFile::open(path, &rules)).collect::<Result<Vec<_>, _>>()?;
        for file in &files {
            self.write(&rules, &file.finds, &mut contents, out)?;
        }
        if files.is_empty() {
            self.write(&rules, &[], &mut contents, out)?;
        }
        if self.close {
            let [_] = files.as_slice() else {
                return Err("--close keeps its finds in one file, expected one --finds".into());
            };
            self.close(&rules, &mut files.pop(), &mut contents, out)?;
        }
        Ok(())
    }

    /// Adds the lost positions of finds and writes the pack.
    fn write(
        &self,
        rules: &NamedRules,
        finds: &[Find],
        contents: &mut Contents,
        out: &mut dyn Write,
    ) -> Result<(), Box<dyn Error>> {
        let start = AnyGame::new(rules.rules);
        for find in finds {
            for fen in find.lost_positions(&start)? {
                contents.add_won(&fen)?;
            }
        }
        let bytes = contents.pack()?;
        write_whole(&self.out, &bytes).map_err(named(&self.out))?;
        let [won, held] = [Said::Won, Said::Held].map(|said| contents.count(said));
        writeln!(out, "{}: {won} won positions, {held} of strategies, {} bytes", self.out.display(), bytes.len())?;
        Ok(())
    }

    /// Hunts and plays until nothing is found. Finds are saved immediately, so that another run resumes from there.
    fn close(
        &self,
        rules: &NamedRules,
        file: &mut Option<FindsFile>,
        contents: &mut Contents,
        out: &mut dyn Write,
    ) -> Result<(), Box<dyn Error>> {
        let count = |file: &Option<FindsFile>| file.as_ref().map_or(0, |file| file.finds.len());
        let added = |file: &Option<FindsFile>, before: usize| {
            file.as_ref().map_or_else(Vec::new, |file| file.finds[before..].to_vec())
        };
        let packs = [self.out.clone()];
        let base = self.parties.trial(*rules, None)?;
        for round in 0..self.rounds {
            let engine = equipped(rules, &packs, false)?;
            let trial = |openings| Trial { engine: engine.clone(), seed: base.seed + round, openings, ..base.clone() };
            let mut lost = 0;
            let before = count(file);
            let openings: BTreeSet<usize> = [0, base.openings].into();
            for &openings in &openings {
                if self.positions > 0 {
                    let hunted = hunted(&trial(openings), self.positions, file)?;
                    lost += hunted.finds.to_lost();
                    writeln!(out, "round {}: {}", round + 1, hunt_line(&hunted))?;
                }
                if self.games > 0 {
                    let played = played(&trial(openings), self.games, PLIES, file)?;
                    lost += played.lost;
                    writeln!(out, "round {}: {}", round + 1, games_line(&played))?;
                }
            }
            if lost == 0 {
                return Ok(());
            }
            self.write(rules, &added(file, before), contents, out)?;
        }
        Err(format!("{} rounds, and still something is found: expected more --rounds", self.rounds).into())
    }
}

impl Checking {
    pub(super) fn run(&self, out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
        let rules = self.game.named()?;
        let proof = check(&rules.rules, &self.pack, threads(self.threads)).map_err(named(&self.pack))?;
        writeln!(out, "{} held positions, {} replies, {} without an answer", proof.held, proof.replies, proof.open)?;
        if let Some(fen) = &proof.example {
            return Err(format!("{}: no proof, there is no answer at {fen}", self.pack.display()).into());
        }
        match proof.sides[..] {
            [] => return Err(format!("{}: no proof, the game does not begin in it", self.pack.display()).into()),
            [side] => writeln!(out, "proved: {side} does not lose {rules}")?,
            _ => writeln!(out, "proved: {rules} is drawn")?,
        }
        Ok(())
    }
}

/// Plies of the games between the hunts.
const PLIES: u32 = 90;
