//! Runs long work for Python on its own thread, without the GIL; Ctrl-C stops it.

use crate::errors::{EngineError, raise};
use crate::memory;
use pyo3::prelude::*;
use std::io;
use std::panic::resume_unwind;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{Builder, scope};
use std::time::{Duration, Instant};

/// Interval between checks for signals.
const INTERVAL: Duration = Duration::from_millis(20);
/// Stack size, as the program gives the thread of its jobs.
const STACK_BYTES: usize = 8 << 20;

/// Checks for signals from time to time.
pub struct Watch(Instant);

impl Watch {
    /// Creates a watch whose first check comes after the interval.
    pub fn new() -> Watch {
        Watch(Instant::now())
    }

    /// Checks for signals if the interval has passed.
    ///
    /// # Errors
    /// The exception that a signal raises.
    pub fn look(&mut self) -> PyResult<()> {
        if self.0.elapsed() < INTERVAL {
            return Ok(());
        }
        Python::attach(|py| py.check_signals())?;
        self.0 = Instant::now();
        Ok(())
    }
}

/// Runs `work`, returns its result, and passes its messages to `receive`. An exception there, or one that a signal
/// raises, calls `stop` and becomes the result. `stop` must make `work` return soon.
pub fn run<T: Send, M: Send>(
    py: Python<'_>,
    stop: impl Fn() + Send,
    work: impl FnOnce(&Sender<M>) -> T + Send,
    mut receive: impl FnMut(Python<'_>, M) -> PyResult<()> + Send,
) -> PyResult<T> {
    let (sender, messages) = channel();
    let mut attend = move || {
        let mut watch = Watch::new();
        loop {
            let message = messages.recv_timeout(INTERVAL);
            watch.look()?;
            match message {
                Ok(message) => Python::attach(|py| receive(py, message))?,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
        }
    };
    let work = move || work(&sender);
    memory::leave_room(1)?;
    py.detach(move || {
        scope(|scope| {
            let started = Builder::new().name("job".to_string()).stack_size(STACK_BYTES).spawn_scoped(scope, work);
            let words =
                |error: io::Error| format!("no thread could be started ({error}); is the limit of processes reached?");
            let job = started.map_err(words).map_err(raise(EngineError::new_err))?;
            let attended: PyResult<()> = attend();
            if attended.is_err() {
                stop();
            }
            let done = job.join().unwrap_or_else(|panic| resume_unwind(panic));
            attended.map(|()| done)
        })
    })
}
