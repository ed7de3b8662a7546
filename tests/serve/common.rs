//! Shared by the tests: servers, and clients of both protocols.

use millbrain::any::AnyGame;
use millbrain::serve::archive::ArchiveConfig;
use millbrain::serve::{self, Config, EngineLimits, Secret, Server};
use millbrain::tournament::record::{GameRecord, MoveRecord, Outcome, Termination};
use millbrain::variant::Variant;
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tungstenite::handshake::client::generate_key;
use tungstenite::http::Request;
use tungstenite::protocol::frame::coding::CloseCode;
use tungstenite::{Message, WebSocket};

/// Longer than any answer takes on a working machine.
pub const DEADLINE: Duration = Duration::from_secs(120);

/// A folder that is removed when dropped.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new() -> Folder {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("millbrain-serve-{}-{number}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir(&path).expect("a folder");
        Folder(path)
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Returns the settings of a server on any free port, without limits that a test could reach by chance.
pub fn config() -> Config {
    let engine = EngineLimits {
        sessions: 64,
        per_address: 64,
        threads: 2,
        hash: 8,
        idle: DEADLINE,
        rate: 100_000,
        ..EngineLimits::default()
    };
    Config { requests: 100_000, engine, ..Config::new("127.0.0.1:0".parse().expect("an address")) }
}

pub fn start(config: Config) -> Server {
    serve::start(config).expect("a server")
}

/// The owner password of a server with an archive.
pub const SECRET: &str = "a-secret-of-the-owner";

/// Starts a server with an archive.
pub fn with_archive(folder: &Folder) -> Server {
    let archive = ArchiveConfig { path: folder.file("games"), size: 64, import: Vec::new(), nodes: 500 };
    start(Config { archive: Some(archive), secret: Some(Secret::new(SECRET).expect("a secret")), ..config() })
}

/// An answer of the server.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: String,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// Returns the value of a header, by its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let pairs = self.headers.lines().filter_map(|line| line.split_once(": "));
        pairs.filter(|(key, _)| *key == name).map(|(_, value)| value).next()
    }
}

pub fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).expect("a connection");
    stream.set_read_timeout(Some(DEADLINE)).expect("a limit");
    stream.set_write_timeout(Some(DEADLINE)).expect("a limit");
    stream
}

/// Sends a request unchanged and reads the whole answer; returns `None` if there is none.
pub fn raw(address: SocketAddr, request: &[u8]) -> Option<Answer> {
    let mut stream = connect(address);
    // The server may reject a long body before receiving all of it.
    let _ = stream.write_all(request);
    let mut bytes = Vec::new();
    let mut part = [0; 65_536];
    while let Ok(read @ 1..) = stream.read(&mut part) {
        bytes.extend_from_slice(&part[..read]);
    }
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n")?;
    let headers = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let status = headers.split(' ').nth(1)?.parse().ok()?;
    Some(Answer { status, headers, body: bytes[end + 4..].to_vec() })
}

/// Sends a request with these headers instead of the host and the origin.
pub fn ask_with(address: SocketAddr, method: &str, path: &str, headers: &str, body: &[u8]) -> Answer {
    let length = body.len();
    let head = format!("{method} {path} HTTP/1.1\r\n{headers}Content-Length: {length}\r\nConnection: close\r\n\r\n");
    let request = [head.as_bytes(), body].concat();
    raw(address, &request).expect("an answer")
}

/// Sends a request like a browser on the server's page.
pub fn ask(address: SocketAddr, method: &str, path: &str, body: &[u8]) -> Answer {
    ask_with(address, method, path, &format!("Host: {address}\r\nOrigin: http://{address}\r\n"), body)
}

pub fn get(address: SocketAddr, path: &str) -> Answer {
    ask(address, "GET", path, b"")
}

/// Returns a record of a game that White has won by resignation.
pub fn record(white: &str, black: &str, variant: Variant, moves: &str) -> String {
    let played = |text: &str| MoveRecord { text: text.to_string(), time: Some(5), ..MoveRecord::default() };
    let game = GameRecord {
        index: 0,
        round: 1,
        white: white.to_string(),
        black: black.to_string(),
        variant: variant.name().to_string(),
        house_rules: String::new(),
        thinking: ["-".to_string(), "-".to_string()],
        fen: AnyGame::new(variant.rules()).fen(),
        moves: moves.split_whitespace().map(played).collect(),
        late_move: None,
        outcome: Outcome::WhiteWins,
        termination: Termination::Adjudication,
        reason: "resigned".to_string(),
    };
    game.text()
}

