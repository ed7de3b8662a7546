//! The file that an interrupted match is resumed from: its settings and the finished games.

use super::config::EngineConfig;
use super::openings::Opening;
use super::record::GameRecord;
use super::referee::Adjudication;
use super::schedule::Schedule;
use super::sprt::{Sprt, SprtError};
use super::standings::Standings;
use millbrain_core::variant::{NamedRules, UnknownVariant};
use millbrain_files::shard::Shard;
use millbrain_files::{InFile, go_on_after, named, open_regular, whole_lines, write_whole};
use millbrain_games::house_rules;
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Maximum time in a match: a longer one is a mistake, and sums might overflow.
const MAX_TIME: Duration = Duration::from_secs(1 << 40);

/// The settings of a match.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct MatchConfig {
    /// Name of the variant.
    pub variant: String,
    /// House rules, in the format of records.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub house_rules: String,
    /// The engines.
    pub engines: Vec<EngineConfig>,
    /// The schedule.
    pub schedule: Schedule,
    /// The openings.
    pub openings: Vec<Opening>,
    /// Conditions that end games early.
    pub adjudication: Adjudication,
    /// The places of tables that end games with known results; empty for no table adjudication.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tables: Vec<String>,
    /// The sequential test that ends the match, if there is one.
    pub sprt: Option<Sprt>,
    /// Whether an engine is restarted after a crash or stall.
    pub recover: bool,
    /// Whether the match continues if an engine complains about its settings.
    pub lenient: bool,
    /// Whether a game is replayed if its engine was killed from outside.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub replay_killed: bool,
    /// Games played in parallel, from 1.
    pub concurrency: usize,
    /// The meetings to play; games of a meeting stay together.
    #[serde(default, skip_serializing_if = "Shard::is_all")]
    pub shard: Shard,
}

/// Settings that do not allow a match.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MatchConfigError {
    /// The variant does not exist.
    #[error(transparent)]
    Variant(#[from] UnknownVariant),
    /// These house rules do not exist.
    #[error("house rules {0:?}, expected rule options such as Stones=10,Flying=false")]
    HouseRules(String),
    /// An option of an engine that chooses the rules: engine and referee would play by different rules.
    #[error("engine {engine}: option.{option} chooses the rules, expected those of --variant and --rules")]
    Rules {
        /// Name of the engine.
        engine: String,
        /// Name of the option.
        option: String,
    },
    /// The lengths of the lists differ from the schedule.
    #[error("{engines} engines and {openings} openings, expected {expected_engines} and {expected_openings}")]
    Lists {
        /// Engines in the list.
        engines: usize,
        /// Openings in the list.
        openings: usize,
        /// Engines of the schedule.
        expected_engines: usize,
        /// Openings of the schedule.
        expected_openings: usize,
    },
    /// The schedule has no games, or their number overflows.
    #[error("a schedule without games or with too many, expected one of a match")]
    Schedule,
    /// A part without games.
    #[error("shard {shard} has no game, expected at most {meetings} shards: there are no more meetings")]
    Shard {
        /// The part.
        shard: Shard,
        /// Meetings of the whole match.
        meetings: usize,
    },
    /// The sequential test has a value out of range.
    #[error(transparent)]
    Sprt(#[from] SprtError),
    /// A sequential test of a match without pairs of games between two engines.
    #[error("--sprt unusable, expected two engines and an even number of --games")]
    SprtWithoutPairs,
    /// A time that is too long.
    #[error("a time of {} s, expected at most {}", .0.as_secs(), MAX_TIME.as_secs())]
    Time(Duration),
}

/// A faulty line of a journal.
#[derive(Debug, thiserror::Error)]
#[error("{line}: {source}")]
pub struct LineError {
    /// Number of the line, from 1.
    pub line: usize,
    /// Fault of the line.
    pub source: LineFault,
}

/// The fault of a line of a journal.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LineFault {
    /// The file is empty.
    #[error("no match, expected a file written by --save")]
    Empty,
    /// The line is not the JSON of settings or of a game.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// These settings do not allow a match.
    #[error(transparent)]
    Settings(#[from] MatchConfigError),
    /// The schedule has no game with this number.
    #[error("game {game}, expected at most {scheduled}")]
    Game {
        /// Number of the game, from 1.
        game: usize,
        /// Games of the schedule.
        scheduled: usize,
    },
    /// The game belongs to another part of the match.
    #[error("game {game} is not of shard {shard}")]
    Shard {
        /// Number of the game, from 1.
        game: usize,
        /// The part saved in the file.
        shard: Shard,
    },
}

/// A journal that cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JournalError {
    /// The file cannot be read or written.
    #[error("{0}")]
    File(#[from] InFile<io::Error>),
    /// A new journal cannot use this file.
    #[error(transparent)]
    NewFile(#[from] NewFileError),
    /// A line is faulty.
    #[error("{}:{source}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line number and its fault.
        source: LineError,
    },
    /// Settings or a game cannot be written as JSON.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
}

/// A file that is not new.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NewFileError {
    /// The file cannot be created or opened.
    #[error("{}: {source}, expected the name of a new file", path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The file is not empty.
    #[error("{}: exists already, expected the name of a new file", .0.display())]
    Exists(PathBuf),
}

