//! Operation of a server: shares of the processors, health, metrics, proxies, copies, compressed files.

use crate::common::*;
use millbrain::serve::{Config, EngineLimits};
use millbrain::variant::Variant;
use std::io::Read;

/// Whether a search reports that it shared the processors.
fn is_shared(said: &[String]) -> bool {
    said.iter().any(|line| line.starts_with("info string searched "))
}

/// Returns the best move of a search, its nodes, and whether it reports that it shared the processors.
fn searched(engine: &mut Engine, go: &str) -> (String, u64, bool) {
    let said = engine.ask(&format!("ucinewgame\nposition startpos moves d6 f4\n{go}"), "bestmove");
    let nodes = |line: &String| line.split_once(" nodes ")?.1.split(' ').next()?.parse().ok();
    (said.last().expect("a move").clone(), said.iter().filter_map(nodes).max().unwrap_or_default(), is_shared(&said))
}

/// Many searches at once on one processor: each has the same result as alone, and every one makes progress.
#[test]
fn sessions_share_the_processors() {
    let engine = EngineLimits { processors: 1, ..config().engine };
    let server = start(Config { engine, ..config() });
    let address = server.address();
    let fixed = "go nodes 30000";
    let alone = searched(&mut Engine::new(address), fixed);
    assert!(!alone.2, "nobody else is there");
    // One searches as long as all the others do.
    let mut longest = Engine::new(address);
    longest.ask("go infinite", "info");
    let clients: Vec<_> = (0..12)
        .map(|number| {
            std::thread::spawn(move || {
                let mut engine = Engine::new(address);
                // Every second one has a helper, which takes turns as well.
                if number % 4 == 3 {
                    engine.send("setoption name Threads value 2");
                }
                let go = if number % 2 == 0 { fixed } else { "go movetime 200" };
                (number, searched(&mut engine, go))
            })
        })
        .collect();
    for client in clients {
        let (number, (best, nodes, _)) = client.join().expect("no panic");
        if number % 2 == 0 {
            assert_eq!((&best, nodes), (&alone.0, alone.1), "client {number}");
        } else {
            // Reports refer to the last finished depth.
            assert!(nodes > 0 && best != "bestmove (none)", "client {number} had {nodes} nodes");
        }
    }
    let said = longest.ask("stop", "bestmove");
    assert!(is_shared(&said), "it is reported: {said:?}");
    // Counting takes turns as well, and stops.
    let mut engine = Engine::new(address);
    assert_eq!(engine.ask("position startpos\ngo perft 2", "Nodes").last().expect("a total"), "Nodes searched: 552");
    engine.send("go perft 12\nstop");
    engine.until("info");
}

#[test]
fn hash_tables_have_a_limit_in_all() {
    let engine = EngineLimits { sessions: 50, hash: 64, hash_total: 200, ..config().engine };
    let server = start(Config { engine, ..config() });
    let said = Engine::new(server.address()).ask("uci", "uciok");
    assert!(said.contains(&"option name Hash type spin default 4 min 1 max 4".to_string()), "{said:?}");
    assert_eq!(get(server.address(), "/api/info").json()["engine"]["hash"], 4);
}

#[test]
fn health_and_figures_are_reported() {
    let folder = Folder::new();
    let server = with_archive(&folder);
    let address = server.address();
    let health = get(address, "/healthz");
    assert_eq!((health.status, health.text().as_str()), (200, "ok\n"));
    let mut engine = Engine::new(address);
    engine.ask("go nodes 100", "bestmove");
    assert_eq!(get(address, "/nothing").status, 404);
    let answer = get(address, "/metrics");
    assert_eq!(answer.header("content-type"), Some("text/plain; version=0.0.4; charset=utf-8"));
    let text = answer.text();
    let value = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.unwrap_or_else(|| panic!("{name} in {text}")).parse::<f64>().expect("a number")
    };
    assert_eq!((value("millbrain_sessions"), value("millbrain_sessions_total")), (1.0, 1.0));
    assert_eq!((value("millbrain_searches_total"), value("millbrain_searches{state=\"waiting\"}")), (1.0, 0.0));
    assert_eq!(value("millbrain_requests_total{status=\"4xx\"}"), 1.0);
    assert!(value("millbrain_uptime_seconds") > 0.0);
    // Every value has its type, as the format requires.
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let name = line.split([' ', '{']).next().expect("a name");
        assert!(text.contains(&format!("# TYPE {name} ")), "{line}");
    }
}

