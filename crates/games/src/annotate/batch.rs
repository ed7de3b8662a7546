//! Many games, side by side.

use super::{Annotate, Annotation, annotate};
use crate::analysis::{Games, Ordered};
use crate::game::{Game, NotationError};
use crate::record::VerifyError;
use millbrain_core::search::hash::OutOfMemory;
use millbrain_core::search::{HashTable, has_memory_for};
use millbrain_core::variant::NamedRules;
use millbrain_tablebase::Sources;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;

/// Why games could not be explained.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AnnotateError {
    /// There is no memory for the tables of the searches.
    #[error(transparent)]
    Memory(#[from] OutOfMemory),
    /// No thread.
    #[error("no thread to search on ({0}), expected fewer --threads")]
    Thread(#[source] io::Error),
    /// A game breaks the rules, or its form has no place for it.
    #[error("game {number}: {source}")]
    Game {
        /// Which, from 1.
        number: usize,
        /// What is wrong with it.
        source: NotationError,
    },
    /// The output cannot be written.
    #[error("{0}")]
    Output(#[source] io::Error),
}

/// The threads and tables for many games.
#[derive(Clone, Debug)]
pub struct Means {
    /// Games looked at at the same time, each on one thread, from 1.
    pub threads: usize,
    /// Hash table of each search in MiB, cleared before it.
    pub hash_mib: usize,
    /// Tablebases, also for different rules.
    pub sources: Sources,
}

/// How an explained game is written; the game itself is as it was read.
pub type Form = dyn Fn(&Annotation, &Game) -> Result<String, NotationError> + Sync;

/// Explains games, and writes them in their order, each with a line end behind it. `on_written` is called with the number of
/// games written since the last call.
///
/// # Errors
/// No memory or threads, a faulty game, or an output that fails.
pub fn annotate_all(
    games: &[Game],
    settings: &Annotate,
    means: &Means,
    form: &Form,
    out: Box<dyn Write>,
    on_written: &mut dyn FnMut(u64),
) -> Result<(), AnnotateError> {
    let tables = Games::new(means.sources.clone());
    let next = AtomicUsize::new(0);
    let one = |index: usize, hash: &Arc<HashTable>| -> Option<Result<String, NotationError>> {
        let game = games.get(index)?;
        let rules = || Ok::<_, VerifyError>(NamedRules { variant: game.variant.parse()?, rules: game.rules()? });
        let told = rules().and_then(|rules| annotate(index + 1, game, &tables.of(rules), settings, hash));
        Some(told.map_err(NotationError::from).and_then(|told| form(&told, game)))
    };
    let hash_tables: Result<Vec<_>, _> = (0..means.threads).map(|_| HashTable::new(means.hash_mib)).collect();
    let hash_tables = hash_tables?;
    if !has_memory_for(means.threads) {
        return Err(AnnotateError::Thread(io::ErrorKind::OutOfMemory.into()));
    }
    std::thread::scope(|scope| {
        let (sender, told) = channel();
        for hash in hash_tables {
            let (hash, sender, next, one) = (Arc::new(hash), sender.clone(), &next, &one);
            let body = move || {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(told) = one(index, &hash) else { return };
                    if sender.send((index, told)).is_err() {
                        return;
                    }
                }
            };
            // Where one cannot be started, nobody takes what the others have, and they end.
            std::thread::Builder::new().spawn_scoped(scope, body).map_err(AnnotateError::Thread)?;
        }
        drop(sender);
        let mut ordered = Ordered::new(out, "output".to_string());
        for (index, told) in told {
            let text = told.map_err(|source| AnnotateError::Game { number: index + 1, source })?;
            on_written(ordered.put(index, text).map_err(AnnotateError::Output)?);
        }
        Ok(())
    })
}
