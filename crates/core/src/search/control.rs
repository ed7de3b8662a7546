//! Control of a running search from outside: stop, ponder hit, and the clock.

use crate::perft::Interrupt;
use crate::platform::Instant;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, OnceLock, PoisonError};
use std::time::Duration;

/// The control shared between a running search and its caller.
///
/// ```
/// use millbrain_core::any::AnyGame;
/// use millbrain_core::search::{Control, HashTable, Limits, Request};
/// use millbrain_core::variant::Variant;
/// use std::sync::Arc;
///
/// let hash = Arc::new(HashTable::new(1).expect("1 MiB"));
/// let control = Arc::new(Control::new(false));
/// let (limits, game) = (Limits::default(), AnyGame::new(Variant::Morris.rules()));
/// let answer = std::thread::scope(|scope| {
/// // Without a limit, the search runs until it is stopped.
///     let search = scope.spawn(|| game.search(&Request::plain(&limits, &hash, &control), &mut |_| {}));
///     control.stop();
///     search.join().expect("no panic")
/// });
/// assert!(answer.best.is_some());
/// ```
pub struct Control {
    stop: AtomicBool,
    pondering: AtomicBool,
    started: Instant,
    /// Microseconds from the start to the moment the clock began to run: later than 0 after a ponder hit.
    clock_from: AtomicU64,
    /// Whether the search sleeps to leave the processors to others.
    paused: AtomicBool,
    /// Microseconds for which the first thread has slept.
    slept: AtomicU64,
    /// Nodes below which time does not end the search.
    least_nodes: AtomicU64,
    /// Whether the search is done, and waits for permission to answer.
    done: AtomicBool,
    changed: (Mutex<()>, Condvar),
    pulse: OnceLock<OnPulse>,
}

/// The state of a search while it calls a pulse.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pulse {
    /// It is searching, and continues when the pulse returns.
    Searching,
    /// It is done, and waits for permission to answer: the pulse may take its time.
    Waiting,
}

/// Called repeatedly by a search; see [`Control::on_pulse`].
type OnPulse = Box<dyn Fn(Pulse) + Send + Sync>;

impl Control {
    /// Creates the control of a search that starts now; its clock does not run while pondering.
    pub fn new(pondering: bool) -> Control {
        Control {
            stop: AtomicBool::new(false),
            pondering: AtomicBool::new(pondering),
            started: Instant::now(),
            clock_from: AtomicU64::new(0),
            paused: AtomicBool::new(false),
            slept: AtomicU64::new(0),
            least_nodes: AtomicU64::new(0),
            done: AtomicBool::new(false),
            changed: (Mutex::new(()), Condvar::new()),
            pulse: OnceLock::new(),
        }
    }

    fn wake(&self) {
        let _guard = self.changed.0.lock().unwrap_or_else(PoisonError::into_inner);
        self.changed.1.notify_all();
    }

    /// Makes the search call `pulse` every few hundred nodes and while it waits, so that a caller with a single thread
    /// can read messages. Only the first call counts.
    pub fn on_pulse(&self, pulse: impl Fn(Pulse) + Send + Sync + 'static) {
        let _ = self.pulse.set(Box::new(pulse));
    }

    /// Calls the pulse that [`Control::on_pulse`] has set.
    pub(super) fn pulse(&self) {
        if let Some(pulse) = self.pulse.get() {
            pulse(Pulse::Searching);
        }
    }

