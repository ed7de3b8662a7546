//! The games of a match: as data, and as text in the portable game notation.

use crate::game::{End, Game, Node, NotationError};
use crate::mif;
use crate::movetext::{Fault, TextError};
use crate::pgn::{self, Raw};
use crate::split::Splitter;
use millbrain_core::any::{AnyBoard, AnyRules};
use millbrain_core::game::{Reason, Side};
use millbrain_core::play::{MoveFault, PlayError};
use millbrain_core::variant::{Ruleset, UnknownVariant};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The result of a game.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum Outcome {
    /// `1-0`
    WhiteWins,
    /// `0-1`
    BlackWins,
    /// `1/2-1/2`
    Draw,
    /// `*`: the game has no result, or it is unknown.
    Open,
}

impl Outcome {
    /// All outcomes.
    pub const ALL: [Outcome; 4] = [Outcome::WhiteWins, Outcome::BlackWins, Outcome::Draw, Outcome::Open];

    /// Returns the outcome with this winner.
    pub const fn of(winner: Option<Side>) -> Outcome {
        match winner {
            Some(Side::White) => Outcome::WhiteWins,
            Some(Side::Black) => Outcome::BlackWins,
            None => Outcome::Draw,
        }
    }

    /// Returns White's half points, 0, 1 or 2, or `None` without a result.
    pub const fn white_half_points(self) -> Option<usize> {
        match self {
            Outcome::WhiteWins => Some(2),
            Outcome::Draw => Some(1),
            Outcome::BlackWins => Some(0),
            Outcome::Open => None,
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Outcome::WhiteWins => "1-0",
            Outcome::BlackWins => "0-1",
            Outcome::Draw => "1/2-1/2",
            Outcome::Open => "*",
        })
    }
}

/// The error for a text that is not a result.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("result {0:?}, expected 1-0, 0-1, 1/2-1/2 or *")]
pub struct UnknownOutcome(String);

impl FromStr for Outcome {
    type Err = UnknownOutcome;

    fn from_str(text: &str) -> Result<Outcome, UnknownOutcome> {
        Outcome::ALL
            .into_iter()
            .find(|outcome| outcome.to_string() == text)
            .ok_or_else(|| UnknownOutcome(text.to_string()))
    }
}

/// The reason why a game ended.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum Termination {
    /// The game ended by the rules.
    Normal,
    /// The loser resigned.
    Resignation,
    /// The players agreed on a draw.
    Agreement,
    /// A referee ended the game, for example by the scores or for its length.
    Adjudication,
    /// The loser had used up its time.
    Time,
    /// The loser made an illegal move.
    IllegalMove,
    /// The loser's process ended.
    Crash,
    /// The loser did not answer.
    Stall,
    /// The players broke the game off.
    Abandoned,
    /// The game is not over.
    Unfinished,
    /// The reason is unknown.
    Unknown,
}

impl Termination {
    /// All terminations.
    pub const ALL: [Termination; 11] = [
        Termination::Normal,
        Termination::Resignation,
        Termination::Agreement,
        Termination::Adjudication,
        Termination::Time,
        Termination::IllegalMove,
        Termination::Crash,
        Termination::Stall,
        Termination::Abandoned,
        Termination::Unfinished,
        Termination::Unknown,
    ];

    /// Returns whether the loser has failed as a program rather than lost the game.
    pub const fn is_failure(self) -> bool {
        matches!(self, Termination::Time | Termination::IllegalMove | Termination::Crash | Termination::Stall)
    }
}

impl fmt::Display for Termination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Termination::Normal => "normal",
            Termination::Resignation => "resignation",
            Termination::Agreement => "agreement",
            Termination::Adjudication => "adjudication",
            Termination::Time => "time forfeit",
            Termination::IllegalMove => "illegal move",
            Termination::Crash => "crash",
            Termination::Stall => "stall",
            Termination::Abandoned => "abandoned",
            Termination::Unfinished => "unterminated",
            Termination::Unknown => "unknown",
        })
    }
}

