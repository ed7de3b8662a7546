//! Values of positions under perfect play, and sources of them.

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
    /// Neither side can force a win.
    Draw,
    /// The side to move wins in this many plies, an odd number.
    Win(u32),
    /// The side to move loses in this many plies, an even number.
    Loss(u32),
}

impl Value {
    /// Returns win, draw or loss.
    pub const fn verdict(self) -> Verdict {
        match self {
            Value::Draw => Verdict::Draw,
            Value::Win(_) => Verdict::Win,
            Value::Loss(_) => Verdict::Loss,
        }
    }

    /// Returns the distance in plies of a win or loss.
    pub const fn plies(self) -> Option<u32> {
        match self {
            Value::Draw => None,
            Value::Win(plies) | Value::Loss(plies) => Some(plies),
        }
    }

    /// Returns the value of a position whose only move leads to a position of this value.
    pub const fn before(self) -> Value {
        match self {
            Value::Draw => Value::Draw,
            Value::Win(plies) => Value::Loss(plies + 1),
            Value::Loss(plies) => Value::Win(plies + 1),
        }
    }

    /// Returns the rank for ordering: larger is better for the side to move. Short wins and long losses are better.
    pub const fn rank(self) -> i32 {
        match self {
            Value::Draw => 0,
            Value::Win(plies) => 1_000_000 - plies as i32,
            Value::Loss(plies) => plies as i32 - 1_000_000,
        }
    }

    /// Returns the value of a position from the values of the positions that its moves lead to; a loss without moves.
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

/// The known value of a position, with or without the distance.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Known {
    /// The result and the distance.
    Value(Value),
    /// The result without the distance.
    Verdict(Verdict),
}

impl Known {
    /// Returns win, draw or loss.
    pub const fn verdict(self) -> Verdict {
        match self {
            Known::Value(value) => value.verdict(),
            Known::Verdict(verdict) => verdict,
        }
    }

    /// Returns the distance in plies of a win or loss.
    pub const fn plies(self) -> Option<u32> {
        match self {
            Known::Value(value) => value.plies(),
            Known::Verdict(_) => None,
        }
    }

    /// Returns what is known of a position whose only move leads to this one.
    pub const fn before(self) -> Known {
        match self {
            Known::Value(value) => Known::Value(value.before()),
            Known::Verdict(verdict) => Known::Verdict(verdict.opposite()),
        }
    }

    /// Returns the rank for ordering, as [`Value::rank`] does: a win or loss in an unknown number of plies is as good
    /// as the longest.
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

/// The result of perfect play by the rules with their draw counter, which is part of the position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Counted {
    /// Win, draw or loss for the side to move.
    pub verdict: Verdict,
    /// The plies of a win or loss to the next move that resets the counter, or to the end. The winner prefers few, the
    /// loser many.
    pub plies: u32,
}

impl Counted {
    /// Returns the result of a position whose only move leads to this one; the move resets the counter or not.
    pub const fn before(self, is_irreversible: bool) -> Counted {
        match self.verdict {
            Verdict::Draw => self,
            verdict => Counted { verdict: verdict.opposite(), plies: if is_irreversible { 1 } else { self.plies + 1 } },
        }
    }
}

/// The result of perfect play by the rules with their draw counter, as far as it follows from a value that ignores it.
/// The names are those of chess tablebases. The order is that of the side to move: larger is better.
///
/// ```
/// use millbrain_core::game::Verdict;
/// use millbrain_core::game::value::Category;
///
/// assert_eq!(Category::of(Verdict::Win, Some(Verdict::Draw)), Category::CursedWin);
/// assert_eq!(Category::MaybeWin.before().name(), "maybe-loss");
/// assert_eq!(Category::MaybeWin.verdict(), None);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Category {
    /// A loss.
    Loss,
    /// A loss that the counter may turn into a draw.
    MaybeLoss,
    /// A loss that the counter turns into a draw.
    BlessedLoss,
    /// A draw.
    Draw,
    /// A win that the counter turns into a draw.
    CursedWin,
    /// A win that the counter may turn into a draw.
    MaybeWin,
    /// A win.
    Win,
}

impl Category {
    /// Returns the category of a position from its result without the counter, and with it if that is known.
    pub const fn of(plain: Verdict, counted: Option<Verdict>) -> Category {
        match (plain, counted) {
            (_, Some(Verdict::Win)) => Category::Win,
            (_, Some(Verdict::Loss)) => Category::Loss,
            (Verdict::Draw, _) => Category::Draw,
            (Verdict::Win, Some(Verdict::Draw)) => Category::CursedWin,
            (Verdict::Loss, Some(Verdict::Draw)) => Category::BlessedLoss,
            (Verdict::Win, None) => Category::MaybeWin,
            (Verdict::Loss, None) => Category::MaybeLoss,
        }
    }

    /// Returns the result with the counter, or `None` if it is unknown.
    pub const fn verdict(self) -> Option<Verdict> {
        match self {
            Category::Win => Some(Verdict::Win),
            Category::CursedWin | Category::Draw | Category::BlessedLoss => Some(Verdict::Draw),
            Category::Loss => Some(Verdict::Loss),
            Category::MaybeWin | Category::MaybeLoss => None,
        }
    }

