//! Games with their variations, as JSON between the library and Python.

use crate::errors::{RecordError, raise};
use millbrain::games::forms::{self, Format};
use millbrain::games::game::Game;
use pyo3::prelude::*;

fn parse(json: &str) -> PyResult<Game> {
    serde_json::from_str(json).map_err(raise(RecordError::new_err))
}

fn format(name: &str) -> PyResult<Format> {
    serde_json::from_value(name.into()).map_err(raise(RecordError::new_err))
}

/// The games of a text in a form, or in the one that it seems to have, as a JSON list of objects; a bare list of moves is
/// played by the rules of `like`.
#[pyfunction]
pub fn read_games(text: &str, form: Option<&str>, like: &str) -> PyResult<String> {
    let form = form.map_or_else(|| Ok(forms::format_of(text)), format)?;
    let games = forms::read(text, form, &parse(like)?).map_err(raise(RecordError::new_err))?;
    serde_json::to_string(&games).map_err(raise(RecordError::new_err))
}

/// The text of a game in a form.
#[pyfunction]
pub fn write_game(game: &str, form: &str) -> PyResult<String> {
    forms::write(&parse(game)?, format(form)?).map_err(raise(RecordError::new_err))
}

/// Plays the main line of a game again, and checks its result by the rules.
#[pyfunction]
pub fn verify_game(game: &str) -> PyResult<()> {
    let record = parse(game)?.record().map_err(raise(RecordError::new_err))?;
    record.verify().map_err(raise(RecordError::new_err))
}

/// The position of a board as Sanmill writes it; `None` for a game that it does not have.
#[pyfunction]
pub fn sanmill_fen(board: &crate::board::Board) -> Option<String> {
    millbrain::sanmill::fen(board.rules.ruleset(), &board.game.fen())
}
