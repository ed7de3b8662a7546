//! The manifest of a folder of tables: the finished sectors and their figures.

pub mod stats;

use crate::endings::{Endings, Sector};
use crate::format::{FORMAT, Fault, Kind, Subject, TableFile, Written};
use crate::pack;
use crate::rules::TablebaseRules;
use crate::tally::Tally;
use crate::ultra::Ranks;
use millbrain_core::variant::Ruleset;
use millbrain_files::{InFile, named, open_regular, write_whole};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// Name of the manifest in its folder.
pub const FILE_NAME: &str = "manifest.json";

/// Returns whether a file of this name, in a folder of tables, belongs to them.
pub fn is_table(path: &Path) -> bool {
    let is_of = |end: &str| path.extension().is_some_and(|extension| extension == end);
    path.file_name().is_some_and(|name| name == FILE_NAME)
        || Kind::ALL.into_iter().any(|kind| is_of(kind.extension()))
        || is_of(pack::EXTENSION)
}

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
    /// The counts of its positions.
    #[serde(flatten)]
    pub tally: Tally,
    /// The file of results.
    pub wdl: FileEntry,
    /// The file of distances, unless they follow from those of other sectors, or only results were requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dtw: Option<FileEntry>,
}

impl Entry {
    /// Returns the kinds of its files.
    pub fn kinds(&self) -> impl Iterator<Item = Kind> + '_ {
        Kind::ALL.into_iter().filter(|&kind| self.file(kind).is_some())
    }

    /// Returns the file of a kind, if there is one.
    pub const fn file(&self, kind: Kind) -> Option<&FileEntry> {
        match kind {
            Kind::Wdl => Some(&self.wdl),
            Kind::Distance => self.dtw.as_ref(),
            Kind::Ultra => None,
        }
    }
}

/// The ultra-strong values of a folder.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Ultra {
    /// The ranks of sectors without stones in hand that the values depend on.
    pub ranks: Ranks,
    /// The finished sectors that have a file, by name.
    pub sectors: BTreeMap<String, FileEntry>,
}

/// The rules in a manifest.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum Recorded {
    Known(TablebaseRules),
    /// Rules written by a later version of the program.
    Unknown(serde_json::Value),
}

/// The manifest.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Manifest {
    /// Version of the file format.
    format: u32,
    /// The rules.
    #[serde(rename = "ruleset")]
    rules: Recorded,
    /// The finished sectors by name, side to move first.
    pub sectors: BTreeMap<String, Entry>,
    /// The ultra-strong values, if there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ultra: Option<Ultra>,
}

/// The part of a manifest that is the same in every format, known or not.
#[derive(Deserialize)]
struct Head {
    format: u32,
}

impl Manifest {
    const fn new(rules: TablebaseRules) -> Manifest {
        Manifest { format: FORMAT, rules: Recorded::Known(rules), sectors: BTreeMap::new(), ultra: None }
    }

    /// Returns the rules, if they are known.
    const fn rules(&self) -> Option<TablebaseRules> {
        match self.rules {
            Recorded::Known(rules) => Some(rules),
            Recorded::Unknown(_) => None,
        }
    }

    /// Returns the rules as text; unknown ones as they are written.
    fn rules_text(&self) -> String {
        match &self.rules {
            Recorded::Known(rules) => rules.to_string(),
            Recorded::Unknown(data) => data.to_string(),
        }
    }
}

/// A folder of tables of one rule set.
#[derive(Clone, Debug)]
pub struct Folder {
    path: PathBuf,
    /// The manifest, which lists the finished sectors.
    pub manifest: Manifest,
}

/// The reason why a folder cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FolderFault {
    /// There is no manifest.
    #[error("{source}, expected a folder made by 'tablebase build'")]
    Missing {
        /// The error of the file system.
        source: InFile<io::Error>,
    },
    /// The manifest cannot be read, or the folder cannot be created.
    #[error("{source}")]
    Io {
        /// The error of the file system.
        source: InFile<io::Error>,
    },
    /// The manifest is damaged.
    #[error("{}: damaged ({source}), delete it and run 'tablebase build' again", path.display())]
    Damaged {
        /// The manifest.
        path: PathBuf,
        /// The fault in it.
        source: serde_json::Error,
    },
    /// The tables have another format or other rules.
    #[error("{}: tables of {found}, expected {expected}", path.display())]
    Foreign {
        /// The manifest.
        path: PathBuf,
        /// The found format or rules.
        found: String,
        /// The expected ones.
        expected: String,
    },
}

impl From<InFile<io::Error>> for FolderFault {
    fn from(source: InFile<io::Error>) -> FolderFault {
        match source.source.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => FolderFault::Missing { source },
            _ => FolderFault::Io { source },
        }
    }
}

