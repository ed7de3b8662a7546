//! The archive from the clients' side.

use crate::common::*;
use millbrain::serve::archive::ArchiveConfig;
use millbrain::serve::{self, Config};
use millbrain::variant::Variant;
use serde_json::{Value, json};
use std::net::SocketAddr;

fn save(address: SocketAddr, key: &str, record: &str) -> (u16, i64) {
    let answer = ask(address, "POST", "/api/games", &saving(key, record));
    (answer.status, answer.json()["id"].as_i64().unwrap_or_default())
}

fn ids(address: SocketAddr, query: &str) -> Vec<i64> {
    let answer = get(address, &format!("/api/games{query}"));
    assert_eq!(answer.status, 200, "{query}: {}", answer.text());
    let games = answer.json()["games"].as_array().expect("a list").clone();
    games.iter().filter_map(|game| game["id"].as_i64()).collect()
}

#[test]
fn games_are_saved_listed_shown_and_deleted() {
    let folder = Folder::new();
    let server = with_archive(&folder);
    let address = server.address();
    let text = record("Änne", "millbrain", Variant::Morris, "d6 f4 b4");
    assert_eq!(save(address, "k-1", &text), (201, 1));
    assert_eq!(save(address, "k-1", &text), (200, 1));
    assert_eq!(save(address, "k-2", &record("Bo", "Cy", Variant::Smess, "f2g1")), (201, 2));
    let listing = get(address, "/api/games").json();
    let first = &listing["games"][1];
    let date = first["date"].as_str().expect("a date");
    assert!(date.len() == 20 && date.ends_with('Z'), "{date}");
    let expected = json!({
        "id": 1, "date": date, "white": "Änne", "black": "millbrain", "variant": "morris", "result": "1-0",
        "reason": "resigned", "plies": 3, "source": "client", "annotated": false,
    });
    assert_eq!((first, &listing["next"]), (&expected, &Value::Null));
    let shown = get(address, "/api/games/1").json();
    assert_eq!((shown["record"].as_str(), &shown["annotation"]), (Some(text.as_str()), &Value::Null));
    assert_eq!((&shown["moves"], &shown["start"]), (&json!(["d6", "f4", "b4"]), &json!("3/3/3/6/3/3/3 w 9 9 0 1")));
    for (query, found) in [
        ("?player=%C3%A4NN", vec![1]),
        ("?player=c", vec![2]),
        ("?variant=smess", vec![2]),
        ("?result=1-0&variant=morris", vec![1]),
        ("?result=1/2-1/2", vec![]),
        ("?opening=f4%20d6%20", vec![1]),
        ("?opening=f4%20b4", vec![]),
        ("?opening=b4+f4+d6", vec![1]),
        ("?opening=a7", vec![]),
        ("?variant=morris&opening=b4", vec![1]),
        ("?fen=3/1O1/3/6/3/3/3+b+8+9+0+1", vec![1]),
        ("?limit=1", vec![2]),
        ("?before=2&limit=0", vec![1]),
        ("?player=&opening=", vec![2, 1]),
    ] {
        assert_eq!(ids(address, query), found, "{query}");
    }
    assert_eq!(get(address, "/api/games?limit=1").json()["next"], 2);
    let long = format!("?player={}", "x".repeat(5_000));
    for query in ["?variant=chess", "?result=2-0", "?opening=e9", "?fen=x", "?limit=x", "?before=-x", &long] {
        let answer = get(address, &format!("/api/games{query}"));
        assert_eq!((answer.status, answer.json()["error"].is_string()), (400, true), "{query}");
    }
    let delete = |secret: &str| {
        let headers = format!("Host: {address}\r\nOrigin: http://{address}\r\nAuthorization: Bearer {secret}\r\n");
        ask_with(address, "DELETE", "/api/games/1", &headers, b"").status
    };
    assert_eq!(ask(address, "DELETE", "/api/games/1", b"").status, 401);
    assert_eq!((delete("wrong"), ids(address, "")), (401, vec![2, 1]));
    assert_eq!((delete(SECRET), delete(SECRET)), (204, 404));
    for number in ["1", "0", "x", "99999999999999999999", "+2", "02", "%202", "-2"] {
        assert_eq!(get(address, &format!("/api/games/{number}")).status, 404, "{number}");
    }
    drop(server);
    let server = with_archive(&folder);
    assert_eq!(ids(server.address(), ""), [2]);
}

