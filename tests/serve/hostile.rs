//! For any input, the server stays alive and answers.

use crate::common::*;
use millbrain::serve::Server;
use proptest::prelude::*;
use proptest::test_runner::{Config as Runs, TestRunner};
use std::io::{Read, Write};
use std::net::SocketAddr;
use tungstenite::Message;

/// Checks that the server answers both protocols.
fn is_well(address: SocketAddr) {
    assert_eq!(get(address, "/api/info").status, 200);
    assert_eq!(Engine::new(address).ask("isready", "readyok"), ["readyok"]);
}

/// Generates a word of the protocol, or something else.
fn word() -> impl Strategy<Value = String> {
    let known = prop::sample::select(vec![
        "uci",
        "isready",
        "go",
        "stop",
        "ponderhit",
        "position",
        "startpos",
        "fen",
        "moves",
        "d6",
        "f4",
        "depth",
        "3",
        "infinite",
        "ponder",
        "perft",
        "bench",
        "setoption",
        "name",
        "value",
        "Threads",
        "Hash",
        "Log File",
        "512",
        "TablebasePath",
        "/tmp",
        "UCI_Variant",
        "smess",
        "d",
        "eval",
        "flip",
        "random",
        "quit",
        "debug",
        "on",
        "nodes",
        "searchmoves",
        "mate",
        "99999999999999999999",
        "-1",
        "3/3/3/6/3/3/3 w 9 9 0 1",
        "ucinewgame",
        "rules",
        "\n",
    ]);
    prop_oneof![8 => known.prop_map(String::from), 1 => any::<String>(), 1 => "[ -~]{0,40}"]
}

fn frame() -> impl Strategy<Value = Message> {
    prop_oneof![
        8 => prop::collection::vec(word(), 0..12).prop_map(|words| Message::text(words.join(" "))),
        1 => prop::collection::vec(any::<u8>(), 0..200).prop_map(Message::binary),
        1 => prop::collection::vec(any::<u8>(), 0..100).prop_map(|bytes| Message::Ping(bytes.into())),
    ]
}