impl Folder {
    /// Reads the manifest of a folder, whatever the rules.
    ///
    /// # Errors
    /// Fails if there is none, it is damaged, or it has another format.
    pub fn read(path: &Path) -> Result<Folder, FolderFault> {
        let file = path.join(FILE_NAME);
        let text = manifest_text(path)?;
        match serde_json::from_str(&text) {
            Ok(Head { format }) if format != FORMAT => Err(FolderFault::Foreign {
                path: file,
                found: format!("format {format}"),
                expected: format!("format {FORMAT}"),
            }),
            Ok(_) => match serde_json::from_str(&text) {
                Ok(manifest) => Ok(Folder { path: path.to_path_buf(), manifest }),
                Err(source) => Err(FolderFault::Damaged { path: file, source }),
            },
            Err(source) => Err(FolderFault::Damaged { path: file, source }),
        }
    }

    /// Returns these endings as the tables of a folder have them: with its draw counter, if it has one.
    ///
    /// # Errors
    /// Fails if there is no manifest, it is damaged, or it has another format.
    pub fn endings<E: Endings>(path: &Path, endings: E) -> Result<E, FolderFault> {
        let rules = Folder::read(path)?.manifest.rules().map(TablebaseRules::ruleset);
        let counting = rules.and_then(|rules| endings.with_counter(&rules));
        Ok(counting.unwrap_or(endings))
    }

    /// Opens a folder of tables of these endings.
    ///
    /// # Errors
    /// Fails if there is no manifest, it is damaged, or it has other rules or another format.
    pub fn open<E: Endings>(path: &Path, endings: &E) -> Result<Folder, FolderFault> {
        let folder = Folder::read(path)?;
        let rules = endings.rules();
        if folder.manifest.rules() != Some(rules) {
            return Err(FolderFault::Foreign {
                path: path.join(FILE_NAME),
                found: folder.manifest.rules_text(),
                expected: rules.to_string(),
            });
        }
        Ok(folder)
    }

    /// Opens a folder to build in; it may be empty or missing.
    ///
    /// # Errors
    /// Fails as [`Folder::open`] does, and if the folder cannot be created.
    pub fn create<E: Endings>(path: &Path, endings: &E) -> Result<Folder, FolderFault> {
        match Folder::open(path, endings) {
            Err(FolderFault::Missing { source }) if source.source.kind() == io::ErrorKind::NotFound => {
                std::fs::create_dir_all(path).map_err(named(path))?;
                Ok(Folder { path: path.to_path_buf(), manifest: Manifest::new(endings.rules()) })
            }
            other => other,
        }
    }

    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the path of a sector's file.
    pub fn file<E: Endings>(&self, endings: &E, sector: Sector, kind: Kind) -> PathBuf {
        self.path.join(format!("{}.{}", endings.name(sector), kind.extension()))
    }

    /// Returns the manifest's entry of a sector.
    pub fn entry<E: Endings>(&self, endings: &E, sector: Sector) -> Option<&Entry> {
        self.manifest.sectors.get(&endings.name(sector))
    }

    /// Returns whether the distances of a finished sector are in no file and follow from no others.
    pub fn has_results_alone<E: Endings>(&self, endings: &E, sector: Sector) -> bool {
        !endings.is_derived(sector) && self.entry(endings, sector).is_some_and(|entry| entry.dtw.is_none())
    }

    /// Opens a table of a finished sector.
    ///
    /// # Errors
    /// Fails if it is not the table that the manifest lists.
    pub fn table<E: Endings>(&self, endings: &E, sector: Sector, kind: Kind) -> Result<TableFile, Fault> {
        let file = TableFile::open(&self.file(endings, sector, kind), Subject::of(endings, sector, kind))?;
        let known = match kind {
            Kind::Wdl | Kind::Distance => self.entry(endings, sector).map(|entry| entry.file(kind)),
            Kind::Ultra => self.manifest.ultra.as_ref().map(|ultra| ultra.sectors.get(&endings.name(sector))),
        };
        if known.is_some_and(|known| known != Some(&file.identity().into())) { Err(Fault::Replaced) } else { Ok(file) }
    }

    /// Returns whether a sector has ultra-strong values, in a file or derived from files.
    pub fn has_ultra<E: Endings>(&self, endings: &E, sector: Sector) -> bool {
        let stored = if endings.is_derived(sector) { sector.partner() } else { sector };
        self.manifest.ultra.as_ref().is_some_and(|ultra| ultra.sectors.contains_key(&endings.name(stored)))
    }

    /// Adds finished sectors and writes the manifest.
    ///
    /// # Errors
    /// Fails with the error of the file system; the manifest on disk is unchanged.
    pub fn add<E: Endings>(&mut self, endings: &E, finished: Vec<(Sector, Entry)>) -> io::Result<()> {
        let mut manifest = self.manifest.clone();
        manifest.sectors.extend(finished.into_iter().map(|(sector, entry)| (endings.name(sector), entry)));
        self.write(manifest)
    }