#[test]
fn a_proxy_names_its_clients() {
    let proxies = vec!["127.0.0.1".parse().expect("an address")];
    let server = start(Config { requests: 2, proxies, ..config() });
    let address = server.address();
    let from = |client: &str, path: &str| {
        let headers = format!("Host: {address}\r\nX-Forwarded-For: 9.9.9.9, {client}\r\n");
        ask_with(address, "GET", path, &headers, b"").status
    };
    let many: Vec<_> = (0..30).map(|_| from("1.2.3.4", "/api/info")).collect();
    assert!(many.contains(&429), "{many:?}");
    assert_eq!(from("2.3.4.5", "/api/info"), 200, "another client has its own");
    assert_eq!(from("3.4.5.6", "/metrics"), 403, "figures are for this machine");
    for unreadable in ["8.8.8.8:5555", "unknown", "[::1", ""] {
        assert_eq!(from(unreadable, "/metrics"), 403, "{unreadable:?}");
    }
    // A client of another machine needs an origin, even if the proxy is local.
    let socket = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: YWJjZGVmZ2hpamtsbW5vcA==\r\n";
    let headers = format!("Host: {address}\r\nX-Forwarded-For: 4.5.6.7\r\n{socket}");
    let request = format!("GET /engine HTTP/1.1\r\n{headers}\r\n");
    assert_eq!(raw(address, request.as_bytes()).map(|answer| answer.status), Some(403));
    // Without a proxy the header is ignored.
    let server = start(Config { requests: 2, ..config() });
    let address = server.address();
    let headers = |number: usize| format!("Host: {address}\r\nX-Forwarded-For: 1.2.3.{number}\r\n");
    let many: Vec<_> = (0..30).map(|number| ask_with(address, "GET", "/", &headers(number), b"").status).collect();
    assert!(many.contains(&429), "{many:?}");
}

#[test]
fn files_are_sent_small() {
    let folder = Folder::new();
    std::fs::create_dir(folder.file("assets")).expect("a folder");
    let text = "place slide mill ".repeat(500);
    std::fs::write(folder.file("index.html"), &text).expect("written");
    // Compressed forms are sent unchanged.
    std::fs::write(folder.file("index.html.gz"), "gzip").expect("written");
    std::fs::write(folder.file("index.html.br"), "br").expect("written");
    std::fs::write(folder.file("assets/index-BbTxgcm_.js"), &text).expect("written");
    let server = start(Config { page: Some(folder.0.clone()), ..config() });
    let address = server.address();
    let ask = |path: &str, more: &str| ask_with(address, "GET", path, &format!("Host: {address}\r\n{more}"), b"");
    let [plain, gzip, br] =
        ["", "Accept-Encoding: gzip\r\n", "Accept-Encoding: gzip, br\r\n"].map(|more| ask("/", more));
    assert_eq!([&plain, &gzip, &br].map(|answer| answer.header("content-encoding")), [None, Some("gzip"), Some("br")]);
    assert_eq!([&plain, &gzip, &br].map(Answer::text), [&*text, "gzip", "br"]);
    assert_eq!(ask("/index.html.br", "").status, 404, "a form has no address of its own");
    for answer in [&plain, &gzip, &br] {
        assert_eq!(
            (answer.header("vary"), answer.header("cache-control")),
            (Some("accept-encoding"), Some("no-cache"))
        );
    }
    // A tag belongs to one form, so that a client never mixes forms.
    let again = |answer: &Answer, coding: &str| {
        let tag = answer.header("etag").expect("a tag");
        ask("/", &format!("Accept-Encoding: {coding}\r\nIf-None-Match: \"x\", W/{tag}\r\n")).status
    };
    assert_eq!((again(&br, "br"), again(&gzip, "gzip"), again(&plain, "identity")), (304, 304, 304));
    assert_eq!((again(&br, "gzip"), again(&plain, "br")), (200, 200));
    // A file without a compressed form is sent uncompressed.
    let asset = ask("/assets/index-BbTxgcm_.js", "Accept-Encoding: gzip, br\r\n");
    assert_eq!((asset.text(), asset.header("content-encoding"), asset.header("vary")), (text, None, None));
    assert_eq!(asset.header("cache-control"), Some("public, max-age=31536000, immutable"));
}

