//! The answer to a probe: as text and as JSON.

use millbrain_core::game::Verdict;
use millbrain_core::game::value::{Category, Counted, Known};
use serde::{Serialize, Serializer};
use std::fmt;

/// The known values of a position and its moves. As JSON: `{"fen", "value", "plies", "moves": [{"move", "value",
/// "plies"}]}`.
///
/// - A value is `win`, `draw`, `loss` or `unknown`, for the side to move or the side that makes the move.
/// - `plies` is given for a win or loss whose distance is known.
/// - `category` is given with a value: the same by the draw rules, with the counter of the position.
/// - `progress` is given where the distance to the next placement, mill or capture is known.
/// - An `unknown` value may have a `bound`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ProbeAnswer {
    /// The position.
    pub fen: String,
    /// Its value; `None` if only a bound is known.
    #[serde(flatten, serialize_with = "shown")]
    pub value: Option<Known>,
    /// The value with the draw counter; `None` if only a bound is known.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "named")]
    pub category: Option<Category>,
    /// The bound that a pack gives an unknown value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<Bound>,
    /// The plies to progress of a win or loss by the draw counter.
    #[serde(flatten)]
    pub progress: Option<Progress>,
    /// Its moves, best first.
    pub moves: Vec<ProbedMove>,
    /// The damage found while probing.
    #[serde(skip)]
    pub faults: Vec<String>,
}

/// A move from a position.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ProbedMove {
    /// The move.
    #[serde(rename = "move")]
    pub text: String,
    /// Its value for the side that makes it; `None` if it leads to a position in no table.
    #[serde(flatten, serialize_with = "shown")]
    pub value: Option<Known>,
    /// The value with the draw counter after the move; `None` if the value is unknown.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "named")]
    pub category: Option<Category>,
    /// The bound that a pack gives an unknown value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<Bound>,
    /// The plies to progress of the win or loss.
    #[serde(flatten)]
    pub progress: Option<Progress>,
}

/// The bound that a strategy in a pack gives for a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub enum Bound {
    /// The side to move does not win.
    #[serde(rename = "draw or loss")]
    NotWon,
    /// The side that makes the move does not lose.
    #[serde(rename = "win or draw")]
    NotLost,
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Bound::NotWon => "draw or loss",
            Bound::NotLost => "win or draw",
        })
    }
}

/// The distance of a win or loss by the draw counter to the next move that resets it, or to the end. Larger is better:
/// a winner gets there soon, a loser late.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
pub struct Progress {
    #[serde(skip)]
    order: i64,
    /// The distance in plies.
    #[serde(rename = "progress")]
    pub plies: u32,
}

impl Progress {
    pub(super) fn of(counted: Counted) -> Option<Progress> {
        let plies = counted.plies;
        let order = match counted.verdict {
            Verdict::Draw => return None,
            Verdict::Win => -i64::from(plies),
            Verdict::Loss => plies.into(),
        };
        Some(Progress { order, plies })
    }
}

impl fmt::Display for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, ", progress in {}", self.plies)
    }
}

/// A value as text and plies.
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

fn named<S: Serializer>(category: &Option<Category>, serializer: S) -> Result<S::Ok, S::Error> {
    category.map(Category::name).serialize(serializer)
}

/// Prints the position, its value and its moves, one per line.
impl fmt::Display for ProbeAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown =
            |f: &mut fmt::Formatter<'_>, value, category: Option<Category>, bound, progress: Option<Progress>| {
                match bound {
                    Some::<Bound>(bound) => write!(f, "{bound}")?,
                    None => write!(f, "{}", Shown::of(value))?,
                }
                progress.map_or(Ok(()), |progress| write!(f, "{progress}"))?;
                category
                    .filter(|category| category.is_doubtful())
                    .map_or(Ok(()), |doubt| write!(f, " ({})", doubt.name()))
            };
        writeln!(f, "{}", self.fen)?;
        shown(f, self.value, self.category, self.bound, self.progress)?;
        self.moves.iter().try_for_each(|ProbedMove { text, value, category, bound, progress }| {
            write!(f, "\n{text:8} ")?;
            shown(f, *value, *category, *bound, *progress)
        })
    }
}
