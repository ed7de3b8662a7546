//! The differences between the protocols of engines.

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

/// Why an engine rejects its settings.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// The engine lacks an option or rejects its value.
    #[error(transparent)]
    Option(#[from] OptionError),
    /// The dialect has no options for the rules.
    #[error("its dialect has no rules of {rules}, expected one of {known}")]
    Rules {
        /// The rules of the match.
        rules: String,
        /// The variants that the dialect supports.
        known: String,
    },
    /// The engine does not support a limit.
    #[error("it does not take the limit {limit}, expected {expected}")]
    Limit {
        /// The limit.
        limit: String,
        /// The limits that the engine supports.
        expected: &'static str,
    },
}

/// The reading of a clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ClockReading {
    /// Time left.
    pub left: Duration,
    /// Time added after each move.
    pub increment: Duration,
}

/// A request for a move in a game, within limits.
pub struct Question<'a> {
    /// FEN of the first position of the game.
    pub fen: &'a str,
    /// The moves from there.
    pub moves: Vec<&'a str>,
    /// The game after these moves.
    pub game: &'a AnyGame,
    /// The clocks of White and Black, if any.
    pub clocks: [Option<ClockReading>; 2],
    /// Moves until the next period of the mover's clock, if it has periods.
    pub moves_to_go: Option<u32>,
    /// The limits of the mover.
    pub thinking: Thinking,
    /// Waiting time before the engine gets a `stop`.
    pub patience: Duration,
}

impl Question<'_> {
    /// Returns the clock of the mover.
    pub fn clock(&self) -> Option<ClockReading> {
        self.clocks[self.game.side() as usize]
    }
}

/// The commands of a search.
pub(super) struct Search {
    /// Commands to complete before the clock starts.
    pub before: Vec<String>,
    /// The command that starts the search.
    pub go: String,
    /// Time after which the engine gets a `stop`, if it cannot enforce the limit itself.
    pub stop_after: Option<Duration>,
}

/// Returns the implementation of a dialect.
pub(super) fn speech(dialect: Dialect) -> Box<dyn Speech> {
    match dialect {
        Dialect::Millbrain => Box::new(millbrain::Millbrain),
        Dialect::Sanmill => Box::new(sanmill::Sanmill::default()),
    }
}

/// A dialect of the protocol.
pub(super) trait Speech {
    /// Returns the commands that set rules and options; all are checked before the first is sent.
    ///
    /// # Errors
    /// Rules, options or limits that the engine rejects.
    fn settings(
        &mut self,
        advertised: &Advertised,
        config: &EngineConfig,
        rules: NamedRules,
    ) -> Result<Vec<String>, SettingsError>;

    /// Returns the commands for a move, or for the next part of it after an answer with only the parts before.
    fn search(&self, question: &Question<'_>, half: Option<&Answer>) -> Search;

    /// Returns the commands for pondering on the question that the engine must answer if its opponent plays as
    /// expected. Returns none if the dialect cannot ponder.
    fn ponder(&self, _question: &Question<'_>) -> Vec<String> {
        Vec::new()
    }

    /// Whether a line is the answer to `isready`.
    fn is_ready(&self, line: &str) -> bool {
        line == "readyok"
    }

    /// Reads a line of a search; returns the move if the line ends the search.
    fn read(&self, line: &str, question: &Question<'_>, report: &mut Report) -> Option<Best>;

    /// Whether this answer is only a part of a move, so that the next one must be requested.
    fn is_half(&self, _question: &Question<'_>, _best: &str) -> bool {
        false
    }
}
