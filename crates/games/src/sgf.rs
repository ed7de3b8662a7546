//! The smart game format, for the morris family.
//!
//! The standard (`FF[4]`) gives the game the number 5 (`GM[5]`) and leaves the moves to us:
//!
//! - `W[..]`, `B[..]`: a move in the engine's notation, `d6`, `a4a7`, `d6xb4` or `a4a7xg1`.
//! - `RU[..]`: the variant and, after semicolons, the house rules: `RU[morris;Flying=false]`.
//! - A game from a position: `AW` and `AB` list the stones for other readers, `PL` is the side to move, and the private
//!   property `XF` has the FEN, which is what is read, because only it has the stones in hand.
//! - `RE[W+]`, `RE[B+R]` (resigned), `RE[B+T]` (on time), `RE[B+F]` (otherwise forfeited), `RE[0]` (draw), `RE[?]`; `N` of
//!   the root is the reason, and the private property `XT` says what has ended the game, where nothing else tells it.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use crate::game::{End, Game, NotationError};
use crate::house_rules;
use crate::record::{Outcome, Termination};
use millbrain_core::game::Side;
use millbrain_core::variant::{NamedRules, Variant};
use std::collections::BTreeMap;
use std::fmt::Write;

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace(']', "\\]")
}

fn resigns(side: Side) -> String {
    format!("{side} resigns")
}

fn result(end: Option<&End>) -> String {
    let Some(End { outcome, termination, reason }) = end else { return "?".to_string() };
    let (winner, loser) = match outcome {
        Outcome::WhiteWins => ('W', Side::Black),
        Outcome::BlackWins => ('B', Side::White),
        Outcome::Draw => return "0".to_string(),
        Outcome::Open => return "?".to_string(),
    };
    let how = match termination {
        _ if *reason == resigns(loser) => "R",
        Termination::Resignation => "R",
        Termination::Time => "T",
        Termination::IllegalMove | Termination::Crash | Termination::Stall => "F",
        _ => "",
    };
    format!("{winner}+{how}")
}

/// The text of a game with its variations.
///
/// # Errors
/// A game of another family, or rules or a FEN that are none.
pub fn write(game: &Game) -> Result<String, NotationError> {
    let first = game.first()?;
    if first.family() != "morris" {
        return Err(NotationError::OtherFamily("SGF has no number for Smess"));
    }
    let house = if game.house_rules.is_empty() { String::new() } else { format!(";{}", game.house_rules) };
    let mut text = "(;FF[4]GM[5]CA[UTF-8]AP[millbrain]".to_string();
    let mut property = |name: &str, value: &str| {
        let _ = write!(text, "{name}[{}]", escaped(value));
    };
    property("RU", &format!("{}{house}", game.variant));
    property("PW", &game.white);
    property("PB", &game.black);
    let result = result(game.end.as_ref());
    property("RE", &result);
    if let Some(end) = &game.end {
        if !end.reason.is_empty() {
            property("N", &end.reason);
        }
        if end.termination != implied(game, end.outcome, &result) {
            property("XT", &end.termination.to_string());
        }
    }
    if !game.comment.is_empty() {
        property("C", &game.comment);
    }
    if let Some(fen) = &game.fen {
        property("XF", fen);
        property("PL", if first.side() == Side::White { "W" } else { "B" });
        let (layout, pieces) = (first.layout(), first.pieces());
        for (name, side) in [("AW", Side::White), ("AB", Side::Black)] {
            let own = pieces.iter().filter(|piece| piece.side == side);
            let points: Vec<&str> =
                own.filter_map(|piece| Some(layout.points.get(piece.point)?.name.as_str())).collect();
            if !points.is_empty() {
                let _ = write!(text, "{name}[{}]", points.join("]["));
            }
        }
    }
    write_moves(&mut text, game, first.side());
    text.push_str(")\n");
    Ok(text)
}