#[test]
fn faulty_games_are_refused_in_one_line() {
    let folder = Folder::new();
    let server = with_archive(&folder);
    let address = server.address();
    let good = record("A", "B", Variant::Morris, "d6 f4");
    let refused = |body: &[u8]| {
        let answer = ask(address, "POST", "/api/games", body);
        let reported = answer.json()["error"].as_str().expect("a line").to_string();
        assert_eq!((answer.status, reported.lines().count()), (400, 1), "{reported}");
        reported
    };
    assert!(refused(b"").contains("expected"));
    assert!(refused(b"{\"key\":1}").contains("expected"));
    assert!(refused(b"\xff\xfe").contains("expected"));
    assert!(refused(&saving("", &good)).contains("key"));
    assert!(refused(&saving("k", "")).contains("0 games"));
    assert!(refused(&saving("k", &good.replace("f4", "d6"))).contains("move 2 (d6)"));
    assert!(
        refused(&saving("k", &good.replace("[Termination \"adjudication\"]", "[Termination \"normal\"]")))
            .contains("1-0 is no result by the rules")
    );
    assert!(refused(&saving("k", &good.replace("[Variant \"morris\"]", "[Variant \"chess\"]"))).contains("unknown"));
    assert_eq!(ids(address, ""), [0; 0]);
    let large = ask(address, "POST", "/api/games", &vec![b' '; (1 << 20) + 1]);
    assert_eq!(large.status, 413);
    // Without a length that could be checked first.
    let head = format!("POST /api/games HTTP/1.1\r\nHost: {address}\r\nOrigin: http://{address}\r\n");
    let chunk =
        format!("{head}Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n200000\r\n{}", " ".repeat(1 << 21));
    assert_eq!(raw(address, chunk.as_bytes()).expect("an answer").status, 413);
    assert_eq!(get(address, "/api/info").status, 200);
}

/// Games of every form are imported, and found again with all their data.
#[test]
fn games_of_all_forms_are_imported() {
    let folder = Folder::new();
    let server = with_archive(&folder);
    let address = server.address();
    let text = "[Event \"Cup\"]\n[Variant \"Nine Men's Morris\"]\n\n1. d6! {well} (1. f4) 1... f4 2. d2 *\n\
        [Site \"PlayOK\"]\n[White \"A\"]\n[Result \"0-1\"]\n\n1. 5 13 2. 20 0-1\n(;GM[5]PW[B]RE[W+R];W[d6];B[f4];W[b4])\n1. d6 d6\n";
    let import = ask(address, "POST", "/api/import", text.as_bytes()).json();
    assert_eq!((&import["imported"], &import["refused"][0]["game"]), (&json!(3), &json!(4)), "{import}");
    let shown = |id: u32| get(address, &format!("/api/games/{id}")).json();
    let record = shown(1)["record"].as_str().expect("a record").to_string();
    assert!(record.contains("[Event \"Cup\"]") && record.contains("1. d6! {well} (1. f4) 1... f4"), "{record}");
    assert_eq!(
        (&shown(1)["result"], &shown(2)["white"], &shown(2)["moves"]),
        (&json!("*"), &json!("A"), &json!(["d6", "e4", "d2"]))
    );
    assert_eq!((&shown(3)["result"], &shown(3)["white"]), (&json!("1-0"), &json!("B")));
    // Only games with a result are counted.
    let openings = get(address, "/api/openings?variant=morris").json();
    assert_eq!((&openings["games"], &openings["draws"]), (&json!(2), &json!(0)));
    let one = "1. d6 f4 2. d2 1-0";
    assert_eq!(ask(address, "POST", "/api/games", &saving("k", one)).status, 201);
}

#[test]
fn files_are_imported_once() {
    let folder = Folder::new();
    let server = with_archive(&folder);
    let address = server.address();
    let [a, b] = ["A", "B"].map(|name| record(name, "X", Variant::Morris, "d6 f4"));
    let text = format!("{a}{}{b}", a.replace("f4", "d6"));
    let import = |text: &str| ask(address, "POST", "/api/import", text.as_bytes()).json();
    let first = import(&text);
    assert_eq!((&first["imported"], &first["known"], &first["refused"][0]["game"]), (&json!(2), &json!(0), &json!(2)));
    assert!(first["refused"][0]["error"].as_str().is_some_and(|error| error.contains("move 2 (d6)")), "{first}");
    let again = import(&text);
    assert_eq!((&again["imported"], &again["known"]), (&json!(0), &json!(2)));
    assert_eq!(get(address, "/api/games/1").json()["source"], "import");
    assert_eq!(ask(address, "POST", "/api/import", b"\xff").status, 400);
    assert_eq!(ask(address, "POST", "/api/import", &vec![b' '; (16 << 20) + 1]).status, 413);
    drop(server);
    // At the next start, from files.
    let file = folder.file("more");
    std::fs::write(&file, format!("{text}{}", record("C", "X", Variant::Lasker, "d6"))).expect("written");
    let archive = ArchiveConfig { path: folder.file("games"), size: 64, import: vec![file], nodes: 500 };
    let server = start(Config { archive: Some(archive.clone()), ..config() });
    assert_eq!(ids(server.address(), ""), [3, 2, 1]);
    let missing = ArchiveConfig { import: vec![folder.file("none")], ..archive };
    assert!(serve::start(Config { archive: Some(missing), ..config() }).is_err());
}

