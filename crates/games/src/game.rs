//! Games with variations, as data: the common model of all [`forms`](crate::forms).

use crate::house_rules;
use crate::mif::error::MifError;
use crate::movetext::TextError;
use crate::pgn;
use crate::reason;
use crate::record::{MoveRecord, Outcome, Termination, VerifyError};
use millbrain_core::any::AnyBoard;
use millbrain_core::game::{Ending, Reason, Side};
use millbrain_core::play::PlayError;
use millbrain_core::texts::Language;
use millbrain_core::variant::{NamedRules, Ruleset, Variant};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// A move of a game with its annotations.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Node {
    /// The node it follows: 0 is the first position, and `n` the node at `n - 1`, which comes before this one.
    pub parent: usize,
    /// The move.
    #[serde(flatten)]
    pub played: MoveRecord,
    /// Milliseconds left on the clock of the side that has moved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<u64>,
    /// Marks by their numbers in the portable game notation: `!`, `?`, `!!`, `??`, `!?` and `?!` are 1 to 6.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<u8>,
    /// Free text before the move.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub before: String,
    /// Free text after the move.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub comment: String,
}

/// The end of a game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct End {
    /// The result. The side that has resigned or lost on time is the one that has not won.
    pub outcome: Outcome,
    /// The kind of ending.
    pub termination: Termination,
    /// The id of the ending ([`reason`]), or a comment on it.
    #[serde(deserialize_with = "reason::read")]
    pub reason: String,
}

impl End {
    /// Returns the placeholder for the ending of a game that is not over.
    pub(crate) fn none() -> End {
        End { outcome: Outcome::Open, termination: Termination::Unfinished, reason: String::new() }
    }

    /// Returns an ending by the rules, with this side to move.
    fn by_rules(ending: Ending, side: Side) -> End {
        End {
            outcome: Outcome::of(ending.winner(side)),
            termination: Termination::Normal,
            reason: ending.reason.id().to_string(),
        }
    }
}

/// A game with its variations.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct Game {
    /// Name of the variant.
    pub variant: String,
    /// Rule options that differ from those of the variant, such as `Stones=10,Flying=false`; empty for none.
    pub house_rules: String,
    /// Name of the player with White; empty if unknown.
    pub white: String,
    /// Name of the player with Black.
    pub black: String,
    /// The first position, if it is not the start of the game.
    pub fen: Option<String>,
    /// Other facts about the game, such as `Date`, as names and values in order.
    pub tags: Vec<(String, String)>,
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
            variant: Variant::default().name().to_string(),
            house_rules: String::new(),
            white: String::new(),
            black: String::new(),
            fen: None,
            tags: Vec::new(),
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

