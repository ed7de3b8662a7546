//! Limits of a search.

use std::time::Duration;

/// The limits of a `go` command. Without any, the search runs until it is stopped.
///
/// ```
/// use millbrain_core::search::Limits;
/// use std::time::Duration;
///
/// let quick = Limits { nodes: Some(10_000), movetime: Some(Duration::from_millis(200)), ..Limits::default() };
/// assert!(quick.is_bounded(), "ends at whichever limit comes first");
/// assert!(!Limits::default().is_bounded());
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    /// Nominal depth in plies.
    pub depth: Option<u32>,
    /// Nodes over all threads.
    pub nodes: Option<u64>,
    /// Search for a win in this many own moves.
    pub mate: Option<u32>,
    /// Time for this move.
    pub movetime: Option<Duration>,
    /// Time left of White and Black.
    pub time: [Option<Duration>; 2],
    /// Increment per move of White and Black.
    pub increment: [Option<Duration>; 2],
    /// Moves until the next time control; none or 0: the clock is for the rest of the game.
    pub movestogo: Option<u32>,
    /// Search until stopped, whatever else is given.
    pub infinite: bool,
}

impl Limits {
    /// Returns whether the search ends without a stop, at the latest once it no longer ponders.
    pub fn is_bounded(&self) -> bool {
        !self.infinite
            && (self.depth.is_some()
                || self.nodes.is_some()
                || self.mate.is_some()
                || self.movetime.is_some()
                || self.has_clock())
    }

    /// Returns whether a chess clock is given.
    pub fn has_clock(&self) -> bool {
        self.time.iter().chain(&self.increment).any(Option::is_some)
    }
}
