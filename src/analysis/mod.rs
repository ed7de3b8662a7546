//! Batch analysis: reads one position per line and writes one JSON object per line, in the same order.

pub mod input;

use crate::fen::shorten;
use crate::files::{go_on_after, named, whole_lines};
use crate::game::Move;
use crate::play::Play;
use crate::search::score::{mate_moves, wdl};
use crate::search::table::Bound;
use crate::search::{Control, Info, Limits, Request, Table, search};
use crate::tablebase::{Sources, Tabled};
use crate::value::Oracle;
use crate::variant::Variant;
use crate::with_game;
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use input::Item;
use serde::{Deserialize, Serialize};
use std::any::Any;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::error::Error;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Analyse positions.
#[derive(Args)]
pub struct Arguments {
    /// File of positions, a line each; standard input without one, or for -
    file: Option<PathBuf>,
    /// Variant of lines that do not name theirs
    #[arg(long, default_value = "morris")]
    variant: Variant,
    /// Depth for each position in plies
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    depth: Option<u32>,
    /// Nodes for each position; the results are the same on every machine
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Milliseconds for each position
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    movetime: Option<u64>,
    /// Look for wins in so many moves
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    mate: Option<u32>,
    /// Variations to find
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=500))]
    multipv: u16,
    /// Positions side by side, with one search thread each
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=512))]
    threads: u16,
    /// Transposition table of each of them in MiB
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    hash: u32,
    /// File to write; standard output without one
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Keep what the --out file holds already, and analyse the rest
    #[arg(long, requires = "out")]
    resume: bool,
    /// Part I of N: only every N-th line, from line I on
    #[arg(long, value_name = "I/N", value_parser = parse_shard, default_value = "1/1")]
    shard: (usize, usize),
    /// Folder of tablebases made by 'tablebase build'; may be given several times, for several rules too
    #[arg(long, value_name = "DIR")]
    tablebase: Vec<PathBuf>,
    /// Leave out the time taken, so that equal runs give equal bytes
    #[arg(long)]
    no_time: bool,
}

fn parse_shard(text: &str) -> Result<(usize, usize), String> {
    let parts = text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
    parts.filter(|&(i, n)| i >= 1 && i <= n).ok_or_else(|| "expected I/N with I from 1 to N".to_string())
}

/// Centistones, or own moves to the end of the game.
#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Score {
    Cp(i32),
    Mate(i32),
}

impl Score {
    fn of(score: i32) -> Score {
        mate_moves(score).map_or(Score::Cp(score), Score::Mate)
    }
}

/// A variation.
#[derive(Serialize)]
struct Line {
    score: Score,
    wdl: [u32; 3],
    depth: i32,
    pv: Vec<String>,
}

/// The object for a position.
#[derive(Serialize)]
struct Analysis {
    line: usize,
    id: serde_json::Value,
    variant: &'static str,
    fen: String,
    /// Nothing where the game is over.
    bestmove: Option<String>,
    #[serde(flatten)]
    best: Line,
    nodes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<u64>,
    /// The other variations.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    others: Vec<Line>,
}

/// The object for a line that cannot be analysed.
#[derive(Serialize)]
struct Refusal {
    line: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<serde_json::Value>,
    error: String,
}

/// All that is read back from the output.
#[derive(Deserialize)]
struct Written {
    line: usize,
}

impl Arguments {
    fn limits(&self) -> Limits {
        Limits {
            depth: self.depth,
            nodes: self.nodes,
            mate: self.mate,
            movetime: self.movetime.map(Duration::from_millis),
            ..Limits::default()
        }
    }

    /// The JSON object for a line.
    fn answer(&self, number: usize, text: &str, table: &Arc<Table>, oracles: &Oracles) -> String {
        let refusal = |id, error| to_json(&Refusal { line: number, id, error });
        let item = match Item::parse(text, self.variant) {
            Ok(item) => item,
            Err(error) => return refusal(None, error),
        };
        let analysed = with_game!(item.variant.rules(), |game| {
            Play::set_up(game, item.fen.as_deref(), item.moves.iter().map(String::as_str))
                .map(|play| self.analyse(number, &item, &play, table, oracles))
        });
        match analysed {
            Ok(analysis) => to_json(&analysis),
            Err(error) => refusal(item.id, error.to_string()),
        }
    }

