//! Quiescence: at the horizon only tactical moves are looked at, so that no position is judged in mid-exchange.

use super::alphabeta::{NodeType, Worker};
use super::ordering::{Scored, pick};
use super::score::{DRAW, INFINITE, MAX_EVAL, mated_in};
use crate::game::Searchable;

/// Plies of quiescence in which threats of instant loss are answered with any move.
const EVASION_PLIES: i32 = 3;

impl<G: Searchable> Worker<'_, G> {
    /// Score of a position once the dust has settled. `since` counts plies of quiescence.
    pub(super) fn quiesce<N: NodeType>(
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
        if let Some(score) = self.at_once::<N>(pos, ply) {
            return score;
        }
        if !self.game.has_moves(pos) {
            return mated_in(ply);
        }
        let evading = since < EVASION_PLIES && self.game.is_threatened(pos);
        let mut best = if evading {
            -INFINITE
        } else {
            let eval = self.game.evaluate(pos).clamp(-MAX_EVAL, MAX_EVAL);
            if eval >= beta {
                return eval;
            }
            alpha = alpha.max(eval);
            eval
        };
        let first = self.moves.len();
        let list = &mut self.moves;
        if evading {
            self.game.generate(pos, |mv| list.push(Scored { mv, score: 0 }));
        } else {
            self.game.generate_tactical(pos, |mv| list.push(Scored { mv, score: 0 }));
        }
        if list.len() > first {
            let hints = self.game.hints(pos);
            for scored in &mut self.moves[first..] {
                scored.score = self.game.order(pos, &hints, scored.mv);
            }
        }
        let mut index = first;
        while index < self.moves.len() {
            let mv = pick(&mut self.moves, index).mv;
            index += 1;
            let (next, base) = self.make(pos, mv);
            let score = -self.quiesce::<N>(&next, ply + 1, since + 1, -beta, -alpha);
            self.unmake(base);
            if self.stopped {
                self.moves.truncate(first);
                return DRAW;
            }
            if score > best {
                best = score;
                if score > alpha {
                    if N::PV {
                        self.save_pv(ply, mv);
                    }
                    if score >= beta {
                        break;
                    }
                    alpha = score;
                }
            }
        }
        self.moves.truncate(first);
        best
    }
}
