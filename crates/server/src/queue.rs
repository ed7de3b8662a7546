//! The queue for the processors: searches take turns, so that each gets a fair share.
//!
//! The number of running search threads never exceeds the number of processors. A search that has had its turn goes to
//! the end of the queue and sleeps until it is first again. Turns are short: a new search waits for at most one turn of
//! each other search. A search with several threads takes several places for a shorter time.

use millbrain_core::search::Control;
use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Turn of a search with one thread.
const TURN: Duration = Duration::from_millis(10);
/// Minimum nodes before time ends a search: half of a typical turn.
const LEAST_NODES: u64 = 2_048;

/// A search that is running or waiting.
struct Search {
    control: Arc<Control>,
    /// Processors that the search takes.
    places: usize,
    /// End of its turn.
    until: Instant,
}

/// The running and waiting searches.
#[derive(Default)]
struct Line {
    running: Vec<Search>,
    waiting: VecDeque<Search>,
    /// Number of finished searches.
    ended: u64,
    /// Total sleep of the finished searches.
    slept: Duration,
    /// Whether the queue is closed.
    closed: bool,
}

impl Line {
    /// Gives waiting searches their turn, in order, while there is room.
    fn fill(&mut self, processors: usize, now: Instant) {
        // A search that only waits for permission to answer needs no processor.
        self.waiting.retain(|search| !search.control.is_done());
        let mut taken: usize = self.running.iter().map(|search| search.places).sum();
        while let Some(mut first) = self.waiting.pop_front_if(|first| taken + first.places <= processors) {
            taken += first.places;
            first.until = now + TURN / u32::try_from(first.places).unwrap_or(u32::MAX);
            first.control.resume();
            self.running.push(first);
        }
    }

    /// Ends expired turns if others wait; returns the time of the next check.
    fn rotate(&mut self, processors: usize, now: Instant) -> Option<Instant> {
        self.running.retain(|search| !search.control.is_done());
        self.fill(processors, now);
        if self.waiting.is_empty() {
            return None;
        }
        for search in self.running.extract_if(.., |search| search.until <= now) {
            search.control.pause();
            self.waiting.push_back(search);
        }
        self.fill(processors, now);
        self.running.iter().map(|search| search.until).min()
    }
}

/// The queue and the number of processors.
struct Shared {
    processors: usize,
    line: Mutex<Line>,
    changed: Condvar,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Line> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(&self) {
        let mut line = self.lock();
        while !line.closed {
            let now = Instant::now();
            line = match line.rotate(self.processors, now) {
                Some(next) => {
                    let wait = next.saturating_duration_since(now);
                    self.changed.wait_timeout(line, wait).unwrap_or_else(PoisonError::into_inner).0
                }
                None => self.changed.wait(line).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }
}

/// The queue for the processors. Dropping it resumes all waiting searches at once.
pub struct Queue {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

/// The load of the queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Load {
    /// Running searches.
    pub running: usize,
    /// Waiting searches.
    pub waiting: usize,
    /// Finished searches.
    pub ended: u64,
    /// Total waiting time of the finished searches.
    pub slept: Duration,
}

/// A place in the queue, released when dropped.
struct Place<'a> {
    shared: &'a Shared,
    control: &'a Arc<Control>,
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut line = self.shared.lock();
        let is_other = |search: &Search| !Arc::ptr_eq(&search.control, self.control);
        line.running.retain(is_other);
        line.waiting.retain(is_other);
        // Its helpers may still sleep.
        self.control.resume();
        line.ended += 1;
        line.slept += self.control.slept();
        line.fill(self.shared.processors, Instant::now());
    }
}

impl Queue {
    /// Starts a queue for this number of processors, at least one.
    ///
    /// # Errors
    /// When no thread can be started.
    pub fn start(processors: usize) -> io::Result<Arc<Queue>> {
        let processors = processors.max(1);
        let shared = Arc::new(Shared { processors, line: Mutex::default(), changed: Condvar::new() });
        let running = Arc::clone(&shared);
        let thread = std::thread::Builder::new().name("queue".to_string()).spawn(move || running.run())?;
        Ok(Arc::new(Queue { shared, thread: Some(thread) }))
    }

    /// Runs a search with `threads` threads and this control to its end, in turns with all others.
    pub fn run<T>(&self, control: &Arc<Control>, threads: usize, search: impl FnOnce() -> T) -> T {
        control.set_least_nodes(LEAST_NODES);
        let places = threads.clamp(1, self.shared.processors);
        // Before its first turn the search runs only until its next check of the control.
        control.pause();
        let mut line = self.shared.lock();
        let now = Instant::now();
        line.waiting.push_back(Search { control: Arc::clone(control), places, until: now });
        line.fill(self.shared.processors, now);
        if !line.waiting.is_empty() {
            self.shared.changed.notify_all();
        }
        drop(line);
        let _place = Place { shared: &self.shared, control };
        search()
    }

