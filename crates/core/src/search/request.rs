//! What a search is asked to do.

use super::control::Control;
use super::hash::HashTable;
use super::limits::Limits;
use super::pool::Pool;
use super::strength::Weakness;
use crate::game::Move;
use std::sync::Arc;
use std::time::Duration;

/// Which of several moves with the same known result is played.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Style {
    /// Among draws one after which few replies hold the draw.
    #[default]
    Perfect,
    /// What a fallible opponent gets wrong: among draws one that leads to a better sector, then one after which most of the
    /// replies lose.
    Ultra,
}

impl Style {
    /// The names of all styles.
    pub const NAMES: [&'static str; 2] = ["perfect", "ultra"];

    /// The name.
    pub const fn name(self) -> &'static str {
        Style::NAMES[self as usize]
    }

    /// The style of this name.
    pub fn named(name: &str) -> Option<Style> {
        [Style::Perfect, Style::Ultra].into_iter().find(|style| style.name() == name)
    }
}

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
    /// Which of several moves with the same known result is played.
    pub style: Style,
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
            style: Style::Perfect,
        }
    }
}
