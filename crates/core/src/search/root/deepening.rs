//! Iterative deepening at the root.

use super::root_move::{RootMove, best_first};
use crate::game::Searchable;
use crate::search::MAX_DEPTH;
use crate::search::hash::Bound;
use crate::search::score::{INFINITE, is_known};
use crate::search::tree::node_type::Root;
use crate::search::tree::worker::Worker;
use crate::search::tunables;

/// Observes iterations in the main thread.
pub(in crate::search) trait Observer {
    /// Receives a variation that is complete, or has a bound so far.
    fn variation(&mut self, depth: i32, multipv: usize, root: &RootMove, score: i32, bound: Bound);
    /// Receives the root moves of a completed iteration, best first; returns `true` to end the search.
    fn iteration_done(&mut self, depth: i32, moves: &[RootMove]) -> bool;
}

impl<G: Searchable> Worker<'_, G> {
    /// Deepens until stopped by a limit, the observer or the depth limit. Leaves the root moves best first.
    pub(in crate::search) fn deepen(&mut self, pos: &G::Position, multipv: usize, observer: &mut dyn Observer) {
        let limits = &self.shared.limits;
        let mate_depth = limits.mate.map_or(MAX_DEPTH, |moves| moves.saturating_mul(2).min(MAX_DEPTH as u32) as i32);
        let depth_limit = limits.depth.map_or(MAX_DEPTH, |depth| depth.min(MAX_DEPTH as u32) as i32).min(mate_depth);
        self.begin(pos);
        let mut depth = 1;
        while self.may_search() && depth <= depth_limit {
            self.iteration = depth;
            let searched = self.iterate(pos, depth, multipv, observer);
            if !self.stopped {
                // A later line may have become better than an earlier one.
                best_first(&mut self.root_moves[..searched]);
                self.shared.finished.publish(depth, &self.root_moves);
            } else if let Some(finished) = self.shared.finished.adopt(depth, &mut self.root_moves) {
                depth = finished;
                self.stopped = self.shared.is_over();
            } else {
                return;
            }
            for (line, root) in self.root_moves.iter().enumerate() {
                let number = self.number(line);
                if number > multipv {
                    break;
                }
                observer.variation(depth, number, root, root.score, Bound::Exact);
            }
            if observer.iteration_done(depth, &self.root_moves) || self.stopped {
                return;
            }
            depth += 1;
        }
    }

    /// Returns the number of a line, from 1: each root move before it counts for all those that it represents.
    fn number(&self, line: usize) -> usize {
        1 + self.root_moves[..line].iter().map(|root| 1 + root.twins).sum::<usize>()
    }

    /// Runs one iteration: the best lines, one after the other, until there are as many as requested. Returns the
    /// number of root moves that this took.
    fn iterate(&mut self, pos: &G::Position, depth: i32, multipv: usize, observer: &mut dyn Observer) -> usize {
        for root in &mut self.root_moves {
            root.last_score = root.score;
        }
        let mut line = 0;
        while line < self.root_moves.len() && self.number(line) <= multipv {
            self.first_root_move = line;
            self.seldepth = 0;
            self.aspirate(pos, depth, line, observer);
            if self.stopped {
                // The completed part of an iteration counts: a move that beat the best is better.
                best_first(&mut self.root_moves[line..]);
                break;
            }
            line += 1;
        }
        line
    }

    /// Searches the root with an aspiration window around the last score, widened until the score falls inside.
    fn aspirate(&mut self, pos: &G::Position, depth: i32, line: usize, observer: &mut dyn Observer) {
        let last = self.root_moves[line].last_score;
        let mut delta = tunables::aspiration_window();
        let (mut alpha, mut beta) = if depth >= tunables::aspiration_depth() && !is_known(last) {
            (last - delta, last + delta)
        } else {
            (-INFINITE, INFINITE)
        };
        let mut reduced = depth;
        loop {
            for root in &mut self.root_moves[line..] {
                root.score = -INFINITE;
            }
            let score = self.node::<Root>(pos, 0, reduced.max(1), alpha, beta, false);
            if self.stopped {
                return;
            }
            best_first(&mut self.root_moves[line..]);
            let root = &self.root_moves[line];
            // No score reaches an infinite side of the window.
            if score <= alpha {
                observer.variation(depth, self.number(line), root, score, Bound::Upper);
                beta = (alpha + beta) / 2;
                alpha = if is_known(score) { -INFINITE } else { (score - delta).max(-INFINITE) };
                reduced = depth;
            } else if score >= beta {
                observer.variation(depth, self.number(line), root, score, Bound::Lower);
                beta = if is_known(score) { INFINITE } else { (score + delta).min(INFINITE) };
                // A mate may need the whole depth.
                if !self.exact && !is_known(score) {
                    reduced = (reduced - 1).max(depth - tunables::aspiration_reduction());
                }
            } else {
                return;
            }
            delta = delta * tunables::aspiration_growth() / 100;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Move;
    use crate::morris::{FLYING, Morris, rules};
    use crate::play::Play;
    use crate::search::control::Control;
    use crate::search::driver::team;
    use crate::search::hash::HashTable;
    use crate::search::limits::Limits;
    use crate::search::request::Request;
    use crate::search::tree::worker::Team;
    use crate::search::tree::workspace::Workspace;
    use crate::smess::{Rules, Smess};
    use std::cell::RefCell;
    use std::cmp::Reverse;
    use std::sync::Arc;

    /// The calls of an observer.
    #[derive(Default)]
    struct Reported {
        variations: Vec<(i32, usize, i32, Bound)>,
        iterations: Vec<i32>,
        /// Whether the moves of each iteration began with the best ones of all lines.
        sorted: bool,
        lines: usize,
        /// The iteration after which the observer ends the search.
        enough: i32,
    }

    impl Observer for Reported {
        fn variation(&mut self, depth: i32, multipv: usize, _: &RootMove, score: i32, bound: Bound) {
            self.variations.push((depth, multipv, score, bound));
        }

        fn iteration_done(&mut self, depth: i32, moves: &[RootMove]) -> bool {
            self.iterations.push(depth);
            self.sorted &= moves[..self.lines].is_sorted_by_key(|root| Reverse(root.score));
            depth >= self.enough
        }
    }

    fn team_of<G: Searchable>(play: &Play<G>, limits: &Limits) -> Arc<Team<G>> {
        let (hash, control) = (Arc::new(HashTable::new(1).expect("a MiB")), Arc::new(Control::new(false)));
        team(play, None, &Request::plain(limits, &hash, &control), 1)
    }

    fn roots<G: Searchable>(play: &Play<G>) -> Vec<RootMove> {
        play.game.moves(play.position()).into_iter().map(|mv| RootMove::new(mv, false)).collect()
    }

    /// Returns the calls of a search's observer, and its nodes.
    fn reported<G: Searchable>(team: &Team<G>, multipv: usize, enough: i32) -> (Reported, u64) {
        let roots = roots(&team.play);
        let mut worker = Worker::new(team, 0, &roots, &mut Workspace::default());
        let mut reported = Reported { sorted: true, lines: multipv.min(roots.len()), enough, ..Reported::default() };
        worker.deepen(team.play.position(), multipv, &mut reported);
        (reported, worker.nodes)
    }

    fn smess(fen: Option<&str>) -> Play<Smess> {
        Play::set_up(Smess::new(Rules::default()), fen, []).expect("a position")
    }

    fn morris(fen: &str) -> Play<Morris<FLYING>> {
        Play::set_up(Morris::new(rules::MORRIS), Some(fen), []).expect("a position")
    }

    /// The windows of ten iterations are as expected. A score outside is a bound, and the search continues with a wider
    /// window until there is an exact one.
    #[test]
    fn scores_outside_the_window_are_bounds() {
        let limits = Limits { depth: Some(10), ..Limits::default() };
        for (fen, expected) in [
            (
                "X2/O1X/XXX/O1O2X/O1O/1XX/2X b 0 0 5 15",
                "1 625 2 625 3 640 4<611 4>650 4 639 5 650 6 660 7<635 7<611 7>648 7 736 8 758 9>782 9 758 10>782 \
                 10>810 10 758 14244",
            ),
            (
                "1OX/1O1/OOO/O2XO1/1X1/OXX/O1X b 0 1 0 9",
                "1 121 2 118 3 118 4>151 4 118 5>142 5>169 5 118 6>142 6>169 6>217 6 118 7>194 7>224 7 261 8>287 8<118 \
                 8>286 8 231 9>275 9>299 9 231 10>286 10>314 10 325 2999",
            ),
            (
                "OOO/1OX/OOO/X1XX1X/3/1OX/3 w 0 0 5 16",
                "1 -127 2 -210 3 -251 4<-351 4 -351 5<-414 5>-294 5 -414 6<-441 6<-470 6 -471 7<-31992 7 -31992 8 \
                 -31992 9 -31992 10 -31992 2014",
            ),
            ("1X1/2O/X1X/3O1X/1OO/OO1/1OX b 2 3 0 7", "1 -45 2 -15 3 -19 4 4 5 14 6 0 7 8 8 3 9 0 10 1 10389"),
        ] {
            assert_eq!(windows(reported(&team_of(&morris(fen), &limits), 1, 99)), expected, "{fen}");
        }
        for (fen, expected) in [
            (
                "3b3/2sn1s1/5n1/5S1/7/6N/5n1/1B5 b 0 43",
                "1 749 2 733 3 781 4>806 4 781 5>809 5>835 5 781 6>831 6 835 7>878 7>904 7 835 8>878 8>904 8 931 9>956 \
                 9 949 10>973 10>997 10 958 6686",
            ),
            (
                "1s2bs1/7/nn1n3/3S3/7/2s1N1N/7/1SB1S2 w 0 28",
                "1 -32 2 -32 3 -64 4>-36 4 -64 5 -48 6 -48 7<-72 7 -74 8 -55 9<-79 9 -60 10 -69 56106",
            ),
        ] {
            assert_eq!(windows(reported(&team_of(&smess(Some(fen)), &limits), 1, 99)), expected, "{fen}");
        }
    }

    /// Formats `4 25 5>49 5 51 6<20` and so on: scores by depth, `>` for at least and `<` for at most; then the nodes.
    fn windows((reported, nodes): (Reported, u64)) -> String {
        let mut text = String::new();
        for (depth, _, score, bound) in reported.variations {
            let sign = match bound {
                Bound::Exact => ' ',
                Bound::Lower => '>',
                Bound::Upper => '<',
            };
            text += &format!("{depth}{sign}{score} ");
        }
        text + &nodes.to_string()
    }

    /// Returns the depths of the completed iterations.
    #[test]
    fn iterations_end_with_the_first_limit() {
        let depths = |limits: Limits, enough| reported(&team_of(&smess(None), &limits), 1, enough).0.iterations;
        let limits = |depth, mate| Limits { depth, mate, ..Limits::default() };
        assert_eq!(depths(limits(Some(3), None), 99), [1, 2, 3]);
        assert_eq!(depths(limits(None, Some(2)), 99), [1, 2, 3, 4], "a mate in two takes four plies at most");
        assert_eq!(depths(limits(Some(3), Some(2)), 99), [1, 2, 3]);
        assert_eq!(depths(limits(Some(9), Some(1)), 99), [1, 2]);
        assert_eq!(depths(limits(None, None), 4), [1, 2, 3, 4], "enough");
        let nodes = Limits { nodes: Some(1), ..Limits::default() };
        assert_eq!(depths(nodes, 99), [0; 0]);
    }

    /// Each line has the best of the remaining moves, and is reported once it is complete.
    #[test]
    fn lines_are_searched_one_after_the_other() {
        for (multipv, lines) in [(1, 1), (3, 3), (500, roots(&smess(None)).len())] {
            let limits = Limits { depth: Some(3), ..Limits::default() };
            let team = team_of(&smess(None), &limits);
            let (reported, _) = reported(&team, multipv, 99);
            let numbers: Vec<_> = reported.variations.iter().map(|&(depth, multipv, ..)| (depth, multipv)).collect();
            let expected: Vec<_> = (1..=3).flat_map(|depth| (1..=lines).map(move |line| (depth, line))).collect();
            assert_eq!(numbers, expected);
            assert!(reported.sorted && reported.variations.iter().all(|&(.., bound)| bound == Bound::Exact));
        }
        // Moves are numbered from the first on, including those of earlier lines.
        let moves = RefCell::new(Vec::new());
        let tell = |depth, mv: Move, number| moves.borrow_mut().push((depth, mv, number));
        let limits = Limits { depth: Some(2), ..Limits::default() };
        let team = team_of(&smess(None), &limits);
        let mut worker = Worker::new(&team, 0, &roots(&team.play), &mut Workspace::default());
        worker.on_root_move = Some(&tell);
        worker.deepen(team.play.position(), 2, &mut Reported { enough: 99, ..Reported::default() });
        let count = roots(&team.play).len();
        let numbers: Vec<_> = moves.borrow().iter().map(|&(depth, _, number)| (depth, number)).collect();
        let once: Vec<usize> = (1..=count).chain(2..=count).collect();
        let expected: Vec<_> = [1, 2].into_iter().flat_map(|depth| once.iter().map(move |&n| (depth, n))).collect();
        assert_eq!(numbers, expected);
        let mut first: Vec<u32> = moves.borrow()[..count].iter().map(|(_, mv, _)| mv.bits()).collect();
        first.sort_unstable();
        first.dedup();
        assert_eq!(first.len(), count, "all moves");
    }

    /// If another thread is further, its moves are adopted within a few hundred nodes, and the search continues from
    /// there.
    #[test]
    fn iterations_of_faster_threads_are_taken_over() {
        let limits = Limits { depth: Some(8), ..Limits::default() };
        let team = team_of(&smess(None), &limits);
        let mut others = roots(&team.play);
        others.reverse();
        for (root, score) in others.iter_mut().zip([30, 20, 10]) {
            root.score = score;
        }
        team.shared.finished.publish(6, &others);
        let (reported, _) = reported(&team, 2, 99);
        let alone = reported.iterations.iter().take_while(|&&depth| depth < 6).count();
        assert!((1..5).contains(&alone), "{:?}", reported.iterations);
        assert_eq!(reported.iterations[alone..], [6, 7, 8]);
        let at = reported.variations.iter().position(|&(depth, ..)| depth == 6).expect("reported");
        assert_eq!(reported.variations[at..at + 2], [(6, 1, 30, Bound::Exact), (6, 2, 20, Bound::Exact)]);
        assert_eq!(team.shared.finished.depth(), 8);
    }
}
