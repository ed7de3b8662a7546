//! The smart game format, for the morris family.
//!
//! The standard (`FF[4]`) gives the game the number 5 (`GM[5]`) and does not define moves. Here they are:
//!
//! - `W[..]`, `B[..]`: a move in the engine's notation, `d6`, `a4a7`, `d6xb4` or `a4a7xg1`. A removal may be a node of
//!   its own.
//! - `RU[..]`: the variant and, after a semicolon, the house rules: `RU[morris;Stones=7,Flying=false]`.
//! - A game from a position: `AW` and `AB` list the stones for other readers, and `PL` is the side to move. The private
//!   property `XF` has the FEN, which is what is read, because only it has the stones in hand.
//! - `RE[W+]`, `RE[B+R]` (resigned), `RE[B+T]` (on time), `RE[B+F]` (otherwise forfeited), `RE[0]` (draw), `RE[?]`. `N`
//!   of the root is the reason, and the private property `XT` is the kind of ending where no other property contains
//!   it.
//! - `EV`, `PC`, `DT` and others have the tags that other readers know; the private property `XG` has all of them.
//! - `TE`, `BM`, `IT` and `DO` are marks, `XN` has others; `BL` and `WL` are clocks, `XB` is a comment before a move.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use crate::game::{End, Game, Node, NotationError};
use crate::movetext::join;
use crate::record::{MoveRecord, Outcome, Termination};
use millbrain_core::game::Side;
use millbrain_core::variant::Variant;
use std::fmt::Write;

/// The property of the date.
const DATE: &str = "DT";
/// The properties of tags.
const TAGS: [(&str, &str); 9] = [
    ("Event", "EV"),
    ("Site", "PC"),
    ("Date", "DT"),
    ("Round", "RO"),
    ("Annotator", "AN"),
    ("WhiteElo", "WR"),
    ("BlackElo", "BR"),
    ("Opening", "ON"),
    ("Source", "SO"),
];

/// The properties of the marks 1 to 6, with their values.
const MARKS: [(&str, &str); 6] = [("TE", "1"), ("BM", "1"), ("TE", "2"), ("BM", "2"), ("IT", ""), ("DO", "")];

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace(']', "\\]")
}

/// Returns the letter after the `+` of a result.
fn how(termination: Termination) -> &'static str {
    match termination {
        Termination::Resignation => "R",
        Termination::Time => "T",
        Termination::IllegalMove | Termination::Crash | Termination::Stall | Termination::Abandoned => "F",
        _ => "",
    }
}

fn result(end: Option<&End>) -> String {
    let Some(End { outcome, termination, .. }) = end else { return "?".to_string() };
    match outcome {
        Outcome::WhiteWins => format!("W+{}", how(*termination)),
        Outcome::BlackWins => format!("B+{}", how(*termination)),
        Outcome::Draw => "0".to_string(),
        Outcome::Open => "?".to_string(),
    }
}

/// Returns the kind of ending that a result implies, where the rules have not ended the game.
fn implied(result: &str) -> Termination {
    match result.split_once('+').map_or("", |(_, how)| how).chars().next() {
        Some('R') => Termination::Resignation,
        Some('T') => Termination::Time,
        Some('F') => Termination::Abandoned,
        _ if result == "?" => Termination::Unfinished,
        _ => Termination::Unknown,
    }
}

