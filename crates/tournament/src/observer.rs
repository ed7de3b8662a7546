//! Observers of games in progress.

use super::record::MoveRecord;
use millbrain_core::variant::NamedRules;
use std::time::Duration;

/// The current state of a game.
#[derive(Clone, Debug)]
pub struct GameView<'a> {
    /// Number of the game in the schedule, from 0.
    pub index: usize,
    /// Name of the engine that plays White.
    pub white: &'a str,
    /// Name of the engine that plays Black.
    pub black: &'a str,
    /// The rules.
    pub rules: NamedRules,
    /// FEN of the first position.
    pub fen: &'a str,
    /// All moves so far, including the opening.
    pub moves: &'a [MoveRecord],
    /// Time left of White and of Black; `None` without a clock.
    pub clocks: [Option<Duration>; 2],
}

/// Observes games. It is called on the threads that play them, while no clock runs, and must not block them.
pub trait Observer: Send + Sync {
    /// A game begins with the moves of its opening on the board.
    fn game_begun(&self, _game: &GameView<'_>) {}

    /// A move was played, the last one of the game.
    fn move_made(&self, _game: &GameView<'_>) {}

    /// A game is over or was abandoned.
    fn game_over(&self, _index: usize) {}
}

/// An observer that ignores everything.
pub struct Nobody;

impl Observer for Nobody {}
