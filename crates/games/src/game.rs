//! Games with variations, as data: what goes to and comes from any of the [`forms`](crate::forms).

use crate::house_rules;
use crate::mif::error::MifError;
use crate::record::{GameRecord, MoveRecord, Outcome, RecordError, Termination, VerifyError};
use millbrain_core::any::AnyBoard;
use millbrain_core::game::fen::shorten;
use millbrain_core::play::PlayError;
use millbrain_core::variant::{Ruleset, Variant};
use serde::{Deserialize, Serialize};

/// A move of a game, and what is said of it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Node {
    /// What it follows: 0 is the first position, and `n` the node at `n - 1`, which stands before this one.
    pub parent: usize,
    /// The move.
    #[serde(flatten)]
    pub played: MoveRecord,
    /// Free text; SGF alone keeps it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub comment: String,
}

/// How a game has ended.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct End {
    /// Who has won.
    pub outcome: Outcome,
    /// The kind of ending.
    pub termination: Termination,
    /// The ending in words.
    pub reason: String,
}

/// A game with its variations.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct Game {
    /// Name of the variant.
    pub variant: String,
    /// Rule options that differ from those of the variant, such as `Stones=10;Flying=false`; empty for none.
    pub house_rules: String,
    /// Who plays White; empty if that is not known.
    pub white: String,
    /// Who plays Black.
    pub black: String,
    /// The first position, where it is not the start of the game.
    pub fen: Option<String>,
    /// Free text about the game.
    pub comment: String,
    /// The moves. Of those that follow the same node the first is the main line.
    pub nodes: Vec<Node>,
    /// The ending; `None` while the game is not over.
    pub end: Option<End>,
    /// Number of the game in its match, from 0.
    pub index: usize,
    /// Round of the match, from 1.
    pub round: usize,
    /// Time control of White and of Black.
    pub thinking: [String; 2],
    /// The move whose lateness ended the game. It was not played.
    pub late_move: Option<MoveRecord>,
}

impl Default for Game {
    fn default() -> Game {
        Game {
            variant: Variant::Morris.name().to_string(),
            house_rules: String::new(),
            white: String::new(),
            black: String::new(),
            fen: None,
            comment: String::new(),
            nodes: Vec::new(),
            end: None,
            index: 0,
            round: 1,
            thinking: ["-", "-"].map(str::to_string),
            late_move: None,
        }
    }
}

/// A name from a record, where `?` is nobody's.
pub(crate) fn unnamed(name: String) -> String {
    if name == "?" { String::new() } else { name }
}

/// The first position of a record, where it is not the start of the game by these rules.
pub(crate) fn unless_start(fen: String, rules: Ruleset) -> Option<String> {
    (AnyBoard::new(rules).fen() != fen).then_some(fen)
}

