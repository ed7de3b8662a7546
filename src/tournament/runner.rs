//! The match itself: games side by side, every finished one saved at once.

use super::client::Client;
use super::journal::{Journal, MatchConfig, new_file};
use super::record::{GameRecord, Outcome, Termination};
use super::referee::{Course, Thinker, play_game};
use super::standings::Standings;
use crate::files::{named, write_whole};
use crate::variant::Variant;
use indicatif::{ProgressBar, ProgressStyle};
use std::collections::HashSet;
use std::error::Error;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Games between two prints of the table.
const TABLE_EVERY: u64 = 20;
/// Crashes, stalls and failed starts of an engine in a row that end the match.
const FAILURES: u32 = 3;
/// How often the match looks whether the user wants to end it.
const GLANCE: Duration = Duration::from_millis(50);

/// Where finished games are saved.
pub enum Saving {
    /// Nowhere.
    None,
    /// In a new journal. It is made when all engines have started: a match that cannot begin leaves none.
    New(PathBuf),
    /// In the journal that the match is resumed from.
    Resumed(Journal),
}

/// Where results go besides standard output.
pub struct Sinks {
    /// The journal.
    pub saving: Saving,
    /// File of the games as text.
    pub record: Option<PathBuf>,
    /// File of the result as JSON.
    pub json: Option<PathBuf>,
}

/// A message of a worker.
enum Message {
    /// All engines have started, and none has complained.
    Ready,
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
    /// Failures in a row, by engine.
    failures: Mutex<Vec<u32>>,
}

/// The engines of a worker; none where one has not been needed yet, or has failed.
type Clients<'a> = Vec<Option<Client<'a>>>;

/// Games entered so far, and everything that is told of them.
struct Desk<'a> {
    config: &'a MatchConfig,
    standings: Standings,
    journal: Option<Journal>,
    record: Option<(File, &'a Path)>,
    bar: ProgressBar,
    out: &'a mut dyn Write,
}

/// Plays the match, or the rest of it, and prints how it goes.
///
/// # Errors
/// Files and an output that cannot be written, engines that cannot be started, that complain of their settings, or
/// that fail too often.
pub fn run(
    config: &MatchConfig,
    played: &[GameRecord],
    sinks: Sinks,
    out: &mut dyn Write,
    interrupted: &AtomicBool,
) -> Result<(), Box<dyn Error>> {
    let variant: Variant = config.variant.parse()?;
    let names = config.engines.iter().map(|engine| engine.name.clone()).collect();
    let mut standings = Standings::new(config.schedule.clone(), names);
    let mut done = HashSet::new();
    for game in played {
        if done.insert(game.index) {
            standings.add(game);
        }
    }
    let total = config.schedule.len();
    let pending: Vec<usize> = (0..total).filter(|index| !done.contains(index)).collect();
    let bar = ProgressBar::new(total as u64).with_position(standings.games());
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} games, {eta} left  {msg}") {
        bar.set_style(style);
    }
    let Sinks { saving, record, json } = sinks;
    let (journal, new_journal) = match saving {
        Saving::None => (None, None),
        Saving::New(path) => (None, Some(path)),
        Saving::Resumed(journal) => (Some(journal), None),
    };
    let record = match &record {
        None => None,
        Some(path) => Some((open_record(path, played)?, path.as_path())),
    };
    let mut desk = Desk { config, standings, journal, record, bar, out };
    let mut fatal: Option<Box<dyn Error>> = None;
    if !desk.decided() && !pending.is_empty() {
        let stop = AtomicBool::new(false);
        let failures = Mutex::new(vec![0; config.engines.len()]);
        let hall = Hall { config, variant, pending, next: AtomicUsize::new(0), stop: &stop, failures };
        std::thread::scope(|scope| {
            let (sender, messages) = channel();
            let hall = &hall;
            scope.spawn(move || match hall.start_all() {
                Ok(None) => {}
                Ok(Some(clients)) => {
                    let _ = sender.send(Message::Ready);
                    for _ in 1..config.concurrency {
                        let sender = sender.clone();
                        scope.spawn(move || work(hall, hall.no_clients(), &sender));
                    }
                    work(hall, clients, &sender);
                }
                Err(fault) => drop(sender.send(Message::Fatal(fault))),
            });
            fatal = desk.sit(&messages, new_journal, &stop, interrupted).err();
        });
    }
    desk.bar.finish_and_clear();
    let printed = desk.print_end(interrupted.load(Ordering::Relaxed));
    if let Some(path) = json {
        let mut json = serde_json::to_vec_pretty(&desk.standings.summary(config.sprt.as_ref()))?;
        json.push(b'\n');
        write_whole(&path, &json).map_err(named(&path))?;
    }
    match fatal {
        Some(error) => Err(error),
        None => Ok(printed?),
    }
}

