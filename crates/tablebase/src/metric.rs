//! Units of the distances of tables, and the value of a position from those one ply on.

use millbrain_core::game::value::{Counted, Value};

/// The unit that distances count.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Metric {
    /// The plies to the end of the game; draw counters are ignored.
    #[default]
    End,
    /// The plies to the next move that resets the draw counter, or to the end. As a [`Value`] they are stored doubled,
    /// plus one for a win. So a win stays odd and a loss even, although either side may make that move.
    Progress {
        /// The number of plies without such a move that is a draw; at least 1.
        limit: u16,
    },
}

impl Metric {
    /// The largest limit of a draw counter: distances are words.
    pub(crate) const MAX_LIMIT: u16 = u16::MAX / 2 - 1;

    /// Returns the value of a position whose only move leads to a position of this value. `progress` is whether the
    /// move resets the draw counter, which is 0 before the move.
    pub const fn before(self, value: Value, progress: bool) -> Value {
        match (self, value) {
            (_, Value::Draw) => Value::Draw,
            (Metric::End, value) => value.before(),
            (Metric::Progress { .. }, Value::Loss(_)) if progress => Value::Win(3),
            (Metric::Progress { .. }, Value::Win(_)) if progress => Value::Loss(2),
            (Metric::Progress { .. }, Value::Loss(plies)) => self.counted_out(Value::Win(plies + self.win_step())),
            (Metric::Progress { .. }, Value::Win(_)) => self.counted_out(value.before()),
        }
    }

    /// Turns a win or loss that takes too many plies without progress into a draw.
    const fn counted_out(self, value: Value) -> Value {
        match (self, value) {
            (Metric::Progress { limit }, Value::Win(distance) | Value::Loss(distance))
                if self.plies(distance) > limit as u32 =>
            {
                Value::Draw
            }
            _ => value,
        }
    }

    /// Converts a stored distance to plies.
    pub const fn plies(self, distance: u32) -> u32 {
        match self {
            Metric::End => distance,
            Metric::Progress { .. } => distance / 2,
        }
    }

    /// Returns by how much a stored distance grows from a loss to the win before it. From a win to the loss before it,
    /// it grows by 1.
    pub const fn win_step(self) -> u32 {
        match self {
            Metric::End => 1,
            Metric::Progress { .. } => 3,
        }
    }

    /// Returns the longest stored distance of a position that others may follow from, or `None` if there is no such
    /// limit.
    pub const fn last_level(self) -> Option<u32> {
        match self {
            Metric::End => None,
            Metric::Progress { limit } => Some(2 * limit as u32 - 1),
        }
    }

    /// Returns whether `plies` without progress are possible when the counter has some already.
    pub(crate) fn is_in_time(self, plies: u32, counter: u16) -> bool {
        match self {
            Metric::End => true,
            Metric::Progress { limit } => plies + u32::from(counter) <= limit.into(),
        }
    }

    /// Returns the result of a position by the draw counter, given its stored value and the plies on the counter.
    pub fn counted(self, value: Value, counter: u16) -> Counted {
        let plies = value.plies().map_or(0, |distance| self.plies(distance));
        let value = if self.is_in_time(plies, counter) { value } else { Value::Draw };
        Counted { verdict: value.verdict(), plies: if value == Value::Draw { 0 } else { plies } }
    }

    /// Returns the longest distance that may have to be stored, or `None` if it is unknown.
    pub const fn longest(self) -> Option<u32> {
        match self {
            Metric::End => None,
            Metric::Progress { limit } => Some(2 * limit as u32 + 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use millbrain_core::game::Verdict;

    const FOUR: Metric = Metric::Progress { limit: 4 };

    #[test]
    fn quiet_moves_take_a_ply_and_others_begin_again() {
        use Value::{Draw, Loss, Win};
        assert_eq!(FOUR.before(Loss(0), false), Win(3), "blocked in one ply");
        for plies in 1..4 {
            assert_eq!(FOUR.before(Loss(2 * plies), false), Win(2 * plies + 3));
            assert_eq!(FOUR.before(Win(2 * plies + 1), false), Loss(2 * plies + 2));
        }
        assert_eq!([FOUR.before(Loss(8), false), FOUR.before(Win(9), false)], [Draw, Draw], "five plies are too many");
        assert_eq!([FOUR.before(Loss(8), true), FOUR.before(Win(9), true)], [Win(3), Loss(2)]);
        assert_eq!([FOUR.before(Draw, true), FOUR.before(Draw, false)], [Draw, Draw]);
        assert_eq!(Metric::End.before(Loss(8), true), Win(9));
    }

    #[test]
    fn a_counter_takes_wins_away_that_come_too_late() {
        for (value, counter, verdict) in [
            (Value::Win(7), 0, Verdict::Win),
            (Value::Win(7), 1, Verdict::Win),
            (Value::Win(7), 2, Verdict::Draw),
            (Value::Loss(2), 3, Verdict::Loss),
            (Value::Loss(2), 4, Verdict::Draw),
            (Value::Loss(0), 4, Verdict::Loss),
        ] {
            let counted = FOUR.counted(value, counter);
            assert_eq!(counted.verdict, verdict, "{value} after {counter}");
            let plies = if verdict == Verdict::Draw { 0 } else { value.plies().expect("decided") / 2 };
            assert_eq!(counted.plies, plies);
        }
        assert_eq!(FOUR.counted(Value::Draw, 0), Counted { verdict: Verdict::Draw, plies: 0 });
    }
}
