//! Tables of servers in play: their requests and answers, and servers that are unreachable, slow, or wrong.

use crate::common::Client;
use millbrain::any::AnyGame;
use millbrain::tablebase::Sources;
use millbrain::tablebase::probe::probe;
use millbrain::variant::{Ruleset, Variant};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;

/// A win in 25 plies.
const WON: &str = "XOO/3/3/X4X/3/3/2O w 0 0 0 1";

/// A server with arbitrary answers.
struct Fake {
    address: SocketAddr,
    requests: Arc<AtomicUsize>,
}

impl Fake {
    /// Starts a server; `answer` gets the body of a request and writes any response.
    fn new(answer: impl Fn(Value, &mut TcpStream) + Send + 'static) -> Fake {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let requests = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&requests);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.expect("a connection");
                let body = body(&stream);
                count.fetch_add(1, Relaxed);
                answer(body, &mut stream);
            }
        });
        Fake { address, requests }
    }

    /// Starts a server that responds with a text after this head.
    fn saying(head: &'static str, text: String) -> Fake {
        Fake::new(move |_, stream| {
            let _ = write!(stream, "HTTP/1.1 {head}\r\n\r\n{text}");
        })
    }

    /// Starts a server that answers correctly, except for the changes by `lie`.
    fn lying(lie: impl Fn(&mut Value) + Send + 'static) -> Fake {
        Fake::new(move |question, stream| {
            let mut answer = truth(&question);
            lie(&mut answer);
            let text = answer.to_string();
            let _ = write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{text}", text.len());
        })
    }

    fn path(&self) -> String {
        format!("http://{}", self.address)
    }
}

/// Reads the JSON body of a request.
fn body(stream: &TcpStream) -> Value {
    let mut stream = BufReader::new(stream);
    let (mut length, mut line) = (0, String::new());
    while stream.read_line(&mut line).is_ok_and(|bytes| bytes > 2) {
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().expect("a length");
        }
        line.clear();
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).expect("a body");
    serde_json::from_slice(&body).expect("JSON")
}

/// Returns the answer of a server with the built-in tables.
fn truth(question: &Value) -> Value {
    let variant: Variant = question["variant"].as_str().and_then(|name| name.parse().ok()).expect("a variant");
    let mut rules: Ruleset = variant.rules();
    rules.set_all(question["rules"].as_str().expect("rules")).expect("rules");
    let fens = question["fens"].as_array().expect("positions");
    let answers = fens.iter().map(|fen| {
        let fen = fen.as_str().expect("a FEN");
        match probe(rules, fen, &Sources::default()) {
            Ok(answer) => serde_json::to_value(answer).expect("JSON"),
            Err(error) => json!({"fen": fen, "error": error.to_string()}),
        }
    });
    json!({"positions": answers.collect::<Vec<_>>()})
}

/// Starts a session with only this server's tables, at this position.
fn session(path: &str, fen: &str) -> Client {
    let mut engine = Client::new();
    engine.send("setoption name TablebaseEmbedded value false");
    engine.send(&format!("setoption name TablebasePath value {path}"));
    engine.send(&format!("position fen {fen}"));
    assert!(!engine.until_ready().iter().any(|line| line.contains("not used")), "an address is a place for tables");
    engine
}

/// Returns the score of the last line and the move.
fn played(lines: &[String]) -> (String, String) {
    let line = lines.iter().rev().find(|line| line.contains(" score ")).expect("a score");
    let score: Vec<&str> = line.split(' ').skip_while(|&word| word != "score").skip(1).take(2).collect();
    let best = lines.last().and_then(|line| line.split(' ').nth(1)).expect("a move");
    (score.join(" "), best.to_string())
}

fn go(engine: &mut Client, line: &str) -> Vec<String> {
    engine.send(line);
    engine.until("bestmove")
}

#[test]
fn a_server_knows_what_tables_at_hand_know() {
    let server = Fake::lying(|_| ());
    for (variant, fen) in [
        ("morris", WON),
        ("morris", "1O1/3/3/X4O/3/3/XOX w 0 0 0 1"),
        ("mlyn", "2O/1XX/1O1/4X1/3/3/2O w 0 0 7 1"),
        ("smess", "7/7/7/3b3/4B2/7/6S/7 w 3 9"),
    ] {
        let mut found = Vec::new();
        for path in ["", &server.path()] {
            let mut engine = Client::new();
            engine.send(&format!("setoption name UCI_Variant value {variant}"));
            if !path.is_empty() {
                engine.send("setoption name TablebaseEmbedded value false");
                engine.send(&format!("setoption name TablebasePath value /no/such/folder:{path}:/nor/this"));
            }
            engine.send(&format!("position fen {fen}"));
            let lines = go(&mut engine, "go depth 2");
            assert!(lines.iter().any(|line| line.contains(" tbhits ") && !line.contains(" tbhits 0")), "{lines:?}");
            found.push(played(&lines));
            // Known answers are cached.
            let before = server.requests.load(Relaxed);
            assert_eq!(&played(&go(&mut engine, "go depth 2")), found.last().expect("one"));
            assert_eq!(server.requests.load(Relaxed), before);
        }
        assert!(found[0].0.starts_with("mate") && found[0] == found[1], "{fen}: {found:?}");
    }
    assert_eq!(server.requests.load(Relaxed), 4);
}

