//! The sectors of a folder as codes, from files or derived from them.

use crate::build::progress::Progress;
use crate::code::Codes;
use crate::folder::scratch::Scratch;
use crate::format::{result_codes, stored_codes};
use crate::solvable::Solvable;
use crate::solve::{Finished, Unsolved, Watcher};
use millbrain_files::{InFile, named};
use millbrain_tablebase::Sector;
use millbrain_tablebase::folder::Folder;
use millbrain_tablebase::format::{Fault, Kind, TableFile};
use std::io;
use std::sync::{Mutex, PoisonError};

/// The finished sectors of a folder.
pub(crate) struct Built<'a, E> {
    endings: &'a E,
    folder: &'a Folder,
    /// The folder of derived sectors of a build.
    scratch: Option<&'a Scratch>,
    /// Whether distances are not needed.
    results_alone: bool,
    /// A derived sector that is stored on its first read, and removed on its second.
    keep: Option<Sector>,
    kept: Mutex<Option<Codes>>,
    /// Gets every slot that is derived.
    progress: &'a dyn Progress,
}

/// Reports slots.
struct Slots<'a>(&'a dyn Progress);

impl Watcher for Slots<'_> {
    fn seeded(&self, slots: u64) {
        self.0.advance(slots);
    }

    fn level(&self, _: u32) {}
}

impl<'a, E: Solvable> Built<'a, E> {
    pub(crate) const fn of(endings: &'a E, folder: &'a Folder) -> Built<'a, E> {
        Built {
            endings,
            folder,
            scratch: None,
            results_alone: false,
            keep: None,
            kept: Mutex::new(None),
            progress: &(),
        }
    }

    /// Creates a reader for a build, which stores some derived sectors.
    pub(crate) fn for_build(endings: &'a E, folder: &'a Folder, scratch: &'a Scratch) -> Built<'a, E> {
        Built { scratch: Some(scratch), ..Built::of(endings, folder) }
    }

    /// Chooses whether later reads are without distances: all are then as short as possible.
    pub(crate) const fn ask_for_results_alone(&mut self, results_alone: bool) {
        self.results_alone = results_alone;
    }

    /// Stores a sector, if it is derived, that will be read twice. One that was stored before is removed.
    pub(crate) fn keep(&mut self, sector: Sector) {
        (self.keep, self.kept) = (Some(sector), Mutex::new(None));
    }

    /// Reports every slot that is derived.
    pub(crate) fn telling(self, progress: &'a dyn Progress) -> Built<'a, E> {
        Built { progress, ..self }
    }

    fn open(&self, sector: Sector, kind: Kind) -> Result<TableFile, InFile<Fault>> {
        self.folder.table(self.endings, sector, kind).map_err(self.named(sector, kind))
    }

    fn named(&self, sector: Sector, kind: Kind) -> impl Fn(Fault) -> InFile<Fault> + use<E> {
        let path = self.folder.file(self.endings, sector, kind);
        move |fault| named(&path)(fault)
    }

    fn stored(&self, sector: Sector) -> Result<Codes, InFile<Fault>> {
        if self.results_alone || self.folder.has_results_alone(self.endings, sector) {
            return result_codes(&self.open(sector, Kind::Wdl)?).map_err(self.named(sector, Kind::Wdl));
        }
        let [wdl, distance] = [self.open(sector, Kind::Wdl)?, self.open(sector, Kind::Distance)?];
        stored_codes(&wdl, &distance).map_err(|(kind, fault)| self.named(sector, kind)(fault))
    }

    /// Returns the codes of a sector, stored or not, from those that its moves lead to.
    pub(crate) fn derive(&self, sector: Sector) -> Result<Codes, InFile<Fault>> {
        self.endings.derive(sector, self, &Slots(self.progress)).map_err(|unsolved| match unsolved {
            Unsolved::Dependency(fault) => fault,
            Unsolved::TooLong(too_long) => self.named(sector, Kind::Wdl)(io::Error::other(too_long).into()),
        })
    }

    fn derived(&self, sector: Sector) -> Result<Codes, InFile<Fault>> {
        let kept = || self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let is_kept = self.keep == Some(sector);
        if is_kept && let Some(codes) = kept().take() {
            return Ok(codes);
        }
        if let Some(codes) = self.scratch.and_then(|scratch| scratch.codes(self.endings, self.folder, sector)) {
            return Ok(codes);
        }
        let codes = self.derive(sector)?;
        if is_kept {
            *kept() = Some(codes.clone());
        }
        Ok(codes)
    }
}

impl<E: Solvable> Finished for Built<'_, E> {
    fn codes(&self, sector: Sector) -> Result<Codes, InFile<Fault>> {
        // Damage from before the build has been repaired by now.
        if self.endings.is_derived(sector) && !self.results_alone { self.derived(sector) } else { self.stored(sector) }
    }
}
