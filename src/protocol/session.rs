//! The session: reads commands, runs one job at a time beside the loop, and never leaves a `go` unanswered.
//!
//! While a job runs, only `stop`, `ponderhit`, `isready`, `uci`, `debug` and `quit` act at once. Everything else
//! waits its turn, in order, so that a script may send all its commands without waiting for answers.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use super::board::{Board, new_board};
use super::command::{Command, Go};
use super::options::{Effect, OPTIONS, Settings};
use super::output::Output;
use super::{bench, help, rules_text};
use crate::perft;
use crate::search::{Control, Table, has_room_for};
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, PoisonError, RwLock};

/// Longer lines are refused: no command needs as much.
const LONGEST_LINE: u64 = 16 << 20;
/// Commands that may wait for the end of a job.
const LONGEST_QUEUE: usize = 10_000;
/// Stack of the thread that runs jobs.
const STACK_BYTES: usize = 8 << 20;

/// What the session waits for.
enum Event {
    Line(String),
    TooLong,
    End,
    /// The job is over; this is the last it has to say. The session says it, so that whoever reads it finds the
    /// engine free.
    JobDone(String),
}

/// A job beside the loop.
struct Job {
    control: Arc<Control>,
    /// Whether it ends by itself, at the latest once it no longer ponders.
    bounded: bool,
}

impl Job {
    /// Whether it ends by itself as things stand: the input may end before a ponder hit.
    fn ends(&self) -> bool {
        self.bounded && !self.control.pondering()
    }
}

/// Reads lines of any bytes until the input ends.
fn read_lines(input: impl Read, events: &SyncSender<Event>) {
    let mut input = BufReader::new(input);
    let mut line = Vec::new();
    loop {
        line.clear();
        let event = match input.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => break,
            Ok(_) if line.last() != Some(&b'\n') && line.len() as u64 == LONGEST_LINE => {
                if skip_line(&mut input).is_err() {
                    break;
                }
                Event::TooLong
            }
            Ok(_) => Event::Line(String::from_utf8_lossy(&line).trim_end_matches(['\n', '\r']).to_string()),
        };
        if events.send(event).is_err() {
            return;
        }
    }
    let _ = events.send(Event::End);
}

fn skip_line(input: &mut impl BufRead) -> std::io::Result<()> {
    loop {
        let buffer = input.fill_buf()?;
        let (used, done) = match buffer.iter().position(|&byte| byte == b'\n') {
            Some(at) => (at + 1, true),
            None => (buffer.len(), buffer.is_empty()),
        };
        input.consume(used);
        if done {
            return Ok(());
        }
    }
}

struct Session {
    out: Arc<Output>,
    events: SyncSender<Event>,
    settings: Settings,
    table: Arc<RwLock<Table>>,
    board: Box<dyn Board>,
    job: Option<Job>,
    waiting: VecDeque<Command>,
    /// `quit` has come: whatever still waits is answered without delay.
    quitting: bool,
    /// The input has ended: searches without bound are stopped.
    ended: bool,
    debug: bool,
}

/// Runs a session until `quit` or the end of input.
///
/// # Errors
/// When there is no memory for the smallest table, or no thread to read the input.
pub fn run(input: impl Read + Send + 'static, out: Output) -> Result<(), Box<dyn std::error::Error>> {
    let settings = Settings::default();
    let table = Table::new(settings.hash).or_else(|_| Table::new(1))?;
    let (events, inbox) = sync_channel(64);
    let sender = events.clone();
    // The reader may wait for input for ever; it is not waited for at the end.
    std::thread::Builder::new().name("input".to_string()).spawn(move || read_lines(input, &sender))?;
    let mut session = Session {
        out: Arc::new(out),
        events,
        board: new_board(settings.rules()),
        settings,
        table: Arc::new(RwLock::new(table)),
        job: None,
        waiting: VecDeque::new(),
        quitting: false,
        ended: false,
        debug: false,
    };
    session.open_tables(false);
    session.serve(&inbox);
    Ok(())
}

impl Session {
    fn serve(&mut self, inbox: &Receiver<Event>) {
        while !self.finished() {
            match inbox.recv() {
                Ok(Event::Line(line)) => self.read(&line),
                Ok(Event::TooLong) => {
                    self.out.note(&format!("line skipped, expected at most {LONGEST_LINE} bytes"));
                }
                Ok(Event::JobDone(last_words)) => {
                    self.job = None;
                    self.out.line(&last_words);
                    self.work_off();
                }
                Ok(Event::End) | Err(_) => {
                    self.ended = true;
                    if let Some(job) = self.job.as_ref().filter(|job| !job.ends()) {
                        job.control.stop();
                    }
                }
            }
        }
    }

