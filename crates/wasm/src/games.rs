//! Games with variations as a page reads and writes them, as data.

use millbrain_core::game::Side;
use millbrain_core::variant::Variant;
use millbrain_games::forms::{self, Format};
use millbrain_games::game::{self, Game, NotationError};
use millbrain_games::import::import;
use millbrain_games::record::{MoveRecord, Outcome, RecordError, RecordFault, Termination, VerifyError};
use millbrain_games::score::Score;
use millbrain_games::split::{Piece, Splitter};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A game. Its rules are a variant and the options that differ from it, by their names.
#[derive(Serialize, Deserialize, Debug)]
pub struct Told {
    variant: String,
    #[serde(default)]
    options: BTreeMap<String, Box<RawValue>>,
    white: String,
    black: String,
    /// Time control of White and of Black.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    times: Option<[String; 2]>,
    /// The first position, where it is not the start of the game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    fen: Option<String>,
    nodes: Vec<Node>,
    /// The ending; nothing while the game is not over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    end: Option<End>,
}

/// A move.
#[derive(Serialize, Deserialize, Debug)]
struct Node {
    /// What it follows: 0 is the first position, and `n` the node at `n - 1`, which stands before this one.
    parent: usize,
    #[serde(rename = "move")]
    text: String,
    /// What the engine that played it reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    said: Option<Said>,
    /// Milliseconds taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    time: Option<u64>,
}

#[derive(Serialize, Deserialize, Debug)]
struct Said {
    /// From the side that moved.
    score: Score,
    /// In plies.
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

/// An outcome as the name of who has won, `draw`, or `none` for a game without a result.
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

/// A kind of ending in words.
struct Words;

impl Words {
    fn serialize<S: Serializer>(termination: &Termination, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(termination)
    }

    fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Termination, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

/// Why a text is not a game, or a game cannot be written.
#[derive(Serialize, Debug, Default)]
pub struct Fault {
    /// What it is, for whoever tells it in another language; empty for what has words of the protocol.
    id: &'static str,
    /// What belongs into its words.
    values: BTreeMap<&'static str, String>,
    /// Its words in English.
    message: String,
}

impl From<NotationError> for Fault {
    fn from(error: NotationError) -> Fault {
        let record = |source: &RecordFault| match source {
            RecordFault::Tag(text) => ("tag", vec![("text", text.clone())]),
            _ => ("", Vec::new()),
        };
        let (id, values) = match &error {
            NotationError::Record(RecordError { source, .. }) => record(source),
            NotationError::Rules(VerifyError::Variant(unknown)) => {
                ("variant", vec![("text", unknown.name().to_string())])
            }
            NotationError::Sgf { at, expected } => {
                ("sgf", vec![("at", at.to_string()), ("expected", (*expected).to_string())])
            }
            NotationError::OtherGame(number) => ("sgfGame", vec![("text", number.clone())]),
            NotationError::EarlyRemoval(text) => ("earlyRemoval", vec![("text", text.clone())]),
            NotationError::NoMoves => ("noMoves", Vec::new()),
            _ => ("", Vec::new()),
        };
        Fault { id, values: values.into_iter().collect(), message: error.to_string() }
    }
}

impl From<serde_json::Error> for Fault {
    fn from(error: serde_json::Error) -> Fault {
        Fault { message: format!("no game: {error}"), ..Fault::default() }
    }
}

/// What a page asks to read.
#[derive(Deserialize, Debug)]
pub struct Source {
    text: String,
    /// The rules of bare lists of moves.
    variant: String,
    #[serde(default)]
    options: BTreeMap<String, Box<RawValue>>,
}

/// What has been read.
#[derive(Serialize, Debug)]
pub struct Read {
    format: Format,
    games: Vec<Told>,
}

/// What a page asks to write.
#[derive(Deserialize, Debug)]
pub struct Order {
    game: Told,
    format: Format,
}

/// Reads games from what a page asks for, which is JSON.
///
/// # Errors
/// The first fault.
pub fn read(source: &[u8]) -> Result<Read, Fault> {
    let Source { text, variant, options } = serde_json::from_slice(source)?;
    let like = Game { variant, house_rules: house_rules(&options), ..Game::default() };
    let (format, games) = import(&text, &like)?;
    let told: Result<Vec<Told>, VerifyError> = games.into_iter().map(told).collect();
    Ok(Read { format, games: told.map_err(NotationError::from)? })
}

/// Writes a game, which is JSON.
///
/// # Errors
/// A game that the form has no place for, or rules that do not exist.
pub fn write(order: &[u8]) -> Result<String, Fault> {
    let Order { game, format } = serde_json::from_slice(order)?;
    Ok(forms::write(&untold(game), format)?)
}

/// The texts that are being taken apart, by their numbers.
#[derive(Debug)]
pub struct Splitters {
    next: u32,
    open: BTreeMap<u32, Splitter>,
}

/// Those of this module.
pub fn splitters() -> MutexGuard<'static, Splitters> {
    static SPLITTERS: Mutex<Splitters> = Mutex::new(Splitters { next: 0, open: BTreeMap::new() });
    SPLITTERS.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Splitters {
    /// The number of a new text.
    pub fn begin(&mut self) -> u32 {
        self.next = self.next.wrapping_add(1);
        self.open.insert(self.next, Splitter::for_import());
        self.next
    }

    /// Takes the next part of a text; nothing is whole in one that is not open.
    pub fn push(&mut self, number: u32, part: &str) -> Vec<Piece> {
        self.open.get_mut(&number).map(|splitter| splitter.push(part)).unwrap_or_default()
    }

    /// Takes the end of a text.
    pub fn finish(&mut self, number: u32) -> Vec<Piece> {
        self.open.remove(&number).map(Splitter::finish).unwrap_or_default()
    }
}

/// Options as text.
fn house_rules(options: &BTreeMap<String, Box<RawValue>>) -> String {
    let text = |value: &RawValue| serde_json::from_str(value.get()).unwrap_or_else(|_| value.get().to_string());
    options.iter().map(|(name, value)| format!("{name}={}", text(value))).collect::<Vec<_>>().join(";")
}

fn told(game: Game) -> Result<Told, VerifyError> {
    let variant: Variant = game.variant.parse()?;
    let options = game.rules()?.house_rules(variant).into_iter();
    let node = |game::Node { parent, played, .. }| {
        let score = played.score.and_then(|score| score.parse().ok());
        let said = score.zip(played.depth).map(|(score, depth)| Said { score, depth });
        Node { parent, text: played.text, said, time: played.time }
    };
    let end = |game::End { outcome, termination, reason }| End { outcome, reason, termination };
    Ok(Told {
        options: options.filter_map(|(name, value)| Some((name.to_string(), to_raw_value(&value).ok()?))).collect(),
        variant: game.variant,
        white: game.white,
        black: game.black,
        times: None,
        fen: game.fen,
        nodes: game.nodes.into_iter().map(node).collect(),
        end: game.end.map(end),
    })
}

fn untold(told: Told) -> Game {
    let node = |Node { parent, text, said, time }| {
        let (score, depth) = said.map(|said| (said.score.to_string(), said.depth)).unzip();
        game::Node { parent, played: MoveRecord { text, score, depth, time, late: None }, comment: String::new() }
    };
    let end = |End { outcome, reason, termination }| game::End { outcome, termination, reason };
    Game {
        house_rules: house_rules(&told.options),
        variant: told.variant,
        white: told.white,
        black: told.black,
        fen: told.fen,
        nodes: told.nodes.into_iter().map(node).collect(),
        end: told.end.map(end),
        thinking: told.times.unwrap_or_else(|| Game::default().thinking),
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
            "nodes": [
                {"parent": 0, "move": "d6", "time": 5, "said": {"score": {"mate": -4}, "depth": 9}},
                {"parent": 1, "move": "f4", "time": 0},
            ],
            "end": {"outcome": "black", "reason": "white resigns", "termination": "adjudication"},
        });
        for (format, nodes) in
            [("record", &game["nodes"]), ("sgf", &json!([{"parent": 0, "move": "d6"}, {"parent": 1, "move": "f4"}]))]
        {
            let text = write(json!({"game": game, "format": format}).to_string().as_bytes()).expect(format);
            let read = read(json!({"text": text, "variant": "mlyn"}).to_string().as_bytes()).expect(format);
            let mut expected = game.clone();
            expected["nodes"] = nodes.clone();
            assert_eq!(json!(read), json!({"format": format, "games": [expected]}));
        }
        let list = write(json!({"game": game, "format": "sanmill"}).to_string().as_bytes()).expect("a list");
        assert_eq!(list, "1.    d6    f4\n");
    }

