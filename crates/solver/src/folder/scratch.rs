//! Intermediate distances of a build: those of derived sectors, until the sectors that depend on them are built. A
//! missing or damaged file is derived again.

use crate::code::Codes;
use crate::format::{stored_codes, write};
use millbrain_files::named;
use millbrain_tablebase::folder::Folder;
use millbrain_tablebase::format::{Kind, Subject, TableFile};
use millbrain_tablebase::{Endings, Sector};
use std::fs;
use std::path::PathBuf;

/// A folder in a folder of tables.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    pub(crate) fn of(folder: &Folder) -> Scratch {
        Scratch(folder.path().join("scratch"))
    }

    fn file<E: Endings>(&self, endings: &E, sector: Sector) -> PathBuf {
        self.0.join(format!("{}.{}", endings.name(sector), Kind::Distance.extension()))
    }

    /// Stores the distances of a sector, if there is room.
    pub(crate) fn keep<E: Endings>(&self, endings: &E, sector: Sector, codes: &Codes) {
        let path = self.file(endings, sector);
        let kept = fs::create_dir_all(&self.0)
            .and_then(|()| write(&path, &Subject::of(endings, sector, Kind::Distance), codes));
        if let Err(error) = kept.map_err(named(&path)) {
            log::info!("{error}; {} is derived again when it is needed", endings.name(sector));
        }
    }

    /// Returns the codes of a sector whose distances have been stored, with its results from the folder.
    pub(crate) fn codes<E: Endings>(&self, endings: &E, folder: &Folder, sector: Sector) -> Option<Codes> {
        let distance =
            TableFile::open(&self.file(endings, sector), Subject::of(endings, sector, Kind::Distance)).ok()?;
        let wdl = folder.table(endings, sector, Kind::Wdl).ok()?;
        stored_codes(&wdl, &distance).ok()
    }

    /// Removes all stored distances.
    pub(crate) fn clear(&self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
