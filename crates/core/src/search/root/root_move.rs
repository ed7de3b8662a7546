//! The moves of the root, and the deepest iteration that any thread has finished with them.

use crate::game::Move;
use crate::search::hash::Bound;
use crate::search::score::INFINITE;
use std::cmp::Reverse;
use std::sync::atomic::{AtomicI32, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// A move of the root position and its results.
#[derive(Clone, Debug)]
pub(in crate::search) struct RootMove {
    pub mv: Move,
    /// The number of other moves that it represents: those that lead to a position symmetric to that after this one.
    pub twins: usize,
    /// Whether the side to move is ahead, and the move leads back to a position of the game.
    pub returns: bool,
    /// Its static order, as [`Searchable::order`](crate::game::Searchable::order) returns it.
    pub order: i32,
    /// Score of this iteration; `-INFINITE` for moves that did not beat the best.
    pub score: i32,
    /// The last meaningful score, and its bound.
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
    pub(in crate::search) fn new(mv: Move, returns: bool) -> RootMove {
        RootMove {
            mv,
            twins: 0,
            returns,
            order: 0,
            score: -INFINITE,
            known: None,
            last_score: -INFINITE,
            seldepth: 0,
            pv: vec![mv],
            nodes: 0,
        }
    }
}

// Not generic over the game: sorting is much code.

/// Sorts moves by score, largest first; equal ones keep their order.
pub(in crate::search) fn best_first(moves: &mut [RootMove]) {
    moves.sort_by_key(|root| Reverse(root.score));
}

/// Sorts moves by the static order, for lack of an iteration.
pub(in crate::search) fn in_static_order(moves: &mut [RootMove]) {
    moves.sort_by_key(|root| (root.returns, Reverse(root.order)));
}

/// The deepest iteration that any thread has finished: the others abandon theirs and continue from there.
///
/// Searches of the same tree take widely different times, depending on what they find in the hash table; the first to
/// finish spares the others the rest.
#[derive(Default)]
pub(in crate::search) struct Finished {
    depth: AtomicI32,
    moves: Mutex<Vec<RootMove>>,
}

impl Finished {
    /// Returns the finished depth.
    pub(in crate::search) fn depth(&self) -> i32 {
        self.depth.load(Relaxed)
    }

    pub(in crate::search) fn publish(&self, depth: i32, moves: &[RootMove]) {
        let mut published = self.moves.lock().unwrap_or_else(PoisonError::into_inner);
        if self.depth() < depth {
            published.clear();
            published.extend_from_slice(moves);
            self.depth.store(depth, Relaxed);
        }
    }

    /// Adopts the root moves of an iteration at least this deep, and returns its depth.
    pub(in crate::search) fn adopt(&self, depth: i32, moves: &mut Vec<RootMove>) -> Option<i32> {
        let published = self.moves.lock().unwrap_or_else(PoisonError::into_inner);
        let finished = self.depth();
        (finished >= depth).then(|| {
            moves.clone_from(&published);
            finished
        })
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
