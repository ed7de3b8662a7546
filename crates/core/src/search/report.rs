//! What a search reports, and what it finds.

use super::control::Control;
use super::hash::{Bound, HashTable};
use crate::game::Move;
use std::time::Duration;

/// One report of the search.
#[derive(Clone, Debug)]
pub enum Info<'a> {
    /// A variation.
    Variation {
        /// Nominal depth in plies.
        depth: i32,
        /// Deepest ply reached.
        seldepth: usize,
        /// Rank of the variation, from 1.
        multipv: usize,
        /// Score from the side to move.
        score: i32,
        /// Whether the score is exact.
        bound: Bound,
        /// Nodes of all threads.
        nodes: u64,
        /// Fill of the hash table in permille.
        hashfull: u32,
        /// Positions looked up in tablebases by all threads.
        tablebase_hits: u64,
        /// Time since the start of the search.
        time: Duration,
        /// The line.
        pv: &'a [Move],
    },
    /// Something to tell the user.
    Note(&'a str),
    /// The root move being searched.
    CurrentMove {
        /// Nominal depth in plies.
        depth: i32,
        /// The move.
        mv: Move,
        /// Its number, from 1.
        number: usize,
    },
}

impl<'a> Info<'a> {
    /// The same report with an exact score of another kind.
    pub(super) fn with_score(&self, exact: i32) -> Info<'a> {
        let mut info = self.clone();
        if let Info::Variation { score, bound, .. } = &mut info {
            (*score, *bound) = (exact, Bound::Exact);
        }
        info
    }

    /// The report of a move chosen without a search, or of a finished game.
    pub fn unsearched(score: i32, pv: &'a [Move], hash: &HashTable, control: &Control) -> Info<'a> {
        Info::Variation {
            depth: 0,
            seldepth: 0,
            multipv: 1,
            score,
            bound: Bound::Exact,
            nodes: 0,
            hashfull: hash.hashfull(),
            tablebase_hits: 0,
            time: control.elapsed(),
            pv,
        }
    }
}

/// The result of a search.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Found {
    /// The best move; `None` where there is no legal move.
    pub best: Option<Move>,
    /// The reply expected.
    pub ponder: Option<Move>,
    /// Score of the best move from the side to move.
    pub score: i32,
    /// Depth of the last completed iteration.
    pub depth: i32,
    /// Nodes of all threads.
    pub nodes: u64,
}