/// The error for a text that is not a termination.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("termination {0:?}, expected one such as normal or time forfeit")]
pub struct UnknownTermination(String);

impl FromStr for Termination {
    type Err = UnknownTermination;

    fn from_str(text: &str) -> Result<Termination, UnknownTermination> {
        Termination::ALL
            .into_iter()
            .find(|termination| termination.to_string() == text)
            .ok_or_else(|| UnknownTermination(text.to_string()))
    }
}

/// A move and the engine's report of it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Serialize, Deserialize)]
pub struct MoveRecord {
    /// The move.
    #[serde(rename = "move")]
    pub text: String,
    /// Score from the side that moves: `+0.35` in stones, or `-M4` for a loss in four moves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<String>,
    /// Depth in plies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// Milliseconds taken; none for moves of the opening.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<u64>,
    /// Milliseconds beyond the time limit, if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub late: Option<u64>,
}

/// A game of a match.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct GameRecord {
    /// Number of the game in the schedule, from 0.
    pub index: usize,
    /// Round, from 1.
    pub round: usize,
    /// Name of the engine that played White.
    pub white: String,
    /// Name of the engine that played Black.
    pub black: String,
    /// Name of the variant.
    pub variant: String,
    /// Rule options that differ from those of the variant, such as `Stones=10,Flying=false`; empty for none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub house_rules: String,
    /// Time control of White and of Black.
    pub thinking: [String; 2],
    /// FEN of the first position.
    pub fen: String,
    /// All moves, those of the opening too.
    pub moves: Vec<MoveRecord>,
    /// The move whose lateness ended the game. It was not played, and need not be legal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub late_move: Option<MoveRecord>,
    /// Result.
    pub outcome: Outcome,
    /// Kind of ending.
    pub termination: Termination,
    /// The id of the ending ([`reason`](crate::reason)), or a comment on it.
    #[serde(deserialize_with = "crate::reason::read")]
    pub reason: String,
}

