//! The engine for front ends that speak the protocol of the program Sanmill: a layer in front of a [`Session`].
//!
//! The layer reads their commands, keeps the position (which may be in the middle of a move), and tells the session in
//! its own words what to do; what the session says is translated on its way out. The session gets a command only when it
//! is idle, so that there is never more than one answer to wait for.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing))]

mod answers;
mod options;
mod position;

use super::bounds::Bounds;
use super::command::{Command, is_limit};
use super::driver::Driven;
use super::output::Output;
use super::session::{Session, SessionError};
use super::stdio;
use crate::ENGINE;
use crate::any::AnyGame;
use crate::fen::shorten;
use crate::game::Side;
use crate::sanmill::WIN;
use answers::{Answers, Asked};
use options::Options;
use position::Position;
use std::collections::VecDeque;
use std::io::Read;
use std::sync::Arc;

/// Words of `go` that take a number.
const LIMITS: [&str; 8] = ["depth", "nodes", "movetime", "wtime", "btime", "winc", "binc", "movestogo"];
/// Words of `go` that search until `stop`.
const ENDLESS: [&str; 2] = ["infinite", "ponder"];
/// Words of `go` that set a limit of time.
const TIMES: [&str; 5] = ["movetime", "wtime", "btime", "winc", "binc"];

/// A line that waits for the end of a search; `stopped` says that a `stop` has come after it.
struct Waiting {
    line: String,
    stopped: bool,
}

/// A session behind the dialect.
pub struct Sanmill {
    session: Session,
    /// The output of the session, which leads to `out` by way of `answers`.
    inner: Arc<Output>,
    out: Arc<Output>,
    answers: Answers,
    options: Options,
    position: Position,
    waiting: VecDeque<Waiting>,
    /// `quit` has come: nothing is read any more.
    quitting: bool,
}

impl Sanmill {
    /// A session that says its lines to `out`.
    ///
    /// # Errors
    /// When there is no memory for the smallest hash table.
    pub fn new(out: Arc<Output>) -> Result<Sanmill, SessionError> {
        let answers = Answers::new(Arc::clone(&out));
        let inner = Arc::new(Output::new(Box::new(answers.clone())));
        let session = Session::new(Arc::clone(&inner))?;
        let position = Position::start(AnyGame::new(session.settings().rules));
        let (options, waiting) = (Options::default(), VecDeque::new());
        Ok(Sanmill { session, inner, out, answers, options, position, waiting, quitting: false })
    }

    fn identify(&self) {
        let mut text = format!("id name {ENGINE}\nid author the millbrain authors\n");
        for line in options::lines() {
            text.push_str(&line);
            text.push('\n');
        }
        text.push_str("uciok");
        self.out.line(&text);
    }

    fn stop(&mut self) {
        if self.session.is_busy() {
            self.session.line("stop");
        }
        for waiting in &mut self.waiting {
            waiting.stopped = true;
        }
    }

    /// Carries out what has waited for the end of a search, up to the next one.
    fn work_off(&mut self) {
        while !self.session.is_busy()
            && let Some(Waiting { line, stopped }) = self.waiting.pop_front()
        {
            self.execute(&line, stopped);
        }
    }

    /// Carries out a command that needs an idle engine.
    fn execute(&mut self, line: &str, stopped: bool) {
        let mut words = line.split_whitespace();
        match words.next().unwrap_or_default() {
            "setoption" => self.set_option(line),
            "ucinewgame" => {
                self.session.line("ucinewgame");
                self.start();
            }
            "position" => self.set_up(line),
            "go" => self.go(&words.collect::<Vec<_>>(), stopped),
            "quit" | "exit" => self.session.line("quit"),
            // What is left shows something of the position.
            _ => {
                self.session.line(&self.position.command());
                self.session.line(line);
                if let Some(step) = &self.position.half {
                    self.out.note(&format!("{step} has been played, its removal is due"));
                }
            }
        }
    }

