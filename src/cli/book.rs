//! `millbrain book`.

use super::games::games_of;
use super::limits::threads;
use super::rules::Rules;
use super::styled;
use crate::any::{AnyGame, AnyOracle};
use crate::files::{beside, can_write_whole, named, write_whole};
use crate::games::book::{Book, Entry};
use crate::games::game::Game;

use crate::lines::read_text;
use crate::streams::stdout;
use crate::tablebase::{self, Opened, Sources};
use crate::truth::{BookRequest, build_book};
use crate::value::Known;
use crate::variant::NamedRules;
use clap::{Args, Subcommand};
use indicatif::ProgressBar;
use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Jobs with opening books.
#[derive(Subcommand)]
pub enum Job {
    /// Make a book from positions of games, each with its best moves
    ///
    /// A move is one of the best if a search scores it at most --margin below the best. Tables that know its position
    /// must confirm that it keeps the value. Its weight grows with the number of levels 1 to 10 whose reply would lose
    /// value. Results are saved in FILE.part until the book is complete: an interrupted build resumes when started
    /// again. Equal settings make equal books.
    Build(Building),
    /// Show the book's entry for a position; with --tables check its moves
    Show(Showing),
}

/// Arguments of a book to make.
#[derive(Args)]
pub struct Building {
    #[command(flatten)]
    rules: Rules,
    /// Folder made by 'tablebase build', or address of a server of such folders; repeatable
    #[arg(long, value_name = "DIR|URL")]
    tables: Vec<PathBuf>,
    /// File of games whose positions get into the book, in any form of docs/formats.md; otherwise games are played
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
    /// Games to play whose positions get into the book
    #[arg(
        long,
        value_name = "N",
        conflicts_with = "from",
        default_value_t = 1_000,
        value_parser = clap::value_parser!(u32).range(1..=1_000_000)
    )]
    games: u32,
    /// Plies of each game
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=200))]
    plies: u32,
    /// Nodes for each position
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Largest difference of a move's score from the best in centistones
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(0..=1_000))]
    margin: u32,
    /// Seed of the games
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Threads; all cores by default
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=512))]
    threads: Option<u16>,
    /// File to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

/// Arguments of a book to show.
#[derive(Args)]
pub struct Showing {
    /// The book
    file: PathBuf,
    /// Position to show; the start position if omitted
    #[arg(long)]
    fen: Option<String>,
    /// Moves to play from there: "d6 f4"
    #[arg(long, value_name = "LIST", default_value = "", hide_default_value = true)]
    moves: String,
    /// Tables to check all moves of the book against; repeatable
    #[arg(long, value_name = "DIR|URL")]
    tables: Vec<PathBuf>,
}

/// Runs a job and prints its results.
///
/// # Errors
/// A book that cannot be made, read or written, tables that cannot be used, or a closed output.
pub fn run(job: Job) -> Result<(), Box<dyn Error>> {
    match job {
        Job::Build(job) => job.run(&mut stdout()),
        Job::Show(job) => job.run(&mut stdout()),
    }
}

/// Opens the tables in these folders and the built-in ones.
fn open_tables(rules: &NamedRules, folders: &[PathBuf]) -> Result<Opened, Box<dyn Error>> {
    let mut opened = tablebase::open(&rules.rules, &Sources::at(folders.iter().cloned()));
    match opened.refusals.pop() {
        Some(refusal) => Err(refusal.into()),
        None => Ok(opened),
    }
}

/// Returns the number of positions and moves of a book as text.
fn size(book: &Book) -> String {
    let moves: usize = book.entries().iter().map(|entry| entry.moves.len()).sum();
    format!("{} positions, {moves} moves", book.entries().len())
}