    #[test]
    fn faults_have_ids_or_the_words_of_the_protocol() {
        for (text, id, told) in [
            ("", "noMoves", "the text holds no moves"),
            ("xd6", "earlyRemoval", "\"xd6\" stands before"),
            ("d6 d6", "", "move 2 (d6) is illegal"),
            ("(;GM[1])", "sgfGame", "SGF: game number 1"),
            ("(;GM[5]", "sgf", "SGF, character 8"),
            ("[Variant \"chess\"]\n\nd6", "variant", "unknown variant"),
            ("[Variant \"morris\"]\n[x]\n\nd6", "tag", "line 2:"),
        ] {
            let fault = read(json!({"text": text, "variant": "morris"}).to_string().as_bytes()).expect_err(text);
            assert_eq!(fault.id, id, "{text}");
            assert!(fault.message.starts_with(told), "{}", fault.message);
        }
        assert!(read(b"{}").is_err_and(|fault| fault.message.starts_with("no game: missing field")));
        let other = json!({"game": {"variant": "smess", "white": "", "black": "", "nodes": []}, "format": "sgf"});
        assert!(write(other.to_string().as_bytes()).is_err());
    }

    #[test]
    fn texts_are_taken_apart_side_by_side() {
        let mut all = Splitters { next: 0, open: BTreeMap::new() };
        let (one, two) = (all.begin(), all.begin());
        let texts = |pieces: Vec<Piece>| pieces.into_iter().map(|piece| piece.text).collect::<Vec<_>>();
        assert_eq!(texts(all.push(one, "1. d6\n1. f")), [""; 0]);
        assert_eq!(texts(all.push(two, "(;B[aa])(;")), ["(;B[aa])"]);
        assert_eq!(texts(all.push(one, "4\n")), ["1. d6\n"]);
        assert_eq!(texts(all.finish(one)), ["1. f4\n"]);
        assert_eq!(
            (texts(all.finish(two)), texts(all.finish(two)), texts(all.push(one, "a"))),
            (vec!["(;".into()], vec![], vec![])
        );
    }
}