    /// The start position of the rules in force.
    fn start(&mut self) {
        self.answers.forget();
        self.position = Position::start(AnyGame::new(self.session.settings().rules));
    }

    fn set_option(&mut self, line: &str) {
        let (name, value) = match line.parse() {
            Ok(Command::SetOption { name, value }) => (name, value),
            Ok(_) => return,
            Err(error) => return self.out.note(&error.to_string()),
        };
        match self.options.set(&name, value.as_deref()) {
            Err(fault) => self.out.note(&format!("setoption refused: {fault}")),
            Ok(None) => {}
            Ok(Some(command)) => {
                self.session.line(&command);
                if options::changes_rules(&command) {
                    self.start();
                }
            }
        }
    }

    fn set_up(&mut self, line: &str) {
        let (fen, moves) = match line.parse() {
            Ok(Command::Position { fen, moves }) => (fen, moves),
            Ok(_) => return,
            Err(error) => return self.out.note(&error.to_string()),
        };
        let rules = AnyGame::new(self.session.settings().rules);
        match Position::read(&rules, fen, moves) {
            Ok(position) => self.position = position,
            Err(error) => self.out.note(&format!("position refused: {error}")),
        }
    }

    fn go(&mut self, words: &[&str], stopped: bool) {
        let limits = self.limits(words);
        let Position { game, half, .. } = &self.position;
        let side = game.side();
        if let Some(ending) = game.ending() {
            return match ending.winner(side) {
                None => self.answers.answer(0, "draw"),
                Some(Side::White) => self.answers.answer(WIN, "none"),
                Some(Side::Black) => self.answers.answer(-WIN, "none"),
            };
        }
        let fen = game.fen();
        let known = half.as_ref().and_then(|step| self.answers.known(&fen, step));
        let command = match (&known, half) {
            // The move has been found with its step: nothing is to be searched again.
            (Some(known), _) => format!("go depth 1 searchmoves {}", known.mv),
            (None, Some(step)) => {
                let moves = crate::sanmill::completions(game, step).join(" ");
                format!("{limits} searchmoves {moves}")
            }
            (None, None) => limits,
        };
        self.answers.expect(Asked { side, fen, is_half: half.is_some(), score: known.map(|known| known.score()) });
        self.session.line(&self.position.command());
        self.session.line(&command);
        if stopped {
            self.session.line("stop");
        }
    }

    /// The `go` command of the session: the limits given, and where they leave it open those of the options.
    fn limits(&self, words: &[&str]) -> String {
        let mut go = "go".to_string();
        let (mut is_timed, mut is_infinite) = (false, false);
        let is_word = |word: &str| LIMITS.contains(&word) || ENDLESS.contains(&word);
        let mut words = words.iter().copied().peekable();
        while let Some(word) = words.next() {
            if ENDLESS.contains(&word) {
                is_infinite = true;
            } else if LIMITS.contains(&word) {
                match words.next_if(|next| !is_word(next)) {
                    Some(value) if is_limit(word, value) => {
                        is_timed |= TIMES.contains(&word);
                        go.push_str(&format!(" {word} {value}"));
                    }
                    Some(value) => {
                        self.out.note(&format!("go: {word} is {:?}, expected a number; skipped", shorten(value)));
                    }
                    None => self.out.note(&format!("go: {word} without a number, expected one; skipped")),
                }
            } else {
                let known = LIMITS.join(", ");
                let word = shorten(word);
                self.out
                    .note(&format!("go: unknown word {word:?}, expected one of {known}, infinite, ponder; skipped"));
            }
        }
        if is_infinite {
            return "go infinite".to_string();
        }
        if !is_timed && self.options.move_time > 0 {
            go.push_str(&format!(" movetime {}", self.options.move_time));
        }
        // Moves to go are no limit without a clock, which the session notes.
        if !matches!(go.parse(), Ok(Command::Go(go)) if go.limits.is_bounded() && go.complaints.is_empty()) {
            go = format!("go depth {}", self.options.depth());
        }
        go
    }
}

