//! Builds moves and variations from tokens.

use super::scan::{Place, Token};
use super::{Fault, TextError, info, join};
use crate::game::Node;
use crate::record::{MoveRecord, Outcome};
use millbrain_core::game::Side;

/// A place between two moves: the node before it, 0 for the first position, and the plies before it, counted from
/// White's first.
#[derive(Clone, Copy, Debug, Default)]
struct Spot {
    node: usize,
    ply: usize,
}

/// Moves as they are read, with their variations; legality is checked later.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    pub nodes: Vec<Node>,
    /// The comment before the first move.
    pub comment: String,
    pub result: Option<Outcome>,
    /// The deviations tolerated, a line each.
    pub notes: Vec<String>,
    /// The place of the next move.
    here: Spot,
    /// The branching points of the open variations, and whether they have moves.
    open: Vec<(Spot, bool)>,
    /// A comment that belongs to the next move.
    before: String,
    /// Whether comments belong to the next move.
    is_before: bool,
    /// Whether the last comment was after a semicolon.
    was_line: bool,
    /// The first number of a move, and whether a wrong one has been reported.
    first_number: Option<u32>,
    reported_number: bool,
}

impl Tree {
    /// Creates a tree without moves, from a position with this side to move.
    pub fn new(first: Side) -> Tree {
        let here = Spot { node: 0, ply: usize::from(first == Side::Black) };
        Tree { here, ..Tree::default() }
    }

    fn node(&self, at: usize) -> Option<&Node> {
        at.checked_sub(1).and_then(|at| self.nodes.get(at))
    }

    fn current(&mut self) -> Option<&mut Node> {
        self.here.node.checked_sub(1).and_then(|at| self.nodes.get_mut(at))
    }

    /// Takes a token.
    ///
    /// # Errors
    /// Fails if it cannot come here, or is itself a fault.
    pub fn take(&mut self, token: Token, place: Place) -> Result<(), TextError> {
        let was_line = std::mem::take(&mut self.was_line);
        match token {
            Token::Word(word) => self.word(word).map_err(|fault| fault.at(place))?,
            Token::Number(number, dots) => self.number(number, dots),
            Token::Comment(text, is_line) => {
                self.was_line = is_line;
                self.comment(&text, is_line, was_line && is_line);
            }
            Token::Mark(mark) => match self.current() {
                Some(node) => node.marks.push(mark),
                None => self.notes.push(format!("mark ${mark} before the first move is left out")),
            },
            Token::Open => {
                let parent = self.node(self.here.node).map(|node| node.parent);
                let parent = parent.filter(|_| self.open.last().is_none_or(|(_, has_moves)| *has_moves));
                let node = parent.ok_or_else(|| Fault::EarlyVariation.at(place))?;
                self.end_before();
                self.open.push((self.here, false));
                self.here = Spot { node, ply: self.here.ply - 1 };
                self.is_before = true;
            }
            Token::Close => {
                let (left, has_moves) = self.open.pop().ok_or_else(|| Fault::NoVariation.at(place))?;
                if !has_moves {
                    self.here = left;
                }
                self.end_before();
                (self.here, self.is_before) = (left, false);
            }
            // A second result adds nothing.
            Token::Result(outcome) => {
                self.result.get_or_insert(outcome);
            }
            Token::Fault(fault) => return Err(fault.at(place)),
            Token::Tag(..) => {}
        }
        Ok(())
    }

    /// Finishes the moves.
    ///
    /// # Errors
    /// Fails if a variation is still open.
    pub fn finish(mut self, place: Place) -> Result<Tree, TextError> {
        if !self.open.is_empty() {
            return Err(Fault::OpenVariation.at(place));
        }
        self.end_before();
        let of_nodes = self.nodes.iter_mut().flat_map(|node| [&mut node.before, &mut node.comment]);
        // No form keeps spaces at the ends of a comment.
        for comment in of_nodes.chain([&mut self.comment]) {
            *comment = comment.trim().to_string();
        }
        Ok(self)
    }

    fn word(&mut self, word: String) -> Result<(), Fault> {
        let removal = word.trim_start_matches(['-', '/']);
        if removal.starts_with(['x', 'X']) {
            return self.removal(removal, &word);
        }
        self.add(word.replace("/x", "x"));
        Ok(())
    }

    fn add(&mut self, text: String) {
        let before = std::mem::take(&mut self.before);
        let played = MoveRecord { text, ..MoveRecord::default() };
        self.nodes.push(Node { parent: self.here.node, played, before, ..Node::default() });
        self.here = Spot { node: self.nodes.len(), ply: self.here.ply + 1 };
        self.is_before = false;
        if let Some((_, has_moves)) = self.open.last_mut() {
            *has_moves = true;
        }
    }

    /// Adds a removal to the move before it. At the beginning of a variation it is the move that the variation
    /// replaces, with another stone removed.
    fn removal(&mut self, removal: &str, word: &str) -> Result<(), Fault> {
        if let Some(&(replaced, false)) = self.open.last() {
            let step = self.node(replaced.node).and_then(|node| node.played.text.split(['x', 'X']).next());
            self.add(format!("{}{removal}", step.unwrap_or_default().trim_end_matches('-')));
            return Ok(());
        }
        let Some(node) = self.current() else { return Err(Fault::EarlyRemoval(word.to_string())) };
        node.played.text.push_str(removal);
        self.is_before = false;
        Ok(())
    }

    fn number(&mut self, number: u32, dots: usize) {
        self.is_before = true;
        let ply = self.here.ply;
        let moves = (ply / 2) as u32;
        let due = self.first_number.get_or_insert(number.saturating_sub(moves)).saturating_add(moves);
        let is_white = ply.is_multiple_of(2);
        if self.reported_number || (number == due && (dots < 2 || !is_white)) {
            return;
        }
        self.reported_number = true;
        let expected = if is_white { "." } else { "..." };
        self.notes.push(format!("move number {number}{}, expected {due}{expected}", ".".repeat(dots.min(3))));
    }

    fn comment(&mut self, text: &str, is_line: bool, goes_on: bool) {
        // It belongs to the move before: the other side is to move now.
        let side = if self.here.ply.is_multiple_of(2) { Side::Black } else { Side::White };
        let is_before = self.is_before;
        let Some(node) = self.here.node.checked_sub(1).and_then(|at| self.nodes.get_mut(at)).filter(|_| !is_before)
        else {
            let place = if is_before { &mut self.before } else { &mut self.comment };
            return add_comment(place, text, goes_on);
        };
        let words = if is_line { text.to_string() } else { info::take(node, text, side) };
        add_comment(&mut node.comment, &words, goes_on);
    }

    /// Moves a comment that waits for a missing move to the move before it.
    fn end_before(&mut self) {
        let before = std::mem::take(&mut self.before);
        let place = match self.here.node.checked_sub(1).and_then(|at| self.nodes.get_mut(at)) {
            Some(node) => &mut node.comment,
            None => &mut self.comment,
        };
        add_comment(place, &before, false);
    }
}

/// Adds a comment, or a line of one, to those before it.
fn add_comment(place: &mut String, text: &str, goes_on: bool) {
    if goes_on {
        place.push('\n');
        place.push_str(text);
    } else {
        join(place, " ", text.trim_start());
    }
}