/// The file of the games as text.
fn open_record(path: &Path, played: &[GameRecord]) -> Result<File, Box<dyn Error>> {
    if played.is_empty() {
        return new_file(path);
    }
    // The journal knows all games: what a kill has kept from the record is in it again.
    let text: String = played.iter().map(GameRecord::text).collect();
    let written = write_whole(path, text.as_bytes()).and_then(|()| OpenOptions::new().append(true).open(path));
    Ok(written.map_err(named(path))?)
}

impl Desk<'_> {
    /// Whether the sequential test has come to a decision.
    fn decided(&self) -> bool {
        let pairs = self.standings.first_pairing().pairs;
        self.config.sprt.is_some_and(|sprt| sprt.decision(&pairs).is_some())
    }

    /// Enters games until the workers have gone; tells them to go when the match is to end.
    fn sit(
        &mut self,
        messages: &Receiver<Message>,
        mut new_journal: Option<PathBuf>,
        stop: &AtomicBool,
        interrupted: &AtomicBool,
    ) -> Result<(), Box<dyn Error>> {
        let mut first_error = Ok(());
        loop {
            if interrupted.load(Ordering::Relaxed) {
                stop.store(true, Ordering::Relaxed);
            }
            let entered = match messages.recv_timeout(GLANCE) {
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => return first_error,
                // Games that end after the decision or a failure no longer count.
                Ok(_) if stop.load(Ordering::Relaxed) => continue,
                Ok(Message::Ready) => new_journal.take().map_or(Ok(()), |path| {
                    self.journal = Some(Journal::create(&path, self.config)?);
                    Ok(())
                }),
                Ok(Message::Game(game)) => self.enter(&game),
                Ok(Message::Fatal(fault)) => Err(fault.into()),
            };
            if entered.is_err() || self.decided() {
                first_error = entered;
                stop.store(true, Ordering::Relaxed);
            }
        }
    }

    /// Enters a finished game everywhere, in the journal first.
    fn enter(&mut self, game: &GameRecord) -> Result<(), Box<dyn Error>> {
        if let Some(journal) = &mut self.journal {
            journal.add(game)?;
        }
        if let Some((record, path)) = &mut self.record {
            record.write_all(game.text().as_bytes()).map_err(named(path))?;
        }
        self.standings.add(game);
        let tally = self.standings.first_pairing().tally;
        self.bar.set_message(format!("+{} -{} ={}", tally.wins, tally.losses, tally.draws));
        self.bar.inc(1);
        let Desk { bar, out, standings, config, .. } = self;
        bar.suspend(|| {
            let GameRecord { index, white, black, outcome, reason, .. } = game;
            writeln!(out, "Finished game {} ({white} vs {black}): {outcome} {{{reason}}}", index + 1)?;
            if standings.games().is_multiple_of(TABLE_EVERY) {
                out.write_all(standings.text(config.sprt.as_ref()).as_bytes())?;
            }
            out.flush()
        })?;
        Ok(())
    }

    /// Prints how the match ended.
    fn print_end(&mut self, interrupted: bool) -> io::Result<()> {
        if interrupted {
            let (games, total) = (self.standings.games(), self.config.schedule.len());
            writeln!(self.out, "Interrupted after {games} of {total} games")?;
        }
        if self.standings.games() > 0 {
            self.out.write_all(self.standings.text(self.config.sprt.as_ref()).as_bytes())?;
        }
        self.out.flush()
    }
}

