//! What differs between the protocols that engines of a match may speak.

mod millbrain;
mod sanmill;

#[cfg(test)]
pub(super) use millbrain::{go_command, position_command};

use super::advertised::{Advertised, OptionError};
use super::answer::{Answer, Best, Report};
use super::config::{Dialect, EngineConfig, Thinking};
use millbrain_core::any::AnyGame;
use millbrain_core::variant::NamedRules;
use std::time::Duration;

/// Why an engine does not take its settings.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// It lacks an option or does not take its value.
    #[error(transparent)]
    Option(#[from] OptionError),
    /// Its dialect has no options for the rules.
    #[error("its dialect has no rules of {rules}, expected one of {known}")]
    Rules {
        /// The rules of the match.
        rules: String,
        /// The variants that it can play.
        known: String,
    },
    /// It cannot keep a limit.
    #[error("it does not take the limit {limit}, expected {expected}")]
    Limit {
        /// The limit.
        limit: String,
        /// What it takes.
        expected: &'static str,
    },
}

/// What a clock shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ClockReading {
    /// Time left.
    pub left: Duration,
    /// Time added after each move.
    pub increment: Duration,
}

/// What an engine is asked: its move in a game, within its limits.
pub struct Question<'a> {
    /// FEN of the first position of the game.
    pub fen: &'a str,
    /// The moves since then.
    pub moves: Vec<&'a str>,
    /// The game after these moves.
    pub game: &'a AnyGame,
    /// The clocks of White and Black, where they have one.
    pub clocks: [Option<ClockReading>; 2],
    /// Moves of the mover up to the next period of its clock, if it has periods.
    pub moves_to_go: Option<u32>,
    /// The limits of the mover.
    pub thinking: Thinking,
    /// How long an answer is waited for before the engine is told to stop.
    pub patience: Duration,
}

impl Question<'_> {
    /// The clock of the mover.
    pub fn clock(&self) -> Option<ClockReading> {
        self.clocks[self.game.side() as usize]
    }
}

/// What is sent for a search.
pub(super) struct Search {
    /// Commands that the engine has carried out before its time begins.
    pub before: Vec<String>,
    /// The command with which it begins.
    pub go: String,
    /// When the engine is told to stop, if it cannot keep the limit by itself.
    pub stop_after: Option<Duration>,
}

/// How an engine of this dialect is spoken to.
pub(super) fn speech(dialect: Dialect) -> Box<dyn Speech> {
    match dialect {
        Dialect::Millbrain => Box::new(millbrain::Millbrain),
        Dialect::Sanmill => Box::new(sanmill::Sanmill::default()),
    }
}

/// How an engine is spoken to.
pub(super) trait Speech {
    /// The commands that set rules and options; all are checked before the first is sent.
    ///
    /// # Errors
    /// Rules, options or limits that the engine does not take.
    fn settings(
        &mut self,
        advertised: &Advertised,
        config: &EngineConfig,
        rules: NamedRules,
    ) -> Result<Vec<String>, SettingsError>;

    /// What to send for the move, or for the rest of it after an answer that was only half of one.
    fn search(&self, question: &Question<'_>, half: Option<&Answer>) -> Search;

    /// The commands by which it ponders: the question is the one that it will have to answer if its opponent plays as
    /// expected. None if it cannot.
    fn ponder(&self, _question: &Question<'_>) -> Vec<String> {
        Vec::new()
    }

    /// Whether a line is the answer to `isready`.
    fn is_ready(&self, line: &str) -> bool {
        line == "readyok"
    }

    /// Takes in a line of a search: the move, if it ends with this line.
    fn read(&self, line: &str, question: &Question<'_>, report: &mut Report) -> Option<Best>;

    /// Whether this answer is half a move, and the rest has to be asked for.
    fn is_half(&self, _question: &Question<'_>, _best: &str) -> bool {
        false
    }
}
