//! Killers, countermoves and history of quiet moves: of the move alone, and as a reply to the one before.

use crate::game::{HISTORY_SIZE, Move, Side};
use crate::search::MAX_PLY;
use crate::search::tunables;

/// The score of the second killer; the first has twice as much. History is always far below.
const KILLER: i32 = 1_000_000;
/// Limit of history values.
const MAX_HISTORY: i32 = 16_384;
/// The number of classes of moves replied to: by target, the high bits of the history index.
const REPLIED_TO: usize = HISTORY_SIZE >> REPLIED_SHIFT;
const REPLIED_SHIFT: u32 = 5;

/// The success of quiet moves elsewhere in the tree.
#[derive(Default)]
pub(in crate::search) struct History {
    killers: Vec<[Move; 2]>,
    countermoves: Vec<Move>,
    /// The history of moves, by the side to move and the move.
    moves: [Vec<i32>; 2],
    /// History of replies, by the move replied to and the reply.
    replies: Vec<i16>,
}

/// The history of the quiet moves of a node, looked up once for all of them.
pub(in crate::search) struct Quiets<'a> {
    killers: [Move; 2],
    countermove: Move,
    moves: &'a [i32; HISTORY_SIZE],
    replies: &'a [i16; HISTORY_SIZE],
}

impl Quiets<'_> {
    /// Returns the score of a quiet move, without the static ordering value of the game.
    #[inline(always)]
    pub(in crate::search) fn score(&self, mv: Move, index: usize) -> i32 {
        let [first, second] = self.killers;
        if mv == first {
            2 * KILLER
        } else if mv == second {
            KILLER
        } else {
            let countermove = if mv == self.countermove { tunables::countermove() } else { 0 };
            self.moves[index] + i32::from(self.replies[index]) + countermove
        }
    }
}

/// Returns a history value after a bonus, which counts less the nearer the value is to the limit.
const fn learned(value: i32, bonus: i32) -> i32 {
    value + bonus - value * bonus.abs() / MAX_HISTORY
}

/// Returns the index of a reply.
const fn reply_index(previous: usize, index: usize) -> usize {
    (previous >> REPLIED_SHIFT) * HISTORY_SIZE + index
}

impl History {
    /// Clears everything.
    pub(in crate::search) fn clear(&mut self) {
        refill(&mut self.killers, MAX_PLY + 2, [Move::NONE; 2]);
        refill(&mut self.countermoves, HISTORY_SIZE, Move::NONE);
        for moves in &mut self.moves {
            refill(moves, HISTORY_SIZE, 0);
        }
        refill(&mut self.replies, REPLIED_TO * HISTORY_SIZE, 0);
    }

    /// Clears the killers of the plies below a node.
    pub(in crate::search) fn clear_killers(&mut self, ply: usize) {
        self.killers[ply] = [Move::NONE; 2];
    }

    pub(in crate::search) fn is_killer(&self, ply: usize, mv: Move) -> bool {
        self.killers[ply].contains(&mv)
    }

    pub(in crate::search) fn of_move(&self, side: Side, index: usize) -> i32 {
        self.moves[side as usize][index]
    }

    /// Returns the history of the quiet moves of a node.
    #[inline(always)]
    pub(in crate::search) fn quiets(&self, side: Side, ply: usize, previous: usize) -> Quiets<'_> {
        Quiets {
            killers: self.killers[ply],
            countermove: self.countermoves[previous],
            moves: &self.moves[side as usize].as_chunks().0[0],
            replies: &self.replies.as_chunks().0[previous >> REPLIED_SHIFT],
        }
    }

    fn learn(&mut self, side: Side, index: usize, previous: usize, bonus: i32) {
        let value = &mut self.moves[side as usize][index];
        *value = learned(*value, bonus);
        let reply = &mut self.replies[reply_index(previous, index)];
        *reply = learned(i32::from(*reply), bonus) as i16;
    }

    /// Rewards the quiet move that caused a cutoff, and punishes those tried before it.
    pub(in crate::search) fn cutoff(
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
        self.countermoves[previous] = mv;
        let bonus = tunables::history_bonus_by_square() * depth * depth + tunables::history_bonus_by_depth() * depth;
        let bonus = bonus.min(tunables::history_bonus_most());
        self.learn(side, index, previous, bonus);
        for index in tried {
            self.learn(side, index, previous, -bonus);
        }
    }
}

/// Fills a vector with `len` copies of a value.
pub(in crate::search) fn refill<T: Copy>(vector: &mut Vec<T>, len: usize, value: T) {
    vector.clear();
    vector.resize(len, value);
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIDE: Side = Side::Black;

    fn mv(bits: u32) -> Move {
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
        assert!((MAX_HISTORY - 20..=MAX_HISTORY).contains(&value), "{value}");
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
        let mut history = History::default();
        history.clear();
        let quiet =
            |history: &History, bits, previous| history.quiets(SIDE, 3, previous).score(mv(bits), bits as usize);
        assert_eq!(quiet(&history, 5, 64), 0);
        // Bonus 16 * 4 * 4 + 32 * 4 = 384.
        history.cutoff(SIDE, 3, 4, (mv(5), 5), [6, 7].into_iter(), 64);
        assert_eq!(quiet(&history, 5, 64), 2 * KILLER);
        assert!(history.is_killer(3, mv(5)) && !history.is_killer(3, mv(6)) && !history.is_killer(4, mv(5)));
        assert_eq!((history.of_move(SIDE, 5), history.of_move(SIDE, 6), history.of_move(SIDE, 7)), (384, -384, -384));
        assert_eq!(history.of_move(Side::White, 5), 0);
        assert_eq!(quiet(&history, 6, 64), -384 - 384, "alone and as a reply");
        assert_eq!(quiet(&history, 6, 96), -384, "another reply");
        // A new killer comes before the first, and the same again changes nothing.
        history.cutoff(SIDE, 3, 4, (mv(8), 8), [].into_iter(), 64);
        history.cutoff(SIDE, 3, 4, (mv(8), 8), [].into_iter(), 64);
        assert_eq!((quiet(&history, 8, 64), quiet(&history, 5, 64)), (2 * KILLER, KILLER));
        history.clear_killers(3);
        let once = 384;
        assert_eq!(quiet(&history, 5, 64), 2 * once, "no longer the countermove");
        let twice = learned(once, once);
        assert_eq!(quiet(&history, 8, 64), 2 * twice + tunables::countermove(), "the countermove");
        assert_eq!(quiet(&history, 8, 65), 2 * twice, "of one move only");
        // Deep cutoffs earn no more than this.
        history.cutoff(SIDE, 9, 50, (mv(9), 9), [].into_iter(), 0);
        assert_eq!(history.of_move(SIDE, 9), 1_600);
    }
}
