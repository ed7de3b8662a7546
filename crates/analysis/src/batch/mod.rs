//! Batch analysis: reads one position per line and writes one JSON object per line, in the same order.

mod error;
pub mod input;
mod merge;
mod output;
mod queue;
mod settings;

pub use error::AnalysisError;
pub use merge::merge;
pub use output::open_output;
pub use queue::{left, open_input};
pub use settings::{Content, Settings};

use crate::position::{Line, analyse};
use input::{Id, Item, ItemError};
use millbrain_core::any::AnyGame;
use millbrain_core::game::value::Category;
use millbrain_core::platform::has_memory_for;
use millbrain_core::search::{HashTable, Limits};
use millbrain_core::variant::{NamedRules, Ruleset};
use millbrain_files::shard::Shard;
use millbrain_games::ENGINE;
use millbrain_tablebase::{self as tablebase, Sources};
pub(crate) use output::Ordered;
use queue::{Queue, Task};
use serde::Serialize;
use std::collections::{HashMap, HashSet};
use std::io::{self, BufRead, Write};
use std::path::PathBuf;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

/// The settings of an analysis.
#[derive(Clone, Debug)]
pub struct Request {
    /// Rules of the lines that name no variant.
    pub rules: NamedRules,
    /// Limits of each search; one of them must be set.
    pub limits: Limits,
    /// Number of variations to find, at least 1.
    pub multipv: usize,
    /// Positions analysed at the same time, each on one thread.
    pub threads: usize,
    /// Hash table of each thread in MiB.
    pub hash_mib: usize,
    /// Number of the first line of the input, from 1: more for a piece of a larger file.
    pub first_line: usize,
    /// The part of the lines to analyse.
    pub shard: Shard,
    /// Places of tablebases as of [`Sources::at`], also for different rules.
    pub tablebases: Vec<PathBuf>,
    /// Whether the time is written; without it equal runs give equal bytes.
    pub with_time: bool,
}

impl Request {
    /// Checks the request as far as possible before the output is opened.
    ///
    /// # Errors
    /// Fails for places without tablebases.
    pub fn check(&self) -> Result<(), AnalysisError> {
        Ok(self.sources().check()?)
    }

    fn sources(&self) -> Sources {
        Sources::at(self.tablebases.iter().cloned())
    }
}

/// The destination of the objects.
pub struct Sink {
    /// The output.
    pub out: Box<dyn Write>,
    /// Its name, for errors.
    pub name: String,
    /// Numbers of the lines that already have an object.
    pub done: HashSet<usize>,
}

/// The object for a position.
#[derive(Serialize)]
struct Answer {
    line: usize,
    id: Id,
    variant: &'static str,
    /// House rules.
    #[serde(skip_serializing_if = "String::is_empty")]
    rules: String,
    fen: String,
    /// `None` if the game is over.
    bestmove: Option<String>,
    #[serde(flatten)]
    best: Line,
    /// The value by the tables and the draw counter.
    #[serde(skip_serializing_if = "Option::is_none")]
    category: Option<&'static str>,
    nodes: u64,
    /// Milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<u64>,
    /// Name and version.
    engine: &'static str,
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

/// The start of a game by each rule set with its tablebases, which are opened on first use.
pub(crate) struct Games {
    sources: Sources,
    opened: Mutex<HashMap<Ruleset, AnyGame>>,
}

impl Games {
    /// Creates the set with none opened.
    pub(crate) fn new(sources: Sources) -> Games {
        Games { sources, opened: Mutex::default() }
    }

