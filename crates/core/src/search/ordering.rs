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

#[cfg(test)]
mod tests {
    use super::*;

    const SIDE: Side = Side::Black;

    fn mv(bits: u16) -> Move {
        Move::from_bits(bits)
    }

    #[test]
    fn values_are_learned_towards_a_limit() {
        assert_eq!(learned(0, 1_600), 1_600);
        assert_eq!(learned(8_192, 1_600), 8_192 + 800);
        assert_eq!(learned(8_192, -1_600), 8_192 - 2_400);
        assert_eq!(learned(-8_192, -1_600), -8_192 - 800);
        let mut value = 0;
        for _ in 0..1_000 {
            value = learned(value, 1_600);
        }
        assert!((HISTORY_MAX - 20..=HISTORY_MAX).contains(&value), "{value}");
    }

    #[test]
    fn replies_have_places_of_their_own() {
        assert_eq!(reply_index(0, 7), 7);
        assert_eq!(reply_index(31, 7), 7, "moves to the same target share their replies");
        assert_eq!(reply_index(32, 7), HISTORY_SIZE + 7);
        assert_eq!(reply_index(HISTORY_SIZE - 1, HISTORY_SIZE - 1) + 1, REPLIED_TO * HISTORY_SIZE);
    }

    #[test]
    fn cutoffs_are_remembered() {
        let mut memory = Memory::default();
        memory.clear();
        let quiet = |memory: &Memory, bits, previous| memory.quiet(SIDE, 3, mv(bits), bits.into(), previous);
        assert_eq!(quiet(&memory, 5, 64), 0);
        // Bonus 16 * 4 * 4 + 32 * 4 = 384.
        memory.cutoff(SIDE, 3, 4, (mv(5), 5), [6, 7].into_iter(), 64);
        assert_eq!(quiet(&memory, 5, 64), 2 * KILLER);
        assert!(memory.is_killer(3, mv(5)) && !memory.is_killer(3, mv(6)) && !memory.is_killer(4, mv(5)));
        assert_eq!((memory.history(SIDE, 5), memory.history(SIDE, 6), memory.history(SIDE, 7)), (384, -384, -384));
        assert_eq!(memory.history(Side::White, 5), 0);
        assert_eq!(quiet(&memory, 6, 64), -384 - 384, "alone and as a reply");
        assert_eq!(quiet(&memory, 6, 96), -384, "another reply");
        // A second killer comes before the first, and the same again changes nothing.
        memory.cutoff(SIDE, 3, 4, (mv(8), 8), [].into_iter(), 64);
        memory.cutoff(SIDE, 3, 4, (mv(8), 8), [].into_iter(), 64);
        assert_eq!((quiet(&memory, 8, 64), quiet(&memory, 5, 64)), (2 * KILLER, KILLER));
        memory.clear_killers(3);
        let once = 384;
        assert_eq!(quiet(&memory, 5, 64), 2 * once, "no longer the counter move");
        let twice = learned(once, once);
        assert_eq!(quiet(&memory, 8, 64), 2 * twice + 3_000, "the counter move");
        assert_eq!(quiet(&memory, 8, 65), 2 * twice, "of one move only");
        // Deep cutoffs are worth no more than this.
        memory.cutoff(SIDE, 9, 50, (mv(9), 9), [].into_iter(), 0);
        assert_eq!(memory.history(SIDE, 9), 1_600);
    }

    #[test]
    fn the_best_comes_first() {
        let mut moves: Vec<Scored> =
            [(1, 50), (2, 7), (3, 9), (4, 9), (5, 8)].map(|(bits, score)| Scored { mv: mv(bits), score }).into();
        let picked: Vec<u16> = (1..5).map(|from| pick(&mut moves, from).mv.bits()).collect();
        assert_eq!(picked, [3, 4, 5, 2], "the first of equals, and nothing before the start");
        assert_eq!(moves[0].mv.bits(), 1);
    }
}
