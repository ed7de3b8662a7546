//! What a search is asked to do.

use super::control::Control;
use super::hash::HashTable;
use super::limits::Limits;
use super::pool::Pool;
use super::strength::Weakness;
use crate::game::Move;
use std::sync::Arc;
use std::time::Duration;

/// What to search, with what.
pub struct Request<'a> {
    /// When to end.
    pub limits: &'a Limits,
    /// Root moves to consider; all if empty.
    pub searchmoves: &'a [Move],
    /// The hash table.
    pub hash: &'a Arc<HashTable>,
    /// Stop, ponder, clock.
    pub control: &'a Arc<Control>,
    /// The threads; `None` for the calling one alone.
    pub pool: Option<&'a Pool>,
    /// Variations to find, at least 1.
    pub multipv: usize,
    /// Time lost between the engine and the clock, per move.
    pub overhead: Duration,
    /// Who plays; `None` for full strength.
    pub weakness: Option<Weakness>,
}

impl<'a> Request<'a> {
    /// One thread, one variation, no time lost: for callers that play on no clock.
    pub const fn plain(limits: &'a Limits, hash: &'a Arc<HashTable>, control: &'a Arc<Control>) -> Request<'a> {
        Request {
            limits,
            searchmoves: &[],
            hash,
            control,
            pool: None,
            multipv: 1,
            overhead: Duration::ZERO,
            weakness: None,
        }
    }
}
