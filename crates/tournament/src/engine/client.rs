//! An engine of a match: a process and its dialect.

pub use crate::advertised::OptionError;
use crate::advertised::{Advertised, is_complaint};
use crate::answer::Best;
pub use crate::answer::{Answer, Report};
use crate::config::EngineConfig;
use crate::dialect::{Question, Search, SettingsError, Speech, speech};
use crate::dialogue::{Dialogue, quoted};
pub use crate::process::LastWords;
use crate::process::Process;
use millbrain_core::variant::NamedRules;
use millbrain_files::InFile;
use std::cell::RefCell;
use std::io;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

/// Time to answer `uci` and `isready`.
const READY_TIMEOUT: Duration = Duration::from_secs(20);
/// Time to answer `stop` after the time limit.
const STOP_TIMEOUT: Duration = Duration::from_secs(2);
/// Interval at which a wait checks for the end of the match.
const POLL: Duration = Duration::from_millis(50);
/// Maximum number of stored complaints.
const MAX_COMPLAINTS: usize = 5;

/// Why an engine gave no answer. The text follows the engine's name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Failure {
    /// The engine's output has ended.
    #[error("ended")]
    Crash,
    /// The engine has not answered in time.
    #[error("did not answer")]
    Stall,
    /// The match ends, so the answer is no longer needed.
    #[error("was interrupted")]
    Interrupted,
}