impl<'a> Hall<'a> {
    /// Starts an engine, or says why that is no use.
    fn start(&self, engine: usize) -> Result<Client<'a>, String> {
        /// Starting is a matter of disk and memory more than of processors: one at a time.
        static STARTING: Mutex<()> = Mutex::new(());
        let _one = STARTING.lock().unwrap_or_else(PoisonError::into_inner);
        let config = &self.config.engines[engine];
        let name = &config.name;
        let started = Client::start(config, self.variant.name(), self.stop);
        let (client, complaints) = started.map_err(|fault| format!("engine {name}: {fault}"))?;
        if complaints.is_empty() {
            return Ok(client);
        }
        let complaint = format!("engine {name} complains of its settings: {}", complaints.join("; "));
        if self.config.lenient {
            log::warn!("{complaint}");
            return Ok(client);
        }
        Err(format!("{complaint} (--lenient plays all the same)"))
    }

    fn no_clients(&self) -> Clients<'a> {
        self.config.engines.iter().map(|_| None).collect()
    }

    /// Starts every engine, for the first worker to use; `None` when interrupted.
    fn start_all(&self) -> Result<Option<Clients<'a>>, String> {
        let clients: Result<_, _> = (0..self.config.engines.len()).map(|engine| self.start(engine).map(Some)).collect();
        if self.stopped() { Ok(None) } else { clients.map(Some) }
    }

    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Notes that an engine has failed, or has played a game without failing.
    ///
    /// # Errors
    /// When it has failed so often that the match ends.
    fn note(&self, engine: usize, failure: Option<&str>) -> Result<(), String> {
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(failure) = failure else {
            failures[engine] = 0;
            return Ok(());
        };
        failures[engine] += 1;
        let name = &self.config.engines[engine].name;
        if !self.config.recover {
            return Err(format!("{failure}; the match ends at the first failure of an engine (--no-recover)"));
        }
        if failures[engine] >= FAILURES {
            return Err(format!("{failure}; the match ends after {FAILURES} failures of {name} in a row"));
        }
        Ok(())
    }

    /// Has an engine begin a new game, started again if need be; `false` when interrupted.
    fn prepare(&self, engine: usize, client: &mut Option<Client<'a>>) -> Result<bool, String> {
        loop {
            let failure = match client {
                Some(client) => match client.new_game() {
                    Ok(()) => return Ok(true),
                    Err(failure) => {
                        let name = &self.config.engines[engine].name;
                        format!("engine {name} {} at the start of a game", failure.past_tense())
                    }
                },
                None => match self.start(engine) {
                    Ok(started) => {
                        *client = Some(started);
                        continue;
                    }
                    Err(failure) => failure,
                },
            };
            if self.stopped() {
                return Ok(false);
            }
            *client = None;
            self.note(engine, Some(&failure))?;
        }
    }
}

/// Plays games until there are none left.
fn work<'a>(hall: &Hall<'a>, mut clients: Clients<'a>, sender: &Sender<Message>) {
    while !hall.stopped() {
        let Some(&index) = hall.pending.get(hall.next.fetch_add(1, Ordering::Relaxed)) else { return };
        let game = match one_game(hall, &mut clients, index) {
            Ok(None) => return,
            Ok(Some(game)) => game,
            Err(fault) => return drop(sender.send(Message::Fatal(fault))),
        };
        let verdict = judge(hall, &game);
        if sender.send(Message::Game(Box::new(game))).is_err() {
            return;
        }
        if let Err(fault) = verdict {
            return drop(sender.send(Message::Fatal(fault)));
        }
    }
}

/// Notes for both engines of a game whether they have failed in it.
fn judge(hall: &Hall<'_>, game: &GameRecord) -> Result<(), String> {
    let failed = matches!(game.termination, Termination::Crash | Termination::Stall);
    let why = format!("game {}: {}", game.index + 1, game.reason);
    for (engine, won) in
        hall.config.schedule.fixture(game.index).players.into_iter().zip([Outcome::WhiteWins, Outcome::BlackWins])
    {
        hall.note(engine, (failed && game.outcome != won).then_some(why.as_str()))?;
    }
    Ok(())
}

