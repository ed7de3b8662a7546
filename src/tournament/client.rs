//! An engine as a process. Nothing it prints, and nothing it leaves unread, can hold up the caller.

use super::config::EngineConfig;
use std::collections::HashSet;
use std::fmt;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::str::SplitWhitespace;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::time::{Duration, Instant};

/// Longer lines are cut.
const LONGEST_LINE: u64 = 64 << 10;
/// Lines read ahead; an engine that prints more waits.
const LINES_AHEAD: usize = 512;
/// Time for `uci` and `isready` to be answered.
const PATIENCE: Duration = Duration::from_secs(20);
/// Time to answer a `stop` after the flag has fallen, and to end after `quit`.
const GRACE: Duration = Duration::from_secs(2);

/// Why an engine is of no use any more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Failure {
    /// Its output has ended.
    Crash,
    /// It does not answer.
    Stall,
}

/// Why an engine could not be started.
#[derive(Debug)]
pub struct StartError {
    engine: String,
    fault: String,
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "engine {}: {}", self.engine, self.fault)
    }
}

impl std::error::Error for StartError {}

/// What an engine says of the position: centistones, or own moves to the end of the game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Score {
    /// Centistones.
    Centistones(i32),
    /// Moves to the win; negative for moves to the loss.
    Mate(i32),
}

impl Score {
    /// In centistones, wins far above everything else.
    pub const fn centistones(self) -> i32 {
        match self {
            Score::Centistones(score) => score,
            Score::Mate(moves) => {
                if moves > 0 {
                    100_000 - moves
                } else {
                    -100_000 - moves
                }
            }
        }
    }
}

/// The last report of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// Score from the side to move.
    pub score: Option<Score>,
    /// Depth in plies.
    pub depth: Option<u32>,
    /// Nodes.
    pub nodes: Option<u64>,
}

impl Report {
    /// Takes over what an `info` line says; anything else in it is skipped.
    fn read(&mut self, mut words: SplitWhitespace<'_>) {
        let mut next = *self;
        let mut scored = false;
        while let Some(word) = words.next() {
            match word {
                "string" | "pv" | "currmove" => break,
                "multipv" if words.next() != Some("1") => return,
                "depth" => next.depth = words.next().and_then(|word| word.parse().ok()).or(next.depth),
                "nodes" => next.nodes = words.next().and_then(|word| word.parse().ok()).or(next.nodes),
                "score" => {
                    let kind = words.next();
                    let Some(value) = words.next().and_then(|word| word.parse().ok()) else { continue };
                    next.score = match kind {
                        Some("cp") => Some(Score::Centistones(value)),
                        Some("mate") => Some(Score::Mate(value)),
                        _ => next.score,
                    };
                    scored = true;
                }
                _ => {}
            }
        }
        if scored {
            *self = next;
        }
    }
}

/// A `bestmove`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer {
    /// The move as printed; empty if nothing followed the word.
    pub best: String,
    /// What the engine said of it.
    pub report: Report,
    /// Time from `go` to `bestmove`.
    pub elapsed: Duration,
}

/// A running engine.
pub struct Client {
    child: Child,
    input: Sender<String>,
    lines: Receiver<(Instant, String)>,
}

fn read_lines(output: impl Read, lines: &SyncSender<(Instant, String)>) {
    let mut output = BufReader::new(output);
    let mut line = Vec::new();
    loop {
        line.clear();
        match output.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => {
                if lines.send((Instant::now(), String::from_utf8_lossy(&line).trim().to_string())).is_err() {
                    return;
                }
            }
        }
    }
}

