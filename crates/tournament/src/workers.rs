//! The workers of a match: threads that play games, each with its own engine processes.

use super::client::{Client, Failure, LastWords, StartError};
use super::dialogue::{Dialogue, Log};
use super::error::{EngineError, MAX_FAILURES, MatchError, complaint};
use super::journal::MatchConfig;
use super::observer::{GameView, Observer};
use super::record::{GameRecord, Outcome, Termination};
use super::referee::{Engine, Scoresheet, play_watched};
use millbrain_core::any::AnyGame;
use millbrain_core::variant::NamedRules;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::Scope;
use std::time::Duration;

/// A message from a worker.
pub(super) enum Message {
    /// All engines have started without complaints.
    Ready,
    /// A game has been played.
    Game(Box<GameRecord>),
    /// The match cannot continue.
    Fatal(MatchError),
}

/// Flags that end the games early.
#[derive(Clone, Copy)]
pub(super) struct Ends<'a> {
    /// Set when no more games may begin.
    pub soon: &'a AtomicBool,
    /// Set when games in progress must end too.
    pub now: &'a AtomicBool,
}

/// State shared by the workers.
pub(super) struct Shared<'a> {
    config: &'a MatchConfig,
    rules: NamedRules,
    /// The start of every game, with the tables that end it.
    start: AnyGame,
    /// Numbers of the games to play.
    pending: Vec<usize>,
    next: AtomicUsize,
    ends: Ends<'a>,
    /// Consecutive failures, by engine.
    failures: Mutex<Vec<u32>>,
    observer: Arc<dyn Observer>,
    log: Option<Log>,
}

/// The engines of a worker.
struct Worker<'a> {
    /// Number of the worker, from 1.
    number: usize,
    /// Engines of the worker; `None` if not started yet, or failed.
    clients: Vec<Option<Client<'a>>>,
}

impl Worker<'_> {
    /// Creates a worker with room for `engines` engines.
    fn empty(number: usize, engines: usize) -> Self {
        Worker { number, clients: (0..engines).map(|_| None).collect() }
    }
}

impl<'a> Shared<'a> {
    /// Prepares `pending` as the games to play, each from `start`.
    pub(super) fn new(
        config: &'a MatchConfig,
        rules: NamedRules,
        start: AnyGame,
        pending: Vec<usize>,
        ends: Ends<'a>,
        observer: Arc<dyn Observer>,
        log: Option<Log>,
    ) -> Shared<'a> {
        let failures = Mutex::new(vec![0; config.engines.len()]);
        Shared { config, rules, start, pending, next: AtomicUsize::new(0), ends, failures, observer, log }
    }

    /// Plays the games on threads with their own processes. Every end is sent to `sender`, whose last copy is dropped
    /// when all threads are done.
    pub(super) fn play<'s>(&'s self, scope: &'s Scope<'s, '_>, sender: Sender<Message>) {
        match self.start_all() {
            Ok(None) => {}
            Ok(Some(first)) => {
                let _ = sender.send(Message::Ready);
                for number in 2..=self.config.concurrency {
                    let sender = sender.clone();
                    scope.spawn(move || work(self, Worker::empty(number, self.config.engines.len()), &sender));
                }
                work(self, first, &sender);
            }
            Err(error) => drop(sender.send(Message::Fatal(error.into()))),
        }
    }

    /// Starts an engine for this worker.
    ///
    /// # Errors
    /// When it cannot be used.
    fn start(&self, engine: usize, worker: usize) -> Result<Client<'a>, EngineError> {
        /// Engines start one at a time, since starting loads disk and memory more than processors.
        static STARTING: Mutex<()> = Mutex::new(());
        let _one = STARTING.lock().unwrap_or_else(PoisonError::into_inner);
        let config = &self.config.engines[engine];
        let name = &config.name;
        let dialogue = self.log.as_ref().map_or_else(|| Ok(Dialogue::default()), |log| log.dialogue(name, worker));
        let (client, complaints) = dialogue
            .map_err(StartError::Log)
            .and_then(|dialogue| Client::start(config, self.rules, self.ends.now, dialogue))
            .map_err(|source| EngineError::Start { name: name.clone(), source })?;
        if complaints.is_empty() {
            return Ok(client);
        }
        if self.config.lenient {
            log::warn!("{}", complaint(name, &complaints));
            return Ok(client);
        }
        Err(EngineError::Complaints { name: name.clone(), complaints })
    }

    /// Starts every engine, for the first worker to use; `None` when interrupted.
    fn start_all(&self) -> Result<Option<Worker<'a>>, EngineError> {
        let number = 1;
        let engines = 0..self.config.engines.len();
        let clients: Result<_, _> = engines.map(|engine| self.start(engine, number).map(Some)).collect();
        if self.is_stopped() { Ok(None) } else { clients.map(|clients| Some(Worker { number, clients })) }
    }

    fn is_stopped(&self) -> bool {
        self.ends.now.load(Ordering::Relaxed)
    }

    /// Whether another game may begin.
    fn goes_on(&self) -> bool {
        !self.is_stopped() && !self.ends.soon.load(Ordering::Relaxed)
    }

    /// Counts a failure of an engine, or resets its count. A tolerated failure is logged.
    ///
    /// # Errors
    /// When the engine has failed so often that the match ends.
    fn note(&self, engine: usize, failure: Option<EngineError>) -> Result<(), MatchError> {
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(source) = failure else {
            failures[engine] = 0;
            return Ok(());
        };
        failures[engine] += 1;
        if !self.config.recover {
            return Err(MatchError::FirstFailure(source));
        }
        if failures[engine] >= MAX_FAILURES {
            return Err(MatchError::RepeatedFailure { name: self.config.engines[engine].name.clone(), source });
        }
        log::warn!("{source}; it is started again");
        Ok(())
    }

    /// Returns an engine of a worker that is ready for a new game, restarted if necessary; `None` when interrupted.
    fn ready(&self, engine: usize, worker: &mut Worker<'a>) -> Result<Option<Client<'a>>, MatchError> {
        loop {
            let failure = match worker.clients[engine].take().map_or_else(|| self.start(engine, worker.number), Ok) {
                Ok(client) => match client.new_game() {
                    Ok(()) => return Ok(Some(client)),
                    Err(source) => {
                        let name = self.config.engines[engine].name.clone();
                        EngineError::NewGame { name, source, words: client.last_words(source) }
                    }
                },
                Err(failure) => failure,
            };
            if self.is_stopped() {
                return Ok(None);
            }
            self.note(engine, Some(failure))?;
        }
    }
}