/// The file that an interrupted match is resumed from: the settings, then one finished game per line.
pub struct Journal {
    file: File,
    path: PathBuf,
}

impl Journal {
    /// Creates a journal in a new file. A failure leaves no file.
    ///
    /// # Errors
    /// When the file exists or cannot be written.
    pub fn create(path: &Path, config: &MatchConfig) -> Result<Journal, JournalError> {
        write(path, config, [])?;
        match OpenOptions::new().append(true).open(path) {
            Ok(file) => Ok(Journal { file, path: path.to_path_buf() }),
            Err(error) => {
                let _ = std::fs::remove_file(path);
                Err(named(path)(error).into())
            }
        }
    }

    /// Resumes a journal; returns its settings and finished games. A last line cut short by a kill is dropped.
    ///
    /// # Errors
    /// An unreadable file, or a line that is not a game.
    pub fn resume(path: &Path) -> Result<(Journal, MatchConfig, Vec<GameRecord>), JournalError> {
        open_regular(path).map_err(named(path))?;
        let open = OpenOptions::new().read(true).write(true).open(path);
        let mut file = open.map_err(named(path))?;
        let (config, games, whole) = read_open(&file, path)?;
        go_on_after(&mut file, whole).map_err(named(path))?;
        Ok((Journal { file, path: path.to_path_buf() }, config, games))
    }

    /// Appends a finished game; it is on disk when this returns.
    ///
    /// # Errors
    /// Any error of the file system.
    pub fn add(&mut self, game: &GameRecord) -> Result<(), JournalError> {
        // A single write, so that a kill can only tear the last line.
        let line = format!("{}\n", serde_json::to_string(game)?);
        let written = self.file.write_all(line.as_bytes()).and_then(|()| self.file.sync_data());
        Ok(written.map_err(named(&self.path))?)
    }
}

/// Writes a new journal of these games. A failure leaves no file.
///
/// # Errors
/// When the file exists or cannot be written.
pub fn write<'a>(
    path: &Path,
    config: &MatchConfig,
    games: impl IntoIterator<Item = &'a GameRecord>,
) -> Result<(), JournalError> {
    let mut text = format!("{}\n", serde_json::to_string(config)?);
    for game in games {
        text += &serde_json::to_string(game)?;
        text.push('\n');
    }
    write_new(path, text.as_bytes())
}

/// Reads a journal, possibly still being written; returns its settings and finished games.
///
/// # Errors
/// An unreadable file, or a line that is not a game.
pub fn read(path: &Path) -> Result<(MatchConfig, Vec<GameRecord>), JournalError> {
    let file = open_regular(path).map_err(named(path))?;
    read_open(&file, path).map(|(config, games, _)| (config, games))
}

/// Reads the contents of a journal and the length of its whole lines in bytes.
fn read_open(file: &File, path: &Path) -> Result<(MatchConfig, Vec<GameRecord>, u64), JournalError> {
    let (lines, whole) = whole_lines(file).map_err(named(path))?;
    let (config, games) =
        read_journal(&lines).map_err(|source| JournalError::Line { path: path.to_path_buf(), source })?;
    Ok((config, games, whole))
}

