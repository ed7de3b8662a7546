//! The game files of `tests/data/games`: the server imports of each the games that `expected.json` has, with all that
//! they have, and refuses the others with the same words.

#[path = "../data/games.rs"]
mod games;

use crate::common::*;
use games::{corpus, said};
use millbrain::games::forms::{self, Reading};
use millbrain::games::game::Game;
use serde_json::{Value, json};

/// The game of a record as data, without the remarks on its form.
fn shown(record: &str) -> Value {
    let reading = forms::read(record, None, &Game::default()).expect(record).remove(0);
    said(&Reading { notes: Vec::new(), ..reading })
}

#[test]
fn all_files_are_imported_as_expected() {
    let folder = Folder::new();
    let server = with_archive(&folder);
    let address = server.address();
    let mut last = 0;
    for (name, text, expected) in corpus() {
        let import = ask(address, "POST", "/api/import", text.as_bytes()).json();
        let is_bad = |game: &Value| game.get("error").is_some();
        let numbered = (1..).zip(&expected);
        let refused: Vec<Value> = numbered
            .filter(|(_, game)| is_bad(game))
            .map(|(number, game)| json!({"game": number, "error": game["error"]}))
            .collect();
        assert_eq!(import["refused"], json!(refused), "{name}");
        let good: Vec<Value> = expected.iter().filter(|game| !is_bad(game)).cloned().collect();
        let count = |name: &str| import[name].as_u64().expect("a number");
        assert_eq!(count("imported") + count("known"), good.len() as u64, "{name}: {import}");
        // Games that came in another file before have no number of their own.
        let numbers = last + 1..=last + count("imported");
        last += count("imported");
        let shown = numbers
            .map(|id| shown(get(address, &format!("/api/games/{id}")).json()["record"].as_str().expect("a record")));
        let shown: Vec<Value> = shown.collect();
        let plain = |mut game: Value| {
            game.as_object_mut().expect("a game").remove("notes");
            game
        };
        let good: Vec<Value> = good.into_iter().map(plain).collect();
        if count("known") == 0 {
            assert_eq!(shown, good, "{name}");
        }
        assert!(shown.iter().all(|game| good.contains(game)), "{name}: {}", json!(shown));
    }
}
