//! One opening, and the faults of openings.

use millbrain_core::any::AnyGame;
use millbrain_core::game::Reason;
use millbrain_core::play::{PlayError, whole_moves};
use millbrain_core::search::hash::OutOfMemory;
use millbrain_files::InFile;
use millbrain_games::game::NotationError;
use serde::{Deserialize, Serialize};
use std::io;

/// An opening: a position, and moves to play from it before the engines take over.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Opening {
    /// FEN; the start position without one.
    pub fen: Option<String>,
    /// Moves from there.
    pub moves: Vec<String>,
}

/// A line that is not an opening.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpeningError {
    /// An invalid FEN or a move that cannot be played.
    #[error(transparent)]
    Play(#[from] PlayError),
    /// A line of moves that continues another one.
    #[error("begins with move number {0:?}, expected 1 or none")]
    Number(String),
    /// The game is already over.
    #[error("the game is over ({0}), expected an open position")]
    GameOver(Reason),
}

/// A file without usable openings.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpeningsError {
    /// The file cannot be read.
    #[error("{0}")]
    File(#[from] InFile<io::Error>),
    /// A line that is not an opening.
    #[error("{file}:{line}: {source}")]
    Line {
        /// The file.
        file: String,
        /// Number of the line, from 1.
        line: usize,
        /// Fault of the line.
        source: OpeningError,
    },
    /// The games of the file cannot be read.
    #[error("{file}: {source}")]
    Games {
        /// The file.
        file: String,
        /// Fault of the games.
        source: NotationError,
    },
    /// A game that is not an opening.
    #[error("{file}: game {number}: {source}")]
    Game {
        /// The file.
        file: String,
        /// Number of the game, from 1.
        number: usize,
        /// Fault of the game.
        source: OpeningError,
    },
    /// There is no memory for the search of the generator.
    #[error(transparent)]
    Memory(#[from] OutOfMemory),
    /// There is no thread for the generator.
    #[error("no thread to make openings on ({0}); is the limit of processes reached?")]
    Thread(#[source] io::Error),
    /// The user has interrupted the generator.
    #[error("interrupted after {made} of {wanted} openings")]
    Interrupted {
        /// Openings found.
        made: usize,
        /// Openings wanted.
        wanted: usize,
    },
    /// This file contains no opening.
    #[error("{0}: no opening, expected a FEN, FEN;MOVES or moves a line, or games that go on after plies=N")]
    Empty(String),
}

impl Opening {
    /// Parses a line of a file: a FEN, `FEN;MOVES`, or moves from the start, with or without their numbers. Reads at
    /// most `plies` plies.
    ///
    /// # Errors
    /// An invalid FEN, an illegal move, or a finished game.
    pub fn read(line: &str, start: &AnyGame, plies: usize) -> Result<Opening, OpeningError> {
        let (fen, moves) = match line.split_once(';') {
            Some((fen, moves)) => (Some(fen.trim()), moves),
            None if line.contains('/') || line.contains('*') => (Some(line), ""),
            None => (None, line),
        };
        let fen = fen.filter(|fen| !fen.is_empty());
        let is_digit = |sign: char| sign.is_ascii_digit();
        let first = moves.trim_start().split(|sign| !is_digit(sign)).next().unwrap_or_default();
        if fen.is_none() && !["", "1"].contains(&first) {
            return Err(OpeningError::Number(first.to_string()));
        }
        let words = moves.split_whitespace().map(|word| word.trim_start_matches(is_digit));
        let words = words.map(|word| word.trim_start_matches('.')).filter(|word| !word.is_empty());
        Opening::of(fen, whole_moves(words).iter().map(|text| &**text), start, plies)
    }

    /// Plays at most `plies` moves of an opening.
    ///
    /// # Errors
    /// As [`Opening::read`].
    pub(super) fn of<'a>(
        fen: Option<&str>,
        moves: impl Iterator<Item = &'a str>,
        start: &AnyGame,
        plies: usize,
    ) -> Result<Opening, OpeningError> {
        let mut play = start.at(fen, [])?;
        let mut played = Vec::new();
        for (i, text) in moves.take(plies).enumerate() {
            let pushed = play.push(text);
            played.push(pushed.map_err(|fault| PlayError::Move { number: i + 1, text: text.to_string(), fault })?);
        }
        match play.ending() {
            Some(ending) => Err(OpeningError::GameOver(ending.reason)),
            None => Ok(Opening { fen: fen.map(String::from), moves: played }),
        }
    }
}
