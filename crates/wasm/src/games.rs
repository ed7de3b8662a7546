//! Games with variations, in the data format of a page.

use crate::fault::Fault;
use millbrain_core::game::Side;
use millbrain_core::message::Message;
use millbrain_core::variant::Variant;
use millbrain_games::forms::{self, Format, Found, Reading};
use millbrain_games::game::{self, Game, NotationError};
use millbrain_games::movetext::{self, TextError};
use millbrain_games::record::{MoveRecord, Outcome, Termination, VerifyError};
use millbrain_games::score::Score;
use millbrain_games::split::{Piece, Splitter};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A game. Its rules are a variant and the options that differ from it, by name.
#[derive(Serialize, Deserialize, Debug)]
pub struct Reported {
    variant: String,
    #[serde(default)]
    options: BTreeMap<String, Box<RawValue>>,
    white: String,
    black: String,
    /// Time control of White and of Black.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    times: Option<[String; 2]>,
    /// Number in the match, from 1, unless that is 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    number: Option<usize>,
    /// Round of the match, unless that is 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    round: Option<usize>,
    /// The first position, if it is not the start of the game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    fen: Option<String>,
    /// Names and values of other facts, such as the date, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    tags: Vec<(String, String)>,
    /// Free text about the game.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    comment: String,
    nodes: Vec<Node>,
    /// The ending; `None` while the game is in progress.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    end: Option<End>,
}

/// A move.
#[derive(Serialize, Deserialize, Debug)]
struct Node {
    /// The preceding node: 0 is the first position, and `n` the node at `n - 1`, which precedes this one.
    parent: usize,
    #[serde(rename = "move")]
    text: String,
    /// The report of the engine that played it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    said: Option<Said>,
    /// Milliseconds taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    time: Option<u64>,
    /// Milliseconds left on the clock of the side that moved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    clock: Option<u64>,
    /// Marks by their numbers in Portable Game Notation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    marks: Vec<u8>,
    /// Free text before the move.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    before: String,
    /// Free text after the move.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    comment: String,
}

#[derive(Serialize, Deserialize, Debug)]
struct Said {
    /// Score from the side that moved.
    score: Score,
    /// Depth in plies.
    depth: u32,
}

#[derive(Serialize, Deserialize, Debug)]
struct End {
    #[serde(with = "Winner")]
    outcome: Outcome,
    reason: String,
    #[serde(with = "Words")]
    termination: Termination,
}

/// Serialises an outcome as the name of the winner, `draw`, or `none` for a game without a result.
struct Winner;

impl Winner {
    fn name(outcome: Outcome) -> String {
        match outcome {
            Outcome::WhiteWins => Side::White.to_string(),
            Outcome::BlackWins => Side::Black.to_string(),
            Outcome::Draw => "draw".to_string(),
            Outcome::Open => "none".to_string(),
        }
    }

    fn serialize<S: Serializer>(outcome: &Outcome, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&Winner::name(*outcome))
    }

    fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Outcome, D::Error> {
        let name = String::deserialize(deserializer)?;
        let found = Outcome::ALL.into_iter().find(|outcome| Winner::name(*outcome) == name);
        found.ok_or_else(|| D::Error::custom(format!("outcome {name:?}, expected white, black, draw or none")))
    }
}

/// Serialises a termination as text.
struct Words;

impl Words {
    fn serialize<S: Serializer>(termination: &Termination, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(termination)
    }

    fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Termination, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

impl From<NotationError> for Fault {
    fn from(error: NotationError) -> Fault {
        let of_page = |id, values| Fault::of_page(id, values, &error);
        match &error {
            NotationError::Text(TextError { source: movetext::Fault::Tag(text), .. }) => {
                of_page("fault.tag", vec![("text", text.clone().into())])
            }
            NotationError::Text(TextError { source: movetext::Fault::EarlyRemoval(text), .. }) => {
                of_page("fault.earlyRemoval", vec![("text", text.clone().into())])
            }
            NotationError::Rules(VerifyError::Variant(unknown)) => Fault::new(Message::from(unknown), &error),
            NotationError::Rules(VerifyError::Play(fault)) => Fault::new(Message::from(fault), &error),
            NotationError::Sgf { at, expected } => {
                of_page("fault.sgf", vec![("at", (*at).into()), ("expected", (*expected).into())])
            }
            NotationError::OtherGame(number) => of_page("fault.sgfGame", vec![("text", number.clone().into())]),
            NotationError::NoMoves => of_page("fault.noMoves", Vec::new()),
            _ => Fault::new(None, &error),
        }
    }
}

fn no_game(error: serde_json::Error) -> Fault {
    Fault::new(None, format!("no game: {error}"))
}

/// A request to read games.
#[derive(Deserialize, Debug)]
pub struct Source {
    text: String,
    /// Lines before the text in its file.
    #[serde(default)]
    before: usize,
    /// The rules for bare lists of moves.
    variant: String,
    #[serde(default)]
    options: BTreeMap<String, Box<RawValue>>,
}

/// The result of reading.
#[derive(Serialize, Debug)]
pub struct Read {
    /// The form of the first game.
    format: Format,
    games: Vec<Reported>,
    /// Tolerated faults, one line each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
    /// The unreadable games.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    faults: Vec<BadGame>,
}

/// A game of a text that cannot be read.
#[derive(Serialize, Debug)]
struct BadGame {
    /// Number of the game, from 1.
    number: usize,
    /// Its first line, from 1.
    line: usize,
    #[serde(flatten)]
    fault: Fault,
}

/// A request to write a game.
#[derive(Deserialize, Debug)]
pub struct Order {
    game: Reported,
    format: Format,
}

/// Reads games from a JSON request. A faulty game does not lose the others.
///
/// # Errors
/// The first fault, if no game can be read.
pub fn read(source: &[u8]) -> Result<Read, Fault> {
    let Source { text, before, variant, options } = serde_json::from_slice(source).map_err(no_game)?;
    let like = Game { variant, house_rules: house_rules(&options), ..Game::default() };
    let (mut format, mut games, mut notes, mut faults) = (None, Vec::new(), Vec::new(), Vec::new());
    for Found { number, line, reading } in forms::games(&text, &like) {
        let line = line + before;
        let reading = reading.map_err(|error| error.after(before));
        let reported = reading.and_then(|Reading { form, game, notes }| Ok((form, reported(game)?, notes)));
        match reported {
            Ok((form, game, more)) => {
                format.get_or_insert(form);
                games.push(game);
                notes.extend(more.into_iter().map(|note| format!("game {number} in line {line}: {note}")));
            }
            Err(error) => faults.push(BadGame { number, line, fault: error.into() }),
        }
    }
    match format {
        Some(format) => Ok(Read { format, games, notes, faults }),
        None => Err(faults.into_iter().next().map_or_else(|| NotationError::NoMoves.into(), |bad| bad.fault)),
    }
}

/// Writes a game from a JSON request.
///
/// # Errors
/// A game that the form cannot express, or unknown rules.
pub fn write(order: &[u8]) -> Result<String, Fault> {
    let Order { game, format } = serde_json::from_slice(order).map_err(no_game)?;
    Ok(forms::write(&unreported(game), format)?.text)
}

/// The texts being split, by number.
#[derive(Debug)]
pub struct Splitters {
    next: u32,
    open: BTreeMap<u32, Splitter>,
}

/// Returns the splitters of this module.
pub fn splitters() -> MutexGuard<'static, Splitters> {
    static SPLITTERS: Mutex<Splitters> = Mutex::new(Splitters { next: 0, open: BTreeMap::new() });
    SPLITTERS.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Splitters {
    /// Starts a new text; returns its number.
    pub fn begin(&mut self) -> u32 {
        self.next = self.next.wrapping_add(1);
        self.open.insert(self.next, Splitter::new(None));
        self.next
    }

    /// Adds the next part of a text; returns nothing for an unknown text.
    pub fn push(&mut self, number: u32, part: &str) -> Vec<Piece> {
        self.open.get_mut(&number).map(|splitter| splitter.push(part)).unwrap_or_default()
    }

    /// Ends a text.
    pub fn finish(&mut self, number: u32) -> Vec<Piece> {
        self.open.remove(&number).map(Splitter::finish).unwrap_or_default()
    }
}

/// Returns options as text.
fn house_rules(options: &BTreeMap<String, Box<RawValue>>) -> String {
    let text = |value: &RawValue| serde_json::from_str(value.get()).unwrap_or_else(|_| value.get().to_string());
    options.iter().map(|(name, value)| format!("{name}={}", text(value))).collect::<Vec<_>>().join(",")
}

fn reported(game: Game) -> Result<Reported, VerifyError> {
    let variant: Variant = game.variant.parse()?;
    let options = game.rules()?.house_rules(variant).into_iter();
    let node = |game::Node { parent, played, clock, marks, before, comment }| {
        let score = played.score.and_then(|score| score.parse().ok());
        let said = score.zip(played.depth).map(|(score, depth)| Said { score, depth });
        Node { parent, text: played.text, said, time: played.time, clock, marks, before, comment }
    };
    let end = |game::End { outcome, termination, reason }| End { outcome, reason, termination };
    Ok(Reported {
        options: options.filter_map(|(name, value)| Some((name.to_string(), to_raw_value(&value).ok()?))).collect(),
        variant: game.variant,
        white: game.white,
        black: game.black,
        times: Some(game.thinking).filter(|times| *times != Game::default().thinking),
        number: Some(game.index + 1).filter(|number| *number != 1),
        round: Some(game.round).filter(|round| *round != 1),
        fen: game.fen,
        tags: game.tags,
        comment: game.comment,
        nodes: game.nodes.into_iter().map(node).collect(),
        end: game.end.map(end),
    })
}

fn unreported(reported: Reported) -> Game {
    let node = |Node { parent, text, said, time, clock, marks, before, comment }| {
        let (score, depth) = said.map(|said| (said.score.to_string(), said.depth)).unzip();
        game::Node {
            parent,
            played: MoveRecord { text, score, depth, time, late: None },
            clock,
            marks,
            before,
            comment,
        }
    };
    let end = |End { outcome, reason, termination }| game::End { outcome, termination, reason };
    Game {
        house_rules: house_rules(&reported.options),
        variant: reported.variant,
        white: reported.white,
        black: reported.black,
        fen: reported.fen,
        tags: reported.tags,
        comment: reported.comment,
        nodes: reported.nodes.into_iter().map(node).collect(),
        end: reported.end.map(end),
        thinking: reported.times.unwrap_or_else(|| Game::default().thinking),
        index: reported.number.unwrap_or(1).saturating_sub(1),
        round: reported.round.unwrap_or(1),
        ..Game::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn games_come_back_from_every_form() {
        let game = json!({
            "variant": "morris",
            "options": {"Flying": false, "Removal": "never", "Stones": 7},
            "white": "Ann",
            "black": "",
            "times": ["600+5", "-"],
            "number": 3,
            "round": 2,
            "tags": [["Date", "2026.08.01"], ["ECO", "A00"]],
            "comment": "a game",
            "nodes": [
                {"parent": 0, "move": "d6", "time": 5, "said": {"score": {"mate": -4}, "depth": 9}, "marks": [1], "clock": 600_000},
                {"parent": 1, "move": "f4", "time": 0, "before": "well", "comment": "so"},
                {"parent": 1, "move": "d2"},
            ],
            "end": {"outcome": "black", "reason": "", "termination": "resignation"},
        });
        for format in ["record", "pgn", "sgf"] {
            let text = write(json!({"game": game, "format": format}).to_string().as_bytes()).expect(format);
            let read = read(json!({"text": text, "variant": "mlyn"}).to_string().as_bytes()).expect(format);
            let mut expected = game.clone();
            if format == "sgf" {
                for node in expected["nodes"].as_array_mut().expect("nodes") {
                    node.as_object_mut().expect("a node").retain(|name, _| name != "time" && name != "said");
                }
            }
            // Its variant has a name of this program.
            let found = if format == "pgn" { "record" } else { format };
            assert_eq!(json!(read), json!({"format": found, "games": [expected]}), "{text}");
        }
        let list = write(json!({"game": game, "format": "sanmill"}).to_string().as_bytes()).expect("a list");
        assert_eq!(list, "1.    d6    f4\n0-1\n");
    }

    #[test]
    fn a_faulty_game_does_not_lose_the_others() {
        let text = "1. d6 f4 3. d2 *\n\n1. d6 d6 *\n[Variant \"Dooz\"]\n\n1. d6 *\n";
        let read = json!(read(json!({"text": text, "variant": "morris"}).to_string().as_bytes()).expect("two games"));
        assert_eq!(read["games"].as_array().map(Vec::len), Some(2));
        let fault = json!({
            "number": 2,
            "line": 3,
            "id": "fault.move",
            "values": {"number": 2, "text": "d6", "fault": {"id": "fault.illegal", "values": {}}},
            "message": "move 2 (d6) is illegal, expected a legal move",
        });
        assert_eq!(read["faults"], json!([fault]));
        let notes = [
            "game 1 in line 1: move number 3., expected 2.",
            "game 3 in line 4: variant \"Dooz\" is unknown, read by the rules of morris",
        ];
        assert_eq!(read["notes"], json!(notes));
    }

    #[test]
    fn faults_have_ids() {
        for (text, id, reported) in [
            ("", "fault.noMoves", "the text holds no moves"),
            ("xd6", "fault.earlyRemoval", "line 1: \"xd6\" stands before"),
            ("d6 d6", "fault.move", "move 2 (d6) is illegal"),
            ("(;GM[1])", "fault.sgfGame", "SGF: game number 1"),
            ("(;GM[5]", "fault.sgf", "SGF, character 8"),
            ("[Variant \"morris\"]\n[x]\n\nd6", "fault.tag", "line 2:"),
        ] {
            let fault = read(json!({"text": text, "variant": "morris"}).to_string().as_bytes()).expect_err(text);
            assert_eq!(json!(fault)["id"], id, "{text}");
            assert!(fault.to_string().starts_with(reported), "{fault}");
        }
        assert!(read(b"{}").is_err_and(|fault| fault.to_string().starts_with("no game: missing field")));
        let other = json!({"game": {"variant": "smess", "white": "", "black": "", "nodes": []}, "format": "sgf"});
        assert!(write(other.to_string().as_bytes()).is_err());
    }

    #[test]
    fn texts_are_taken_apart_side_by_side() {
        let mut all = Splitters { next: 0, open: BTreeMap::new() };
        let (one, two) = (all.begin(), all.begin());
        let texts = |pieces: Vec<Piece>| pieces.into_iter().map(|piece| piece.text).collect::<Vec<_>>();
        assert_eq!(texts(all.push(one, "1. d6\n1. f")), ["1. d6\n"]);
        assert_eq!(texts(all.push(two, "(;B[aa])(;")), ["(;B[aa])"]);
        assert_eq!(texts(all.push(one, "4\n")), [""; 0]);
        assert_eq!(texts(all.finish(one)), ["1. f4\n"]);
        assert_eq!(
            (texts(all.finish(two)), texts(all.finish(two)), texts(all.push(one, "a"))),
            (vec!["(;".into()], vec![], vec![])
        );
    }
}