/// Why an engine cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// The program cannot be run.
    #[error("cannot run {command:?}: {source}")]
    Run {
        /// The program.
        command: String,
        /// The system's error.
        source: io::Error,
    },
    /// The dialogue cannot be logged.
    #[error("{0}")]
    Log(#[from] InFile<io::Error>),
    /// There was no `uciok`.
    #[error("{0} before 'uciok'{1}")]
    NoUciOk(#[source] Failure, LastWords),
    /// The engine rejects its settings.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// There was no `readyok` after the options.
    #[error("{0} while options were set{1}")]
    NotReady(#[source] Failure, LastWords),
}

/// A running engine.
pub struct Client<'a> {
    process: Process,
    speech: Box<dyn Speech>,
    /// Set when the match must end; it interrupts every wait.
    stop: &'a AtomicBool,
    /// The reply on which the engine ponders.
    expected: RefCell<Option<String>>,
}

impl<'a> Client<'a> {
    /// Starts an engine, sets its options and waits until it is ready. Returns the engine with the lines in which it
    /// complains about its settings: at most five, of at most 200 characters.
    ///
    /// # Errors
    /// When the program cannot be run, does not answer within 20 s, lacks an option or rejects its value.
    pub(crate) fn start(
        config: &EngineConfig,
        rules: NamedRules,
        stop: &'a AtomicBool,
        dialogue: Dialogue,
    ) -> Result<(Client<'a>, Vec<String>), StartError> {
        let mut client = Client::run(config, stop, dialogue)?;
        let mut advertised = Advertised::default();
        client.send("uci");
        let greeted = client.wait(READY_TIMEOUT, |line| {
            advertised.read(line);
            line == "uciok"
        });
        if let Err(failure) = greeted {
            return Err(StartError::NoUciOk(failure, client.last_words(failure)));
        }
        for command in client.speech.settings(&advertised, config, rules)? {
            client.send(&command);
        }
        let mut complaints = Vec::new();
        let ready = client.ready(|line| {
            if is_complaint(line) && complaints.len() < MAX_COMPLAINTS {
                complaints.push(quoted(line));
            }
        });
        match ready {
            Ok(()) => Ok((client, complaints)),
            Err(failure) => Err(StartError::NotReady(failure, client.last_words(failure))),
        }
    }

    fn run(config: &EngineConfig, stop: &'a AtomicBool, dialogue: Dialogue) -> Result<Client<'a>, StartError> {
        let mut command = Command::new(&config.command);
        command.args(&config.arguments).stderr(Stdio::piped());
        if let Some(directory) = &config.directory {
            command.current_dir(directory);
        }
        let cannot_run = |source| StartError::Run { command: config.command.clone(), source };
        let process = Process::logged(command, dialogue).map_err(cannot_run)?;
        Ok(Client { process, speech: speech(config.dialect), stop, expected: RefCell::default() })
    }

    fn send(&self, line: &str) {
        self.process.send(line);
    }

    /// Returns the known circumstances of the engine's end after this failure.
    pub(crate) fn last_words(&self, failure: Failure) -> LastWords {
        self.process.last_words(failure == Failure::Crash)
    }

    /// Reads lines until one is accepted.
    fn wait(&self, timeout: Duration, mut accept: impl FnMut(&str) -> bool) -> Result<Instant, Failure> {
        let deadline = Instant::now() + timeout;
        loop {
            if self.stop.load(Ordering::Relaxed) {
                return Err(Failure::Interrupted);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            match self.process.hear(left.min(POLL)) {
                Ok((at, line)) if accept(&line) => return Ok(at),
                Ok((at, _)) if at > deadline => return Err(Failure::Stall),
                Err(RecvTimeoutError::Timeout) if left.is_zero() => return Err(Failure::Stall),
                Ok(_) | Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(Failure::Crash),
            }
        }
    }

    /// Waits until the engine has read all lines sent so far.
    fn ready(&self, mut seen: impl FnMut(&str)) -> Result<(), Failure> {
        self.send("isready");
        let accept = |line: &str| {
            let is_ready = self.speech.is_ready(line);
            if !is_ready {
                seen(line);
            }
            is_ready
        };
        self.wait(READY_TIMEOUT, accept).map(|_| ())
    }

    /// Announces a new game and waits up to 20 s until the engine is ready.
    ///
    /// # Errors
    /// When the engine does not answer.
    pub fn new_game(&self) -> Result<(), Failure> {
        self.end_pondering()?;
        self.send("ucinewgame");
        self.ready(|_| ())
    }

    /// Lets the engine ponder on the question that it must answer if its opponent plays the last of the moves.
    pub fn ponder(&self, question: &Question<'_>) {
        let commands = self.speech.ponder(question);
        if let (Some(expected), false) = (question.moves.last(), commands.is_empty()) {
            self.expected.replace(Some(expected.to_string()));
            self.process.leave_unread(true);
            commands.iter().for_each(|command| self.send(command));
        }
    }

    /// Stops an engine that ponders on a reply that was not played.
    fn end_pondering(&self) -> Result<(), Failure> {
        if self.expected.take().is_none() {
            return Ok(());
        }
        self.process.leave_unread(false);
        self.send("stop");
        self.wait(STOP_TIMEOUT, |line| line.starts_with("bestmove")).map(drop)
    }

    /// Requests a move and waits for the answer. After the patience of the question the engine gets a `stop` and two
    /// more seconds; the caller decides whether the answer was too late.
    ///
    /// # Errors
    /// When the engine does not answer.
    pub fn think(&self, question: &Question<'_>) -> Result<Answer, Failure> {
        if self.expected.borrow().as_deref().is_some_and(|expected| question.moves.last() == Some(&expected)) {
            self.expected.take();
            self.process.leave_unread(false);
            return self.answer(question, "ponderhit", None, question.patience);
        }
        self.end_pondering()?;
        let mut answer = self.search(question, None)?;
        while answer.elapsed <= question.patience && self.speech.is_half(question, &answer.best) {
            let rest = self.search(question, Some(&answer))?;
            answer = answer.completed(rest);
        }
        Ok(answer)
    }

    /// Searches for a move, or for the rest of it.
    fn search(&self, question: &Question<'_>, half: Option<&Answer>) -> Result<Answer, Failure> {
        let Search { before, go, stop_after } = self.speech.search(question, half);
        for command in before {
            self.send(&command);
        }
        self.ready(|_| ())?;
        let patience = question.patience.saturating_sub(half.map_or(Duration::ZERO, |half| half.elapsed));
        self.answer(question, &go, stop_after, patience)
    }

    /// Sends the command that starts the clock, and waits for the answer.
    fn answer(
        &self,
        question: &Question<'_>,
        command: &str,
        stop_after: Option<Duration>,
        patience: Duration,
    ) -> Result<Answer, Failure> {
        let started = Instant::now();
        self.send(command);
        let mut report = Report::default();
        let mut found = Best::default();
        let mut accept = |line: &str| match self.speech.read(line, question, &mut report) {
            Some(best) => {
                found = best;
                true
            }
            None => false,
        };
        let early = stop_after.filter(|early| *early < patience);
        let mut at = self.wait(early.unwrap_or(patience), &mut accept);
        let later = early.map(|early| patience - early);
        for timeout in [later, Some(STOP_TIMEOUT)].into_iter().flatten() {
            if at == Err(Failure::Stall) {
                self.send("stop");
                at = self.wait(timeout, &mut accept);
            }
        }
        let elapsed = at?.saturating_duration_since(started);
        let Best { best, ponder } = found;
        Ok(Answer { best, ponder, report, elapsed })
    }
}

/// Tests with shell scripts as engines.
#[cfg(all(test, unix))]
mod processes {
    use super::*;
    use crate::config::Thinking;
    use millbrain_core::any::AnyGame;
    use millbrain_core::variant::Variant;

    /// Returns an engine that reads a word and the rest of each line and runs these cases.
    fn mock(cases: &str) -> EngineConfig {
        let script = format!(
            "while read -r word rest; do case $word in {cases} \
             uci) echo 'option name UCI_Variant type combo'; echo 'option name Hash type spin min 1 max 8'; \
                  echo 'option name A B type string'; echo uciok;; \
             isready) echo readyok;; quit) exit;; esac; done"
        );
        EngineConfig {
            name: "mock".to_string(),
            command: "/bin/sh".to_string(),
            arguments: vec!["-c".to_string(), script],
            ..EngineConfig::default()
        }
    }

    static NO_STOP: AtomicBool = AtomicBool::new(false);

    fn start(config: &EngineConfig) -> Result<(Client<'static>, Vec<String>), StartError> {
        Client::start(config, Variant::Smess.into(), &NO_STOP, Dialogue::default())
    }

    /// Requests the first move of a game at this depth.
    fn think(client: &Client<'_>, depth: u32, patience: Duration) -> Result<Answer, Failure> {
        let game = AnyGame::new(Variant::Smess.rules());
        let thinking = Thinking { depth: Some(depth), ..Thinking::default() };
        let (moves, clocks) = (Vec::new(), [None, None]);
        client.think(&Question { fen: "x", moves, game: &game, clocks, moves_to_go: None, thinking, patience })
    }

    /// An expected reply ends pondering with `ponderhit`, any other with `stop`. Neither mixes with the next search,
    /// and a new game begins with an idle engine.
    #[test]
    fn one_that_ponders_is_reported_what_was_played() {
        let cases = "go) n=0; case $rest in ponder*) at=$rest; echo info depth 9;; *) echo bestmove plain-$rest;; esac;; \
                     ponderhit) echo info depth 7 score cp 12; echo \"bestmove hit-$(echo $at | tr -d ' ') ponder f4\";; \
                     stop) echo bestmove stopped;;";
        let (client, _) = start(&mock(cases)).expect("an engine");
        let game = AnyGame::new(Variant::Smess.rules());
        let thinking = Thinking { depth: Some(3), ..Thinking::default() };
        let question = |moves: &[&'static str]| Question {
            fen: "x",
            moves: moves.to_vec(),
            game: &game,
            clocks: [None, None],
            moves_to_go: None,
            thinking,
            patience: Duration::from_secs(600),
        };
        for _ in 0..3 {
            client.ponder(&question(&["a", "b"]));
            let hit = client.think(&question(&["a", "b"])).expect("an answer");
            assert_eq!(
                (hit.best.as_str(), hit.ponder.as_deref(), hit.report.depth),
                ("hit-ponderdepth3", Some("f4"), Some(7))
            );
            client.ponder(&question(&["a", "b"]));
            assert_eq!(client.think(&question(&["a", "c"])).expect("an answer").best, "plain-depth");
            client.ponder(&question(&["a", "b"]));
            client.new_game().expect("ready");
            assert_eq!(client.think(&question(&["a", "b"])).expect("an answer").best, "plain-depth");
        }
        let (client, _) = start(&mock("go) ;; stop) exit;;")).expect("an engine");
        client.ponder(&question(&["a", "b"]));
        assert_eq!(client.think(&question(&["a", "c"])), Err(Failure::Crash));
    }

    /// Unread output of any length never blocks the engine.
    #[test]
    fn one_that_ponders_may_print_without_end() {
        let cases = "go) yes info depth 1 | head -n 200000; echo done >&2;; ponderhit) echo bestmove d6;;";
        let (client, _) = start(&mock(cases)).expect("an engine");
        let game = AnyGame::new(Variant::Smess.rules());
        let (moves, clocks, patience) = (vec!["a"], [None, None], Duration::from_secs(600));
        let question = Question {
            fen: "x",
            moves,
            game: &game,
            clocks,
            moves_to_go: None,
            thinking: Thinking::default(),
            patience,
        };
        client.ponder(&question);
        while client.last_words(Failure::Stall).lines != ["done"] {
            std::thread::yield_now();
        }
        assert_eq!(client.think(&question).expect("an answer").best, "d6");
    }

    fn fault(config: &EngineConfig) -> String {
        start(config).err().expect("a fault").to_string()
    }

    fn option(name: &str, value: &str) -> (String, String) {
        (name.to_string(), value.to_string())
    }

    #[test]
    fn options_are_set_in_their_order_after_the_variant() {
        let mut config = mock("setoption) echo \"what? $rest\";;");
        config.options = vec![option("a b", "x  y"), option("Hash", "8")];
        let (client, complaints) = start(&config).expect("an engine");
        assert_eq!(
            complaints,
            ["what? name UCI_Variant value smess", "what? name a b value x  y", "what? name Hash value 8"]
        );
        assert_eq!(client.new_game(), Ok(()));
    }

    #[test]
    fn complaints_are_kept_within_bounds() {
        let cases =
            "setoption) echo info string fine; for i in 1 2 3 4 5 6 7; do printf 'no \\001 %0300d\\n' $i; done;;";
        let (_, complaints) = start(&mock(cases)).expect("an engine");
        let lengths: Vec<_> = complaints.iter().map(String::len).collect();
        assert_eq!(lengths, [200; 5]);
        assert!(complaints.iter().all(|line| line.starts_with("no  000")));
        assert_eq!(start(&mock("setoption) echo info string fine;;")).expect("an engine").1, [""; 0]);
        // Lines printed earlier are not answers to a setting.
        assert_eq!(start(&mock("ucinewgame) echo no;;")).expect("an engine").1, [""; 0]);
    }

    #[test]
    fn faults_at_the_start_are_errors() {
        let with = |name, value| EngineConfig { options: vec![option(name, value)], ..mock("") };
        assert!(fault(&with("Colour", "red")).starts_with("it has no option \"Colour\""));
        assert_eq!(fault(&with("Hash", "9")), "invalid value \"9\" for Hash: expected a whole number in 1..=8");
        assert_eq!(fault(&mock("uci) exit 7;;")), "ended before 'uciok' (exit status: 7)");
        let reported = r#"ended while options were set (exit status: 0), last on standard error: "one", "two""#;
        assert_eq!(fault(&mock("isready) printf 'one\n\ntwo' >&2; exit;;")), reported);
        let nowhere = EngineConfig { command: "/no/such/program".to_string(), ..EngineConfig::default() };
        assert!(fault(&nowhere).starts_with("cannot run \"/no/such/program\": "));
    }

    #[test]
    fn an_engine_runs_in_its_folder() {
        let directory = Some("/".to_string());
        let config = EngineConfig { directory, ..mock("isready) echo \"in $(pwd)\"; echo readyok;;") };
        assert_eq!(start(&config).expect("an engine").1, ["in /"]);
    }

    #[test]
    fn answers_are_read() {
        let cases = "position) at=$rest;; \
                     go) echo info depth 3 score cp 12 nodes 5; echo hello; echo \"bestmove $(echo $at:$rest | tr -d ' ') ponder e4\";;";
        let (client, _) = start(&mock(cases)).expect("an engine");
        let answer = think(&client, 4, Duration::from_secs(600)).expect("an answer");
        assert_eq!(answer.best, "fenx:depth4");
        assert_eq!(
            answer.report,
            Report {
                score: Some(millbrain_games::score::Score::Cp(12)),
                depth: Some(3),
                nodes: Some(5),
                pv: Vec::new()
            }
        );
        assert!(answer.elapsed > Duration::ZERO && answer.elapsed < Duration::from_secs(600));
        let (client, _) = start(&mock("go) echo bestmove;;")).expect("an engine");
        assert_eq!(think(&client, 1, Duration::from_secs(600)).expect("an answer").best, "");
    }

    #[test]
    fn after_the_limit_it_gets_a_stop() {
        let (client, _) = start(&mock("stop) echo info depth 2 score cp 3; echo bestmove d6;;")).expect("an engine");
        let answer = think(&client, 1, Duration::from_millis(1)).expect("an answer");
        assert_eq!((answer.best.as_str(), answer.report.depth), ("d6", Some(2)));
        assert!(answer.elapsed > Duration::from_millis(1));
    }

    #[test]
    fn one_that_ends_has_crashed_and_one_that_is_silent_has_stalled() {
        let (client, _) = start(&mock("go) exit;; ucinewgame) exec >&-; cat;;")).expect("an engine");
        assert_eq!(client.wait(Duration::ZERO, |_| true), Err(Failure::Stall));
        assert_eq!(think(&client, 1, Duration::from_secs(600)), Err(Failure::Crash));
        let (client, _) = start(&mock("ucinewgame) exec >&-; cat;;")).expect("an engine");
        assert_eq!(client.new_game(), Err(Failure::Crash));
        assert_eq!(
            [Failure::Crash, Failure::Stall, Failure::Interrupted].map(|failure| failure.to_string()),
            ["ended", "did not answer", "was interrupted"]
        );
    }

    #[test]
    fn waiting_ends_with_the_match() {
        let stop = AtomicBool::new(false);
        let (client, _) =
            Client::start(&mock("go) cat;;"), Variant::Smess.into(), &stop, Dialogue::default()).expect("an engine");
        stop.store(true, Ordering::Relaxed);
        assert_eq!(think(&client, 1, Duration::from_secs(600)), Err(Failure::Interrupted));
        let waiting = Client::start(&mock("uci) cat;;"), Variant::Smess.into(), &stop, Dialogue::default());
        assert_eq!(waiting.err().map(|error| error.to_string()).as_deref(), Some("was interrupted before 'uciok'"));
    }

    /// The engine writes until it ends, and reads a line now and then.
    #[test]
    fn standard_error_keeps_no_one_waiting() {
        let flood = "go) (while :; do echo word; done) >&2 & echo bestmove d6;; quit) kill $!; exit;;";
        let (client, _) = start(&mock(flood)).expect("an engine");
        assert_eq!(think(&client, 1, Duration::from_secs(600)).expect("an answer").best, "d6");
        while client.last_words(Failure::Stall).lines.len() < 5 {
            std::thread::yield_now();
        }
        assert_eq!(
            client.last_words(Failure::Stall).to_string(),
            r#", last on standard error: "word", "word", "word", "word", "word""#
        );
        // The engine prints more than a pipe holds before it answers.
        let before = "go) head -c 1000000 /dev/zero >&2; echo bestmove d6;;";
        let (client, _) = start(&mock(before)).expect("an engine");
        assert_eq!(think(&client, 1, Duration::from_secs(600)).expect("an answer").best, "d6");
    }

    #[test]
    fn one_that_does_not_quit_is_killed() {
        let (client, _) = start(&mock("quit) exec sleep 1000;;")).expect("an engine");
        let id = client.process.id().to_string();
        let alive = || Command::new("kill").args(["-0", &id]).stderr(Stdio::null()).status().expect("kill").success();
        assert!(alive());
        drop(client);
        assert!(!alive());
    }
}
