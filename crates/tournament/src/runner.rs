//! The match itself: plays games in parallel and saves each as soon as it ends.

use super::dialogue::Log;
use super::error::MatchError;
use super::interrupt::Interrupt;
use super::journal::{Journal, MatchConfig, new_file};
use super::observer::{Nobody, Observer};
use super::record::GameRecord;
use super::scoreboard::Scoreboard;
use super::standings::{Standings, Summary};
use super::workers::{Ends, Message, Shared};
use millbrain_core::any::{AnyGame, AnyOracle};
use millbrain_core::variant::{NamedRules, Ruleset};
use millbrain_files::{InFile, named, write_whole};
use millbrain_games::forms::{self, Format};
use millbrain_games::game::Game;
use std::collections::HashSet;
use std::error::Error;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// Interval at which the match checks for an interrupt.
const POLL: Duration = Duration::from_millis(50);

/// Destination of finished games.
pub enum Saving {
    /// Nowhere.
    None,
    /// In a new journal, created when all engines have started: a match that cannot begin leaves none.
    New(PathBuf),
    /// In the journal of the resumed match.
    Resumed(Journal),
}

/// The output files of a match.
pub struct Sinks {
    /// The journal.
    pub saving: Saving,
    /// File of the games as text.
    pub record: Option<PathBuf>,
    /// File of the result as JSON.
    pub json: Option<PathBuf>,
    /// Folder of the dialogues with the engines.
    pub log: Option<PathBuf>,
}

/// Opens the tables at these places for these rules; their results end games.
pub type OpenTables = dyn Fn(&Ruleset, &[String]) -> Result<Option<AnyOracle>, Box<dyn Error + Send + Sync>>;

/// Shows a match to the user. An error, such as a closed output, ends the match.
pub trait Reporter {
    /// A game has been saved and counted.
    ///
    /// # Errors
    /// When it cannot be shown.
    fn game_finished(&mut self, game: &GameRecord, standings: &Standings) -> io::Result<()>;

    /// The match has ended: completed, decided, interrupted, or by an error that `run` returns.
    ///
    /// # Errors
    /// When it cannot be shown.
    fn match_ended(&mut self, standings: &Standings, interrupted: bool) -> io::Result<()>;

    /// Returns the observer of games in progress; by default one that ignores everything.
    fn observer(&self) -> Arc<dyn Observer> {
        Arc::new(Nobody)
    }
}

/// Saves and counts the finished games, and passes them on to the files and the user.
struct Scorer<'a> {
    config: &'a MatchConfig,
    scoreboard: Scoreboard,
    journal: Option<Journal>,
    record: Option<(File, &'a Path)>,
    reporter: &'a mut dyn Reporter,
}

/// Plays the match, or the rest of it after the `played` games. Calls `open_tables` if the settings name tables.
///
/// Every game is saved as it ends, then counted, recorded and shown in the order of the schedule: the result does not
/// depend on the concurrency.
///
/// # Errors
/// - Files that cannot be written, tables that cannot be used, a reporter that fails.
/// - Engines that cannot be started, that complain about their settings, or that fail too often.
pub fn run(
    config: &MatchConfig,
    played: Vec<GameRecord>,
    sinks: Sinks,
    open_tables: &OpenTables,
    reporter: &mut dyn Reporter,
    interrupt: &Interrupt,
) -> Result<(), MatchError> {
    let rules = config.rules()?;
    let done: HashSet<usize> = played.iter().map(|game| game.index).collect();
    let pending: Vec<usize> = config.games().filter(|index| !done.contains(index)).collect();
    let mut scoreboard = Scoreboard::new(config, played);
    let counted: Vec<GameRecord> = scoreboard.by_ref().collect();
    let Sinks { saving, record, json, log } = sinks;
    // A match that was killed before its first game ended has a file of games, too.
    let is_new = done.is_empty() && !matches!(saving, Saving::Resumed(_));
    let (journal, new_journal) = match saving {
        Saving::None => (None, None),
        Saving::New(path) => (None, Some(path)),
        Saving::Resumed(journal) => (Some(journal), None),
    };
    let record = match &record {
        None => None,
        Some(path) => Some((open_record(path, is_new, &counted)?, path.as_path())),
    };
    drop(counted);
    let mut scorer = Scorer { config, scoreboard, journal, record, reporter };
    let mut outcome = Ok(());
    if !scorer.scoreboard.is_decided() && !pending.is_empty() {
        let log = log.as_deref().map(Log::create).transpose()?;
        outcome = start(config, rules, open_tables)
            .and_then(|start| play_games(&mut scorer, rules, start, pending, new_journal, log, interrupt));
    }
    let outcome = outcome.and(scorer.count_rest());
    let standings = scorer.scoreboard.standings();
    let shown = scorer.reporter.match_ended(standings, interrupt.is_asked());
    if let Some(path) = json {
        write_json(&path, &standings.summary(config.test()))?;
    }
    outcome.and(shown.map_err(MatchError::Report))
}