/// The reason why a text is not a game, or a game cannot be written.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NotationError {
    /// The movetext or tags have a fault.
    #[error(transparent)]
    Text(#[from] TextError),
    /// The game breaks the rules.
    #[error(transparent)]
    Rules(#[from] VerifyError),
    /// The text is not valid SGF; characters are counted from 1.
    #[error("SGF, character {at}: expected {expected}")]
    Sgf {
        /// The first character that does not fit.
        at: usize,
        /// The expected text.
        expected: &'static str,
    },
    /// An SGF node is not a move of the side to move.
    #[error("SGF: {found} of {} as move {number}, expected a move of {}", name(*.side), name(*.due))]
    SgfMove {
        /// The move, from 1.
        number: usize,
        /// `a move` or `a pass`.
        found: &'static str,
        /// The side that has it.
        side: Side,
        /// The side to move.
        due: Side,
    },
    /// The SGF is for another game.
    #[error("SGF: game number {0}, expected 5")]
    OtherGame(String),
    /// The SGF has a position without its FEN.
    #[error("SGF: a position by AW and AB, expected its FEN in XF of the first node too")]
    NoFen,
    /// The form is for the morris family.
    #[error("{0} {1}, expected a game of the morris family")]
    OtherFamily(&'static str, &'static str),
    /// The text has a fault of the Mill Interchange Format.
    #[error("MIF: {0}")]
    Mif(#[from] MifError),
    /// The replay has a fault.
    #[error("replay: {0}")]
    Replay(String),
    /// The name of a tag cannot be written.
    #[error("tag {0:?}, expected a name of letters, digits and underscores that the game has no place of its own for")]
    TagName(String),
    /// The score is invalid.
    #[error("move {number}: {source}")]
    Score {
        /// The node, from 1.
        number: usize,
        /// The fault.
        source: crate::score::UnknownScore,
    },
    /// The form is only read.
    #[error("no games are written as {0}, expected one of record, pgn, sgf, sanmill, mif")]
    ReadOnly(crate::forms::Format),
    /// The text has no moves.
    #[error("the text holds no moves, expected games as records, PGN, SGF, in MIF, or as lists of moves")]
    NoMoves,
}

/// Returns the name of a side.
fn name(side: Side) -> &'static str {
    if side == Side::White { "White" } else { "Black" }
}

/// Returns a name from a text, where `?` means unknown.
pub(crate) fn unnamed(name: &str) -> String {
    if name == "?" { String::new() } else { name.to_string() }
}

/// Returns the first position of a record, unless it is the start of the game by these rules.
pub(crate) fn unless_start(fen: String, rules: Ruleset) -> Option<String> {
    (AnyBoard::new(rules).fen() != fen).then_some(fen)
}

impl NotationError {
    /// Returns the fault with its line in a text that has this many lines before.
    #[must_use]
    pub fn after(self, lines: usize) -> NotationError {
        match self {
            NotationError::Text(TextError { line, source }) => {
                NotationError::Text(TextError { line: line + lines, source })
            }
            other => other,
        }
    }
}

impl Game {
    /// Creates a game without moves, by these rules.
    pub fn by(rules: NamedRules) -> Game {
        Game { variant: rules.variant.to_string(), house_rules: rules.list(), ..Game::default() }
    }

    /// Returns the rules of the game with their name.
    ///
    /// # Errors
    /// Fails as [`Game::rules`] does.
    pub fn named_rules(&self) -> Result<NamedRules, VerifyError> {
        Ok(NamedRules { variant: self.variant.parse()?, rules: self.rules()? })
    }

    /// Returns the rules of the game.
    ///
    /// # Errors
    /// Fails if the variant or house rules do not exist.
    pub fn rules(&self) -> Result<Ruleset, VerifyError> {
        let rules = house_rules::rules(self.variant.parse()?, &self.house_rules);
        rules.ok_or_else(|| VerifyError::HouseRules(self.house_rules.clone()))
    }

    /// Returns the fault of a format for other games than this one; `format` is the beginning of its text.
    pub(crate) fn other_family(&self, format: &'static str) -> Result<NotationError, VerifyError> {
        let variant = self.named_rules()?.variant;
        Ok(NotationError::OtherFamily(format, Language::default().named("variant", variant.name())))
    }

    /// Returns the first position.
    ///
    /// # Errors
    /// Fails for invalid rules or FEN.
    pub fn first(&self) -> Result<AnyBoard, VerifyError> {
        Ok(AnyBoard::new(self.rules()?).board(self.fen.as_deref(), [])?)
    }

    /// Returns the result.
    pub fn outcome(&self) -> Outcome {
        self.end.as_ref().map_or(Outcome::Open, |end| end.outcome)
    }

    /// Returns the nodes that follow each node, by number: 0 is the first position.
    pub fn children(&self) -> Vec<Vec<usize>> {
        let mut children = vec![Vec::new(); self.nodes.len() + 1];
        for (i, node) in self.nodes.iter().enumerate() {
            if let Some(after) = children.get_mut(node.parent) {
                after.push(i + 1);
            }
        }
        children
    }

    /// Returns the nodes of the main line.
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

    /// Adds a move after a node, unless it exists; returns its number.
    pub fn add(&mut self, parent: usize, text: &str) -> usize {
        // Nodes that follow a node come after it.
        let mut after = self.nodes.iter().enumerate().skip(parent);
        let known = after.find(|(_, node)| node.parent == parent && node.played.text == text);
        known.map(|(i, _)| i).unwrap_or_else(|| {
            let played = MoveRecord { text: text.to_string(), ..MoveRecord::default() };
            self.nodes.push(Node { parent, played, ..Node::default() });
            self.nodes.len() - 1
        }) + 1
    }

    /// Sorts the nodes into SGF order: the main line, then the variations of its last move, and so on to those of its
    /// first. Unreachable nodes are left out.
    fn sort_nodes(&mut self) {
        let children = self.children();
        let mut sorted = Vec::with_capacity(self.nodes.len());
        let mut places = vec![0; self.nodes.len() + 1];
        let mut waiting: Vec<usize> = children.first().into_iter().flatten().rev().copied().collect();
        while let Some(number) = waiting.pop() {
            let Some(node) = self.nodes.get(number - 1) else { continue };
            let parent = places.get(node.parent).copied().unwrap_or_default();
            sorted.push(Node { parent, ..node.clone() });
            if let Some(place) = places.get_mut(number) {
                *place = sorted.len();
            }
            waiting.extend(children.get(number).into_iter().flatten().rev());
        }
        self.nodes = sorted;
    }

    /// Plays all variations, and rewrites their moves in the game's notation.
    ///
    /// # Errors
    /// Fails for invalid rules, FEN or moves.
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

    /// Returns the position after the main line.
    ///
    /// # Errors
    /// Fails as [`Game::check`] does.
    pub fn last(&self) -> Result<AnyBoard, VerifyError> {
        let line = self.main_line().into_iter().map(|node| node.played.text.as_str());
        Ok(AnyBoard::new(self.rules()?).board(self.fen.as_deref(), line)?)
    }

    /// Returns the ending by the rules, if the main line has reached one.
    ///
    /// # Errors
    /// Fails as [`Game::check`] does.
    pub fn end_by_rules(&self) -> Result<Option<End>, VerifyError> {
        let last = self.last()?;
        Ok(last.ending().map(|ending| End::by_rules(ending, last.side())))
    }

    /// Returns the first draw on the main line that is followed by legal moves: the plies before it, and its reason.
    fn early_draw(&self) -> Result<Option<(usize, Reason)>, VerifyError> {
        let mut board = self.first()?;
        for (ply, node) in self.main_line().into_iter().enumerate() {
            if let Some(ending) = board.ending() {
                return Ok(Some((ply, ending.reason)));
            }
            let text = &node.played.text;
            let fault = |fault| PlayError::Move { number: ply + 1, text: text.clone(), fault };
            board.push(text).map_err(fault)?;
        }
        Ok(None)
    }

    /// Switches off the rule that ends a game in a draw for this reason; returns `false` if there is none.
    fn without_draw(&mut self, reason: Reason) -> Result<bool, VerifyError> {
        let mut rules = self.rules()?;
        let options: &[(&str, &str)] = match reason {
            Reason::Repetition => &[("Repetition Draw", "false")],
            Reason::NoProgress => &[("No Mill Draw", "0"), ("No Capture Draw", "0")],
            _ => &[],
        };
        let is_off = options.iter().any(|(name, value)| rules.set(name, value).is_ok());
        self.house_rules = NamedRules { variant: self.variant.parse()?, rules }.list();
        Ok(is_off)
    }

    /// Plays all of the game and normalizes it: moves in the game's notation, rules as the options that differ, an
    /// ending that agrees with the rules. Returns the changes, a line each.
    ///
    /// A game that continues after a draw by the rules, or has another result than that draw, was played without the
    /// rule: it gets the corresponding house rule.
    ///
    /// # Errors
    /// Fails for invalid rules, FEN, moves or result.
    pub fn settle(&mut self) -> Result<Vec<String>, NotationError> {
        let mut notes = Vec::new();
        let named = self.named_rules()?;
        if let Some((name, _)) = self.tags.iter().find(|(name, _)| !pgn::is_free(name)) {
            return Err(NotationError::TagName(name.clone()));
        }
        (self.variant, self.house_rules) = (named.variant.to_string(), named.list());
        // A repeated tag would split the text into two games.
        let mut names = BTreeSet::new();
        self.tags.retain(|(name, value)| {
            let is_new = names.insert(name.clone());
            if !is_new {
                notes.push(format!("a second tag {name}, expected one: {value:?} is left out"));
            }
            is_new
        });
        // The tags that every reader looks for come first.
        self.tags.sort_by_key(|(name, _)| pgn::ROSTER.iter().position(|known| known == name).unwrap_or(usize::MAX));
        if self.fen.is_some() {
            self.fen = unless_start(self.first()?.fen(), named.rules);
        }
        self.sort_nodes();
        self.check()?;
        for (number, node) in (1..).zip(&mut self.nodes) {
            if let Some(score) = &node.played.score {
                let read: Result<crate::score::Score, _> = score.parse();
                node.played.score = Some(read.map_err(|source| NotationError::Score { number, source })?.to_string());
            }
        }
        while let Some((ply, reason)) = self.early_draw()? {
            if !self.without_draw(reason)? {
                break;
            }
            notes.push(format!("the game goes on after move {ply}, a draw by {reason}: taken without that rule"));
        }
        self.settle_end(&mut notes)?;
        Ok(notes)
    }

    /// Normalizes the ending.
    fn settle_end(&mut self, notes: &mut Vec<String>) -> Result<(), NotationError> {
        let end = self.end.take().map(reason::ending);
        self.end = match (end, self.end_by_rules()?) {
            (Some(end), Some(found)) if end.outcome == found.outcome || end.outcome == Outcome::Open => {
                if !matches!(end.termination, Termination::Normal | Termination::Unknown | Termination::Unfinished) {
                    notes.push(format!("ended by {}, expected {}: taken as that", end.termination, found.reason));
                }
                Some(found)
            }
            (Some(end), Some(found)) => {
                let last = self.last()?;
                let reason = last.ending().map_or(Reason::NoMoves, |ending| ending.reason);
                if found.outcome != Outcome::Draw || !self.without_draw(reason)? {
                    return Err(VerifyError::Outcome { recorded: end.outcome, found: found.outcome, reason }.into());
                }
                notes.push(format!(
                    "the result is {}, expected a draw by {reason}: taken without that rule",
                    end.outcome
                ));
                self.end = Some(end);
                return self.settle_end(notes);
            }
            (
                Some(End {
                    outcome: Outcome::Open, termination: Termination::Normal | Termination::Unfinished, ..
                }),
                None,
            ) => None,
            (Some(end), None) if matches!(end.termination, Termination::Normal | Termination::Unfinished) => {
                notes.push(format!("{} is no result by the rules: taken for one without a known reason", end.outcome));
                Some(End { termination: Termination::Unknown, ..end })
            }
            (end, found) => found.or(end),
        };
        Ok(())
    }
}