    pub(crate) fn of(&self, named: NamedRules) -> AnyGame {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        let game = opened.entry(named.rules).or_insert_with(|| {
            let opened = tablebase::open(&named.rules, &self.sources);
            // Some of the folders may be for other rules.
            for refusal in opened.refusals.iter().filter(|refusal| !refusal.is_other_rules()) {
                log::warn!("{named}: tablebase not used: {refusal}");
            }
            let mut game = AnyGame::new(named.rules);
            game.set_oracle(opened.oracle.as_ref());
            game
        });
        game.clone()
    }
}

fn to_json<T: Serialize>(object: &T) -> String {
    // Plain data with string keys always has a JSON form.
    serde_json::to_string(object).unwrap_or_default()
}

/// A message of a worker.
enum Message {
    /// The object at this place of the output.
    Answer(usize, String),
    /// The input cannot be read further.
    Fault(io::Error),
}

/// The state shared by the workers.
struct Job {
    request: Request,
    queue: Mutex<Queue<Box<dyn BufRead + Send>>>,
    games: Games,
}

impl Job {
    /// Analyses positions until there are none left, or the receiver is gone.
    fn work(&self, hash: &Arc<HashTable>, sender: &Sender<Message>) {
        loop {
            let next = self.queue.lock().unwrap_or_else(PoisonError::into_inner).next();
            let message = match next {
                Ok(None) => return,
                Ok(Some(task)) => Message::Answer(task.place, self.answer(&task, hash)),
                Err(error) => Message::Fault(error),
            };
            if sender.send(message).is_err() {
                return;
            }
        }
    }

    /// Returns the JSON object for a line.
    fn answer(&self, task: &Task, hash: &Arc<HashTable>) -> String {
        let line = task.line;
        let refusal = |id, error| to_json(&Refusal { line, id, error });
        let text = task.text.as_deref();
        let item = match text.ok_or(ItemError::TooLong).and_then(|text| Item::parse(text, self.request.rules)) {
            Ok(item) => item,
            Err(error) => return refusal(text.and_then(Item::id_of), error.to_string()),
        };
        let game = match self.games.of(item.rules).at(item.fen.as_deref(), item.moves.iter().map(String::as_str)) {
            Ok(game) => game,
            Err(error) => return refusal(item.id, error.to_string()),
        };
        let analysis = analyse(&game, &self.request.limits, self.request.multipv, hash);
        for fault in analysis.faults {
            log::warn!("{fault}");
        }
        to_json(&Answer {
            line,
            id: item.id.unwrap_or(Id::Line(line)),
            variant: item.rules.variant.name(),
            rules: item.rules.list(),
            fen: game.fen(),
            bestmove: analysis.best_move,
            best: analysis.best,
            category: analysis.category.map(Category::name),
            nodes: analysis.nodes,
            time: self.request.with_time.then_some(analysis.time.as_millis() as u64),
            engine: ENGINE,
            others: analysis.others,
        })
    }
}

/// Analyses the lines of an input. `on_written` is called with the number of objects written since the last call.
///
/// # Errors
/// Fails for places without tablebases, an input or output that fails, or too little memory for the hash tables. Bad
/// lines of input are not an error. After an error the workers may still be searching: they end with their position, or
/// the process.
pub fn run(
    request: &Request,
    input: Box<dyn BufRead + Send>,
    sink: Sink,
    on_written: &mut dyn FnMut(u64),
) -> Result<(), AnalysisError> {
    request.check()?;
    let hash_tables: Result<Vec<HashTable>, _> =
        (0..request.threads).map(|_| HashTable::new(request.hash_mib)).collect();
    let job = Arc::new(Job {
        request: request.clone(),
        queue: Mutex::new(Queue::new(input, request.first_line, request.shard, sink.done)),
        games: Games::new(request.sources()),
    });
    if !has_memory_for(request.threads) {
        return Err(AnalysisError::Thread(io::ErrorKind::OutOfMemory.into()));
    }
    let (sender, messages) = channel();
    let start = |hash: HashTable| {
        let hash = Arc::new(hash);
        let (job, sender) = (Arc::clone(&job), sender.clone());
        // Not joined after an error: one may be deep in a search, one may wait for the next line.
        std::thread::Builder::new().spawn(move || job.work(&hash, &sender)).map_err(AnalysisError::Thread)
    };
    // No worker takes a position, and memory for it, before all have started.
    let queue = job.queue.lock().unwrap_or_else(PoisonError::into_inner);
    let workers = hash_tables?.into_iter().map(start).collect::<Result<Vec<_>, _>>()?;
    drop(queue);
    drop(sender);
    let mut ordered = Ordered::new(sink.out, sink.name);
    for message in messages {
        match message {
            Message::Answer(place, object) => on_written(ordered.put(place, object).map_err(AnalysisError::Output)?),
            Message::Fault(source) => return Err(AnalysisError::Input(source)),
        }
    }
    for worker in workers {
        worker.join().map_err(|_| AnalysisError::Panicked)?;
    }
    Ok(())
}
