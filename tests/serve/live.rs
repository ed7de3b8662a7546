//! A match from the spectators' side.

use crate::common::*;
use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpStream};

/// The events of a stream.
struct Events(BufReader<TcpStream>);

impl Events {
    fn of(address: SocketAddr) -> Events {
        let mut stream = connect(address);
        let request = format!("GET /api/live HTTP/1.1\r\nHost: {address}\r\n\r\n");
        stream.write_all(request.as_bytes()).expect("sent");
        let mut events = Events(BufReader::new(stream));
        let mut line = String::new();
        events.0.read_line(&mut line).expect("an answer");
        assert!(line.starts_with("HTTP/1.1 200"), "{line}");
        events
    }

    /// Returns the next event; `None` at the end.
    fn next(&mut self) -> Option<(String, Value)> {
        let mut name = String::new();
        loop {
            let mut line = String::new();
            if self.0.read_line(&mut line).ok()? == 0 {
                return None;
            }
            if let Some(event) = line.strip_prefix("event: ") {
                name = event.trim_end().to_string();
            } else if let Some(data) = line.strip_prefix("data: ") {
                return Some((name, serde_json::from_str(data).expect("data")));
            }
        }
    }
}

const MATCH: [&str; 10] =
    ["match", "--serve", "127.0.0.1:0", "--each", "depth=1", "tc=600+1", "--maxmoves", "8", "--openings", "plies=2"];

/// Returns the arguments of a match of this engine against itself, and `more`.
fn engines(more: &[&str]) -> Vec<String> {
    let program = env!("CARGO_BIN_EXE_millbrain");
    let engine = |name: &str| ["--engine".to_string(), format!("name={name}"), format!("cmd={program}")];
    let words = MATCH.iter().chain(more).map(ToString::to_string);
    words.chain(engine("A")).chain(engine("B")).collect()
}

#[test]
fn a_match_is_shown_while_it_is_played() {
    let words = engines(&["--rounds", "100"]);
    let words: Vec<_> = words.iter().map(String::as_str).collect();
    let process = Process::start(&words);
    let address = process.address;
    assert_eq!(get(address, "/api/info").json()["live"], true);
    assert_eq!(Engine::with(address, &[]).err(), Some(503));
    let mut events = Events::of(address);
    let (name, state) = events.next().expect("a snapshot");
    assert_eq!(name, "state");
    assert_eq!((&state["variant"], &state["over"]), (&"morris".into(), &false.into()));
    assert!(state["games"].is_array() && state["standings"]["engines"].is_array(), "{state}");
    let mut seen = std::collections::BTreeSet::new();
    let mut moves: Option<(Value, u64)> = None;
    while !["game", "move", "end", "standings"].iter().all(|name| seen.contains(*name)) {
        let (name, event) = events.next().expect("an event");
        match name.as_str() {
            "game" => {
                assert!(event["white"].is_string() && event["fen"].is_string(), "{event}");
                assert!(event["clocks"]["white"].as_u64() > Some(100_000), "{event}");
                moves = Some((event["number"].clone(), event["moves"].as_array().expect("a list").len() as u64));
            }
            "move" => {
                if let Some((number, plies)) = &mut moves
                    && event["number"] == *number
                {
                    *plies += 1;
                    assert_eq!(event["ply"], *plies);
                }
                assert!(event["move"].is_string() && event["clocks"]["black"].is_u64(), "{event}");
            }
            "end" => assert!(event["result"].is_string() && event["reason"].is_string(), "{event}"),
            "standings" => assert_eq!(event["engines"].as_array().map(Vec::len), Some(2)),
            "gone" => {}
            other => panic!("{other}"),
        }
        seen.insert(name);
    }
    let (_, later) = Events::of(address).next().expect("a snapshot");
    assert!(later["finished"].as_array().is_some_and(|games| !games.is_empty()), "{later}");
    process.signal("-INT");
    while events.next().is_some() {}
}

#[test]
fn a_short_match_tells_its_end() {
    let words = engines(&["--rounds", "1"]);
    let words: Vec<_> = words.iter().map(String::as_str).collect();
    let mut process = Process::start(&words);
    // The match may be over before a client can connect.
    if let Ok(mut stream) = TcpStream::connect(process.address) {
        let request = format!("GET /api/live HTTP/1.1\r\nHost: {}\r\n\r\n", process.address);
        let _ = stream.write_all(request.as_bytes());
        let mut events = Events(BufReader::new(stream));
        let mut last = None;
        while let Some((name, event)) = events.next() {
            last = Some((name, event));
        }
        if let Some((name, event)) = last {
            assert!(name == "over" || event["over"] == true, "{name}: {event}");
        }
    }
    assert!(process.child.wait().expect("a status").success());
}

#[test]
fn a_journal_is_watched() {
    let folder = Folder::new();
    let (journal, half) = (folder.file("journal"), folder.file("half"));
    let words = engines(&["--rounds", "2", "--save"]);
    let at = words.iter().position(|word| word == "--save").expect("there") + 1;
    let mut words: Vec<_> = words.iter().map(String::as_str).collect();
    let path = journal.to_string_lossy().into_owned();
    words.insert(at, &path);
    // Played without a server.
    words.drain(1..3);
    assert!(program(&words).output().expect("an output").status.success());
    let text = std::fs::read_to_string(&journal).expect("a journal");
    let lines: Vec<_> = text.split_inclusive('\n').collect();
    assert_eq!(lines.len(), 5);
    std::fs::write(&half, lines[..2].concat()).expect("written");
    let process = Process::start(&["serve", "--address", "127.0.0.1:0", "--journal", &half.to_string_lossy()]);
    let mut events = Events::of(process.address);
    let (name, state) = events.next().expect("a snapshot");
    assert_eq!((name.as_str(), state["finished"].as_array().map(Vec::len)), ("state", Some(1)));
    assert_eq!(state["standings"]["games"], 1);
    // A line that is still being written is not read yet.
    std::fs::write(&half, format!("{}{}", lines[..3].concat(), &lines[3][..20])).expect("written");
    assert_eq!(events.next().expect("an event").0, "end");
    let (name, standings) = events.next().expect("an event");
    assert_eq!((name.as_str(), &standings["games"]), ("standings", &2.into()));
    std::fs::write(&half, &text).expect("written");
    let names: Vec<_> = (0..4).map(|_| events.next().expect("an event").0).collect();
    assert_eq!(names, ["end", "standings", "end", "standings"]);
    // A game that ended before the first one is reported after it, as in the match itself.
    let early = folder.file("early");
    std::fs::write(&early, [lines[0], lines[2]].concat()).expect("written");
    let process = Process::start(&["serve", "--address", "127.0.0.1:0", "--journal", &early.to_string_lossy()]);
    let mut events = Events::of(process.address);
    assert_eq!(events.next().expect("a snapshot").1["standings"]["games"], 0);
    std::fs::write(&early, [lines[0], lines[2], lines[1]].concat()).expect("written");
    let reported: Vec<_> = (0..4).map(|_| events.next().expect("an event").1).collect();
    assert_eq!([&reported[0]["number"], &reported[2]["number"], &reported[3]["games"]], [1, 2, 2]);
    let reported = program(&["serve", "--address", "127.0.0.1:0", "--journal", "/none"]).output().expect("an output");
    assert_eq!(reported.status.code(), Some(1));
}
