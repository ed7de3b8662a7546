//! The settings that the objects of an output depend on. They are stored beside the output, so that no other run
//! resumes it.

use super::Request;
use super::error::AnalysisError;
use millbrain_files::difference::OtherSetting;
use millbrain_files::shard::Shard;
use millbrain_files::{beside, named, open_regular, write_whole};
use millbrain_games::ENGINE;
use millbrain_tablebase::identity;
use serde::Serialize;
use serde_json::{Value, json};
use std::io;
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_64;

/// The extension of settings files, appended to the name of the output.
const EXTENSION: &str = ".settings";

/// A file of positions, by its identifying figures.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Content {
    /// Number of lines.
    pub lines: usize,
    /// Length.
    pub bytes: u64,
    /// Checksum in hexadecimal.
    pub digest: String,
}

/// The engine, the arguments and the input that the objects of an output depend on.
#[derive(Debug)]
pub struct Settings(Value);

impl Settings {
    /// Returns the settings of a request; without content the positions come from a pipe.
    ///
    /// # Errors
    /// Fails for folders without tablebases.
    pub fn of(request: &Request, input: Option<&Content>) -> Result<Settings, AnalysisError> {
        let tables = |path: &PathBuf| identity(path).map(|bytes| format!("{:016x}", xxh3_64(&bytes)));
        let tablebase = request.tablebases.iter().map(tables).collect::<Result<Vec<_>, _>>()?;
        let limits = &request.limits;
        Ok(Settings(json!({
            "engine": ENGINE,
            "variant": request.rules.variant.name(),
            "rules": request.rules.list(),
            "depth": limits.depth,
            "nodes": limits.nodes,
            "movetime": limits.movetime.map(|time| time.as_millis() as u64),
            "mate": limits.mate,
            "multipv": request.multipv,
            "hash": request.hash_mib,
            "shard": request.shard,
            "first_line": request.first_line,
            "tablebase": tablebase,
            "time": request.with_time,
            "input": input,
        })))
    }

    /// Returns whether the input is known, so that another can be distinguished from it.
    pub(super) fn has_input(&self) -> bool {
        !self.0["input"].is_null()
    }

    /// Reads the settings saved beside an output, if there are any.
    ///
    /// # Errors
    /// Fails if the file cannot be read, or has other content.
    pub(super) fn saved(output: &Path) -> Result<Option<Settings>, AnalysisError> {
        let path = file_of(output);
        let text = match open_regular(&path).and_then(io::read_to_string) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            other => other.map_err(named(&path))?,
        };
        let saved: Option<Value> = serde_json::from_str(&text).ok();
        let is_ours = |saved: &Value| saved["engine"].is_string() && saved.get("input").is_some();
        saved.filter(is_ours).map(|saved| Some(Settings(saved))).ok_or(AnalysisError::NoSettings(path))
    }

    /// Returns the same for all parts of the input.
    pub(super) fn of_whole(mut self) -> Settings {
        self.0["shard"] = json!(Shard::ALL);
        self
    }

    /// Compares the settings of an output with those of another, or of an earlier run.
    ///
    /// # Errors
    /// Fails with the first that differs.
    pub(super) fn check(&self, output: &Path, expected: &Settings, other: &Path) -> Result<(), AnalysisError> {
        OtherSetting::first(&self.0, &expected.0, &file_of(other))
            .map_or(Ok(()), |other| Err(AnalysisError::Other(Box::new(named(output)(other)))))
    }

    /// Saves them beside the output.
    ///
    /// # Errors
    /// Fails with the error of the file system.
    pub(super) fn save(&self, output: &Path) -> Result<(), AnalysisError> {
        let path = file_of(output);
        Ok(write_whole(&path, format!("{:#}\n", self.0).as_bytes()).map_err(named(&path))?)
    }
}

/// Returns the error for an output to resume whose settings are missing.
pub(super) fn unknown(output: &Path) -> AnalysisError {
    AnalysisError::Unknown { output: output.to_path_buf(), settings: file_of(output) }
}

/// Returns the file of the settings of an output.
fn file_of(output: &Path) -> PathBuf {
    beside(output, EXTENSION)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn only_a_missing_file_has_no_settings() {
        let folder = std::env::temp_dir().join(format!("millbrain-settings-{}", std::process::id()));
        let output = folder.join("results");
        fs::create_dir_all(file_of(&output)).expect("a folder in the place of the file");
        let (unreadable, missing) = (Settings::saved(&output), Settings::saved(&folder.join("others")));
        let _ = fs::remove_dir_all(&folder);
        assert!(matches!(unreadable, Err(AnalysisError::File(_))), "{unreadable:?}");
        assert!(matches!(missing, Ok(None)), "{missing:?}");
    }
}
