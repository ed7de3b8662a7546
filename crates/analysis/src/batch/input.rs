//! A line of input: a position to analyse.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use millbrain_core::game::fen::shorten;
use millbrain_core::options::OptionFault;
use millbrain_core::variant::{NamedRules, UnknownVariant};
use millbrain_files::lines::MAX_LINE;
use millbrain_games::game::{Game, NotationError};
use millbrain_games::mif;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// A fault in a line.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ItemError {
    /// The line is too long.
    #[error("a line of more than {} MiB, expected FEN, VARIANT;FEN;MOVES;RULES or JSON", MAX_LINE >> 20)]
    TooLong,
    /// The object has an unexpected form.
    #[error("JSON: {0}")]
    Json(#[source] serde_json::Error),
    /// The id is not a valid string.
    #[error("id: {0}")]
    Id(#[source] serde_json::Error),
    /// The id has another type.
    #[error("id unusable, expected a string or a number")]
    IdKind,
    /// The variant does not exist.
    #[error(transparent)]
    Variant(#[from] UnknownVariant),
    /// The house rules do not fit the variant.
    #[error(transparent)]
    Rules(#[from] OptionFault),
    /// The line has a fault of the Mill Interchange Format.
    #[error(transparent)]
    Mif(#[from] NotationError),
    /// The line has too many fields.
    #[error("{:?} unusable, expected FEN, VARIANT;FEN;MOVES;RULES or JSON", shorten(.0))]
    Form(String),
}

/// The name of a position.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum Id {
    /// A string.
    Text(String),
    /// A number as it is written: it may have more digits than any number type stores.
    Number(Box<RawValue>),
    /// The number of the line, where the input gives no id.
    Line(usize),
}

impl Id {
    /// Parses the id in a JSON value.
    fn parse(json: Box<RawValue>) -> Result<Id, ItemError> {
        match json.get().as_bytes() {
            [b'"', ..] => serde_json::from_str(json.get()).map(Id::Text).map_err(ItemError::Id),
            [b'-' | b'0'..=b'9', ..] => Ok(Id::Number(json)),
            _ => Err(ItemError::IdKind),
        }
    }
}

/// A position as the input describes it.
#[derive(Clone, Debug)]
pub struct Item {
    /// Its name in the input.
    pub id: Option<Id>,
    /// The rules.
    pub rules: NamedRules,
    /// The FEN; `None` for the start position.
    pub fen: Option<String>,
    /// Moves from there, not yet checked.
    pub moves: Vec<String>,
}

/// Moves as a list or as one string.
#[derive(Deserialize)]
#[serde(untagged, expecting = "moves unusable, expected a list of strings or one string")]
enum Moves {
    List(Vec<String>),
    Text(String),
}

/// The object form.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Object {
    id: Option<Box<RawValue>>,
    variant: Option<String>,
    rules: Option<String>,
    fen: Option<String>,
    moves: Option<Moves>,
}

/// The only member that is read of an object with another fault.
#[derive(Deserialize)]
struct Named {
    id: Box<RawValue>,
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(String::from).collect()
}

/// Returns the FEN, or `None` for `startpos` and empty text.
fn fen(text: &str) -> Option<String> {
    let text = text.trim();
    (!text.is_empty() && text != "startpos").then(|| text.to_string())
}

impl Item {
    /// Reads `FEN`, `VARIANT;FEN[;MOVES[;RULES]]` or a JSON object, which may also be one of [`mif`].
    ///
    /// A line without variant and house rules has those of `usual`. A line with either of them takes neither from
    /// there.
    ///
    /// # Errors
    /// Fails with the fault and the expected form.
    pub fn parse(line: &str, usual: NamedRules) -> Result<Item, ItemError> {
        let line = line.trim();
        if mif::is_object(line) {
            return Item::of_mif(line, usual);
        }
        if line.starts_with('{') {
            let object: Object = serde_json::from_str(line).map_err(ItemError::Json)?;
            let id = object.id.map(Id::parse).transpose()?;
            let rules = match (object.variant, object.rules) {
                (None, None) => usual,
                (name, list) => {
                    let variant = name.map_or(Ok(usual.variant), |name| name.parse())?;
                    NamedRules::read(variant, list.as_deref().unwrap_or_default())?
                }
            };
            let moves = match object.moves {
                None => Vec::new(),
                Some(Moves::List(moves)) => moves,
                Some(Moves::Text(text)) => words(&text),
            };
            let fen = object.fen.as_deref().and_then(fen);
            return Ok(Item { id, rules, fen, moves });
        }
        // Records of MIF may have semicolons in their fields.
        let fields: Vec<&str> = if mif::is_record(line) { vec![line] } else { line.split(';').collect() };
        let named = |name: &str, list: &str| Ok::<_, ItemError>(NamedRules::read(name.trim().parse()?, list)?);
        let (rules, position, moves) = match *fields.as_slice() {
            [position] => (usual, position, ""),
            [name, position] => (named(name, "")?, position, ""),
            [name, position, moves] => (named(name, "")?, position, moves),
            [name, position, moves, list] => (named(name, list)?, position, moves),
            _ => return Err(ItemError::Form(line.to_string())),
        };
        Ok(Item { id: None, rules, fen: fen(position), moves: words(moves) })
    }

    fn of_mif(line: &str, usual: NamedRules) -> Result<Item, ItemError> {
        let [game] =
            <[Game; 1]>::try_from(mif::read(line, &Game::by(usual))?).map_err(|_| ItemError::Form(line.to_string()))?;
        let rules = NamedRules::nearest(game.rules().map_err(NotationError::from)?);
        let moves = game.main_line().into_iter().map(|node| node.played.text.clone()).collect();
        Ok(Item { id: None, rules, fen: game.fen, moves })
    }

    /// Returns the id of a line with a fault that [`Item::parse`] has found, if it can still be read.
    pub fn id_of(line: &str) -> Option<Id> {
        let named: Named = serde_json::from_str(line).ok()?;
        Id::parse(named.id).ok()
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use millbrain_core::variant::Variant;
    use millbrain_games::forms::{Format, write};

    #[test]
    fn three_forms_are_read() {
        let read = |line: &str| Item::parse(line, Variant::Mlyn.into()).unwrap();
        let start = "3/3/3/6/3/3/3 w 9 9 0 1";
        assert_eq!(read(start).rules, Variant::Mlyn.into());
        assert_eq!(read(start).fen.as_deref(), Some(start));
        let item = read("smess;;f2g1 e7e6");
        assert_eq!((item.rules.variant, item.fen, item.moves.len()), (Variant::Smess, None, 2));
        assert_eq!(read("morris;startpos").fen, None);
        let item = read(r#"{"id": 7, "variant": "lasker", "moves": ["d6"]}"#);
        assert_eq!((item.rules.variant, item.fen, item.moves), (Variant::Lasker, None, words("d6")));
        assert_eq!(read(r#"{"fen": "x", "moves": "d6 f4"}"#).moves.len(), 2);
    }

    #[test]
    fn a_line_that_names_rules_says_all_of_them() {
        let usual = NamedRules::read(Variant::Mlyn, "Stones=7").unwrap();
        let rules = |line: &str| Item::parse(line, usual).map(|item| item.rules).map_err(|error| error.to_string());
        let named = |variant, list| Ok(NamedRules::read(variant, list).unwrap());
        for line in ["", "startpos", "{}", r#"{"moves": "d6"}"#] {
            assert_eq!(rules(line), Ok(usual), "{line}");
        }
        for line in ["mlyn;", "mlyn;;;", "mlyn;;; ", r#"{"variant": "mlyn"}"#, r#"{"rules": ""}"#] {
            assert_eq!(rules(line), named(Variant::Mlyn, ""), "{line}");
        }
        for line in ["lasker;;d6;Stones=6, Flying=false", r#"{"variant": "lasker", "rules": "flying=false,stones=6"}"#]
        {
            assert_eq!(rules(line), named(Variant::Lasker, "Stones=6,Flying=false"), "{line}");
        }
        assert_eq!(rules(r#"{"rules": "Stones=5"}"#), named(Variant::Mlyn, "Stones=5"));
        for (line, reported) in [
            ("mlyn;;;Stones", "invalid rule \"Stones\": expected a pair"),
            (r#"{"rules": "Stones=13"}"#, "expected a number from 3 to 12"),
            (r#"{"variant": "smess", "rules": "Stones=5"}"#, "unknown rule option \"Stones\""),
        ] {
            assert!(rules(line).is_err_and(|error| error.contains(reported)), "{line}");
        }
    }

    #[test]
    fn a_field_counts_only_where_it_says_something() {
        let read = |line: &str| Item::parse(line, Variant::Mlyn.into()).unwrap();
        for start in [" ", "startpos", " startpos ", "mlyn;", "mlyn; startpos ;", "{}", r#"{"fen": " "}"#] {
            let item = read(start);
            assert_eq!((item.rules.variant, item.fen, item.moves.len()), (Variant::Mlyn, None, 0), "{start:?}");
        }
        assert_eq!(read(r#"{"fen": " x "}"#).fen.as_deref(), Some("x"));
        assert_eq!(read(" smess ; x ; a  b ").moves, words("a b"));
        assert_eq!(read(r#"{"moves": []}"#).moves.len(), 0);
    }

    #[test]
    fn positions_and_games_of_mif_are_read() {
        let read = |line: &str| Item::parse(line, Variant::Mlyn.into()).unwrap();
        let record = "MFEN/1.0 mill24-state-v1 W......./......../........ b p p 8,9 - 0 1 -";
        let item = read(record);
        assert_eq!((item.rules.variant, item.fen.as_deref()), (Variant::Mlyn, Some(record)));
        let item = read(&format!("lasker;{record};d6"));
        assert_eq!((item.rules.variant, item.fen.as_deref(), item.moves), (Variant::Lasker, Some(record), words("d6")));
        let due = "MFEN/1.0 mill24-state-v1 WWWB.B../......../........ w p r 6,7 w:mill:b:b:1:000028:q;w:x - 0 5 -";
        assert_eq!(read(due).fen.as_deref(), Some(due), "one field");
        let mut game = Game { variant: "lasker".to_string(), house_rules: "Stones=8".to_string(), ..Game::default() };
        game.add(0, "d6");
        let item = read(&write(&game, Format::Mif).unwrap().text);
        assert_eq!(item.rules, NamedRules::read(Variant::Lasker, "Stones=8").unwrap());
        assert_eq!((item.fen, item.moves), (None, words("d6")));
        let error = Item::parse(r#"{"format": "MRS/1.0"}"#, Variant::Morris.into()).unwrap_err().to_string();
        assert_eq!(error, "MIF: /format is \"MRS/1.0\", expected MSTATE/1.0 or MIFPOS/1.0");
        assert!(Item::parse(r#"{"id": "format", "fen": "x"}"#, Variant::Morris.into()).is_ok());
    }

    #[test]
    fn ids_are_kept_as_written() {
        let kept = |id: &str| {
            let item = Item::parse(&format!(r#"{{"id": {id}}}"#), Variant::Morris.into()).unwrap();
            item.id.map(|id| serde_json::to_string(&id).unwrap())
        };
        for id in [
            r#""a\nb""#,
            "7",
            "-1.50",
            "123456789012345678901234567890",
            "0.1000000000000000055511151231257827",
            "1e400",
        ] {
            assert_eq!(kept(id).as_deref(), Some(id));
        }
        assert_eq!(kept("null"), None);
        assert_eq!(serde_json::to_string(&Id::Line(3)).unwrap(), "3");
    }

    #[test]
    fn an_object_with_a_fault_keeps_its_id() {
        let id = |line: &str| Item::id_of(line).map(|id| serde_json::to_string(&id).unwrap());
        for rest in [r#""fen": 5"#, r#""variant": "chess""#, r#""position": "x""#, r#""moves": {"a": 1}"#] {
            let line = format!(r#"{{"id": "y", {rest}}}"#);
            assert!(Item::parse(&line, Variant::Morris.into()).is_err());
            assert_eq!(id(&line).as_deref(), Some("\"y\""), "{line}");
        }
        assert_eq!(id(r#"{"fen": 5, "id": 1.50}"#).as_deref(), Some("1.50"));
        for line in [r#"{"id": [1], "fen": 5}"#, r#"{"id": "y", "fen"}"#, r#"{"id": 1, "id": 2}"#, "chess;;", "{}"] {
            assert_eq!(id(line), None, "{line}");
        }
    }

    #[test]
    fn faults_are_reported() {
        let fault = |line: &str| Item::parse(line, Variant::Morris.into()).unwrap_err().to_string();
        assert!(fault("{").starts_with("JSON"));
        for id in ["[1]", "{}", "true", "false"] {
            assert!(fault(&format!(r#"{{"id": {id}}}"#)).contains("string or a number"), "{id}");
        }
        assert!(fault(r#"{"moves": 5}"#).starts_with("JSON: moves unusable, expected a list"));
        assert!(fault(r#"{"id": "\ud800"}"#).starts_with("id: "));
        assert!(fault(r#"{"position": "x"}"#).contains("unknown field"));
        assert!(fault("chess;startpos").contains("expected one of"));
        assert!(fault("chess;startpos;d6").contains("expected one of"));
        assert!(fault(r#"{"variant": "chess"}"#).contains("expected one of"));
        assert!(fault("morris;b;c;;d").contains("VARIANT;FEN;MOVES"));
    }
}