fn write_moves(text: &mut String, game: &Game, first: Side) {
    enum Due {
        Text(&'static str),
        Node(usize, Side),
    }
    let children = game.children();
    // What is still to be written, the next last; no recursion, since games are long.
    let mut waiting = Vec::new();
    let follow = |number: usize, side: Side, waiting: &mut Vec<Due>| {
        let next = children.get(number).map_or(&[][..], Vec::as_slice);
        for &child in next.iter().rev() {
            if next.len() > 1 {
                waiting.extend([Due::Text(")"), Due::Node(child, side), Due::Text("\n(")]);
            } else {
                waiting.push(Due::Node(child, side));
            }
        }
    };
    follow(0, first, &mut waiting);
    while let Some(due) = waiting.pop() {
        match due {
            Due::Text(mark) => text.push_str(mark),
            Due::Node(number, side) => {
                let Some(node) = game.nodes.get(number - 1) else { continue };
                let letter = if side == Side::White { 'W' } else { 'B' };
                let _ = write!(text, ";{letter}[{}]", escaped(&node.played.text));
                if !node.comment.is_empty() {
                    let _ = write!(text, "C[{}]", escaped(&node.comment));
                }
                follow(number, side.other(), &mut waiting);
            }
        }
    }
}

/// A place in a text of SGF.
struct Cursor<'a> {
    rest: std::str::Chars<'a>,
    /// Characters before it.
    at: usize,
}

impl Cursor<'_> {
    fn peek(&self) -> Option<char> {
        self.rest.clone().next()
    }

    fn next(&mut self) -> Option<char> {
        self.at += 1;
        self.rest.next()
    }

    fn skip_space(&mut self) {
        while self.peek().is_some_and(|c| c.is_whitespace() || c == '\u{feff}') {
            self.next();
        }
    }

    fn fail<T>(&self, expected: &'static str) -> Result<T, NotationError> {
        Err(NotationError::Sgf { at: self.at + 1, expected })
    }

    /// The name of a property, in capitals: older files have small letters in between.
    fn name(&mut self) -> String {
        let mut name = String::new();
        while let Some(letter) = self.peek().filter(char::is_ascii_alphabetic) {
            name.extend(Some(letter).filter(char::is_ascii_uppercase));
            self.next();
        }
        name
    }

    /// The first value of a property, and those behind it passed over.
    fn first_value(&mut self) -> Result<String, NotationError> {
        let mut first = None;
        self.skip_space();
        while self.peek() == Some('[') {
            let value = self.value()?;
            first.get_or_insert(value);
            self.skip_space();
        }
        first.map_or_else(|| self.fail("a value in brackets"), Ok)
    }

    fn value(&mut self) -> Result<String, NotationError> {
        let mut value = String::new();
        self.next();
        loop {
            match self.next() {
                Some(']') => return Ok(value),
                Some('\\') => match self.next() {
                    // A line that goes on.
                    Some('\n') => {}
                    Some('\r') if self.peek() == Some('\n') => drop(self.next()),
                    other => value.extend(other),
                },
                Some(c) => value.push(c),
                None => return self.fail("']'"),
            }
        }
    }
}

