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
    /// Whether an engine that has failed is started again.
    pub recover: bool,
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
