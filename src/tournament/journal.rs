//! What a broken-off match is resumed from: its settings and the games finished so far.

use super::config::EngineConfig;
use super::openings::Opening;
use super::record::GameRecord;
use super::referee::House;
use super::schedule::Schedule;
use super::sprt::Sprt;
use crate::files::{go_on_after, named, whole_lines, write_whole};
use crate::variant::Variant;
use serde::{Deserialize, Serialize};
use std::error::Error;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Everything that decides how a match goes.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct MatchConfig {
    /// Name of the variant.
    pub variant: String,
    /// The engines.
    pub engines: Vec<EngineConfig>,
    /// Who plays whom.
    pub schedule: Schedule,
    /// The openings.
    pub openings: Vec<Opening>,
    /// When games are ended early.
    pub house: House,
    /// The sequential test that ends the match, if there is one.
    pub sprt: Option<Sprt>,
    /// Whether an engine that has crashed or stalled is started again.
    pub recover: bool,
    /// Whether the match is played though an engine complains of its settings.
    #[serde(default)]
    pub lenient: bool,
    /// Games side by side.
    pub concurrency: usize,
}

/// The file that a broken-off match is resumed from: the settings, then a finished game a line.
pub struct Journal {
    file: File,
    path: PathBuf,
}

impl Journal {
    /// Begins a journal in a new file, which is there with its settings or not at all.
    ///
    /// # Errors
    /// When the file exists already or cannot be written.
    pub fn create(path: &Path, config: &MatchConfig) -> Result<Journal, Box<dyn Error>> {
        // Made and opened first, so that no file of somebody else is replaced.
        drop(new_file(path)?);
        let settings = format!("{}\n", serde_json::to_string(config)?);
        let opened = write_whole(path, settings.as_bytes()).and_then(|()| OpenOptions::new().append(true).open(path));
        match opened {
            Ok(file) => Ok(Journal { file, path: path.to_path_buf() }),
            Err(error) => {
                let _ = std::fs::remove_file(path);
                Err(named(path)(error).into())
            }
        }
    }

    /// Goes on with a journal: its settings and finished games. A last line cut short by a kill is dropped.
    ///
    /// # Errors
    /// An unreadable file, or a line that is no game.
    pub fn resume(path: &Path) -> Result<(Journal, MatchConfig, Vec<GameRecord>), Box<dyn Error>> {
        let open = OpenOptions::new().read(true).write(true).open(path);
        let mut file = open.map_err(named(path))?;
        let (lines, whole) = whole_lines(&file).map_err(named(path))?;
        let (config, games) = read_journal(&lines).map_err(|error| format!("{}:{error}", path.display()))?;
        go_on_after(&mut file, whole)?;
        Ok((Journal { file, path: path.to_path_buf() }, config, games))
    }

    /// Adds a finished game; it is on disk when this returns.
    ///
    /// # Errors
    /// Whatever the file system says.
    pub fn add(&mut self, game: &GameRecord) -> Result<(), Box<dyn Error>> {
        // One write, so that a kill leaves a whole line or a torn last one.
        let line = format!("{}\n", serde_json::to_string(game)?);
        let written = self.file.write_all(line.as_bytes()).and_then(|()| self.file.sync_data());
        Ok(written.map_err(named(&self.path))?)
    }
}

impl MatchConfig {
    /// Whether a match can be played by these settings: those of the command line can, those of a file that
    /// somebody has edited perhaps not.
    ///
    /// # Errors
    /// The first fault.
    fn check(&self) -> Result<(), String> {
        /// Longer times are a slip, and sums of them might overflow.
        const LONGEST: Duration = Duration::from_secs(1 << 40);
        self.variant.parse::<Variant>().map_err(|error| error.to_string())?;
        let Schedule { engines, openings, .. } = self.schedule;
        if engines != self.engines.len() || openings != self.openings.len() {
            let (found, given) = (self.engines.len(), self.openings.len());
            return Err(format!("{found} engines and {given} openings, expected {engines} and {openings}"));
        }
        if self.schedule.checked_len().is_none_or(|games| games == 0) {
            return Err("a schedule without games or with too many, expected one of a match".to_string());
        }
        self.sprt.map_or(Ok(()), |sprt| sprt.check().map_err(|error| error.to_string()))?;
        let times = self.engines.iter().flat_map(|engine| {
            let clock = engine.thinking.clock.map(|clock| [clock.base, clock.increment]);
            [engine.margin, engine.thinking.move_time.unwrap_or_default()]
                .into_iter()
                .chain(clock.into_iter().flatten())
        });
        match times.chain([self.house.stall]).find(|&time| time > LONGEST) {
            Some(time) => Err(format!("a time of {} s, expected at most {}", time.as_secs(), LONGEST.as_secs())),
            None => Ok(()),
        }
    }
}

