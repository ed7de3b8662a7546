//! Move ordering: the move of the table, then tactical moves, killers, counter moves, and history, both of the move
//! alone and of the move as a reply to the one before.

use super::MAX_PLY;
use super::node::NodeType;
use super::pool::refill;
use super::worker::Worker;
use crate::game::{HISTORY_SIZE, Move, Searchable, Side};

/// A move waiting to be searched.
#[derive(Clone, Copy)]
pub(super) struct Scored {
    pub mv: Move,
    pub score: i32,
}

/// Score of the table's move.
pub(super) const TABLE_MOVE: i32 = i32::MAX;
/// Tactical moves score at least this much.
pub(super) const TACTICAL: i32 = 10_000_000;
const KILLER: i32 = 1_000_000;
/// Moves that other threads are busy with come last.
pub(super) const DEFERRED: i32 = -1_000_000_000;
const HISTORY_MAX: i32 = 16_384;
/// Kinds of moves that replies are told apart by: the high bits of their history index, which hold the target.
const REPLIED_TO: usize = HISTORY_SIZE >> REPLIED_SHIFT;
const REPLIED_SHIFT: u32 = 5;

/// What quiet moves have done elsewhere in the tree.
#[derive(Default)]
pub(super) struct Memory {
    killers: Vec<[Move; 2]>,
    counters: Vec<Move>,
    history: [Vec<i32>; 2],
    /// History of replies, by the move replied to and the reply.
    replies: Vec<i16>,
}

/// Moves a history value towards the bonus, the less the nearer it is already.
const fn learned(value: i32, bonus: i32) -> i32 {
    value + bonus - value * bonus.abs() / HISTORY_MAX
}

/// Where a reply is filed.
const fn reply_index(previous: usize, index: usize) -> usize {
    (previous >> REPLIED_SHIFT) * HISTORY_SIZE + index
}

impl Memory {
    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        refill(&mut self.killers, MAX_PLY + 2, [Move::NONE; 2]);
        refill(&mut self.counters, HISTORY_SIZE, Move::NONE);
        for history in &mut self.history {
            refill(history, HISTORY_SIZE, 0);
        }
        refill(&mut self.replies, REPLIED_TO * HISTORY_SIZE, 0);
    }

    /// Forgets the killers of the plies below a node.
    pub(super) fn clear_killers(&mut self, ply: usize) {
        self.killers[ply] = [Move::NONE; 2];
    }

    pub(super) fn is_killer(&self, ply: usize, mv: Move) -> bool {
        self.killers[ply].contains(&mv)
    }

    pub(super) fn history(&self, side: Side, index: usize) -> i32 {
        self.history[side as usize][index]
    }

    /// Score of a quiet move, without what the game itself thinks of it.
    pub(super) fn quiet(&self, side: Side, ply: usize, mv: Move, index: usize, previous: usize) -> i32 {
        let [first, second] = self.killers[ply];
        if mv == first {
            2 * KILLER
        } else if mv == second {
            KILLER
        } else {
            let counter = if self.counters[previous] == mv { 3_000 } else { 0 };
            let reply = self.replies[reply_index(previous, index)];
            self.history[side as usize][index] + i32::from(reply) + counter
        }
    }

    fn learn(&mut self, side: Side, index: usize, previous: usize, bonus: i32) {
        let value = &mut self.history[side as usize][index];
        *value = learned(*value, bonus);
        let reply = &mut self.replies[reply_index(previous, index)];
        *reply = learned(i32::from(*reply), bonus) as i16;
    }

    /// A quiet move has refuted the position, those tried before it have not.
    pub(super) fn cutoff(
        &mut self,
        side: Side,
        ply: usize,
        depth: i32,
        (mv, index): (Move, usize),
        tried: impl Iterator<Item = usize>,
        previous: usize,
    ) {
        let killers = &mut self.killers[ply];
        if killers[0] != mv {
            killers[1] = killers[0];
            killers[0] = mv;
        }
        self.counters[previous] = mv;
        let bonus = (16 * depth * depth + 32 * depth).min(1_600);
        self.learn(side, index, previous, bonus);
        for index in tried {
            self.learn(side, index, previous, -bonus);
        }
    }
}

/// Brings the best of `moves[from..]` to the front and returns it.
#[inline]
pub(super) fn pick(moves: &mut [Scored], from: usize) -> Scored {
    let mut best = from;
    for i in from + 1..moves.len() {
        if moves[i].score > moves[best].score {
            best = i;
        }
    }
    moves.swap(from, best);
    moves[from]
}

impl<G: Searchable> Worker<'_, G> {
    /// Appends the legal moves with their ranks to the move stack.
    #[inline(always)]
    pub(super) fn list_moves<N: NodeType>(&mut self, pos: &G::Position, ply: usize, table_move: Move) {
        if N::ROOT {
            // The order of the last iteration; the table's move is the best of it.
            let moves = self.root_moves[self.first_root_move..].iter().enumerate();
            self.moves.extend(moves.map(|(i, root)| Scored { mv: root.mv, score: TABLE_MOVE - i as i32 }));
            return;
        }
        let first = self.moves.len();
        let list = &mut self.moves;
        self.game.generate(pos, |mv| list.push(Scored { mv, score: 0 }));
        let side = self.game.side(pos);
        let hints = self.game.hints(pos);
        let previous = self.previous_index(ply);
        for scored in &mut self.moves[first..] {
            let mv = scored.mv;
            scored.score = if mv == table_move {
                TABLE_MOVE
            } else if self.game.is_tactical(pos, mv) {
                TACTICAL + self.game.order(pos, &hints, mv)
            } else {
                let index = self.game.history_index(mv);
                self.game.order(pos, &hints, mv) + self.memory.quiet(side, ply, mv, index, previous)
            };
        }
    }
}
