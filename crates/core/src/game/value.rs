//! Values of positions under perfect play, and sources that know them.

use super::{Game, Verdict};
use std::fmt;
use std::sync::Arc;

/// The result of perfect play for the side to move, ignoring draw counters and repetitions.
///
/// ```
/// use millbrain_core::game::value::Value;
///
/// assert_eq!(Value::Win(57).to_string(), "win in 57");
/// // The mover's best: the shortest win, else a draw, else the longest loss.
/// assert_eq!(Value::from_successors([Value::Loss(6), Value::Draw, Value::Loss(2)]), Value::Win(3));
/// assert_eq!(Value::from_successors([Value::Win(3), Value::Win(7)]), Value::Loss(8));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Value {
    /// Nobody can force a win.
    Draw,
    /// The side to move wins in this many plies, an odd number.
    Win(u32),
    /// The side to move loses in this many plies, an even number.
    Loss(u32),
}

impl Value {
    /// Win, draw or loss.
    pub const fn verdict(self) -> Verdict {
        match self {
            Value::Draw => Verdict::Draw,
            Value::Win(_) => Verdict::Win,
            Value::Loss(_) => Verdict::Loss,
        }
    }

    /// The distance in plies of a win or loss.
    pub const fn plies(self) -> Option<u32> {
        match self {
            Value::Draw => None,
            Value::Win(plies) | Value::Loss(plies) => Some(plies),
        }
    }

    /// The value of a position whose only move leads to a position of this value.
    pub const fn before(self) -> Value {
        match self {
            Value::Draw => Value::Draw,
            Value::Win(plies) => Value::Loss(plies + 1),
            Value::Loss(plies) => Value::Win(plies + 1),
        }
    }

    /// For ordering: larger is better for the side to move. Short wins and long losses are better.
    pub const fn rank(self) -> i32 {
        match self {
            Value::Draw => 0,
            Value::Win(plies) => 1_000_000 - plies as i32,
            Value::Loss(plies) => plies as i32 - 1_000_000,
        }
    }

    /// The value of a position from the values of the positions that its moves lead to; lost without moves.
    pub fn from_successors(successors: impl IntoIterator<Item = Value>) -> Value {
        successors.into_iter().map(Value::before).max_by_key(|value| value.rank()).unwrap_or(Value::Loss(0))
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Draw => write!(f, "{}", self.verdict()),
            Value::Win(plies) | Value::Loss(plies) => write!(f, "{} in {plies}", self.verdict()),
        }
    }
}

/// What is known of a position: its value, or the result without the distance.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Known {
    /// The result and the distance.
    Value(Value),
    /// Who wins, but not when.
    Verdict(Verdict),
}

impl Known {
    /// Win, draw or loss.
    pub const fn verdict(self) -> Verdict {
        match self {
            Known::Value(value) => value.verdict(),
            Known::Verdict(verdict) => verdict,
        }
    }

    /// The distance in plies of a win or loss.
    pub const fn plies(self) -> Option<u32> {
        match self {
            Known::Value(value) => value.plies(),
            Known::Verdict(_) => None,
        }
    }

    /// What is known of a position whose only move leads to a position of which this is known.
    pub const fn before(self) -> Known {
        match self {
            Known::Value(value) => Known::Value(value.before()),
            Known::Verdict(verdict) => Known::Verdict(verdict.opposite()),
        }
    }

    /// For ordering, as [`Value::rank`]: a win or loss in an unknown number of plies is as good as the longest.
    pub const fn rank(self) -> i32 {
        match self {
            Known::Value(value) => value.rank(),
            Known::Verdict(Verdict::Draw) => 0,
            Known::Verdict(Verdict::Win) => 1,
            Known::Verdict(Verdict::Loss) => -1,
        }
    }
}

impl fmt::Display for Known {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Known::Value(value) => write!(f, "{value}"),
            Known::Verdict(verdict) => write!(f, "{verdict}"),
        }
    }
}

/// The result of perfect play by the rules with their draw counter, which the position itself has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Counted {
    /// Win, draw or loss for the side to move.
    pub verdict: Verdict,
    /// Of a win or loss the plies to the next move that starts the counter again, or to the end; the winner wants few of them,
    /// the loser many.
    pub plies: u32,
}

impl Counted {
    /// What is known of a position whose only move leads to a position of which this is known, and starts the counter
    /// again or not.
    pub const fn before(self, is_irreversible: bool) -> Counted {
        match self.verdict {
            Verdict::Draw => self,
            verdict => Counted { verdict: verdict.opposite(), plies: if is_irreversible { 1 } else { self.plies + 1 } },
        }
    }
}

