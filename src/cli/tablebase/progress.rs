//! Progress bars on standard error.

use crate::cli::styled;
use crate::solver::{Progress, Stage};
use indicatif::{HumanDuration, ProgressBar, ProgressState};
use std::fmt::Write;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Shows one stage of a job at a time.
#[derive(Default)]
pub struct Bars(Mutex<Option<ProgressBar>>);

impl Bars {
    fn bar(&self) -> Option<ProgressBar> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Writes output with the bar hidden.
    pub fn suspend<R>(&self, write: impl FnOnce() -> R) -> R {
        match self.bar() {
            Some(bar) => bar.suspend(write),
            None => write(),
        }
    }
}

/// Writes the time left at the average rate, once it is meaningful: sectors are read before the first step.
fn write_left(state: &ProgressState, out: &mut dyn Write) {
    let done = state.fraction();
    if done >= 0.1 {
        let left = state.elapsed().mul_f32((1.0 - done) / done);
        // A write error of the terminal is not a fault.
        let _ = write!(out, ", {:#} left", HumanDuration(left));
    }
}

impl Progress for Bars {
    fn begin(&self, stage: Stage<'_>, steps: u64) {
        let template = match stage {
            Stage::Check => "{bar:30} {pos} of {len} pairs checked",
            Stage::Compact { .. } | Stage::Verify { .. } => "{msg} {bar:30} {percent}%{left}",
            _ => "{bar:30} {percent}% {msg}, {per_sec} positions, {eta} left",
        };
        let bar = styled(ProgressBar::new(steps), template);
        bar.set_style(bar.style().with_key("left", write_left));
        match stage {
            Stage::Build => bar.enable_steady_tick(Duration::from_millis(500)),
            Stage::Compact { sector } | Stage::Verify { sector } => bar.set_message(sector.to_string()),
            _ => {}
        }
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(bar);
    }

    fn advance(&self, steps: u64) {
        if let Some(bar) = self.bar() {
            bar.inc(steps);
        }
    }

    fn message(&self, text: &str) {
        if let Some(bar) = self.bar() {
            bar.set_message(text.to_string());
        }
    }

    fn warn(&self, text: &str) {
        self.suspend(|| log::warn!("{text}"));
    }

    fn end(&self) {
        if let Some(bar) = self.0.lock().unwrap_or_else(PoisonError::into_inner).take() {
            bar.finish_and_clear();
        }
    }
}
