//! The threads of a running search: deepening in parallel, and proving.

use super::hash::Bound;
use super::pool::Pool;
use super::report::Info;
use super::root::deepening::Observer;
use super::root::proof::{Proved, Prover};
use super::root::reporter::Reporter;
use super::root::root_move::RootMove;
use super::tree::worker::{Team, Worker};
use super::tree::workspace::Workspace;
use crate::game::Searchable;
use crate::game::value::Oracle;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The time from which current moves are reported.
const CURRENT_MOVE_AFTER: Duration = Duration::from_secs(3);

/// An observer for helpers, which report nothing and end when stopped.
struct Helper;

impl Observer for Helper {
    fn variation(&mut self, _: i32, _: usize, _: &RootMove, _: i32, _: Bound) {}

    fn iteration_done(&mut self, _: i32, _: &[RootMove]) -> bool {
        false
    }
}

impl<G: Searchable> Team<G> {
    /// Starts the helpers. One that begins after the end of the search does nothing.
    fn start_helpers(
        self: &Arc<Self>,
        pool: &Pool,
        work: impl Fn(&Team<G>, usize, &mut Workspace) + Clone + Send + 'static,
    ) {
        pool.start(|id| {
            let (team, work) = (Arc::clone(self), work.clone());
            Box::new(move |workspace| {
                if !team.shared.is_over() && !team.shared.is_out_of_time() {
                    work(&team, id, workspace);
                }
            })
        });
    }

    /// Deepens until the main thread is done and, unless it only pauses, released. Returns the root moves, best first.
    pub(super) fn deepen(
        self: &Arc<Self>,
        pool: &Pool,
        root_moves: &[RootMove],
        reporter: &mut Reporter<'_, '_>,
    ) -> Vec<RootMove> {
        let helpers_moves = root_moves.to_vec();
        self.start_helpers(pool, move |team, id, workspace| {
            let mut worker = Worker::new(team, id, &helpers_moves, workspace);
            worker.deepen(team.play.position(), team.multipv, &mut Helper);
            *workspace = worker.into_workspace();
        });
        let control = &self.shared.control;
        let report = reporter.report;
        let tell = move |depth, mv, number| {
            if control.elapsed() >= CURRENT_MOVE_AFTER {
                (report.borrow_mut())(&Info::CurrentMove { depth, mv, number });
            }
        };
        let mut workspace = pool.main_workspace();
        let mut worker = Worker::new(self, 0, root_moves, &mut workspace);
        worker.on_root_move = Some(&tell);
        worker.deepen(self.play.position(), self.multipv, reporter);
        if reporter.pause.is_none() {
            control.wait_until_released(!self.shared.limits.is_bounded());
        }
        self.shared.done.store(true, Ordering::Relaxed);
        let ranking = std::mem::take(&mut worker.root_moves);
        *workspace = worker.into_workspace();
        ranking
    }

    /// Prepares another part of the same search, once all helpers have left the last one.
    pub(super) fn begin_again(&self, pool: &Pool) {
        pool.settle();
        self.shared.done.store(false, Ordering::Relaxed);
    }

    /// Tries to prove the value of the position with all threads, until stopped.
    pub(super) fn prove(self: &Arc<Self>, pool: &Pool, oracle: &Arc<dyn Oracle<G::Position>>) -> Option<Proved> {
        let proved = Arc::new(Mutex::new(None));
        let (result, oracle) = (Arc::clone(&proved), Arc::clone(oracle));
        let work = move |team: &Team<G>, id: usize, _: &mut Workspace| {
            let pos = team.play.position();
            if let Some(found) = Prover::new(&team.shared, team.play.game, &*oracle, id, pos).prove(pos) {
                result.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(found);
            }
            // The first thread to finish, with a proof or without, ends it for all.
            team.shared.done.store(true, Ordering::Relaxed);
        };
        self.start_helpers(pool, work.clone());
        work(self, 0, &mut pool.main_workspace());
        *proved.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::super::control::Control;
    use super::super::driver::team;
    use super::super::hash::HashTable;
    use super::super::limits::Limits;
    use super::super::request::Request;
    use super::*;
    use crate::play::Play;
    use crate::smess::{Rules, Smess};
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    /// Each helper works once, unless the search is over before it begins.
    #[test]
    fn helpers_work_while_the_search_lasts() {
        let pool = Pool::new(4).expect("four threads");
        let hash = Arc::new(HashTable::tiny(1));
        let worked = |limits: &Limits, ends: &dyn Fn(&Team<Smess>)| {
            let control = Arc::new(Control::new(false));
            let play = Play::new(Smess::new(Rules::default()));
            let team = team(&play, None, &Request::plain(limits, &hash, &control), pool.threads());
            ends(&team);
            let sum = Arc::new(AtomicUsize::new(0));
            let counted = Arc::clone(&sum);
            team.start_helpers(&pool, move |_, id, _| {
                counted.fetch_add(id, Relaxed);
            });
            pool.settle();
            sum.load(Relaxed)
        };
        assert_eq!(worked(&Limits::default(), &|_| {}), 1 + 2 + 3);
        assert_eq!(worked(&Limits::default(), &|team| team.shared.done.store(true, Relaxed)), 0);
        assert_eq!(worked(&Limits::default(), &|team| team.shared.control.stop()), 0);
        let short = Limits { movetime: Some(Duration::from_millis(1)), ..Limits::default() };
        assert_eq!(worked(&short, &|_| std::thread::sleep(Duration::from_millis(2))), 0, "too late");
    }
}
