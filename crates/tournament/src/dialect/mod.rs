//! What differs between the protocols that engines of a match may speak.

mod millbrain;
mod sanmill;

#[cfg(test)]
pub(super) use millbrain::{go_command, position_command};

use super::advertised::Advertised;
use super::client::{Answer, Report, StartError};
use super::config::{EngineConfig, Thinking};
use millbrain_core::any::AnyGame;
use millbrain_core::variant::Variant;
use millbrain_games::{house_rules, sanmill::options};
use serde::{Deserialize, Serialize};
use std::str::FromStr;
use std::time::Duration;

/// The protocol that an engine speaks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Dialect {
    /// That of this engine.
    #[default]
    Millbrain,
    /// That of the program Sanmill.
    Sanmill,
}

impl Dialect {
    /// All dialects; the first is the default.
    pub const ALL: [Dialect; 2] = [Dialect::Millbrain, Dialect::Sanmill];
    /// The names of all dialects in a sentence.
    pub const NAMES: &str = "millbrain or sanmill";

    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Dialect::Millbrain => "millbrain",
            Dialect::Sanmill => "sanmill",
        }
    }

    /// Whether this is the dialect of this engine.
    pub fn is_own(&self) -> bool {
        *self == Dialect::default()
    }

    /// Whether an option of this name chooses the rules.
    pub fn has_rule(self, option: &str) -> bool {
        match self {
            Dialect::Millbrain => house_rules::is_rule(option),
            Dialect::Sanmill => options::is_rule(option),
        }
    }

    /// How an engine is spoken to in this dialect.
    pub(super) fn speech(self) -> Box<dyn Speech> {
        match self {
            Dialect::Millbrain => Box::new(millbrain::Millbrain),
            Dialect::Sanmill => Box::new(sanmill::Sanmill::default()),
        }
    }
}

/// A name that is not that of a dialect.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("unknown dialect {:?}, expected {}", millbrain_core::game::fen::shorten(.0), Dialect::NAMES)]
pub struct UnknownDialect(String);

impl FromStr for Dialect {
    type Err = UnknownDialect;

    fn from_str(text: &str) -> Result<Dialect, UnknownDialect> {
        let named = |dialect: &Dialect| dialect.name() == text;
        Dialect::ALL.into_iter().find(named).ok_or_else(|| UnknownDialect(text.to_string()))
    }
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
        variant: Variant,
    ) -> Result<Vec<String>, StartError>;

    /// What to send for the move, or for the rest of it after an answer that was only half of one.
    fn search(&self, question: &Question<'_>, half: Option<&Answer>) -> Search;

    /// Whether a line is the answer to `isready`.
    fn is_ready(&self, line: &str) -> bool {
        line == "readyok"
    }

    /// Takes in a line of a search: the move, if it ends with this line.
    fn read(&self, line: &str, question: &Question<'_>, report: &mut Report) -> Option<String>;

    /// Whether this answer is half a move, and the rest has to be asked for.
    fn is_half(&self, _question: &Question<'_>, _best: &str) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dialects_are_known_by_their_names() {
        for dialect in Dialect::ALL {
            assert_eq!(dialect.name().parse(), Ok(dialect));
            assert!(Dialect::NAMES.contains(dialect.name()));
            let saved = serde_json::to_string(&dialect).expect("JSON");
            assert_eq!(saved, format!("{:?}", dialect.name()));
        }
        let told = "Sanmill!".parse::<Dialect>().expect_err("unknown").to_string();
        assert_eq!(told, "unknown dialect \"Sanmill!\", expected millbrain or sanmill");
    }
}