/// Writes the result.
pub(super) fn write_json(path: &Path, summary: &Summary) -> Result<(), MatchError> {
    let mut json = serde_json::to_vec_pretty(summary)?;
    json.push(b'\n');
    Ok(write_whole(path, &json).map_err(named(path))?)
}

/// Returns the start of every game, with the tables that end it.
fn start(config: &MatchConfig, rules: NamedRules, open_tables: &OpenTables) -> Result<AnyGame, MatchError> {
    let mut start = AnyGame::new(rules.rules);
    if !config.tables.is_empty() {
        start.set_oracle(open_tables(&rules.rules, &config.tables).map_err(MatchError::Tables)?.as_ref());
    }
    Ok(start)
}

/// Plays these games.
fn play_games(
    scorer: &mut Scorer<'_>,
    rules: NamedRules,
    start: AnyGame,
    pending: Vec<usize>,
    new_journal: Option<PathBuf>,
    log: Option<Log>,
    interrupt: &Interrupt,
) -> Result<(), MatchError> {
    let stop = AtomicBool::new(false);
    let ends = Ends { soon: interrupt.first(), now: &stop };
    let shared = Shared::new(scorer.config, rules, start, pending, ends, scorer.reporter.observer(), log);
    std::thread::scope(|scope| {
        let (sender, messages) = channel();
        let shared = &shared;
        scope.spawn(move || shared.play(scope, sender));
        scorer.score(&messages, new_journal, &stop, interrupt)
    })
}

/// Returns the text of games for a file: in the portable game notation if its name ends with `.pgn`, otherwise records.
pub(super) fn texts<'a>(
    path: &Path,
    games: impl IntoIterator<Item = &'a GameRecord>,
) -> Result<String, InFile<io::Error>> {
    let is_pgn = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("pgn"));
    let text = |game: &GameRecord| match is_pgn {
        true => forms::write(&Game::from(game.clone()), Format::Pgn).map(|written| written.text),
        false => Ok(game.text()),
    };
    let texts: Result<_, _> = games.into_iter().map(text).collect();
    texts.map_err(io::Error::other).map_err(named(path))
}

/// Opens the text file of the games: a new one, or for a resumed match one with the games `counted` so far.
fn open_record(path: &Path, is_new: bool, counted: &[GameRecord]) -> Result<File, MatchError> {
    if is_new {
        return Ok(new_file(path)?);
    }
    // Rewritten from the journal, which has all games: after a kill the last ones may be missing here.
    let text = texts(path, counted)?;
    let written = write_whole(path, text.as_bytes()).and_then(|()| OpenOptions::new().append(true).open(path));
    Ok(written.map_err(named(path))?)
}

