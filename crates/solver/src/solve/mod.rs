//! Solves pairs of sectors: their input and output, and the [retrograde analysis](retrograde) of any game slot by slot.

pub(crate) mod retrograde;
pub(crate) mod rows;
pub(crate) mod states;

use crate::code::{Code, Codes, Plies};
use millbrain_files::InFile;
use millbrain_tablebase::Sector;
use millbrain_tablebase::format::Fault;

/// The error for a distance that is too long for its stored width.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a distance is longer than the {longest} plies that a table can hold")]
pub struct TooLong {
    longest: u32,
}

impl TooLong {
    /// Returns the error for numbers of this width.
    pub(crate) fn of<P: Plies>() -> TooLong {
        TooLong::than(Code::<P>::max_distance())
    }

    /// Returns the error for this limit.
    pub(crate) const fn than(longest: u32) -> TooLong {
        TooLong { longest }
    }
}

/// The reason why a pair of sectors is not solved.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unsolved {
    /// A distance does not fit.
    #[error(transparent)]
    TooLong(#[from] TooLong),
    /// A sector that moves lead to cannot be read.
    #[error(transparent)]
    Dependency(#[from] InFile<Fault>),
}

/// Solved sectors, and the longest distance in them.
pub(crate) struct Solution {
    /// The codes of the sectors by slot, in the order of the pair.
    pub sectors: Vec<Codes>,
    /// The longest distance in plies.
    pub levels: u32,
}

/// Receives progress: seeded slots, finished levels.
pub(crate) trait Watcher: Sync {
    /// Reports the slots seeded since the last call.
    fn seeded(&self, slots: u64);
    /// Reports that a level is done.
    fn level(&self, level: u32);
    /// Reports that a distance was too long: the pair is solved again with wider numbers.
    fn again(&self) {}
}

/// Ignores progress.
impl Watcher for () {
    fn seeded(&self, _: u64) {}

    fn level(&self, _: u32) {}
}

/// The number of positions of a sector.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Extent {
    /// The number with a position and its images counted once.
    pub reduced: u64,
    /// The number with every image counted.
    pub unreduced: u64,
}

/// The finished sectors that a solver reads.
pub(crate) trait Finished: Sync {
    /// Returns the codes, by slot, of a sector that [`exits`](millbrain_tablebase::Endings::exits) names.
    fn codes(&self, sector: Sector) -> Result<Codes, InFile<Fault>>;
}