/// Plays the game with this number; `None` when interrupted.
fn one_game<'a>(hall: &Hall<'a>, clients: &mut Clients<'a>, index: usize) -> Result<Option<GameRecord>, String> {
    let config = hall.config;
    let fixture = config.schedule.fixture(index);
    for engine in fixture.players {
        if !hall.prepare(engine, &mut clients[engine])? {
            return Ok(None);
        }
    }
    let [white, black] = fixture.players;
    let (Some(white_client), Some(black_client)) = (&clients[white], &clients[black]) else {
        return Err("an engine is missing".to_string());
    };
    let engines: [(&dyn Thinker, _); 2] =
        [(white_client, &config.engines[white]), (black_client, &config.engines[black])];
    let opening = config.openings.get(fixture.opening).cloned().unwrap_or_default();
    let Some(course) = play_game(hall.variant, &opening, engines, &config.house, hall.stop)? else {
        return Ok(None);
    };
    let Course { fen, moves, late_move, outcome, termination, reason } = course;
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
        late_move,
        outcome,
        termination,
        reason,
    }))
}

/// Matches of shell scripts.
#[cfg(all(test, unix))]
mod tests {
    use super::super::config::{EngineConfig, Thinking};
    use super::super::referee::House;
    use super::super::schedule::Schedule;
    use super::super::sprt::Sprt;
    use super::*;

