//! The small tables and packs of the engine, so that it plays these endings and openings perfectly without files. With
//! the feature `embedded` they are part of the program. Without it they can be installed at run time: a web page
//! fetches those of the rules in force.
//!
//! `scripts/train/embedded-tables` builds the tables; `truth pack` makes the packs of the crate `millbrain-packs`.

use crate::endings::{Endings, RulesTag, Sector};
use crate::format::{Fault, Kind, Subject, TableFile, first_file};
use crate::pack::{Pack, PackFault};
use crate::probe::pair::Pair;
use crate::with_endings;
use ahash::AHashMap;
use millbrain_core::variant::{Ruleset, Variant};
use std::borrow::Cow;
use std::sync::{Arc, PoisonError, RwLock};

/// A file of the engine: its name, and its bytes if it is part of the program.
struct Supplied {
    file: &'static str,
    embedded: Option<&'static [u8]>,
}

/// A small table: its file, the name of its sector, and its kind.
struct Small {
    supplied: Supplied,
    sector: &'static str,
    kind: Kind,
}

/// A pack: its file and its variant.
struct Carried {
    supplied: Supplied,
    variant: Variant,
}

macro_rules! supplied {
    ($file:expr, $bytes:expr) => {
        Supplied {
            file: $file,
            #[cfg(feature = "embedded")]
            embedded: Some($bytes),
            #[cfg(not(feature = "embedded"))]
            embedded: None,
        }
    };
}

/// The file of a small table.
macro_rules! small {
    ($file:expr) => {
        supplied!($file, include_bytes!(concat!("../embedded/", $file)))
    };
}

macro_rules! table {
    ($folder:literal, $sector:literal, $extension:literal, $kind:expr) => {
        Small { supplied: small!(concat!($folder, "/", $sector, $extension)), sector: $sector, kind: $kind }
    };
}

/// Lists the tables of sectors with distances, and of those whose distances follow from others.
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

/// The small tables by the tag of their rules. They take a few kilobytes each; the next larger sectors would take as
/// much as all of these together.
static TABLES: &[(RulesTag, &[Small])] = &[
    (*b"M\x01\0\0\0\0\0\0", tables!("morris": "3-3" "4-3" "4-4" "5-3"; "3-4" "3-5")),
    (*b"M\x03\0\0\0\0\0\0", tables!("mylos": "3-3" "4-3" "4-4" "5-3"; "3-4" "3-5")),
    (*b"M\x00\0\0\0\0\0\0", tables!("mlyn": "3-3" "4-3" "4-4" "5-3"; "3-4" "3-5")),
    (*b"M\x05\0\0\0\0\0\0", tables!("morabaraba": "3-3" "4-3" "4-4" "5-3"; "3-4" "3-5")),
    (*b"S\x00\0\0\0\0\0\0", tables!("smess": "BS-B" "B-BS" "BN-B" "B-BN";)),
];

/// The tables of whole games by the tag of their rules: table files one after the other. Like other tables, each is
/// named by the most men in its positions, here the points of the board.
static GAMES: &[(RulesTag, Supplied)] = &[
    (*b"L\x00\x04\0\0\0\0\0", small!("merels/9.wdl")),
    (*b"L\x01\x00\0\0\0\0\0", small!("merels/16.wdl")),
    (*b"L\x02\x00\0\0\0\0\0", small!("merels/17.wdl")),
];

macro_rules! pack {
    ($file:literal, $bytes:ident, $variant:ident) => {
        Carried { supplied: supplied!(concat!("packs/", $file), millbrain_packs::$bytes), variant: Variant::$variant }
    };
}

/// The packs, which are in a crate of their own.
static PACKS: &[Carried] = &[
    pack!("lasker.pack", LASKER, Lasker),
    pack!("mlyn.pack", MLYN, Mlyn),
    pack!("morabaraba.pack", MORABARABA, Morabaraba),
    pack!("morris.pack", MORRIS, Morris),
    pack!("mylos.pack", MYLOS, Mylos),
];

/// Files installed at run time, by file name. They remain until the process ends.
static INSTALLED: RwLock<Vec<(&'static str, &'static [u8])>> = RwLock::new(Vec::new());

fn installed(file: &str) -> Option<&'static [u8]> {
    let installed = INSTALLED.read().unwrap_or_else(PoisonError::into_inner);
    installed.iter().find(|(name, _)| *name == file).map(|&(_, bytes)| bytes)
}

