//! Compact tables on a static host, read by HTTP range requests: what is fetched, hosts that fail, files that are
//! replaced.

use crate::common::{Client, ENGINE, folder, run_in};
use millbrain::morris::FLYING;
use millbrain::tablebase::compact::{Compact, Section, header};
use millbrain::tablebase::{Endings, MorrisEndings};
use serde_json::Value;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// Positions of three stones a side, in several sectors.
const FENS: [&str; 4] =
    ["3/3/3/6/3/3/3 w 3 3", "X2/3/3/6/3/3/O2 w 2 2", "XO1/3/3/6/3/3/X1O w 1 1", "XX1/X2/3/6/3/3/O1O b 0 1"];

/// How a host answers.
#[derive(Clone, Copy)]
enum Manner {
    Parts,
    /// As those that know no ranges.
    Whole,
    /// The last bytes are missing.
    Cut,
    /// Never.
    Silent,
}

/// What a host has.
struct Content {
    bytes: Vec<u8>,
    tag: Option<&'static str>,
    manner: Manner,
}

/// A static host of one file.
struct Host {
    address: SocketAddr,
    content: Arc<Mutex<Content>>,
    requests: Arc<AtomicUsize>,
}

impl Host {
    fn new(file: &Path) -> Host {
        let content = Content { bytes: fs::read(file).expect("readable"), tag: Some("\"1\""), manner: Manner::Parts };
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let host = Host { address, content: Arc::new(Mutex::new(content)), requests: Arc::default() };
        let (content, requests) = (Arc::clone(&host.content), Arc::clone(&host.requests));
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (content, requests) = (Arc::clone(&content), Arc::clone(&requests));
                thread::spawn(move || serve(&stream.expect("a connection"), &content, &requests));
            }
        });
        host
    }

    fn path(&self) -> String {
        format!("http://{}/some/rules.mbt", self.address)
    }

    fn change(&self, change: impl FnOnce(&mut Content)) {
        change(&mut self.content.lock().expect("no panic"));
    }

    fn requests(&self) -> usize {
        self.requests.load(Relaxed)
    }
}

/// Answers the requests of a connection.
fn serve(mut stream: &TcpStream, content: &Mutex<Content>, requests: &AtomicUsize) {
    let mut reader = BufReader::new(stream);
    loop {
        let (mut head, mut line) = (String::new(), String::new());
        while reader.read_line(&mut line).is_ok_and(|bytes| bytes > 2) {
            head.push_str(&line);
            line.clear();
        }
        if head.is_empty() {
            return;
        }
        requests.fetch_add(1, Relaxed);
        let range =
            head.lines().find_map(|line| line.to_ascii_lowercase().strip_prefix("range: bytes=").map(String::from));
        let (from, to) = range.as_deref().and_then(|range| range.split_once('-')).expect("a range");
        let [from, to] = [from, to].map(|text| text.parse::<usize>().expect("a number"));
        let content = content.lock().expect("no panic");
        let (all, tag) = (content.bytes.len(), content.tag.map_or(String::new(), |tag| format!("ETag: {tag}\r\n")));
        let part = &content.bytes[from.min(all)..all.min(to + 1)];
        let (status, body) = match content.manner {
            _ if !head.starts_with("GET /some/rules.mbt ") => ("404 Not Found", &[][..]),
            Manner::Parts if part.is_empty() => ("416 Range Not Satisfiable", part),
            Manner::Parts | Manner::Cut => ("206 Partial Content", part),
            Manner::Whole => ("200 OK", &content.bytes[..]),
            Manner::Silent => {
                drop(content);
                return thread::sleep(Duration::from_secs(60));
            }
        };
        let place = format!("Content-Range: bytes {from}-{}/{all}\r\n", from + part.len().max(1) - 1);
        let head = format!("HTTP/1.1 {status}\r\n{place}{tag}Content-Length: {}\r\n\r\n", body.len());
        let sent = if matches!(content.manner, Manner::Cut) { &body[..body.len() - 1] } else { body };
        if stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(sent)).is_err() || sent.len() < body.len() {
            return;
        }
    }
}

/// The whole game with three stones a side, as a folder and as a compact file, and a file of its moving phase alone.
fn tables(name: &str) -> (PathBuf, [PathBuf; 3]) {
    let dir = folder(name);
    let run = |line: &str| run_in(&dir, line.split(' ')).expect("made");
    run("tablebase build --rules Stones=3 --sectors game --results --out game");
    run("tablebase build --rules Stones=3 --sectors 3-3 --out moving");
    run("tablebase compact --from game --out rules.mbt");
    run("tablebase compact --from moving --out moving.mbt");
    let files = ["game", "rules.mbt", "moving.mbt"].map(|file| dir.join(file));
    (dir, files)
}

