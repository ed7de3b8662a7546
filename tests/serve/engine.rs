//! Engine sessions.

use crate::common::*;
use millbrain::serve::{Config, EngineLimits};
use std::io::{Read, Write};
use std::time::Duration;
use tungstenite::Message;

/// Starts a server with these limits on engine sessions.
fn limited(change: impl FnOnce(&mut EngineLimits)) -> millbrain::serve::Server {
    let mut config = config();
    change(&mut config.engine);
    start(config)
}

#[test]
fn a_session_speaks_the_protocol() {
    let server = start(config());
    let mut engine = Engine::new(server.address());
    let said = engine.ask("uci", "uciok");
    assert!(said.contains(&"option name Threads type spin default 1 min 1 max 2".to_string()), "{said:?}");
    assert!(said.contains(&"option name Hash type spin default 8 min 1 max 8".to_string()), "{said:?}");
    assert!(said.iter().all(|line| !line.contains("Log File") && !line.contains("TablebasePath")), "{said:?}");
    let said = engine.ask("position startpos moves d6\ngo depth 3", "bestmove");
    assert!(said.iter().any(|line| line.starts_with("info depth 3")), "{said:?}");
    assert_eq!(engine.ask("isready\r\n", "readyok"), ["readyok"]);
    let said = engine.ask("setoption name UCI_Variant value smess\n\nposition startpos moves f2g1\nmoves", "a7a6");
    assert_eq!(said.len(), 1);
    engine.send("go infinite");
    engine.until("info");
    let said = engine.ask("stop", "bestmove");
    assert!(said.last().is_some_and(|line| line.starts_with("bestmove ")));
    engine.send("quit");
    assert_eq!(engine.closing(), 1000);
    eventually("the seat is free", || server.sessions() == 0);
}

#[test]
fn what_a_stranger_may_not_is_refused() {
    let folder = Folder::new();
    let server = start(config());
    let mut engine = Engine::new(server.address());
    let log = folder.file("log");
    for line in [
        format!("setoption name Log File value {}", log.display()),
        "setoption name log  FILE value x".to_string(),
        format!("setoption name TablebasePath value {}", folder.0.display()),
        "setoption name Threads value 3".to_string(),
        "setoption name Hash value 9".to_string(),
    ] {
        let said = engine.ask(&format!("{line}\nisready"), "readyok");
        assert!(said.len() == 2 && said[0].starts_with("info string setoption refused: "), "{line}: {said:?}");
    }
    assert!(!log.exists());
    let said = engine.ask("setoption name Threads value 2\nsetoption name Hash value 4\nisready", "readyok");
    assert_eq!(said, ["readyok"]);
    engine.0.send(Message::binary(vec![0, 255])).expect("sent");
    assert_eq!(engine.next(), Ok("info string binary frame refused, expected text".to_string()));
    let said = engine.ask(&format!("position startpos moves {}\nisready", "d6 ".repeat(12_000)), "readyok");
    assert_eq!(said[0], "info string line skipped, expected at most 32768 bytes");
    engine.send("go infinite");
    for _ in 0..70 {
        engine.send("d");
    }
    engine.send("isready");
    let said = engine.until("readyok");
    let skipped = "info string command skipped: 64 wait already, expected 'stop'";
    assert_eq!(said.iter().filter(|line| *line == skipped).count(), 6, "{said:?}");
    engine.send(&"x".repeat(70_000));
    assert_eq!(engine.closing(), 1009);
    eventually("the search has ended", || server.sessions() == 0);
}

/// Each fault of a frame has its close code of RFC 6455.
#[test]
fn faulty_frames_are_reported_apart() {
    let server = start(config());
    // Masked frames with a zero mask: invalid text, a ping that is too long, and an unknown kind.
    let long_ping = [&[0x89, 0xfe, 0, 128, 0, 0, 0, 0][..], &[b'x'; 128]].concat();
    for (frame, code) in
        [(vec![0x81, 0x82, 0, 0, 0, 0, 0xff, 0xfe], 1007), (long_ping, 1002), (vec![0x8b, 0x80, 0, 0, 0, 0], 1002)]
    {
        let mut engine = Engine::new(server.address());
        engine.0.get_mut().write_all(&frame).expect("sent");
        assert_eq!(engine.closing(), code, "{frame:?}");
    }
    let mut engine = Engine::new(server.address());
    engine.0.send(Message::Ping(vec![b'x'; 125].into())).expect("sent");
    assert_eq!(engine.ask("isready", "readyok"), ["readyok"]);
}

