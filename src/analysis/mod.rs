//! Batch analysis: reads one position per line and writes one JSON object per line, in the same order.

pub mod input;
mod output;
mod queue;

use crate::files::named;
use crate::game::Move;
use crate::play::Play;
use crate::search::score::{mate_moves, wdl};
use crate::search::table::Bound;
use crate::search::{Control, Info, Limits, Request, Table, search};
use crate::tablebase::{Sources, Tabled, folder_rules};
use crate::value::Oracle;
use crate::variant::Variant;
use crate::with_game;
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use input::{Id, Item};
use output::{Ordered, open_output};
use queue::{Queue, Shard, Task, open_input};
use serde::Serialize;
use std::any::Any;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::error::Error;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Analyse positions.
#[derive(Args, Clone)]
pub struct Arguments {
    /// File of positions, one a line; standard input if it is left out or -
    file: Option<PathBuf>,
    /// Variant of the lines that name none
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
    /// Look for a win in this many moves
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    mate: Option<u32>,
    /// Number of variations to find
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=500))]
    multipv: u16,
    /// Positions to analyse at the same time, each with one search thread
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=512))]
    threads: u16,
    /// Transposition table of each thread in MiB
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    hash: u32,
    /// File to write; standard output if it is left out
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Go on with an --out file: keep what it holds and analyse the rest
    #[arg(long, requires = "out")]
    resume: bool,
    /// Part I of N: only every N-th line, from line I on
    #[arg(long, value_name = "I/N", value_parser = Shard::parse, default_value = "1/1")]
    shard: Shard,
    /// Folder of tablebases made by 'tablebase build'; may be given several times, also for different rules
    #[arg(long, value_name = "DIR")]
    tablebase: Vec<PathBuf>,
    /// Leave out the time taken, so that equal runs give equal bytes
    #[arg(long)]
    no_time: bool,
}

/// Centistones, or the distance to the end of the game in own moves.
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
    id: Id,
    variant: &'static str,
    fen: String,
    /// `None` if the game is over.
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
    id: Option<Id>,
    error: String,
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
    fn answer(&self, task: &Task, table: &Arc<Table>, oracles: &Oracles) -> String {
        let line = task.line;
        let refusal = |id, error| to_json(&Refusal { line, id, error });
        let item = match Item::parse(&task.text, self.variant) {
            Ok(item) => item,
            Err(error) => return refusal(None, error),
        };
        let analysed = with_game!(item.variant.rules(), |game| {
            Play::set_up(game, item.fen.as_deref(), item.moves.iter().map(String::as_str))
                .map(|play| self.analyse(line, &item, &play, table, oracles))
        });
        match analysed {
            Ok(analysis) => to_json(&analysis),
            Err(error) => refusal(item.id, error.to_string()),
        }
    }

    fn analyse<G: Tabled>(
        &self,
        line: usize,
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
        for fault in oracle.iter().flat_map(|oracle| oracle.new_faults()) {
            log::warn!("{fault}");
        }
        // The last result counts, even if the search ended before it could report it as exact.
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
            line,
            id: item.id.clone().unwrap_or(Id::Line(line)),
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

/// The tablebases of each variant, opened at its first position.
struct Oracles {
    sources: Sources,
    opened: Mutex<HashMap<Variant, Box<dyn Any + Send>>>,
}

impl Oracles {
    fn of<G: Tabled>(&self, variant: Variant, game: &G) -> Option<Arc<dyn Oracle<G::Position>>> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        let oracle = opened.entry(variant).or_insert_with(|| {
            let opened = game.open_tables(&self.sources);
            // Some of the folders may be for the other variants.
            for refusal in opened.refusals.iter().filter(|refusal| !refusal.is_other_rules()) {
                log::warn!("{variant}: tablebase not used: {refusal}");
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

/// What a worker reports.
enum Message {
    /// The object at this place of the output.
    Answer(usize, String),
    /// The input cannot be read any further.
    Fault(io::Error),
}

/// What the workers share.
struct Job {
    arguments: Arguments,
    queue: Mutex<Queue<Box<dyn BufRead + Send>>>,
    oracles: Oracles,
}

impl Job {
    /// Analyses positions until there are none left, or the receiver is gone.
    fn work(&self, table: &Arc<Table>, sender: &Sender<Message>) {
        loop {
            let next = self.queue.lock().unwrap_or_else(PoisonError::into_inner).next();
            let message = match next {
                Ok(None) => return,
                Ok(Some(task)) => Message::Answer(task.place, self.arguments.answer(&task, table, &self.oracles)),
                Err(error) => Message::Fault(error),
            };
            if sender.send(message).is_err() {
                return;
            }
        }
    }
}

/// Analyses what the arguments say.
///
/// # Errors
/// No limit, folders without tablebases, files that cannot be read or written, or no memory for the tables. Bad lines
/// of input are no error. The workers may then be searching still: they end with their position, or the process.
pub fn run(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    if !arguments.limits().is_bounded() {
        return Err("no limit, expected --depth, --nodes, --movetime or --mate".into());
    }
    for folder in &arguments.tablebase {
        folder_rules(folder)?;
    }
    let file = arguments.file.as_deref().filter(|path| *path != Path::new("-"));
    let (input, lines): (Box<dyn BufRead + Send>, _) = match file {
        None => (Box::new(BufReader::new(io::stdin())), None),
        Some(path) => {
            let (input, lines) = open_input(path).map_err(named(path))?;
            (Box::new(input), lines)
        }
    };
    let (out, name, done): (Box<dyn Write>, _, _) = match &arguments.out {
        None => (Box::new(io::stdout()), "standard output".to_string(), HashSet::new()),
        Some(path) => {
            let (file, done) = open_output(path, arguments.resume)?;
            (Box::new(file), path.display().to_string(), done)
        }
    };
    let bar = match lines {
        Some(lines) => ProgressBar::new(arguments.shard.of(lines) as u64).with_position(done.len() as u64),
        None => ProgressBar::new_spinner(),
    };
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} positions, {per_sec}, {eta} left") {
        bar.set_style(style);
    }
    let tables: Result<Vec<Table>, _> = (0..arguments.threads).map(|_| Table::new(arguments.hash as usize)).collect();
    let sources = Sources { folders: arguments.tablebase.clone(), embedded: true, limit: u32::MAX };
    let job = Arc::new(Job {
        arguments: arguments.clone(),
        queue: Mutex::new(Queue::new(input, arguments.shard, done)),
        oracles: Oracles { sources, opened: Mutex::new(HashMap::new()) },
    });
    let (sender, messages) = channel();
    let start = |table: Table| {
        let table = Arc::new(table);
        let (job, sender) = (Arc::clone(&job), sender.clone());
        // Not waited for when something goes wrong: one may be deep in a search, one may wait for the next line.
        std::thread::spawn(move || job.work(&table, &sender))
    };
    let workers: Vec<_> = tables?.into_iter().map(start).collect();
    drop(sender);
    let mut ordered = Ordered::new(out, name);
    for message in messages {
        match message {
            Message::Answer(place, object) => bar.inc(ordered.put(place, object)?),
            Message::Fault(error) => return Err(format!("input: {error}").into()),
        }
    }
    for worker in workers {
        worker.join().map_err(|_| "an analysis has failed")?;
    }
    bar.finish_and_clear();
    Ok(())
}
