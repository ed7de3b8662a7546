//! Opening books.

use crate::board::Board;
use crate::errors::{BookError, RulesError, raise};
use millbrain::games::book;
use millbrain::variant::NamedRules;
use pyo3::prelude::*;
use std::path::PathBuf;

/// An opening book, read from a file.
#[pyclass(module = "millbrain._native", frozen)]
pub struct Book(book::Book);

#[pymethods]
impl Book {
    #[new]
    fn new(path: PathBuf) -> PyResult<Book> {
        book::Book::open(&path).map(Book).map_err(raise(BookError::new_err))
    }

    /// Returns the variant, the options that change its rules, and how the book was made.
    #[getter]
    fn about(&self) -> (&'static str, String, String) {
        let NamedRules { variant, .. } = *self.0.rules();
        (variant.name(), self.0.rules().list(), self.0.made().to_string())
    }

    fn __len__(&self) -> usize {
        self.0.entries().len()
    }

    /// Returns the FEN of a position, and its moves with their weights.
    fn entry(&self, number: usize) -> Option<(String, Vec<(String, u16)>)> {
        self.0.entries().get(number).map(|entry| (entry.fen.clone(), entry.moves.clone()))
    }

    /// Returns the moves of a position with their weights and their shares.
    fn moves(&self, board: &Board) -> PyResult<Vec<(String, u16, f64)>> {
        let rules = board.rules.ruleset();
        if rules != self.0.rules().rules {
            let expected = self.0.rules();
            let found = board.rules.named();
            return Err(RulesError::new_err(format!("the board is by the rules of {found}, expected {expected}")));
        }
        Ok(self.0.moves(&board.game).into_iter().map(|mv| (mv.text, mv.weight, mv.share)).collect())
    }
}
