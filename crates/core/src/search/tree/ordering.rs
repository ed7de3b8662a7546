//! The order in which a node tries its moves: the hash move, tactical moves, killers, countermoves, history.

use super::move_list::{HASH_MOVE, Scored, TACTICAL};
use super::node_type::NodeType;
use super::worker::Worker;
use crate::game::{Move, Searchable};

impl<G: Searchable> Worker<'_, G> {
    /// Appends the legal moves with their ranks to the move stack.
    #[inline(always)]
    pub(in crate::search) fn list_moves<N: NodeType>(&mut self, pos: &G::Position, ply: usize, hash_move: Move) {
        if N::ROOT {
            // The order of the last iteration; the hash move is the best of it.
            let moves = self.root_moves[self.first_root_move..].iter().enumerate();
            self.moves.extend(moves.map(|(i, root)| Scored { mv: root.mv, score: HASH_MOVE - i as i32 }));
            return;
        }
        let first = self.moves.len();
        let list = &mut self.moves;
        self.game.generate(pos, |mv| list.push(Scored { mv, score: 0 }));
        let side = self.game.side(pos);
        let hints = self.game.hints(pos);
        let quiets = self.history.quiets(side, ply, self.previous_index(ply));
        for scored in &mut self.moves[first..] {
            let mv = scored.mv;
            scored.score = if mv == hash_move {
                HASH_MOVE
            } else if self.game.is_tactical(pos, mv) {
                TACTICAL + self.game.order(pos, &hints, mv)
            } else {
                let index = self.game.history_index(mv);
                self.game.order(pos, &hints, mv) + quiets.score(mv, index)
            };
        }
    }
}
