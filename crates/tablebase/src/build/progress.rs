//! What long jobs tell of their progress.

/// A part of a job.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Stage<'a> {
    /// The files in the folder are checked; a step is a pair of sectors.
    Check,
    /// Pairs of sectors are solved and written; a step is a slot.
    Build,
    /// A sector is verified; a step is a slot.
    Verify {
        /// Its name.
        sector: &'a str,
    },
}

/// Is told how far a job is, from several threads at once.
pub trait Progress: Sync {
    /// A stage of so many steps begins.
    fn begin(&self, _: Stage<'_>, _steps: u64) {}

    /// So many more steps are done.
    fn advance(&self, _steps: u64) {}

    /// What the job is at now.
    fn message(&self, _: &str) {}

    /// Something that somebody should know of, although the job goes on.
    fn warn(&self, text: &str) {
        log::warn!("{text}");
    }

    /// The stage is over.
    fn end(&self) {}
}

/// Tells nobody.
impl Progress for () {}
