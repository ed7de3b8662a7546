//! Runs the built engine like a GUI, and creates folders for its files.

use std::ffi::OsStr;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::panic::Location;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::str::FromStr;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// The built engine, or the one packed by `scripts/release`.
pub const ENGINE: &str = match option_env!("MILLBRAIN_TESTED") {
    Some(packed) => packed,
    None => env!("CARGO_BIN_EXE_millbrain"),
};

/// Creates an empty folder for the files of a test; each module has its own.
#[track_caller]
pub fn folder(name: &str) -> PathBuf {
    let module = Path::new(Location::caller().file()).file_stem().expect("a file").display();
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{module}-{name}"));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).expect("a folder");
    path
}

/// Runs the program with these arguments in a folder; returns its output, or its error.
pub fn run_in<S: AsRef<OsStr>>(folder: &Path, words: impl IntoIterator<Item = S>) -> Result<String, String> {
    let output = Command::new(ENGINE).current_dir(folder).args(words).output().expect("the program starts");
    let [out, err] = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    if output.status.success() { Ok(out) } else { Err(err) }
}

/// Returns the text of a `match --record` file without the times of moves.
pub fn timeless(record: &str) -> String {
    record.split_inclusive([' ', '\n']).filter(|word| !word.trim_end().ends_with("ms}")).collect()
}

/// Removes everything that depends on the speed of the machine from a search's output: times, and lines printed only
/// after a second or more.
pub fn without_times<S: AsRef<str>>(lines: impl IntoIterator<Item = S>) -> Vec<String> {
    let is_late = |line: &str| ["currmove", "lowerbound", "upperbound"].iter().any(|word| line.contains(word));
    let timeless = |line: S| {
        let words = line.as_ref().split(' ').scan("", |before, word| {
            let kept = if ["nps", "time"].contains(before) { "" } else { word };
            *before = word;
            Some(kept)
        });
        words.collect::<Vec<_>>().join(" ")
    };
    lines.into_iter().filter(|line| !is_late(line.as_ref())).map(timeless).collect()
}

/// Reads a number from the environment; scripts use these to run the long form of a test.
pub fn setting<T: FromStr>(name: &str) -> Option<T> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

/// A generous timeout: tests do not depend on speed, and only a hang must fail.
const PATIENCE: Duration = Duration::from_secs(60);

/// A running engine.
pub struct Client {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Client {
    /// Starts the engine.
    pub fn new() -> Client {
        Client::start(Command::new(ENGINE))
    }

    /// Starts the engine by this command.
    pub fn start(mut command: Command) -> Client {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the engine starts");
        let input = child.stdin.take();
        let output = child.stdout.take().expect("piped");
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Client { child, input, lines }
    }

    /// Sends a line.
    pub fn send(&mut self, line: &str) {
        self.send_bytes(format!("{line}\n").as_bytes());
    }

    /// Sends bytes unchanged.
    pub fn send_bytes(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("input still open");
        input.write_all(bytes).and_then(|()| input.flush()).expect("the engine reads");
    }

    /// Returns the resident memory of the engine in KiB, if the system reports it.
    pub fn resident_kib(&self) -> Option<u64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        line.trim().strip_suffix("kB")?.trim().parse().ok()
    }

    /// Returns the next line; `None` once the engine has closed its output.
    pub fn line(&mut self) -> Option<String> {
        match self.lines.recv_timeout(PATIENCE) {
            Ok(line) => Some(line),
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => {
                let _ = self.child.kill();
                panic!("no line for {PATIENCE:?}");
            }
        }
    }

    /// Returns the lines up to and including the first that begins with this word.
    pub fn until(&mut self, word: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let line = self.line().unwrap_or_else(|| panic!("the engine ended without {word:?}: {lines:#?}"));
            let found = line.split_whitespace().next() == Some(word);
            lines.push(line);
            if found {
                return lines;
            }
        }
    }

    /// Sends a line and collects everything up to the answer to an `isready` sent after it.
    pub fn ask(&mut self, line: &str) -> Vec<String> {
        self.send(line);
        self.until_ready()
    }

    /// Sends `isready` and collects everything up to its answer.
    pub fn until_ready(&mut self) -> Vec<String> {
        self.send("isready");
        let mut lines = self.until("readyok");
        lines.pop();
        lines
    }

    /// Closes the input and returns the remaining output; the engine must exit successfully.
    pub fn finish(mut self) -> Vec<String> {
        self.input = None;
        let mut lines = Vec::new();
        while let Some(line) = self.line() {
            lines.push(line);
        }
        let status = self.child.wait().expect("an exit status");
        assert!(status.success(), "{status}: {lines:#?}");
        lines
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
