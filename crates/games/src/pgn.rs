//! Games in the portable game notation: tags and movetext. Records of matches, the notation of Sanmill and PlayOK, and
//! lists of moves are dialects of it, and are read by the same code.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing))]

use crate::forms::Format;
use crate::game::{End, Game, Node, NotationError, unnamed};
use crate::house_rules;
use crate::movetext::{Place, Style, TextError, Token, Tree, scan, tag, take_words, write, write_words};
use crate::others::{coordinates, goldtoken, playok};
use crate::reason;
use crate::record::{MoveRecord, Outcome, Termination, black_begins};
use crate::sanmill;
use millbrain_core::any::AnyBoard;
use millbrain_core::game::Side;
use millbrain_core::variant::Variant;

/// The tags without a field of their own that every reader looks for, with their unknown values.
pub(crate) const ROSTER: [&str; 3] = ["Event", "Site", "Date"];
const NO_ROSTER: [&str; 3] = ["?", "?", "????.??.??"];

/// The tags that have a field of their own.
const FIELDS: [&str; 14] = [
    "White",
    "Black",
    "Result",
    "Variant",
    "HouseRules",
    "FEN",
    "SetUp",
    "Game",
    "WhiteTimeControl",
    "BlackTimeControl",
    "PlyCount",
    "Termination",
    "Reason",
    "LateMove",
];

/// The event of records that name none.
const EVENT: &str = "millbrain match";

/// The names of variants in Sanmill, with our names and the house rules that make them equal.
const NAMES: [(&str, Variant, &str); 4] = [
    ("Nine Men's Morris", Variant::Morris, ""),
    ("Twelve Men's Morris", Variant::Morabaraba, ""),
    ("Morabaraba", Variant::Morabaraba, "Removals=each mill"),
    ("Lasker Morris", Variant::Lasker, ""),
];

/// A game as its text has it: no move has been played.
pub(crate) struct Raw {
    pub form: Format,
    /// The game; its variant is the text of the tag, empty without one.
    pub game: Game,
    /// The results of the tag and after the moves, if they differ.
    pub other_result: Option<[Outcome; 2]>,
    /// The deviations tolerated, a line each.
    pub notes: Vec<String>,
    /// Whether there is a move, a result, or a position.
    pub has_game: bool,
}

type Tags = Vec<(String, String)>;

/// Returns the tags of a text, and its other tokens.
fn parts(text: &str) -> (Tags, Vec<(Token, Place)>) {
    let (mut tags, mut body) = (Vec::new(), Vec::new());
    for (token, place) in scan(text) {
        match token {
            Token::Tag(name, value) => tags.push((name, value)),
            token => body.push((token, place)),
        }
    }
    (tags, body)
}

fn get(tags: &[(String, String)], name: &str) -> Option<String> {
    tags.iter().find(|(tag, _)| tag == name).map(|(_, value)| value.clone())
}

/// Detects the dialect of a text.
fn form_of(tags: &[(String, String)], body: &[(Token, Place)]) -> Format {
    let is_named = get(tags, "Variant").is_some();
    if playok::is_site(get(tags, "Site").as_deref()) {
        Format::PlayOk
    } else if goldtoken::is_body(body) {
        Format::GoldToken
    } else if coordinates::is_body(body) {
        Format::Coordinates
    } else if playok::is_body(body) && !is_named {
        Format::PlayOk
    } else if tags.iter().all(|(name, _)| name == "FEN" || name == "SetUp") {
        Format::Sanmill
    } else if get(tags, "Game").is_some() || get(tags, "Variant").is_some_and(|name| name.parse::<Variant>().is_ok()) {
        Format::Record
    } else {
        Format::Pgn
    }
}

/// Detects the dialect of a game's text.
pub(crate) fn form(text: &str) -> Format {
    let (tags, body) = parts(text);
    form_of(&tags, &body)
}