/// Reads the whole lines of a journal.
///
/// # Errors
/// The number of the first faulty line, from 1, and what is wrong with it.
pub fn read_journal(lines: &[String]) -> Result<(MatchConfig, Vec<GameRecord>), String> {
    let Some((first, rest)) = lines.split_first() else {
        return Err("1: no match, expected a file written by --save".to_string());
    };
    let config: MatchConfig = serde_json::from_str(first).map_err(|error| format!("1: {error}"))?;
    config.check().map_err(|error| format!("1: {error}"))?;
    let scheduled = config.schedule.len();
    let game = |(i, line): (usize, &String)| {
        let game: GameRecord = serde_json::from_str(line).map_err(|error| format!("{}: {error}", i + 2))?;
        if game.index >= scheduled {
            return Err(format!("{}: game {}, expected at most {scheduled}", i + 2, game.index.saturating_add(1)));
        }
        Ok(game)
    };
    let games = rest.iter().enumerate().map(game).collect::<Result<_, _>>()?;
    Ok((config, games))
}

/// A file that was not there before, or was empty: a kill may have come before anything was written.
pub(super) fn new_file(path: &Path) -> Result<File, Box<dyn Error>> {
    let named = |error: io::Error| format!("{}: {error}, expected the name of a new file", path.display());
    let file = OpenOptions::new().append(true).create(true).open(path).map_err(named)?;
    if file.metadata().map_err(named)?.len() > 0 {
        return Err(format!("{}: exists already, expected the name of a new file", path.display()).into());
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::super::record::tests::example;
    use super::*;

    /// As written before there were late moves and `lenient`.
    const OLD: &str = r#"{"variant":"morris","engines":[{"name":"A","command":"a","arguments":["-x"],"directory":null,"options":[["Hash","8"]],"thinking":{"clock":{"moves":0,"base":{"secs":10,"nanos":0},"increment":{"secs":0,"nanos":100000000}},"move_time":null,"nodes":null,"depth":null},"margin":{"secs":0,"nanos":0}},{"name":"B","command":"b","arguments":[],"directory":null,"options":[],"thinking":{"clock":null,"move_time":{"secs":1,"nanos":0},"nodes":null,"depth":null},"margin":{"secs":0,"nanos":0}}],"schedule":{"engines":2,"gauntlet":false,"rounds":5,"games":2,"openings":1},"openings":[{"fen":null,"moves":["d6"]}],"house":{"draw":null,"resign":null,"max_moves":300,"stall":{"secs":60,"nanos":0}},"sprt":null,"recover":true,"concurrency":1}"#;
    const OLD_GAME: &str = r#"{"index":9,"round":5,"white":"B","black":"A","variant":"morris","thinking":["1","2"],"fen":"3/3/3/6/3/3/3 w 9 9 0 1","moves":[{"move":"d6"},{"move":"f4","score":"-0.35","depth":3,"time":7}],"outcome":"WhiteWins","termination":"Time","reason":"A was 3 ms late"}"#;

    fn read(lines: &[&str]) -> Result<(MatchConfig, Vec<GameRecord>), String> {
        read_journal(&lines.iter().map(ToString::to_string).collect::<Vec<_>>())
    }

    #[test]
    fn journals_of_earlier_versions_are_read() {
        let (config, games) = read(&[OLD, OLD_GAME]).expect("readable");
        assert!(config.recover && !config.lenient);
        assert_eq!((games[0].index, games[0].moves[1].late, &games[0].late_move), (9, None, &None));
        assert!(!read(&[&OLD.replace(r#""recover":true"#, r#""recover":false"#)]).expect("readable").0.recover);
    }

    #[test]
    fn faults_are_told_with_their_line() {
        let fault = |lines: &[&str]| read(lines).expect_err("a fault");
        assert!(fault(&[]).starts_with("1: no match"));
        assert!(fault(&["x"]).starts_with("1: "));
        assert!(fault(&[OLD, OLD_GAME, "x"]).starts_with("3: "));
        assert_eq!(fault(&[OLD, &OLD_GAME.replace(":9,", ":10,")]), "2: game 11, expected at most 10");
        for (from, to, told) in [
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
            assert!(error.starts_with("1: ") && error.contains(told), "{error}");
        }
        assert!(read(&[&OLD.replace(r#"{"secs":10,"#, r#"{"secs":1099511627776,"#)]).is_ok());
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
        // An empty file is what a kill may leave behind.
        std::fs::write(&path, "").expect("written");
        assert!(Journal::create(&path, &config).is_ok());
        std::fs::remove_file(&path).expect("removed");
        let missing = Journal::resume(&path).err().expect("no file").to_string();
        assert!(missing.contains("millbrain-journal"), "{missing}");
    }
}
