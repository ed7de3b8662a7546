//! The reports and the result of a search. The moves are those of the search, or texts where a game of any family is
//! searched.

use super::control::Control;
use super::hash::{Bound, HashTable};
use crate::game::Move;
use std::time::Duration;

/// A variation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line<M = Move> {
    /// Nominal depth in plies.
    pub depth: i32,
    /// Deepest ply reached.
    pub seldepth: usize,
    /// Rank of the variation, from 1.
    pub multipv: usize,
    /// Score from the side to move, as [`score`](super::score) defines it.
    pub score: i32,
    /// Whether the score is exact.
    pub bound: Bound,
    /// Nodes of all threads.
    pub nodes: u64,
    /// Fill of the hash table in permille.
    pub hashfull: u32,
    /// Positions found in tablebases by all threads.
    pub tablebase_hits: u64,
    /// Time since the start of the search.
    pub time: Duration,
    /// The moves.
    pub pv: Vec<M>,
}

/// One report of the search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Info<'a, M = Move> {
    /// A variation.
    Line(Line<M>),
    /// A note for the user.
    Note(&'a str),
    /// The root move being searched.
    CurrentMove {
        /// Nominal depth in plies.
        depth: i32,
        /// The move.
        mv: M,
        /// Its number, from 1.
        number: usize,
    },
}

/// The result of a search.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Found<M = Move> {
    /// The best move; `None` if there is no legal move.
    pub best: Option<M>,
    /// The expected reply.
    pub ponder: Option<M>,
    /// Score of the best move from the side to move.
    pub score: i32,
    /// Depth of the last completed iteration in plies.
    pub depth: i32,
    /// Nodes of all threads.
    pub nodes: u64,
}

impl<M> Line<M> {
    /// Creates the line of a move chosen without a search, or of a finished game.
    pub fn unsearched(score: i32, pv: Vec<M>, hash: &HashTable, control: &Control) -> Line<M> {
        Line {
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

impl<'a> Info<'a> {
    /// Returns the same report with the moves in another form.
    pub fn with_moves<M>(&self, form: impl Fn(Move) -> M) -> Info<'a, M> {
        match *self {
            Info::Note(text) => Info::Note(text),
            Info::CurrentMove { depth, mv, number } => Info::CurrentMove { depth, mv: form(mv), number },
            Info::Line(Line {
                depth,
                seldepth,
                multipv,
                score,
                bound,
                nodes,
                hashfull,
                tablebase_hits,
                time,
                ref pv,
            }) => {
                let pv = pv.iter().map(|&mv| form(mv)).collect();
                Info::Line(Line { depth, seldepth, multipv, score, bound, nodes, hashfull, tablebase_hits, time, pv })
            }
        }
    }
}

impl Found {
    /// Returns the same result with the moves in another form.
    pub fn with_moves<M>(&self, form: impl Fn(Move) -> M) -> Found<M> {
        let Found { best, ponder, score, depth, nodes } = *self;
        Found { best: best.map(&form), ponder: ponder.map(&form), score, depth, nodes }
    }
}
