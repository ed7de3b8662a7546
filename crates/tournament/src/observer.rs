//! Whoever watches the games of a match while they are played.

use super::record::MoveRecord;
use millbrain_core::variant::NamedRules;
use std::time::Duration;

/// A game as it stands.
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
    /// All moves so far, those of the opening too.
    pub moves: &'a [MoveRecord],
    /// Time left of White and of Black; none without a clock.
    pub clocks: [Option<Duration>; 2],
}

/// Watches games. It is told on the threads that play them, while no clock runs; it must not keep them waiting.
pub trait Observer: Send + Sync {
    /// A game begins, the moves of its opening on the board.
    fn game_begun(&self, _game: &GameView<'_>) {}

    /// A move has been made, the last one of the game.
    fn move_made(&self, _game: &GameView<'_>) {}

    /// A game is over, or was given up.
    fn game_over(&self, _index: usize) {}
}

/// Watches nothing.
pub struct Nobody;

impl Observer for Nobody {}