    /// A folder that goes with its value.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Folder {
            let path = std::env::temp_dir().join(format!("millbrain-runner-{name}-{}", std::process::id()));
            let _ = std::fs::remove_dir_all(&path);
            std::fs::create_dir(&path).expect("a folder");
            Folder(path)
        }

        fn file(&self, name: &str) -> PathBuf {
            self.0.join(name)
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    /// What a sound engine does at `go`.
    const SOUND: &str = "go) echo bestmove $best;;";
    /// One that loses every game.
    const CHEAT: &str = "go) echo bestmove a1a1;;";

    /// An engine in the folder that plays d6 as White and f4 as Black.
    fn engine(folder: &Folder, name: &str, cases: &str) -> EngineConfig {
        let script = format!(
            "while read -r word rest; do case $word in {cases} \
             position) case $rest in *moves*) best=f4;; *) best=d6;; esac;; \
             uci) echo 'option name UCI_Variant type combo'; echo uciok;; \
             isready) echo readyok;; quit) exit;; esac; done"
        );
        EngineConfig {
            name: name.to_string(),
            command: "/bin/sh".to_string(),
            arguments: vec!["-c".to_string(), script],
            directory: folder.0.to_str().map(String::from),
            thinking: Thinking { move_time: Some(Duration::from_secs(1_000)), ..Thinking::default() },
            ..EngineConfig::default()
        }
    }

    /// A match of two; each makes a move a game.
    fn two(folder: &Folder, scripts: [&str; 2], rounds: usize) -> MatchConfig {
        MatchConfig {
            variant: "morris".to_string(),
            engines: vec![engine(folder, "A", scripts[0]), engine(folder, "B", scripts[1])],
            schedule: Schedule { engines: 2, gauntlet: false, rounds, games: 2, openings: 0 },
            openings: Vec::new(),
            house: House { draw: None, resign: None, max_moves: 1, stall: Duration::from_secs(1_000) },
            sprt: None,
            recover: true,
            lenient: false,
            concurrency: 1,
        }
    }

    static NO_STOP: AtomicBool = AtomicBool::new(false);

    const NOTHING_ELSE: Sinks = Sinks { saving: Saving::None, record: None, json: None };

    /// What is printed, and the error.
    fn play(config: &MatchConfig) -> (String, Option<String>) {
        let mut out = Vec::new();
        let error = run(config, &[], NOTHING_ELSE, &mut out, &NO_STOP).err();
        (String::from_utf8(out).expect("text"), error.map(|error| error.to_string()))
    }

    #[test]
    fn a_match_is_told_game_by_game() {
        let folder = Folder::new("plain");
        let (text, error) = play(&two(&folder, [SOUND, CHEAT], 20));
        assert_eq!(error, None);
        let mut lines = text.lines();
        assert_eq!(
            lines.next(),
            Some("Finished game 1 (A vs B): 1-0 {B played \"a1a1\", which is illegal, expected a legal move}")
        );
        assert_eq!(
            lines.next(),
            Some("Finished game 2 (B vs A): 0-1 {B played \"a1a1\", which is illegal, expected a legal move}")
        );
        // The table comes after each twenty games, and at the end.
        assert_eq!(text.matches("Score of A vs B: 20 - 0 - 0").count(), 1);
        assert_eq!(text.matches("Score of A vs B: 40 - 0 - 0").count(), 2);
        assert_eq!(text.matches("Score of").count(), 3);
        let (text, _) = play(&two(&folder, [SOUND, SOUND], 1));
        assert!(text.starts_with("Finished game 1 (A vs B): 1/2-1/2 {too many moves}\n"), "{text}");
    }

    #[test]
    fn three_failures_in_a_row_end_the_match() {
        let folder = Folder::new("failures");
        let (text, error) = play(&two(&folder, [SOUND, "go) exit;;"], 5));
        assert_eq!(error.as_deref(), Some("game 3: B ended; the match ends after 3 failures of B in a row"));
        assert!(text.ends_with("B lost 3 by crash\n") && text.contains("Games 3:"), "{text}");
        let once = MatchConfig { recover: false, ..two(&folder, ["go) exit;;", SOUND], 5) };
        let (text, error) = play(&once);
        let told = "game 1: A ended; the match ends at the first failure of an engine (--no-recover)";
        assert_eq!(error.as_deref(), Some(told));
        assert!(text.contains("Games 1:"), "{text}");
    }

    #[test]
    fn failures_that_are_not_in_a_row_do_not_end_it() {
        let folder = Folder::new("alternating");
        // Crashes in every second game.
        let crash = "go) if rmdir ok 2> /dev/null; then exit; else mkdir ok; echo bestmove $best; fi;;";
        let (text, error) = play(&two(&folder, [crash, SOUND], 4));
        assert_eq!(error, None);
        assert!(text.contains("A lost 4 by crash\n"), "{text}");
    }

    #[test]
    fn one_that_cannot_be_started_again_ends_it() {
        let folder = Folder::new("restart");
        let (text, error) = play(&two(
            &folder,
            ["go) exit;; uci) mkdir begun 2> /dev/null || exit; echo 'option name UCI_Variant'; echo uciok;;", SOUND],
            4,
        ));
        assert_eq!(
            error.as_deref(),
            Some("engine A: ended before 'uciok'; the match ends after 3 failures of A in a row")
        );
        assert!(text.contains("Games 1:"), "{text}");
    }

    #[test]
    fn one_that_ends_between_games_is_started_again() {
        let folder = Folder::new("between");
        let ends = format!("ucinewgame) test -z \"$old\" || exit; old=1;; {SOUND}");
        let config = two(&folder, [&ends, SOUND], 4);
        let (text, error) = play(&config);
        assert!(error.is_none() && text.contains("Games 8: white 0, draws 8, black 0"), "{text} {error:?}");
        let (text, error) = play(&MatchConfig { recover: false, ..config });
        let told =
            "engine A ended at the start of a game; the match ends at the first failure of an engine (--no-recover)";
        assert!(text.contains("Games 1:"), "{text}");
        assert_eq!(error.as_deref(), Some(told));
    }

    #[test]
    fn complaints_end_the_match_before_its_first_game() {
        let folder = Folder::new("complaints");
        let complaining = format!("setoption) echo info string bad; echo No way;; {SOUND}");
        let config = two(&folder, [SOUND, &complaining], 1);
        let saving = Saving::New(folder.file("journal"));
        let mut out = Vec::new();
        let error = run(&config, &[], Sinks { saving, ..NOTHING_ELSE }, &mut out, &NO_STOP).expect_err("a complaint");
        assert_eq!(
            error.to_string(),
            "engine B complains of its settings: info string bad; No way (--lenient plays all the same)"
        );
        assert!(!folder.file("journal").exists(), "the next attempt may use the name");
        assert!(!String::from_utf8_lossy(&out).contains("Finished"));
        let (text, error) = play(&MatchConfig { lenient: true, ..config });
        assert!(error.is_none() && text.contains("Games 2:"), "{text} {error:?}");
    }

    #[test]
    fn a_decision_or_an_interrupt_ends_it() {
        let folder = Folder::new("decision");
        let sprt = Some(Sprt { elo0: 0.0, elo1: 400.0, alpha: 0.05, beta: 0.05 });
        let decided = MatchConfig { sprt, ..two(&folder, [SOUND, CHEAT], 1_000) };
        let sinks = Sinks { saving: Saving::New(folder.file("journal")), ..NOTHING_ELSE };
        let mut out = Vec::new();
        run(&decided, &[], sinks, &mut out, &NO_STOP).expect("a decision");
        let text = String::from_utf8(out).expect("text");
        assert!(text.contains(": passed") && !text.contains("Finished game 500 "), "{text}");
        // What is decided is not played on: the engines are not even started.
        let (journal, mut config, played) = Journal::resume(&folder.file("journal")).expect("a journal");
        config.engines[0].command = "/no/such/program".to_string();
        let sinks = Sinks { saving: Saving::Resumed(journal), ..NOTHING_ELSE };
        let mut out = Vec::new();
        run(&config, &played, sinks, &mut out, &NO_STOP).expect("nothing to do");
        assert!(String::from_utf8_lossy(&out).starts_with("Score of A vs B"));

        let mut out = Vec::new();
        let interrupted = AtomicBool::new(true);
        run(&two(&folder, ["go) cat;;", SOUND], 2), &[], NOTHING_ELSE, &mut out, &interrupted).expect("a clean end");
        assert!(String::from_utf8_lossy(&out).starts_with("Interrupted after 0 of 4 games\n"));
    }

    /// An output whose reader goes away after so many writes.
    struct Closing(usize);

    impl Write for Closing {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 = self.0.checked_sub(1).ok_or(io::ErrorKind::BrokenPipe)?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_closed_output_ends_the_match_and_leaves_the_journal_whole() {
        let folder = Folder::new("closed");
        // One process never answers, and has all the time in the world: its game has to be given up.
        let hanging = format!("go) if mkdir hanging 2> /dev/null; then cat; fi; {}", &SOUND[4..]);
        let config = MatchConfig { concurrency: 2, ..two(&folder, [&hanging, SOUND], 10) };
        let path = folder.file("journal");
        let json = Some(folder.file("result"));
        let sinks = Sinks { saving: Saving::New(path.clone()), record: Some(folder.file("games")), json: json.clone() };
        let error = run(&config, &[], sinks, &mut Closing(30), &NO_STOP).expect_err("nobody reads");
        assert_eq!(error.downcast_ref::<io::Error>().map(io::Error::kind), Some(io::ErrorKind::BrokenPipe));
        assert!(folder.file("hanging").exists() && folder.file("result").exists());
        // All that was played is there, and the rest can be played.
        let (journal, config, played) = Journal::resume(&path).expect("a journal");
        assert!((1..20).contains(&played.len()), "{}", played.len());
        let sinks = Sinks { saving: Saving::Resumed(journal), record: Some(folder.file("games")), json };
        let mut out = Vec::new();
        run(&config, &played, sinks, &mut out, &NO_STOP).expect("played to the end");
        assert!(String::from_utf8_lossy(&out).contains("Games 20: white 0, draws 20, black 0"));
        let games = std::fs::read_to_string(folder.file("games")).expect("a record");
        assert_eq!(games.matches("[Event ").count(), 20);
    }
}