impl Scorer<'_> {
    /// Enters games until the last worker has ended; sets `stop` when the match must end.
    fn score(
        &mut self,
        messages: &Receiver<Message>,
        mut new_journal: Option<PathBuf>,
        stop: &AtomicBool,
        interrupt: &Interrupt,
    ) -> Result<(), MatchError> {
        let mut first_error = Ok(());
        let mut is_reported = false;
        loop {
            if interrupt.is_asked() && !std::mem::replace(&mut is_reported, true) {
                log::warn!("the match ends after the games that are being played, or at once if interrupted again");
            }
            if interrupt.is_urgent() {
                stop.store(true, Ordering::Relaxed);
            }
            let entered = match messages.recv_timeout(POLL) {
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => return first_error,
                // Games that end after the decision or a failure do not count.
                Ok(_) if stop.load(Ordering::Relaxed) => continue,
                Ok(Message::Ready) => self.begin_journal(new_journal.take()),
                Ok(Message::Game(game)) => self.enter(*game),
                Ok(Message::Fatal(error)) => Err(error),
            };
            if entered.is_err() || self.scoreboard.is_decided() {
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

    /// Saves a finished game and counts all games whose turn has come.
    fn enter(&mut self, game: GameRecord) -> Result<(), MatchError> {
        if let Some(journal) = &mut self.journal {
            journal.add(&game)?;
        }
        self.scoreboard.take_in(game);
        while let Some(game) = self.scoreboard.next() {
            self.show(&game)?;
        }
        Ok(())
    }

    /// Counts the waiting games when the match ends early: they have been played and saved.
    fn count_rest(&mut self) -> Result<(), MatchError> {
        self.scoreboard.close();
        let mut shown = Ok(());
        while let Some(game) = self.scoreboard.next() {
            // All of them count, even if they cannot be shown.
            shown = shown.and_then(|()| self.show(&game));
        }
        shown
    }

    /// Records and shows a counted game.
    fn show(&mut self, game: &GameRecord) -> Result<(), MatchError> {
        if let Some((record, path)) = &mut self.record {
            record.write_all(texts(path, [game])?.as_bytes()).map_err(named(path))?;
        }
        self.reporter.game_finished(game, self.scoreboard.standings()).map_err(MatchError::Report)
    }
}

/// Matches between shell scripts.
#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::config::{EngineConfig, Thinking};
    use crate::openings::Opening;
    use crate::record::Outcome;
    use crate::referee::Adjudication;
    use crate::schedule::Schedule;
    use crate::sprt::Sprt;
    use millbrain_files::shard::Shard;
    use std::error::Error;

    /// A folder that is removed when dropped.
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

    /// The reaction of a valid engine to `go`.
    const SOUND: &str = "go) echo bestmove $best;;";
    /// The reaction of an engine that loses every game.
    const CHEAT: &str = "go) echo bestmove a1a1;;";

    /// Returns an engine in the folder that plays d6 as White and f4 as Black.
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

    /// Returns a match of two engines; each plays one move per game.
    fn two(folder: &Folder, scripts: [&str; 2], rounds: usize) -> MatchConfig {
        MatchConfig {
            variant: "morris".to_string(),
            house_rules: String::new(),
            engines: vec![engine(folder, "A", scripts[0]), engine(folder, "B", scripts[1])],
            schedule: Schedule { engines: 2, gauntlet: false, rounds, games: 2, openings: 0 },
            openings: Vec::new(),
            adjudication: Adjudication { draw: None, resign: None, max_moves: 1, stall: Duration::from_secs(1_000) },
            sprt: None,
            recover: true,
            lenient: false,
            replay_killed: false,
            tables: Vec::new(),
            concurrency: 1,
            shard: Shard::ALL,
        }
    }

    static NO_STOP: Interrupt = Interrupt::new();

    const NOTHING_ELSE: Sinks = Sinks { saving: Saving::None, record: None, json: None, log: None };

    /// Plays a match without tables.
    fn run(
        config: &MatchConfig,
        played: Vec<GameRecord>,
        sinks: Sinks,
        reporter: &mut dyn Reporter,
        interrupt: &Interrupt,
    ) -> Result<(), MatchError> {
        super::run(config, played, sinks, &|_, _| Ok(None), reporter, interrupt)
    }

    /// The output of a match.
    #[derive(Default)]
    struct Shown {
        games: Vec<GameRecord>,
        /// Number of games in the standings after each game.
        counts: Vec<u64>,
        /// The final standings, and whether the match was interrupted.
        end: Option<(String, bool)>,
        /// Number of games after which the output is closed.
        room: Option<usize>,
    }

    impl Shown {
        fn check_open(&self) -> io::Result<()> {
            let closed = self.room.is_some_and(|room| self.games.len() >= room);
            if closed { Err(io::ErrorKind::BrokenPipe.into()) } else { Ok(()) }
        }

        /// Returns the final standings.
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

    /// Plays a match; returns its output and its error.
    fn play(config: &MatchConfig) -> (Shown, Option<String>) {
        let mut shown = Shown::default();
        let error = run(config, Vec::new(), NOTHING_ELSE, &mut shown, &NO_STOP).err();
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
        assert_eq!((shown.games[0].outcome, shown.games[0].reason.as_str()), (Outcome::Draw, "length"));
    }

    #[test]
    fn three_failures_in_a_row_end_the_match() {
        let folder = Folder::new("failures");
        let (shown, error) = play(&two(&folder, [SOUND, "go) exit;;"], 5));
        assert_eq!(
            error.as_deref(),
            Some("game 3: B ended (exit status: 0); the match ends after 3 failures of B in a row")
        );
        let text = shown.table();
        assert!(text.ends_with("B lost 3 by crash\n") && text.contains("Games 3:"), "{text}");
        let once = MatchConfig { recover: false, ..two(&folder, ["go) exit;;", SOUND], 5) };
        let (shown, error) = play(&once);
        let reported =
            "game 1: A ended (exit status: 0); the match ends at the first failure of an engine (--no-recover)";
        assert_eq!(error.as_deref(), Some(reported));
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
            Some("engine A: ended before 'uciok' (exit status: 1); the match ends after 3 failures of A in a row")
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
        let reported = "engine A ended at the start of a game (exit status: 1); the match ends at the first failure of an engine (--no-recover)";
        assert!(shown.table().contains("Games 1:"), "{}", shown.table());
        assert_eq!(error.as_deref(), Some(reported));
    }

    #[test]
    fn complaints_end_the_match_before_its_first_game() {
        let folder = Folder::new("complaints");
        let complaining = format!("setoption) echo info string bad; echo No way;; {SOUND}");
        let config = two(&folder, [SOUND, &complaining], 1);
        let saving = Saving::New(folder.file("journal"));
        let mut shown = Shown::default();
        let error =
            run(&config, Vec::new(), Sinks { saving, ..NOTHING_ELSE }, &mut shown, &NO_STOP).expect_err("a complaint");
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
        run(&decided, Vec::new(), sinks, &mut shown, &NO_STOP).expect("a decision");
        assert!(shown.games.len() < 500 && shown.games.iter().all(|game| game.index != 499), "{}", shown.table());
        // A decided match is not continued: the engines are not even started.
        let (journal, mut config, played) = Journal::resume(&folder.file("journal")).expect("a journal");
        config.engines[0].command = "/no/such/program".to_string();
        let sinks = Sinks { saving: Saving::Resumed(journal), ..NOTHING_ELSE };
        let mut again = Shown::default();
        run(&config, played, sinks, &mut again, &NO_STOP).expect("nothing to do");
        assert!(again.games.is_empty() && again.table().starts_with("Score of A vs B"));
        assert_eq!(again.table(), shown.table());
        // For any concurrency the same games count, though more may have been played.
        let mut side_by_side = Shown::default();
        let decided = MatchConfig { concurrency: 3, ..decided };
        run(&decided, Vec::new(), NOTHING_ELSE, &mut side_by_side, &NO_STOP).expect("a decision");
        assert_eq!((side_by_side.table(), side_by_side.games.len()), (shown.table(), shown.games.len()));

        let mut shown = Shown::default();
        // During a game that would never end.
        let interrupt = Interrupt::new();
        interrupt.ask();
        interrupt.ask();
        run(&two(&folder, ["go) cat;;", SOUND], 2), Vec::new(), NOTHING_ELSE, &mut shown, &interrupt)
            .expect("a clean end");
        assert!(shown.games.is_empty() && shown.end.is_some_and(|(_, interrupted)| interrupted));
    }

    /// Returns the script of an engine that acts by the round, selected by patterns such as `*' 0 5'*)` for the fifth.
    fn by_round(cases: &str) -> String {
        format!(
            "position) place=$rest; case $rest in *moves*) best=f4;; *) best=d6;; esac;; \
             go) case $place in {cases} esac; echo bestmove $best;;"
        )
    }

    /// Returns a match of two engines whose positions contain the round as the move number.
    fn in_rounds(folder: &Folder, scripts: [&str; 2], rounds: usize, concurrency: usize) -> MatchConfig {
        let mut config = MatchConfig { concurrency, ..two(folder, scripts, rounds) };
        let opening = |round| Opening { fen: Some(format!("3/3/3/6/3/3/3 w 9 9 0 {round}")), moves: Vec::new() };
        config.openings = (1..=rounds).map(opening).collect();
        config.schedule.openings = rounds;
        config
    }

    fn indices(games: &[GameRecord]) -> Vec<usize> {
        games.iter().map(|game| game.index).collect()
    }

    #[test]
    fn games_are_saved_as_they_end_and_counted_in_order() {
        let folder = Folder::new("order");
        // The first game continues until the fifth has begun.
        let waits = by_round("*' 0 1') until test -d third; do sleep 0.01; done;; *' 0 3') mkdir third;;");
        let config = in_rounds(&folder, [&waits, SOUND], 5, 2);
        let path = folder.file("journal");
        let sinks = Sinks { saving: Saving::New(path.clone()), record: Some(folder.file("games")), ..NOTHING_ELSE };
        let mut shown = Shown::default();
        run(&config, Vec::new(), sinks, &mut shown, &NO_STOP).expect("played");
        assert_eq!(indices(&shown.games), (0..10).collect::<Vec<_>>());
        assert_eq!(shown.counts, (1..=10).collect::<Vec<_>>());
        let (_, _, saved) = Journal::resume(&path).expect("a journal");
        let early = indices(&saved).iter().position(|&index| index == 0).expect("saved");
        assert!(saved.len() == 10 && early >= 3, "{:?}", indices(&saved));
        let record: String = shown.games.iter().map(GameRecord::text).collect();
        assert_eq!(std::fs::read_to_string(folder.file("games")).expect("a record"), record);
    }

    /// Torn off anywhere by a kill, the file has all games again when the match is resumed.
    #[test]
    fn records_are_written_in_the_portable_game_notation() {
        let folder = Folder::new("pgn");
        let config = in_rounds(&folder, [SOUND, SOUND], 2, 1);
        let (path, games) = (folder.file("journal"), folder.file("games.PGN"));
        let sinks = |saving| Sinks { saving, record: Some(games.clone()), ..NOTHING_ELSE };
        let mut shown = Shown::default();
        run(&config, Vec::new(), sinks(Saving::New(path.clone())), &mut shown, &NO_STOP).expect("played");
        let text = std::fs::read_to_string(&games).expect("games");
        assert!(text.contains("[Variant \"Nine Men's Morris\"]") && text.contains("[Date \"????.??.??\"]"), "{text}");
        let read = crate::record::read_games(&text).expect("games");
        // The first position has another form there.
        let placeless = |games: &[GameRecord]| -> Vec<GameRecord> {
            games.iter().map(|game| GameRecord { fen: String::new(), ..game.without_times() }).collect()
        };
        assert_eq!(placeless(&read), placeless(&shown.games));
        assert!(read.iter().all(|game| game.verify().is_ok()));
        let saved = std::fs::read_to_string(&path).expect("a journal");
        for lines in 1..=5 {
            let journal: String = saved.split_inclusive('\n').take(lines).collect();
            std::fs::write(&path, journal).expect("written");
            std::fs::write(&games, &text[..text.len() * lines / 6]).expect("torn");
            let (journal, config, played) = Journal::resume(&path).expect("a journal");
            run(&config, played, sinks(Saving::Resumed(journal)), &mut Shown::default(), &NO_STOP).expect("played");
            let again = crate::record::read_games(&std::fs::read_to_string(&games).expect("games")).expect("games");
            assert_eq!(placeless(&again), placeless(&read), "{lines}");
        }
    }

    #[test]
    fn games_that_wait_when_a_match_ends_early_count() {
        let folder = Folder::new("waiting");
        let (hangs, crashes) = (by_round("*' 0 1') cat;;"), by_round("*' 0 3'*) exit;;"));
        let config = MatchConfig { recover: false, ..in_rounds(&folder, [&hangs, &crashes], 5, 2) };
        let path = folder.file("journal");
        let sinks = || Sinks { saving: Saving::New(path.clone()), record: Some(folder.file("games")), ..NOTHING_ELSE };
        let mut shown = Shown::default();
        let error = run(&config, Vec::new(), sinks(), &mut shown, &NO_STOP).expect_err("a crash");
        assert!(error.to_string().starts_with("game 5: B ended"), "{error}");
        assert_eq!(indices(&shown.games), [1, 2, 3, 4]);
        assert!(shown.table().contains("Games 4:"), "{}", shown.table());
        // Resumed, they wait again for the abandoned game.
        let (journal, mut config, played) = Journal::resume(&path).expect("a journal");
        config.engines = two(&folder, [SOUND, SOUND], 5).engines;
        let sinks = Sinks { saving: Saving::Resumed(journal), ..sinks() };
        let mut shown = Shown::default();
        run(&config, played, sinks, &mut shown, &NO_STOP).expect("played");
        assert_eq!(indices(&shown.games), (0..10).collect::<Vec<_>>());
        let games = std::fs::read_to_string(folder.file("games")).expect("a record");
        let numbers: Vec<_> = games.lines().filter(|line| line.starts_with("[Game ")).collect();
        assert_eq!(numbers, (1..=10).map(|number| format!("[Game \"{number}\"]")).collect::<Vec<_>>());
    }

    #[test]
    fn a_part_is_played_to_its_end() {
        let folder = Folder::new("part");
        let sprt = Some(Sprt { elo0: 0.0, elo1: 400.0, alpha: 0.05, beta: 0.05 });
        let shard = "2/3".parse().expect("a shard");
        let part = MatchConfig { sprt, shard, ..two(&folder, [SOUND, CHEAT], 100) };
        let (shown, error) = play(&part);
        assert_eq!((error, shown.games.len()), (None, 66), "{}", shown.table());
        assert_eq!(indices(&shown.games[..4]), [2, 3, 8, 9]);
        let whole = MatchConfig { shard: Shard::ALL, ..part };
        assert!(play(&whole).0.games.len() < 66, "a whole match is decided before");
    }

    #[test]
    fn a_closed_output_ends_the_match_and_leaves_the_journal_whole() {
        let folder = Folder::new("closed");
        // One process never answers and has practically no time limit: its game must be abandoned. The games of the
        // round before it end when that game has started.
        let hanging = by_round(
            "*' 0 5'*) until test -d hanging; do sleep 0.01; done;; *' 0 6'*) mkdir hanging 2> /dev/null && cat;;",
        );
        let config = in_rounds(&folder, [&hanging, SOUND], 10, 3);
        let path = folder.file("journal");
        let json = Some(folder.file("result"));
        let sinks = Sinks {
            saving: Saving::New(path.clone()),
            record: Some(folder.file("games")),
            json: json.clone(),
            log: None,
        };
        let mut closing = Shown { room: Some(9), ..Shown::default() };
        let error = run(&config, Vec::new(), sinks, &mut closing, &NO_STOP).expect_err("nobody reads");
        let cause = error.source().and_then(|cause| cause.downcast_ref::<io::Error>());
        assert_eq!(cause.map(io::Error::kind), Some(io::ErrorKind::BrokenPipe));
        assert_eq!(error.to_string(), "broken pipe");
        assert!(folder.file("hanging").exists() && folder.file("result").exists());
        // All played games are saved, and the rest can be played.
        let (journal, config, played) = Journal::resume(&path).expect("a journal");
        assert!((10..20).contains(&played.len()), "{}", played.len());
        assert!(closing.table().contains(&format!("Games {}:", played.len())), "{}", closing.table());
        let sinks = Sinks { saving: Saving::Resumed(journal), record: Some(folder.file("games")), json, log: None };
        let mut shown = Shown::default();
        run(&config, played, sinks, &mut shown, &NO_STOP).expect("played to the end");
        assert!(shown.table().contains("Games 20: white 0, draws 20, black 0"), "{}", shown.table());
        let games = std::fs::read_to_string(folder.file("games")).expect("a record");
        assert_eq!(games.matches("[Event ").count(), 20);
    }
}