    fn finished(&self) -> bool {
        (self.ended || self.quitting) && self.job.is_none() && self.waiting.is_empty()
    }

    /// Runs what has waited for the end of a job, up to the next job.
    fn work_off(&mut self) {
        while self.job.is_none()
            && let Some(command) = self.waiting.pop_front()
        {
            self.execute(command);
        }
    }

    fn read(&mut self, line: &str) {
        self.out.log_input(line);
        if self.quitting {
            return;
        }
        let command = match line.parse::<Command>() {
            Ok(command) => command,
            Err(error) => return self.out.note(&error.to_string()),
        };
        match command {
            Command::Nothing => {}
            Command::Stop => {
                if let Some(job) = &self.job {
                    job.control.stop();
                }
            }
            Command::PonderHit => match &self.job {
                Some(job) if job.control.pondering() => job.control.ponder_hit(),
                _ => self.out.note("ponderhit: not pondering, expected after 'go ponder'"),
            },
            Command::IsReady => self.out.line("readyok"),
            Command::Uci => self.identify(),
            Command::Debug(on) => self.debug = on,
            Command::Quit => {
                self.quitting = true;
                if let Some(job) = &self.job {
                    job.control.stop();
                }
            }
            command if self.job.is_none() && self.waiting.is_empty() => self.execute(command),
            _ if self.waiting.len() >= LONGEST_QUEUE => {
                self.out.note(&format!("command skipped: {LONGEST_QUEUE} wait already, expected 'stop'"));
            }
            command => {
                if self.debug {
                    self.out.note("busy: the command waits for the end of the search");
                }
                self.waiting.push_back(command);
            }
        }
    }

    fn identify(&self) {
        let mut text = format!("id name millbrain {}\nid author the millbrain authors\n", env!("CARGO_PKG_VERSION"));
        let defaults = Settings::default();
        for option in OPTIONS {
            text.push_str(&option.uci_line(&defaults));
            text.push('\n');
        }
        text.push_str("uciok");
        self.out.line(&text);
    }

    /// Runs a command that may need an idle engine.
    fn execute(&mut self, command: Command) {
        match command {
            Command::SetOption { name, value } => self.set_option(&name, value.as_deref()),
            Command::Register => self.out.note("register: no registration is needed"),
            Command::NewGame => {
                self.clear_table();
                // The start position of any rules can be set up.
                let _ = self.board.set_up(None, &[]);
                self.board.prepare();
            }
            Command::Position { fen, moves } => {
                if let Err(error) = self.board.set_up(fen.as_deref(), &moves) {
                    self.out.note(&format!("position refused: {error}"));
                }
            }
            Command::Go(go) => self.go(*go),
            Command::Perft(depth) => self.perft(depth),
            Command::Bench(depth) => self.bench(depth.unwrap_or(bench::DEFAULT_DEPTH)),
            Command::Display => self.out.line(&self.board.display()),
            Command::Eval => self.out.line(&self.board.evaluation()),
            Command::Moves => {
                let moves = self.board.moves();
                self.out.line(if moves.is_empty() { "(none)".to_string() } else { moves.join(" ") }.as_str());
            }
            Command::Random => {
                let mv = self.board.random_move(self.settings.seed);
                self.out.line(mv.as_deref().unwrap_or("(none)"));
            }
            Command::Flip => self.board.flip(),
            Command::Help => self.out.line(help::HELP),
            Command::Rules(language) => self.out.line(&rules_text::rules_text(&self.settings.rules(), language)),
            Command::License => self.out.line(help::LICENSE),
            Command::Compiler => self.out.line(&help::compiler()),
            Command::Nothing
            | Command::Uci
            | Command::Debug(_)
            | Command::IsReady
            | Command::Stop
            | Command::PonderHit
            | Command::Quit => {}
        }
    }

