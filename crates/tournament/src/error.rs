//! Why a match ended early.

use super::client::{Failure, LastWords, StartError};
use super::journal::{JournalError, MatchConfigError, NewFileError};
use super::referee::UnplayableOpening;
use millbrain_files::InFile;
use std::error::Error;
use std::io;

/// Consecutive failures of an engine - crashes, stalls, failed starts - that end the match.
pub(super) const MAX_FAILURES: u32 = 3;

/// A failure of an engine.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// The engine cannot be used.
    #[error("engine {name}: {source}")]
    Start {
        /// Name of the engine.
        name: String,
        /// Why.
        source: StartError,
    },
    /// The engine complains about its settings.
    #[error("{} (--lenient plays all the same)", complaint(name, complaints))]
    Complaints {
        /// Name of the engine.
        name: String,
        /// Lines that the engine printed.
        complaints: Vec<String>,
    },
    /// The engine is not ready for a new game.
    #[error("engine {name} {source} at the start of a game{words}")]
    NewGame {
        /// Name of the engine.
        name: String,
        /// Why.
        source: Failure,
        /// Circumstances of its end.
        words: LastWords,
    },
    /// The engine has crashed or stalled in a game.
    #[error("game {game}: {reason}{words}")]
    Game {
        /// Number of the game, from 1.
        game: usize,
        /// Description of the end of the game.
        reason: String,
        /// Circumstances of its end.
        words: LastWords,
    },
}

/// Why a match ended early.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MatchError {
    /// The settings do not allow a match.
    #[error(transparent)]
    Config(#[from] MatchConfigError),
    /// The journal cannot be written.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The file for the games is not new.
    #[error(transparent)]
    NewFile(#[from] NewFileError),
    /// The games or the result cannot be written.
    #[error("{0}")]
    File(#[from] InFile<io::Error>),
    /// The result cannot be written as JSON.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// An engine cannot be used at all.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// An engine has failed, which ends this match.
    #[error("{0}; the match ends at the first failure of an engine (--no-recover)")]
    FirstFailure(#[source] EngineError),
    /// An engine has failed repeatedly.
    #[error("{source}; the match ends after {max} failures of {name} in a row", max = MAX_FAILURES)]
    RepeatedFailure {
        /// Name of the engine.
        name: String,
        /// The last failure.
        source: EngineError,
    },
    /// Adjudicating tables cannot be used.
    #[error("--adjudicate: {0}")]
    Tables(#[source] Box<dyn Error + Send + Sync>),
    /// An opening cannot be played.
    #[error(transparent)]
    Opening(#[from] UnplayableOpening),
    /// A report cannot be shown.
    #[error("{0}")]
    Report(#[source] io::Error),
}

/// Formats the complaints of an engine in one line.
pub(super) fn complaint(name: &str, complaints: &[String]) -> String {
    format!("engine {name} complains of its settings: {}", complaints.join("; "))
}
