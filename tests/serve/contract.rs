//! The page, the answers that need no archive, and access control.

use crate::common::*;
use millbrain::serve::{self, Config};

#[test]
fn the_server_tells_what_it_is() {
    let server = start(config());
    let answer = get(server.address(), "/api/info");
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("application/json")));
    let version = env!("CARGO_PKG_VERSION");
    let reported = format!(
        r#"{{"name":"millbrain","version":"{version}","engine":{{"threads":2,"hash":8}},"archive":false,"deletes":false,"live":false,"people":false}}"#
    );
    assert_eq!(answer.json(), serde_json::from_str::<serde_json::Value>(&reported).expect("data"));
}

#[test]
fn every_answer_is_protected() {
    let server = start(config());
    let address = server.address();
    let answers = [get(address, "/"), get(address, "/none"), get(address, "/api/games"), ask(address, "PUT", "/", b"")];
    let refused = ask_with(address, "GET", "/", "Host: evil.example\r\n", b"");
    for answer in answers.iter().chain([&refused]) {
        for (name, value) in [
            ("cross-origin-opener-policy", "same-origin"),
            ("cross-origin-embedder-policy", "require-corp"),
            ("cross-origin-resource-policy", "same-origin"),
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "no-referrer"),
        ] {
            assert_eq!(answer.header(name), Some(value), "{answer:?}");
        }
        let policy = answer.header("content-security-policy").expect("a policy");
        assert!(policy.starts_with("default-src 'self'; script-src 'self' 'wasm-unsafe-eval';"), "{policy}");
        assert!(!policy.contains("evil"), "{policy}");
    }
    let policy = answers[0].header("content-security-policy").expect("a policy");
    assert!(policy.contains(&format!("connect-src 'self' ws://{address} wss://{address};")), "{policy}");
}

#[test]
fn the_page_is_that_of_the_start() {
    let folder = Folder::new();
    std::fs::create_dir(folder.file("assets")).expect("a folder");
    std::fs::write(folder.file("index.html"), "<p>page").expect("written");
    std::fs::write(folder.file("assets/engine.wasm"), [0, 1, 2]).expect("written");
    let server = start(Config { page: Some(folder.0.clone()), ..config() });
    let address = server.address();
    let page = get(address, "/");
    assert_eq!((page.status, page.text().as_str()), (200, "<p>page"));
    assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
    assert_eq!(get(address, "/index.html?x=1").text(), "<p>page");
    let wasm = get(address, "/assets/engine.wasm");
    assert_eq!((wasm.header("content-type"), &wasm.body[..]), (Some("application/wasm"), &[0, 1, 2][..]));
    let tag = page.header("etag").expect("a tag");
    let again = ask_with(address, "GET", "/", &format!("Host: {address}\r\nIf-None-Match: {tag}\r\n"), b"");
    assert_eq!((again.status, again.body.len()), (304, 0));
    // Files added later are not served, and nothing outside the page ever is.
    std::fs::write(folder.file("later.html"), "x").expect("written");
    std::fs::write(folder.file("index.html"), "changed").expect("written");
    assert_eq!(get(address, "/").text(), "<p>page");
    for path in ["/later.html", "/../../etc/passwd", "/%2e%2e/Cargo.toml", "//etc/passwd", "/assets", "/assets/"] {
        let answer = get(address, path);
        assert_eq!((answer.status, answer.text().lines().count()), (404, 1), "{path}");
    }
    assert_eq!(ask(address, "HEAD", "/", b"").body.len(), 0);
    assert_eq!(ask(address, "POST", "/", b"").status, 405);
}

#[test]
fn without_a_page_there_is_a_note() {
    let server = start(config());
    let answer = get(server.address(), "/");
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("text/plain; charset=utf-8")));
    assert!(answer.text().contains("scripts/web"));
    let folder = Folder::new();
    let reported =
        serve::start(Config { page: Some(folder.0.clone()), ..config() }).err().expect("no page").to_string();
    assert!(reported.contains("no index.html"), "{reported}");
}

#[test]
fn strange_hosts_and_origins_are_refused() {
    let server = start(Config { origins: vec!["https://friend.example".to_string()], ..config() });
    let address = server.address();
    let port = address.port();
    let status = |method, headers: &str| ask_with(address, method, "/api/info", headers, b"").status;
    assert_eq!(status("GET", &format!("Host: localhost:{port}\r\n")), 200);
    assert_eq!(status("GET", "Host: friend.example\r\n"), 200);
    for host in ["evil.example", &format!("evil.example:{port}"), "localhost", "localhost:1"] {
        assert_eq!(status("GET", &format!("Host: {host}\r\n")), 403, "{host}");
    }
    assert_eq!(status("GET", ""), 403);
    // A request with changes needs an origin; 405 means that it was admitted.
    let post = |origin: &str| status("POST", &format!("Host: {address}\r\n{origin}"));
    assert_eq!(post(&format!("Origin: http://{address}\r\n")), 405);
    assert_eq!(post("Origin: https://friend.example\r\n"), 405);
    for origin in ["", "Origin: null\r\n", "Origin: http://evil.example\r\n", "Origin: http://localhost\r\n"] {
        assert_eq!(post(origin), 403, "{origin}");
    }
    let socket = |origin: &str| Engine::with(address, &[("Origin", origin)]).err();
    assert_eq!(socket("http://evil.example"), Some(403));
    assert_eq!(socket("null"), Some(403));
    assert_eq!(socket(&format!("http://{address}")), None);
    assert_eq!(socket("https://friend.example"), None);
    assert_eq!(Engine::with(address, &[("Host", "evil.example")]).err(), Some(403));
    assert!(Engine::with(address, &[]).is_ok(), "a program on this machine");
}

