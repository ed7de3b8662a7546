//! The corpus of game files, and a game as `expected.json` has it.

use millbrain::games::forms::Reading;
use serde_json::{Map, Value, json};
use std::fs;

/// The folder of the files.
pub const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/games");

/// Returns the name, the text and the expected games of each file.
pub fn corpus() -> Vec<(String, String, Vec<Value>)> {
    let read = |name: &str| fs::read_to_string(format!("{FOLDER}/{name}")).expect(name);
    let expected: Map<String, Value> = serde_json::from_str(&read("expected.json")).expect("an object");
    let file = |(name, games): (String, Value)| {
        let text = read(&name);
        (name, text, games.as_array().expect("a list").clone())
    };
    expected.into_iter().map(file).collect()
}

/// Returns a game as data: what every column of the table in `docs/formats.md` can tell of it.
pub fn said(reading: &Reading) -> Value {
    let game = &reading.game;
    let line = game.main_line();
    let moves: Vec<&str> = line.iter().map(|node| node.played.text.as_str()).collect();
    let mut comments: Vec<&String> = game.nodes.iter().flat_map(|node| [&node.before, &node.comment]).collect();
    comments.retain(|text| !text.is_empty());
    comments.sort();
    let marks: Vec<u8> = game.nodes.iter().flat_map(|node| node.marks.clone()).collect();
    let clocks: Vec<u64> = game.nodes.iter().filter_map(|node| node.clock).collect();
    let mut reported = json!({
        "variant": game.variant,
        "rules": game.house_rules,
        "white": game.white,
        "black": game.black,
        "fen": game.fen,
        "moves": moves.join(" "),
        "nodes": game.nodes.len(),
        "comment": game.comment,
        "comments": comments,
        "marks": marks,
        "clocks": clocks,
        "tags": game.tags,
        "notes": reading.notes,
    });
    if let Some(end) = &game.end {
        reported["result"] = json!(end.outcome.to_string());
        reported["termination"] = json!(end.termination.to_string());
        reported["reason"] = json!(end.reason);
    }
    let known = reported.as_object_mut().expect("an object");
    // Usual values are left out, as in the file.
    known.retain(|name, value| match name.as_str() {
        "moves" => true,
        "variant" => *value != json!("morris"),
        "nodes" => *value != json!(moves.len()),
        "result" => *value != json!("*"),
        _ => !matches!(value, Value::Null) && *value != json!("") && *value != json!([]),
    });
    reported
}
