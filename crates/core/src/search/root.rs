//! Iterative deepening at the root.

use super::node::Root;
use super::score::{DRAW, INFINITE, is_known};
use super::table::Bound;
use super::worker::Worker;
use super::{MAX_DEPTH, MAX_PLY};
use crate::game::{Move, Searchable};
use std::cmp::Reverse;
use std::sync::atomic::{AtomicI32, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// Half the width of the first aspiration window.
const ASPIRATION: i32 = 24;

/// A move of the root position and what is known of it.
#[derive(Clone, Debug)]
pub(super) struct RootMove {
    pub mv: Move,
    /// The side to move is ahead, and the move leads back to a position of the game.
    pub returns: bool,
    /// Score of this iteration; `-INFINITE` for moves that did not beat the best.
    pub score: i32,
    /// The last score found that says anything, and what it says.
    pub known: Option<(i32, Bound)>,
    /// Score of the last completed iteration.
    pub last_score: i32,
    pub seldepth: usize,
    /// The line that begins with this move.
    pub pv: Vec<Move>,
    /// Nodes spent on the move over all iterations.
    pub nodes: u64,
}

impl RootMove {
    pub(super) fn new(mv: Move, returns: bool) -> RootMove {
        RootMove {
            mv,
            returns,
            score: -INFINITE,
            known: None,
            last_score: -INFINITE,
            seldepth: 0,
            pv: vec![mv],
            nodes: 0,
        }
    }
}

/// The deepest iteration that any thread has finished: the others leave theirs and go on from there.
///
/// The time that two searches of the same tree take varies widely, since what is in the table decides; the first
/// to finish spares the rest the wait.
#[derive(Default)]
pub(super) struct Finished {
    depth: AtomicI32,
    moves: Mutex<Vec<RootMove>>,
}

impl Finished {
    /// The depth finished.
    pub(super) fn depth(&self) -> i32 {
        self.depth.load(Relaxed)
    }

    fn publish(&self, depth: i32, moves: &[RootMove]) {
        let mut published = self.moves.lock().unwrap_or_else(PoisonError::into_inner);
        if self.depth() < depth {
            published.clear();
            published.extend_from_slice(moves);
            self.depth.store(depth, Relaxed);
        }
    }

    /// Takes over the root moves of an iteration at least this deep, and says how deep it was.
    fn adopt(&self, depth: i32, moves: &mut Vec<RootMove>) -> Option<i32> {
        let published = self.moves.lock().unwrap_or_else(PoisonError::into_inner);
        let finished = self.depth();
        (finished >= depth).then(|| {
            moves.clone_from(&published);
            finished
        })
    }
}

/// What the main thread does between and during iterations.
pub(super) trait Observer {
    /// A variation is complete, or its score is only a bound so far.
    fn variation(&mut self, depth: i32, multipv: usize, root: &RootMove, score: i32, bound: Bound);
    /// An iteration is complete with these root moves, best first; `true` ends the search.
    fn iteration_done(&mut self, depth: i32, moves: &[RootMove]) -> bool;
}

impl<G: Searchable> Worker<'_, G> {
    /// Deepens until stopped, told to end, or at the depth limit. Leaves the root moves best first.
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

    /// Moves not reached before the stop show the score last found.
    fn fall_back_on_known_scores(&mut self) {
        for root in &mut self.root_moves {
            if root.score == -INFINITE
                && let Some((score, _)) = root.known
            {
                root.score = score;
            }
        }
    }

    /// One search of the root with a window around the last score, widened until the score falls within.
    fn aspirate(&mut self, pos: &G::Position, depth: i32, line: usize, observer: &mut dyn Observer) {
        let last = self.root_moves[line].last_score;
        let mut delta = ASPIRATION;
        let (mut alpha, mut beta) = if depth >= 4 && !is_known(last) && last != -INFINITE {
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

    /// The score that counts for a root move. A side that is ahead and goes back to a position of the game makes no
    /// progress: that is a draw, unless a certain win begins there. A shallow search would otherwise prefer the same
    /// position every time, until it is on the board for the third time.
    pub(super) fn root_score(&self, mv: Move, score: i32) -> i32 {
        let returns = || self.root_moves.iter().any(|root| root.mv == mv && root.returns);
        if score > DRAW && !is_known(score) && returns() { DRAW } else { score }
    }

    /// Files the result of a root move; without a bound it was not better than the best, and no more is known.
    pub(super) fn note_root_move(&mut self, mv: Move, score: i32, bound: Option<Bound>, nodes_before: u64) {
        let nodes = self.nodes - nodes_before;
        let seldepth = self.seldepth;
        let Some(root) = self.root_moves.iter_mut().find(|root| root.mv == mv) else { return };
        root.nodes += nodes;
        root.score = -INFINITE;
        if let Some(bound) = bound {
            root.score = score;
            root.known = Some((score, bound));
            root.seldepth = seldepth;
            root.pv.clear();
            root.pv.push(mv);
            root.pv.extend(self.pv[1].iter().take(MAX_PLY));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_deepest_iteration_finished_is_taken_over() {
        let finished = Finished::default();
        let of = |bits| vec![RootMove::new(Move::from_bits(bits), false)];
        let mut moves = of(1);
        assert_eq!(finished.adopt(1, &mut moves), None);
        finished.publish(3, &of(3));
        finished.publish(2, &of(2));
        finished.publish(3, &of(4));
        assert_eq!((finished.depth(), finished.adopt(4, &mut moves)), (3, None));
        assert_eq!(moves[0].mv, Move::from_bits(1));
        assert_eq!((finished.adopt(3, &mut moves), moves[0].mv), (Some(3), Move::from_bits(3)));
        finished.publish(5, &of(5));
        assert_eq!((finished.adopt(1, &mut moves), moves[0].mv), (Some(5), Move::from_bits(5)));
    }
}