/// Where a drawn position leads if both sides play for the better part of the board: its ultra-strong value, seen by the side
/// to move or by whoever makes a move to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Prospect {
    /// How much better, in ranks, the sector is in which the game stays at last than the one it is in: 0 stays here.
    pub key: i32,
    /// Plies to the move that leaves the sector; 0 for a key of 0.
    pub plies: u32,
}

impl Prospect {
    /// For ordering: larger is better. What is better is wanted soon, what is worse late.
    pub const fn rank(self) -> (i32, i32) {
        (self.key, -self.key.signum() * self.plies as i32)
    }
}

impl fmt::Display for Prospect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.key {
            0 => f.write_str("0"),
            key => write!(f, "{key:+} in {}", self.plies),
        }
    }
}

/// A source of exact values for some positions.
pub trait Oracle<P>: Send + Sync {
    /// Win, draw or loss for the side to move; `None` if it is not known. Fast enough for a search just after a move that
    /// starts the draw counter again.
    fn verdict(&self, pos: &P) -> Option<Verdict>;

    /// The value with its distance, draw counters ignored; `None` if it is not known.
    fn value(&self, pos: &P) -> Option<Value>;

    /// The result with the draw counter, from a source that regards it.
    fn counted(&self, _pos: &P) -> Option<Counted> {
        None
    }

    /// Whether [`is_won`](Oracle::is_won) is worth asking.
    fn knows_wins(&self) -> bool {
        false
    }

    /// Whether the position is known to be won for the side to move, from a set of positions that says nothing of others.
    /// Draw counters are ignored. Fast enough for the inner nodes of a search, though not for its leaves.
    fn is_won(&self, _pos: &P) -> bool {
        false
    }

    /// Whether the position is known not to be won for the side to move, as part of a strategy that its opponent can follow from there. Asked for the
    /// moves of the root.
    fn is_held(&self, _pos: &P) -> bool {
        false
    }

    /// The ultra-strong value, for whoever makes it, of a move from one drawn position to another; `None` if it is not known.
    fn prospect(&self, _pos: &P, _next: &P) -> Option<Prospect> {
        None
    }

    /// What a source that is too slow for a search says of a position, its moves and the replies; asked once before a search,
    /// while `wait` says that there is time. `None` if there is none, or it says nothing.
    fn ask(&self, _pos: &P, _wait: &dyn Fn() -> bool) -> Option<Box<dyn Oracle<P>>> {
        None
    }

    /// Asks a source that is too slow for one position after the other about all of these at once, while `wait` returns
    /// that there is time. Returns an oracle that knows the answers beside all else; `None` if there is no such source,
    /// or it has no answer.
    ///
    /// # Errors
    /// When the source fails, in words.
    fn ask_all(
        &self,
        _positions: &mut dyn Iterator<Item = P>,
        _wait: &dyn Fn() -> bool,
    ) -> Result<Option<Arc<dyn Oracle<P>>>, String> {
        Ok(None)
    }

    /// The value, or the result where there is no distance, or none that the draw counter allows. It may take long; a search asks for the others.
    fn known(&self, pos: &P) -> Option<Known> {
        self.value(pos).map(Known::Value).or_else(|| self.verdict(pos).map(Known::Verdict))
    }

    /// What has been found damaged and not been told yet, a line each.
    fn new_faults(&self) -> Vec<String> {
        Vec::new()
    }
}

/// The value of a position in which the game is over, if this can be seen without looking at moves.
pub fn known_end<G: Game>(game: &G, pos: &G::Position) -> Option<Value> {
    game.decided(pos).map(|ending| match ending.verdict {
        Verdict::Loss => Value::Loss(0),
        // The game is won already, which counts as a ply: the distance of a win is odd.
        Verdict::Win => Value::Win(1),
        Verdict::Draw => Value::Draw,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shortest_win_and_the_longest_loss_are_chosen() {
        use Value::{Draw, Loss, Win};
        assert_eq!(Value::from_successors([]), Loss(0));
        assert_eq!(Value::from_successors([Win(3), Win(7), Win(1)]), Loss(8));
        assert_eq!(Value::from_successors([Win(3), Draw]), Draw);
        assert_eq!(Value::from_successors([Win(3), Loss(6), Draw, Loss(2)]), Win(3));
    }
}