#[test]
fn tables_of_the_server_are_used() {
    let tables = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/tables");
    let missing = std::path::PathBuf::from("/no/such/folder");
    for (folder, sectors) in [(tables, "1 sector"), (missing, "0 sectors")] {
        let server = limited(|limits| limits.tablebases = vec![folder.clone()]);
        let mut engine = Engine::new(server.address());
        let said = engine.ask("setoption name TablebaseEmbedded value false\nisready", "readyok");
        assert_eq!(said[0], format!("info string tablebases: {sectors}, up to 24 on the board"));
        // Their location stays private.
        assert!(said.iter().all(|line| !line.contains(&*folder.to_string_lossy())), "{said:?}");
    }
}

#[test]
fn there_are_so_many_seats() {
    let server = limited(|limits| (limits.sessions, limits.per_address) = (3, 2));
    let address = server.address();
    let first = Engine::new(address);
    let _second = Engine::new(address);
    assert_eq!(Engine::with(address, &[]).err(), Some(503));
    let socket = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: YWJjZGVmZ2hpamtsbW5vcA==\r\n";
    let refused = raw(address, format!("GET /engine HTTP/1.1\r\nHost: {address}\r\n{socket}\r\n").as_bytes());
    assert_eq!(refused.expect("an answer").header("retry-after"), Some("5"));
    drop(first);
    eventually("a seat", || Engine::with(address, &[]).is_ok());
    let closed = limited(|limits| limits.sessions = 0);
    assert_eq!(Engine::with(closed.address(), &[]).err(), Some(503));
}

#[test]
fn too_many_lines_end_a_session() {
    let server = limited(|limits| limits.rate = 1);
    let mut engine = Engine::new(server.address());
    engine.send("isready");
    engine.until("readyok");
    for _ in 0..500 {
        if engine.0.send(Message::text("isready\nisready")).is_err() {
            break;
        }
    }
    assert_eq!(engine.closing(), 1008);
    eventually("the seat is free", || server.sessions() == 0);
}

#[test]
fn one_that_says_nothing_is_given_up() {
    let server = limited(|limits| limits.idle = Duration::from_millis(200));
    let mut silent = Engine::new(server.address());
    // It answers no ping, since it does not read.
    eventually("the seat is free", || server.sessions() == 0);
    let code = silent.closing();
    assert!(code == 1008 || code == 0, "{code}");
    // A client that reads stays connected, even if it sends nothing: it answers three pings within the limit, which is
    // long enough for a busy machine.
    let server = limited(|limits| limits.idle = Duration::from_secs(2));
    let mut reading = Engine::new(server.address());
    for _ in 0..5 {
        assert!(matches!(reading.0.read(), Ok(Message::Ping(_))));
    }
    assert_eq!(reading.ask("isready", "readyok"), ["readyok"]);
}

#[test]
fn a_slow_reader_loses_no_answer() {
    let server = start(config());
    let mut engine = Engine::new(server.address());
    // More than the buffers on the way can hold, while nothing is read; the rest waits on this side.
    let mut other = engine.0.get_ref().try_clone().expect("a handle");
    let frames = 4_000;
    let mut text = Vec::new();
    for _ in 0..frames {
        let line = b"help\nisready";
        // A masked frame with a zero mask.
        text.extend_from_slice(&[0x81, 0x80 | line.len() as u8, 0, 0, 0, 0]);
        text.extend_from_slice(line);
    }
    let sender = std::thread::spawn(move || other.write_all(&text));
    std::thread::sleep(Duration::from_millis(300));
    let mut ready = 0;
    while ready < frames {
        let said = engine.until("readyok");
        ready += said.iter().filter(|line| *line == "readyok").count();
    }
    sender.join().expect("no panic").expect("all sent");
    let said = engine.ask("go depth 4", "bestmove");
    assert!(said.len() > 1);
}

#[test]
fn one_that_never_reads_is_given_up_with_its_search() {
    let server = limited(|limits| limits.idle = Duration::from_millis(300));
    let mut engine = Engine::new(server.address());
    engine.send("setoption name MultiPV value 20\ngo infinite");
    eventually("the seat is free", || server.sessions() == 0);
    let mut rest = Vec::new();
    let _ = engine.0.get_mut().read_to_end(&mut rest);
}

#[test]
fn a_server_that_ends_says_so() {
    let server = start(Config { ..config() });
    let mut engines: Vec<_> = (0..3).map(|_| Engine::new(server.address())).collect();
    for engine in &mut engines {
        engine.send("go infinite");
        engine.until("info");
    }
    let stopping = std::thread::spawn(move || server.stop());
    for engine in &mut engines {
        assert_eq!(engine.closing(), 1001);
    }
    drop(engines);
    stopping.join().expect("no panic");
}
