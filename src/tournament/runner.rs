//! The match itself: games side by side, every finished one saved at once.

use super::client::Client;
use super::journal::{Journal, MatchConfig, new_file};
use super::record::{GameRecord, Outcome, Termination};
use super::referee::{Course, play_game};
use super::standings::Standings;
use crate::files::{named, write_whole};
use crate::variant::Variant;
use indicatif::{ProgressBar, ProgressStyle};
use std::collections::HashSet;
use std::error::Error;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, PoisonError};

/// Games between two prints of the table.
const TABLE_EVERY: u64 = 20;

/// Where results go besides standard output.
#[derive(Default)]
pub struct Sinks {
    /// The journal.
    pub journal: Option<Journal>,
    /// File of the games as text.
    pub record: Option<PathBuf>,
    /// File of the result as JSON.
    pub json: Option<PathBuf>,
}

/// A message of a worker.
enum Message {
    Game(Box<GameRecord>),
    /// The match cannot go on.
    Fatal(String),
}

/// What the workers share.
struct Hall<'a> {
    config: &'a MatchConfig,
    variant: Variant,
    /// Games still to be played.
    pending: Vec<usize>,
    next: AtomicUsize,
    stop: &'a AtomicBool,
}

/// Plays the match, or the rest of it, and prints how it goes.
///
/// # Errors
/// Files that cannot be written, engines that cannot be started, and engines that fail without `recover`.
pub fn run(
    config: &MatchConfig,
    played: &[GameRecord],
    mut sinks: Sinks,
    interrupted: &AtomicBool,
) -> Result<(), Box<dyn Error>> {
    let variant: Variant = config.variant.parse()?;
    let names = config.engines.iter().map(|engine| engine.name.clone()).collect();
    let mut standings = Standings::new(config.schedule.clone(), names);
    let mut done = HashSet::new();
    for game in played {
        if game.index < config.schedule.len() && done.insert(game.index) {
            standings.add(game);
        }
    }
    let mut record = match &sinks.record {
        None => None,
        // The journal knows all games: what a kill has kept from the record is in it again.
        Some(path) if !played.is_empty() => {
            let text: String = played.iter().map(GameRecord::text).collect();
            let written = write_whole(path, text.as_bytes());
            let open = || OpenOptions::new().append(true).open(path);
            Some(written.and_then(|()| open()).map_err(named(path))?)
        }
        Some(path) => Some(new_file(path)?),
    };
    let total = config.schedule.len();
    let stop = AtomicBool::new(false);
    let pending = (0..total).filter(|index| !done.contains(index)).collect();
    let hall = Hall { config, variant, pending, next: AtomicUsize::new(0), stop: &stop };
    let bar = ProgressBar::new(total as u64).with_position(standings.games());
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} games, {eta} left  {msg}") {
        bar.set_style(style);
    }
    let decided =
        |standings: &Standings| config.sprt.and_then(|sprt| sprt.decision(&standings.first_pairing().pairs)).is_some();
    let mut fatal: Option<Box<dyn Error>> = None;
    if !decided(&standings) {
        std::thread::scope(|scope| {
            let (sender, messages) = channel();
            for _ in 0..config.concurrency.max(1) {
                let (hall, sender) = (&hall, sender.clone());
                scope.spawn(move || work(hall, &sender));
            }
            drop(sender);
            loop {
                let message = match messages.recv_timeout(std::time::Duration::from_millis(50)) {
                    Ok(message) => message,
                    Err(std::sync::mpsc::RecvTimeoutError::Timeout) => {
                        if interrupted.load(Ordering::Relaxed) {
                            stop.store(true, Ordering::Relaxed);
                        }
                        continue;
                    }
                    Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => break,
                };
                let entered = match message {
                    Message::Fatal(error) => Err(error.into()),
                    // Games that end after the decision or a failure no longer count.
                    Message::Game(_) if stop.load(Ordering::Relaxed) => Ok(()),
                    Message::Game(game) => enter(
                        &game,
                        config,
                        &mut standings,
                        &mut sinks.journal,
                        record.as_mut().zip(sinks.record.as_deref()),
                        &bar,
                    ),
                };
                if let Err(error) = entered {
                    fatal.get_or_insert(error);
                    stop.store(true, Ordering::Relaxed);
                } else if decided(&standings) {
                    stop.store(true, Ordering::Relaxed);
                }
            }
        });
    }
    bar.finish_and_clear();
    if interrupted.load(Ordering::Relaxed) {
        println!("Interrupted after {} of {total} games", standings.games());
    }
    print!("{}", standings.text(config.sprt.as_ref()));
    if let Some(path) = &sinks.json {
        let mut json = serde_json::to_vec_pretty(&standings.summary(config.sprt.as_ref()))?;
        json.push(b'\n');
        write_whole(path, &json).map_err(named(path))?;
    }
    fatal.map_or(Ok(()), Err)
}

