//! Looking one position up.

pub mod address;
pub(crate) mod answer;
mod counting;
pub(crate) mod embedded;
mod library;
mod pair;
mod prospects;
#[cfg(feature = "remote")]
mod remote;
#[cfg(feature = "remote")]
mod server;
pub(crate) mod sources;
pub(crate) mod tables;

pub use answer::{ProbeAnswer, ProbedMove, Progress};
pub use library::{Library, RulesTables};

use crate::probe::sources::{Sources, open};
use crate::probe::tables::Refusal;
use millbrain_core::any::{AnyGame, AnyOracle};
use millbrain_core::game::value::Known;
use millbrain_core::play::PlayError;
use millbrain_core::variant::Ruleset;
use std::cmp::Reverse;

/// Why a position has no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProbeError {
    /// It is no position.
    #[error(transparent)]
    Position(#[from] PlayError),
    /// A folder or a file is not used.
    #[error(transparent)]
    Refusal(#[from] Refusal),
    /// It is in no table.
    #[error("no table has this position, expected a folder of tables that has it")]
    Unknown,
    /// Its table is damaged.
    #[error("{}", faults.join("; "))]
    Damaged {
        /// What is wrong.
        faults: Vec<String>,
    },
}

/// Looks a position and those after its moves up.
///
/// # Errors
/// A bad FEN, tables that cannot be used, or a position that is in no table.
pub fn probe(rules: Ruleset, fen: &str, sources: &Sources) -> Result<ProbeAnswer, ProbeError> {
    let game = AnyGame::new(rules).at(Some(fen), [])?;
    let opened = open(&rules, sources);
    match opened.refusals.into_iter().next() {
        Some(refusal) => Err(refusal.into()),
        None => probe_game(game, opened.oracle.as_ref()),
    }
}

/// Looks the position of a game and those after its moves up.
///
/// # Errors
/// A position that is in no table, or in a damaged one.
pub fn probe_game(mut game: AnyGame, oracle: Option<&AnyOracle>) -> Result<ProbeAnswer, ProbeError> {
    game.set_oracle(oracle);
    let value = game.known();
    let progress = game.counted().and_then(Progress::of);
    let moves = value.map(|_| probe_moves(&mut game));
    let faults = game.new_faults();
    match value.zip(moves) {
        Some((value, moves)) => Ok(ProbeAnswer { fen: game.fen(), value, progress, moves, faults }),
        None if faults.is_empty() => Err(ProbeError::Unknown),
        None => Err(ProbeError::Damaged { faults }),
    }
}

/// The moves of a game with their values, best first; the game is left as it was.
pub fn probe_moves(game: &mut AnyGame) -> Vec<ProbedMove> {
    let mut moves: Vec<ProbedMove> = Vec::new();
    for text in game.moves() {
        // Legal: it is one of the moves.
        let _ = game.push(&text);
        let is_irreversible = game.plies_without_progress() == 0;
        let counted = game.counted().map(|counted| counted.before(is_irreversible));
        let progress = counted.and_then(Progress::of);
        moves.push(ProbedMove { text, value: game.known().map(Known::before), progress });
        game.undo();
    }
    moves.sort_by_key(|probed| Reverse((probed.value.map(Known::rank), probed.progress)));
    moves
}
