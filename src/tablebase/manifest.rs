//! The manifest of a folder of tables: which sectors are finished, and what is in them.

use super::NoEndings;
use super::endings::{Endings, Sector};
use super::format::{Fault, Kind, Subject, Table, VERSION, Written};
use super::tally::Tally;
use crate::files::{open_regular, write_whole};
use crate::morris::{self, Removal};
use crate::smess;
use crate::variant::Ruleset;
use crate::with_endings;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// Name of the manifest in its folder.
pub const FILE_NAME: &str = "manifest.json";

/// A table file in the manifest.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FileEntry {
    /// Length of the file.
    pub bytes: u64,
    /// Checksum of its header, which covers all the rest, in hexadecimal.
    pub checksum: String,
}

impl From<Written> for FileEntry {
    fn from(written: Written) -> FileEntry {
        FileEntry { bytes: written.bytes, checksum: format!("{:016x}", written.checksum) }
    }
}

/// A finished sector.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Entry {
    /// Number of slots.
    pub slots: u64,
    /// What is in it.
    #[serde(flatten)]
    pub tally: Tally,
    /// The results.
    pub wdl: FileEntry,
    /// The distances.
    pub dtw: FileEntry,
}

impl Entry {
    /// The file of a kind.
    pub const fn file(&self, kind: Kind) -> &FileEntry {
        match kind {
            Kind::Wdl => &self.wdl,
            Kind::Distance => &self.dtw,
        }
    }
}

/// The manifest.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Manifest {
    /// Version of the file format.
    pub format: u32,
    /// The rules in words.
    pub rules: String,
    /// The finished sectors by name, side to move first.
    pub sectors: BTreeMap<String, Entry>,
}

/// A folder of tables of one rule set.
#[derive(Clone, Debug)]
pub struct Folder {
    path: PathBuf,
    /// What is finished.
    pub manifest: Manifest,
}

/// Why a folder cannot be used.
#[derive(Debug)]
pub enum FolderFault {
    /// The manifest cannot be read.
    Io(PathBuf, io::Error),
    /// The manifest is damaged.
    Damaged(PathBuf, serde_json::Error),
    /// The tables are of another format or of other rules.
    Foreign {
        /// The manifest.
        path: PathBuf,
        /// What it says.
        found: String,
        /// What was asked for.
        expected: String,
    },
}

impl std::fmt::Display for FolderFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            FolderFault::Io(path, error) if error.kind() == io::ErrorKind::NotFound => {
                write!(f, "{}: {error}, expected a folder made by 'tablebase build'", path.display())
            }
            FolderFault::Io(path, error) => write!(f, "{}: {error}", path.display()),
            FolderFault::Damaged(path, error) => {
                write!(f, "{}: damaged ({error}), delete it and run 'tablebase build' again", path.display())
            }
            FolderFault::Foreign { path, found, expected } => {
                write!(f, "{}: tables of {found}, expected {expected}", path.display())
            }
        }
    }
}

impl std::error::Error for FolderFault {}

impl Folder {
    /// Reads the manifest of a folder, whatever the rules.
    ///
    /// # Errors
    /// When there is none, or it is damaged.
    pub fn read(path: &Path) -> Result<Folder, FolderFault> {
        let file = path.join(FILE_NAME);
        let text = open_regular(&file).and_then(io::read_to_string);
        let text = text.map_err(|error| FolderFault::Io(file.clone(), error))?;
        let manifest = serde_json::from_str(&text).map_err(|error| FolderFault::Damaged(file, error))?;
        Ok(Folder { path: path.to_path_buf(), manifest })
    }

