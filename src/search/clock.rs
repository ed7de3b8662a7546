//! Limits of a search, and how much time to spend.

use crate::game::{Move, Side};
use std::time::Duration;

/// The limits of a `go` command. Without any, the search runs until it is stopped.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    /// Root moves to consider; all if empty.
    pub searchmoves: Vec<Move>,
    /// Nominal depth in plies.
    pub depth: Option<u32>,
    /// Nodes over all threads.
    pub nodes: Option<u64>,
    /// Look for a win in this many own moves.
    pub mate: Option<u32>,
    /// Time for this move.
    pub movetime: Option<Duration>,
    /// Time left of White and Black.
    pub time: [Option<Duration>; 2],
    /// Increment per move of White and Black.
    pub increment: [Option<Duration>; 2],
    /// Moves until the next time control.
    pub movestogo: Option<u32>,
    /// Search until stopped, whatever else is given.
    pub infinite: bool,
    /// Search the move expected of the opponent; the clock runs from the ponder hit.
    pub ponder: bool,
}

impl Limits {
    /// Whether the search ends by itself, at the latest once it no longer ponders.
    pub fn is_bounded(&self) -> bool {
        !self.infinite
            && (self.depth.is_some()
                || self.nodes.is_some()
                || self.mate.is_some()
                || self.movetime.is_some()
                || self.has_clock())
    }

    /// Whether a chess clock is given.
    pub fn has_clock(&self) -> bool {
        self.time.iter().chain(&self.increment).any(Option::is_some)
    }
}

/// How long to search: no new iteration after `optimum`, not a moment after `maximum`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Budget {
    /// Time after which a further iteration is not worth starting.
    pub optimum: Option<Duration>,
    /// Time at which the search ends.
    pub maximum: Option<Duration>,
}

/// Moves a game is assumed to last still when the time control does not say.
const MOVES_LEFT: u32 = 28;

/// Time for this move.
///
/// With only the opponent's clock known, ours is taken to be the same: better than searching for ever.
pub fn budget(limits: &Limits, side: Side, overhead: Duration) -> Budget {
    const LEAST: Duration = Duration::from_millis(1);
    if limits.infinite {
        return Budget::default();
    }
    let mut budget = Budget::default();
    if limits.has_clock() {
        let of_mover = |pair: [Option<Duration>; 2]| {
            let index = side as usize;
            pair[index].or(pair[1 - index]).unwrap_or_default()
        };
        let (time, increment) = (of_mover(limits.time), of_mover(limits.increment));
        let moves = limits.movestogo.unwrap_or(MOVES_LEFT).clamp(1, 60);
        let usable = time.saturating_sub(overhead);
        let share = usable / moves + increment * 3 / 4;
        // The last move before the control may use all there is; otherwise keep most of it.
        let ceiling = if moves == 1 { usable * 9 / 10 } else { usable * 2 / 5 };
        budget.optimum = Some(share.min(ceiling).max(LEAST));
        budget.maximum = Some((share * 4).min(ceiling).max(LEAST));
    }
    if let Some(movetime) = limits.movetime {
        let exact = movetime.saturating_sub(overhead.min(movetime / 2)).max(LEAST);
        budget.maximum = Some(budget.maximum.map_or(exact, |maximum| maximum.min(exact)));
    }
    budget
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn the_clock_is_never_overdrawn() {
        for time in [0, 1, 5, 11, 50, 1000, 60_000, 10_000_000] {
            for increment in [0, 10, 5_000] {
                for movestogo in [None, Some(1), Some(2), Some(40), Some(u32::MAX)] {
                    let limits = Limits {
                        time: [Some(ms(time)); 2],
                        increment: [Some(ms(increment)); 2],
                        movestogo,
                        ..Limits::default()
                    };
                    let budget = budget(&limits, Side::Black, ms(10));
                    let (optimum, maximum) = (budget.optimum.expect("set"), budget.maximum.expect("set"));
                    assert!(optimum <= maximum);
                    assert!(maximum <= ms(time.saturating_sub(10).max(1)), "{time} {increment} {movestogo:?}");
                }
            }
        }
    }

    #[test]
    fn one_sided_clocks_are_bounded() {
        let limits = Limits { time: [None, Some(ms(1000))], ..Limits::default() };
        assert!(limits.is_bounded());
        assert_eq!(budget(&limits, Side::White, ms(0)), budget(&limits, Side::Black, ms(0)));
    }

    #[test]
    fn movetime_includes_the_overhead() {
        let limits = Limits { movetime: Some(ms(100)), ..Limits::default() };
        assert_eq!(budget(&limits, Side::White, ms(10)).maximum, Some(ms(90)));
        let limits = Limits { movetime: Some(ms(4)), ..Limits::default() };
        assert_eq!(budget(&limits, Side::White, ms(10)).maximum, Some(ms(2)));
    }
}
