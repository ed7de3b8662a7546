//! Tables as the engine probes them: those of several folders, and those that are part of the program.

use super::code::Code;
use super::embedded;
use super::endings::{Endings, PositionOf, Sector};
use super::format::{Fault, Kind, Table};
use super::manifest::{Folder, FolderFault};
use super::recent::Recent;
use super::{NoEndings, SmessEndings};
use crate::any::AnyOracle;
use crate::game::{Searchable, Verdict};
use crate::morris::Morris;
use crate::smess::Smess;
use crate::value::{Oracle, Value};
use crate::variant::Ruleset;
use crate::with_morris_endings;
use ahash::AHashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

/// The tables of one sector.
pub(super) struct Pair {
    wdl: Option<Table>,
    pub(super) distance: Option<Table>,
    /// The distances of a small sector without a WDL table, decompressed when first asked for.
    codes: OnceLock<Vec<Code>>,
    /// The first damage found.
    fault: OnceLock<String>,
    fault_reported: AtomicBool,
}

/// Most slots of a sector that is decompressed as a whole: this takes a few milliseconds and MiB.
const MOST_DECOMPRESSED: u64 = 4 << 20;

impl Pair {
    pub(super) const fn of(wdl: Option<Table>, distance: Option<Table>) -> Pair {
        Pair { wdl, distance, codes: OnceLock::new(), fault: OnceLock::new(), fault_reported: AtomicBool::new(false) }
    }

    fn kinds(&self) -> usize {
        usize::from(self.wdl.is_some()) + usize::from(self.distance.is_some())
    }

    fn value(&self, slot: u64, recent: &Recent) -> Option<Value> {
        if let Some(codes) = self.codes() {
            return codes.get(slot as usize).map(|code| code.value());
        }
        let distance = self.distance.as_ref()?;
        let (block, at) = (slot as usize / Table::DISTANCES, slot as usize % Table::DISTANCES);
        let codes = recent.get(distance.subject().sector, block, || distance.distances(block));
        self.sound(distance, codes)?.get(at).map(|code| code.value())
    }

    /// The result, if the table is sound there; otherwise the first fault is kept to be reported.
    #[inline]
    fn sound<T>(&self, table: &Table, result: Result<T, Fault>) -> Option<T> {
        if let Err(fault) = &result {
            self.fault.get_or_init(|| {
                format!("tablebase {}: {fault}; not used there, 'tablebase build' repairs it", table.name())
            });
        }
        result.ok()
    }

    /// What is wrong with the tables, if it has not been reported yet.
    fn new_fault(&self) -> Option<String> {
        let fault = self.fault.get()?;
        (!self.fault_reported.swap(true, Relaxed)).then(|| fault.clone())
    }

    #[inline]
    fn verdict(&self, slot: u64) -> Option<Verdict> {
        if let Some(wdl) = &self.wdl {
            return self.sound(wdl, wdl.verdict(slot));
        }
        self.codes()?.get(slot as usize).map(|code| code.value().verdict())
    }

    /// The decompressed distances, if there are no results and the sector is small.
    #[inline]
    fn codes(&self) -> Option<&[Code]> {
        let distance = self.distance.as_ref()?;
        if self.wdl.is_some() || distance.subject().slots > MOST_DECOMPRESSED {
            return None;
        }
        Some(self.codes.get_or_init(|| self.sound(distance, distance.codes()).unwrap_or_default()))
    }
}

/// The tables of a rule set, by sector.
pub struct Tables<E: Endings> {
    endings: E,
    sectors: AHashMap<Sector, Arc<Pair>>,
    recent: Recent,
    /// Positions with more stones or pieces are not looked up.
    limit: u32,
}

/// Why a folder or a file is not used.
#[derive(Debug)]
pub enum Refusal {
    /// The folder.
    Folder(FolderFault),
    /// One file.
    File(PathBuf, Fault),
}

impl Refusal {
    /// Whether it is only that the folder is for other rules.
    pub const fn is_other_rules(&self) -> bool {
        matches!(self, Refusal::Folder(FolderFault::Foreign { .. }))
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Folder(fault) => write!(f, "{fault}"),
            Refusal::File(path, fault) => write!(f, "{}: {fault}", path.display()),
        }
    }
}

impl std::error::Error for Refusal {}

impl<E: Endings> Tables<E> {
    /// No tables.
    pub fn none(endings: E) -> Tables<E> {
        Tables { endings, sectors: AHashMap::new(), recent: Recent::new(), limit: u32::MAX }
    }

    /// The tables that are part of the program.
    pub fn embedded(endings: E) -> Tables<E> {
        let sectors = embedded::pairs(&endings);
        Tables { endings, sectors, recent: Recent::new(), limit: u32::MAX }
    }