    fn clear_table(&self) {
        self.table.read().unwrap_or_else(PoisonError::into_inner).clear();
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) {
        let mut settings = self.settings.clone();
        let effect = match settings.set(name, value) {
            Ok(effect) => effect,
            Err(error) => return self.out.note(&format!("setoption refused: {error}")),
        };
        match effect {
            Effect::None => {}
            Effect::Threads => {
                if !has_room_for(settings.threads) {
                    let threads = settings.threads;
                    return self
                        .out
                        .note(&format!("setoption refused: no memory for {threads} threads, expected fewer"));
                }
            }
            Effect::Clear => self.clear_table(),
            Effect::Hash => match Table::new(settings.hash) {
                Ok(table) => *self.table.write().unwrap_or_else(PoisonError::into_inner) = table,
                Err(error) => return self.out.note(&format!("setoption refused: {error}")),
            },
            Effect::Log => {
                if let Err(error) = self.out.log_to(&settings.log_file) {
                    let path = crate::fen::shorten(&settings.log_file);
                    return self.out.note(&format!(
                        "setoption refused: log file {path:?} cannot be opened ({error}), expected a writable path"
                    ));
                }
            }
            Effect::Rules => {
                // Entries of other rules would be false here.
                if settings.rules() != self.settings.rules() {
                    self.clear_table();
                }
                self.board = new_board(settings.rules());
            }
            Effect::Tables => {}
        }
        self.settings = settings;
        if matches!(effect, Effect::Rules | Effect::Tables) {
            self.open_tables(effect == Effect::Tables);
        }
    }

    /// Opens the tablebases that the settings name; `aloud` says how many there are, and names those of other rules.
    fn open_tables(&mut self, aloud: bool) {
        let report = self.board.open_tables(&self.settings.sources());
        for refusal in report.refusals.iter().filter(|refusal| aloud || !refusal.other_rules) {
            self.out.note(&format!("tablebase not used: {}", refusal.text));
        }
        if aloud {
            let limit = self.settings.tablebase_limit;
            self.out.note(&format!("tablebases: {} sectors, up to {limit} on the board", report.sectors));
        }
    }

    /// Starts a job beside the loop, which returns its last words. `failed` speaks for it should it panic or not
    /// start at all.
    fn launch(
        &mut self,
        control: Control,
        bounded: bool,
        job: impl FnOnce(&Control, &Output) -> String + Send + 'static,
        failed: String,
    ) {
        let started = Job { control: Arc::new(control), bounded };
        if self.quitting || (self.ended && !started.ends()) {
            started.control.stop();
        }
        let (events, out, last_resort) = (self.events.clone(), self.out.clone(), failed.clone());
        let held = started.control.clone();
        let body = move || {
            let last_words = catch_unwind(AssertUnwindSafe(|| job(&held, &out))).unwrap_or_else(|_| {
                out.note("internal error, please report it; the engine goes on");
                last_resort
            });
            // The session may have gone already.
            let _ = events.send(Event::JobDone(last_words));
        };
        match std::thread::Builder::new().name("job".to_string()).stack_size(STACK_BYTES).spawn(body) {
            Ok(_) => self.job = Some(started),
            Err(error) => {
                self.out.note(&format!("no thread could be started ({error}), expected a less busy system"));
                self.out.line(&failed);
            }
        }
    }

    fn go(&mut self, go: Go) {
        for complaint in &go.complaints {
            self.out.note(&format!("go: {complaint}"));
        }
        if let Some(depth) = go.perft {
            return self.perft(depth);
        }
        let control = Control::new(go.limits.ponder);
        let bounded = go.limits.is_bounded();
        let board = self.board.boxed();
        let last_resort = board.any_move_line();
        let (settings, table) = (self.settings.clone(), self.table.clone());
        let search = move |control: &Control, out: &Output| {
            let table = table.read().unwrap_or_else(PoisonError::into_inner);
            board.go(&go, &settings, &table, control, out)
        };
        self.launch(control, bounded, search, last_resort);
    }

    fn perft(&mut self, depth: u32) {
        let board = self.board.boxed();
        let threads = self.settings.threads;
        let count = move |control: &Control, _: &Output| {
            let divided = board.perft(depth, perft::Settings { threads, hash_mib: 0, stop: control.stop_flag() });
            if control.stopped() {
                return "info string perft stopped".to_string();
            }
            perft::listing(&divided, depth)
        };
        self.launch(Control::new(false), true, count, "info string perft failed".to_string());
    }

    fn bench(&mut self, depth: u32) {
        let run =
            move |control: &Control, out: &Output| match bench::run(depth, 1, bench::DEFAULT_HASH, control, |line| {
                out.note(line)
            }) {
                Ok(_) if control.stopped() => "info string bench stopped".to_string(),
                Ok(total) => total.line(),
                Err(error) => format!("info string {error}"),
            };
        self.launch(Control::new(false), true, run, "info string bench failed".to_string());
    }
}
