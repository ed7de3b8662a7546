//! Values of positions.

use crate::common::{ask, ask_with, config, get, start};
use millbrain::any::AnyGame;
use millbrain::serve::{Config, EngineLimits};
use millbrain::tablebase::Sources;
use millbrain::tablebase::probe::probe;
use millbrain::variant::{Ruleset, Variant};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::Path;

/// White loses, by the built-in tables.
const FEN: &str = "1O1/3/3/X4O/3/3/XOX w 0 0 0 1";

/// Percent-encodes a text for an address.
fn coded(text: &str) -> String {
    text.bytes().fold(String::new(), |mut all, byte| {
        let _ = write!(all, "%{byte:02X}");
        all
    })
}

#[test]
fn a_position_has_its_value_and_those_of_its_moves() {
    let server = start(config());
    let found = get(server.address(), &format!("/api/tablebase?variant=morris&fen={}", coded(FEN)));
    assert_eq!(found.status, 200, "{found:?}");
    assert_eq!(found.header("cache-control"), Some("public, max-age=3600"));
    let tag = found.header("etag").expect("a tag");
    let known = format!("Host: {}\r\nIf-None-Match: {tag}\r\n", server.address());
    let again =
        ask_with(server.address(), "GET", &format!("/api/tablebase?variant=morris&fen={}", coded(FEN)), &known, b"");
    assert_eq!((again.status, again.body.len(), again.header("etag")), (304, 0, Some(tag)));
    let found = found.json();
    assert_eq!((&found["fen"], &found["value"], &found["plies"]), (&json!(FEN), &json!("loss"), &json!(26)));
    let moves = found["moves"].as_array().expect("moves");
    let game = AnyGame::new(Variant::Morris.rules()).at(Some(FEN), []).expect("a position");
    assert_eq!(moves.len(), game.moves().len());
    assert!(moves.iter().all(|mv| mv["value"] == "loss"), "{moves:?}");
    // The best move delays the loss as long as the position does.
    assert_eq!(moves[0]["plies"], 26);
    // Ten plies are left on the draw counter: the loss is a draw.
    let late = FEN.replace(" 0 1", " 90 60");
    let late = get(server.address(), &format!("/api/tablebase?fen={}", coded(&late))).json();
    assert_eq!((&late["value"], &late["plies"]), (&found["value"], &found["plies"]));
    assert_eq!((&found["category"], &late["category"]), (&json!("loss"), &json!("blessed-loss")));
    assert!(moves.iter().all(|mv| mv["category"] == "loss"), "{moves:?}");
    // The first of several is the same.
    let body = json!({"fens": [FEN, "nothing"]}).to_string();
    let many = ask(server.address(), "POST", "/api/tablebase", body.as_bytes());
    assert_eq!(many.status, 200);
    assert_eq!(many.json()["positions"][0], found);
    let fault = &many.json()["positions"][1];
    assert_eq!(fault["fen"], "nothing");
    assert_eq!(fault["error"].as_str().map(|line| line.lines().count()), Some(1));
    // Batches take turns with the searches.
    assert!(get(server.address(), "/metrics").text().contains("\nmillbrain_searches_total 1\n"));
}

#[test]
fn questions_that_have_no_answer_are_refused_in_one_line() {
    let server = start(config());
    let reported = |query: &str| {
        let answer = get(server.address(), &format!("/api/tablebase?{query}"));
        let line = answer.json()["error"].as_str().unwrap_or_else(|| panic!("{answer:?}")).to_string();
        assert_eq!(line.lines().count(), 1);
        (answer.status, line)
    };
    let nowhere = "no table has this position, expected one of the sectors that are served";
    assert_eq!(reported("variant=smess"), (404, nowhere.to_string()));
    assert_eq!(reported("variant=chess").0, 400);
    assert_eq!(reported("fen=nothing").0, 400);
    assert_eq!(reported("rules=Stones").1, "invalid rule \"Stones\": expected a pair such as Stones=7");
    assert_eq!(reported("rules=Stones%3D99").0, 400);
    assert_eq!(reported("rules=Once+Per+Line+Mills%3Dtrue").0, 404, "rules without tables");
    let posted = |body: &str| ask(server.address(), "POST", "/api/tablebase", body.as_bytes()).status;
    assert_eq!(posted("{}"), 400);
    assert_eq!(posted("nothing"), 400);
    let fens: Vec<&str> = std::iter::repeat_n("", 1_001).collect();
    assert_eq!(posted(&json!({ "fens": fens }).to_string()), 400);
    assert_eq!(posted(&json!({ "fens": fens[1..] }).to_string()), 200);
    assert_eq!(posted(&" ".repeat(300_000)), 413);
    assert_eq!(ask(server.address(), "DELETE", "/api/tablebase", b"").status, 405);
}

/// With house rules, from a served folder: flying makes a difference.
#[test]
fn folders_answer_by_their_rules() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/tables");
    let engine = EngineLimits { tablebases: vec![folder], ..EngineLimits::default() };
    let server = start(Config { engine, ..config() });
    let value = |rules: &str| -> Value {
        let query = format!("variant=morris&rules={}&fen={}", coded(rules), coded(FEN));
        get(server.address(), &format!("/api/tablebase?{query}")).json()
    };
    let [usual, stones] = ["", "Stones=7, Repetition Draw=false"].map(value);
    assert_eq!(usual["value"], stones["value"], "what is not about single moves changes no value");
    assert_ne!(value("Flying=false"), usual);
}

/// The server's address as a place of tables gives its answers, with house rules too.
#[test]
fn its_address_stands_for_its_tables() {
    let server = start(config());
    let at_server = |rules: &Ruleset, fen: &str| {
        let servers = vec![format!("http://{}/", server.address())];
        let sources = Sources { embedded: false, servers, ..Sources::default() };
        probe(*rules, fen, &sources).map(|answer| serde_json::to_value(answer).expect("JSON"))
    };
    let mut seven = Variant::Mlyn.rules();
    seven.set_all("Stones=7").expect("rules");
    for (rules, fen) in [
        (Variant::Morris.rules(), FEN),
        (seven, "2O/1XX/1O1/4X1/3/3/2O w 0 0 3 1"),
        (Variant::Smess.rules(), "7/7/7/3b3/4B2/7/6S/7 w 0 1"),
    ] {
        let here = probe(rules, fen, &Sources::default()).map(|answer| serde_json::to_value(answer).expect("JSON"));
        assert_eq!(at_server(&rules, fen).expect("known"), here.expect("known"), "{fen}");
    }
    let start = "1ssbss1/nnnnnnn/7/7/7/7/NNNNNNN/1SSBSS1 w 0 1";
    let fault = at_server(&Variant::Smess.rules(), start).expect_err("in no table").to_string();
    assert!(fault.starts_with("no table has this position"), "{fault}");
}