/// Enters a finished game everywhere.
fn enter(
    game: &GameRecord,
    config: &MatchConfig,
    standings: &mut Standings,
    journal: &mut Option<Journal>,
    record: Option<(&mut File, &Path)>,
    bar: &ProgressBar,
) -> Result<(), Box<dyn Error>> {
    if let Some(journal) = journal {
        journal.add(game)?;
    }
    if let Some((record, path)) = record {
        record.write_all(game.text().as_bytes()).map_err(named(path))?;
    }
    standings.add(game);
    let tally = standings.first_pairing().tally;
    bar.set_message(format!("+{} -{} ={}", tally.wins, tally.losses, tally.draws));
    bar.inc(1);
    bar.suspend(|| {
        let GameRecord { white, black, outcome, reason, .. } = game;
        println!("Finished game {} ({white} vs {black}): {outcome} {{{reason}}}", game.index + 1);
        if standings.games().is_multiple_of(TABLE_EVERY) {
            print!("{}", standings.text(config.sprt.as_ref()));
        }
    });
    let failed = matches!(game.termination, Termination::Crash | Termination::Stall);
    if failed && !config.recover {
        return Err(
            format!("game {}: {}; --recover would start it again and go on", game.index + 1, game.reason).into()
        );
    }
    Ok(())
}

/// Plays games until there are none left.
fn work(hall: &Hall<'_>, sender: &Sender<Message>) {
    let mut clients: Vec<Option<Client>> = hall.config.engines.iter().map(|_| None).collect();
    while !hall.stop.load(Ordering::Relaxed) {
        let Some(&index) = hall.pending.get(hall.next.fetch_add(1, Ordering::Relaxed)) else { return };
        let message = match one_game(hall, &mut clients, index) {
            Ok(None) => return,
            Ok(Some(game)) => Message::Game(Box::new(game)),
            Err(error) => Message::Fatal(error),
        };
        if sender.send(message).is_err() {
            return;
        }
    }
}

/// Plays the game with this number; `None` when interrupted.
fn one_game(hall: &Hall<'_>, clients: &mut [Option<Client>], index: usize) -> Result<Option<GameRecord>, String> {
    /// Starting is a matter of disk and memory more than of processors: one at a time.
    static STARTING: Mutex<()> = Mutex::new(());
    let config = hall.config;
    let fixture = config.schedule.fixture(index);
    for engine in fixture.players {
        let ready = clients[engine].as_ref().is_some_and(|client| client.new_game().is_ok());
        if !ready {
            clients[engine] = None;
            let _one = STARTING.lock().unwrap_or_else(PoisonError::into_inner);
            let client = Client::start(&config.engines[engine], hall.variant.name()).map_err(|e| e.to_string())?;
            client.new_game().map_err(|failure| {
                format!("engine {} {} at the start of a game", config.engines[engine].name, failure.past_tense())
            })?;
            clients[engine] = Some(client);
        }
    }
    let [white, black] = fixture.players;
    let (Some(white_client), Some(black_client)) = (&clients[white], &clients[black]) else {
        return Err("an engine is missing".to_string());
    };
    let engines = [(white_client, &config.engines[white]), (black_client, &config.engines[black])];
    let opening = config.openings.get(fixture.opening).cloned().unwrap_or_default();
    let Some(course) = play_game(hall.variant, &opening, engines, &config.house, hall.stop)? else {
        return Ok(None);
    };
    let Course { fen, moves, outcome, termination, reason } = course;
    if termination.is_failure() {
        // Whoever has failed may be in the middle of anything.
        let loser = if outcome == Outcome::WhiteWins { black } else { white };
        clients[loser] = None;
    }
    Ok(Some(GameRecord {
        index,
        round: fixture.round + 1,
        white: config.engines[white].name.clone(),
        black: config.engines[black].name.clone(),
        variant: config.variant.clone(),
        thinking: [white, black].map(|engine| config.engines[engine].thinking.to_string()),
        fen,
        moves,
        outcome,
        termination,
        reason,
    }))
}
