//! The match itself: games side by side, every finished one saved at once.

use super::client::{Failure, StartError};
use super::journal::{Journal, JournalError, MatchConfig, NewFileError, new_file};
use super::observer::{Nobody, Observer};
use super::record::GameRecord;
use super::referee::UnplayableOpening;
use super::standings::Standings;
use super::workers::{MAX_FAILURES, Message, Shared};
use crate::files::{InFile, named, write_whole};
use crate::variant::{UnknownVariant, Variant};
use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// How often the match checks whether the user wants to end it.
const POLL: Duration = Duration::from_millis(50);

/// Where finished games are saved.
pub enum Saving {
    /// Nowhere.
    None,
    /// In a new journal. It is made when all engines have started: a match that cannot begin leaves none.
    New(PathBuf),
    /// In the journal that the match is resumed from.
    Resumed(Journal),
}

/// The files that a match writes.
pub struct Sinks {
    /// The journal.
    pub saving: Saving,
    /// File of the games as text.
    pub record: Option<PathBuf>,
    /// File of the result as JSON.
    pub json: Option<PathBuf>,
}

/// Shows a match to the user. An error, such as a closed output, ends the match.
pub trait Reporter {
    /// A game has been saved and counted.
    ///
    /// # Errors
    /// When it cannot be shown.
    fn game_finished(&mut self, game: &GameRecord, standings: &Standings) -> io::Result<()>;

    /// The match has ended: played out, decided, interrupted, or by an error that `run` returns.
    ///
    /// # Errors
    /// When it cannot be shown.
    fn match_ended(&mut self, standings: &Standings, interrupted: bool) -> io::Result<()>;

    /// Who watches the games while they are played: nobody, unless this says otherwise.
    fn observer(&self) -> Arc<dyn Observer> {
        Arc::new(Nobody)
    }
}

/// What an engine has done that it should not.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// It cannot be used.
    #[error("engine {name}: {source}")]
    Start {
        /// Its name.
        name: String,
        /// Why.
        source: StartError,
    },
    /// It complains of its settings.
    #[error("{} (--lenient plays all the same)", complaint(name, complaints))]
    Complaints {
        /// Its name.
        name: String,
        /// Lines that it printed.
        complaints: Vec<String>,
    },
    /// It is not ready for a new game.
    #[error("engine {name} {source} at the start of a game")]
    NewGame {
        /// Its name.
        name: String,
        /// Why.
        source: Failure,
    },
    /// It has crashed or stalled in a game.
    #[error("game {game}: {reason}")]
    Game {
        /// Number of the game, from 1.
        game: usize,
        /// The end of the game in words.
        reason: String,
    },
}

