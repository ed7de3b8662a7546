//! The working memory of a search thread, reused between searches.

use super::history::{History, refill};
use super::move_list::Scored;
use crate::game::Move;
use crate::search::MAX_PLY;
use crate::search::score::INFINITE;

/// Static evaluations below this count as unknown.
pub(in crate::search) const NO_EVAL: i32 = -INFINITE;

/// The working memory of a search thread.
#[derive(Default)]
pub(in crate::search) struct Workspace {
    pub pv: Vec<Vec<Move>>,
    pub moves: Vec<Scored>,
    pub history: History,
    pub keys: Vec<u64>,
    pub evals: Vec<i32>,
    pub excluded: Vec<Move>,
    pub hash_keys: Vec<(u64, u8)>,
    pub previous: Vec<usize>,
}

impl Workspace {
    /// Clears the remains of an earlier search.
    pub(in crate::search) fn reset(&mut self) {
        const PLIES: usize = MAX_PLY + 2;
        self.pv.resize_with(PLIES, || Vec::with_capacity(32));
        self.moves.clear();
        self.moves.reserve(8192);
        self.history.clear();
        self.keys.clear();
        refill(&mut self.evals, PLIES, NO_EVAL);
        refill(&mut self.excluded, PLIES, Move::NONE);
        refill(&mut self.hash_keys, PLIES, (0, 0));
        refill(&mut self.previous, PLIES, 0);
    }
}
