//! A line of input: a position to analyse.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use crate::fen::shorten;
use crate::variant::Variant;
use serde::Deserialize;

/// A position as the input describes it.
#[derive(Clone, PartialEq, Debug)]
pub struct Item {
    /// What the input calls it: a string or a number.
    pub id: Option<serde_json::Value>,
    /// The rules.
    pub variant: Variant,
    /// The start position without one.
    pub fen: Option<String>,
    /// Moves from there, not yet checked.
    pub moves: Vec<String>,
}

/// Moves as a list or as one string.
#[derive(Deserialize)]
#[serde(untagged)]
enum Moves {
    List(Vec<String>),
    Text(String),
}

/// The object form.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Object {
    id: Option<serde_json::Value>,
    variant: Option<String>,
    fen: Option<String>,
    moves: Option<Moves>,
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(String::from).collect()
}

/// A FEN, or nothing for `startpos` and empty text.
fn fen(text: &str) -> Option<String> {
    let text = text.trim();
    (!text.is_empty() && text != "startpos").then(|| text.to_string())
}

impl Item {
    /// Reads `FEN`, `VARIANT;FEN[;MOVES]` or a JSON object.
    ///
    /// # Errors
    /// What was wrong and what was expected.
    pub fn parse(line: &str, variant: Variant) -> Result<Item, String> {
        let line = line.trim();
        if line.starts_with('{') {
            let object: Object = serde_json::from_str(line).map_err(|error| format!("JSON: {error}"))?;
            let id = object.id.filter(|id| !id.is_null());
            if id.as_ref().is_some_and(|id| !id.is_string() && !id.is_number()) {
                return Err("id unusable, expected a string or a number".to_string());
            }
            let named = object.variant.map(|name| name.parse::<Variant>().map_err(|error| error.to_string()));
            let moves = match object.moves {
                None => Vec::new(),
                Some(Moves::List(moves)) => moves,
                Some(Moves::Text(text)) => words(&text),
            };
            let fen = object.fen.as_deref().and_then(fen);
            return Ok(Item { id, variant: named.transpose()?.unwrap_or(variant), fen, moves });
        }
        let fields: Vec<&str> = line.split(';').collect();
        let (variant, position, moves) = match *fields.as_slice() {
            [position] => (variant, position, ""),
            [name, position] => (name.trim().parse::<Variant>().map_err(|e| e.to_string())?, position, ""),
            [name, position, moves] => (name.trim().parse::<Variant>().map_err(|e| e.to_string())?, position, moves),
            _ => return Err(format!("{:?} unusable, expected FEN, VARIANT;FEN;MOVES or JSON", shorten(line))),
        };
        Ok(Item { id: None, variant, fen: fen(position), moves: words(moves) })
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn three_forms_are_read() {
        let read = |line| Item::parse(line, Variant::Mlyn).unwrap();
        let start = "3/3/3/6/3/3/3 w 9 9 0 1";
        assert_eq!(read(start).variant, Variant::Mlyn);
        assert_eq!(read(start).fen.as_deref(), Some(start));
        let item = read("smess;;f2g1 e7e6");
        assert_eq!((item.variant, item.fen, item.moves.len()), (Variant::Smess, None, 2));
        assert_eq!(read("morris;startpos").fen, None);
        let item = read(r#"{"id": 7, "variant": "lasker", "moves": ["d6"]}"#);
        assert_eq!((item.id, item.variant, item.moves), (Some(7.into()), Variant::Lasker, words("d6")));
        assert_eq!(read(r#"{"fen": "x", "moves": "d6 f4"}"#).moves.len(), 2);
    }

    #[test]
    fn faults_are_told() {
        let fault = |line| Item::parse(line, Variant::Morris).unwrap_err();
        assert!(fault("{").starts_with("JSON"));
        assert!(fault(r#"{"id": [1]}"#).contains("string or a number"));
        assert!(fault(r#"{"position": "x"}"#).contains("unknown field"));
        assert!(fault("chess;startpos").contains("expected one of"));
        assert!(fault("a;b;c;d").contains("VARIANT;FEN;MOVES"));
    }
}