/// Reads the games of a text with their variations; none if it is empty. A position is taken from `XF`, and moves
/// without a text are passed over.
///
/// # Errors
/// A text that is no SGF, another game, or moves that cannot be played.
pub fn read(text: &str) -> Result<Vec<Game>, NotationError> {
    let mut games = Vec::new();
    let mut cursor = Cursor { rest: text.trim_end().chars(), at: 0 };
    // The nodes at which the open parentheses began.
    let mut branches: Vec<usize> = Vec::new();
    let (mut game, mut root, mut here, mut in_node) = (Game::default(), BTreeMap::new(), 0, false);
    loop {
        cursor.skip_space();
        match cursor.peek() {
            None if branches.is_empty() => return Ok(games),
            None => return cursor.fail("')'"),
            Some('(') => {
                if branches.is_empty() {
                    (game, root, here, in_node) = (Game::default(), BTreeMap::new(), 0, false);
                }
                branches.push(here);
                cursor.next();
            }
            Some(c) if branches.is_empty() => {
                let is_part = c == ')' || c == ';' || c.is_ascii_alphabetic();
                return cursor.fail(if is_part { "'('" } else { NODE });
            }
            Some(')') => {
                here = branches.pop().unwrap_or_default();
                cursor.next();
                if branches.is_empty() {
                    games.push(finished(std::mem::take(&mut game), &root)?);
                }
            }
            Some(';') => {
                in_node = true;
                cursor.next();
            }
            Some(c) if c.is_ascii_alphabetic() => {
                if !in_node {
                    return cursor.fail("';'");
                }
                let name = cursor.name();
                let value = cursor.first_value()?;
                match name.as_str() {
                    "W" | "B" if !value.trim().is_empty() => {
                        here = game.add(here, &value.trim().to_ascii_lowercase().replace('-', ""));
                    }
                    "C" if here > 0 => {
                        if let Some(node) = game.nodes.get_mut(here - 1) {
                            node.comment = value;
                        }
                    }
                    _ if here == 0 => drop(root.entry(name).or_insert(value)),
                    _ => {}
                }
            }
            Some(_) => return cursor.fail(NODE),
        }
    }
}

const NODE: &str = "a node, a property with its values, or a parenthesis";

/// The game with what the properties of its root say.
fn finished(mut game: Game, root: &BTreeMap<String, String>) -> Result<Game, NotationError> {
    let get = |name: &str| root.get(name).cloned();
    let number = get("GM").unwrap_or_else(|| "5".to_string());
    if number.trim() != "5" {
        return Err(NotationError::OtherGame(number.trim().to_string()));
    }
    game.fen = get("XF");
    if game.fen.is_none() && (root.contains_key("AW") || root.contains_key("AB")) {
        return Err(NotationError::NoFen);
    }
    let rules = get("RU").unwrap_or_default();
    let (variant, house) = rules.split_once(';').unwrap_or((&rules, ""));
    // Rules in the words of another program are taken for those of tournaments.
    if let Ok(variant) = variant.trim().parse::<Variant>() {
        (game.variant, game.house_rules) = (variant.name().to_string(), house.to_string());
        game.house_rules = house_rules::text(&NamedRules { variant, rules: game.rules()? });
    }
    (game.white, game.black) = (get("PW").unwrap_or_default(), get("PB").unwrap_or_default());
    game.comment = get("C").unwrap_or_default();
    game.check()?;
    game.end = end(&game, &get("RE").unwrap_or_default(), get("N"), get("XT"));
    Ok(game)
}

/// What a result in capitals says of the kind of ending.
fn implied(game: &Game, outcome: Outcome, result: &str) -> Termination {
    match result.split_once('+') {
        Some((_, how)) if how.starts_with('T') => Termination::Time,
        _ if outcome == Outcome::Open => Termination::Unfinished,
        _ if game.end_by_rules().ok().flatten().is_some_and(|end| end.outcome == outcome) => Termination::Normal,
        _ => Termination::Adjudication,
    }
}

/// The ending; what other programs leave out is taken from the letters of the result.
fn end(game: &Game, result: &str, reason: Option<String>, told: Option<String>) -> Option<End> {
    let result = result.trim().to_ascii_uppercase();
    let (outcome, loser) = match result.chars().next() {
        Some('W') => (Outcome::WhiteWins, Some(Side::Black)),
        Some('B') => (Outcome::BlackWins, Some(Side::White)),
        Some('0' | 'D') => (Outcome::Draw, None),
        Some('?') if told.is_some() => (Outcome::Open, None),
        _ => return None,
    };
    let how = result.split_once('+').map_or("", |(_, how)| how);
    let resigned = loser.filter(|_| how.starts_with('R')).map(resigns);
    let told = told.and_then(|told| told.parse().ok());
    let termination = told.unwrap_or_else(|| implied(game, outcome, &result));
    Some(End { outcome, termination, reason: reason.or(resigned).unwrap_or_default() })
}