/// Why a text is not a game, or a game cannot be written.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NotationError {
    /// A fault of a record.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The game breaks the rules.
    #[error(transparent)]
    Rules(#[from] VerifyError),
    /// The text is not as SGF has it; characters are counted from 1.
    #[error("SGF, character {at}: expected {expected}")]
    Sgf {
        /// The first character that does not fit.
        at: usize,
        /// What was expected there.
        expected: &'static str,
    },
    /// SGF of another game.
    #[error("SGF: game number {0}, expected 5")]
    OtherGame(String),
    /// SGF of a position without its FEN.
    #[error("SGF: a position by AW and AB, expected its FEN in XF too")]
    NoFen,
    /// The form is for the morris family.
    #[error("{0}, expected a game of the morris family")]
    OtherFamily(&'static str),
    /// A fault of the Mill Interchange Format.
    #[error("MIF: {0}")]
    Mif(#[from] MifError),
    /// A comment of a list is not closed.
    #[error("a comment has no end, expected '}}'")]
    OpenComment,
    /// A removal before the first move of a list.
    #[error("{:?} stands before the first move, expected after a move that closes a mill", shorten(.0))]
    EarlyRemoval(String),
    /// What was to be games has no moves.
    #[error("the text holds no moves, expected games as records, as SGF, in MIF, or as lists of moves")]
    NoMoves,
}

impl Game {
    /// The rules of the game.
    ///
    /// # Errors
    /// A variant or house rules that do not exist.
    pub fn rules(&self) -> Result<Ruleset, VerifyError> {
        let rules = house_rules::rules(self.variant.parse()?, &self.house_rules);
        rules.ok_or_else(|| VerifyError::HouseRules(self.house_rules.clone()))
    }

    /// The first position.
    ///
    /// # Errors
    /// Rules or a FEN that are none.
    pub fn first(&self) -> Result<AnyBoard, VerifyError> {
        Ok(AnyBoard::new(self.rules()?).board(self.fen.as_deref(), [])?)
    }

    /// The nodes that follow each node, by number: 0 is the first position.
    pub fn children(&self) -> Vec<Vec<usize>> {
        let mut children = vec![Vec::new(); self.nodes.len() + 1];
        for (i, node) in self.nodes.iter().enumerate() {
            if let Some(after) = children.get_mut(node.parent) {
                after.push(i + 1);
            }
        }
        children
    }

    /// The nodes of the main line.
    pub fn main_line(&self) -> Vec<&Node> {
        let (mut line, mut last) = (Vec::new(), 0);
        for (i, node) in self.nodes.iter().enumerate() {
            if node.parent == last {
                line.push(node);
                last = i + 1;
            }
        }
        line
    }

    /// Adds a move after a node, unless it is there already; returns its number.
    pub fn add(&mut self, parent: usize, text: &str) -> usize {
        // What follows a node stands behind it.
        let mut after = self.nodes.iter().enumerate().skip(parent);
        let known = after.find(|(_, node)| node.parent == parent && node.played.text == text);
        known.map(|(i, _)| i).unwrap_or_else(|| {
            let played = MoveRecord { text: text.to_string(), ..MoveRecord::default() };
            self.nodes.push(Node { parent, played, comment: String::new() });
            self.nodes.len() - 1
        }) + 1
    }

    /// Plays all variations, and writes their moves as the game itself does.
    ///
    /// # Errors
    /// Rules, a FEN or a move that cannot be.
    pub fn check(&mut self) -> Result<(), VerifyError> {
        let mut game = self.first()?;
        let children = self.children();
        // Each entry is a node and the number of moves before it; no recursion, since games are long.
        let mut waiting: Vec<(usize, usize)> = Vec::new();
        let after = |number: usize, ply: usize, waiting: &mut Vec<(usize, usize)>| {
            let next = children.get(number).into_iter().flatten().rev();
            waiting.extend(next.map(|&child| (child, ply)));
        };
        after(0, 0, &mut waiting);
        let mut played = 0;
        while let Some((number, ply)) = waiting.pop() {
            while played > ply {
                game.undo();
                played -= 1;
            }
            let Some(node) = self.nodes.get_mut(number - 1) else { continue };
            let text = &node.played.text;
            let pushed = game.push(text);
            node.played.text =
                pushed.map_err(|fault| PlayError::Move { number: ply + 1, text: text.clone(), fault })?;
            played += 1;
            after(number, ply + 1, &mut waiting);
        }
        Ok(())
    }

    /// The position after the main line.
    ///
    /// # Errors
    /// As [`Game::check`].
    pub fn last(&self) -> Result<AnyBoard, VerifyError> {
        let line = self.main_line().into_iter().map(|node| node.played.text.as_str());
        Ok(AnyBoard::new(self.rules()?).board(self.fen.as_deref(), line)?)
    }

    /// The ending by the rules, if the main line has come to one.
    ///
    /// # Errors
    /// As [`Game::check`].
    pub fn end_by_rules(&self) -> Result<Option<End>, VerifyError> {
        let last = self.last()?;
        Ok(last.ending().map(|ending| End {
            outcome: Outcome::of(ending.winner(last.side())),
            termination: Termination::Normal,
            reason: ending.reason.to_string(),
        }))
    }

    /// The main line as a record.
    ///
    /// # Errors
    /// Rules or a FEN that are none.
    pub fn record(&self) -> Result<GameRecord, VerifyError> {
        let named = |name: &String| if name.is_empty() { "?".to_string() } else { name.clone() };
        let unfinished = End { outcome: Outcome::Open, termination: Termination::Unfinished, reason: String::new() };
        let End { outcome, termination, reason } = self.end.clone().unwrap_or(unfinished);
        Ok(GameRecord {
            index: self.index,
            round: self.round,
            white: named(&self.white),
            black: named(&self.black),
            variant: self.variant.clone(),
            house_rules: self.house_rules.clone(),
            thinking: self.thinking.clone(),
            fen: match &self.fen {
                Some(fen) => fen.clone(),
                None => self.first()?.fen(),
            },
            moves: self.main_line().into_iter().map(|node| node.played.clone()).collect(),
            late_move: self.late_move.clone(),
            outcome,
            termination,
            reason,
        })
    }

    /// The game of a record.
    ///
    /// # Errors
    /// Rules that do not exist.
    pub fn of_record(record: GameRecord) -> Result<Game, VerifyError> {
        let rules = record.rules()?;
        let ended = record.termination != Termination::Unfinished;
        let moves = record.moves.into_iter().enumerate();
        Ok(Game {
            variant: record.variant,
            house_rules: record.house_rules,
            white: unnamed(record.white),
            black: unnamed(record.black),
            fen: unless_start(record.fen, rules),
            comment: String::new(),
            nodes: moves.map(|(parent, played)| Node { parent, played, comment: String::new() }).collect(),
            end: ended.then_some(End {
                outcome: record.outcome,
                termination: record.termination,
                reason: record.reason,
            }),
            index: record.index,
            round: record.round,
            thinking: record.thinking,
            late_move: record.late_move,
        })
    }
}