/// Why a match could not be played to its end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MatchError {
    /// The variant does not exist.
    #[error("{0}")]
    Variant(#[from] UnknownVariant),
    /// The journal cannot be written.
    #[error("{0}")]
    Journal(#[from] JournalError),
    /// The file of the games is not new.
    #[error("{0}")]
    NewFile(#[from] NewFileError),
    /// The games or the result cannot be written.
    #[error("{0}")]
    File(#[from] InFile<io::Error>),
    /// The result cannot be written as JSON.
    #[error("{0}")]
    Json(#[from] serde_json::Error),
    /// An engine cannot be used at all.
    #[error("{0}")]
    Engine(#[from] EngineError),
    /// An engine has failed, and the match does not go on after that.
    #[error("{0}; the match ends at the first failure of an engine (--no-recover)")]
    FirstFailure(#[source] EngineError),
    /// An engine has failed again and again.
    #[error("{source}; the match ends after {max} failures of {name} in a row", max = MAX_FAILURES)]
    RepeatedFailure {
        /// Its name.
        name: String,
        /// The last failure.
        source: EngineError,
    },
    /// An opening cannot be played.
    #[error("{0}")]
    Opening(#[from] UnplayableOpening),
    /// What happens cannot be shown.
    #[error("{0}")]
    Report(#[source] io::Error),
}

/// The complaints of an engine in one line.
pub(super) fn complaint(name: &str, complaints: &[String]) -> String {
    format!("engine {name} complains of its settings: {}", complaints.join("; "))
}

/// Counts the finished games, and passes them on to the files and the user.
struct Scorer<'a> {
    config: &'a MatchConfig,
    standings: Standings,
    journal: Option<Journal>,
    record: Option<(File, &'a Path)>,
    reporter: &'a mut dyn Reporter,
}

/// Plays the match, or what is left of it after the games that have been `played`.
///
/// # Errors
/// Files that cannot be written, a reporter that fails, engines that cannot be started, that complain of their
/// settings, or that fail too often.
pub fn run(
    config: &MatchConfig,
    played: &[GameRecord],
    sinks: Sinks,
    reporter: &mut dyn Reporter,
    interrupted: &AtomicBool,
) -> Result<(), MatchError> {
    let variant: Variant = config.variant.parse()?;
    let mut standings = config.standings();
    let mut done = HashSet::new();
    for game in played {
        if done.insert(game.index) {
            standings.add(game);
        }
    }
    let pending: Vec<usize> = (0..config.schedule.len()).filter(|index| !done.contains(index)).collect();
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
    let mut scorer = Scorer { config, standings, journal, record, reporter };
    let mut outcome = Ok(());
    if !scorer.is_decided() && !pending.is_empty() {
        outcome = play_games(&mut scorer, variant, pending, new_journal, interrupted);
    }
    let shown = scorer.reporter.match_ended(&scorer.standings, interrupted.load(Ordering::Relaxed));
    if let Some(path) = json {
        let mut json = serde_json::to_vec_pretty(&scorer.standings.summary(config.sprt.as_ref()))?;
        json.push(b'\n');
        write_whole(&path, &json).map_err(named(&path))?;
    }
    outcome.and(shown.map_err(MatchError::Report))
}

/// Plays these games.
fn play_games(
    scorer: &mut Scorer<'_>,
    variant: Variant,
    pending: Vec<usize>,
    new_journal: Option<PathBuf>,
    interrupted: &AtomicBool,
) -> Result<(), MatchError> {
    let stop = AtomicBool::new(false);
    let shared = Shared::new(scorer.config, variant, pending, &stop, scorer.reporter.observer());
    std::thread::scope(|scope| {
        let (sender, messages) = channel();
        let shared = &shared;
        scope.spawn(move || shared.play(scope, sender));
        scorer.score(&messages, new_journal, &stop, interrupted)
    })
}

/// The file of the games as text.
fn open_record(path: &Path, played: &[GameRecord]) -> Result<File, MatchError> {
    if played.is_empty() {
        return Ok(new_file(path)?);
    }
    // Written anew from the journal, which has all games: after a kill the last ones may be missing here.
    let text: String = played.iter().map(GameRecord::text).collect();
    let written = write_whole(path, text.as_bytes()).and_then(|()| OpenOptions::new().append(true).open(path));
    Ok(written.map_err(named(path))?)
}

impl Scorer<'_> {
    /// Whether the sequential test has come to a decision.
    fn is_decided(&self) -> bool {
        let pairs = self.standings.first_pairing().pairs;
        self.config.sprt.is_some_and(|sprt| sprt.decision(&pairs).is_some())
    }

    /// Enters games until the last worker has ended; sets `stop` when the match is to end.
    fn score(
        &mut self,
        messages: &Receiver<Message>,
        mut new_journal: Option<PathBuf>,
        stop: &AtomicBool,
        interrupted: &AtomicBool,
    ) -> Result<(), MatchError> {
        let mut first_error = Ok(());
        loop {
            if interrupted.load(Ordering::Relaxed) {
                stop.store(true, Ordering::Relaxed);
            }
            let entered = match messages.recv_timeout(POLL) {
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => return first_error,
                // Games that end after the decision or a failure no longer count.
                Ok(_) if stop.load(Ordering::Relaxed) => continue,
                Ok(Message::Ready) => self.begin_journal(new_journal.take()),
                Ok(Message::Game(game)) => self.enter(&game),
                Ok(Message::Fatal(error)) => Err(error),
            };
            if entered.is_err() || self.is_decided() {
                first_error = entered;
                stop.store(true, Ordering::Relaxed);
            }
        }
    }

    fn begin_journal(&mut self, path: Option<PathBuf>) -> Result<(), MatchError> {
        if let Some(path) = path {
            self.journal = Some(Journal::create(&path, self.config)?);
        }
        Ok(())
    }

    /// Enters a finished game everywhere, in the journal first.
    fn enter(&mut self, game: &GameRecord) -> Result<(), MatchError> {
        if let Some(journal) = &mut self.journal {
            journal.add(game)?;
        }
        if let Some((record, path)) = &mut self.record {
            record.write_all(game.text().as_bytes()).map_err(named(path))?;
        }
        self.standings.add(game);
        self.reporter.game_finished(game, &self.standings).map_err(MatchError::Report)
    }
}

/// Matches of shell scripts.
#[cfg(all(test, unix))]
mod tests {
    use super::super::config::{EngineConfig, Thinking};
    use super::super::record::Outcome;
    use super::super::referee::House;
    use super::super::schedule::Schedule;
    use super::super::sprt::Sprt;
    use super::*;
    use std::error::Error;

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

    /// What a match has shown.
    #[derive(Default)]
    struct Shown {
        games: Vec<GameRecord>,
        /// Games in the standings after each of them.
        counts: Vec<u64>,
        /// The standings at the end, and whether it was an interrupt.
        end: Option<(String, bool)>,
        /// After so many games the output is closed.
        room: Option<usize>,
    }

    impl Shown {
        fn check_open(&self) -> io::Result<()> {
            let closed = self.room.is_some_and(|room| self.games.len() >= room);
            if closed { Err(io::ErrorKind::BrokenPipe.into()) } else { Ok(()) }
        }

        /// The standings at the end.
        fn table(&self) -> &str {
            &self.end.as_ref().expect("an end").0
        }
    }

    impl Reporter for Shown {
        fn game_finished(&mut self, game: &GameRecord, standings: &Standings) -> io::Result<()> {
            self.check_open()?;
            self.games.push(game.clone());
            self.counts.push(standings.games());
            Ok(())
        }

        fn match_ended(&mut self, standings: &Standings, interrupted: bool) -> io::Result<()> {
            assert!(self.end.is_none(), "a match ends once");
            self.end = Some((standings.text(None), interrupted));
            self.check_open()
        }
    }

    /// What is shown, and the error.
    fn play(config: &MatchConfig) -> (Shown, Option<String>) {
        let mut shown = Shown::default();
        let error = run(config, &[], NOTHING_ELSE, &mut shown, &NO_STOP).err();
        (shown, error.map(|error| error.to_string()))
    }

    #[test]
    fn a_match_is_shown_game_by_game() {
        let folder = Folder::new("plain");
        let (shown, error) = play(&two(&folder, [SOUND, CHEAT], 20));
        assert_eq!(error, None);
        let game = |index: usize| {
            let GameRecord { index, white, black, outcome, reason, .. } = &shown.games[index];
            (*index, white.as_str(), black.as_str(), *outcome, reason.as_str())
        };
        let reason = "B played \"a1a1\", which is illegal, expected a legal move";
        assert_eq!(game(0), (0, "A", "B", Outcome::WhiteWins, reason));
        assert_eq!(game(1), (1, "B", "A", Outcome::BlackWins, reason));
        assert_eq!(shown.counts, (1..=40).collect::<Vec<_>>());
        assert!(shown.table().starts_with("Score of A vs B: 40 - 0 - 0"), "{}", shown.table());
        assert!(shown.end.is_some_and(|(_, interrupted)| !interrupted));
        let (shown, _) = play(&two(&folder, [SOUND, SOUND], 1));
        assert_eq!((shown.games[0].outcome, shown.games[0].reason.as_str()), (Outcome::Draw, "too many moves"));
    }

    #[test]
    fn three_failures_in_a_row_end_the_match() {
        let folder = Folder::new("failures");
        let (shown, error) = play(&two(&folder, [SOUND, "go) exit;;"], 5));
        assert_eq!(error.as_deref(), Some("game 3: B ended; the match ends after 3 failures of B in a row"));
        let text = shown.table();
        assert!(text.ends_with("B lost 3 by crash\n") && text.contains("Games 3:"), "{text}");
        let once = MatchConfig { recover: false, ..two(&folder, ["go) exit;;", SOUND], 5) };
        let (shown, error) = play(&once);
        let told = "game 1: A ended; the match ends at the first failure of an engine (--no-recover)";
        assert_eq!(error.as_deref(), Some(told));
        assert!(shown.table().contains("Games 1:"), "{}", shown.table());
    }

    #[test]
    fn failures_that_are_not_in_a_row_do_not_end_it() {
        let folder = Folder::new("alternating");
        // Crashes in every second game.
        let crash = "go) if rmdir ok 2> /dev/null; then exit; else mkdir ok; echo bestmove $best; fi;;";
        let (shown, error) = play(&two(&folder, [crash, SOUND], 4));
        assert_eq!(error, None);
        assert!(shown.table().contains("A lost 4 by crash\n"), "{}", shown.table());
    }

    #[test]
    fn one_that_cannot_be_started_again_ends_it() {
        let folder = Folder::new("restart");
        let (shown, error) = play(&two(
            &folder,
            ["go) exit;; uci) mkdir begun 2> /dev/null || exit; echo 'option name UCI_Variant'; echo uciok;;", SOUND],
            4,
        ));
        assert_eq!(
            error.as_deref(),
            Some("engine A: ended before 'uciok'; the match ends after 3 failures of A in a row")
        );
        assert!(shown.table().contains("Games 1:"), "{}", shown.table());
    }

    #[test]
    fn one_that_ends_between_games_is_started_again() {
        let folder = Folder::new("between");
        let ends = format!("ucinewgame) test -z \"$old\" || exit; old=1;; {SOUND}");
        let config = two(&folder, [&ends, SOUND], 4);
        let (shown, error) = play(&config);
        let text = shown.table();
        assert!(error.is_none() && text.contains("Games 8: white 0, draws 8, black 0"), "{text} {error:?}");
        let (shown, error) = play(&MatchConfig { recover: false, ..config });
        let told =
            "engine A ended at the start of a game; the match ends at the first failure of an engine (--no-recover)";
        assert!(shown.table().contains("Games 1:"), "{}", shown.table());
        assert_eq!(error.as_deref(), Some(told));
    }

    #[test]
    fn complaints_end_the_match_before_its_first_game() {
        let folder = Folder::new("complaints");
        let complaining = format!("setoption) echo info string bad; echo No way;; {SOUND}");
        let config = two(&folder, [SOUND, &complaining], 1);
        let saving = Saving::New(folder.file("journal"));
        let mut shown = Shown::default();
        let error = run(&config, &[], Sinks { saving, ..NOTHING_ELSE }, &mut shown, &NO_STOP).expect_err("a complaint");
        assert_eq!(
            error.to_string(),
            "engine B complains of its settings: info string bad; No way (--lenient plays all the same)"
        );
        assert!(!folder.file("journal").exists(), "the next attempt may use the name");
        assert!(shown.games.is_empty());
        let (shown, error) = play(&MatchConfig { lenient: true, ..config });
        assert!(error.is_none() && shown.table().contains("Games 2:"), "{} {error:?}", shown.table());
    }

    #[test]
    fn a_decision_or_an_interrupt_ends_it() {
        let folder = Folder::new("decision");
        let sprt = Some(Sprt { elo0: 0.0, elo1: 400.0, alpha: 0.05, beta: 0.05 });
        let decided = MatchConfig { sprt, ..two(&folder, [SOUND, CHEAT], 1_000) };
        let sinks = Sinks { saving: Saving::New(folder.file("journal")), ..NOTHING_ELSE };
        let mut shown = Shown::default();
        run(&decided, &[], sinks, &mut shown, &NO_STOP).expect("a decision");
        assert!(shown.games.len() < 500 && shown.games.iter().all(|game| game.index != 499), "{}", shown.table());
        // What is decided is not played on: the engines are not even started.
        let (journal, mut config, played) = Journal::resume(&folder.file("journal")).expect("a journal");
        config.engines[0].command = "/no/such/program".to_string();
        let sinks = Sinks { saving: Saving::Resumed(journal), ..NOTHING_ELSE };
        let mut again = Shown::default();
        run(&config, &played, sinks, &mut again, &NO_STOP).expect("nothing to do");
        assert!(again.games.is_empty() && again.table().starts_with("Score of A vs B"));
        assert_eq!(again.table(), shown.table());

        let mut shown = Shown::default();
        let interrupted = AtomicBool::new(true);
        run(&two(&folder, ["go) cat;;", SOUND], 2), &[], NOTHING_ELSE, &mut shown, &interrupted).expect("a clean end");
        assert!(shown.games.is_empty() && shown.end.is_some_and(|(_, interrupted)| interrupted));
    }

    #[test]
    fn a_closed_output_ends_the_match_and_leaves_the_journal_whole() {
        let folder = Folder::new("closed");
        // One process never answers and has no time limit to speak of: its game has to be given up.
        let hanging = format!("go) if mkdir hanging 2> /dev/null; then cat; fi; {}", &SOUND[4..]);
        let config = MatchConfig { concurrency: 2, ..two(&folder, [&hanging, SOUND], 10) };
        let path = folder.file("journal");
        let json = Some(folder.file("result"));
        let sinks = Sinks { saving: Saving::New(path.clone()), record: Some(folder.file("games")), json: json.clone() };
        let mut closing = Shown { room: Some(3), ..Shown::default() };
        let error = run(&config, &[], sinks, &mut closing, &NO_STOP).expect_err("nobody reads");
        let cause = error.source().and_then(|cause| cause.downcast_ref::<io::Error>());
        assert_eq!(cause.map(io::Error::kind), Some(io::ErrorKind::BrokenPipe));
        assert_eq!(error.to_string(), "broken pipe");
        assert!(folder.file("hanging").exists() && folder.file("result").exists());
        // All that was played is there, and the rest can be played.
        let (journal, config, played) = Journal::resume(&path).expect("a journal");
        assert!((1..20).contains(&played.len()), "{}", played.len());
        let sinks = Sinks { saving: Saving::Resumed(journal), record: Some(folder.file("games")), json };
        let mut shown = Shown::default();
        run(&config, &played, sinks, &mut shown, &NO_STOP).expect("played to the end");
        assert!(shown.table().contains("Games 20: white 0, draws 20, black 0"), "{}", shown.table());
        let games = std::fs::read_to_string(folder.file("games")).expect("a record");
        assert_eq!(games.matches("[Event ").count(), 20);
    }
}
