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
        let previous = self.previous_index(ply);
        let Worker { game, moves, history, .. } = self;
        // Copies, which cannot alias the growing list: they are read once and not for each move.
        let (game, pos) = (*game, *pos);
        let hints = game.hints(&pos);
        let quiets = history.quiets(game.side(&pos), ply, previous);
        game.generate(&pos, move |mv| {
            let score = if mv == hash_move {
                HASH_MOVE
            } else if game.is_tactical(&pos, mv) {
                TACTICAL + game.order(&pos, &hints, mv)
            } else {
                game.order(&pos, &hints, mv) + quiets.score(mv, game.history_index(mv))
            };
            moves.push(Scored { mv, score });
        });
    }
}
