//! The sectors of a folder as codes, whether they are in files or follow from others that are.

use super::code::Codes;
use super::endings::Sector;
use super::format::{Fault, Kind, TableFile, Version, stored_codes};
use super::manifest::Folder;
use super::solve::Unsolved;
use super::walk::{Finished, Solvable};
use crate::files::{InFile, named};
use std::io;
use std::sync::{Mutex, PoisonError};

/// The finished sectors of a folder.
pub(super) struct Built<'a, E> {
    endings: &'a E,
    folder: &'a Folder,
    /// A derived sector that will be asked for once more.
    kept: Option<Mutex<Option<(Sector, Codes)>>>,
}

impl<'a, E: Solvable> Built<'a, E> {
    pub(super) const fn of(endings: &'a E, folder: &'a Folder) -> Built<'a, E> {
        Built { endings, folder, kept: None }
    }

    /// For solving a pair. If both sides have the same forces, their captures lead to one sector, which is derived once.
    pub(super) fn for_pair(endings: &'a E, folder: &'a Folder, pair: &[Sector]) -> Built<'a, E> {
        let is_asked_twice = matches!(pair, [sector] if *sector == sector.partner());
        Built { kept: is_asked_twice.then(Mutex::default), ..Built::of(endings, folder) }
    }

    fn open(&self, sector: Sector, kind: Kind) -> Result<TableFile, InFile<Fault>> {
        self.folder.table(self.endings, sector, kind).map_err(self.named(sector, kind))
    }

    fn named(&self, sector: Sector, kind: Kind) -> impl Fn(Fault) -> InFile<Fault> + use<E> {
        let path = self.folder.file(self.endings, sector, kind);
        move |fault| named(&path)(fault)
    }

    fn stored(&self, sector: Sector) -> Result<Codes, InFile<Fault>> {
        let distance = self.open(sector, Kind::Distance)?;
        match self.folder.version() {
            Version::One => distance.codes().map_err(self.named(sector, Kind::Distance)),
            Version::Two => stored_codes(&self.open(sector, Kind::Wdl)?, &distance)
                .map_err(|(kind, fault)| self.named(sector, kind)(fault)),
        }
    }

    fn derived(&self, sector: Sector) -> Result<Codes, InFile<Fault>> {
        if let Some(kept) = &self.kept
            && let Some((_, codes)) =
                kept.lock().unwrap_or_else(PoisonError::into_inner).take_if(|(of, _)| *of == sector)
        {
            return Ok(codes);
        }
        let codes = self.endings.derive(sector, self).map_err(|unsolved| match unsolved {
            Unsolved::Dependency(fault) => fault,
            Unsolved::TooLong(too_long) => self.named(sector, Kind::Wdl)(io::Error::other(too_long).into()),
        })?;
        if let Some(kept) = &self.kept {
            *kept.lock().unwrap_or_else(PoisonError::into_inner) = Some((sector, codes.clone()));
        }
        Ok(codes)
    }
}

impl<E: Solvable> Finished for Built<'_, E> {
    fn codes(&self, sector: Sector) -> Result<Codes, InFile<Fault>> {
        // Damage that was there before a build began has been repaired by now.
        if self.folder.is_derived(self.endings, sector) { self.derived(sector) } else { self.stored(sector) }
    }
}