/// Returns a file with its sections far from each other, as those of large files are.
fn spread(file: &Path) -> Vec<u8> {
    const GAP: u64 = 100_000;
    let endings = MorrisEndings::new(FLYING, 3).with_placing(true);
    let (compact, bytes) = (Compact::open(file, &endings).expect("sound"), fs::read(file).expect("readable"));
    let moved: Vec<Section> =
        compact.sections().zip(1..).map(|(section, number)| section.moved(number * GAP)).collect();
    let length = bytes.len() as u64 + (moved.len() as u64 + 1) * GAP;
    let mut spread = header(endings.tag(), &moved, length);
    spread.resize(length as usize, 0);
    for (from, to) in compact.sections().zip(&moved) {
        let [from, to] = [from, to].map(|part| part.model as usize..(part.model + part.length()) as usize);
        spread[to].copy_from_slice(&bytes[from]);
    }
    spread
}

/// Starts a session with the tables at a place alone, and the cache of hosts in a folder.
fn session(place: &str, cache: &Path) -> Client {
    let mut command = Command::new(ENGINE);
    for variable in ["XDG_CACHE_HOME", "HOME", "LOCALAPPDATA"] {
        command.env(variable, cache);
    }
    let mut engine = Client::start(command);
    for option in ["Stones value 3", "TablebaseEmbedded value false", &format!("TablebasePath value {place}")] {
        engine.send(&format!("setoption name {option}"));
    }
    assert!(!engine.until_ready().iter().any(|line| line.contains("not used")));
    engine
}

/// Returns the results of a position and of its moves, or the fault.
fn probe(engine: &mut Client, fen: &str) -> Result<Vec<(String, String)>, String> {
    engine.send(&format!("position fen {fen} 0 1"));
    engine.send("probe");
    let line = loop {
        let line = engine.line().expect("an answer");
        if line.starts_with('{') || line.starts_with("info string probe") {
            break line;
        }
    };
    let Ok(answer) = serde_json::from_str::<Value>(&line) else { return Err(line) };
    let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
    let moves = answer["moves"].as_array().expect("a list").iter().map(|mv| (text(&mv["move"]), text(&mv["value"])));
    let mut results: Vec<_> = moves.chain([("".to_string(), text(&answer["value"]))]).collect();
    results.sort();
    Ok(results)
}