/// Reads the text of one game.
///
/// # Errors
/// Fails with the first fault of the text.
pub(crate) fn read_raw(text: &str) -> Result<Raw, TextError> {
    let (mut tags, body) = parts(text);
    let tag = |name: &str| get(&tags, name).filter(|value| !value.is_empty());
    let fen = tag("FEN");
    let first = if fen.as_deref().is_some_and(black_begins) { Side::Black } else { Side::White };
    let form = form_of(&tags, &body);
    let mut tree = Tree::new(first);
    let end = body.last().map_or(Place { at: 0, line: 1 }, |(_, place)| *place);
    let is_numeric = playok::is_body(&body);
    for (token, place) in body {
        let token = match token {
            token if form == Format::PlayOk => playok::translated(token),
            // Where all moves are numbers, a number without a dot is a move.
            Token::Number(number, 0) if is_numeric => Token::Word(number.to_string()),
            token => token,
        };
        tree.take(token, place)?;
    }
    let Tree { nodes, comment, result, mut notes, .. } = tree.finish(end)?;

    let reported = tag("Result").and_then(|text| match scan(&text).as_slice() {
        [(Token::Result(outcome), _)] => Some(*outcome),
        _ => {
            notes.push(format!("result {text:?} is none, expected 1-0, 0-1, 1/2-1/2 or *"));
            None
        }
    });
    let other_result = reported
        .zip(result)
        .map(|(reported, result)| [reported, result])
        .filter(|[reported, result]| reported != result);
    let outcome = match other_result {
        Some([Outcome::Open, result]) => Some(result),
        Some([reported, Outcome::Open]) => Some(reported),
        Some([reported, result]) => {
            notes.push(format!("the moves end with {result}, expected {reported} as the tag says"));
            Some(reported)
        }
        None => reported.or(result),
    };
    let has_game = !nodes.is_empty() || result.is_some() || fen.is_some();
    let late_move = tag("LateMove").map(|text| late_move(&text));
    let number = |name: &str| tag(name).and_then(|text| text.parse::<usize>().ok()).filter(|number| *number > 0);
    let round = number("Round");
    let control = |name: &str| get(&tags, name).unwrap_or_else(|| "-".to_string());
    let (mut variant, mut house_rules) = (tag("Variant").unwrap_or_default(), tag("HouseRules").unwrap_or_default());
    if let Some((_, known, rules)) = NAMES.iter().find(|(name, ..)| *name == variant) {
        let both = [*rules, house_rules.as_str()].into_iter().filter(|text| !text.is_empty());
        house_rules = both.collect::<Vec<_>>().join(",");
        variant = known.to_string();
    }
    let game = Game {
        variant,
        house_rules,
        white: tag("White").as_deref().map(unnamed).unwrap_or_default(),
        black: tag("Black").as_deref().map(unnamed).unwrap_or_default(),
        end: end_of(outcome.unwrap_or(Outcome::Open), tag("Termination"), tag("Reason")),
        index: number("Game").unwrap_or(1) - 1,
        round: round.unwrap_or(1),
        thinking: [control("WhiteTimeControl"), control("BlackTimeControl")],
        late_move,
        fen,
        comment,
        nodes,
        tags: Vec::new(),
    };
    let is_said = |(name, value): &(String, String)| {
        let is_empty = value.is_empty() || NO_ROSTER.contains(&value.as_str());
        let is_ours = name == ROSTER[0] && value == EVENT;
        !(FIELDS.contains(&name.as_str()) || is_ours || is_empty || (name == "Round" && round.is_some()))
    };
    tags.retain(is_said);
    Ok(Raw { form, game: Game { tags, ..game }, other_result, notes, has_game })
}

/// Returns the move that came too late, with its comment.
fn late_move(text: &str) -> MoveRecord {
    let (text, comment) = text.strip_suffix('}').and_then(|text| text.rsplit_once(" {")).unwrap_or((text, ""));
    let played = MoveRecord { text: text.to_string(), ..MoveRecord::default() };
    let mut node = Node { played, ..Node::default() };
    take_words(&mut node, comment, Side::White);
    node.played
}

/// Returns the ending from the tags.
fn end_of(outcome: Outcome, termination: Option<String>, reason: Option<String>) -> Option<End> {
    let reported = termination.as_ref().map(|text| text.trim().to_ascii_lowercase());
    let known = reported.as_deref().and_then(|text| match text {
        "rules infraction" => Some(Termination::IllegalMove),
        text => text.parse().ok(),
    });
    // Unknown words are part of the reason.
    let words = termination.filter(|_| known.is_none());
    let reason = [reason, words].into_iter().flatten().collect::<Vec<_>>().join("; ");
    match (outcome, known) {
        (Outcome::Open, None | Some(Termination::Unfinished | Termination::Normal)) => None,
        (outcome, known) => {
            Some(reason::ending(End { outcome, termination: known.unwrap_or(Termination::Unknown), reason }))
        }
    }
}

/// Reads the text of one game; where it does not name its rules, or names unknown ones, those of `like` apply. Returns
/// its form, the game, and the deviations tolerated.
///
/// # Errors
/// Fails for a text without a game, or with its first fault.
pub(crate) fn read(text: &str, like: &Game) -> Result<(Format, Game, Vec<String>), NotationError> {
    let Raw { form, mut game, mut notes, has_game, .. } = read_raw(text)?;
    if !has_game {
        return Err(NotationError::NoMoves);
    }
    if game.variant.is_empty() {
        game.variant.clone_from(&like.variant);
        if game.house_rules.is_empty() {
            game.house_rules.clone_from(&like.house_rules);
        }
    } else if game.variant.parse::<Variant>().is_err() {
        let rules = like.named_rules()?;
        notes.push(format!("variant {:?} is unknown, read by the rules of {rules}", game.variant));
        (game.variant, game.house_rules) = (like.variant.clone(), like.house_rules.clone());
    }
    notes.extend(game.settle()?);
    Ok((form, game, notes))
}

