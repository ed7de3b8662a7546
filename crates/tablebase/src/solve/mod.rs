//! Solves pairs of sectors: the interface to a game, and the [retrograde analysis](retrograde) of any game slot by
//! slot.

pub(crate) mod retrograde;
pub(crate) mod rows;
pub(crate) mod states;

use crate::code::{Code, Codes, Plies};
use crate::endings::{Endings, Sector};
use crate::format::Fault;
use crate::ultra::UltraSolver;
use millbrain_files::InFile;

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
    /// Returns the codes, by slot, of a sector that [`Endings::exits`] names.
    fn codes(&self, sector: Sector) -> Result<Codes, InFile<Fault>>;
}

/// Endings that can be solved.
pub(crate) trait Solvable: Endings {
    /// Solves the sectors of a [pair](Endings::pair).
    fn solve(&self, pair: &[Sector], finished: &dyn Finished, watcher: &dyn Watcher) -> Result<Solution, Unsolved>;

    /// Derives the codes of a sector from those of the sectors that its moves lead to.
    fn derive(&self, sector: Sector, finished: &dyn Finished, watcher: &dyn Watcher) -> Result<Codes, Unsolved>;

    /// Counts the positions of a sector by a formula.
    fn extent(&self, sector: Sector) -> Extent;

    /// Returns whether deriving a sector is fast and has nothing in common with solving it.
    fn derives_by_rows(&self) -> bool {
        false
    }

    /// Returns the solver of ultra-strong values, if there is one.
    fn ultra(&self) -> Option<&dyn UltraSolver> {
        None
    }

    /// Returns the bytes of memory that deriving a sector takes.
    fn deriving_bytes(&self, sector: Sector) -> u64;

    /// Returns the bytes of memory that solving a pair takes.
    fn solving_bytes(&self, pair: &[Sector]) -> u64;
}
