//! Annotates many games in parallel.

use super::{Adviser, Annotate, Annotation, annotate};
use crate::batch::{Games, Ordered};
use millbrain_core::any::AnyGame;
use millbrain_core::platform::has_memory_for;
use millbrain_core::search::HashTable;
use millbrain_core::search::hash::OutOfMemory;
use millbrain_core::variant::NamedRules;
use millbrain_files::{InFile, WholeLines, go_on_after, is_busy, named, open_regular};
use millbrain_games::game::{Game, NotationError};
use millbrain_games::record::VerifyError;
use millbrain_tablebase::Sources;
use serde::Deserialize;
use std::error::Error;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;

/// The reason why games cannot be explained.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AnnotateError {
    /// There is no memory for the tables of the searches.
    #[error(transparent)]
    Memory(#[from] OutOfMemory),
    /// The threads cannot be started.
    #[error("no thread to search on ({0}), expected fewer --threads")]
    Thread(#[source] io::Error),
    /// A game breaks the rules, or cannot be written in its form.
    #[error("game {number}: {source}")]
    Game {
        /// The game, from 1.
        number: usize,
        /// The fault.
        source: NotationError,
    },
    /// The other engine has no usable answer.
    #[error("game {number}: {source}")]
    Adviser {
        /// The game, from 1.
        number: usize,
        /// The fault.
        source: Box<dyn Error + Send + Sync>,
    },
    /// The output cannot be written.
    #[error("{0}")]
    Output(#[source] io::Error),
    /// The output to resume cannot be read or written.
    #[error("{0}")]
    File(#[from] InFile<io::Error>),
    /// Another run writes to the output.
    #[error("{}: another run writes to it", .0.display())]
    Busy(PathBuf),
    /// The output has something other than these games.
    #[error("{}: line {line} is not about game {line} of these, expected the output of annotate --format json for the same games", path.display())]
    Foreign {
        /// The output.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
    },
    /// A game in the output would be written differently now.
    #[error("{}: game {game} comes out otherwise now, expected the same limits, tables, options and program", path.display())]
    Changed {
        /// The output.
        path: PathBuf,
        /// The game, from 1.
        game: usize,
    },
}

/// The threads and tables for many games.
#[derive(Clone, Debug)]
pub struct Means {
    /// The number of games annotated in parallel, each on one thread, from 1.
    pub threads: usize,
    /// Hash table of each search in MiB, cleared before it.
    pub hash_mib: usize,
    /// Tablebases, also for different rules.
    pub sources: Sources,
}

/// Writes an explained game; the game itself is as it was read.
pub type Form = dyn Fn(&Annotation, &Game) -> Result<String, NotationError> + Sync;

/// Creates another engine for each thread.
pub type Advisers = dyn Fn() -> Box<dyn Adviser> + Sync;

/// Games to explain, with the settings.
pub struct Batch<'a> {
    /// The games.
    pub games: &'a [Game],
    /// The settings of the searches.
    pub settings: &'a Annotate,
    /// The threads and tables.
    pub means: &'a Means,
    /// Other engines that judge, instead of the own search and the tables.
    pub advisers: Option<&'a Advisers>,
    /// The output form.
    pub form: &'a Form,
}

impl Batch<'_> {
    /// Writes a game in its form; returns `None` after the last.
    fn one(
        &self,
        index: usize,
        tables: &Games,
        hash: &Arc<HashTable>,
        adviser: Option<&mut dyn Adviser>,
    ) -> Option<Result<String, AnnotateError>> {
        self.games.get(index).map(|game| self.written(index + 1, game, tables, hash, adviser))
    }

    fn written(
        &self,
        number: usize,
        game: &Game,
        tables: &Games,
        hash: &Arc<HashTable>,
        mut adviser: Option<&mut dyn Adviser>,
    ) -> Result<String, AnnotateError> {
        let faulty = |source| AnnotateError::Game { number, source };
        let rules = || Ok::<_, VerifyError>(NamedRules { variant: game.variant.parse()?, rules: game.rules()? });
        let rules = rules().map_err(|fault| faulty(fault.into()))?;
        let start = match &mut adviser {
            None => tables.of(rules),
            Some(adviser) => {
                adviser.begin(rules).map_err(|source| AnnotateError::Adviser { number, source })?;
                AnyGame::new(rules.rules)
            }
        };
        let reported = annotate(number, game, &start, self.settings, hash, adviser)?;
        (self.form)(&reported, game).map_err(faulty)
    }

    /// Opens the output of an interrupted run of the same batch, a JSON object a line, or begins it. Returns the number
    /// of games that it has. A torn last line is cut off. Without a time limit the last game is explained again: the
    /// result has to be the same.
    ///
    /// # Errors
    /// Fails if the output has other games or settings, or another run writes to it. Fails with errors of the file
    /// system, too.
    pub fn go_on(&self, path: &Path) -> Result<(File, usize), AnnotateError> {
        if path.try_exists().map_err(named(path))? {
            open_regular(path).map_err(named(path))?;
        }
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
        let mut file = file.map_err(named(path))?;
        if is_busy(&file) {
            return Err(AnnotateError::Busy(path.to_path_buf()));
        }
        let mut lines = WholeLines::of(&file);
        let (mut done, mut last) = (0, String::new());
        while let Some(line) = lines.next_line().map_err(named(path))? {
            let reported: Option<Reported> = serde_json::from_slice(line).ok();
            if !reported.is_some_and(|reported| self.games.get(done).is_some_and(|game| reported.is_of(done + 1, game)))
            {
                return Err(AnnotateError::Foreign { path: path.to_path_buf(), line: done + 1 });
            }
            last = String::from_utf8_lossy(line.trim_ascii_end()).into_owned();
            done += 1;
        }
        let length = lines.length();
        if done > 0 && self.settings.limits.movetime.is_none() {
            let hash = Arc::new(HashTable::new(self.means.hash_mib)?);
            let mut adviser = self.advisers.map(|advisers| advisers());
            let adviser = adviser.as_deref_mut().map(|adviser| adviser as &mut dyn Adviser);
            let again = self.one(done - 1, &Games::new(self.means.sources.clone()), &hash, adviser).transpose()?;
            if again.is_some_and(|again| again != last) {
                return Err(AnnotateError::Changed { path: path.to_path_buf(), game: done });
            }
        }
        go_on_after(&mut file, length).map_err(named(path))?;
        Ok((file, done))
    }
}

/// The members that identify the game of an object.
#[derive(Deserialize)]
struct Reported {
    game: usize,
    moves: Vec<Played>,
}

#[derive(Deserialize)]
struct Played {
    #[serde(rename = "move")]
    text: String,
}

impl Reported {
    fn is_of(&self, number: usize, game: &Game) -> bool {
        let line = game.main_line();
        self.game == number && self.moves.iter().map(|mv| &mv.text).eq(line.iter().map(|node| &node.played.text))
    }
}

/// Explains the games of a batch from `first` on, 0 for the first, and writes them in order, each with a newline.
/// `on_written` is called with the number of games written since the last call.
///
/// # Errors
/// Fails without memory or threads, for a faulty game, or if the output fails.
pub fn annotate_all(
    batch: &Batch<'_>,
    first: usize,
    out: Box<dyn Write>,
    on_written: &mut dyn FnMut(u64),
) -> Result<(), AnnotateError> {
    let means = batch.means;
    let tables = Games::new(means.sources.clone());
    let next = AtomicUsize::new(first);
    let hash_tables: Result<Vec<_>, _> = (0..means.threads).map(|_| HashTable::new(means.hash_mib)).collect();
    let hash_tables = hash_tables?;
    if !has_memory_for(means.threads) {
        return Err(AnnotateError::Thread(io::ErrorKind::OutOfMemory.into()));
    }
    std::thread::scope(|scope| {
        let (sender, reported) = channel();
        for hash in hash_tables {
            let (hash, sender, next, tables) = (Arc::new(hash), sender.clone(), &next, &tables);
            let body = move || {
                let mut adviser = batch.advisers.map(|advisers| advisers());
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let adviser = adviser.as_deref_mut().map(|adviser| adviser as &mut dyn Adviser);
                    let Some(reported) = batch.one(index, tables, &hash, adviser) else { return };
                    if sender.send((index, reported)).is_err() {
                        return;
                    }
                }
            };
            // If one cannot be started, the results of the others are not received, and they end.
            std::thread::Builder::new().spawn_scoped(scope, body).map_err(AnnotateError::Thread)?;
        }
        drop(sender);
        let mut ordered = Ordered::new(out, "output".to_string());
        for (index, reported) in reported {
            on_written(ordered.put(index - first, reported?).map_err(AnnotateError::Output)?);
        }
        Ok(())
    })
}