impl Supplied {
    fn bytes(&self) -> Option<&'static [u8]> {
        self.embedded.or_else(|| installed(self.file))
    }
}

impl Carried {
    /// Returns whether the pack has positions of these endings.
    fn is_of<E: Endings>(&self, endings: &E) -> bool {
        let rules = self.variant.rules();
        with_endings!(rules, |own| (own.tag(), own.start()) == (endings.tag(), endings.start()), else false)
    }

    /// Checks that these bytes are the pack, whole and sound.
    fn check(&self, bytes: &'static [u8]) -> Result<(), PackFault> {
        let rules = self.variant.rules();
        with_endings!(rules, |own| Pack::read(Cow::Borrowed(bytes), &own).map(drop), else Err(PackFault::Rules))
    }
}

/// Returns the packs of these endings.
fn packs_of<E: Endings>(endings: &E) -> impl Iterator<Item = &'static Carried> {
    PACKS.iter().filter(|pack| pack.is_of(endings))
}

/// Returns the bytes of the available packs of these endings.
pub(crate) fn packs<E: Endings>(endings: &E) -> impl Iterator<Item = &'static [u8]> {
    packs_of(endings).filter_map(|pack| pack.supplied.bytes())
}

/// Returns the tables of a whole game by rules with this tag.
fn game_of(tag: RulesTag) -> Option<&'static Supplied> {
    GAMES.iter().find(|(of, _)| *of == tag).map(|(_, game)| game)
}

/// Returns the table files of a whole game.
fn files_of(mut game: &'static [u8]) -> impl Iterator<Item = (Kind, Sector, &'static [u8])> {
    std::iter::from_fn(move || {
        let (kind, sector, file) = first_file(game)?;
        game = &game[file.len()..];
        Some((kind, sector, file))
    })
}

/// Checks that these bytes are the tables of a whole game.
fn check_game<E: Endings>(endings: &E, game: &'static [u8]) -> Result<(), Fault> {
    let mut length = 0;
    for (kind, sector, file) in files_of(game) {
        TableFile::embedded(file, Subject::of(endings, sector, kind))?;
        length += file.len();
    }
    if length == game.len() && length > 0 { Ok(()) } else { Err(Fault::CutShort) }
}

/// Returns the small tables of rules with this tag.
fn of(tag: RulesTag) -> impl Iterator<Item = &'static Small> {
    TABLES.iter().filter(move |(of, _)| *of == tag).flat_map(|(_, tables)| *tables)
}

/// Returns the small tables and packs of these rules that are neither part of the program nor installed, by file name:
/// `morris/4-3.dtw`, `packs/morris.pack`.
pub fn missing_tables(rules: Ruleset) -> Vec<&'static str> {
    fn missing<E: Endings>(endings: &E, stones: u8) -> Vec<&'static str> {
        // Rules with fewer stones have fewer sectors, which are named by their stones.
        let has = |name: &str| name.bytes().all(|byte| !byte.is_ascii_digit() || byte <= b'0' + stones);
        let tables = of(endings.moving_only().tag()).filter(|table| has(table.sector)).map(|table| &table.supplied);
        let packs = packs_of(endings).map(|pack| &pack.supplied);
        tables
            .chain(game_of(endings.tag()))
            .chain(packs)
            .filter(|supplied| supplied.bytes().is_none())
            .map(|supplied| supplied.file)
            .collect()
    }
    let stones = match rules {
        Ruleset::Morris(rules) => rules.stones,
        _ => 9,
    };
    with_endings!(rules, |endings| missing(&endings, stones), else Vec::new())
}