/// Reads games of these rules, as their positions from the first; those of other rules are left out with a warning.
fn given(path: &Path, rules: &NamedRules, plies: usize) -> Result<Vec<Vec<AnyGame>>, Box<dyn Error>> {
    let text = read_text(path)?;
    let mut given = Vec::new();
    for (number, game) in (1..).zip(games_of(&text, path, &Game::by(*rules), false)?) {
        let by = game.named_rules()?;
        if by.rules != rules.rules {
            log::warn!("{}: game {number} left out: by the rules of {by}, expected {rules}", path.display());
            continue;
        }
        let moves: Vec<&str> = game.main_line().into_iter().take(plies).map(|node| node.played.text.as_str()).collect();
        let mut positions = vec![AnyGame::new(rules.rules).at(game.fen.as_deref(), [])?];
        for text in moves {
            let mut next = positions.last().cloned().unwrap_or_else(|| AnyGame::new(rules.rules));
            next.push(text)?;
            positions.push(next);
        }
        given.push(positions);
    }
    if given.is_empty() {
        return Err(format!("{}: no game, expected one by the rules of {rules}", path.display()).into());
    }
    Ok(given)
}

impl Building {
    fn run(&self, out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
        let rules = self.rules.named()?;
        let Opened { oracle, sectors, .. } = open_tables(&rules, &self.tables)?;
        let given = match &self.from {
            Some(path) => given(path, &rules, self.plies as usize)?,
            None => Vec::new(),
        };
        let request = BookRequest {
            rules,
            oracle,
            sectors,
            given,
            games: self.games as usize,
            plies: self.plies as usize,
            nodes: self.nodes,
            margin: self.margin,
            seed: self.seed,
            threads: threads(self.threads),
        };
        can_write_whole(&self.out).map_err(named(&self.out))?;
        let kept = beside(&self.out, ".part");
        let bar = styled(ProgressBar::new(self.plies.into()), "{bar:30} ply {pos}/{len}, {msg} positions judged");
        bar.tick();
        let book = build_book(&request, &kept, &|ply, judged| {
            bar.set_message(judged.to_string());
            bar.set_position(ply as u64);
        })?;
        bar.finish_and_clear();
        write_whole(&self.out, book.to_string().as_bytes()).map_err(named(&self.out))?;
        fs::remove_file(&kept).map_err(named(&kept))?;
        Ok(writeln!(out, "{}", size(&book))?)
    }
}

impl Showing {
    fn run(&self, out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
        let book = Book::open(&self.file)?;
        let game = AnyGame::new(book.rules().rules).at(self.fen.as_deref(), self.moves.split_whitespace())?;
        let mut text =
            format!("book of {}: {}\nmade by {}\n\n{}\n", book.rules(), size(&book), book.made(), game.fen());
        let moves = book.moves(&game);
        if moves.is_empty() {
            text.push_str("not in the book\n");
        }
        for mv in moves {
            writeln!(text, "{:10} weight {:>5} {:>6.2} %", mv.text, mv.weight, mv.share * 100.0)?;
        }
        if !self.tables.is_empty() {
            let oracle = open_tables(book.rules(), &self.tables)?.oracle;
            writeln!(text, "\n{}", Truth::of(&book, oracle.as_ref())?)?;
        }
        Ok(out.write_all(text.as_bytes())?)
    }
}

/// The verdict of tables on the moves of a book.
#[derive(Default)]
struct Truth {
    kept: usize,
    lost: usize,
    unknown: usize,
}

impl Truth {
    fn of(book: &Book, oracle: Option<&AnyOracle>) -> Result<Truth, Box<dyn Error>> {
        let mut truth = Truth::default();
        let mut start = AnyGame::new(book.rules().rules);
        start.set_oracle(oracle);
        for Entry { fen, moves } in book.entries() {
            let game = start.at(Some(fen), [])?;
            for (text, _) in moves {
                let after = start.at(Some(fen), [text.as_str()])?.known().map(Known::before);
                match (game.known(), after) {
                    (Some(before), Some(after)) if before.verdict() == after.verdict() => truth.kept += 1,
                    (Some(_), Some(_)) => truth.lost += 1,
                    _ => truth.unknown += 1,
                }
            }
        }
        Ok(truth)
    }
}

impl std::fmt::Display for Truth {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Truth { kept, lost, unknown } = self;
        write!(f, "by the tables {kept} moves keep the value, {lost} lose it, {unknown} are not known")
    }
}
