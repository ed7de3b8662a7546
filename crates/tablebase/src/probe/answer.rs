//! What is told of a position: in words, and as JSON.

use millbrain_core::game::Verdict;
use millbrain_core::game::value::Known;
use serde::{Serialize, Serializer};
use std::fmt;

/// What is known of a position. As JSON `{"fen", "value", "plies", "moves": [{"move", "value", "plies"}]}`: a value is
/// `win`, `draw`, `loss` or `unknown` for the side to move, or for whoever makes the move; `plies` stands by a win or
/// loss whose distance is known.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ProbeAnswer {
    /// The position.
    pub fen: String,
    /// Its value.
    #[serde(flatten, serialize_with = "known")]
    pub value: Known,
    /// Its moves, best first.
    pub moves: Vec<ProbedMove>,
    /// Damage met with on the way.
    #[serde(skip)]
    pub faults: Vec<String>,
}

/// A move from a position.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ProbedMove {
    /// The move.
    #[serde(rename = "move")]
    pub text: String,
    /// Its value for whoever makes it; `None` if it leads to a position in no table.
    #[serde(flatten, serialize_with = "shown")]
    pub value: Option<Known>,
}

/// A value in words and plies.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub(crate) struct Shown {
    value: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    plies: Option<u32>,
}

impl Shown {
    pub(crate) fn of(known: Option<Known>) -> Shown {
        let value = known.map_or("unknown", |known| match known.verdict() {
            Verdict::Win => "win",
            Verdict::Draw => "draw",
            Verdict::Loss => "loss",
        });
        Shown { value, plies: known.and_then(Known::plies) }
    }
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.value)?;
        self.plies.map_or(Ok(()), |plies| write!(f, " in {plies}"))
    }
}

fn shown<S: Serializer>(value: &Option<Known>, serializer: S) -> Result<S::Ok, S::Error> {
    Shown::of(*value).serialize(serializer)
}

fn known<S: Serializer>(value: &Known, serializer: S) -> Result<S::Ok, S::Error> {
    shown(&Some(*value), serializer)
}

/// The position, its value and its moves, a line each.
impl fmt::Display for ProbeAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n{}", self.fen, Shown::of(Some(self.value)))?;
        self.moves.iter().try_for_each(|ProbedMove { text, value }| write!(f, "\n{text:8} {}", Shown::of(*value)))
    }
}
