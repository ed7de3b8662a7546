//! An engine that judges positions instead of playing games.

use crate::client::{Client, Failure, StartError};
use crate::config::{EngineConfig, Thinking};
use crate::dialect::Question;
use crate::dialogue::{Dialogue, LastWords, quoted};
use millbrain_core::any::AnyGame;
use millbrain_core::variant::NamedRules;
use millbrain_games::score::Score;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Waiting time beyond the time limit before the engine gets a `stop`.
const MARGIN: Duration = Duration::from_secs(2);
/// Waiting time without a time limit.
const PATIENCE: Duration = Duration::from_secs(600);
/// Nothing interrupts an analyst but the end of the program.
static NEVER: AtomicBool = AtomicBool::new(false);

/// Why an engine does not judge a position.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AnalystError {
    /// The engine cannot be used.
    #[error("engine {0}: {1}")]
    Start(String, #[source] StartError),
    /// The engine rejects a setting.
    #[error("engine {0}: rejects a setting: {1:?}")]
    Complaint(String, String),
    /// The engine has ended, or is silent.
    #[error("engine {0}: {1}{2}")]
    Failure(String, #[source] Failure, LastWords),
    /// The engine has sent no score.
    #[error("engine {0}: no score before its bestmove, expected an 'info' line with 'score'")]
    NoScore(String),
    /// The engine has sent an illegal move.
    #[error("engine {name}: illegal move {text:?} in its {place} in {fen}")]
    Illegal {
        /// The engine.
        name: String,
        /// The move.
        text: String,
        /// `bestmove` or `pv`.
        place: &'static str,
        /// The position before the move.
        fen: String,
    },
}

/// The judgement of a position that is not over.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Judgement {
    /// Score from the side to move.
    pub score: Score,
    /// Depth in plies; 0 if the engine names none.
    pub depth: u32,
    /// The best move and what follows it.
    pub pv: Vec<String>,
}

/// A running engine that judges positions by the same rules.
pub struct Analyst {
    name: String,
    client: Client<'static>,
    thinking: Thinking,
}

impl Analyst {
    /// Starts an engine for positions of these rules.
    ///
    /// # Errors
    /// When the engine cannot be run, or rejects its settings.
    pub fn start(config: &EngineConfig, rules: NamedRules) -> Result<Analyst, AnalystError> {
        let name = config.name.clone();
        let started = Client::start(config, rules, &NEVER, Dialogue::default());
        let (client, complaints) = started.map_err(|error| AnalystError::Start(name.clone(), error))?;
        match complaints.into_iter().next() {
            Some(line) => Err(AnalystError::Complaint(name, line)),
            None => Ok(Analyst { name, client, thinking: config.thinking }),
        }
    }

    fn failed(&self, failure: Failure) -> AnalystError {
        AnalystError::Failure(self.name.clone(), failure, self.client.last_words(failure))
    }

    /// Announces a new game.
    ///
    /// # Errors
    /// When the engine does not answer.
    pub fn new_game(&self) -> Result<(), AnalystError> {
        self.client.new_game().map_err(|failure| self.failed(failure))
    }

    /// Judges the position of `game`, which is not over. These moves from the FEN lead to it.
    ///
    /// # Errors
    /// When the engine does not answer, sends no score, or an illegal move.
    pub fn judge(&self, fen: &str, moves: Vec<&str>, game: &AnyGame) -> Result<Judgement, AnalystError> {
        let patience = self.thinking.move_time.map_or(PATIENCE, |time| time + MARGIN);
        let (clocks, moves_to_go, thinking) = ([None, None], None, self.thinking);
        let question = Question { fen, moves, game, clocks, moves_to_go, thinking, patience };
        let answer = self.client.think(&question).map_err(|failure| self.failed(failure))?;
        let score = answer.report.score.ok_or_else(|| AnalystError::NoScore(self.name.clone()))?;
        let mut pv = self.played(game, &[answer.best], "bestmove")?;
        let reported = self.played(game, &answer.report.pv, "pv")?;
        // The best move may have changed after the last report.
        if reported.first() == pv.first() {
            pv = reported;
        }
        Ok(Judgement { score, depth: answer.report.depth.unwrap_or_default(), pv })
    }

    /// Returns moves of the engine in the notation of the game, up to the end of the game.
    fn played(&self, game: &AnyGame, moves: &[String], place: &'static str) -> Result<Vec<String>, AnalystError> {
        let mut game = game.clone();
        let mut played = Vec::new();
        for text in moves {
            let fen = game.fen();
            let illegal = |_| AnalystError::Illegal { name: self.name.clone(), text: quoted(text), place, fen };
            played.push(game.push(text).map_err(illegal)?);
        }
        Ok(played)
    }
}