/// Returns the body that saves a game.
pub fn saving(key: &str, record: &str) -> Vec<u8> {
    serde_json::json!({ "key": key, "record": record }).to_string().into_bytes()
}

/// An engine session.
pub struct Engine(pub WebSocket<TcpStream>);

impl Engine {
    /// Starts a session, or returns the status of the refusal.
    pub fn with(address: SocketAddr, headers: &[(&str, &str)]) -> Result<Engine, u16> {
        Engine::at(address, "/engine", headers)
    }

    /// Connects to another address of the server.
    pub fn at(address: SocketAddr, path: &str, headers: &[(&str, &str)]) -> Result<Engine, u16> {
        let host = address.to_string();
        let given = |name: &str| headers.iter().find(|(key, _)| *key == name).map(|(_, value)| *value);
        let mut request = Request::builder()
            .uri(format!("ws://{address}{path}"))
            .header("Host", given("Host").unwrap_or(&host))
            .header("Connection", "Upgrade")
            .header("Upgrade", "websocket")
            .header("Sec-WebSocket-Version", "13")
            .header("Sec-WebSocket-Key", generate_key());
        if let Some(origin) = given("Origin") {
            request = request.header("Origin", origin);
        }
        let request = request.body(()).expect("a request");
        match tungstenite::client::client(request, connect(address)) {
            Ok((socket, _)) => Ok(Engine(socket)),
            Err(tungstenite::HandshakeError::Failure(tungstenite::Error::Http(response))) => {
                Err(response.status().as_u16())
            }
            Err(error) => panic!("{error}"),
        }
    }

    pub fn new(address: SocketAddr) -> Engine {
        Engine::with(address, &[]).unwrap_or_else(|status| panic!("refused with {status}"))
    }

    pub fn send(&mut self, text: &str) {
        self.0.send(Message::text(text)).expect("sent");
    }

    /// Returns the next text, or the close code; 0 without one.
    pub fn next(&mut self) -> Result<String, u16> {
        loop {
            match self.0.read() {
                Ok(Message::Text(text)) => return Ok(text.to_string()),
                Ok(Message::Close(frame)) => {
                    return Err(frame.map_or(CloseCode::Status, |frame| frame.code).into());
                }
                Ok(_) => {}
                Err(error) => {
                    let text = error.to_string();
                    assert!(!text.contains("temporarily unavailable"), "nothing was heard");
                    return Err(0);
                }
            }
        }
    }

    /// Returns the lines up to one that begins with this word.
    pub fn until(&mut self, word: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let text = self.next().unwrap_or_else(|code| panic!("closed with {code}, expected {word}: {lines:?}"));
            lines.extend(text.lines().map(String::from));
            if lines.last().is_some_and(|line| line.split(' ').next() == Some(word)) {
                return lines;
            }
        }
    }

    pub fn ask(&mut self, line: &str, word: &str) -> Vec<String> {
        self.send(line);
        self.until(word)
    }

    /// Returns the close code of the session.
    pub fn closing(&mut self) -> u16 {
        loop {
            if let Err(code) = self.next() {
                return code;
            }
        }
    }
}

/// Waits until a condition holds.
pub fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < DEADLINE, "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A server as a process.
pub struct Process {
    pub child: Child,
    pub address: SocketAddr,
    /// Its output since it began to serve.
    pub said: Arc<Mutex<Vec<String>>>,
}

impl Process {
    /// Starts `millbrain` with these arguments and waits until it serves.
    pub fn start(words: &[&str]) -> Process {
        Process::of(&mut program(words))
    }

    /// Starts a command and waits until it serves.
    pub fn of(command: &mut Command) -> Process {
        let mut child = command.stderr(Stdio::piped()).stdout(Stdio::null()).spawn().expect("a process");
        let stderr = BufReader::new(child.stderr.take().expect("a pipe"));
        let mut lines = stderr.lines();
        let address = loop {
            let line = lines.next().expect("a line").expect("text");
            if let Some(address) = line.strip_prefix("serving on http://") {
                break address.parse().expect("an address");
            }
        };
        // Further output is read, so that it never blocks.
        let said = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&said);
        std::thread::spawn(move || lines.for_each(|line| kept.lock().expect("no panic").extend(line)));
        Process { child, address, said }
    }

    pub fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args([name, &id]).status().expect("a status").success());
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn program(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_millbrain"));
    command.args(words).stdin(Stdio::null());
    command
}