    /// Adds the tables of a folder; those of folders added before take precedence. Returns what is not used and why.
    pub fn add_folder(&mut self, path: &Path) -> Vec<Refusal> {
        let folder = match Folder::open(path, &self.endings) {
            Ok(folder) => folder,
            Err(fault) => return vec![Refusal::Folder(fault)],
        };
        let mut refusals = Vec::new();
        for sector in self.endings.sectors() {
            if folder.entry(&self.endings, sector).is_none() {
                continue;
            }
            let mut open = |kind| {
                let table = folder.table(&self.endings, sector, kind);
                table
                    .map_err(|fault| refusals.push(Refusal::File(folder.file(&self.endings, sector, kind), fault)))
                    .ok()
            };
            let pair = Pair::of(open(Kind::Wdl), open(Kind::Distance));
            // The tables that are part of the program have distances only.
            if pair.kinds() > self.sectors.get(&sector).map_or(0, |known| known.kinds()) {
                self.sectors.insert(sector, Arc::new(pair));
            }
        }
        refusals
    }

    /// The sectors there are tables of, in building order.
    pub fn sectors(&self) -> Vec<Sector> {
        self.endings.sectors().into_iter().filter(|sector| self.sectors.contains_key(sector)).collect()
    }

    /// The endings.
    pub const fn endings(&self) -> &E {
        &self.endings
    }

    #[inline]
    fn pair(&self, pos: &PositionOf<E>) -> Option<&Pair> {
        let sector = self.endings.sector(pos)?;
        if self.endings.pieces(sector) > self.limit {
            return None;
        }
        self.sectors.get(&sector).map(|pair| &**pair)
    }
}

impl<E: Endings> Oracle<PositionOf<E>> for Tables<E> {
    #[inline]
    fn verdict(&self, pos: &PositionOf<E>) -> Option<Verdict> {
        self.pair(pos)?.verdict(self.endings.slot(pos))
    }

    fn value(&self, pos: &PositionOf<E>) -> Option<Value> {
        self.pair(pos)?.value(self.endings.slot(pos), &self.recent)
    }

    fn prepare(&self) {
        for pair in self.sectors.values() {
            pair.codes();
        }
    }

    fn new_faults(&self) -> Vec<String> {
        self.sectors.values().filter_map(|pair| pair.new_fault()).collect()
    }
}

/// Where a game's tables come from.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Sources {
    /// Folders made by `tablebase build`.
    pub folders: Vec<PathBuf>,
    /// Whether the tables that are part of the program are used.
    pub embedded: bool,
    /// Positions with more stones or pieces on the board are not looked up.
    pub limit: u32,
}

/// The tables of a game, opened.
pub struct Opened<P> {
    /// Looks values up; `None` if there are no tables.
    pub oracle: Option<Arc<dyn Oracle<P>>>,
    /// Number of sectors there are tables of.
    pub sectors: usize,
    /// What is not used and why.
    pub refusals: Vec<Refusal>,
}

/// A game whose tables can be opened.
pub trait Tabled: Searchable {
    /// Opens the tables of these rules.
    fn open_tables(&self, sources: &Sources) -> Opened<Self::Position>;
}

impl<const S: u8> Tabled for Morris<S> {
    fn open_tables(&self, sources: &Sources) -> Opened<Self::Position> {
        let opened = with_morris_endings!(self.rules(), |endings| Ok::<_, NoEndings>(open(endings, sources)));
        opened.unwrap_or(Opened { oracle: None, sectors: 0, refusals: Vec::new() })
    }
}

impl Tabled for Smess {
    fn open_tables(&self, sources: &Sources) -> Opened<Self::Position> {
        open(SmessEndings, sources)
    }
}

/// The tables of a rule set, opened, for a game of any family.
pub struct OpenedAny {
    /// Looks values up; `None` if there are no tables.
    pub oracle: Option<AnyOracle>,
    /// Number of sectors there are tables of.
    pub sectors: usize,
    /// What is not used and why.
    pub refusals: Vec<Refusal>,
}

/// Opens the tables of these rules.
pub fn open_tables(rules: &Ruleset, sources: &Sources) -> OpenedAny {
    match rules {
        Ruleset::Morris(rules) => {
            let opened = with_morris_endings!(rules, |endings| Ok::<_, NoEndings>(open(endings, sources)));
            let Opened { oracle, sectors, refusals } =
                opened.unwrap_or(Opened { oracle: None, sectors: 0, refusals: Vec::new() });
            OpenedAny { oracle: oracle.map(AnyOracle::Morris), sectors, refusals }
        }
        Ruleset::Smess(_) => {
            let Opened { oracle, sectors, refusals } = open(SmessEndings, sources);
            OpenedAny { oracle: oracle.map(AnyOracle::Smess), sectors, refusals }
        }
    }
}

fn open<E: Endings>(endings: E, sources: &Sources) -> Opened<PositionOf<E>> {
    let mut tables = if sources.embedded { Tables::embedded(endings) } else { Tables::none(endings) };
    let refusals = sources.folders.iter().flat_map(|folder| tables.add_folder(folder)).collect();
    tables.limit = sources.limit;
    if !tables.sectors.keys().any(|&sector| tables.endings.in_hand(sector)) {
        // Positions with stones in hand are then ruled out before anything is looked up.
        tables.endings = tables.endings.moving_only();
    }
    let sectors = tables.sectors.len();
    let oracle = (sectors > 0 && sources.limit > 0).then(|| Arc::new(tables) as Arc<dyn Oracle<PositionOf<E>>>);
    Opened { oracle, sectors, refusals }
}
