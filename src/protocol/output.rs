//! Everything that goes out: whole lines to standard output, flushed, and to the log file if there is one.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

struct Inner {
    out: Box<dyn Write + Send>,
    log: Option<File>,
    started: Instant,
}

impl Inner {
    fn log(&mut self, direction: &str, line: &str) {
        let elapsed = self.started.elapsed().as_secs_f64();
        if let Some(file) = &mut self.log
            && let Err(error) = writeln!(file, "{elapsed:10.3} {direction} {line}")
        {
            log::warn!("log file given up: {error}");
            self.log = None;
        }
    }
}

/// The output shared by the session and its searches. Lines never mix.
pub struct Output(Mutex<Inner>);

impl Output {
    /// Output to this writer.
    pub fn new(out: Box<dyn Write + Send>) -> Output {
        Output(Mutex::new(Inner { out, log: None, started: Instant::now() }))
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes a line, or several. A reader that has gone away is no reason to fail: the session ends with its input.
    pub fn line(&self, text: &str) {
        let mut inner = self.inner();
        for line in text.lines() {
            inner.log("<<", line);
        }
        let mut text = text.trim_end_matches('\n').to_string();
        text.push('\n');
        if let Err(error) = inner.out.write_all(text.as_bytes()).and_then(|()| inner.out.flush()) {
            log::debug!("standard output: {error}");
        }
    }

    /// Writes an `info string` line.
    pub fn note(&self, text: &str) {
        self.line(&format!("info string {}", text.replace(['\n', '\r'], " ")));
    }

    /// Notes a line of input in the log file.
    pub fn log_input(&self, line: &str) {
        self.inner().log(">>", line);
    }

    /// Opens the log file, appending; an empty path closes it.
    ///
    /// # Errors
    /// When the file cannot be opened; the log goes on as it was.
    pub fn log_to(&self, path: &str) -> io::Result<()> {
        let file = match path {
            "" => None,
            path => Some(File::options().create(true).append(true).open(Path::new(path))?),
        };
        self.inner().log = file;
        Ok(())
    }
}