fn run<S: Strategy>(cases: u32, strategy: S, test: impl Fn(S::Value)) {
    let runs = Runs { cases, failure_persistence: None, max_shrink_iters: 50, ..Runs::default() };
    let outcome = TestRunner::new(runs).run(&strategy, |value| {
        test(value);
        Ok(())
    });
    outcome.unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn frames_of_any_kind() {
    let server = start(config());
    let address = server.address();
    run(150, prop::collection::vec(frame(), 1..12), |frames| {
        let Ok(mut engine) = Engine::with(address, &[]) else { return };
        for frame in frames {
            if engine.0.send(frame).is_err() {
                break;
            }
        }
    });
    is_well(address);
    eventually("all seats are free", || server.sessions() == 0);
}

#[test]
fn bytes_that_are_no_frames() {
    let server = start(config());
    let address = server.address();
    run(100, prop::collection::vec(any::<u8>(), 1..400), |bytes| {
        let Ok(engine) = Engine::with(address, &[]) else { return };
        let mut stream = engine.0.get_ref();
        let _ = stream.write_all(&bytes);
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let mut rest = Vec::new();
        let _ = stream.read_to_end(&mut rest);
    });
    is_well(address);
    eventually("all seats are free", || server.sessions() == 0);
}

/// Generates requests that are nearly valid.
fn request(address: SocketAddr) -> impl Strategy<Value = Vec<u8>> {
    let method = prop::sample::select(vec!["GET", "POST", "DELETE", "PUT", "HEAD", "OPTIONS", "CONNECT", ""]);
    let path = prop_oneof![
        4 => prop::sample::select(vec![
            "/", "/engine", "/api/info", "/api/games", "/api/games/1", "/api/games/1/annotate", "/api/import",
            "/api/games?player=%", "/api/games?opening=d6+%00", "/api/games?limit=-1", "/api/games?before=9e9",
            "*", "http://evil/", "/%ff",
        ]).prop_map(String::from),
        1 => "/[ -~]{0,60}",
        1 => "/api/games\\?(player|fen|opening|variant|result|limit|before)=[!-~]{0,60}",
    ];
    let header = prop_oneof![
        6 => Just(format!("Host: {address}\r\nOrigin: http://{address}\r\n")),
        1 => Just("Host: evil\r\n".to_string()),
        1 => "[ -~]{0,60}\r\n",
        1 => Just("Content-Length: 99999999999999999999\r\n".to_string()),
        1 => Just("Transfer-Encoding: chunked\r\n".to_string()),
    ];
    let body = prop_oneof![
        2 => prop::collection::vec(any::<u8>(), 0..300),
        2 => (any::<String>(), any::<String>()).prop_map(|(key, record)| saving(&key, &record)),
        1 => "(\\[[A-Z][a-z]* \"[ -~]{0,9}\"\\]\n){0,9}\n[ -~\n]{0,99}".prop_map(String::into_bytes),
    ];
    let headers = prop::collection::vec(header, 0..3);
    (method, path, headers, body, any::<bool>()).prop_map(|(method, path, headers, body, honest)| {
        let length = if honest { format!("Content-Length: {}\r\n", body.len()) } else { String::new() };
        let head = format!("{method} {path} HTTP/1.1\r\n{}{length}Connection: close\r\n\r\n", headers.concat());
        [head.into_bytes(), body].concat()
    })
}

fn sent(address: SocketAddr, bytes: &[u8]) {
    let mut stream = connect(address);
    let _ = stream.write_all(bytes);
    let _ = stream.shutdown(std::net::Shutdown::Write);
    let mut rest = Vec::new();
    let _ = stream.read_to_end(&mut rest);
    let text = String::from_utf8_lossy(&rest);
    assert!(!text.starts_with("HTTP/1.1 5") || text.starts_with("HTTP/1.1 503"), "{text}");
}

#[test]
fn requests_of_any_kind() {
    let folder = Folder::new();
    let server: Server = with_archive(&folder);
    let address = server.address();
    run(400, request(address), |bytes| sent(address, &bytes));
    run(100, prop::collection::vec(any::<u8>(), 0..400), |bytes| sent(address, &bytes));
    is_well(address);
    assert_eq!(ask(address, "POST", "/api/import", b"").status, 200);
}

#[test]
fn whoever_does_not_go_on_is_given_up() {
    let folder = Folder::new();
    let server = with_archive(&folder);
    let address = server.address();
    let head = format!("POST /api/games HTTP/1.1\r\nHost: {address}\r\nOrigin: http://{address}\r\n");
    let body = format!("{head}Content-Length: 100\r\n\r\n{{\"key\"");
    // Nothing at all, half of the headers, half of the body, and nothing after an answer.
    let starts = [String::new(), head, body, format!("GET /api/info HTTP/1.1\r\nHost: {address}\r\n\r\n")];
    let waiting = starts.map(|start| std::thread::spawn(move || raw(address, start.as_bytes())));
    let [nothing, _, body, answered] = waiting.map(|waiting| waiting.join().expect("no panic"));
    assert!(nothing.is_none(), "{nothing:?}");
    assert_eq!(body.map(|answer| answer.status), Some(408));
    assert_eq!(answered.map(|answer| answer.status), Some(200));
    is_well(address);
}

/// In one piece or many, headers have the same limit.
#[test]
fn headers_have_a_limit() {
    let server = start(config());
    let address = server.address();
    let status = |length: usize| {
        let headers = format!("Host: {address}\r\nX-Long: {}\r\n", "y".repeat(length));
        ask_with(address, "GET", "/api/info", &headers, b"").status
    };
    assert_eq!((status(32_000), status(32_700), status(40_000)), (200, 431, 431));
}

#[test]
fn an_address_has_so_many_connections() {
    let server = start(config());
    let address = server.address();
    let mut open: Vec<_> = (0..256).map(|_| connect(address)).collect();
    // Connections are accepted in order.
    let mut one_more = connect(address);
    assert!(matches!(one_more.read(&mut [0]), Ok(0) | Err(_)));
    assert_eq!(raw(address, b"GET / HTTP/1.1\r\n\r\n").map(|answer| answer.status), None);
    open.truncate(100);
    let request = format!("GET /api/info HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    eventually("a place", || raw(address, request.as_bytes()).is_some_and(|answer| answer.status == 200));
}
