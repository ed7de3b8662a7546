//! Engines as separate programs: the processes of matches, driven from Python.

use crate::interrupt::Watch;
use millbrain::tournament::process;
use pyo3::exceptions::PyEOFError;
use pyo3::prelude::*;
use std::ffi::OsString;
use std::process::Command;
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

/// Interval at which a wait checks for signals.
const POLL: Duration = Duration::from_millis(20);

/// A program with line-based input and output.
#[pyclass(module = "millbrain._native", frozen)]
pub struct Process(process::Process);

/// Waits for `seconds`, in short turns, until a turn has a result.
fn wait<T: Send>(
    py: Python<'_>,
    seconds: f64,
    mut turn: impl FnMut(Duration) -> Option<T> + Send,
) -> PyResult<Option<T>> {
    let deadline = Instant::now().checked_add(Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or(Duration::MAX));
    py.detach(|| {
        let mut watch = Watch::new();
        loop {
            let left = deadline.map_or(POLL, |deadline| deadline.saturating_duration_since(Instant::now()));
            let found = turn(left.min(POLL));
            if found.is_some() || left.is_zero() {
                return Ok(found);
            }
            watch.look()?;
        }
    })
}

#[pymethods]
impl Process {
    #[new]
    fn new(command: Vec<OsString>) -> PyResult<Process> {
        let mut words = command.into_iter();
        let mut command = Command::new(words.next().unwrap_or_default());
        command.args(words);
        Ok(Process(process::Process::start(command)?))
    }

    /// Returns the number of the process.
    #[getter]
    fn pid(&self) -> u32 {
        self.0.id()
    }

    /// Sends a line.
    fn send(&self, line: &str) {
        self.0.send(line);
    }

    /// Waits for the next line; returns `None` if there is none within `seconds`.
    ///
    /// # Errors
    /// An `EOFError` at the end of the output.
    fn hear(&self, py: Python<'_>, seconds: f64) -> PyResult<Option<String>> {
        let heard = wait(py, seconds, |turn| match self.0.hear(turn) {
            Ok((_, line)) => Some(Some(line)),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => Some(None),
        })?;
        heard.map(|line| line.ok_or_else(|| PyEOFError::new_err("the output has ended"))).transpose()
    }

    /// Returns how the program ended, if that is known within a second.
    fn status(&self, py: Python<'_>) -> String {
        py.detach(|| self.0.last_words(true)).to_string()
    }

    /// Asks the program to quit, and kills it if it is still running after `seconds`.
    fn end(&self, py: Python<'_>, seconds: f64) -> PyResult<()> {
        self.0.send("quit");
        let ended = wait(py, seconds, |turn| self.0.end_by(Instant::now() + turn));
        if !matches!(ended, Ok(Some(_))) {
            py.detach(|| self.0.kill());
        }
        ended.map(drop)
    }
}
