//! The session: reads lines, runs one job at a time in parallel, and answers every `go`.
//!
//! While a job runs, only `stop`, `ponderhit`, `isready`, `uci`, `debug` and `quit` take effect immediately, and
//! `MultiPV` on a search without bound. All other commands wait in order, so that a script may send all its commands
//! without waiting for answers. `stop` and `ponderhit` apply to every earlier search, including waiting ones.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use super::bounds::{Bounds, Files};
use super::command::{Command, Go};
use super::options::{Effect, OPTIONS, Settings};
use super::output::Output;
use super::player::{self, Resources};
use super::{display, help};
use crate::ENGINE;
use crate::any::AnyGame;
use crate::bench;
use crate::perft;
use crate::search::Control;
use crate::search::hash::OutOfMemory;
use crate::tablebase::{self, probe::probe_asked};
use std::collections::VecDeque;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// Why a session cannot start, or ended early.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    /// No memory for the smallest hash table.
    #[error(transparent)]
    Memory(#[from] OutOfMemory),
    /// No thread to read the input.
    #[error("no thread to read the input ({0}); is the limit of processes reached?")]
    Thread(#[source] io::Error),
    /// The input cannot be read.
    #[error("input: {0}, expected lines of commands")]
    Input(#[source] io::Error),
    /// The output is closed.
    #[error("output: {0}")]
    Closed(#[source] io::Error),
}

/// The function of a job: takes its control and the output, and returns its last words.
type Body = Box<dyn FnOnce(&Arc<Control>, &Output) -> String + Send>;

/// A job to run on any thread. Pass its last words to [`Session::job_done`].
pub struct Work {
    body: Body,
    control: Arc<Control>,
    threads: usize,
    out: Arc<Output>,
    /// The last words if the job panics or cannot start.
    last_resort: String,
}

impl Work {
    /// Runs the job to its end and returns its last words.
    pub fn run(self) -> String {
        let Work { body, control, out, last_resort, .. } = self;
        catch_unwind(AssertUnwindSafe(|| body(&control, &out))).unwrap_or_else(|_| {
            out.note("internal error, please report it; the engine goes on");
            last_resort
        })
    }

    /// Returns the last words for a job that cannot run.
    pub fn last_resort(&self) -> &str {
        &self.last_resort
    }

    /// Returns the control of the job. A driver with a single thread gives it a pulse, to pass incoming lines to the
    /// session during the job.
    pub const fn control(&self) -> &Arc<Control> {
        &self.control
    }

    /// Returns the number of threads that the job uses.
    pub const fn threads(&self) -> usize {
        self.threads
    }
}

/// A job that runs beside the loop.
struct Job {
    control: Arc<Control>,
    /// Whether the job ends by itself, at the latest after it stops pondering.
    bounded: bool,
    /// The search, if the job is one.
    search: Option<Go>,
    /// Whether the search starts again with other settings instead of answering.
    restarts: bool,
}

impl Job {
    fn new(pondering: bool, bounded: bool) -> Job {
        Job { control: Arc::new(Control::new(pondering)), bounded, search: None, restarts: false }
    }

    /// Ends the job with an answer.
    fn stop(&mut self) {
        self.restarts = false;
        self.control.stop();
    }

    /// Whether the job is a search that runs until it is stopped.
    fn is_analysis(&self) -> bool {
        self.search.is_some() && !self.ends() && !self.control.stopped()
    }

    /// Whether the job ends by itself in its current state: the input may end before a ponder hit.
    fn ends(&self) -> bool {
        self.bounded && !self.control.pondering()
    }
}

/// A command that waits for the end of a job, with later commands that affect its search.
struct Waiting {
    command: Command,
    stopped: bool,
    ponder_hit: bool,
}

impl Waiting {
    const fn new(command: Command) -> Waiting {
        Waiting { command, stopped: false, ponder_hit: false }
    }

    /// Whether it starts a search that waits for a ponder hit.
    fn is_pondering(&self) -> bool {
        !self.ponder_hit && matches!(&self.command, Command::Go(go) if go.ponder)
    }
}

/// A session: reads and writes lines, and relies on a driver to run its jobs.
///
/// Lines go in through [`Session::line`]; answers come out of the [`Output`]. After each call the driver takes the job
/// that may have started ([`Session::take_work`]) and runs it, on the same or another thread. It passes the job's last
/// words to [`Session::job_done`], until [`Session::is_finished`].
pub struct Session {
    out: Arc<Output>,
    bounds: Bounds,
    /// The initial settings.
    defaults: Settings,
    settings: Settings,
    resources: Resources,
    game: AnyGame,
    job: Option<Job>,
    /// The job for the driver to run.
    work: Option<Work>,
    waiting: VecDeque<Waiting>,
    /// Whether `quit` was received: waiting commands are answered immediately.
    quitting: bool,
    /// Whether the input has ended: unbounded searches are stopped.
    ended: bool,
    debug: bool,
}

impl Session {
    /// Creates a session that writes its lines to `out`.
    ///
    /// # Errors
    /// When there is no memory for the smallest hash table.
    pub fn new(out: Arc<Output>) -> Result<Session, SessionError> {
        Session::within(out, Settings::default(), Bounds::default())
    }

    /// Creates a session with these initial settings and bounds.
    ///
    /// # Errors
    /// When there is no memory for the smallest hash table.
    pub fn within(out: Arc<Output>, mut settings: Settings, bounds: Bounds) -> Result<Session, SessionError> {
        if bounds.files == Files::None {
            out.hide_faults();
        }
        settings.hash = settings.hash.min(usize::try_from(bounds.hash).unwrap_or(usize::MAX));
        let resources = Resources::new(settings.hash).or_else(|_| Resources::new(1))?;
        let mut session = Session {
            out,
            bounds,
            defaults: settings.clone(),
            game: AnyGame::new(settings.rules),
            settings,
            resources,
            job: None,
            work: None,
            waiting: VecDeque::new(),
            quitting: false,
            ended: false,
            debug: false,
        };
        session.open_tables(false);
        Ok(session)
    }

    /// Returns the game after all executed commands.
    pub const fn game(&self) -> &AnyGame {
        &self.game
    }

    /// Returns the options after all executed commands.
    pub const fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Reopens the tablebases silently, after new ones were installed.
    pub fn reopen_tables(&mut self) {
        self.open_tables(false);
    }

    /// Takes the job started since the last call, if any.
    pub fn take_work(&mut self) -> Option<Work> {
        self.work.take()
    }

    /// Ends a job: writes its last words, and runs the commands that waited for its end. A search that starts again
    /// writes none.
    pub fn job_done(&mut self, last_words: &str) {
        match self.job.take() {
            Some(Job { search: Some(go), restarts: true, control, .. }) => {
                return self.go(go, false, !control.pondering());
            }
            _ => self.out.line(last_words),
        }
        self.work_off();
        self.look_at_output();
    }

    /// Reports that a job could not start; pass its last resort to [`Session::job_done`].
    pub fn could_not_start(&self, error: &io::Error) {
        self.out.note(&format!("no thread could be started ({error}); is the limit of processes reached?"));
    }

    /// Whether a job is running.
    pub const fn is_busy(&self) -> bool {
        self.job.is_some()
    }

    /// Ends the input: jobs that do not end by themselves are stopped.
    pub fn end_of_input(&mut self) {
        self.ended = true;
        if let Some(job) = self.job.as_mut().filter(|job| !job.ends()) {
            job.stop();
        }
    }

    /// Reports a skipped line that exceeded the bounds.
    pub fn line_too_long(&mut self) {
        self.out.note(&format!("line skipped, expected at most {} bytes", self.bounds.line));
    }

    /// Ends the session if its output is closed.
    pub fn look_at_output(&mut self) {
        if self.out.is_closed() {
            self.waiting.clear();
            self.quit();
        }
    }

    fn quit(&mut self) {
        self.quitting = true;
        if let Some(job) = &mut self.job {
            job.stop();
        }
    }

    /// Whether the session is finished: `quit` or the end of input was received, and every job is over.
    pub fn is_finished(&self) -> bool {
        (self.ended || self.quitting) && self.job.is_none() && self.waiting.is_empty()
    }

    /// Runs waiting commands up to the next job.
    fn work_off(&mut self) {
        while self.job.is_none()
            && let Some(waiting) = self.waiting.pop_front()
        {
            self.execute(waiting);
        }
    }

    /// Handles a line of input, without its line ending.
    pub fn line(&mut self, line: &str) {
        self.read(line);
        self.look_at_output();
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
                if let Some(job) = &mut self.job {
                    job.stop();
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
            Command::SetOption { name, value } if self.acts_on_search(&name) => {
                let before = self.settings.multipv;
                self.set_option(&name, value.as_deref());
                if let Some(job) = self.job.as_mut().filter(|_| self.settings.multipv != before) {
                    job.restarts = true;
                    job.control.stop();
                }
            }
            command if self.job.is_none() && self.waiting.is_empty() => self.execute(Waiting::new(command)),
            _ if self.waiting.len() >= self.bounds.queue => {
                self.out.note(&format!("command skipped: {} wait already, expected 'stop'", self.bounds.queue));
            }
            command => {
                if self.debug {
                    self.out.note("busy: the command waits for the end of the search");
                }
                self.waiting.push_back(Waiting::new(command));
            }
        }
    }

    /// Whether this option acts on the running search. Waiting commands come first.
    fn acts_on_search(&self, option: &str) -> bool {
        let runs = self.job.as_ref().is_some_and(|job| job.is_analysis() || job.restarts);
        runs && self.waiting.is_empty() && option.eq_ignore_ascii_case("MultiPV")
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
        let mut text = format!("id name {ENGINE}\nid author the millbrain authors\n");
        for option in OPTIONS.iter().filter_map(|option| option.within(&self.bounds)) {
            text.push_str(&option.uci_line(&self.defaults));
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
                self.resources.clear_hash();
                // The start position of any rules is valid.
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
            Command::Probe => self.probe(stopped),
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
            Command::Rules(language) => self.out.line(&self.game.rules_text(language).join("\n")),
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

    fn set_option(&mut self, name: &str, value: Option<&str>) {
        let mut settings = self.settings.clone();
        let effect = match settings.set_within(name, value, &self.bounds) {
            Ok(effect) => effect,
            Err(error) => return self.out.note(&format!("setoption refused: {error}")),
        };
        match effect {
            Effect::Threads | Effect::Hash | Effect::Clear | Effect::Book => {
                if let Err(error) = self.resources.apply(effect, &settings) {
                    return self.out.note(&format!("setoption refused: {error}"));
                }
            }
            Effect::Log => {
                if let Err(error) = self.out.log_to(&settings.log_file) {
                    let path = crate::fen::shorten(&settings.log_file);
                    return self.out.note(&format!(
                        "setoption refused: log file {path:?} cannot be opened ({error}), expected a writable path"
                    ));
                }
            }
            Effect::Rules => {
                // Entries of other rules would be wrong here.
                if settings.rules != self.settings.rules {
                    self.resources.clear_hash();
                }
                self.game = AnyGame::new(settings.rules);
            }
            Effect::None | Effect::Tables | Effect::Cache => {}
        }
        self.settings = settings;
        if matches!(effect, Effect::Rules | Effect::Tables | Effect::Cache) {
            self.open_tables(effect != Effect::Rules);
        }
    }

    /// Opens the tablebases of the settings; `aloud` reports their number and those for other rules.
    fn open_tables(&mut self, aloud: bool) {
        let opened = tablebase::open(&self.settings.rules, &self.settings.sources());
        self.game.set_oracle(opened.oracle.as_ref());
        for refusal in opened.refusals.iter().filter(|refusal| aloud || !refusal.is_other_rules()) {
            self.out.fault(&format!("tablebase not used: {refusal}"));
        }
        if aloud {
            let limit = self.settings.tablebase_limit;
            let sectors = crate::fen::counted(opened.sectors, "sector");
            let packed = match opened.packed {
                0 => String::new(),
                packed => format!(", {packed} positions in packs"),
            };
            self.out.note(&format!("tablebases: {sectors}, up to {limit} on the board{packed}"));
        }
    }

    /// Starts a job; `stopped` if a `stop` came while it waited. `last_resort` is its answer if it panics or cannot
    /// start.
    fn launch(
        &mut self,
        started: Job,
        stopped: bool,
        job: impl FnOnce(&Arc<Control>, &Output) -> String + Send + 'static,
        last_resort: String,
    ) {
        if stopped || self.quitting || (self.ended && !started.ends()) {
            started.control.stop();
        }
        let (control, threads) = (Arc::clone(&started.control), self.settings.threads);
        self.work = Some(Work { body: Box::new(job), control, threads, out: Arc::clone(&self.out), last_resort });
        self.job = Some(started);
    }

    fn go(&mut self, mut go: Go, stopped: bool, ponder_hit: bool) {
        for complaint in go.complaints.drain(..) {
            self.out.note(&format!("go: {complaint}"));
        }
        if let Some(depth) = go.perft {
            return self.perft(depth, stopped);
        }
        let mut job = Job::new(go.ponder && !ponder_hit, go.limits.is_bounded());
        job.search = Some(go.clone());
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
            let divided = game.perft(depth, perft::Settings { threads, hash_mib: 0, stop: &**control });
            if control.stopped() {
                return "info string perft stopped".to_string();
            }
            perft::listing(&divided, depth)
        };
        self.launch(Job::new(false, true), stopped, count, "info string perft failed".to_string());
    }

    /// Looks the position up in another thread, since hosts and servers may be slow.
    fn probe(&mut self, stopped: bool) {
        let game = self.game.clone();
        let probe = move |_: &Arc<Control>, out: &Output| match probe_asked(game) {
            Ok(answer) => {
                answer.faults.iter().for_each(|fault| out.fault(fault));
                serde_json::to_string(&answer).unwrap_or_default()
            }
            Err(error) => format!("info string probe: {error}"),
        };
        self.launch(Job::new(false, true), stopped, probe, "info string probe failed".to_string());
    }

    fn bench(&mut self, depth: u32, stopped: bool) {
        // The node total requires a table of this size.
        let hash = bench::DEFAULT_HASH.min(usize::try_from(self.bounds.hash).unwrap_or(usize::MAX));
        #[cfg(feature = "tune")]
        self.settings.tunables.put_in_force();
        let run = move |control: &Arc<Control>, out: &Output| match bench::run(depth, 1, hash, control, |line| {
            out.note(line)
        }) {
            Ok(_) if control.stopped() => "info string bench stopped".to_string(),
            Ok(total) => total.line(),
            Err(error) => format!("info string {error}"),
        };
        self.launch(Job::new(false, true), stopped, run, "info string bench failed".to_string());
    }
}