impl Driven for Sanmill {
    fn session(&mut self) -> &mut Session {
        &mut self.session
    }

    fn line(&mut self, line: &str) {
        let words: Vec<&str> = line.split_whitespace().take(1).collect();
        let Some(&first) = words.first() else { return };
        if self.quitting {
            return;
        }
        match first {
            "uci" => self.identify(),
            "isready" => self.out.line("readyok"),
            "stop" => self.stop(),
            // Nothing depends on it: `go ponder` searches until it is stopped.
            "ponderhit" => {}
            "quit" | "exit" => {
                self.stop();
                self.quitting = true;
                self.waiting.push_back(Waiting { line: "quit".to_string(), stopped: true });
                self.work_off();
            }
            "setoption" | "ucinewgame" | "position" | "go" | "d" | "compiler" => {
                if self.waiting.len() >= Bounds::default().queue {
                    let most = Bounds::default().queue;
                    self.out.note(&format!("command skipped: {most} wait already, expected 'stop'"));
                } else {
                    self.waiting.push_back(Waiting { line: line.to_string(), stopped: false });
                    self.work_off();
                }
            }
            other => self.out.note(&format!(
                "unknown command {:?}, expected uci, isready, setoption, ucinewgame, position, go, stop, ponderhit, d, \
                 compiler or quit",
                shorten(other)
            )),
        }
        self.look_at_output();
    }

    fn job_done(&mut self, last_words: &str) {
        self.session.job_done(last_words);
        self.work_off();
        self.look_at_output();
    }

    fn look_at_output(&mut self) {
        if self.out.is_closed() {
            self.waiting.clear();
            self.inner.close();
            self.session.look_at_output();
        }
    }

    fn is_finished(&self) -> bool {
        self.session.is_finished() && self.waiting.is_empty()
    }
}

/// Runs the dialect until `quit` or the end of input.
///
/// # Errors
/// As [`super::run`].
pub fn run(input: impl Read + Send + 'static, out: Output) -> Result<(), SessionError> {
    let out = Arc::new(out);
    stdio::drive_by(input, &out, Sanmill::new(Arc::clone(&out))?)
}

#[cfg(test)]
#[expect(clippy::expect_used, reason = "tests")]
mod tests {
    use super::*;
    use std::io::sink;

    /// The time of the options counts where the command names none, and their depth where it leaves no limit.
    #[test]
    fn options_fill_in_what_a_search_is_not_told() {
        let mut sanmill = Sanmill::new(Arc::new(Output::new(Box::new(sink())))).expect("memory");
        let table = [
            ("", "go movetime 1000", "go depth 7"),
            ("depth 5", "go depth 5 movetime 1000", "go depth 5"),
            ("depth", "go movetime 1000", "go depth 7"),
            ("nodes 7 faster", "go nodes 7 movetime 1000", "go nodes 7"),
            ("wtime 5000 btime 4000", "go wtime 5000 btime 4000", "go wtime 5000 btime 4000"),
            ("movetime 50 depth 3", "go movetime 50 depth 3", "go movetime 50 depth 3"),
            ("depth 5.9", "go depth 5.9 movetime 1000", "go depth 5.9"),
            ("depth -5 nodes x", "go movetime 1000", "go depth 7"),
            ("movestogo 4", "go movestogo 4 movetime 1000", "go depth 7"),
            ("movetime 16.7", "go movetime 16.7", "go movetime 16.7"),
            ("depth 3 infinite", "go infinite", "go infinite"),
            ("ponder", "go infinite", "go infinite"),
        ];
        for (move_time, is_timed) in [(1_000, true), (0, false)] {
            sanmill.options.move_time = move_time;
            sanmill.line("setoption name SkillLevel value 7");
            for (words, timed, untimed) in table {
                let expected = if is_timed { timed } else { untimed };
                assert_eq!(sanmill.limits(&words.split_whitespace().collect::<Vec<_>>()), expected, "{words}");
            }
        }
    }
}