impl MatchConfig {
    /// Returns the standings before the first game.
    pub fn standings(&self) -> Standings {
        Standings::new(self.schedule.clone(), self.engines.iter().map(|engine| engine.name.clone()).collect())
    }

    /// Returns the numbers of the games of this part, in order.
    pub fn games(&self) -> impl Iterator<Item = usize> + Send + use<> {
        let (schedule, shard) = (self.schedule.clone(), self.shard);
        (0..schedule.len()).filter(move |&game| shard.has(schedule.meeting(game)))
    }

    /// Returns the sequential test that can end the match. A part has none, since it does not know the games of other
    /// parts.
    pub fn test(&self) -> Option<&Sprt> {
        self.sprt.as_ref().filter(|_| self.shard.is_all())
    }

    /// Returns the rules of all games.
    ///
    /// # Errors
    /// An unknown variant or unknown house rules.
    pub fn rules(&self) -> Result<NamedRules, MatchConfigError> {
        let variant = self.variant.parse()?;
        let rules = house_rules::rules(variant, &self.house_rules);
        let rules = rules.ok_or_else(|| MatchConfigError::HouseRules(self.house_rules.clone()))?;
        Ok(NamedRules { variant, rules })
    }

    /// Checks that these settings allow a match: an edited file may be faulty.
    ///
    /// # Errors
    /// The first fault.
    pub fn check(&self) -> Result<(), MatchConfigError> {
        self.rules()?;
        for EngineConfig { name: engine, dialect, options, .. } in &self.engines {
            if let Some((option, _)) = options.iter().find(|(option, _)| dialect.has_rule(option)) {
                return Err(MatchConfigError::Rules { engine: engine.clone(), option: option.clone() });
            }
        }
        let Schedule { engines: expected_engines, openings: expected_openings, .. } = self.schedule;
        let (engines, openings) = (self.engines.len(), self.openings.len());
        if (engines, openings) != (expected_engines, expected_openings) {
            return Err(MatchConfigError::Lists { engines, openings, expected_engines, expected_openings });
        }
        if self.schedule.checked_len().is_none_or(|games| games == 0) {
            return Err(MatchConfigError::Schedule);
        }
        let meetings = self.schedule.len() / self.schedule.games;
        if self.shard.of(meetings) == 0 {
            return Err(MatchConfigError::Shard { shard: self.shard, meetings });
        }
        if let Some(sprt) = self.sprt {
            sprt.check()?;
            if self.schedule.engines != 2 || !self.schedule.games.is_multiple_of(2) {
                return Err(MatchConfigError::SprtWithoutPairs);
            }
        }
        let times = self.engines.iter().flat_map(|engine| {
            let clock = engine.thinking.clock.map(|clock| [clock.base, clock.increment]);
            [engine.margin, engine.thinking.move_time.unwrap_or_default()]
                .into_iter()
                .chain(clock.into_iter().flatten())
        });
        let too_long = times.chain([self.adjudication.stall]).find(|&time| time > MAX_TIME);
        too_long.map_or(Ok(()), |time| Err(MatchConfigError::Time(time)))
    }
}

/// Reads the whole lines of a journal.
///
/// # Errors
/// The first faulty line.
pub fn read_journal(lines: &[String]) -> Result<(MatchConfig, Vec<GameRecord>), LineError> {
    let (first, rest) = lines.split_first().ok_or(LineError { line: 1, source: LineFault::Empty })?;
    let config = read_settings(first).map_err(|source| LineError { line: 1, source })?;
    let game =
        |(i, line): (usize, &String)| read_game(line, &config).map_err(|source| LineError { line: i + 2, source });
    let games = rest.iter().enumerate().map(game).collect::<Result<_, _>>()?;
    Ok((config, games))
}

fn read_settings(line: &str) -> Result<MatchConfig, LineFault> {
    let config: MatchConfig = serde_json::from_str(line)?;
    config.check()?;
    Ok(config)
}