#[test]
fn a_file_on_a_host_gives_the_results_of_its_folder() {
    let (dir, [game, file, moving]) = tables("same");
    let mut at_hand = session(&game.to_string_lossy(), &dir);
    let expected: Vec<_> = FENS.iter().map(|fen| probe(&mut at_hand, fen)).collect();
    assert!(expected.iter().all(Result::is_ok), "{expected:?}");
    fs::write(&file, spread(&file)).expect("written");
    let host = Host::new(&file);
    let found = |engine: &mut Client| FENS.iter().map(|fen| probe(engine, fen)).collect::<Vec<_>>();
    let mut engine = session(&host.path(), &dir);
    assert_eq!(host.requests(), 0, "nothing is asked for before it is needed");
    assert_eq!(found(&mut engine), expected);
    let first = host.requests();
    assert!((4..40).contains(&first), "{first} requests");
    assert_eq!(found(&mut engine), expected);
    assert_eq!(host.requests(), first, "all of it is in memory");
    let mut second = session(&host.path(), &dir);
    assert_eq!(found(&mut second), expected);
    assert_eq!(host.requests(), first + 1, "all but the beginning, which has the tag, is on disk");
    // A search plays only moves that keep the result.
    for (fen, values) in FENS.iter().zip(&expected) {
        engine.send(&format!("position fen {fen} 0 1"));
        engine.send("go nodes 100");
        let best = engine.until("bestmove").pop().expect("an answer");
        let values = values.as_ref().expect("known");
        let value = |mv: &str| values.iter().find(|(text, _)| text == mv).map(|(_, value)| value.clone());
        assert_eq!(value(best.split(' ').nth(1).unwrap_or_default()), value(""), "{fen}: {best}");
    }
    // Nothing of the old file is mixed with the new one.
    let beginning = fs::read(&moving).expect("readable");
    host.change(|content| *content = Content { bytes: beginning, tag: Some("\"2\""), manner: Manner::Parts });
    let mut third = session(&host.path(), &dir);
    assert!(probe(&mut third, FENS[0]).is_err_and(|fault| fault.contains("no table has this position")));
    let moving = "XXO/X2/3/6/3/O2/2O w 0 0";
    assert_eq!(probe(&mut third, moving), probe(&mut at_hand, moving));
    host.change(|content| content.bytes = fs::read(&file).expect("readable"));
    for tag in [None, Some("W/\"3\"")] {
        host.change(|content| content.tag = tag);
        let mut engine = session(&host.path(), &dir);
        assert_eq!(probe(&mut engine, FENS[0]), expected[0]);
        host.change(|content| content.tag = Some("\"4\""));
        assert_eq!(found(&mut engine), expected, "read again");
    }
    assert!(fs::read_dir(&dir).expect("a folder").count() > 4, "the cache is where the system has its caches");
    // Every command that takes a place of tables takes each kind.
    fs::write(dir.join("game.txt"), "1. a7 g1 2. d7 d1 3. g7xd1 a1\n").expect("written");
    fs::write(dir.join("position.txt"), format!("{} 0 1\n", FENS[1])).expect("written");
    let run = |words: &[&str]| {
        let mut command = Command::new(ENGINE);
        let input = File::open(dir.join("position.txt")).expect("readable");
        command.current_dir(&dir).args(words).stdin(input).env("XDG_CACHE_HOME", &dir).env("HOME", &dir);
        let Output { status, stdout, stderr } = command.output().expect("the program starts");
        assert!(status.success(), "{words:?}: {}", String::from_utf8_lossy(&stderr));
        String::from_utf8_lossy(&stdout).into_owned()
    };
    for place in ["game", "rules.mbt", ".", &host.path()] {
        let probed = run(&["tablebase", "probe", FENS[1], "--rules", "Stones=3", "--no-embedded", "--path", place]);
        let listed: Vec<_> = probed.lines().skip(2).map(|line| line.split_whitespace().collect::<Vec<_>>()).collect();
        let values = expected[1].as_ref().expect("known");
        assert_eq!(listed.len() + 1, values.len(), "{probed}");
        for line in listed {
            assert!(values.contains(&(line[0].to_string(), line[1].to_string())), "{probed}");
        }
        let analysed = run(&["analyse", "--rules", "Stones=3", "--nodes", "50", "--tablebase", place]);
        assert!(analysed.contains("\"category\":\"maybe-win\""), "{place}: {analysed}");
        run(&["annotate", "game.txt", "--nodes", "50", "--tables", place]);
    }
}

#[test]
fn a_host_that_fails_is_named_and_the_game_goes_on() {
    let (dir, [_, file, _]) = tables("faults");
    let host = Host::new(&file);
    let sound = fs::read(&file).expect("readable");
    let mut damaged = sound.clone();
    let last = damaged.len() - 450;
    damaged[last..].iter_mut().for_each(|byte| *byte ^= 1);
    let contents = [
        (sound.clone(), Manner::Whole, "the host sends the whole file, expected a range of its bytes"),
        (sound.clone(), Manner::Cut, "; not asked for 10 s"),
        (sound[..sound.len() - 1].to_vec(), Manner::Parts, "bytes long, expected"),
        (b"<html>".repeat(99), Manner::Parts, "no table of this kind, expected a file made by"),
        (damaged, Manner::Parts, "its checksum is wrong"),
    ];
    for (bytes, manner, expected) in contents {
        host.change(|content| *content = Content { bytes, tag: None, manner });
        let mut engine = session(&host.path(), &dir.join("none"));
        for fen in FENS {
            engine.send(&format!("position fen {fen} 0 1"));
            engine.send("go depth 1");
            let lines = engine.until("bestmove");
            if fen == FENS[0] || lines.iter().any(|line| line.contains(expected)) {
                let named = lines.iter().find(|line| line.starts_with("info string tablebase http"));
                assert!(named.is_none_or(|line| line.contains(expected)), "{lines:?}");
                if named.is_some() {
                    break;
                }
            }
            assert_ne!(fen, FENS[3], "{expected} is not reported");
        }
    }
    let mut engine = session(&host.path().replace("some", "other"), &dir);
    let fault = probe(&mut engine, FENS[0]).expect_err("not there");
    assert!(fault.contains("other/rules.mbt: http status: 404 Not Found"), "{fault}");
    // Time and 'stop' end the waiting.
    host.change(|content| content.manner = Manner::Silent);
    for line in ["go movetime 200", "go infinite"] {
        let mut engine = session(&host.path(), &dir);
        engine.send(&format!("position fen {} 0 1", FENS[0]));
        engine.send(line);
        engine.send("stop");
        engine.until("bestmove");
    }
}