/// The reason why a small table or a pack cannot be installed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InstallError {
    /// These rules have no small table or pack of this name.
    #[error("no small table or pack {0:?} for these rules, expected one of those that are missing")]
    Unknown(String),
    /// The bytes are not that table, whole and sound.
    #[error("small table {0}: {1}")]
    Damaged(&'static str, #[source] Fault),
    /// The bytes are not that pack, whole and sound.
    #[error("pack {0}: {1}")]
    DamagedPack(&'static str, #[source] PackFault),
}

/// Installs the small table or the pack with this file name. Games find it the next time their tablebases are opened.
///
/// # Errors
/// Fails if these rules have no such file, or the bytes are not that file. An installed file is left as it is.
pub fn install_table(rules: Ruleset, file: &str, bytes: Vec<u8>) -> Result<(), InstallError> {
    enum Named {
        Table(&'static Small, Subject),
        Game(&'static Supplied),
        Pack(&'static Carried),
    }
    fn named<E: Endings>(endings: &E, file: &str) -> Option<Named> {
        if let Some(game) = game_of(endings.tag()).filter(|game| game.file == file) {
            return Some(Named::Game(game));
        }
        if let Some(pack) = packs_of(endings).find(|pack| pack.supplied.file == file) {
            return Some(Named::Pack(pack));
        }
        let endings = endings.moving_only();
        let small = of(endings.tag()).find(|small| small.supplied.file == file)?;
        let sector = endings.sectors().into_iter().find(|&sector| endings.name(sector) == small.sector)?;
        Some(Named::Table(small, Subject::of(&endings, sector, small.kind)))
    }
    let found = with_endings!(rules, |endings| named(&endings, file), else None);
    let found = found.ok_or_else(|| InstallError::Unknown(file.to_string()))?;
    let supplied = match &found {
        Named::Table(small, _) => &small.supplied,
        Named::Game(game) => game,
        Named::Pack(pack) => &pack.supplied,
    };
    if supplied.bytes().is_some() {
        return Ok(());
    }
    let file = supplied.file;
    let bytes: &'static [u8] = bytes.leak();
    match found {
        Named::Table(_, subject) => {
            TableFile::embedded(bytes, subject).map_err(|fault| InstallError::Damaged(file, fault))?;
        }
        Named::Game(_) => {
            let checked = with_endings!(rules, |endings| check_game(&endings, bytes), else Err(Fault::Rules));
            checked.map_err(|fault| InstallError::Damaged(file, fault))?;
        }
        Named::Pack(pack) => pack.check(bytes).map_err(|fault| InstallError::DamagedPack(file, fault))?,
    }
    INSTALLED.write().unwrap_or_else(PoisonError::into_inner).push((file, bytes));
    Ok(())
}

/// Returns the tables of a sector, given its name and the subjects of its files. It is compiled once, not for each set
/// of rules.
#[inline(never)]
fn pair(name: &str, subjects: [Subject; 2], is_derived: bool) -> Option<Pair> {
    let [wdl, distance] = subjects.map(|subject| {
        let small = of(subject.tag).find(|small| small.sector == name && small.kind == subject.kind)?;
        let opened = TableFile::embedded(small.supplied.bytes()?, subject);
        opened.inspect_err(|fault| log::error!("small table {}: {fault}", small.supplied.file)).ok()
    });
    let wdl = Some(wdl?);
    Some(if is_derived { Pair::derived(wdl) } else { Pair::of(wdl, distance) })
}

/// Returns the tables of a whole game.
fn pairs_of_game<E: Endings>(endings: &E, game: &Supplied, bytes: &'static [u8]) -> AHashMap<Sector, Arc<Pair>> {
    let files: AHashMap<(Kind, Sector), &[u8]> =
        files_of(bytes).map(|(kind, sector, file)| ((kind, sector), file)).collect();
    let table = |sector, kind| {
        let opened = TableFile::embedded(files.get(&(kind, sector))?, Subject::of(endings, sector, kind));
        opened.inspect_err(|fault| log::error!("table {} in {}: {fault}", endings.name(sector), game.file)).ok()
    };
    let pair = |sector| {
        let wdl = Some(table(sector, Kind::Wdl)?);
        let is_derived = endings.is_derived(sector);
        let pair = if is_derived { Pair::derived(wdl) } else { Pair::of(wdl, table(sector, Kind::Distance)) };
        Some((sector, Arc::new(pair)))
    };
    endings.sectors().into_iter().filter_map(pair).collect()
}

/// Returns the tables of these endings.
pub(crate) fn pairs<E: Endings>(endings: &E) -> AHashMap<Sector, Arc<Pair>> {
    if let Some(game) = game_of(endings.tag())
        && let Some(bytes) = game.bytes()
    {
        return pairs_of_game(endings, game, bytes);
    }
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

#[cfg(all(test, feature = "embedded"))]
mod tests {
    use super::*;
    use crate::MerelsEndings;
    use crate::probe::tables::Tablebase;
    use millbrain_core::game::value::{Oracle, Value, known_end};
    use millbrain_core::game::{Game, Verdict};
    use millbrain_core::variant::Variant;
    use std::path::Path;

    /// The files that a page fetches are named after rules and sector, and the folder has no others.
    #[test]
    fn small_tables_are_named_after_rules_and_sector() {
        for (variant, wanted) in [("morris", 10), ("mylos", 10), ("mlyn", 10), ("morabaraba", 10), ("smess", 8)] {
            let rules = variant.parse::<Variant>().expect("a variant").rules();
            assert!(missing_tables(rules).is_empty(), "they are part of the program");
            let tag =
                with_endings!(rules, |endings| endings.moving_only().tag(), else unreachable!("there are tables"));
            let mut named: Vec<&str> = of(tag).map(|small| small.supplied.file).collect();
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

    /// Whole games are whole and sound, have results for all positions, and take 3 MB at most.
    #[test]
    fn whole_games_have_all_results() {
        let mut rng = fastrand::Rng::with_seed(5);
        for variant in [Variant::Three, Variant::Five, Variant::Six, Variant::Seven] {
            let Ruleset::Merels(rules) = variant.rules() else { unreachable!("a variant of the family") };
            let endings = MerelsEndings::of(&rules).expect("tables");
            let game = game_of(endings.tag()).expect("part of the program");
            check_game(&endings, game.bytes().expect("part of the program")).expect("whole and sound");
            assert!(missing_tables(variant.rules()).is_empty());
            let tables = Tablebase::embedded(endings);
            for sector in endings.with_dependencies(&[endings.start().expect("a start")]) {
                for _ in 0..20 {
                    let Some(pos) = endings.position(sector, rng.u64(..endings.slots(sector))) else { continue };
                    let game = endings.game();
                    let after = game.moves(&pos).into_iter().map(|mv| game.play(&pos, mv));
                    let known = |pos| known_end(&game, &pos).map(Value::verdict).or_else(|| tables.verdict(&pos));
                    let after: Vec<Verdict> = after.map(|pos| known(pos).expect("a result").opposite()).collect();
                    let best = [Verdict::Win, Verdict::Draw].into_iter().find(|verdict| after.contains(verdict));
                    let found = tables.verdict(&pos);
                    assert_eq!(found, Some(best.unwrap_or(Verdict::Loss)), "{variant} {}", endings.fen(&pos));
                }
            }
        }
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/embedded/merels");
        let sizes = std::fs::read_dir(folder).expect("a folder").map(|file| file.expect("readable").metadata());
        let sizes: Vec<u64> = sizes.map(|data| data.expect("readable").len()).collect();
        assert!(sizes.len() == GAMES.len() && sizes.iter().sum::<u64>() < 3_000_000, "{sizes:?}");
    }

    /// Each pack is whole and sound, fits its variant and no game of other stones, and there are no others.
    #[test]
    fn packs_are_named_after_variants() {
        let there = millbrain_packs::ALL.map(|(name, _)| format!("packs/{name}.pack"));
        assert_eq!(there.as_slice(), PACKS.iter().map(|pack| pack.supplied.file).collect::<Vec<_>>());
        for pack in PACKS {
            assert_eq!(pack.supplied.file, format!("packs/{}.pack", pack.variant.name()));
            let bytes = pack.supplied.bytes().expect("part of the program");
            pack.check(bytes).expect("whole and sound");
            assert!(matches!(pack.check(&bytes[..bytes.len() - 1]), Err(PackFault::Length { .. })));
            let there = |list| {
                let mut rules = pack.variant.rules();
                rules.set_all(list).expect("rules");
                with_endings!(rules, |endings| packs(&endings).count(), else unreachable!("there are tables"))
            };
            assert_eq!(["", "Repetition Draw=false", "No Mill Draw=20", "Stones=7"].map(there), [1, 1, 1, 0]);
        }
    }

    #[test]
    fn a_table_is_installed_once_and_only_for_its_rules() {
        let rules = Variant::Morris.rules();
        let unknown = |rules, file: &str| install_table(rules, file, Vec::new()).err().map(|error| error.to_string());
        for (rules, file) in [
            (rules, "morris/9-9.wdl"),
            (Variant::Smess.rules(), "morris/3-3.wdl"),
            (rules, "3-3.wdl"),
            (Variant::Mylos.rules(), "packs/morris.pack"),
        ] {
            let text =
                format!("no small table or pack {file:?} for these rules, expected one of those that are missing");
            assert_eq!(unknown(rules, file), Some(text));
        }
        for file in ["morris/3-3.wdl", "packs/morris.pack"] {
            assert_eq!(unknown(rules, file), None, "it is there already");
        }
    }
}
