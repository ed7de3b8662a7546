//! Progress of long jobs.

/// A part of a job.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Stage<'a> {
    /// Checks the files in the folder; a step is a pair of sectors.
    Check,
    /// Solves and writes pairs of sectors; a step is a slot.
    Build,
    /// Makes the section of a sector in compact tables; a step is a slot.
    Compact {
        /// The sector.
        sector: &'a str,
    },
    /// Verifies a sector; a step is a slot.
    Verify {
        /// ID of the game.
        sector: &'a str,
    },
}

/// Receives the progress of a job, from several threads at once.
pub trait Progress: Sync {
    /// Begins a stage with this number of steps.
    fn begin(&self, _: Stage<'_>, _steps: u64) {}

    /// Reports this number of further steps.
    fn advance(&self, _steps: u64) {}

    /// Reports the current task of the job.
    fn message(&self, _: &str) {}

    /// Warns of something, although the job continues.
    fn warn(&self, text: &str) {
        log::warn!("{text}");
    }

    /// Ends the stage.
    fn end(&self) {}
}

/// Ignores progress.
impl Progress for () {}