    /// Returns the load of the queue.
    pub fn load(&self) -> Load {
        let line = self.shared.lock();
        Load { running: line.running.len(), waiting: line.waiting.len(), ended: line.ended, slept: line.slept }
    }

    /// Returns the number of processors for searches.
    pub fn processors(&self) -> usize {
        self.shared.processors
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        let mut line = self.shared.lock();
        line.closed = true;
        line.waiting.iter().for_each(|search| search.control.resume());
        drop(line);
        self.shared.changed.notify_all();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use millbrain_core::any::{Answer, AnyGame, Report};
    use millbrain_core::search::{HashTable, Limits, Request};
    use millbrain_core::variant::Variant;
    use std::sync::Barrier;

    fn line(places: &[usize]) -> Line {
        let search = |&places: &usize| Search { control: Arc::new(Control::new(false)), places, until: Instant::now() };
        Line { waiting: places.iter().map(search).collect(), ..Line::default() }
    }

    fn places(searches: &[Search]) -> Vec<usize> {
        searches.iter().map(|search| search.places).collect()
    }

    /// Turns rotate. A search with several processors waits for them: it neither overtakes others nor is overtaken.
    #[test]
    fn turns_go_round() {
        let mut line = line(&[1, 2, 3, 1]);
        let begun = Instant::now();
        assert_eq!(line.rotate(3, begun), Some(begun + TURN / 2), "a pair has half the time");
        assert_eq!(places(&line.running), [1, 2]);
        assert_eq!(line.rotate(3, begun + TURN / 2), Some(begun + TURN), "three places are not free yet");
        assert_eq!(places(&line.running), [1]);
        line.rotate(3, begun + TURN);
        assert_eq!(places(&line.running), [3]);
        line.rotate(3, begun + 2 * TURN);
        assert_eq!((places(&line.running), line.waiting.len()), (vec![1, 2], 2));
        // A finished search makes room.
        line.running[0].control.stop();
        line.running[0].control.wait_until_released(true);
        line.waiting[1].control.stop();
        line.waiting[1].control.wait_until_released(true);
        line.rotate(3, begun + 2 * TURN);
        assert_eq!((places(&line.running), line.waiting.len()), (vec![2, 1], 0));
        assert_eq!(line.rotate(3, begun + 9 * TURN), None, "nobody waits: who searches goes on");
        assert_eq!(line.running.len(), 2);
    }

    /// Returns a search's answer, its lines and its sleep. It begins when all of `together` have a place in the queue.
    fn searched(queue: &Queue, limits: &Limits, together: &Barrier) -> (Answer, Vec<(u64, i32)>, Duration) {
        let (control, hash) = (Arc::new(Control::new(false)), Arc::new(HashTable::new(1).expect("a MiB")));
        let game = AnyGame::new(Variant::Morris.rules());
        let mut lines = Vec::new();
        let answer = queue.run(&control, 1, || {
            together.wait();
            game.search(&Request::plain(limits, &hash, &control), &mut |report| {
                if let Report::Line(line) = report {
                    lines.push((line.nodes, line.depth));
                }
            })
        });
        (answer, lines, control.slept())
    }

    /// A search has the same result, node by node, with or without turns.
    #[test]
    fn turns_change_nothing() {
        let queue = Queue::start(1).expect("a thread");
        let limits = Limits { nodes: Some(60_000), ..Limits::default() };
        let (alone, lines, slept) = searched(&queue, &limits, &Barrier::new(1));
        assert_eq!((alone.nodes, slept), (60_000, Duration::ZERO));
        let together = Barrier::new(4);
        std::thread::scope(|scope| {
            let searches: Vec<_> = (0..4).map(|_| scope.spawn(|| searched(&queue, &limits, &together))).collect();
            for search in searches {
                let (answer, reported, _) = search.join().expect("no panic");
                assert_eq!((answer.best, answer.nodes, reported), (alone.best.clone(), alone.nodes, lines.clone()));
            }
        });
        let load = queue.load();
        assert_eq!((load.running, load.waiting, load.ended), (0, 0, 5));
        assert!(load.slept > Duration::ZERO, "they took turns");
    }

    /// Every search visits some nodes, however short its time and however many searches there are.
    #[test]
    fn nobody_goes_without() {
        let queue = Queue::start(1).expect("a thread");
        let limits = Limits { movetime: Some(Duration::from_millis(5)), ..Limits::default() };
        let together = Barrier::new(20);
        std::thread::scope(|scope| {
            let searches: Vec<_> = (0..20).map(|_| scope.spawn(|| searched(&queue, &limits, &together))).collect();
            for search in searches {
                let (answer, ..) = search.join().expect("no panic");
                assert!(answer.nodes >= LEAST_NODES && answer.best.is_some(), "{} nodes", answer.nodes);
            }
        });
    }
}
