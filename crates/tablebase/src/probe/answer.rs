//! What is told of a position: in words, and as JSON.

use millbrain_core::game::value::Value;
use serde::{Serialize, Serializer};
use std::fmt;

/// What is known of a position. As JSON `{"fen", "value", "plies", "moves": [{"move", "value", "plies"}]}`: a value is
/// `win`, `draw`, `loss` or `unknown` for the side to move, or for whoever makes the move; `plies` stands by a win or
/// loss.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ProbeAnswer {
    /// The position.
    pub fen: String,
    /// Its value.
    #[serde(flatten, serialize_with = "known")]
    pub value: Value,
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
    pub value: Option<Value>,
}

/// A value in words and plies.
#[derive(Serialize)]
struct Shown {
    value: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    plies: Option<u32>,
}

impl Shown {
    const fn of(value: Option<Value>) -> Shown {
        match value {
            None => Shown { value: "unknown", plies: None },
            Some(Value::Draw) => Shown { value: "draw", plies: None },
            Some(Value::Win(plies)) => Shown { value: "win", plies: Some(plies) },
            Some(Value::Loss(plies)) => Shown { value: "loss", plies: Some(plies) },
        }
    }
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.value)?;
        self.plies.map_or(Ok(()), |plies| write!(f, " in {plies}"))
    }
}

fn shown<S: Serializer>(value: &Option<Value>, serializer: S) -> Result<S::Ok, S::Error> {
    Shown::of(*value).serialize(serializer)
}

fn known<S: Serializer>(value: &Value, serializer: S) -> Result<S::Ok, S::Error> {
    shown(&Some(*value), serializer)
}

/// The position, its value and its moves, a line each.
impl fmt::Display for ProbeAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n{}", self.fen, Shown::of(Some(self.value)))?;
        self.moves.iter().try_for_each(|ProbedMove { text, value }| write!(f, "\n{text:8} {}", Shown::of(*value)))
    }
}
