//! The manifest of a folder of tables: which sectors are finished, and what is in them.

use super::endings::{Endings, Sector};
use super::format::{Fault, Kind, Subject, TableFile, Version, Written};
use super::rules::TablebaseRules;
use super::tally::Tally;
use crate::files::{InFile, named, open_regular, write_whole};
use millbrain_core::variant::Ruleset;
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
    /// The distances, unless they follow from those of other sectors.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dtw: Option<FileEntry>,
}

impl Entry {
    /// The file of a kind, if there is one.
    pub const fn file(&self, kind: Kind) -> Option<&FileEntry> {
        match kind {
            Kind::Wdl => Some(&self.wdl),
            Kind::Distance => self.dtw.as_ref(),
        }
    }
}

/// The rules in a manifest.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum Recorded {
    Known(TablebaseRules),
    /// Written by a later program.
    Unknown(serde_json::Value),
}

/// The manifest.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Manifest {
    /// Version of the file format.
    format: Version,
    /// The rules in words, for people and for older programs, which read nothing else.
    #[serde(rename = "rules")]
    words: String,
    /// The rules; older programs left them out.
    #[serde(rename = "ruleset", default, skip_serializing_if = "Option::is_none")]
    rules: Option<Recorded>,
    /// The finished sectors by name, side to move first.
    pub sectors: BTreeMap<String, Entry>,
}

/// The part of a manifest that is the same in every format, known or not.
#[derive(Deserialize)]
struct Head {
    format: u32,
}

impl Manifest {
    fn new(rules: TablebaseRules, format: Version) -> Manifest {
        Manifest { format, words: rules.to_string(), rules: Some(Recorded::Known(rules)), sectors: BTreeMap::new() }
    }

    /// The rules, if they are known.
    fn rules(&self) -> Option<TablebaseRules> {
        match &self.rules {
            Some(Recorded::Known(rules)) => Some(*rules),
            Some(Recorded::Unknown(_)) => None,
            None => TablebaseRules::from_words(&self.words),
        }
    }

    /// The rules in words.
    fn rules_text(&self) -> String {
        self.rules().map_or_else(|| self.words.clone(), |rules| rules.to_string())
    }
}

/// A folder of tables of one rule set.
#[derive(Clone, Debug)]
pub struct Folder {
    path: PathBuf,
    /// What is finished.
    pub manifest: Manifest,
}

