//! The session: reads commands, runs one job at a time beside the loop, and never leaves a `go` unanswered.
//!
//! While a job runs, only `stop`, `ponderhit`, `isready`, `uci`, `debug` and `quit` act at once. Everything else
//! waits its turn, in order, so that a script may send all its commands without waiting for answers. `stop` and
//! `ponderhit` hold for every search asked for before them, those that still wait included.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use super::command::{Command, Go};
use super::options::{Effect, OPTIONS, Settings};
use super::output::Output;
use super::player::{self, Resources};
use super::{display, help, rules_text};
use crate::any::AnyGame;
use crate::bench;
use crate::perft;
use crate::search::{Control, HashTable, Pool};
use crate::tablebase;
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

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
    /// Nobody reads the output any more.
    Closed,
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
    fn new(pondering: bool, bounded: bool) -> Job {
        Job { control: Arc::new(Control::new(pondering)), bounded }
    }

    /// Whether it ends by itself as things stand: the input may end before a ponder hit.
    fn ends(&self) -> bool {
        self.bounded && !self.control.pondering()
    }
}

/// A command that waits for the end of a job, with what has been said meanwhile of the search that it asks for.
struct Waiting {
    command: Command,
    stopped: bool,
    ponder_hit: bool,
}

impl Waiting {
    const fn new(command: Command) -> Waiting {
        Waiting { command, stopped: false, ponder_hit: false }
    }

    /// Whether it asks for a search that waits for a ponder hit.
    fn is_pondering(&self) -> bool {
        !self.ponder_hit && matches!(&self.command, Command::Go(go) if go.ponder)
    }
}

/// Some editors begin a text with this mark; it is no part of the first command.
const BYTE_ORDER_MARK: &str = "\u{feff}";

/// Reads lines of any bytes until the input ends.
fn read_lines(input: impl Read, events: &SyncSender<Event>) {
    let mut input = BufReader::new(input);
    let mut line = Vec::new();
    let mut is_first = true;
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
            Ok(_) => {
                let text = String::from_utf8_lossy(&line);
                let text = text.strip_prefix(BYTE_ORDER_MARK).filter(|_| is_first).unwrap_or(&text);
                Event::Line(text.trim_end_matches(['\n', '\r']).to_string())
            }
        };
        is_first = false;
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
    resources: Resources,
    game: AnyGame,
    job: Option<Job>,
    waiting: VecDeque<Waiting>,
    /// `quit` has come: whatever still waits is answered without delay.
    quitting: bool,
    /// The input has ended: searches without bound are stopped.
    ended: bool,
    debug: bool,
}