    fn analyse<G: Tabled>(
        &self,
        number: usize,
        item: &Item,
        play: &Play<G>,
        table: &Arc<Table>,
        oracles: &Oracles,
    ) -> Analysis {
        table.clear();
        let oracle = oracles.of(item.variant, &play.game);
        let limits = self.limits();
        let control = Arc::new(Control::new(false));
        let request = Request { multipv: self.multipv.into(), ..Request::plain(&limits, table, &control) };
        let texts = |moves: &[Move]| moves.iter().map(|&mv| play.game.move_text(mv)).collect();
        let mut lines = BTreeMap::new();
        let found = search(play, oracle.as_ref(), &request, &mut |info| {
            if let Info::Variation { multipv, depth, score, bound: Bound::Exact, pv, .. } = info {
                let line = Line { score: Score::of(*score), wdl: wdl(*score), depth: *depth, pv: texts(pv) };
                lines.insert(*multipv, line);
            }
        });
        // What was found last counts, even if the search ended before it could report it as exact.
        let pv = || found.best.into_iter().chain(found.ponder).collect::<Vec<_>>();
        let best =
            lines.remove(&1).filter(|line| line.pv.first().cloned() == found.best.map(|mv| play.game.move_text(mv)));
        let best = best.unwrap_or_else(|| Line {
            score: Score::of(found.score),
            wdl: wdl(found.score),
            depth: found.depth,
            pv: texts(&pv()),
        });
        Analysis {
            line: number,
            id: item.id.clone().unwrap_or_else(|| number.into()),
            variant: item.variant.name(),
            fen: play.fen(),
            bestmove: found.best.map(|mv| play.game.move_text(mv)),
            best,
            nodes: found.nodes,
            time: (!self.no_time).then(|| control.elapsed().as_millis() as u64),
            others: lines.into_values().collect(),
        }
    }
}

/// The tablebases of each variant, opened when its first line comes.
struct Oracles {
    sources: Sources,
    opened: Mutex<HashMap<Variant, Box<dyn Any + Send>>>,
}

impl Oracles {
    fn of<G: Tabled>(&self, variant: Variant, game: &G) -> Option<Arc<dyn Oracle<G::Position>>> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        let oracle = opened.entry(variant).or_insert_with(|| {
            let opened = game.open_tables(&self.sources);
            // Folders for other rules may be among them.
            for refusal in opened.refusals {
                log::info!("{variant}: tablebase not used: {refusal}");
            }
            Box::new(opened.oracle)
        });
        oracle.downcast_ref::<Option<Arc<dyn Oracle<G::Position>>>>().cloned().flatten()
    }
}

fn to_json<T: Serialize>(object: &T) -> String {
    // Plain data with string keys always has a JSON form.
    serde_json::to_string(object).unwrap_or_default()
}

/// Opens the output for appending, with the numbers of the lines it holds already; a last line cut short by a
/// kill is dropped.
fn open_output(path: &Path, resume: bool) -> Result<(File, HashSet<usize>), Box<dyn Error>> {
    let name = path.display();
    let mut options = OpenOptions::new();
    options.read(true).write(true);
    if resume {
        options.create(true)
    } else {
        options.create_new(true)
    };
    let mut file = options.open(path).map_err(|error| {
        let hint = if error.kind() == io::ErrorKind::AlreadyExists { ", expected a new file or --resume" } else { "" };
        format!("{name}: {error}{hint}")
    })?;
    let (lines, whole) = whole_lines(&file).map_err(|error| format!("{name}: {error}"))?;
    let mut done = HashSet::new();
    for (i, line) in lines.iter().enumerate() {
        let written: Written = serde_json::from_str(line)
            .map_err(|error| format!("{name}:{}: {error}, expected the output of an earlier run", i + 1))?;
        done.insert(written.line);
    }
    go_on_after(&mut file, whole)?;
    Ok((file, done))
}

/// The lines still to do, handed out one by one with their number and their place in the output.
struct Queue<R> {
    input: R,
    number: usize,
    place: usize,
    shard: (usize, usize),
    done: HashSet<usize>,
}

