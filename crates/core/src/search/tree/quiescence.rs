//! Quiescence: at the horizon only tactical moves are searched, so that no position is evaluated in mid-exchange. Its
//! first ply uses the hash table; the node above has prefetched the entry.

use super::move_list::{Scored, pick};
use super::node_type::NodeType;
use super::worker::{Worker, is_bound};
use crate::game::{Move, Searchable};
use crate::search::hash::{Bound, Entry, score_to_hash};
use crate::search::score::{DRAW, INFINITE, mated_in};
use crate::search::tunables;

impl<G: Searchable> Worker<'_, G> {
    /// Returns the score of a position after all exchanges. `since` counts plies of quiescence.
    pub(in crate::search) fn quiesce<N: NodeType>(
        &mut self,
        pos: &G::Position,
        ply: usize,
        since: i32,
        mut alpha: i32,
        beta: i32,
    ) -> i32 {
        if N::PV {
            self.pv[ply].clear();
        }
        self.count_node();
        if self.stopped {
            return DRAW;
        }
        if let Some(score) = self.immediate_score::<N>(pos, ply) {
            return score;
        }
        if !self.game.has_moves(pos) {
            return mated_in(ply);
        }
        let (key, symmetry) = self.hash_keys[ply];
        let entry = if since == 0 { self.shared.hash.probe(key) } else { None };
        if let Some(entry) = &entry
            && !N::PV
            && let Some(score) = self.hash_cutoff(entry, ply, alpha, beta)
        {
            return score;
        }
        let evading = since < tunables::evasion_plies() && self.game.is_threatened(pos);
        let (mut eval, mut best) = (0, -INFINITE);
        // Evasions are searched only a few plies deep: their results are not stored.
        let keeping = since == 0 && !evading;
        let keep = |worker: &Self, mv, score, eval, bound| {
            let mv = worker.game.map_move(mv, symmetry);
            let entry = Entry { mv, score: score_to_hash(score, ply), eval, depth: 0, bound };
            worker.shared.hash.store(key, entry);
        };
        if !evading {
            eval = self.static_eval(pos, entry.as_ref());
            if eval >= beta {
                if keeping && entry.is_none() {
                    keep(self, Move::NONE, eval, eval, Bound::Lower);
                }
                return eval;
            }
            alpha = alpha.max(eval);
            best = eval;
        }
        let mut best_move = Move::NONE;
        let mut bound = Bound::Upper;
        let first = self.moves.len();
        self.list_for_quiescence(pos, evading);
        let mut index = first;
        while index < self.moves.len() {
            let mv = pick(&mut self.moves, index).mv;
            index += 1;
            let next = self.game.play(pos, mv);
            let base = self.make(pos, mv, &next);
            let score = -self.quiesce::<N>(&next, ply + 1, since + 1, -beta, -alpha);
            self.unmake(base);
            if self.stopped {
                self.moves.truncate(first);
                return DRAW;
            }
            if score <= best {
                continue;
            }
            best = score;
            if score > alpha {
                best_move = mv;
                if N::PV {
                    self.save_pv(ply, mv);
                }
                if score >= beta {
                    bound = Bound::Lower;
                    break;
                }
                bound = Bound::Exact;
                alpha = score;
            }
        }
        self.moves.truncate(first);
        debug_assert!(is_bound(bound, best, alpha, beta), "{bound:?} {best} in {alpha}..{beta}");
        if keeping {
            keep(self, best_move, best, eval, bound);
        }
        best
    }

    /// Appends the moves that quiescence searches to the move stack: all of them in answer to a threat, otherwise
    /// captures.
    #[inline(always)]
    fn list_for_quiescence(&mut self, pos: &G::Position, evading: bool) {
        let first = self.moves.len();
        let list = &mut self.moves;
        if evading {
            self.game.generate(pos, |mv| list.push(Scored { mv, score: 0 }));
        } else {
            self.game.generate_tactical(pos, |mv| list.push(Scored { mv, score: 0 }));
        }
        if list.len() == first {
            return;
        }
        let hints = self.game.hints(pos);
        for scored in &mut self.moves[first..] {
            scored.score = self.game.order(pos, &hints, scored.mv);
        }
    }
}
