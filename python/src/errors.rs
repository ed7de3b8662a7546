//! The exceptions of the package, which are Python classes, and helpers that raise them.

use pyo3::import_exception;
use pyo3::prelude::*;
use std::fmt::Display;

import_exception!(millbrain.errors, BookError);
import_exception!(millbrain.errors, EngineError);
import_exception!(millbrain.errors, IllegalMoveError);
import_exception!(millbrain.errors, InvalidFenError);
import_exception!(millbrain.errors, InvalidMoveError);
import_exception!(millbrain.errors, InvalidPositionError);
import_exception!(millbrain.errors, MissingTableError);
import_exception!(millbrain.errors, OptionError);
import_exception!(millbrain.errors, RecordError);
import_exception!(millbrain.errors, RulesError);
import_exception!(millbrain.errors, TablesError);

/// Turns an error of the library into an exception with the same message.
pub fn raise<E: Display>(kind: impl Fn(String) -> PyErr) -> impl Fn(E) -> PyErr {
    move |error| kind(error.to_string())
}

/// Issues a warning with this message.
pub fn warn(py: Python<'_>, words: &str) -> PyResult<()> {
    let category = py.get_type::<pyo3::exceptions::PyRuntimeWarning>();
    let words = std::ffi::CString::new(words.replace('\0', " ")).unwrap_or_default();
    PyErr::warn(py, &category, &words, 2)
}