/// Runs a session until `quit` or the end of input.
///
/// # Errors
/// When there is no memory for the smallest table or no thread to read the input, and a broken pipe when the reader
/// of the output has gone away.
pub fn run(input: impl Read + Send + 'static, out: Output) -> Result<(), Box<dyn std::error::Error>> {
    let settings = Settings::default();
    let hash = HashTable::new(settings.hash).or_else(|_| HashTable::new(1))?;
    let (events, inbox) = sync_channel(64);
    let (out, closed) = (Arc::new(out), events.clone());
    // With a full channel the session is at work and sees the end of the output by itself.
    out.on_close(move || drop(closed.try_send(Event::Closed)));
    out.watch();
    let sender = events.clone();
    // The reader may wait for input for ever; it is not waited for at the end.
    std::thread::Builder::new().name("input".to_string()).spawn(move || read_lines(input, &sender))?;
    let mut session = Session {
        out,
        events,
        game: AnyGame::new(settings.rules()),
        settings,
        resources: Resources { hash: Arc::new(hash), pool: Arc::new(Pool::single()) },
        job: None,
        waiting: VecDeque::new(),
        quitting: false,
        ended: false,
        debug: false,
    };
    session.open_tables(false);
    session.serve(&inbox);
    if session.out.is_closed() {
        return Err(std::io::Error::from(std::io::ErrorKind::BrokenPipe).into());
    }
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
                // Seen below.
                Ok(Event::Closed) => {}
            }
            if self.out.is_closed() {
                self.waiting.clear();
                self.quit();
            }
        }
    }

    fn quit(&mut self) {
        self.quitting = true;
        if let Some(job) = &self.job {
            job.control.stop();
        }
    }

    fn finished(&self) -> bool {
        (self.ended || self.quitting) && self.job.is_none() && self.waiting.is_empty()
    }

    /// Runs what has waited for the end of a job, up to the next job.
    fn work_off(&mut self) {
        while self.job.is_none()
            && let Some(waiting) = self.waiting.pop_front()
        {
            self.execute(waiting);
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
                for waiting in &mut self.waiting {
                    waiting.stopped = true;
                }
            }
            Command::PonderHit => self.ponder_hit(),
            Command::IsReady => self.out.line("readyok"),
            Command::Uci => self.identify(),
            Command::Debug(on) => self.debug = on,
            Command::Quit => self.quit(),
            command if self.job.is_none() && self.waiting.is_empty() => self.execute(Waiting::new(command)),
            _ if self.waiting.len() >= LONGEST_QUEUE => {
                self.out.note(&format!("command skipped: {LONGEST_QUEUE} wait already, expected 'stop'"));
            }
            command => {
                if self.debug {
                    self.out.note("busy: the command waits for the end of the search");
                }
                self.waiting.push_back(Waiting::new(command));
            }
        }
    }

    fn ponder_hit(&mut self) {
        let mut pondering = false;
        if let Some(job) = self.job.as_ref().filter(|job| job.control.pondering()) {
            job.control.ponder_hit();
            pondering = true;
        }
        for waiting in self.waiting.iter_mut().filter(|waiting| waiting.is_pondering()) {
            waiting.ponder_hit = true;
            pondering = true;
        }
        if !pondering {
            self.out.note("ponderhit: not pondering, expected after 'go ponder'");
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
    fn execute(&mut self, Waiting { command, stopped, ponder_hit }: Waiting) {
        match command {
            Command::SetOption { name, value } => self.set_option(&name, value.as_deref()),
            Command::Register => self.out.note("register: no registration is needed"),
            Command::NewGame => {
                self.clear_hash();
                // The start position of any rules can be set up.
                let _ = self.game.set_up(None, []);
                self.game.prepare();
            }
            Command::Position { fen, moves } => {
                if let Err(error) = self.game.set_up(fen.as_deref(), moves.iter().map(String::as_str)) {
                    self.out.note(&format!("position refused: {error}"));
                }
            }
            Command::Go(go) => self.go(*go, stopped, ponder_hit),
            Command::Perft(depth) => self.perft(depth, stopped),
            Command::Bench(depth) => self.bench(depth.unwrap_or(bench::DEFAULT_DEPTH), stopped),
            Command::Display => self.out.line(&display::display(&self.game)),
            Command::Eval => self.out.line(&display::evaluation(&self.game)),
            Command::Moves => {
                let moves = self.game.moves();
                self.out.line(if moves.is_empty() { "(none)".to_string() } else { moves.join(" ") }.as_str());
            }
            Command::Random => {
                let mv = player::random_move(&self.game, self.settings.seed);
                self.out.line(mv.as_deref().unwrap_or("(none)"));
            }
            Command::Flip => self.game.flip(),
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

    fn clear_hash(&self) {
        // A helper of the last search may not have seen its end yet: nothing of that search is to be stored any more.
        self.resources.pool.settle();
        self.resources.hash.clear();
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) {
        let mut settings = self.settings.clone();
        let effect = match settings.set(name, value) {
            Ok(effect) => effect,
            Err(error) => return self.out.note(&format!("setoption refused: {error}")),
        };
        match effect {
            Effect::None => {}
            Effect::Threads => match Pool::new(settings.threads) {
                Ok(pool) => self.resources.pool = Arc::new(pool),
                Err(error) => return self.out.note(&format!("setoption refused: {error}")),
            },
            Effect::Clear => self.clear_hash(),
            Effect::Hash => match HashTable::new(settings.hash) {
                Ok(hash) => self.resources.hash = Arc::new(hash),
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
                    self.clear_hash();
                }
                self.game = AnyGame::new(settings.rules());
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
        let opened = tablebase::open(&self.settings.rules(), &self.settings.sources());
        self.game.set_oracle(opened.oracle.as_ref());
        for refusal in opened.refusals.iter().filter(|refusal| aloud || !refusal.is_other_rules()) {
            self.out.note(&format!("tablebase not used: {refusal}"));
        }
        if aloud {
            let limit = self.settings.tablebase_limit;
            let sectors = crate::fen::counted(opened.sectors, "sector");
            self.out.note(&format!("tablebases: {sectors}, up to {limit} on the board"));
        }
    }

    /// Starts a job beside the loop, which returns its last words; `stopped` says that it was told to stop while it
    /// waited. `failed` speaks for it should it panic or not start at all.
    fn launch(
        &mut self,
        started: Job,
        stopped: bool,
        job: impl FnOnce(&Arc<Control>, &Output) -> String + Send + 'static,
        failed: String,
    ) {
        if stopped || self.quitting || (self.ended && !started.ends()) {
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

    fn go(&mut self, go: Go, stopped: bool, ponder_hit: bool) {
        for complaint in &go.complaints {
            self.out.note(&format!("go: {complaint}"));
        }
        if let Some(depth) = go.perft {
            return self.perft(depth, stopped);
        }
        let job = Job::new(go.ponder && !ponder_hit, go.limits.is_bounded());
        let game = self.game.clone();
        let last_resort = player::any_move_line(&game);
        let (settings, resources) = (self.settings.clone(), self.resources.clone());
        let search =
            move |control: &Arc<Control>, out: &Output| player::go(&game, &go, &settings, &resources, control, out);
        self.launch(job, stopped, search, last_resort);
    }

    fn perft(&mut self, depth: u32, stopped: bool) {
        let game = self.game.clone();
        let threads = self.settings.threads;
        let count = move |control: &Arc<Control>, _: &Output| {
            let divided = game.perft(depth, perft::Settings { threads, hash_mib: 0, stop: control.stop_flag() });
            if control.stopped() {
                return "info string perft stopped".to_string();
            }
            perft::listing(&divided, depth)
        };
        self.launch(Job::new(false, true), stopped, count, "info string perft failed".to_string());
    }

    fn bench(&mut self, depth: u32, stopped: bool) {
        let run = move |control: &Arc<Control>, out: &Output| match bench::run(
            depth,
            1,
            bench::DEFAULT_HASH,
            control,
            |line| out.note(line),
        ) {
            Ok(_) if control.stopped() => "info string bench stopped".to_string(),
            Ok(total) => total.line(),
            Err(error) => format!("info string {error}"),
        };
        self.launch(Job::new(false, true), stopped, run, "info string bench failed".to_string());
    }
}
