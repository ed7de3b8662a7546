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

/// A game of a text in its Python form, or its fault.
#[derive(Serialize)]
struct Reported {
    /// Its number in the text, from 1.
    number: usize,
    /// Its first line, from 1.
    line: usize,
    game: Option<Game>,
    /// Tolerated faults, one line each.
    notes: Vec<String>,
    fault: Option<String>,
}

/// Reads a text of games that arrives in parts. Returns a JSON object for each game as soon as it is complete.
#[pyclass(module = "millbrain._native")]
pub struct GameReader {
    splitter: Option<Splitter>,
    /// The rules of games that do not name theirs.
    like: Game,
    number: usize,
}

impl GameReader {
    fn read(&mut self, pieces: Vec<Piece>) -> PyResult<Vec<String>> {
        let reported = |piece: Piece| {
            self.number += 1;
            let (number, line) = (self.number, piece.line);
            let reported = match piece.read(&self.like) {
                Ok(Reading { game, notes, .. }) => Reported { number, line, game: Some(game), notes, fault: None },
                Err(fault) => Reported { number, line, game: None, notes: Vec::new(), fault: Some(fault.to_string()) },
            };
            serde_json::to_string(&reported).map_err(raise(RecordError::new_err))
        };
        pieces.into_iter().map(reported).collect()
    }
}

#[pymethods]
impl GameReader {
    /// Creates a reader of one form, or of all forms.
    #[new]
    fn new(form: Option<&str>, like: &str) -> PyResult<GameReader> {
        let splitter = Splitter::new(form.map(format).transpose()?);
        Ok(GameReader { splitter: Some(splitter), like: parse(like)?, number: 0 })
    }

    /// Adds the next part.
    fn push(&mut self, part: &str) -> PyResult<Vec<String>> {
        let pieces = self.splitter.as_mut().map(|splitter| splitter.push(part)).unwrap_or_default();
        self.read(pieces)
    }

    /// Ends the text.
    fn finish(&mut self) -> PyResult<Vec<String>> {
        let pieces = self.splitter.take().map(Splitter::finish).unwrap_or_default();
        self.read(pieces)
    }
}

/// Writes a game in a form. Returns its text, and one line for each loss.
#[pyfunction]
pub fn write_game(game: &str, form: &str) -> PyResult<(String, Vec<String>)> {
    let form = format(form)?;
    let written = forms::write(&parse(game)?, form).map_err(raise(RecordError::new_err))?;
    let remarks = written.remarks(form);
    Ok((written.text, remarks))
}

/// Replays the main line of a game and checks its result by the rules.
#[pyfunction]
pub fn verify_game(game: &str) -> PyResult<()> {
    GameRecord::from(parse(game)?).verify().map_err(raise(RecordError::new_err))
}

/// Returns the position of a board in Sanmill's notation; `None` for a game that Sanmill does not have.
#[pyfunction]
pub fn sanmill_fen(board: &crate::board::Board) -> Option<String> {
    millbrain::sanmill::fen(board.rules.ruleset(), &board.game.fen())
}
