//! The contents of a folder of tables.

use crate::NoEndings;
use crate::compact::{Compact, compact_rules, is_compact};
use crate::endings::Endings;
use crate::folder::{Entry, FileEntry, Folder, FolderFault, folder_rules};
use crate::format::Fault;
use crate::rules::TablebaseRules;
use crate::tally::Tally;
use crate::with_endings;
use millbrain_files::{InFile, named};
use serde::Serialize;
use std::path::Path;

/// The contents of a folder.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FolderStats {
    /// The rules.
    pub rules: TablebaseRules,
    /// The finished sectors in building order.
    pub sectors: Vec<NamedEntry>,
}

/// A finished sector and its name.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct NamedEntry {
    /// The name, side to move first.
    #[serde(rename = "sector")]
    pub name: String,
    /// The manifest's entry.
    #[serde(flatten)]
    pub entry: Entry,
}

/// The reason why a folder has no stats.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StatsError {
    /// There are no tables for these rules.
    #[error(transparent)]
    Rules(#[from] NoEndings),
    /// The folder cannot be used.
    #[error(transparent)]
    Folder(#[from] FolderFault),
    /// The file cannot be used.
    #[error(transparent)]
    File(#[from] InFile<Fault>),
}

/// Reads the contents of a folder, or of a compact file.
///
/// # Errors
/// Fails if the folder has no sound manifest, or the file is damaged.
pub fn stats(folder: &Path) -> Result<FolderStats, StatsError> {
    if is_compact(folder) {
        return Ok(with_endings!(
            compact_rules(folder).map_err(named(folder))?,
            |endings| compact_stats(&Compact::open(folder, &endings).map_err(named(folder))?),
            else return Err(NoEndings.into())
        ));
    }
    with_endings!(
        folder_rules(folder)?,
        |endings| Ok(stats_with(&Folder::endings(folder, endings)?, folder)?),
        else Err(NoEndings.into())
    )
}

fn stats_with<E: Endings>(endings: &E, folder: &Path) -> Result<FolderStats, FolderFault> {
    let mut folder = Folder::open(folder, endings)?;
    let names = endings.sectors().into_iter().map(|sector| endings.name(sector));
    let entries = names.filter_map(|name| folder.manifest.sectors.remove_entry(&name));
    let sectors = entries.map(|(name, entry)| NamedEntry { name, entry }).collect();
    Ok(FolderStats { rules: endings.rules(), sectors })
}

fn compact_stats<E: Endings>(file: &Compact<E>) -> FolderStats {
    let sectors = file.sections().map(|section| NamedEntry {
        name: file.endings().name(section.sector),
        entry: Entry {
            slots: section.slots,
            tally: Tally { reduced: section.reduced, unreduced: section.unreduced, ..Tally::default() },
            wdl: FileEntry { bytes: section.length(), checksum: format!("{:016x}", section.checksum) },
            dtw: None,
        },
    });
    FolderStats { rules: file.endings().rules(), sectors: sectors.collect() }
}