/// Writes a game with its variations.
///
/// # Errors
/// Fails for a game of another family, or invalid rules or FEN.
pub(crate) fn write(game: &Game) -> Result<String, NotationError> {
    let first = game.first()?;
    if first.family() != "morris" {
        return Err(game.other_family("SGF has no number for")?);
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
        if end.termination != Termination::Normal && end.termination != implied(&result) {
            property("XT", &end.termination.to_string());
        }
    }
    for (name, value) in &game.tags {
        if let Some((_, own)) = TAGS.iter().find(|(tag, _)| tag == name) {
            property(own, &if *own == DATE { date(value) } else { value.clone() });
        }
    }
    if !game.comment.is_empty() {
        property("C", &game.comment);
    }
    let tags = match_tags(game).into_iter().chain(game.tags.iter().cloned());
    let tags: String = tags.map(|(name, value)| format!("[{}]", escaped(&format!("{name} {value}")))).collect();
    if !tags.is_empty() {
        text += &format!("XG{tags}");
    }
    if let Some(fen) = &game.fen {
        let _ = write!(text, "XF[{}]PL[{}]", escaped(fen), if first.side() == Side::White { "W" } else { "B" });
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

/// Returns a date of the portable game notation, `2026.08.??`, as SGF writes it: `2026-08`.
fn date(text: &str) -> String {
    let known = text.trim_end_matches(".??");
    let is_date = known.split('.').all(|part| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit()));
    if is_date { known.replace('.', "-") } else { text.to_string() }
}

/// Returns a date of SGF as the portable game notation writes it.
fn tag_date(text: &str) -> String {
    let parts: Vec<&str> = text.split('-').collect();
    let is_date = parts
        .iter()
        .zip([4, 2, 2])
        .all(|(part, length)| part.len() == length && part.chars().all(|c| c.is_ascii_digit()));
    if is_date && parts.len() <= 3 { parts.join(".") + &".??".repeat(3 - parts.len()) } else { text.to_string() }
}

/// Returns facts of a match as tags, except for default values.
fn match_tags(game: &Game) -> Vec<(String, String)> {
    let mut tags = Vec::new();
    let mut tag = |name: &str, value: String, usual: &str| {
        if value != usual {
            tags.push((name.to_string(), value));
        }
    };
    tag("Game", (game.index + 1).to_string(), "1");
    tag("Round", game.round.to_string(), "1");
    let [white, black] = game.thinking.clone();
    tag("WhiteTimeControl", white, "-");
    tag("BlackTimeControl", black, "-");
    tags
}

fn write_moves(text: &mut String, game: &Game, first: Side) {
    enum Due {
        Text(&'static str),
        Node(usize, Side),
    }
    let children = game.children();
    // The items still to be written, the next last; no recursion, since games are long.
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
                write_node(text, node, if side == Side::White { 'W' } else { 'B' });
                follow(number, side.other(), &mut waiting);
            }
        }
    }
}

fn write_node(text: &mut String, node: &Node, letter: char) {
    let _ = write!(text, ";{letter}[{}]", escaped(&node.played.text));
    let mut others = Vec::new();
    for mark in &node.marks {
        match usize::from(*mark).checked_sub(1).and_then(|mark| MARKS.get(mark)) {
            Some((name, value)) if node.marks.len() == 1 => {
                let _ = write!(text, "{name}[{value}]");
            }
            _ => others.push(format!("[{mark}]")),
        }
    }
    if !others.is_empty() {
        let _ = write!(text, "XN{}", others.concat());
    }
    if let Some(clock) = node.clock {
        let part = if clock % 1_000 > 0 { format!(".{:03}", clock % 1_000) } else { String::new() };
        let _ = write!(text, "{letter}L[{}{part}]", clock / 1_000);
    }
    for (name, words) in [("XB", &node.before), ("C", &node.comment)] {
        if !words.is_empty() {
            let _ = write!(text, "{name}[{}]", escaped(words));
        }
    }
}

/// A node of any game: its parent, and its properties with their values.
#[derive(Default)]
struct Raw {
    parent: Option<usize>,
    properties: Vec<(String, Vec<String>)>,
}

impl Raw {
    fn all(&self, name: &str) -> &[String] {
        self.properties.iter().find(|(own, _)| own == name).map_or(&[], |(_, values)| values)
    }

    fn get(&self, name: &str) -> Option<&String> {
        self.all(name).first()
    }
}

/// A place in a text of SGF.
struct Cursor<'a> {
    rest: std::str::Chars<'a>,
    /// The characters before it.
    at: usize,
}

