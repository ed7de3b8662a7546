//! The small tables that belong to the engine, so that it plays these endings perfectly without any files. They are part
//! of the program with the feature `embedded`; without it they can be installed while it runs, as a web page does that
//! fetches those of the rules in force.
//!
//! They are copies of the files that `scripts/embedded-tables` builds.

use crate::endings::{Endings, RulesTag, Sector};
use crate::format::{Fault, Kind, Subject, TableFile};
use crate::probe::pair::Pair;
use crate::with_endings;
use ahash::AHashMap;
use millbrain_core::variant::Ruleset;
use std::sync::{Arc, PoisonError, RwLock};

/// A small table: its file name, the name of its sector, what it holds, and its bytes if it is part of the program.
struct Small {
    file: &'static str,
    sector: &'static str,
    kind: Kind,
    embedded: Option<&'static [u8]>,
}

macro_rules! table {
    ($folder:literal, $sector:literal, $extension:literal, $kind:expr) => {
        Small {
            file: concat!($folder, "/", $sector, $extension),
            sector: $sector,
            kind: $kind,
            #[cfg(feature = "embedded")]
            embedded: Some(include_bytes!(concat!("../embedded/", $folder, "/", $sector, $extension))),
            #[cfg(not(feature = "embedded"))]
            embedded: None,
        }
    };
}

/// The tables of sectors with distances, and of those whose distances follow from others.
macro_rules! tables {
    ($folder:literal: $($sector:literal)*; $($derived:literal)*) => {
        &[
            $(
                table!($folder, $sector, ".wdl", Kind::Wdl),
                table!($folder, $sector, ".dtw", Kind::Distance),
            )*
            $(table!($folder, $derived, ".wdl", Kind::Wdl),)*
        ]
    };
}

/// The small tables by the tag of their rules. These take a few kilobytes each; the next larger sectors would take as
/// much as all of these together.
static TABLES: &[(RulesTag, &[Small])] = &[
    (*b"M\x01\0\0\0\0\0\0", tables!("morris": "3-3" "4-3" "4-4" "5-3"; "3-4" "3-5")),
    (*b"M\x03\0\0\0\0\0\0", tables!("mylos": "3-3" "4-3" "4-4" "5-3"; "3-4" "3-5")),
    (*b"M\x00\0\0\0\0\0\0", tables!("mlyn": "3-3" "4-3" "4-4" "5-3"; "3-4" "3-5")),
    (*b"M\x05\0\0\0\0\0\0", tables!("morabaraba": "3-3" "4-3" "4-4" "5-3"; "3-4" "3-5")),
    (*b"S\x00\0\0\0\0\0\0", tables!("smess": "BS-B" "B-BS" "BN-B" "B-BN";)),
];

/// The packs that are part of the program.
pub static PACKS: &[&[u8]] = &[];

/// Tables installed while the program runs, by file name. They stay for as long as it does.
static INSTALLED: RwLock<Vec<(&'static str, &'static [u8])>> = RwLock::new(Vec::new());

fn installed(file: &str) -> Option<&'static [u8]> {
    let installed = INSTALLED.read().unwrap_or_else(PoisonError::into_inner);
    installed.iter().find(|(name, _)| *name == file).map(|&(_, bytes)| bytes)
}

impl Small {
    fn bytes(&self) -> Option<&'static [u8]> {
        self.embedded.or_else(|| installed(self.file))
    }
}

/// The small tables of rules with this tag.
fn of(tag: RulesTag) -> impl Iterator<Item = &'static Small> {
    TABLES.iter().filter(move |(of, _)| *of == tag).flat_map(|(_, tables)| *tables)
}

/// The small tables that the engine has of these rules and that are neither part of the program nor installed: their
/// file names, such as `morris/4-3.dtw`.
pub fn missing_tables(rules: Ruleset) -> Vec<&'static str> {
    with_endings!(
        rules,
        |endings| of(endings.moving_only().tag()).filter(|table| table.bytes().is_none()).map(|table| table.file).collect(),
        else Vec::new()
    )
}

/// Why a small table cannot be installed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InstallError {
    /// There is no small table of this name for these rules.
    #[error("no small table {0:?} for these rules, expected one of those that are missing")]
    Unknown(String),
    /// The bytes are not that table, whole and sound.
    #[error("small table {0}: {1}")]
    Damaged(&'static str, #[source] Fault),
}