#[test]
fn unknown_addresses_and_methods_are_reported() {
    let server = start(config());
    let address = server.address();
    let reported = |method, path: &str| {
        let answer = ask(address, method, path, b"");
        (answer.status, answer.json()["error"].as_str().expect("a line").lines().count())
    };
    assert_eq!(reported("GET", "/api/none"), (404, 1));
    assert_eq!(reported("POST", "/api/info"), (405, 1));
    assert_eq!(reported("DELETE", "/api/games"), (405, 1));
    assert_eq!(reported("GET", "/engine"), (426, 1));
    assert_eq!(reported("GET", "/api/live"), (404, 1));
    for path in ["/api/games", "/api/games/1", "/api/games?limit=1"] {
        assert_eq!(reported("GET", path), (404, 1), "without an archive");
    }
}

#[test]
fn an_address_has_a_rate() {
    let server = start(Config { requests: 1, ..config() });
    let answers: Vec<_> = (0..50).map(|_| get(server.address(), "/api/info")).collect();
    assert!(answers[..4].iter().all(|answer| answer.status == 200), "{answers:?}");
    let refused = answers.iter().find(|answer| answer.status == 429).expect("a refusal");
    assert_eq!(refused.header("retry-after"), Some("1"));
}

/// Every documented address rejects unknown parameters, in one line that names them.
#[test]
fn unknown_parameters_are_refused() {
    let manual = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/server.md")).expect("the manual");
    let folder = Folder::new();
    let server = with_archive(&folder);
    let mut asked = 0;
    for heading in manual.lines().filter_map(|line| line.strip_prefix("### `")) {
        let (method, path) =
            heading.split_once('`').and_then(|(address, _)| address.split_once(' ')).expect("an address");
        if path == "/" {
            continue;
        }
        let path = path.replace("ID", "1");
        let answer = ask(server.address(), method, &format!("{path}?nonsense=1"), b"{}");
        let reported = answer.json()["error"].as_str().unwrap_or_default().to_string();
        // A POST has its parameters in the body.
        let is_query = reported.contains("nonsense") || reported.starts_with("a query, expected none");
        assert!((answer.status, reported.lines().count(), is_query) == (400, 1, true), "{heading}: {answer:?}");
        asked += 1;
    }
    assert!(asked >= 15, "{asked} addresses in the manual");
    // A browser may add a query to reload a file.
    assert_eq!(get(server.address(), "/?nonsense=1").status, 200);
    for (path, body) in [
        ("/api/games", r#"{"key": "k", "record": "", "nonsense": 1}"#),
        ("/api/tablebase", r#"{"fens": [], "nonsense": 1}"#),
    ] {
        let answer = ask(server.address(), "POST", path, body.as_bytes());
        let reported = answer.json()["error"].as_str().unwrap_or_default().to_string();
        assert!(answer.status == 400 && reported.contains("nonsense") && reported.lines().count() == 1, "{answer:?}");
    }
}

/// Pages of an --origin may read every answer, including errors; other pages may read none.
#[test]
fn other_origins_may_read_answers() {
    let server = start(Config { requests: 3, origins: vec!["https://friend.example".to_string()], ..config() });
    let address = server.address();
    let from = |method: &str, path: &str, origin: &str| {
        ask_with(address, method, path, &format!("Host: {address}\r\nOrigin: {origin}\r\n"), b"")
    };
    let friend = "https://friend.example";
    let preflight = from("OPTIONS", "/api/games/1", friend);
    assert_eq!((preflight.status, preflight.body.len()), (204, 0));
    let allowed = |answer: &Answer, name: &str| answer.header(&format!("access-control-{name}")).map(String::from);
    assert_eq!(allowed(&preflight, "allow-methods").as_deref(), Some("GET, POST, DELETE"));
    assert!(allowed(&preflight, "allow-headers").is_some_and(|names| names.contains("authorization")));
    let others = from("GET", "/api/info", "https://evil.example");
    assert_eq!((others.status, allowed(&others, "allow-origin")), (200, None));
    assert_eq!(from("OPTIONS", "/api/games/1", "https://evil.example").status, 403);
    let answers: Vec<_> = (0..40).map(|_| from("GET", "/api/info", friend)).collect();
    assert!(answers.iter().any(|answer| answer.status == 429), "{answers:?}");
    for answer in answers.iter().chain([&preflight]) {
        assert_eq!(allowed(answer, "allow-origin").as_deref(), Some(friend), "{answer:?}");
        assert!(allowed(answer, "expose-headers").is_some_and(|names| names.contains("retry-after")));
    }
    // A cache stores answers to different origins separately.
    assert!(answers.iter().chain([&others]).all(|answer| answer.header("vary") == Some("origin")));
}
