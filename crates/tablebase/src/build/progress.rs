//! Progress of long jobs.

/// A part of a job.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Stage<'a> {
    /// Checks the files in the folder; a step is a pair of sectors.
    Check,
    /// Solves and writes pairs of sectors; a step is a slot.
    Build,
    /// Verifies a sector; a step is a slot.
    Verify {
        /// Its name.
        sector: &'a str,
    },
}

/// Receives the progress of a job, from several threads at once.
pub trait Progress: Sync {
    /// A stage with this number of steps begins.
    fn begin(&self, _: Stage<'_>, _steps: u64) {}

    /// This number of further steps is done.
    fn advance(&self, _steps: u64) {}

    /// The current task of the job.
    fn message(&self, _: &str) {}

    /// Something is worth a warning, although the job continues.
    fn warn(&self, text: &str) {
        log::warn!("{text}");
    }

    /// The stage is over.
    fn end(&self) {}
}

/// Ignores progress.
impl Progress for () {}
