//! The main thread of a search: it reports, and decides when to end.

use super::deepening::Observer;
use super::proof::Proved;
use super::root_move::RootMove;
use crate::game::{Move, Verdict};
use crate::search::budget::is_spent;
use crate::search::hash::Bound;
use crate::search::report::{Found, Info, Line};
use crate::search::score::{DRAW, TABLEBASE_WIN, mate_moves};
use crate::search::tree::worker::Shared;
use std::cell::RefCell;
use std::time::Duration;

/// The time from which bounds are reported.
const BOUNDS_AFTER: Duration = Duration::from_secs(1);

/// The main thread's observer: reports, and decides when to end.
pub(in crate::search) struct Reporter<'a, 'r> {
    pub shared: &'a Shared,
    pub report: &'a RefCell<&'r mut (dyn FnMut(&Info<'_>) + 'r)>,
    /// Whether there is only one legal move, and a clock runs.
    pub forced: bool,
    /// The depth after which the search pauses for a proof.
    pub pause: Option<i32>,
    pub completed: i32,
    pub best: Move,
    /// Iterations for which the best move has stayed the same.
    stable: u32,
}

impl Observer for Reporter<'_, '_> {
    fn variation(&mut self, depth: i32, multipv: usize, root: &RootMove, score: i32, bound: Bound) {
        if bound == Bound::Exact || self.shared.control.elapsed() >= BOUNDS_AFTER {
            self.report(depth, multipv, root, score, bound);
        }
    }