    /// Opens a folder of tables of these endings.
    ///
    /// # Errors
    /// When there is no manifest, it is damaged, or it is of other rules or another version.
    pub fn open<E: Endings>(path: &Path, endings: &E) -> Result<Folder, FolderFault> {
        let folder = Folder::read(path)?;
        let (format, rules) = (folder.manifest.format, &folder.manifest.rules);
        if (format, rules) != (VERSION, &endings.tag_text()) {
            return Err(FolderFault::Foreign {
                path: path.join(FILE_NAME),
                found: format!("format {format}, {rules}"),
                expected: format!("format {VERSION}, {}", endings.tag_text()),
            });
        }
        Ok(folder)
    }

    /// Opens a folder to build in; it may be empty or missing.
    ///
    /// # Errors
    /// As [`Folder::open`], and if the folder cannot be created.
    pub fn create<E: Endings>(path: &Path, endings: &E) -> Result<Folder, FolderFault> {
        match Folder::open(path, endings) {
            Err(FolderFault::Io(_, error)) if error.kind() == io::ErrorKind::NotFound => {
                std::fs::create_dir_all(path).map_err(|error| FolderFault::Io(path.to_path_buf(), error))?;
                let manifest = Manifest { format: VERSION, rules: endings.tag_text(), sectors: BTreeMap::new() };
                Ok(Folder { path: path.to_path_buf(), manifest })
            }
            other => other,
        }
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The file of a sector.
    pub fn file<E: Endings>(&self, endings: &E, sector: Sector, kind: Kind) -> PathBuf {
        self.path.join(format!("{}.{}", endings.name(sector), kind.extension()))
    }

    /// What the manifest says of a sector.
    pub fn entry<E: Endings>(&self, endings: &E, sector: Sector) -> Option<&Entry> {
        self.manifest.sectors.get(&endings.name(sector))
    }

    /// Opens a table of a finished sector.
    ///
    /// # Errors
    /// When it is not the table that the manifest knows.
    pub fn table<E: Endings>(&self, endings: &E, sector: Sector, kind: Kind) -> Result<Table, Fault> {
        let subject = Subject { kind, tag: endings.tag(), sector, slots: endings.slots(sector) };
        let table = Table::open(&self.file(endings, sector, kind), subject)?;
        match self.entry(endings, sector) {
            Some(entry) if *entry.file(kind) != table.identity().into() => Err(Fault::Replaced),
            _ => Ok(table),
        }
    }

    /// Adds finished sectors and writes the manifest.
    ///
    /// # Errors
    /// Whatever the file system says; the manifest on disk is as it was.
    pub fn add<E: Endings>(&mut self, endings: &E, finished: Vec<(Sector, Entry)>) -> io::Result<()> {
        let mut manifest = self.manifest.clone();
        manifest.sectors.extend(finished.into_iter().map(|(sector, entry)| (endings.name(sector), entry)));
        let mut text = serde_json::to_vec_pretty(&manifest)?;
        text.push(b'\n');
        write_whole(&self.path.join(FILE_NAME), &text)?;
        self.manifest = manifest;
        Ok(())
    }
}

/// The rules of the tables in a folder, with the most stones there can be tables of.
///
/// # Errors
/// When there is no manifest, or it is damaged or of unknown rules.
pub fn folder_rules(path: &Path) -> Result<Ruleset, FolderFault> {
    let folder = Folder::read(path)?;
    let switches = [false, true];
    let morris = switches.into_iter().flat_map(|flying| {
        [Removal::IfAll, Removal::Never].into_iter().flat_map(move |removal| {
            switches.into_iter().map(move |diagonals| {
                Ruleset::Morris(morris::Rules { flying, removal, diagonals, ..morris::rules::MORABARABA })
            })
        })
    });
    let text = |rules| with_endings!(rules, |endings| Ok::<_, NoEndings>(endings.tag_text())).unwrap_or_default();
    morris
        .chain([Ruleset::Smess(smess::Rules::default())])
        .find(|&rules| text(rules) == folder.manifest.rules)
        .ok_or_else(|| FolderFault::Foreign {
            path: path.join(FILE_NAME),
            found: folder.manifest.rules,
            expected: "rules that this program knows".to_string(),
        })
}
