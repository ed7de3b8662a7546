//! Moves waiting to be searched, and the scores that sort them.

use crate::game::Move;

/// A move waiting to be searched.
#[derive(Clone, Copy)]
pub(in crate::search) struct Scored {
    pub mv: Move,
    pub score: i32,
}

/// Score of the hash move.
pub(in crate::search) const HASH_MOVE: i32 = i32::MAX;
/// The least score of tactical moves.
pub(in crate::search) const TACTICAL: i32 = 10_000_000;
/// The bound above the scores of moves that other threads are searching, which come last.
pub(in crate::search) const DEFERRED: i32 = -1_000_000_000;

/// Moves the best of `moves[from..]` to the front and returns it.
#[inline]
pub(in crate::search) fn pick(moves: &mut [Scored], from: usize) -> Scored {
    // The best score is in a local variable: the loop reads each move once.
    let (mut best, mut most) = (from, moves[from].score);
    for (i, scored) in moves.iter().enumerate().skip(from + 1) {
        if scored.score > most {
            (best, most) = (i, scored.score);
        }
    }
    moves.swap(from, best);
    moves[from]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_comes_first() {
        let mut moves: Vec<Scored> = [(1, 50), (2, 7), (3, 9), (4, 9), (5, 8)]
            .map(|(bits, score)| Scored { mv: Move::from_bits(bits), score })
            .into();
        let picked: Vec<u32> = (1..5).map(|from| pick(&mut moves, from).mv.bits()).collect();
        assert_eq!(picked, [3, 4, 5, 2], "the first of equals, and nothing before the start");
        assert_eq!(moves[0].mv.bits(), 1);
    }
}
