//! Game records, as JSON between the library and Python.

use crate::errors::{RecordError, raise};
use millbrain::tournament::record::{GameRecord, read_games};
use pyo3::prelude::*;

fn parse(json: &str) -> PyResult<GameRecord> {
    serde_json::from_str(json).map_err(raise(RecordError::new_err))
}

/// The games of a text, as a JSON list of objects.
#[pyfunction]
pub fn read_records(text: &str) -> PyResult<String> {
    let games = read_games(text).map_err(raise(RecordError::new_err))?;
    serde_json::to_string(&games).map_err(raise(RecordError::new_err))
}

/// The text of a game.
#[pyfunction]
pub fn write_record(game: &str) -> PyResult<String> {
    Ok(parse(game)?.text())
}

/// Plays a game again, and checks its result by the rules.
#[pyfunction]
pub fn verify_record(game: &str) -> PyResult<()> {
    parse(game)?.verify().map_err(raise(RecordError::new_err))
}