fn read_game(line: &str, config: &MatchConfig) -> Result<GameRecord, LineFault> {
    let game: GameRecord = serde_json::from_str(line)?;
    let scheduled = config.schedule.len();
    if game.index >= scheduled {
        return Err(LineFault::Game { game: game.index.saturating_add(1), scheduled });
    }
    if !config.shard.has(config.schedule.meeting(game.index)) {
        return Err(LineFault::Shard { game: game.index + 1, shard: config.shard });
    }
    Ok(game)
}

/// Opens a file that is missing or empty: a kill may have come before the first write.
pub(super) fn new_file(path: &Path) -> Result<File, NewFileError> {
    let failed = |source| NewFileError::Open { path: path.to_path_buf(), source };
    let file = OpenOptions::new().append(true).create(true).open(path).map_err(failed)?;
    if file.metadata().map_err(failed)?.len() > 0 {
        return Err(NewFileError::Exists(path.to_path_buf()));
    }
    Ok(file)
}

/// Writes a whole new file. A failure leaves no file.
pub(super) fn write_new(path: &Path, bytes: &[u8]) -> Result<(), JournalError> {
    // Created first, so that no other file is replaced.
    drop(new_file(path)?);
    write_whole(path, bytes).map_err(|error| {
        let _ = std::fs::remove_file(path);
        named(path)(error).into()
    })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::example::example;
    use proptest::prelude::*;

    /// Without late moves, and what is written only where it differs from the default.
    const OLD: &str = r#"{"variant":"morris","engines":[{"name":"A","command":"a","arguments":["-x"],"directory":null,"options":[["Hash","8"]],"thinking":{"clock":{"moves":0,"base":{"secs":10,"nanos":0},"increment":{"secs":0,"nanos":100000000}},"move_time":null,"nodes":null,"depth":null},"margin":{"secs":0,"nanos":0}},{"name":"B","command":"b","arguments":[],"directory":null,"options":[],"thinking":{"clock":null,"move_time":{"secs":1,"nanos":0},"nodes":null,"depth":null},"margin":{"secs":0,"nanos":0}}],"schedule":{"engines":2,"gauntlet":false,"rounds":5,"games":2,"openings":1},"openings":[{"fen":null,"moves":["d6"]}],"adjudication":{"draw":null,"resign":null,"max_moves":300,"stall":{"secs":60,"nanos":0}},"sprt":null,"recover":true,"lenient":false,"concurrency":1}"#;
    const OLD_GAME: &str = r#"{"index":9,"round":5,"white":"B","black":"A","variant":"morris","thinking":["1","2"],"fen":"3/3/3/6/3/3/3 w 9 9 0 1","moves":[{"move":"d6"},{"move":"f4","score":"-0.35","depth":3,"time":7}],"outcome":"WhiteWins","termination":"Time","reason":"A was 3 ms late"}"#;

    /// Returns a match of two engines in pairs of games.
    pub(crate) fn settings(rounds: usize, sprt: Option<Sprt>) -> MatchConfig {
        let (config, _) = read(&[OLD]).expect("readable");
        let schedule = Schedule { rounds, ..config.schedule };
        MatchConfig { schedule, sprt, ..config }
    }

    fn read(lines: &[&str]) -> Result<(MatchConfig, Vec<GameRecord>), LineError> {
        read_journal(&lines.iter().map(ToString::to_string).collect::<Vec<_>>())
    }

    #[test]
    fn what_is_left_out_is_the_default() {
        let (config, games) = read(&[OLD, OLD_GAME]).expect("readable");
        assert!(config.recover && !config.lenient && config.shard.is_all());
        assert_eq!((games[0].index, games[0].moves[1].late, &games[0].late_move), (9, None, &None));
        assert!(!read(&[&OLD.replace(r#""recover":true"#, r#""recover":false"#)]).expect("readable").0.recover);
    }

    #[test]
    fn faults_have_their_line() {
        let fault = |lines: &[&str]| read(lines).expect_err("a fault").to_string();
        assert!(fault(&[]).starts_with("1: no match"));
        assert!(fault(&["x"]).starts_with("1: "));
        assert!(fault(&[OLD, OLD_GAME, "x"]).starts_with("3: "));
        assert_eq!(fault(&[OLD, &OLD_GAME.replace(":9,", ":10,")]), "2: game 11, expected at most 10");
        for (from, to, reported) in [
            ("morris", "chess", "chess"),
            (r#""engines":2"#, r#""engines":3"#, "2 engines and 1 openings, expected 3 and 1"),
            (r#""openings":1"#, r#""openings":2"#, "2 engines and 1 openings, expected 2 and 2"),
            (r#""rounds":5"#, r#""rounds":0"#, "without games"),
            (r#""sprt":null"#, r#""sprt":{"elo0":2,"elo1":1,"alpha":0.1,"beta":0.1}"#, "--sprt unusable"),
            (r#""rounds":5"#, r#""rounds":18446744073709551615"#, "too many"),
            (
                r#"{"secs":10,"#,
                r#"{"secs":1099511627777,"#,
                "a time of 1099511627777 s, expected at most 1099511627776",
            ),
            (r#""increment":{"secs":0,"#, r#""increment":{"secs":1099511627777,"#, "a time of"),
            (r#""margin":{"secs":0,"#, r#""margin":{"secs":1099511627777,"#, "a time of"),
            (r#""move_time":{"secs":1,"#, r#""move_time":{"secs":1099511627777,"#, "a time of"),
            (r#""stall":{"secs":60,"#, r#""stall":{"secs":1099511627777,"#, "a time of"),
        ] {
            let bad = OLD.replace(from, to);
            assert_ne!(bad, OLD, "{from}");
            let error = fault(&[&bad]);
            assert!(error.starts_with("1: ") && error.contains(reported), "{error}");
        }
        assert!(read(&[&OLD.replace(r#"{"secs":10,"#, r#"{"secs":1099511627776,"#)]).is_ok());
    }

    #[test]
    fn no_engine_plays_by_rules_of_its_own() {
        use crate::config::Dialect;
        let with = |dialect, option: &str| {
            let mut config = settings(1, None);
            config.engines[1].dialect = dialect;
            config.engines[1].options =
                vec![("Hash".to_string(), "8".to_string()), (option.to_string(), String::new())];
            config.check()
        };
        let refused = |option: &str| {
            let (engine, option) = ("B".to_string(), option.to_string());
            Err(MatchConfigError::Rules { engine, option })
        };
        for rule in ["UCI_Variant", "Stones", "Once Per Line Mills", "No Capture Draw", "Repetition Draw"] {
            for name in [rule.to_string(), rule.to_lowercase(), rule.replace(' ', "  ")] {
                assert_eq!(with(Dialect::Millbrain, &name), refused(&name));
            }
        }
        for other in ["Threads", "Skill Level", "UCI_Elo", "TablebasePath"] {
            assert_eq!(with(Dialect::Millbrain, other), Ok(()));
        }
        for (option, is_refused) in [("PiecesCount", true), ("mayfly", true), ("SkillLevel", false), ("Stones", false)]
        {
            assert_eq!(with(Dialect::Sanmill, option), if is_refused { refused(option) } else { Ok(()) });
        }
        let reported = with(Dialect::Millbrain, "Flying").expect_err("a rule").to_string();
        assert_eq!(reported, "engine B: option.Flying chooses the rules, expected those of --variant and --rules");
        // A journal written before this check existed.
        let saved = fault_of_options(r#"[["Hash","8"],["Stones","7"]]"#);
        assert_eq!(saved, "1: engine A: option.Stones chooses the rules, expected those of --variant and --rules");
    }

    /// Returns the fault of a journal whose first engine has these options.
    fn fault_of_options(options: &str) -> String {
        read(&[&OLD.replace(r#"[["Hash","8"]]"#, options)]).expect_err("a fault").to_string()
    }

    #[test]
    fn a_part_is_saved_with_its_name() {
        // A whole match is saved as before shards existed.
        let whole = settings(5, None);
        assert!(!serde_json::to_string(&whole).expect("JSON").contains("shard"));
        let part = MatchConfig { shard: "3/3".parse().expect("a shard"), ..whole };
        let saved = serde_json::to_string(&part).expect("JSON");
        assert!(saved.ends_with(r#","shard":"3/3"}"#), "{saved}");
        assert_eq!(read(&[&saved]).expect("readable").0, part);
        // Its only meeting is the third.
        assert_eq!(part.games().collect::<Vec<_>>(), [4, 5]);
        let refused = |lines: &[&str]| read(lines).expect_err("a fault").to_string();
        assert_eq!(refused(&[&saved, OLD_GAME]), "2: game 10 is not of shard 3/3");
        assert!(refused(&[&saved.replace("3/3", "4/3")]).contains("expected I/N with I from 1 to N"));
        let reported = "1: shard 6/6 has no game, expected at most 5 shards: there are no more meetings";
        assert_eq!(refused(&[&saved.replace("3/3", "6/6")]), reported);
    }

    proptest! {
        #[test]
        fn parts_play_every_game_once(
            engines in 2usize..6,
            gauntlet: bool,
            rounds in 1usize..6,
            games in 1usize..5,
            parts in 1usize..9,
        ) {
            let schedule = Schedule { engines, gauntlet, rounds, games, openings: 0 };
            let whole = MatchConfig { schedule, ..settings(1, None) };
            let mut owners: Vec<Option<Shard>> = vec![None; whole.schedule.len()];
            for shard in (0..parts).map(|part| Shard::with(part, parts)) {
                for game in (MatchConfig { shard, ..whole.clone() }).games() {
                    prop_assert_eq!(owners[game].replace(shard), None);
                }
            }
            prop_assert!(owners.iter().all(Option::is_some));
            for (game, &owner) in owners.iter().enumerate() {
                // The games of a pair stay together.
                let pair = whole.schedule.fixture(game).pair;
                let partners = (0..owners.len()).filter(|&other| whole.schedule.fixture(other).pair == pair);
                prop_assert!(partners.into_iter().all(|other| owners[other] == owner));
            }
        }
    }

    #[test]
    fn a_sequential_test_is_for_two_engines_and_pairs_of_games() {
        let tested = OLD.replace(r#""sprt":null"#, r#""sprt":{"elo0":0,"elo1":10,"alpha":0.1,"beta":0.1}"#);
        let (config, _) = read(&[&tested]).expect("readable");
        let odd = MatchConfig { schedule: Schedule { games: 3, ..config.schedule.clone() }, ..config.clone() };
        let engines = [config.engines.clone(), vec![EngineConfig::default()]].concat();
        let three = MatchConfig { schedule: Schedule { engines: 3, ..config.schedule.clone() }, engines, ..config };
        for faulty in [odd, three] {
            assert_eq!(faulty.check(), Err(MatchConfigError::SprtWithoutPairs));
            assert_eq!(MatchConfig { sprt: None, ..faulty }.check(), Ok(()));
        }
    }

    #[test]
    fn a_journal_goes_on_after_a_torn_line() {
        let path = std::env::temp_dir().join(format!("millbrain-journal-{}", std::process::id()));
        let _ = std::fs::remove_file(&path);
        let (config, _) = read(&[OLD]).expect("readable");
        let game = |index| GameRecord { index, ..example() };
        let mut journal = Journal::create(&path, &config).expect("a new file");
        journal.add(&game(0)).expect("written");
        journal.add(&game(1)).expect("written");
        drop(journal);
        let whole = std::fs::read_to_string(&path).expect("readable");
        assert_eq!(whole.lines().count(), 3);
        let taken = Journal::create(&path, &config).err().expect("the file exists").to_string();
        assert!(taken.ends_with("expected the name of a new file"), "{taken}");
        std::fs::write(&path, &whole[..whole.len() - 1]).expect("written");
        let (mut journal, resumed, games) = Journal::resume(&path).expect("a journal");
        assert_eq!((resumed, games), (config.clone(), vec![game(0)]));
        journal.add(&game(2)).expect("written");
        let (_, _, games) = Journal::resume(&path).expect("a journal");
        assert_eq!(games, [game(0), game(2)]);
        // A kill may leave an empty file.
        std::fs::write(&path, "").expect("written");
        assert!(Journal::create(&path, &config).is_ok());
        std::fs::remove_file(&path).expect("removed");
        let missing = Journal::resume(&path).err().expect("no file").to_string();
        assert!(missing.contains("millbrain-journal"), "{missing}");
    }
}
