//! Probes for single positions.

pub mod address;
pub(crate) mod answer;
mod asked;
#[cfg(feature = "remote")]
pub(crate) mod background;
mod compact;
mod counting;
pub(crate) mod embedded;
mod library;
pub(crate) mod pair;
mod prospects;
#[cfg(feature = "remote")]
mod remote;
#[cfg(feature = "remote")]
mod server;
pub(crate) mod sources;
pub(crate) mod tables;

pub use answer::{Bound, ProbeAnswer, ProbedMove, Progress};
pub use library::{Library, RulesTables};

use crate::probe::sources::{Sources, open};
use crate::probe::tables::Refusal;
use millbrain_core::any::{AnyGame, AnyOracle};
use millbrain_core::game::Verdict;
use millbrain_core::game::value::{Category, Known};
use millbrain_core::play::PlayError;
use millbrain_core::variant::Ruleset;
use std::cmp::Reverse;

/// The reason why a position has no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProbeError {
    /// The input is not a legal position.
    #[error(transparent)]
    Position(#[from] PlayError),
    /// A folder or a file is not used.
    #[error(transparent)]
    Refusal(#[from] Refusal),
    /// No table has the position.
    #[error("no table has this position, expected a folder of tables that has it")]
    Unknown,
    /// The table of the position is damaged.
    #[error("{}", faults.join("; "))]
    Damaged {
        /// The faults found.
        faults: Vec<String>,
    },
}

/// Probes a position and those after its moves. Where only packs know it, the answer may be a bound.
///
/// # Errors
/// Fails if the FEN is bad, the tables cannot be used, or no table has the position.
pub fn probe(rules: Ruleset, fen: &str, sources: &Sources) -> Result<ProbeAnswer, ProbeError> {
    let game = AnyGame::new(rules).at(Some(fen), [])?;
    let opened = open(&rules, sources);
    match opened.refusals.into_iter().next() {
        Some(refusal) => Err(refusal.into()),
        None => probe_asked(with_oracle(game, opened.oracle.as_ref())),
    }
}

/// Probes the position of a game and those after its moves.
///
/// # Errors
/// Fails if no table has the value of the position, or only a damaged one.
pub fn probe_game(game: AnyGame, oracle: Option<&AnyOracle>) -> Result<ProbeAnswer, ProbeError> {
    probe_asked(with_oracle(game, oracle))
        .and_then(|answer| if answer.value.is_some() { Ok(answer) } else { Err(ProbeError::Unknown) })
}

fn with_oracle(mut game: AnyGame, oracle: Option<&AnyOracle>) -> AnyGame {
    game.set_oracle(oracle);
    game
}

/// Probes the position of a game and those after its moves, with the oracle of the game. Where only packs know it, the
/// answer may be a bound.
///
/// # Errors
/// Fails if no table has the position, or only a damaged one.
pub fn probe_asked(mut game: AnyGame) -> Result<ProbeAnswer, ProbeError> {
    game.ask_oracle(&|| true);
    let (mut value, mut category) = (game.known(), game.category());
    let progress = game.counted().and_then(Progress::of);
    let is_held = value.is_none() && game.is_held();
    let is_reported = value.is_some() || is_held || leads_to_held(&mut game);
    let mut moves = if is_reported { probe_moves(&mut game) } else { Vec::new() };
    category = category.map(|category| by_moves(category, &moves));
    let holds = moves.iter().any(|probed| probed.bound == Some(Bound::NotLost));
    if is_held && holds {
        // Neither side wins.
        (value, category) = (Some(Known::Verdict(Verdict::Draw)), Some(Category::Draw));
    }
    if value.is_some_and(|value| value.verdict() == Verdict::Draw) {
        for probed in &mut moves {
            if probed.value.is_none() && probed.bound.take().is_some() {
                (probed.value, probed.category) = (value, Some(Category::Draw));
            }
        }
    }
    let bound = match value {
        Some(_) => None,
        None if is_held => Some(Bound::NotWon),
        None => holds.then_some(Bound::NotLost),
    };
    let faults = game.new_faults();
    if value.is_some() || bound.is_some() {
        Ok(ProbeAnswer { fen: game.fen(), value, category, bound, progress, moves, faults })
    } else if faults.is_empty() {
        Err(ProbeError::Unknown)
    } else {
        Err(ProbeError::Damaged { faults })
    }
}

/// Returns whether the opponent is known not to win after some move.
fn leads_to_held(game: &mut AnyGame) -> bool {
    game.moves().iter().any(|text| {
        let _ = game.push(text);
        let is_held = game.is_held();
        game.undo();
        is_held
    })
}

/// Returns the value of a position by the draw rules, as far as the tables tell of it and of the positions one move on.
pub fn category(game: &AnyGame) -> Option<Category> {
    let category = game.category()?;
    if category.verdict().is_some() {
        return Some(category);
    }
    Some(by_moves(category, &probe_moves(&mut game.clone())))
}

/// Returns what is known of a position of this category whatever the draw counter does.
pub fn settled(game: &AnyGame, category: Option<Category>) -> Option<Known> {
    let verdict = category?.verdict()?;
    Some(game.known().filter(|known| known.verdict() == verdict).unwrap_or(Known::Verdict(verdict)))
}

/// Returns the category of a position from its moves, if they settle it.
fn by_moves(category: Category, moves: &[ProbedMove]) -> Category {
    let best = moves.iter().map(|probed| probed.category).collect::<Option<Vec<_>>>();
    let best = best.and_then(|categories| categories.into_iter().max()).and_then(Category::verdict);
    let plain = if category == Category::MaybeWin { Verdict::Win } else { Verdict::Loss };
    if category.verdict().is_none() && best.is_some() { Category::of(plain, best) } else { category }
}

/// Returns the moves of a game with their values, best first by the draw rules; the game is left as it was.
pub fn probe_moves(game: &mut AnyGame) -> Vec<ProbedMove> {
    let mut moves: Vec<ProbedMove> = Vec::new();
    for text in game.moves() {
        // Legal: it is one of the moves.
        let _ = game.push(&text);
        let is_irreversible = game.plies_without_progress() == 0;
        let counted = game.counted().map(|counted| counted.before(is_irreversible));
        let progress = counted.and_then(Progress::of);
        let value = game.known().map(Known::before);
        let category = game.category().map(Category::before);
        let bound = (value.is_none() && game.is_held()).then_some(Bound::NotLost);
        moves.push(ProbedMove { text, value, category, bound, progress });
        game.undo();
    }
    // A move that does not lose is at least as good as a draw.
    let rank = |probed: &ProbedMove| {
        let category = probed.category.or(probed.bound.map(|_| Category::Draw));
        (category, probed.value.map(Known::rank).or(probed.bound.map(|_| 0)))
    };
    moves.sort_by_key(|probed| Reverse((rank(probed), probed.progress)));
    moves
}