/// Plays games until there are none left.
fn work<'a>(shared: &Shared<'a>, mut worker: Worker<'a>, sender: &Sender<Message>) {
    while shared.goes_on() {
        let Some(&index) = shared.pending.get(shared.next.fetch_add(1, Ordering::Relaxed)) else { return };
        let (game, counted) = loop {
            let (game, words) = match one_game(shared, &mut worker, index) {
                Ok(None) => return,
                Ok(Some(played)) => played,
                Err(error) => return drop(sender.send(Message::Fatal(error))),
            };
            let counted = count_failures(shared, &game, &words);
            if counted.is_err() || !(shared.config.replay_killed && words.is_killed()) {
                break (game, counted);
            }
            if !shared.goes_on() {
                return;
            }
            log::warn!("game {} is played again: its engine was killed", index + 1);
        };
        if sender.send(Message::Game(Box::new(game))).is_err() {
            return;
        }
        if let Err(error) = counted {
            return drop(sender.send(Message::Fatal(error)));
        }
    }
}

/// Returns the failure of an engine that loses by this termination, if it counts as one.
const fn failure(termination: Termination) -> Option<Failure> {
    match termination {
        Termination::Crash => Some(Failure::Crash),
        Termination::Stall => Some(Failure::Stall),
        _ => None,
    }
}

/// Counts failures of both engines of a game; `words` belong to the failed one.
fn count_failures(shared: &Shared<'_>, game: &GameRecord, words: &LastWords) -> Result<(), MatchError> {
    let failed = failure(game.termination).is_some();
    let fixture = shared.config.schedule.fixture(game.index);
    for (engine, won) in fixture.players.into_iter().zip([Outcome::WhiteWins, Outcome::BlackWins]) {
        let error = || EngineError::Game { game: game.index + 1, reason: game.reason.clone(), words: words.clone() };
        shared.note(engine, (failed && game.outcome != won).then(error))?;
    }
    Ok(())
}

/// Plays the game with this number; `None` when interrupted. Returns it with the last words of an engine that crashed
/// or stalled in it.
fn one_game<'a>(
    shared: &Shared<'a>,
    worker: &mut Worker<'a>,
    index: usize,
) -> Result<Option<(GameRecord, LastWords)>, MatchError> {
    let config = shared.config;
    let fixture = config.schedule.fixture(index);
    let [white, black] = fixture.players;
    let Some(white_client) = shared.ready(white, worker)? else { return Ok(None) };
    let Some(black_client) = shared.ready(black, worker)? else { return Ok(None) };
    let engines: [(&dyn Engine, _); 2] =
        [(&white_client, &config.engines[white]), (&black_client, &config.engines[black])];
    let opening = config.openings.get(fixture.opening).cloned().unwrap_or_default();
    let mut has_begun = false;
    let mut watch = |sheet: &Scoresheet, clocks: [Option<Duration>; 2]| {
        let view = GameView {
            index,
            white: &config.engines[white].name,
            black: &config.engines[black].name,
            rules: shared.rules,
            fen: &sheet.fen,
            moves: &sheet.moves,
            clocks,
        };
        if std::mem::replace(&mut has_begun, true) {
            shared.observer.move_made(&view);
        } else {
            shared.observer.game_begun(&view);
        }
    };
    let sheet = play_watched(&shared.start, &opening, engines, &config.adjudication, shared.ends.now, &mut watch);
    shared.observer.game_over(index);
    let Some(sheet) = sheet? else { return Ok(None) };
    let Scoresheet { fen, moves, late_move, outcome, termination, reason } = sheet;
    let mut words = LastWords::default();
    for (engine, won, client) in [(white, Outcome::WhiteWins, white_client), (black, Outcome::BlackWins, black_client)]
    {
        // A failed engine may be in any state: it is restarted for its next game.
        if !termination.is_failure() || outcome == won {
            worker.clients[engine] = Some(client);
        } else if let Some(failure) = failure(termination) {
            words = client.last_words(failure);
        }
    }
    let game = GameRecord {
        index,
        round: fixture.round + 1,
        white: config.engines[white].name.clone(),
        black: config.engines[black].name.clone(),
        variant: config.variant.clone(),
        house_rules: config.house_rules.clone(),
        thinking: [white, black].map(|engine| config.engines[engine].thinking.to_string()),
        fen,
        moves,
        late_move,
        outcome,
        termination,
        reason,
    };
    Ok(Some((game, words)))
}