/// Installs the small table with this file name; games find it when their tablebases are opened the next time.
///
/// # Errors
/// When these rules have no such table, or the bytes are not that table. One that is there already is kept.
pub fn install_table(rules: Ruleset, file: &str, bytes: Vec<u8>) -> Result<(), InstallError> {
    fn named<E: Endings>(endings: &E, file: &str) -> Option<(&'static Small, Subject)> {
        let small = of(endings.tag()).find(|small| small.file == file)?;
        let sector = endings.sectors().into_iter().find(|&sector| endings.name(sector) == small.sector)?;
        Some((small, Subject::of(endings, sector, small.kind)))
    }
    let found = with_endings!(rules, |endings| named(&endings.moving_only(), file), else None);
    let (small, subject) = found.ok_or_else(|| InstallError::Unknown(file.to_string()))?;
    if small.bytes().is_some() {
        return Ok(());
    }
    let bytes: &'static [u8] = bytes.leak();
    TableFile::embedded(bytes, subject).map_err(|fault| InstallError::Damaged(small.file, fault))?;
    INSTALLED.write().unwrap_or_else(PoisonError::into_inner).push((small.file, bytes));
    Ok(())
}

/// The tables of a sector, given its name and what its files are about. Compiled once, not for each set of rules.
#[inline(never)]
fn pair(name: &str, subjects: [Subject; 2], is_derived: bool) -> Option<Pair> {
    let [wdl, distance] = subjects.map(|subject| {
        let small = of(subject.tag).find(|small| small.sector == name && small.kind == subject.kind)?;
        let opened = TableFile::embedded(small.bytes()?, subject);
        opened.inspect_err(|fault| log::error!("small table {}: {fault}", small.file)).ok()
    });
    let wdl = Some(wdl?);
    Some(if is_derived { Pair::derived(wdl) } else { Pair::of(wdl, distance) })
}

/// The tables of these endings.
pub(crate) fn pairs<E: Endings>(endings: &E) -> AHashMap<Sector, Arc<Pair>> {
    let endings = endings.moving_only();
    if of(endings.tag()).next().is_none() {
        return AHashMap::new();
    }
    let tables = |sector| {
        let subjects = Kind::ALL.map(|kind| Subject::of(&endings, sector, kind));
        let pair = pair(&endings.name(sector), subjects, endings.is_derived(sector))?;
        Some((sector, Arc::new(pair)))
    };
    endings.sectors().into_iter().filter_map(tables).collect()
}

#[cfg(all(test, feature = "build", feature = "embedded"))]
mod tests {
    use super::*;
    use millbrain_core::variant::Variant;
    use std::path::Path;

    /// What a page fetches is named after rules and sector, and there are no others in the folder.
    #[test]
    fn small_tables_are_named_after_rules_and_sector() {
        for (variant, wanted) in [("morris", 10), ("mylos", 10), ("mlyn", 10), ("morabaraba", 10), ("smess", 8)] {
            let rules = variant.parse::<Variant>().expect("a variant").rules();
            assert!(missing_tables(rules).is_empty(), "they are part of the program");
            let tag =
                with_endings!(rules, |endings| endings.moving_only().tag(), else unreachable!("there are tables"));
            let mut named: Vec<&str> = of(tag).map(|small| small.file).collect();
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/embedded").join(variant);
            let mut found: Vec<String> = std::fs::read_dir(folder)
                .expect("a folder")
                .map(|file| format!("{variant}/{}", file.expect("readable").file_name().to_string_lossy()))
                .collect();
            named.sort_unstable();
            found.sort_unstable();
            assert_eq!((named.len(), named), (wanted, found.iter().map(String::as_str).collect()));
        }
    }

    #[test]
    fn a_table_is_installed_once_and_only_for_its_rules() {
        let rules = Variant::Morris.rules();
        let unknown = |rules, file: &str| install_table(rules, file, Vec::new()).err().map(|error| error.to_string());
        for (rules, file) in [(rules, "morris/9-9.wdl"), (Variant::Smess.rules(), "morris/3-3.wdl"), (rules, "3-3.wdl")]
        {
            let text = format!("no small table {file:?} for these rules, expected one of those that are missing");
            assert_eq!(unknown(rules, file), Some(text));
        }
        assert_eq!(unknown(rules, "morris/3-3.wdl"), None, "it is there already");
    }
}
