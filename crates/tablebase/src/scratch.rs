//! Distances that a build keeps for itself: those of derived sectors, as long as sectors that depend on them are not
//! built. Whatever is not there, or damaged, is derived instead.

use super::code::Codes;
use super::endings::{Endings, Sector};
use super::format::{Kind, Subject, TableFile, Version, write};
use super::manifest::Folder;
use crate::files::named;
use std::fs;
use std::path::PathBuf;

/// A folder in a folder of tables.
pub(super) struct Scratch(PathBuf);

impl Scratch {
    pub(super) fn of(folder: &Folder) -> Scratch {
        Scratch(folder.path().join("scratch"))
    }

    fn file<E: Endings>(&self, endings: &E, sector: Sector) -> PathBuf {
        self.0.join(format!("{}.{}", endings.name(sector), Kind::Distance.extension()))
    }

    /// Files of version 1 hold whole values in a byte each: quick to write and to read.
    fn subject<E: Endings>(endings: &E, sector: Sector) -> Subject {
        let (tag, slots) = (endings.tag(), endings.slots(sector));
        Subject { version: Version::One, kind: Kind::Distance, tag, sector, slots }
    }

    /// Keeps the codes of a sector, if they fit into bytes and there is room.
    pub(super) fn keep<E: Endings>(&self, endings: &E, sector: Sector, codes: &Codes) {
        let path = self.file(endings, sector);
        let kept = fs::create_dir_all(&self.0).and_then(|()| write(&path, &Scratch::subject(endings, sector), codes));
        if let Err(error) = kept.map_err(named(&path)) {
            log::info!("{error}; {} is derived again when it is needed", endings.name(sector));
        }
    }

    /// The codes of a sector that has been kept.
    pub(super) fn codes<E: Endings>(&self, endings: &E, sector: Sector) -> Option<Codes> {
        let table = TableFile::open(&self.file(endings, sector), Scratch::subject(endings, sector));
        table.and_then(|table| table.codes_in_parallel()).ok()
    }

    /// Removes all that has been kept.
    pub(super) fn clear(&self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
