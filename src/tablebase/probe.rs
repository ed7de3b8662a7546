//! Looking one position up.

use super::tables::{Refusal, Sources, Tabled};
use crate::game::Searchable;
use crate::play::{Play, PlayError};
use crate::value::{Value, known_end};
use crate::variant::Ruleset;
use crate::with_game;

/// What is known of a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProbeAnswer {
    /// The position.
    pub fen: String,
    /// Its value.
    pub value: Value,
    /// Its moves, best first.
    pub moves: Vec<ProbedMove>,
    /// Damage met with on the way.
    pub faults: Vec<String>,
}

/// A move from a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProbedMove {
    /// The move.
    pub text: String,
    /// Its value for whoever makes it; `None` if it leads to a position in no table.
    pub value: Option<Value>,
}

/// Why a position has no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProbeError {
    /// It is no position.
    #[error("{source}")]
    Position {
        /// Why.
        #[from]
        source: PlayError,
    },
    /// A folder or a file is not used.
    #[error("{source}")]
    Refusal {
        /// Which and why.
        #[from]
        source: Refusal,
    },
    /// It is in no table.
    #[error("no table has this position, expected --path with one that does")]
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
    with_game!(rules, |game| {
        let play = Play::set_up(game, Some(fen), [])?;
        let opened = game.open_tables(sources);
        if let Some(refusal) = opened.refusals.into_iter().next() {
            return Err(refusal.into());
        }
        let value = |pos: &_| known_end(&game, pos).or_else(|| opened.oracle.as_ref()?.value(pos));
        let answer = answer(&play, value);
        let faults: Vec<String> = opened.oracle.iter().flat_map(|oracle| oracle.new_faults()).collect();
        match answer {
            Some((value, moves)) => Ok(ProbeAnswer { fen: play.fen(), value, moves, faults }),
            None if faults.is_empty() => Err(ProbeError::Unknown),
            None => Err(ProbeError::Damaged { faults }),
        }
    })
}

/// The values of a position and of its moves, best first.
fn answer<G: Searchable>(
    play: &Play<G>,
    value: impl Fn(&G::Position) -> Option<Value>,
) -> Option<(Value, Vec<ProbedMove>)> {
    let (game, pos) = (play.game, play.position());
    let own = value(pos)?;
    let probed = |mv| ProbedMove { text: game.move_text(mv), value: value(&game.play(pos, mv)).map(Value::before) };
    let mut moves: Vec<_> = game.moves(pos).into_iter().map(probed).collect();
    moves.sort_by_key(|probed| std::cmp::Reverse(probed.value.map(Value::rank)));
    Some((own, moves))
}