/// Why a folder cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FolderFault {
    /// There is no manifest.
    #[error("{source}, expected a folder made by 'tablebase build'")]
    Missing {
        /// What the file system says.
        source: InFile<io::Error>,
    },
    /// The manifest cannot be read, or the folder cannot be created.
    #[error("{source}")]
    Io {
        /// What the file system says.
        source: InFile<io::Error>,
    },
    /// The manifest is damaged.
    #[error("{}: damaged ({source}), delete it and run 'tablebase build' again", path.display())]
    Damaged {
        /// The manifest.
        path: PathBuf,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// The tables are of another format or of other rules.
    #[error("{}: tables of {found}, expected {expected}", path.display())]
    Foreign {
        /// The manifest.
        path: PathBuf,
        /// What it says.
        found: String,
        /// What was asked for.
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
    /// When there is none, or it is damaged.
    pub fn read(path: &Path) -> Result<Folder, FolderFault> {
        let file = path.join(FILE_NAME);
        let text = manifest_text(path)?;
        match serde_json::from_str(&text) {
            Ok(manifest) => Ok(Folder { path: path.to_path_buf(), manifest }),
            Err(source) => Err(match serde_json::from_str(&text) {
                Ok(Head { format }) if Version::try_from(format).is_err() => FolderFault::Foreign {
                    path: file,
                    found: format!("format {format}"),
                    expected: format!("format {}", Version::KNOWN),
                },
                _ => FolderFault::Damaged { path: file, source },
            }),
        }
    }

    /// Opens a folder of tables of these endings.
    ///
    /// # Errors
    /// When there is no manifest, it is damaged, or it is of other rules or another version.
    pub fn open<E: Endings>(path: &Path, endings: &E) -> Result<Folder, FolderFault> {
        let mut folder = Folder::read(path)?;
        let (format, rules) = (folder.manifest.format, endings.rules());
        if folder.manifest.rules() != Some(rules) {
            return Err(FolderFault::Foreign {
                path: path.join(FILE_NAME),
                found: format!("format {format}, {}", folder.manifest.rules_text()),
                expected: format!("format {format}, {rules}"),
            });
        }
        // Whoever adds sectors to an old folder brings its manifest up to date.
        folder.manifest = Manifest { sectors: folder.manifest.sectors, ..Manifest::new(rules, format) };
        Ok(folder)
    }

    /// Opens a folder to build in; it may be empty or missing. Without a version it keeps the one that it has.
    ///
    /// # Errors
    /// As [`Folder::open`], if the folder has another version, and if it cannot be created.
    pub fn create<E: Endings>(path: &Path, endings: &E, version: Option<Version>) -> Result<Folder, FolderFault> {
        match (Folder::open(path, endings), version) {
            (Err(FolderFault::Missing { source }), _) if source.source.kind() == io::ErrorKind::NotFound => {
                std::fs::create_dir_all(path).map_err(named(path))?;
                let manifest = Manifest::new(endings.rules(), version.unwrap_or_default());
                Ok(Folder { path: path.to_path_buf(), manifest })
            }
            (Ok(folder), Some(version)) if folder.version() != version => Err(FolderFault::Foreign {
                path: path.join(FILE_NAME),
                found: format!("format {}", folder.version()),
                expected: format!("format {version}"),
            }),
            (other, _) => other,
        }
    }

    /// The version of all its files.
    pub const fn version(&self) -> Version {
        self.manifest.format
    }

    /// Whether the distances of a sector are left out because those of others give them.
    pub fn is_derived<E: Endings>(&self, endings: &E, sector: Sector) -> bool {
        self.version() == Version::Two && endings.is_derived(sector)
    }

    /// What there are files of for a sector.
    pub fn kinds<E: Endings>(&self, endings: &E, sector: Sector) -> &'static [Kind] {
        if self.is_derived(endings, sector) { &[Kind::Wdl] } else { &Kind::ALL }
    }

    /// The table of a sector.
    pub fn subject<E: Endings>(&self, endings: &E, sector: Sector, kind: Kind) -> Subject {
        Subject { version: self.version(), kind, tag: endings.tag(), sector, slots: endings.slots(sector) }
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
    pub fn table<E: Endings>(&self, endings: &E, sector: Sector, kind: Kind) -> Result<TableFile, Fault> {
        let file = TableFile::open(&self.file(endings, sector, kind), self.subject(endings, sector, kind))?;
        match self.entry(endings, sector) {
            Some(entry) if entry.file(kind) != Some(&file.identity().into()) => Err(Fault::Replaced),
            _ => Ok(file),
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

/// The manifest of a folder as it is written: as long as it is the same, the tables are.
///
/// # Errors
/// When there is none, or it cannot be read.
pub fn manifest_text(path: &Path) -> Result<String, FolderFault> {
    let file = path.join(FILE_NAME);
    Ok(open_regular(&file).and_then(io::read_to_string).map_err(named(&file))?)
}

/// The rules of the tables in a folder, with the most stones there can be tables of.
///
/// # Errors
/// When there is no manifest, or it is damaged or of unknown rules.
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

    const OLD: &str = r#"{ "format": 1, "rules": "morris flying=true removal=if-all diagonals=false", "sectors": {} }"#;

    /// A folder with this manifest.
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
    fn an_old_manifest_is_read_and_brought_up_to_date() {
        let path = folder("old", OLD);
        let flying = MorrisEndings::<FLYING>::new(9);
        assert_eq!(folder_rules(&path).expect("known"), flying.rules().ruleset());
        let refused = refusal(Folder::open(&path, &MorrisEndings::<DIAGONALS>::new(12)));
        let words = "manifest.json: tables of format 1, morris flying=true removal=if-all diagonals=false, \
                     expected format 1, morris flying=false removal=if-all diagonals=true";
        assert!(refused.ends_with(words), "{refused}");
        let mut opened = Folder::open(&path, &flying).expect("the same rules");
        opened.add(&flying, Vec::new()).expect("written");
        let text = std::fs::read_to_string(path.join(FILE_NAME)).expect("readable");
        let found: serde_json::Value = serde_json::from_str(&text).expect("sound");
        let data = r#"{"family": "morris", "flying": true, "removal": "if-all", "diagonals": false}"#;
        assert_eq!(found["ruleset"], serde_json::from_str::<serde_json::Value>(data).expect("sound"));
        // All that older programs look at.
        assert_eq!((&found["format"], &found["rules"]), (&1.into(), &flying.rules().to_string().into()));
        assert_eq!(folder_rules(&path).expect("known"), flying.rules().ruleset());
        std::fs::remove_dir_all(path).expect("removed");
    }

    #[test]
    fn a_folder_keeps_its_format() {
        let path = folder("format", OLD);
        let flying = MorrisEndings::<FLYING>::new(9);
        for version in [None, Some(Version::One)] {
            assert_eq!(Folder::create(&path, &flying, version).expect("as it is").version(), Version::One);
        }
        let refused = refusal(Folder::create(&path, &flying, Some(Version::Two)));
        assert!(refused.ends_with("manifest.json: tables of format 1, expected format 2"), "{refused}");
        std::fs::remove_file(path.join(FILE_NAME)).expect("there");
        for (version, expected) in [(None, Version::Two), (Some(Version::One), Version::One)] {
            assert_eq!(Folder::create(&path, &flying, version).expect("empty").version(), expected);
        }
        std::fs::remove_dir_all(path).expect("removed");
    }

    #[test]
    fn rules_and_formats_of_later_programs_are_foreign() {
        let data = OLD.replace("\"sectors\"", "\"ruleset\": {\"family\": \"go\"}, \"sectors\"");
        let laps = OLD.replace("\"sectors\"", "\"ruleset\": {\"family\": \"morris\", \"laps\": 3}, \"sectors\"");
        for (name, manifest) in [("family", data), ("field", laps), ("words", OLD.replace("flying=", "walking="))] {
            let path = folder(name, &manifest);
            assert!(refusal(folder_rules(&path)).contains("expected rules that this program knows"), "{name}");
            assert!(
                refusal(Folder::open(&path, &MorrisEndings::<FLYING>::new(9))).contains("tables of format 1, morris")
            );
            std::fs::remove_dir_all(path).expect("removed");
        }
        for (name, manifest) in [("same", OLD.replace(": 1", ": 3")), ("other", "{\"format\": 3}".to_string())] {
            let path = folder(name, &manifest);
            let refused = refusal(Folder::open(&path, &SmessEndings));
            assert!(refused.contains("tables of format 3") && refused.ends_with("expected format 1 or 2"), "{refused}");
            std::fs::remove_dir_all(path).expect("removed");
        }
        let path = folder("damaged", "{\"format\": 1}");
        assert!(refusal(Folder::read(&path)).contains("manifest.json: damaged (missing field"));
        std::fs::remove_dir_all(path).expect("removed");
    }
}