    /// Returns the category of a position whose only move leads to this one.
    #[must_use]
    pub const fn before(self) -> Category {
        match self {
            Category::Loss => Category::Win,
            Category::MaybeLoss => Category::MaybeWin,
            Category::BlessedLoss => Category::CursedWin,
            Category::Draw => Category::Draw,
            Category::CursedWin => Category::BlessedLoss,
            Category::MaybeWin => Category::MaybeLoss,
            Category::Win => Category::Loss,
        }
    }

    /// Returns the name.
    pub const fn name(self) -> &'static str {
        match self {
            Category::Loss => "loss",
            Category::MaybeLoss => "maybe-loss",
            Category::BlessedLoss => "blessed-loss",
            Category::Draw => "draw",
            Category::CursedWin => "cursed-win",
            Category::MaybeWin => "maybe-win",
            Category::Win => "win",
        }
    }

    /// Returns whether the counter stops the win or loss, or may stop it.
    pub const fn is_doubtful(self) -> bool {
        !matches!(self, Category::Win | Category::Draw | Category::Loss)
    }
}

/// The ultra-strong value of a drawn position: where it leads if both sides play for the better part of the board. It
/// is seen by the side to move or by the side that makes a move to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Prospect {
    /// The advantage in ranks of the sector in which the game finally stays over the current one; 0 stays here.
    pub key: i32,
    /// Plies to the move that leaves the sector; 0 for a key of 0.
    pub plies: u32,
}

impl Prospect {
    /// Returns the rank for ordering: larger is better. A better sector is preferred soon, a worse one late.
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
    /// Returns the source that this one adds to: it answers what this one leaves to the defaults of the next seven
    /// methods.
    fn beneath(&self) -> Option<&dyn Oracle<P>> {
        None
    }

    /// Returns win, draw or loss for the side to move, or `None` if it is unknown. This is fast enough for a search
    /// just after a move that resets the draw counter.
    fn verdict(&self, pos: &P) -> Option<Verdict> {
        self.beneath()?.verdict(pos)
    }

    /// Returns the value with its distance, draw counters ignored, or `None` if it is unknown.
    fn value(&self, pos: &P) -> Option<Value> {
        self.beneath()?.value(pos)
    }

    /// Returns the result with the draw counter, from a source that supports it.
    fn counted(&self, pos: &P) -> Option<Counted> {
        self.beneath()?.counted(pos)
    }

    /// Returns whether [`is_won`](Oracle::is_won) is worth calling.
    fn knows_wins(&self) -> bool {
        self.beneath().is_some_and(|beneath| beneath.knows_wins())
    }

    /// Returns whether the position is known to be won for the side to move, from a set of positions that makes no
    /// claim about others. Draw counters are ignored. This is fast enough for the inner nodes of a search, though not
    /// for its leaves.
    fn is_won(&self, pos: &P) -> bool {
        self.beneath().is_some_and(|beneath| beneath.is_won(pos))
    }

    /// Returns whether the side to move is known not to win, by a strategy that its opponent can follow from the
    /// position. The search calls this for the moves of the root.
    fn is_held(&self, pos: &P) -> bool {
        self.beneath().is_some_and(|beneath| beneath.is_held(pos))
    }

    /// Returns the ultra-strong value of a move from one drawn position to another, for the side that makes it, or
    /// `None` if it is unknown.
    fn prospect(&self, pos: &P, next: &P) -> Option<Prospect> {
        self.beneath()?.prospect(pos, next)
    }

    /// Requests a position, its moves and the replies from a source that is too slow for a search. It is called once
    /// before a search, while `wait` returns that there is time. Returns `None` if there is no such source, or it has
    /// no answer.
    fn ask(&self, _pos: &P, _wait: &dyn Fn() -> bool) -> Option<Box<dyn Oracle<P>>> {
        None
    }

    /// Requests all of these positions at once from a source that is too slow for single ones, while `wait` returns
    /// that there is time. Returns an oracle that has the answers in addition, or `None` if there is no such source, or
    /// it has no answer.
    ///
    /// # Errors
    /// Fails with the error of the source as text.
    fn ask_all(
        &self,
        _positions: &mut dyn Iterator<Item = P>,
        _wait: &dyn Fn() -> bool,
    ) -> Result<Option<Arc<dyn Oracle<P>>>, String> {
        Ok(None)
    }

    /// Returns the value, or the result where there is no distance, or none that the draw counter allows. This may take
    /// long; a search uses the other methods.
    fn known(&self, pos: &P) -> Option<Known> {
        self.value(pos).map(Known::Value).or_else(|| self.verdict(pos).map(Known::Verdict))
    }

    /// Returns the damage found and not yet reported, a line each.
    fn new_faults(&self) -> Vec<String> {
        Vec::new()
    }
}

/// Returns the value of a finished position, if it is visible without generating moves.
pub fn known_end<G: Game>(game: &G, pos: &G::Position) -> Option<Value> {
    game.decided(pos).map(|ending| match ending.verdict {
        Verdict::Loss => Value::Loss(0),
        // The game is already won, which counts as a ply: the distance of a win is odd.
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