    /// Adds the ultra-strong values of a sector, by these ranks, and writes the manifest. Values by other ranks are
    /// removed.
    ///
    /// # Errors
    /// Fails with the error of the file system; the manifest on disk is unchanged.
    pub fn add_ultra(&mut self, ranks: &Ranks, name: String, file: FileEntry) -> io::Result<()> {
        let mut manifest = self.manifest.clone();
        let known = manifest.ultra.take().filter(|ultra| ultra.ranks == *ranks);
        let mut ultra = known.unwrap_or_else(|| Ultra { ranks: ranks.clone(), sectors: BTreeMap::new() });
        ultra.sectors.insert(name, file);
        manifest.ultra = Some(ultra);
        self.write(manifest)
    }

    fn write(&mut self, manifest: Manifest) -> io::Result<()> {
        let mut text = serde_json::to_vec_pretty(&manifest)?;
        text.push(b'\n');
        write_whole(&self.path.join(FILE_NAME), &text)?;
        self.manifest = manifest;
        Ok(())
    }
}

/// Returns the manifest of a folder as text.
pub(crate) fn manifest_text(path: &Path) -> Result<String, FolderFault> {
    let file = path.join(FILE_NAME);
    Ok(open_regular(&file).and_then(io::read_to_string).map_err(named(&file))?)
}

/// Returns the rules of the tables in a folder, with the most stones that can have tables.
///
/// # Errors
/// Fails if there is no manifest, or it is damaged or has unknown rules.
pub fn folder_rules(path: &Path) -> Result<Ruleset, FolderFault> {
    let manifest = Folder::read(path)?.manifest;
    manifest.rules().map(TablebaseRules::ruleset).ok_or_else(|| FolderFault::Foreign {
        path: path.join(FILE_NAME),
        found: manifest.rules_text(),
        expected: "rules that this program knows".to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MorrisEndings, SmessEndings};
    use millbrain_core::morris::{DIAGONALS, FLYING};

    const EMPTY: &str = r#"{ "format": 2, "ruleset": {"family":"morris","flying":true,"removal":"if-all","diagonals":false}, "sectors": {} }"#;

    /// Writes a folder with this manifest.
    fn folder(name: &str, manifest: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("millbrain-manifest-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder");
        std::fs::write(path.join(FILE_NAME), manifest).expect("written");
        path
    }

    fn refusal<T>(result: Result<T, FolderFault>) -> String {
        result.err().map(|fault| fault.to_string()).unwrap_or_default()
    }

    #[test]
    fn a_manifest_says_whose_rules_its_tables_are_of() {
        let path = folder("rules", EMPTY);
        let flying = MorrisEndings::new(FLYING, 9);
        assert_eq!(folder_rules(&path).expect("known"), flying.rules().ruleset());
        let refused = refusal(Folder::open(&path, &MorrisEndings::new(DIAGONALS, 12)));
        let words = "manifest.json: tables of morris flying=true removal=if-all diagonals=false, \
                     expected morris flying=false removal=if-all diagonals=true";
        assert!(refused.ends_with(words), "{refused}");
        Folder::open(&path, &flying).expect("the same rules").add(&flying, Vec::new()).expect("written");
        let read = |text: &str| serde_json::from_str::<serde_json::Value>(text).expect("sound");
        let text = std::fs::read_to_string(path.join(FILE_NAME)).expect("readable");
        assert_eq!(read(&text), read(EMPTY), "written as it was");
        std::fs::remove_file(path.join(FILE_NAME)).expect("there");
        let mut created = Folder::create(&path, &flying).expect("an empty folder will do");
        created.add(&flying, Vec::new()).expect("written");
        assert_eq!(std::fs::read_to_string(path.join(FILE_NAME)).expect("readable"), text);
        std::fs::remove_dir_all(path).expect("removed");
    }

    #[test]
    fn rules_and_formats_of_later_programs_are_foreign() {
        let family = EMPTY.replace("morris", "go");
        let laps = EMPTY.replace("\"flying\"", "\"laps\": 3, \"flying\"");
        for (name, manifest, found) in [("family", family, "\"go\""), ("field", laps, "\"laps\":3")] {
            let path = folder(name, &manifest);
            for refused in [refusal(folder_rules(&path)), refusal(Folder::open(&path, &MorrisEndings::new(FLYING, 9)))]
            {
                assert!(refused.contains("manifest.json: tables of {") && refused.contains(found), "{refused}");
            }
            assert!(refusal(folder_rules(&path)).ends_with("expected rules that this program knows"), "{name}");
            std::fs::remove_dir_all(path).expect("removed");
        }
        for (name, manifest) in [("same", EMPTY.replace(": 2", ": 3")), ("other", "{\"format\": 3}".to_string())] {
            let path = folder(name, &manifest);
            let refused = refusal(Folder::open(&path, &SmessEndings));
            assert!(refused.ends_with("manifest.json: tables of format 3, expected format 2"), "{refused}");
            std::fs::remove_dir_all(path).expect("removed");
        }
        for (manifest, fault) in [("{\"format\": 2}", "missing field"), ("{\"format\"", "EOF"), ("{}", "missing field")]
        {
            let path = folder("damaged", manifest);
            let refused = refusal(Folder::read(&path));
            assert!(refused.contains(&format!("manifest.json: damaged ({fault}")), "{refused}");
            std::fs::remove_dir_all(path).expect("removed");
        }
    }
}
