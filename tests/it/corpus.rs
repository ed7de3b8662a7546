//! The game files of `tests/data/games`: library and program read from each what `expected.json` says. The tests of the
//! server, the npm package, the Python package and the page read the same files.

#[path = "../data/games.rs"]
mod games;

use crate::common::ENGINE;
use games::{FOLDER, corpus, said};
use millbrain::games::forms::{self, Format, Found};
use millbrain::games::game::Game;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

/// The games of a text as data.
fn read(text: &str) -> Vec<Value> {
    let like = Game::default();
    let reported = |Found { line, reading, .. }: Found| match reading {
        Ok(reading) => said(&reading),
        Err(fault) => json!({"error": fault.to_string(), "line": line}),
    };
    forms::games(text, &like).map(reported).collect()
}

#[test]
fn the_library_reads_all_files_as_expected() {
    let corpus = corpus();
    let files = fs::read_dir(FOLDER).expect("a folder").count();
    assert!(corpus.len() >= 200 && files == corpus.len() + 1, "{files} files, {} expected", corpus.len());
    let faults: Vec<String> = corpus
        .iter()
        .filter(|(_, text, expected)| read(text) != *expected)
        .map(|(name, text, expected)| format!("{name}: {}\nexpected {}", json!(read(text)), json!(expected)))
        .collect();
    assert!(faults.is_empty(), "{} files\n{}", faults.len(), faults.join("\n"));
}

/// The program says of each game that it leaves out why, and writes all of the others.
#[test]
fn the_program_reads_all_files_as_expected() {
    let corpus = corpus();
    let check = |(name, _, expected): &(String, String, Vec<Value>)| {
        let file = format!("{FOLDER}/{name}");
        let output =
            Command::new(ENGINE).args(["convert", &file, "--to", "record"]).output().expect("the program starts");
        let [written, reported] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).expect("text"));
        let mut games = read(&written).into_iter();
        for (number, game) in (1..).zip(expected) {
            let mut game = game.clone();
            if let Some(error) = game["error"].as_str() {
                let at = format!("{file}: game {number} in line {}: {error}; left out", game["line"]);
                assert!(reported.contains(&at), "{at}\n{reported}");
                continue;
            }
            for note in game["notes"].as_array().into_iter().flatten() {
                assert!(reported.contains(note.as_str().expect("a text")), "{name}: {reported}");
            }
            game.as_object_mut().expect("a game").remove("notes");
            assert_eq!(games.next(), Some(game), "{name}: {reported}");
        }
        assert_eq!(games.next(), None, "{name}");
        let has_game = expected.iter().any(|game| game.get("error").is_none());
        assert_eq!(output.status.success(), has_game, "{name}: {reported}");
        // Where there is no game, the first fault ends the job.
        let fault = expected.first().and_then(|game| game["error"].as_str()).unwrap_or("or as lists of moves");
        assert!(has_game || reported.trim_end().ends_with(fault), "{name}: {reported}");
    };
    std::thread::scope(|scope| {
        for part in corpus.chunks(corpus.len() / 4 + 1) {
            scope.spawn(move || part.iter().for_each(check));
        }
    });
}

/// The table of the documentation counts the files of the corpus.
#[test]
fn the_documentation_tells_who_reads_what() {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for (_, text, _) in corpus() {
        for reading in forms::games(&text, &Game::default()).filter_map(|found| found.reading.ok()) {
            *counts.entry(reading.form.to_string()).or_default() += 1;
        }
    }
    let mut table =
        "| form | games | library and program | npm | Python | server | page |\n|---|---|---|---|---|---|---|\n"
            .to_string();
    for form in Format::ALL {
        let both = if Format::WRITTEN.contains(&form) { "read, written" } else { "read" };
        let server = if form == Format::Record { "read, written" } else { "read" };
        let games = counts.get(&form.to_string()).copied().unwrap_or_default();
        assert!(games >= 8, "{form}: {games} games");
        table += &format!("| `{form}` | {games} | {both} | {both} | {both} | {server} | {both} |\n");
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/formats.md");
    assert!(fs::read_to_string(path).expect(path).contains(&table), "docs/formats.md, expected\n{table}");
}