    /// Ends the search as soon as possible.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Release);
        self.wake();
    }

    /// Reports that the opponent has played the move pondered on: the clock runs from now.
    pub fn ponder_hit(&self) {
        self.clock_from.store(self.elapsed().as_micros() as u64, Ordering::Relaxed);
        self.pondering.store(false, Ordering::Release);
        self.wake();
    }

    /// Returns whether the search has been stopped.
    #[inline(always)]
    pub fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Returns the flag behind [`Control::stopped`], for work that polls it itself.
    pub fn stop_flag(&self) -> &AtomicBool {
        &self.stop
    }

    /// Returns whether the search is pondering.
    pub fn pondering(&self) -> bool {
        self.pondering.load(Ordering::Acquire)
    }

    /// Returns the time since the search started.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Returns the time on the clock of the side to move, or `None` while pondering.
    pub fn on_clock(&self) -> Option<Duration> {
        if self.pondering() {
            return None;
        }
        Some(self.elapsed().saturating_sub(Duration::from_micros(self.clock_from.load(Ordering::Relaxed))))
    }

    /// Returns whether the clock of the side to move has reached `time`; never without a time, nor while pondering.
    pub(super) fn is_past(&self, time: Option<Duration>) -> bool {
        time.is_some_and(|time| self.on_clock().is_some_and(|elapsed| elapsed >= time))
    }

    /// Makes the threads of the search sleep, each within a few hundred nodes, until [`Control::resume`], to leave the
    /// processors to others. The result of the search is the same, except for what its clock cuts short, which
    /// continues to run. The search wakes when it is stopped or its time is up.
    pub fn pause(&self) {
        self.paused.store(true, Ordering::Relaxed);
    }

    /// Wakes a search that [`Control::pause`] has put to sleep.
    pub fn resume(&self) {
        self.paused.store(false, Ordering::Relaxed);
        self.wake();
    }

    /// Returns the time for which the search has slept; see [`Control::pause`].
    pub fn slept(&self) -> Duration {
        Duration::from_micros(self.slept.load(Ordering::Relaxed))
    }

    /// Sets the number of nodes before which time does not end the search: a caller that pauses searches may otherwise
    /// deprive one of its first move.
    pub fn set_least_nodes(&self, nodes: u64) {
        self.least_nodes.store(nodes, Ordering::Relaxed);
    }

    /// Returns whether these nodes are enough for time to end the search.
    pub(super) fn is_enough(&self, nodes: u64) -> bool {
        nodes >= self.least_nodes.load(Ordering::Relaxed)
    }

    /// Returns whether the search is done, and only waits for [`Control::stop`] or [`Control::ponder_hit`] to answer.
    pub fn is_done(&self) -> bool {
        self.done.load(Ordering::Relaxed)
    }

    /// Sleeps while the search is paused: until it is resumed, stopped or, after `nodes` nodes in all, its clock has
    /// run for `maximum`. `is_first` marks the thread whose sleep is counted.
    #[inline(always)]
    pub(super) fn sleep_while_paused(&self, is_first: bool, nodes: u64, maximum: Option<Duration>) {
        if self.paused.load(Ordering::Relaxed) {
            self.sleep(is_first, maximum.filter(|_| self.is_enough(nodes)));
        }
    }

    #[cold]
    #[inline(never)]
    fn sleep(&self, is_first: bool, maximum: Option<Duration>) {
        let begun = self.elapsed();
        let mut guard = self.changed.0.lock().unwrap_or_else(PoisonError::into_inner);
        while self.paused.load(Ordering::Relaxed) && !self.stopped() && !self.is_past(maximum) {
            // While pondering no time is left or used up.
            let left = maximum.zip(self.on_clock()).map(|(maximum, elapsed)| maximum.saturating_sub(elapsed));
            guard = match left {
                Some(left) => self.changed.1.wait_timeout(guard, left).unwrap_or_else(PoisonError::into_inner).0,
                None => self.changed.1.wait(guard).unwrap_or_else(PoisonError::into_inner),
            };
        }
        drop(guard);
        if is_first {
            let slept = self.elapsed().saturating_sub(begun).as_micros() as u64;
            self.slept.store(self.slept.load(Ordering::Relaxed) + slept, Ordering::Relaxed);
        }
    }

    /// Waits until the search is stopped or, unless `infinite`, no longer pondering.
    pub fn wait_until_released(&self, infinite: bool) {
        self.done.store(true, Ordering::Relaxed);
        if let Some(pulse) = self.pulse.get() {
            // There may be no other thread that could wake this one.
            while !self.stopped() && (infinite || self.pondering()) {
                pulse(Pulse::Waiting);
            }
            return;
        }
        let mut guard = self.changed.0.lock().unwrap_or_else(PoisonError::into_inner);
        while !self.stopped() && (infinite || self.pondering()) {
            guard = self.changed.1.wait(guard).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Interrupt for Control {
    /// Returns whether it is stopped; while it is paused, the calling thread first sleeps.
    fn is_interrupted(&self) -> bool {
        self.sleep_while_paused(true, u64::MAX, None);
        self.stopped()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    /// Pauses a search until `what`, after this many nodes and with this time, and returns for how long it has slept.
    fn nap(what: &str, nodes: u64, maximum: Option<Duration>) -> Duration {
        let control = Control::new(false);
        control.set_least_nodes(9);
        control.pause();
        let asleep = AtomicBool::new(true);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                control.sleep_while_paused(true, nodes, maximum);
                asleep.store(false, Ordering::Relaxed);
            });
            if what != "time" {
                std::thread::sleep(Duration::from_millis(40));
                assert!(asleep.load(Ordering::Relaxed), "{what}");
                if what == "stop" { control.stop() } else { control.resume() }
            }
        });
        control.slept()
    }

    /// A sleeper wakes when it is resumed, stopped, or its time is up after enough nodes. Its sleep is counted.
    #[test]
    fn a_pause_ends() {
        let control = Control::new(false);
        control.sleep_while_paused(true, 0, None);
        assert_eq!(control.slept(), Duration::ZERO, "nobody has paused it");
        control.set_least_nodes(9);
        assert!(!control.is_enough(8) && control.is_enough(9));
        let short = Some(Duration::from_millis(20));
        for (what, nodes, maximum) in [("resume", 0, short), ("stop", 0, None), ("time", 9, short)] {
            // A busy machine may start the sleeper after its time.
            let is_counted = |_| nap(what, nodes, maximum) >= Duration::from_millis(10);
            assert!((0..100).any(is_counted), "{what}");
        }
    }

    /// A stop at any moment, before the waiting begins or after, ends it.
    #[test]
    fn whoever_waits_is_released() {
        for round in 0..if cfg!(miri) { 4 } else { 2_000 } {
            let control = Control::new(true);
            let seen = std::thread::scope(|scope| {
                let waiting = scope.spawn(|| {
                    control.wait_until_released(round % 2 == 0);
                    (control.stopped(), control.pondering(), control.on_clock().is_some())
                });
                if round % 2 == 0 {
                    control.stop()
                } else {
                    control.ponder_hit()
                }
                waiting.join().expect("released")
            });
            let stopped = round % 2 == 0;
            assert_eq!(seen, (stopped, stopped, !stopped));
        }
    }

    /// An infinite search waits for a stop even if it does not ponder, and a pondering one for the hit.
    #[test]
    fn nobody_is_released_too_soon() {
        for (infinite, pondering) in [(true, false), (true, true), (false, true)] {
            let control = Control::new(pondering);
            let released = AtomicBool::new(false);
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    control.wait_until_released(infinite);
                    released.store(true, Ordering::Relaxed);
                });
                std::thread::sleep(Duration::from_millis(20));
                assert!(!released.load(Ordering::Relaxed), "infinite {infinite}, pondering {pondering}");
                if infinite {
                    control.stop();
                } else {
                    control.ponder_hit();
                }
            });
            assert!(released.load(Ordering::Relaxed));
        }
    }

    /// The pulse is called to wait as long as the search may not answer, and no longer.
    #[test]
    fn a_search_that_may_not_answer_waits() {
        for (infinite, pondering, ends) in
            [(false, false, "at once"), (false, true, "hit"), (true, false, "stop"), (true, true, "stop")]
        {
            for stopped in [false, true] {
                let control = Arc::new(Control::new(pondering));
                let (weak, calls) = (Arc::downgrade(&control), Arc::new(AtomicU64::new(0)));
                let seen = Arc::clone(&calls);
                control.on_pulse(move |doing| {
                    assert_eq!(doing, Pulse::Waiting);
                    let control = weak.upgrade().expect("it waits");
                    match seen.fetch_add(1, Ordering::Relaxed) {
                        1 => control.ponder_hit(),
                        3 => control.stop(),
                        calls => assert!(calls < 4, "neither stopped nor released"),
                    }
                });
                if stopped {
                    control.stop();
                }
                control.wait_until_released(infinite);
                let expected = match ends {
                    _ if stopped => 0,
                    "hit" => 2,
                    "stop" => 4,
                    _ => 0,
                };
                assert_eq!(calls.load(Ordering::Relaxed), expected, "infinite {infinite}, pondering {pondering}");
            }
        }
    }

    /// The clock does not run while pondering, and runs from the hit on.
    #[test]
    fn the_clock_runs_from_the_hit() {
        let control = Control::new(true);
        assert_eq!((control.on_clock(), control.pondering()), (None, true));
        std::thread::sleep(Duration::from_millis(30));
        control.ponder_hit();
        let (on_clock, elapsed) = (control.on_clock().expect("it runs"), control.elapsed());
        assert!(on_clock + Duration::from_millis(29) <= elapsed, "{on_clock:?} of {elapsed:?}");
        let control = Control::new(false);
        std::thread::sleep(Duration::from_millis(2));
        assert!(control.on_clock().is_some_and(|time| time >= Duration::from_millis(2)));
        assert!(!control.stop_flag().load(Ordering::Relaxed));
        control.stop();
        assert!(control.stop_flag().load(Ordering::Relaxed));
    }
}