/// Returns a game as a record: the output of `match --record`. No move is played, so the rules may be any.
pub(crate) fn write_record(game: &Game, first: &str) -> String {
    let fen = game.fen.as_deref().unwrap_or(first);
    let side = if black_begins(fen) { Side::Black } else { Side::White };
    let end = game.end.clone().unwrap_or_else(End::none);
    let [white, black] = &game.thinking;
    let event = value(game, ROSTER[0]).unwrap_or(EVENT);
    let mut text = tag(ROSTER[0], event) + &tag("Game", &(game.index + 1).to_string()) + &players(game);
    text += &(tag("Variant", &game.variant) + &tag("FEN", fen));
    text += &(tag("WhiteTimeControl", white) + &tag("BlackTimeControl", black));
    text += &tag("PlyCount", &game.main_line().len().to_string());
    text += &(tag("Termination", &end.termination.to_string()) + &tag("Reason", &end.reason));
    text += &(unless("HouseRules", &game.house_rules, "") + &late(game));
    for (name, value) in game.tags.iter().filter(|(name, _)| name != ROSTER[0]) {
        text += &tag(name, value);
    }
    format!("{text}\n{}\n", write(game, side, Style::Record, &str::to_string))
}

/// Returns a game as other programs read it: the seven tags of the notation, and the name and the FEN of Sanmill where
/// it has them.
///
/// # Errors
/// Fails for invalid rules or FEN.
pub(crate) fn write_pgn(game: &Game) -> Result<String, NotationError> {
    let first = game.first()?;
    let rules = game.rules()?;
    let mut text = String::new();
    for (name, none) in ROSTER.iter().zip(NO_ROSTER) {
        text += &tag(name, value(game, name).unwrap_or(none));
    }
    text += &players(game);
    let is_same = |(_, variant, more): &&(&str, Variant, &str)| {
        variant.name() == game.variant && house_rules::rules(*variant, more) == Some(rules)
    };
    text += &match NAMES.iter().find(is_same) {
        Some((name, ..)) => tag("Variant", name),
        None => tag("Variant", &game.variant) + &unless("HouseRules", &game.house_rules, ""),
    };
    if let Some(fen) = &game.fen {
        // Only our own FEN has the lines on which mills have been formed.
        let is_once = game.house_rules.contains("Once Per Line");
        let theirs = if is_once { None } else { sanmill::fen(rules, fen) };
        text += &(tag("SetUp", "1") + &tag("FEN", theirs.as_ref().unwrap_or(fen)));
    }
    let [white, black] = &game.thinking;
    text += &unless("Game", &(game.index + 1).to_string(), "1");
    text += &(unless("WhiteTimeControl", white, "-") + &unless("BlackTimeControl", black, "-"));
    text += &tag("PlyCount", &game.main_line().len().to_string());
    if let Some(end) = &game.end {
        text += &(tag("Termination", &end.termination.to_string()) + &unless("Reason", &end.reason, ""));
    }
    text += &late(game);
    for (name, value) in game.tags.iter().filter(|(name, _)| !ROSTER.contains(&name.as_str())) {
        text += &tag(name, value);
    }
    let word = |text: &str| if first.family() == "morris" { sanmill::word(text) } else { text.to_string() };
    Ok(format!("{text}\n{}\n", write(game, first.side(), Style::Pgn, &word)))
}

/// Returns the value of a tag without a field of its own.
fn value<'a>(game: &'a Game, name: &str) -> Option<&'a str> {
    game.tags.iter().find(|(tag, _)| tag == name).map(|(_, value)| value.as_str())
}

/// Returns a tag, unless it has its usual value.
fn unless(name: &str, value: &str, usual: &str) -> String {
    if value == usual { String::new() } else { tag(name, value) }
}

/// Returns the tags of the round, the players and the result.
fn players(game: &Game) -> String {
    let named = |name: &str, value: &str| tag(name, if value.is_empty() { "?" } else { value });
    let round = if value(game, "Round").is_some() { String::new() } else { tag("Round", &game.round.to_string()) };
    round + &named("White", &game.white) + &named("Black", &game.black) + &tag("Result", &game.outcome().to_string())
}

/// Returns the tag of the move that came too late.
fn late(game: &Game) -> String {
    let Some(late) = game.late_move.clone() else { return String::new() };
    let node = Node { played: late, ..Node::default() };
    let words = write_words(&node, Side::White, Style::Record, true);
    tag("LateMove", &format!("{} {{{words}}}", node.played.text))
}

/// Returns whether a game can have a tag of this name without a field of its own.
pub(crate) fn is_free(name: &str) -> bool {
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_name && !FIELDS.contains(&name)
}

/// Returns the FEN of the start by the rules that a record names; empty for unknown rules.
pub(crate) fn start(game: &Game) -> String {
    game.rules().map(|rules| AnyBoard::new(rules).fen()).unwrap_or_default()
}