/// An interrupted download resumes where it ended, only in the uncompressed form.
#[test]
fn a_download_that_was_cut_goes_on() {
    let folder = Folder::new();
    let text = "place slide mill ".repeat(500);
    std::fs::write(folder.file("index.html"), &text).expect("written");
    std::fs::write(folder.file("index.html.br"), "packed").expect("written");
    std::fs::write(folder.file("none.txt"), "").expect("written");
    let server = start(Config { page: Some(folder.0.clone()), ..config() });
    let address = server.address();
    let by = |method: &str, path: &str, more: &str| {
        ask_with(address, method, path, &format!("Host: {address}\r\n{more}"), b"")
    };
    let ask = |more: &str| by("GET", "/", more);
    let (plain, packed) = (ask(""), ask("Accept-Encoding: br\r\n"));
    assert_eq!((plain.header("accept-ranges"), packed.header("accept-ranges")), (Some("bytes"), None));
    let [tag, packed_tag] = [&plain, &packed].map(|answer| answer.header("etag").expect("a tag"));
    let length = text.len();
    for (more, part) in [
        ("Range: bytes=0-\r\n".to_string(), 0..length),
        ("Range: bytes=5000-\r\n".to_string(), 5_000..length),
        ("Range: bytes=10-19\r\n".to_string(), 10..20),
        ("Range: bytes=-7\r\n".to_string(), length - 7..length),
        (format!("Range: bytes=5000-\r\nIf-Range: {tag}\r\n"), 5_000..length),
        // Regardless of other accepted forms.
        (format!("Range: bytes=5000-\r\nIf-Range: {tag}\r\nAccept-Encoding: gzip, br\r\n"), 5_000..length),
    ] {
        let answer = ask(&more);
        assert_eq!((answer.status, answer.text().as_str()), (206, &text[part.clone()]), "{more}");
        let range = format!("bytes {}-{}/{length}", part.start, part.end - 1);
        assert_eq!(answer.header("content-range"), Some(range.as_str()), "{more}");
        assert_eq!(answer.header("content-length"), Some(part.len().to_string().as_str()), "{more}");
        assert_eq!((answer.header("etag"), answer.header("content-encoding")), (Some(tag), None), "{more}");
        assert_eq!(
            (answer.header("vary"), answer.header("cache-control")),
            (Some("accept-encoding"), Some("no-cache"))
        );
        assert_eq!(answer.header("content-type"), Some("text/html; charset=utf-8"));
    }
    // An invalid range gets the whole file, in the accepted form.
    for more in ["Range: bytes=1-2,4-5\r\n", "Range: lines=1-\r\n", "Range: bytes=9-1\r\n"] {
        assert_eq!((ask(more).status, ask(more).body.len()), (200, length), "{more}");
    }
    for other in [packed_tag, "\"x\"", "Wed, 21 Oct 2015 07:28:00 GMT"] {
        let answer = ask(&format!("Range: bytes=9-\r\nIf-Range: {other}\r\nAccept-Encoding: br\r\n"));
        assert_eq!((answer.status, answer.body == packed.body), (200, true), "{other}");
    }
    for (path, range, all) in
        [("/", format!("{length}-"), length), ("/", "-0".to_string(), length), ("/none.txt", "0-".to_string(), 0)]
    {
        let answer = by("GET", path, &format!("Range: bytes={range}\r\n"));
        assert_eq!((answer.status, answer.body.len()), (416, 0), "{path} {range}");
        assert_eq!(answer.header("content-range"), Some(format!("bytes */{all}").as_str()));
    }
    // Known contents are not sent at all, and a HEAD request has no ranges.
    let known = ask(&format!("Range: bytes=5-\r\nIf-None-Match: {tag}\r\n"));
    assert_eq!((known.status, known.body.len()), (304, 0));
    let head = by("HEAD", "/", "Range: bytes=5-\r\n");
    assert_eq!((head.status, head.body.len()), (200, 0));
}