#[test]
fn games_are_annotated() {
    let folder = Folder::new();
    let server = with_archive(&folder);
    let address = server.address();
    // White allows a mill.
    save(address, "k", &record("A", "B", Variant::Morris, "d6 a7 f4 d7 b4"));
    assert_eq!(ask(address, "POST", "/api/games/7/annotate", b"").status, 404);
    let answer = ask(address, "POST", "/api/games/1/annotate", b"");
    assert_eq!((answer.status, answer.json()), (202, json!({"id": 1})));
    eventually("an annotation", || get(address, "/api/games/1").json()["annotation"].is_object());
    let annotation = get(address, "/api/games/1").json()["annotation"].clone();
    assert_eq!(annotation["nodes"], 500);
    let plies = annotation["plies"].as_array().expect("a list");
    assert_eq!(plies.len(), 5);
    for (i, ply) in plies.iter().enumerate() {
        assert_eq!(ply["ply"], i + 1);
        assert!(ply["best"].is_string() && ply["pv"].is_array() && ply["loss"].as_i64() >= Some(0), "{ply}");
        assert!(ply["score"]["cp"].is_i64() || ply["score"]["mate"].is_i64(), "{ply}");
        assert!(["", "?!", "?", "??"].contains(&ply["mark"].as_str().expect("a mark")), "{ply}");
    }
    let last = &plies[4];
    assert!(last["loss"].as_i64() > Some(30) && last["mark"] != "", "the mill is not stopped: {last}");
    assert_eq!(get(address, "/api/games").json()["games"][0]["annotated"], true);
    assert_eq!(ask(address, "POST", "/api/games/1/annotate", b"").status, 202);
    assert!(get(address, "/api/games/1").json()["annotation"].is_object(), "it stays");
}

#[test]
fn openings_are_reported_as_the_manual_has_it() {
    let manual = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/server.md")).expect("the manual");
    let (_, after) = manual.split_once("### `GET /api/openings`").expect("the chapter");
    let example = after.split("```json").nth(1).and_then(|text| text.split("```").next()).expect("an example");
    let folder = Folder::new();
    let server = with_archive(&folder);
    let address = server.address();
    let won = |moves: &str| record("A", "B", Variant::Morris, moves);
    for (key, text) in [
        ("1", won("d6 f4")),
        ("2", won("f4 d6").replace("1-0", "1/2-1/2")),
        ("3", won("a7 d7").replace("1-0", "0-1")),
        ("4", record("A", "B", Variant::Lasker, "d6")),
    ] {
        assert_eq!(save(address, key, &text).0, 201, "{text}");
    }
    let answer = get(address, "/api/openings");
    assert_eq!((answer.status, answer.header("cache-control")), (200, Some("public, max-age=60")));
    let known = format!("Host: {address}\r\nIf-None-Match: {}\r\n", answer.header("etag").expect("a tag"));
    assert_eq!(ask_with(address, "GET", "/api/openings", &known, b"").status, 304);
    assert_eq!(ask_with(address, "GET", "/api/openings?variant=mlyn", &known, b"").status, 200);
    assert_eq!(answer.json(), serde_json::from_str::<Value>(example).expect("JSON"));
    let games = |query: &str| get(address, &format!("/api/openings?{query}")).json()["games"].clone();
    assert_eq!(games("variant=lasker"), 1);
    assert_eq!(games("variant=morris&fen=3/1O1/3/6/3/3/3+b+8+9+0+1"), 2);
    assert_eq!(games("rules=Flying%3Dfalse&fen="), 3);
    let long = format!("fen={}", "x".repeat(5_000));
    for query in ["variant=chess", "fen=x", "rules=Stones%3D99", &long] {
        let answer = get(address, &format!("/api/openings?{query}"));
        assert_eq!((answer.status, answer.json()["error"].is_string()), (400, true), "{query}");
    }
    assert_eq!(ask(address, "POST", "/api/openings", b"{}").status, 405);
    let plain = start(config());
    assert_eq!(get(plain.address(), "/api/openings").status, 404);
}