impl<R: BufRead> Queue<R> {
    fn next(&mut self) -> io::Result<Option<(usize, usize, String)>> {
        let mut bytes = Vec::new();
        loop {
            bytes.clear();
            if self.input.read_until(b'\n', &mut bytes)? == 0 {
                return Ok(None);
            }
            self.number += 1;
            let (part, parts) = self.shard;
            let text = String::from_utf8_lossy(&bytes);
            let text = text.trim();
            let mine = self.number % parts == part % parts;
            if mine && !text.is_empty() && !text.starts_with('#') && !self.done.contains(&self.number) {
                self.place += 1;
                return Ok(Some((self.place - 1, self.number, text.to_string())));
            }
        }
    }
}

/// What a worker reports.
enum Message {
    /// The object at this place of the output.
    Answer(usize, String),
    /// The input cannot be read on.
    Fault(io::Error),
}

/// Analyses positions until there are none left.
fn work<R: BufRead>(
    arguments: &Arguments,
    queue: &Mutex<Queue<R>>,
    table: &Arc<Table>,
    oracles: &Oracles,
    sender: &Sender<Message>,
) {
    loop {
        let next = queue.lock().unwrap_or_else(PoisonError::into_inner).next();
        let message = match next {
            Ok(None) => return,
            Ok(Some((place, number, text))) => Message::Answer(place, arguments.answer(number, &text, table, oracles)),
            Err(error) => Message::Fault(error),
        };
        let last = matches!(message, Message::Fault(_));
        if sender.send(message).is_err() || last {
            return;
        }
    }
}

/// Analyses what the arguments say.
///
/// # Errors
/// No limit, files that cannot be read or written, or no memory for the tables. Bad lines of input are no error.
pub fn run(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    if !arguments.limits().is_bounded() {
        return Err("no limit, expected --depth, --nodes, --movetime or --mate".into());
    }
    let file = arguments.file.as_deref().filter(|path| *path != Path::new("-"));
    let (input, total): (Box<dyn BufRead + Send>, _) = match file {
        None => (Box::new(BufReader::new(io::stdin())), None),
        Some(path) => {
            let open = || File::open(path).map_err(named(path));
            let lines = BufReader::new(open()?).split(b'\n').count() as u64;
            (Box::new(BufReader::new(open()?)), Some(lines / arguments.shard.1 as u64))
        }
    };
    let (mut out, done): (Box<dyn Write>, _) = match &arguments.out {
        None => (Box::new(io::stdout()), HashSet::new()),
        Some(path) => {
            let (file, done) = open_output(path, arguments.resume)?;
            (Box::new(file), done)
        }
    };
    let bar = match total {
        Some(total) => ProgressBar::new(total).with_position(done.len() as u64),
        None => ProgressBar::new_spinner(),
    };
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} positions, {per_sec}, {eta} left") {
        bar.set_style(style);
    }
    let queue = Mutex::new(Queue { input, number: 0, place: 0, shard: arguments.shard, done });
    let tables: Result<Vec<_>, _> =
        (0..arguments.threads).map(|_| Table::new(arguments.hash as usize).map(Arc::new)).collect();
    let tables = tables?;
    let sources = Sources { folders: arguments.tablebase.clone(), embedded: true, limit: u32::MAX };
    let oracles = Oracles { sources, opened: Mutex::new(HashMap::new()) };
    let (sender, messages) = channel();
    std::thread::scope(|scope| -> Result<(), Box<dyn Error>> {
        for table in &tables {
            let (queue, oracles, sender) = (&queue, &oracles, sender.clone());
            scope.spawn(move || work(arguments, queue, table, oracles, &sender));
        }
        drop(sender);
        let mut waiting = BTreeMap::new();
        let mut next = 0;
        for message in messages {
            match message {
                Message::Answer(place, object) => waiting.insert(place, object),
                Message::Fault(error) => return Err(format!("input: {error}").into()),
            };
            while let Some(object) = waiting.remove(&next) {
                // One write, so that a kill leaves whole lines and perhaps a torn last one.
                out.write_all(format!("{object}\n").as_bytes()).map_err(|error| {
                    let name = arguments.out.as_deref().map_or("standard output".into(), |path| path.to_string_lossy());
                    format!("{}: {error}", shorten(&name))
                })?;
                out.flush()?;
                next += 1;
                bar.inc(1);
            }
        }
        Ok(())
    })?;
    bar.finish_and_clear();
    Ok(())
}