    fn iteration_done(&mut self, depth: i32, moves: &[RootMove]) -> bool {
        self.completed = depth;
        let Some(best) = moves.first() else { return true };
        self.stable = if best.mv == self.best { self.stable + 1 } else { 0 };
        self.best = best.mv;
        if self.pause.is_some_and(|pause| depth >= pause) {
            return true;
        }
        let limits = &self.shared.limits;
        if let Some(wanted) = limits.mate
            && mate_moves(best.score).is_some_and(|moves| moves > 0 && moves as u32 <= wanted)
        {
            return true;
        }
        let Some(optimum) = self.shared.budget.optimum else { return false };
        let Some(elapsed) = self.shared.control.on_clock() else { return false };
        if self.forced || mate_moves(best.score).is_some_and(|moves| depth > 2 * moves.abs() + 2) {
            return true;
        }
        let total = moves.iter().map(|root| root.nodes).sum();
        self.shared.control.is_enough(self.shared.nodes()) && is_spent(elapsed, optimum, self.stable, best.nodes, total)
    }
}

impl<'a, 'r> Reporter<'a, 'r> {
    /// Creates the observer before the first iteration.
    pub(in crate::search) const fn new(
        shared: &'a Shared,
        report: &'a RefCell<&'r mut (dyn FnMut(&Info<'_>) + 'r)>,
        forced: bool,
    ) -> Reporter<'a, 'r> {
        Reporter { shared, report, forced, pause: None, completed: 0, best: Move::NONE, stable: 0 }
    }

    /// Reports a proved value.
    pub(in crate::search) fn tell_proof(&self, proved: Proved, ranking: &[RootMove]) -> Found {
        let best = proved.best.unwrap_or(ranking[0].mv);
        let (score, text) = match proved.verdict {
            Verdict::Draw => (DRAW, "draw"),
            Verdict::Win => (TABLEBASE_WIN, "win"),
            Verdict::Loss => (-TABLEBASE_WIN, "loss"),
        };
        let tenths = self.shared.control.elapsed().as_millis() / 100;
        let time = format!("{}.{} s", tenths / 10, tenths % 10);
        let note = format!("proved: {text} for the side to move ({} nodes, {time})", self.shared.nodes());
        (self.report.borrow_mut())(&Info::Note(&note));
        let (depth, seldepth) = (self.completed, self.completed as usize);
        self.report_line(Line { depth, seldepth, ..self.line(score, vec![best]) });
        Found { best: Some(best), ponder: None, score, depth, nodes: self.shared.nodes() }
    }

    pub(in crate::search) fn report(&self, depth: i32, multipv: usize, root: &RootMove, score: i32, bound: Bound) {
        let seldepth = root.seldepth.max(1);
        self.report_line(Line { depth, seldepth, multipv, bound, ..self.line(score, root.pv.clone()) });
    }

    fn report_line(&self, line: Line) {
        (self.report.borrow_mut())(&Info::Line(line));
    }

    /// Returns a line with the counts of all threads so far.
    fn line(&self, score: i32, pv: Vec<Move>) -> Line {
        Line {
            nodes: self.shared.nodes(),
            tablebase_hits: self.shared.tablebase_hits(),
            ..Line::unsearched(score, pv, &self.shared.hash, &self.shared.control)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::play::Play;
    use crate::search::control::Control;
    use crate::search::driver::team;
    use crate::search::hash::HashTable;
    use crate::search::limits::Limits;
    use crate::search::request::Request;
    use crate::search::score::{mate_in, mated_in};
    use crate::smess::{Rules, Smess};
    use std::sync::Arc;

    /// Returns the first depth after which a search ends if its best move has this score.
    fn last_depth(limits: &Limits, pondering: bool, score: i32) -> Option<i32> {
        let play = Play::new(Smess::new(Rules::default()));
        let (hash, control) = (Arc::new(HashTable::tiny(1)), Arc::new(Control::new(pondering)));
        let team = team(&play, None, &Request::plain(limits, &hash, &control), 1);
        let mut ignore = |_: &Info<'_>| {};
        let report = RefCell::new(&mut ignore as &mut dyn FnMut(&Info<'_>));
        let mut reporter = Reporter::new(&team.shared, &report, false);
        let root = RootMove { score, ..RootMove::new(Move::from_bits(7), false) };
        (1..60).find(|&depth| reporter.iteration_done(depth, std::slice::from_ref(&root)))
    }

    /// A mate is searched one move longer than it takes, in case there is a shorter one; without a clock, as long as
    /// the search may.
    #[test]
    fn mates_end_searches_on_the_clock() {
        let hour = Limits { movestogo: Some(1), time: [Some(Duration::from_secs(3600)); 2], ..Limits::default() };
        for (moves, depth) in [(1, 5), (2, 7), (3, 9), (20, 43)] {
            for score in [mate_in(2 * moves - 1), mated_in(2 * moves)] {
                assert_eq!(last_depth(&hour, false, score), Some(depth), "{moves} moves, score {score}");
                assert_eq!(last_depth(&hour, true, score), None, "it ponders");
                assert_eq!(last_depth(&Limits::default(), false, score), None);
            }
        }
        for score in [TABLEBASE_WIN, -TABLEBASE_WIN, 500, 0] {
            assert_eq!(last_depth(&hour, false, score), None, "{score}");
        }
    }

    /// A search for a mate ends with a sufficiently short win, however soon it is found.
    #[test]
    fn a_mate_short_enough_ends_the_search_for_it() {
        let limits = Limits { mate: Some(3), ..Limits::default() };
        for (score, depth) in [
            (mate_in(1), Some(1)),
            (mate_in(5), Some(1)),
            (mate_in(7), None),
            (mated_in(0), None),
            (mated_in(2), None),
            (TABLEBASE_WIN, None),
            (0, None),
        ] {
            assert_eq!(last_depth(&limits, false, score), depth, "{score}");
        }
    }

    /// Before a proof the search pauses at a depth, whatever its result.
    #[test]
    fn a_pause_ends_an_iteration() {
        let play = Play::new(Smess::new(Rules::default()));
        let (hash, control) = (Arc::new(HashTable::tiny(1)), Arc::new(Control::new(false)));
        let limits = Limits::default();
        let team = team(&play, None, &Request::plain(&limits, &hash, &control), 1);
        let mut ignore = |_: &Info<'_>| {};
        let report = RefCell::new(&mut ignore as &mut dyn FnMut(&Info<'_>));
        let mut reporter = Reporter { pause: Some(3), ..Reporter::new(&team.shared, &report, false) };
        let roots = [RootMove::new(Move::from_bits(7), false)];
        let ends = [1, 2, 3, 4].map(|depth| (reporter.iteration_done(depth, &roots), reporter.completed));
        assert_eq!(ends, [(false, 1), (false, 2), (true, 3), (true, 4)]);
        reporter.pause = None;
        assert!(!reporter.iteration_done(5, &roots) && reporter.iteration_done(6, &[]), "nothing to choose from");
    }

    /// The longer the best move has stayed the same, the less time the search takes.
    #[test]
    fn iterations_with_the_same_best_move_are_counted() {
        let play = Play::new(Smess::new(Rules::default()));
        let (hash, control) = (Arc::new(HashTable::tiny(1)), Arc::new(Control::new(false)));
        let limits = Limits::default();
        let team = team(&play, None, &Request::plain(&limits, &hash, &control), 1);
        let mut ignore = |_: &Info<'_>| {};
        let report = RefCell::new(&mut ignore as &mut dyn FnMut(&Info<'_>));
        let mut reporter = Reporter::new(&team.shared, &report, false);
        let stable = [(1, 7), (2, 7), (3, 7), (4, 9), (5, 9), (6, 7)].map(|(depth, bits)| {
            assert!(!reporter.iteration_done(depth, &[RootMove::new(Move::from_bits(bits), false)]));
            reporter.stable
        });
        assert_eq!(stable, [0, 1, 2, 0, 1, 0]);
    }
}
