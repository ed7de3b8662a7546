//! Iterative deepening at the root.

use super::MAX_DEPTH;
use super::hash::Bound;
use super::node_type::Root;
use super::root_move::RootMove;
use super::score::{INFINITE, is_known};
use super::worker::Worker;
use crate::game::Searchable;
use std::cmp::Reverse;

/// Half the width of the first aspiration window.
const ASPIRATION: i32 = 24;

/// What the main thread does between and during iterations.
pub(super) trait Observer {
    /// A variation is complete, or has a bound so far.
    fn variation(&mut self, depth: i32, multipv: usize, root: &RootMove, score: i32, bound: Bound);
    /// An iteration is complete with these root moves, best first; `true` ends the search.
    fn iteration_done(&mut self, depth: i32, moves: &[RootMove]) -> bool;
}

impl<G: Searchable> Worker<'_, G> {
    /// Deepens until stopped by a limit, the observer or the depth limit. Leaves the root moves best first.
    pub(super) fn deepen(&mut self, pos: &G::Position, multipv: usize, observer: &mut dyn Observer) {
        let limits = &self.shared.limits;
        let mate_depth = limits.mate.map_or(MAX_DEPTH, |moves| moves.saturating_mul(2).min(MAX_DEPTH as u32) as i32);
        let depth_limit = limits.depth.map_or(MAX_DEPTH, |depth| depth.min(MAX_DEPTH as u32) as i32).min(mate_depth);
        self.announce(pos, 0);
        let lines = multipv.min(self.root_moves.len());
        let mut depth = 1;
        while depth <= depth_limit {
            self.iteration = depth;
            self.iterate(pos, depth, lines, observer);
            if !self.stopped {
                // A later line may have come out better than an earlier one.
                self.root_moves[..lines].sort_by_key(|root| Reverse(root.score));
                self.shared.finished.publish(depth, &self.root_moves);
            } else if let Some(finished) = self.shared.finished.adopt(depth, &mut self.root_moves) {
                depth = finished;
                self.stopped = self.shared.is_over();
            } else {
                self.fall_back_on_known_scores();
                return;
            }
            for (line, root) in self.root_moves[..lines].iter().enumerate() {
                observer.variation(depth, line + 1, root, root.score, Bound::Exact);
            }
            if observer.iteration_done(depth, &self.root_moves) || self.stopped {
                return;
            }
            depth += 1;
        }
    }

    /// One iteration: the best lines, one after the other.
    fn iterate(&mut self, pos: &G::Position, depth: i32, lines: usize, observer: &mut dyn Observer) {
        for root in &mut self.root_moves {
            root.last_score = root.score;
        }
        for line in 0..lines {
            self.first_root_move = line;
            self.seldepth = 0;
            self.aspirate(pos, depth, line, observer);
            if self.stopped {
                // The part of an iteration that is done counts: a move that beat the best is better.
                self.root_moves[line..].sort_by_key(|root| Reverse(root.score));
                return;
            }
        }
    }

    /// Moves not reached before the stop keep the last score found.
    fn fall_back_on_known_scores(&mut self) {
        for root in &mut self.root_moves {
            if root.score == -INFINITE
                && let Some((score, _)) = root.known
            {
                root.score = score;
            }
        }
    }

    /// Searches the root with an aspiration window around the last score, widened until the score falls inside.
    fn aspirate(&mut self, pos: &G::Position, depth: i32, line: usize, observer: &mut dyn Observer) {
        let last = self.root_moves[line].last_score;
        let mut delta = ASPIRATION;
        let (mut alpha, mut beta) =
            if depth >= 4 && !is_known(last) { (last - delta, last + delta) } else { (-INFINITE, INFINITE) };
        let mut reduced = depth;
        loop {
            for root in &mut self.root_moves[line..] {
                root.score = -INFINITE;
            }
            let score = self.node::<Root>(pos, 0, reduced.max(1), alpha, beta, false);
            if self.stopped {
                return;
            }
            self.root_moves[line..].sort_by_key(|root| Reverse(root.score));
            let root = &self.root_moves[line];
            if score <= alpha && alpha > -INFINITE {
                observer.variation(depth, line + 1, root, score, Bound::Upper);
                beta = (alpha + beta) / 2;
                alpha = if is_known(score) { -INFINITE } else { (score - delta).max(-INFINITE) };
                reduced = depth;
            } else if score >= beta && beta < INFINITE {
                observer.variation(depth, line + 1, root, score, Bound::Lower);
                beta = if is_known(score) { INFINITE } else { (score + delta).min(INFINITE) };
                // A mate may need the whole depth.
                if !self.exact && !is_known(score) {
                    reduced = (reduced - 1).max(depth - 3);
                }
            } else {
                return;
            }
            delta *= 2;
        }
    }
}
