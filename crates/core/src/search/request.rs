//! The request of a search.

use super::control::Control;
use super::hash::HashTable;
use super::limits::Limits;
use super::pool::Pool;
use super::strength::Weakness;
use crate::game::Move;
use std::sync::Arc;
use std::time::Duration;

/// The choice among moves with the same known result.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Style {
    /// Among draws, plays one after which few replies hold the draw.
    #[default]
    Perfect,
    /// Plays for the errors of a fallible opponent: among draws one that leads to a better sector, then one after which
    /// most of the replies lose.
    Ultra,
}

impl Style {
    /// The names of all styles.
    pub const NAMES: [&'static str; 2] = ["perfect", "ultra"];

    /// Returns the name.
    pub const fn name(self) -> &'static str {
        Style::NAMES[self as usize]
    }

    /// Returns the style of this name, in any case.
    pub fn named(name: &str) -> Option<Style> {
        [Style::Perfect, Style::Ultra].into_iter().find(|style| style.name().eq_ignore_ascii_case(name))
    }
}

/// A position's search request.
pub struct Request<'a> {
    /// The limits that end the search.
    pub limits: &'a Limits,
    /// Root moves to consider; all if empty.
    pub searchmoves: &'a [Move],
    /// The hash table.
    pub hash: &'a Arc<HashTable>,
    /// The control: stop, ponder, clock.
    pub control: &'a Arc<Control>,
    /// The threads; `None` for the calling one alone.
    pub pool: Option<&'a Pool>,
    /// Variations to find, at least 1.
    pub multipv: usize,
    /// Time lost between the engine and the clock, per move.
    pub overhead: Duration,
    /// The weakness of the player; `None` for full strength.
    pub weakness: Option<Weakness>,
    /// The choice among moves with the same known result.
    pub style: Style,
    /// Whether moves whose win or loss the draw counter may stop are searched, unless the tables know better ones. The
    /// latter alone are reported then. Otherwise all are judged by the tables.
    pub searches_doubtful: bool,
}

impl<'a> Request<'a> {
    /// Returns a request with one thread, one variation and no time lost: for callers without a clock.
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
            searches_doubtful: false,
        }
    }
}
