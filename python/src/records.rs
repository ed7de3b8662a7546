//! Games with their variations, as JSON between the library and Python.

use crate::errors::{RecordError, raise};
use millbrain::games::forms::{self, Format, Reading};
use millbrain::games::game::Game;
use millbrain::games::record::GameRecord;
use millbrain::games::split::{Piece, Splitter};
use pyo3::prelude::*;
use serde::Serialize;

fn parse(json: &str) -> PyResult<Game> {
    serde_json::from_str(json).map_err(raise(RecordError::new_err))
}

fn format(name: &str) -> PyResult<Format> {
    serde_json::from_value(name.into()).map_err(raise(RecordError::new_err))
}

/// A game as Python has it.
#[derive(Serialize)]
struct Told {
    #[serde(flatten)]
    game: Game,
    /// The form of its text.
    form: Format,
    /// What was tolerated, a line each.
    notes: Vec<String>,
}

/// The games of a text in a form, or in the ones that they seem to have, as a JSON list of objects; games that do not
/// name their rules are played by those of `like`.
#[pyfunction]
pub fn read_games(text: &str, form: Option<&str>, like: &str) -> PyResult<String> {
    let form = form.map(format).transpose()?;
    let games = forms::read(text, form, &parse(like)?).map_err(raise(RecordError::new_err))?;
    let told: Vec<Told> = games.into_iter().map(|Reading { form, game, notes }| Told { game, form, notes }).collect();
    serde_json::to_string(&told).map_err(raise(RecordError::new_err))
}

/// Takes a text of games in parts, and gives the text of each as soon as it is whole: its first line, its form, and it.
#[pyclass(module = "millbrain._native")]
pub struct GameSplitter(Option<Splitter>);

/// A piece as Python has it.
fn plain(piece: Piece) -> PyResult<(usize, String, String)> {
    let Piece { line, form, text } = piece;
    let form = serde_json::to_value(form).map_err(raise(RecordError::new_err))?;
    Ok((line, form.as_str().unwrap_or_default().to_string(), text))
}

#[pymethods]
impl GameSplitter {
    #[new]
    fn new(form: Option<&str>) -> PyResult<GameSplitter> {
        Ok(GameSplitter(Some(Splitter::new(form.map(format).transpose()?))))
    }

    /// Takes the next part.
    fn push(&mut self, part: &str) -> PyResult<Vec<(usize, String, String)>> {
        self.0.iter_mut().flat_map(|splitter| splitter.push(part)).map(plain).collect()
    }

    /// The end of the text.
    fn finish(&mut self) -> PyResult<Vec<(usize, String, String)>> {
        self.0.take().map(Splitter::finish).unwrap_or_default().into_iter().map(plain).collect()
    }
}

/// The text of a game in a form.
#[pyfunction]
pub fn write_game(game: &str, form: &str) -> PyResult<String> {
    let written = forms::write(&parse(game)?, format(form)?).map_err(raise(RecordError::new_err))?;
    Ok(written.text)
}

/// Plays the main line of a game again, and checks its result by the rules.
#[pyfunction]
pub fn verify_game(game: &str) -> PyResult<()> {
    GameRecord::from(parse(game)?).verify().map_err(raise(RecordError::new_err))
}

/// The position of a board as Sanmill writes it; `None` for a game that it does not have.
#[pyfunction]
pub fn sanmill_fen(board: &crate::board::Board) -> Option<String> {
    millbrain::sanmill::fen(board.rules.ruleset(), &board.game.fen())
}