/// With wrong or missing answers a session prints one line and searches; it does not query the server again at once.
#[test]
fn servers_that_fail_or_lie_are_not_used() {
    let of_root = |change: fn(&mut Value)| Fake::lying(move |answer| change(&mut answer["positions"][0]));
    let closed = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address");
    let gone = Fake { address: closed, requests: Arc::default() };
    let servers = [
        (gone, "refused"),
        (Fake::new(|_, _| ()), ""),
        (Fake::saying("hello", String::new()), ""),
        (Fake::saying("404 Not Found\r\nContent-Length: 0", String::new()), "404"),
        (Fake::saying("302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0", String::new()), ""),
        (Fake::saying("200 OK\r\nContent-Length: 1000000", "{\"positions\"".into()), ""),
        (Fake::saying("200 OK\r\nContent-Length: 5", "{\"positions\": []}".into()), ""),
        (Fake::saying("200 OK\r\nContent-Length: 18446744073709551616", "{}".into()), ""),
        (Fake::saying("200 OK\r\nContent-Length: 20000000", " ".repeat(20_000_000)), ""),
        (Fake::saying("200 OK\r\nContent-Length: 2", "{}".into()), "positions"),
        (Fake::lying(|answer| answer["positions"] = json!([])), "0 answers to"),
        (of_root(|root| root["fen"] = json!("3/3/3/6/3/3/3 w 9 9 0 1")), "an answer about"),
        (of_root(|root| root["plies"] = json!(24)), "is no value"),
        (of_root(|root| root["value"] = json!("good")), "is no value"),
        (of_root(|root| root["plies"] = json!(23)), "its best move a win in 25"),
        (of_root(|root| root["moves"][0]["move"] = json!("a1a1")), "is no move"),
        (of_root(|root| root["moves"][0]["move"] = json!("\u{1F980}")), "is no move"),
        (
            Fake::lying(|answer| {
                // The root agrees with its moves, but not with the positions after them.
                let root = &mut answer["positions"][0];
                root["plies"] = json!(27);
                root["moves"]
                    .as_array_mut()
                    .expect("moves")
                    .iter_mut()
                    .for_each(|mv| mv["plies"] = json!(mv["plies"].as_u64().map(|plies| plies + 2)));
            }),
            "is reported as a",
        ),
    ];
    for (number, (server, reason)) in servers.into_iter().enumerate() {
        let mut engine = session(&server.path(), WON);
        let lines = go(&mut engine, "go depth 2");
        let fault = lines.iter().find(|line| line.contains(&format!("tablebase server {}", server.path())));
        assert!(fault.is_some_and(|fault| fault.contains(reason)), "server {number}: {lines:?}");
        let game = AnyGame::new(Variant::Morris.rules()).at(Some(WON), []).expect("a position");
        assert!(game.moves().contains(&played(&lines).1), "server {number}: {lines:?}");
        let before = server.requests.load(Relaxed);
        let lines = go(&mut engine, "go depth 2");
        assert!(!lines.iter().any(|line| line.contains("tablebase server")), "reported once: {lines:?}");
        assert_eq!(server.requests.load(Relaxed), before, "left alone for a while");
    }
}

/// This server answers only after its clients are gone: waiting for it would never end.
#[test]
fn slow_servers_hold_nothing_up() {
    let server = Fake::new(|_, _| {
        loop {
            thread::park();
        }
    });
    for line in ["go movetime 100", "go wtime 300 btime 300", "go depth 1", "go infinite"] {
        let mut engine = session(&server.path(), WON);
        engine.send(line);
        if line.ends_with("infinite") {
            engine.send("stop");
        }
        let lines = engine.until("bestmove");
        assert!(lines.last().is_some_and(|line| line.starts_with("bestmove ")), "{lines:?}");
        assert!(engine.until_ready().is_empty());
        engine.send("quit");
        engine.finish();
    }
}

#[test]
fn what_is_no_address_is_refused_in_a_line() {
    for path in ["https://", "http://", "http://:80", "http://a:99999"] {
        let mut engine = Client::new();
        engine.send(&format!("setoption name TablebasePath value {path}"));
        let lines = engine.until_ready();
        let refused = lines.iter().find(|line| line.contains("tablebase not used"));
        let expected = "is no address, expected http://HOST, http://HOST:PORT or the same with https";
        assert!(refused.is_some_and(|line| line.contains(expected)), "{path}: {lines:?}");
    }
}