const NODE: &str = "a node, a property with its values, or a parenthesis";

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

    /// Returns the nodes of the next game; none at the end of the text.
    fn game(&mut self) -> Result<Vec<Raw>, NotationError> {
        let mut nodes: Vec<Raw> = Vec::new();
        // The nodes at which the open parentheses began.
        let mut branches: Vec<Option<usize>> = Vec::new();
        let (mut here, mut in_node) = (None, false);
        loop {
            self.skip_space();
            match self.peek() {
                None if branches.is_empty() => return Ok(nodes),
                None => return self.fail("')'"),
                Some('(') => {
                    branches.push(here);
                    in_node = false;
                    self.next();
                }
                Some(c) if branches.is_empty() => {
                    let is_part = c == ')' || c == ';' || c.is_ascii_alphabetic();
                    return self.fail(if is_part { "'('" } else { NODE });
                }
                Some(')') => {
                    here = branches.pop().unwrap_or_default();
                    in_node = false;
                    self.next();
                    if branches.is_empty() {
                        return Ok(nodes);
                    }
                }
                Some(';') => {
                    nodes.push(Raw { parent: here, ..Raw::default() });
                    (here, in_node) = (Some(nodes.len() - 1), true);
                    self.next();
                }
                Some(c) if c.is_ascii_alphabetic() => {
                    let Some(node) = nodes.last_mut().filter(|_| in_node) else { return self.fail("';'") };
                    let name = self.name();
                    let values = self.values()?;
                    node.properties.push((name, values));
                }
                Some(_) => return self.fail(NODE),
            }
        }
    }

    /// Reads the name of a property, in capitals: older files have small letters in between.
    fn name(&mut self) -> String {
        let mut name = String::new();
        while let Some(letter) = self.peek().filter(char::is_ascii_alphabetic) {
            name.extend(Some(letter).filter(char::is_ascii_uppercase));
            self.next();
        }
        name
    }

    fn values(&mut self) -> Result<Vec<String>, NotationError> {
        let mut values = Vec::new();
        self.skip_space();
        while self.peek() == Some('[') {
            values.push(self.value()?);
            self.skip_space();
        }
        if values.is_empty() { self.fail("a value in brackets") } else { Ok(values) }
    }

    fn value(&mut self) -> Result<String, NotationError> {
        let mut value = String::new();
        self.next();
        loop {
            match self.next() {
                Some(']') => return Ok(value),
                Some('\\') => match self.next() {
                    // A continued line.
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

/// Reads the text of a game with its variations; where it names none of our rules, those of `like` apply. Returns the
/// deviations tolerated, too.
///
/// # Errors
/// Fails for a text that is not SGF, another game, a move of the wrong side, or one that cannot be played.
pub(crate) fn read(text: &str, like: &Game) -> Result<(Game, Vec<String>), NotationError> {
    let mut cursor = Cursor { rest: text.trim_end().chars(), at: 0 };
    let nodes = cursor.game()?;
    cursor.skip_space();
    if cursor.peek().is_some() {
        return cursor.fail("the end of the game");
    }
    let Some(root) = nodes.first() else { return Err(NotationError::NoMoves) };
    let get = |name: &str| root.get(name).cloned();
    let number = get("GM").unwrap_or_else(|| "5".to_string());
    if number.trim() != "5" {
        return Err(NotationError::OtherGame(number.trim().to_string()));
    }
    let is_placed = |node: &&Raw| ["AW", "AB", "AE"].iter().any(|name| !node.all(name).is_empty());
    if nodes.iter().skip(usize::from(root.get("XF").is_some())).any(|node| is_placed(&node)) {
        return Err(NotationError::NoFen);
    }
    let mut notes = Vec::new();
    let mut game = Game { fen: get("XF"), ..Game::default() };
    let rules = get("RU").unwrap_or_default();
    let (variant, house) = rules.split_once(';').unwrap_or((&rules, ""));
    if let Ok(variant) = variant.trim().parse::<Variant>() {
        (game.variant, game.house_rules) = (variant.name().to_string(), house.to_string());
    } else {
        (game.variant, game.house_rules) = (like.variant.clone(), like.house_rules.clone());
        if !rules.trim().is_empty() {
            notes.push(format!("rules {rules:?} are unknown, read by those of {}", like.named_rules()?));
        }
    }
    (game.white, game.black) = (get("PW").unwrap_or_default(), get("PB").unwrap_or_default());
    game.comment = get("C").unwrap_or_default().trim().replace("\r\n", "\n");
    read_tags(&mut game, root);
    read_moves(&mut game, &nodes)?;
    game.end = end(&get("RE").unwrap_or_default(), get("N"), get("XT"));
    notes.extend(game.settle()?);
    Ok((game, notes))
}

/// Reads the tags of a root, and the facts of a match among them.
fn read_tags(game: &mut Game, root: &Raw) {
    let own = root.all("XG");
    if own.is_empty() {
        let value = |name: &str| {
            let text = root.get(name)?;
            Some(if name == DATE { tag_date(text.trim()) } else { text.trim().to_string() })
        };
        let known = TAGS.iter().filter_map(|(tag, name)| Some((tag.to_string(), value(name)?)));
        game.tags = known.filter(|(_, value)| !value.is_empty()).collect();
        return;
    }
    for (name, value) in own.iter().filter_map(|tag| tag.split_once(' ')) {
        match (name, value.parse::<usize>()) {
            ("Game", Ok(number)) => game.index = number.saturating_sub(1),
            ("Round", Ok(number)) => game.round = number.max(1),
            ("WhiteTimeControl", _) => game.thinking[0] = value.to_string(),
            ("BlackTimeControl", _) => game.thinking[1] = value.to_string(),
            _ => game.tags.push((name.to_string(), value.to_string())),
        }
    }
}

/// Reads the moves of the nodes, each of the side to move.
fn read_moves(game: &mut Game, nodes: &[Raw]) -> Result<(), NotationError> {
    let first = game.first()?.side();
    // For each node of the text: the move that it leads to, and the plies before the next.
    let mut reached: Vec<(usize, usize)> = Vec::new();
    for raw in nodes {
        let (mut at, mut ply) = raw.parent.and_then(|parent| reached.get(parent)).copied().unwrap_or_default();
        for (letter, side) in [("W", Side::White), ("B", Side::Black)] {
            let Some(value) = raw.get(letter) else { continue };
            let text = value.trim();
            let due = if ply.is_multiple_of(2) { first } else { first.other() };
            let removal = text.trim_start_matches('-');
            let is_next = raw.parent.is_some_and(|parent| parent + 1 == reached.len());
            if removal.starts_with(['x', 'X'])
                && side != due
                && is_next
                && let Some(node) = at.checked_sub(1).and_then(|at| game.nodes.get_mut(at))
            {
                node.played.text.push_str(removal);
                continue;
            }
            let found = if text.is_empty() || text == "tt" { "a pass" } else { "a move" };
            if side != due || found == "a pass" {
                return Err(NotationError::SgfMove { number: ply + 1, found, side, due });
            }
            let played = MoveRecord { text: text.to_string(), ..MoveRecord::default() };
            game.nodes.push(Node { parent: at, played, ..Node::default() });
            (at, ply) = (game.nodes.len(), ply + 1);
        }
        reached.push((at, ply));
        if let Some(node) = at.checked_sub(1).and_then(|at| game.nodes.get_mut(at)) {
            read_node(node, raw);
        }
    }
    Ok(())
}

/// Reads the annotations of a move.
fn read_node(node: &mut Node, raw: &Raw) {
    for (name, values) in &raw.properties {
        let value = values.first().map(|value| value.trim()).unwrap_or_default();
        match name.as_str() {
            "TE" | "BM" | "IT" | "DO" => {
                let strength = if value == "2" { "2" } else { "1" };
                let is_same = |(known, own): &(&str, &str)| *known == name && (own.is_empty() || *own == strength);
                node.marks.extend(MARKS.iter().position(is_same).map(|place| place as u8 + 1));
            }
            "XN" => node.marks.extend(values.iter().filter_map(|mark| mark.parse::<u8>().ok())),
            "WL" | "BL" => {
                let (whole, part) = value.split_once('.').unwrap_or((value, ""));
                let part: Option<u64> = format!("{part:0<3}").get(..3).and_then(|part| part.parse().ok());
                let whole = whole.parse::<u64>().ok().and_then(|whole| whole.checked_mul(1_000));
                node.clock = whole.zip(part).map(|(whole, part)| whole + part);
            }
            "XB" => join(&mut node.before, " ", &value.replace("\r\n", "\n")),
            // The comment of a first node with a move belongs to the game.
            "C" if raw.parent.is_some() => join(&mut node.comment, " ", &value.replace("\r\n", "\n")),
            _ => {}
        }
    }
}

/// Returns the ending; data that other programs leave out comes from the letters of the result.
fn end(result: &str, reason: Option<String>, reported: Option<String>) -> Option<End> {
    let result = result.trim().to_ascii_uppercase();
    let reported = reported.and_then(|reported| reported.parse().ok());
    let outcome = match (result.as_str(), result.chars().next()) {
        ("1-0", _) => Outcome::WhiteWins,
        ("0-1", _) => Outcome::BlackWins,
        ("1/2-1/2" | "1/2", _) => Outcome::Draw,
        (_, Some('W')) => Outcome::WhiteWins,
        (_, Some('B')) => Outcome::BlackWins,
        (_, Some('0' | 'D')) => Outcome::Draw,
        _ if reported.is_some() => Outcome::Open,
        _ => return None,
    };
    Some(End { outcome, termination: reported.unwrap_or_else(|| implied(&result)), reason: reason.unwrap_or_default() })
}
