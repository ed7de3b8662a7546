//! Time management: the time to spend on a move.

use super::limits::Limits;
use super::tunables;
use crate::game::Side;
use std::time::Duration;

/// The time limits of a search: no new iteration after `optimum`, and an end at `maximum`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Budget {
    /// Time after which a further iteration is not worth starting.
    pub optimum: Option<Duration>,
    /// Time at which the search ends.
    pub maximum: Option<Duration>,
}

/// Returns a share of a time in percent.
fn percent(time: Duration, share: i32) -> Duration {
    time.saturating_mul(share as u32) / 100
}

/// Returns the time for this move.
///
/// If only the opponent's clock is known, it is used as ours too: better than searching for ever.
pub fn budget(limits: &Limits, side: Side, overhead: Duration) -> Budget {
    const MIN_TIME: Duration = Duration::from_millis(1);
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
        let moves = limits.movestogo.filter(|&moves| moves > 0).unwrap_or(tunables::time_moves_left() as u32).min(60);
        let usable = time.saturating_sub(overhead);
        let share = usable / moves + percent(increment, tunables::time_increment());
        // The last move before the control may use all the time; otherwise most of it is saved.
        let ceiling = if moves == 1 { tunables::time_last_ceiling() } else { tunables::time_ceiling() };
        let ceiling = percent(usable, ceiling);
        budget.optimum = Some(share.min(ceiling).max(MIN_TIME));
        budget.maximum = Some(percent(share, tunables::time_stretch()).min(ceiling).max(MIN_TIME));
    }
    if let Some(movetime) = limits.movetime {
        let exact = movetime.saturating_sub(overhead.min(movetime / 2)).max(MIN_TIME);
        budget.maximum = Some(budget.maximum.map_or(exact, |maximum| maximum.min(exact)));
    }
    budget
}

/// Returns whether it is too late to begin another iteration. It takes longer than all before it, so it begins only
/// well within the optimum. The limit is later while the best move changes, and sooner where it took most of the nodes.
///
/// `stable` is the number of iterations for which the best move has stayed the same.
pub(super) fn is_spent(elapsed: Duration, optimum: Duration, stable: u32, best_nodes: u64, all_nodes: u64) -> bool {
    let factor = |percent: i32| f64::from(percent) / 100.0;
    let patience = match stable {
        0 => tunables::time_patience_0(),
        1 => tunables::time_patience_1(),
        2 => tunables::time_patience_2(),
        3 => tunables::time_patience_3(),
        _ => tunables::time_patience_4(),
    };
    let of_best = best_nodes as f64 / all_nodes.max(1) as f64;
    let effort = factor(tunables::time_effort()) - factor(tunables::time_effort_of_best()) * of_best;
    elapsed.as_secs_f64() >= optimum.as_secs_f64() * factor(patience) * effort * factor(tunables::time_iteration())
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
                for movestogo in [None, Some(0), Some(1), Some(2), Some(40), Some(u32::MAX)] {
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
    fn no_moves_to_go_is_sudden_death() {
        let with = |movestogo| {
            let limits = Limits { time: [Some(ms(60_000)); 2], movestogo, ..Limits::default() };
            budget(&limits, Side::White, ms(10))
        };
        assert_eq!(with(Some(0)), with(None));
        assert_eq!(with(Some(tunables::time_moves_left() as u32)), with(None));
        assert_ne!(with(Some(1)), with(None));
    }

    /// Time is spent to the microsecond: the share of a move, four times that at most, and never more than the ceiling.
    #[test]
    fn time_is_shared_out_as_reported() {
        let of = |white: u64, increment: u64, movestogo, overhead: u64| {
            let limits = Limits {
                time: [Some(ms(white)), Some(ms(7))],
                increment: [Some(ms(increment)), Some(ms(9))],
                movestogo,
                ..Limits::default()
            };
            let budget = budget(&limits, Side::White, ms(overhead));
            (budget.optimum.expect("set").as_micros(), budget.maximum.expect("set").as_micros())
        };
        assert_eq!(of(28_000, 0, None, 0), (1_000_000, 4_000_000));
        assert_eq!(of(28_100, 400, None, 100), (1_300_000, 5_200_000));
        assert_eq!(of(28_000, 0, Some(7), 0), (4_000_000, 11_200_000), "two fifths at most");
        assert_eq!(of(28_000, 20_000, Some(28), 0), (11_200_000, 11_200_000));
        assert_eq!(of(10_000, 0, Some(1), 0), (9_000_000, 9_000_000), "nine tenths before the control");
        assert_eq!(of(60_000, 0, Some(1000), 0), (1_000_000, 4_000_000), "sixty moves at most");
        assert_eq!(of(5, 0, None, 10), (1_000, 1_000), "a millisecond at least");
    }

    #[test]
    fn movetime_and_clock_both_hold() {
        let limits = Limits { time: [Some(ms(28_000)); 2], movetime: Some(ms(50)), ..Limits::default() };
        let both = budget(&limits, Side::White, ms(0));
        assert_eq!((both.optimum, both.maximum), (Some(ms(1000)), Some(ms(50))));
        let limits = Limits { movetime: Some(ms(50_000)), ..limits };
        assert_eq!(budget(&limits, Side::White, ms(0)).maximum, Some(ms(4000)));
        let limits = Limits { infinite: true, ..limits };
        assert_eq!(budget(&limits, Side::White, ms(0)), Budget::default());
    }

    /// Checks the last millisecond at which another iteration begins, of an optimum of a second.
    #[test]
    fn a_settled_move_takes_less_time() {
        let last = |stable, best, all| (0..2_000).rfind(|&at| !is_spent(ms(at), ms(1000), stable, best, all));
        // 1000 * 1.5 * 1.35 * 0.6 = 1215, which is too late.
        assert_eq!(last(0, 0, 100), Some(1_214));
        assert_eq!(last(0, 50, 100), Some(899), "half the nodes");
        assert_eq!(last(0, 100, 100), Some(585), "all the nodes");
        assert_eq!([1, 2, 3, 4, 9].map(|stable| last(stable, 50, 100)), [659, 539, 449, 389, 389].map(Some));
        assert_eq!(last(0, 0, 0), Some(1_214), "no nodes at all");
    }

    #[test]
    fn any_limit_bounds_a_search() {
        let free = Limits::default();
        assert!(!free.is_bounded() && !free.has_clock());
        for limits in [
            Limits { depth: Some(1), ..Limits::default() },
            Limits { nodes: Some(1), ..Limits::default() },
            Limits { mate: Some(1), ..Limits::default() },
            Limits { movetime: Some(ms(1)), ..Limits::default() },
            Limits { time: [Some(ms(1)), None], ..Limits::default() },
            Limits { increment: [None, Some(ms(1))], ..Limits::default() },
        ] {
            assert!(limits.is_bounded(), "{limits:?}");
            assert!(!Limits { infinite: true, ..limits }.is_bounded());
        }
    }

    #[test]
    fn movetime_includes_the_overhead() {
        let limits = Limits { movetime: Some(ms(100)), ..Limits::default() };
        assert_eq!(budget(&limits, Side::White, ms(10)).maximum, Some(ms(90)));
        let limits = Limits { movetime: Some(ms(4)), ..Limits::default() };
        assert_eq!(budget(&limits, Side::White, ms(10)).maximum, Some(ms(2)));
    }
}