impl Client {
    /// Starts an engine, sets its options and waits until it is ready.
    ///
    /// # Errors
    /// When the program cannot be run, does not answer, or lacks an option.
    pub fn start(config: &EngineConfig, variant: &str) -> Result<Client, StartError> {
        let fault = |fault: String| StartError { engine: config.name.clone(), fault };
        let mut command = Command::new(&config.command);
        command.args(&config.arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        if let Some(directory) = &config.directory {
            command.current_dir(directory);
        }
        let mut child = command.spawn().map_err(|error| fault(format!("cannot run {:?}: {error}", config.command)))?;
        let (Some(mut stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(fault("no pipes to its input and output".to_string()));
        };
        let (input, commands) = channel::<String>();
        let (sender, lines) = sync_channel(LINES_AHEAD);
        // Both end with the process or with the client, whichever goes first.
        std::thread::spawn(move || {
            for command in commands {
                if stdin.write_all(command.as_bytes()).and_then(|()| stdin.flush()).is_err() {
                    return;
                }
            }
        });
        std::thread::spawn(move || read_lines(stdout, &sender));
        let client = Client { child, input, lines };

        let mut offered = HashSet::new();
        client.send("uci");
        client
            .wait(PATIENCE, |line| {
                if let Some(option) = line.strip_prefix("option name ") {
                    let name = option.split(" type ").next().unwrap_or(option);
                    offered.insert(name.trim().to_lowercase());
                }
                line == "uciok"
            })
            .map_err(|failure| fault(format!("{} before 'uciok'", failure.past_tense())))?;
        let variant = [("UCI_Variant".to_string(), variant.to_string())];
        for (name, value) in variant.iter().chain(&config.options) {
            if !offered.contains(&name.to_lowercase()) {
                return Err(fault(format!("it has no option {name:?}")));
            }
            client.send(&format!("setoption name {name} value {value}"));
        }
        client.ready().map_err(|failure| fault(format!("{} while options were set", failure.past_tense())))?;
        Ok(client)
    }

    fn send(&self, line: &str) {
        // Once the process has gone nobody reads; that it has gone is seen at its output.
        let _ = self.input.send(format!("{line}\n"));
    }

    /// Reads lines until one is accepted.
    fn wait(&self, patience: Duration, mut accept: impl FnMut(&str) -> bool) -> Result<Instant, Failure> {
        let deadline = Instant::now() + patience;
        loop {
            match self.lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok((at, line)) if accept(&line) => return Ok(at),
                Ok((at, _)) if at > deadline => return Err(Failure::Stall),
                Ok(_) => {}
                Err(RecvTimeoutError::Timeout) => return Err(Failure::Stall),
                Err(RecvTimeoutError::Disconnected) => return Err(Failure::Crash),
            }
        }
    }

    /// Waits until the engine has read everything sent so far.
    fn ready(&self) -> Result<(), Failure> {
        self.send("isready");
        self.wait(PATIENCE, |line| line == "readyok").map(|_| ())
    }

    /// Tells the engine that a new game begins.
    ///
    /// # Errors
    /// When it does not answer.
    pub fn new_game(&self) -> Result<(), Failure> {
        self.send("ucinewgame");
        self.ready()
    }

    /// Has the engine think. After `limit` it is told to stop; whether the answer then came too late is for the
    /// caller to say.
    ///
    /// # Errors
    /// When it does not answer.
    pub fn think(&self, position: &str, go: &str, limit: Duration) -> Result<Answer, Failure> {
        self.send(position);
        self.ready()?;
        let started = Instant::now();
        self.send(go);
        let mut report = Report::default();
        let mut best = String::new();
        let mut accept = |line: &str| {
            let mut words = line.split_whitespace();
            match words.next() {
                Some("info") => report.read(words),
                Some("bestmove") => {
                    best = words.next().unwrap_or_default().to_string();
                    return true;
                }
                _ => {}
            }
            false
        };
        let at = match self.wait(limit, &mut accept) {
            Err(Failure::Stall) => {
                self.send("stop");
                self.wait(GRACE, accept)?
            }
            other => other?,
        };
        Ok(Answer { best, report, elapsed: at.saturating_duration_since(started) })
    }
}

impl Failure {
    /// `ended` or `did not answer`.
    pub const fn past_tense(self) -> &'static str {
        match self {
            Failure::Crash => "ended",
            Failure::Stall => "did not answer",
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.send("quit");
        let deadline = Instant::now() + GRACE / 10;
        while Instant::now() < deadline {
            if matches!(self.child.try_wait(), Ok(Some(_))) {
                return;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(lines: &[&str]) -> Report {
        let mut report = Report::default();
        for line in lines {
            report.read(line.split_whitespace());
        }
        report
    }

    #[test]
    fn reports_are_read() {
        let report = read(&[
            "depth 5 score cp 12 nodes 100 pv d6 depth 99",
            "depth 6 multipv 1 score mate -3 nodes 200",
            "depth 6 multipv 2 score cp 500",
            "depth 7 currmove d6",
            "string depth 50 score cp 1",
            "score cp x nodes y",
            "score",
            "",
        ]);
        let expected = Report { score: Some(Score::Mate(-3)), depth: Some(6), nodes: Some(200) };
        assert_eq!(report, expected);
        assert!(Score::Mate(2).centistones() > Score::Mate(3).centistones());
        assert!(Score::Mate(-2).centistones() < Score::Mate(-3).centistones());
    }
}