/// The reason why a recorded game cannot have been played.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// The variant does not exist.
    #[error(transparent)]
    Variant(#[from] UnknownVariant),
    /// These house rules do not exist.
    #[error("house rules {0:?}, expected rule options such as Stones=10,Flying=false")]
    HouseRules(String),
    /// The FEN is faulty, or a move cannot be played.
    #[error(transparent)]
    Play(#[from] PlayError),
    /// The game is not over by the rules, though the record says so.
    #[error("the game is recorded as over, but it is not")]
    NotOver,
    /// The result by the rules differs.
    #[error("the result is recorded as {recorded}, but it is {found} ({reason})")]
    Outcome {
        /// The result in the record.
        recorded: Outcome,
        /// The result by the rules.
        found: Outcome,
        /// The reason of the ending.
        reason: Reason,
    },
    /// The game is over by the rules, though the record has another ending.
    #[error("recorded as {recorded}, but over: {reason}")]
    Termination {
        /// The termination in the record.
        recorded: Termination,
        /// The reason of the ending.
        reason: Reason,
    },
}

impl GameRecord {
    /// Returns the game without the times of its moves, so that equal play compares equal.
    #[must_use]
    pub fn without_times(&self) -> GameRecord {
        let timeless = |played: &MoveRecord| MoveRecord { time: None, late: None, ..played.clone() };
        let moves = self.moves.iter().map(timeless).collect();
        GameRecord { moves, late_move: self.late_move.as_ref().map(timeless), ..self.clone() }
    }

    /// Returns the game as text, with an empty line at its end.
    pub fn text(&self) -> String {
        pgn::write_record(&Game::from(self.clone()), "")
    }

    /// Returns the rules of the game: those of the variant, changed by the house rules.
    ///
    /// # Errors
    /// Fails if the variant or house rules do not exist.
    pub fn rules(&self) -> Result<Ruleset, VerifyError> {
        Game { variant: self.variant.clone(), house_rules: self.house_rules.clone(), ..Game::default() }.rules()
    }

    /// Replays the game, by the rules that the record names.
    ///
    /// # Errors
    /// Fails if the variant or house rules do not exist, and as [`GameRecord::verify_by`] does.
    pub fn verify(&self) -> Result<(), VerifyError> {
        self.verify_by(&*AnyBoard::new(self.rules()?))
    }

    /// Replays the game, by the rules of another game.
    ///
    /// # Errors
    /// Fails for an unreadable FEN, an illegal move, or an ending that contradicts the record.
    pub fn verify_by(&self, rules: &dyn AnyRules) -> Result<(), VerifyError> {
        let mut play = rules.board(Some(&self.fen), [])?;
        for (i, played) in self.moves.iter().enumerate() {
            // Draws by history leave legal moves.
            let over = play.ending().map(|ending| MoveFault::GameOver(ending.reason));
            over.map_or_else(|| play.push(&played.text).map(drop), Err).map_err(|fault| PlayError::Move {
                number: i + 1,
                text: played.text.clone(),
                fault,
            })?;
        }
        let Some(ending) = play.ending() else {
            return if self.termination == Termination::Normal { Err(VerifyError::NotOver) } else { Ok(()) };
        };
        let reason = ending.reason;
        if !matches!(self.termination, Termination::Normal | Termination::Unknown) {
            return Err(VerifyError::Termination { recorded: self.termination, reason });
        }
        let found = Outcome::of(ending.winner(play.side()));
        if found == self.outcome { Ok(()) } else { Err(VerifyError::Outcome { recorded: self.outcome, found, reason }) }
    }
}

/// Converts a record to a game; a record has no variations. The first position is written out.
impl From<GameRecord> for Game {
    fn from(record: GameRecord) -> Game {
        let GameRecord { outcome, termination, reason, .. } = record;
        let moves = record.moves.into_iter().enumerate();
        Game {
            variant: record.variant,
            house_rules: record.house_rules,
            white: record.white,
            black: record.black,
            fen: Some(record.fen),
            nodes: moves.map(|(parent, played)| Node { parent, played, ..Node::default() }).collect(),
            end: Some(End { outcome, termination, reason }),
            index: record.index,
            round: record.round,
            thinking: record.thinking,
            late_move: record.late_move,
            ..Game::default()
        }
    }
}

/// Converts the main line of a game.
impl From<Game> for GameRecord {
    fn from(game: Game) -> GameRecord {
        let named = |name: &String| if name.is_empty() { "?".to_string() } else { name.clone() };
        let End { outcome, termination, reason } = game.end.clone().unwrap_or_else(End::none);
        GameRecord {
            index: game.index,
            round: game.round,
            white: named(&game.white),
            black: named(&game.black),
            moves: game.main_line().into_iter().map(|node| node.played.clone()).collect(),
            fen: game.fen.clone().unwrap_or_else(|| pgn::start(&game)),
            variant: game.variant,
            house_rules: game.house_rules,
            thinking: game.thinking,
            late_move: game.late_move,
            outcome,
            termination,
            reason,
        }
    }
}

/// Reads the games of a file unchanged, for [`GameRecord::verify`]: no move is played.
///
/// # Errors
/// Fails with the first fault, with its line; two contradictory results are one.
pub fn read_games(text: &str) -> Result<Vec<GameRecord>, NotationError> {
    let games = Splitter::all(text).into_iter().map(|piece| {
        let later = |TextError { line, source }| TextError { line: line + piece.line - 1, source };
        let Raw { game, other_result, .. } = pgn::read_raw(&piece.text).map_err(later)?;
        if let Some([reported, found]) = other_result {
            return Err(TextError { line: piece.line, source: Fault::OtherResult { found, reported } }.into());
        }
        Ok(GameRecord::from(game))
    });
    games.collect()
}

/// Returns whether Black moves first from the position of a FEN.
pub fn black_begins(fen: &str) -> bool {
    let side = if mif::is_record(fen) { 3 } else { 1 };
    fen.split_whitespace().nth(side) == Some("b")
}

#[cfg(test)]
mod tests;