/// A client that requests much and reads nothing never locks out others.
#[test]
fn readers_that_stop_lock_nobody_out() {
    let folder = Folder::new();
    std::fs::write(folder.file("index.html"), vec![b'x'; 8 << 20]).expect("written");
    let server = start(Config { page: Some(folder.0.clone()), ..config() });
    let address = server.address();
    let request = format!("GET / HTTP/1.1\r\nHost: {address}\r\n\r\n");
    let stalled: Vec<_> = (0..200)
        .map(|_| {
            let mut stream = connect(address);
            std::io::Write::write_all(&mut stream, request.as_bytes()).expect("sent");
            stream
        })
        .collect();
    assert_eq!(get(address, "/api/info").status, 200);
    for mut stream in stalled.into_iter().take(3) {
        let mut part = [0; 1_024];
        assert!(stream.read(&mut part).is_ok_and(|read| read > 0), "it was answered");
    }
}

#[test]
fn an_archive_is_copied_while_it_is_used() {
    let folder = Folder::new();
    let server = with_archive(&folder);
    let game = record("A", "B", Variant::Morris, "d6 f4");
    assert_eq!(ask(server.address(), "POST", "/api/games", &saving("k", &game)).status, 201);
    let (archive, copy) = (folder.file("games"), folder.file("copy"));
    let (archive, copy_path) = (archive.to_string_lossy(), copy.to_string_lossy());
    let words = ["serve", "--archive", &*archive, "--backup", &*copy_path];
    let output = program(&words).output().expect("an output");
    assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0), "{output:?}");
    let other = Folder::new();
    std::fs::rename(&copy, other.file("games")).expect("moved");
    assert_eq!(get(with_archive(&other).address(), "/api/games").json()["games"][0]["white"], "A");
    let link = folder.file("link").to_string_lossy().into_owned();
    std::fs::hard_link(&*archive, &link).expect("a link");
    let (own, wal) = (archive.clone().into_owned(), format!("{archive}-wal"));
    for (archive, copy, reported) in [
        ("/no/such/file", &*copy_path, "/no/such/file: cannot be opened"),
        (&archive, &own, "also named by another argument, expected a file of its own for --backup"),
        (&archive, &link, "also named by another argument, expected a file of its own for --backup"),
        (&archive, &wal, "-wal: part of the archive itself, expected another file for the copy"),
    ] {
        let output = program(&["serve", "--archive", archive, "--backup", copy]).output().expect("an output");
        let refused = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), refused.lines().count()), (Some(1), 1), "{refused}");
        assert!(refused.contains(reported), "{refused}");
    }
    assert_eq!(ask(server.address(), "POST", "/api/games", &saving("l", &game)).status, 201);
    drop(server);
    assert_eq!(get(with_archive(&folder).address(), "/api/games").json()["games"].as_array().map(Vec::len), Some(2));
}
