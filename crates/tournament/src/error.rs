//! Why a match could not be played to its end.

use super::client::{Failure, LastWords, StartError};
use super::journal::{JournalError, MatchConfigError, NewFileError};
use super::referee::UnplayableOpening;
use millbrain_files::InFile;
use std::error::Error;
use std::io;

/// Failures of an engine in a row - crashes, stalls, failed starts - that end the match.
pub(super) const MAX_FAILURES: u32 = 3;

/// What an engine has done that it should not.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// It cannot be used.
    #[error("engine {name}: {source}")]
    Start {
        /// Its name.
        name: String,
        /// Why.
        source: StartError,
    },
    /// It complains of its settings.
    #[error("{} (--lenient plays all the same)", complaint(name, complaints))]
    Complaints {
        /// Its name.
        name: String,
        /// Lines that it printed.
        complaints: Vec<String>,
    },
    /// It is not ready for a new game.
    #[error("engine {name} {source} at the start of a game{words}")]
    NewGame {
        /// Its name.
        name: String,
        /// Why.
        source: Failure,
        /// What is known of its end.
        words: LastWords,
    },
    /// It has crashed or stalled in a game.
    #[error("game {game}: {reason}{words}")]
    Game {
        /// Number of the game, from 1.
        game: usize,
        /// The end of the game in words.
        reason: String,
        /// What is known of its end.
        words: LastWords,
    },
}

/// Why a match could not be played to its end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MatchError {
    /// No match can be played by the settings.
    #[error(transparent)]
    Config(#[from] MatchConfigError),
    /// The journal cannot be written.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The file of the games is not new.
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
    /// An engine has failed, and the match does not go on after that.
    #[error("{0}; the match ends at the first failure of an engine (--no-recover)")]
    FirstFailure(#[source] EngineError),
    /// An engine has failed again and again.
    #[error("{source}; the match ends after {max} failures of {name} in a row", max = MAX_FAILURES)]
    RepeatedFailure {
        /// Its name.
        name: String,
        /// The last failure.
        source: EngineError,
    },
    /// Tables that are to end games cannot be used.
    #[error("--adjudicate: {0}")]
    Tables(#[source] Box<dyn Error + Send + Sync>),
    /// An opening cannot be played.
    #[error(transparent)]
    Opening(#[from] UnplayableOpening),
    /// What happens cannot be shown.
    #[error("{0}")]
    Report(#[source] io::Error),
}

/// The complaints of an engine in one line.
pub(super) fn complaint(name: &str, complaints: &[String]) -> String {
    format!("engine {name} complains of its settings: {}", complaints.join("; "))
}
