//! Tablebases as the engine probes them: those of several folders, and those that are part of the program.

use super::embedded;
use crate::endings::{Endings, PositionOf, Sector};
use crate::folder::{Folder, FolderFault};
use crate::format::cache::Cache;
use crate::format::{Fault, Kind};
use crate::pack::{self, Pack, PackFault, Said};
use crate::probe::address::{Address, NoAddress};
use crate::probe::pair::Pair;
use crate::probe::prospects::{Prober, UltraTables};
use ahash::AHashMap;
use millbrain_core::game::value::{Counted, Known, Oracle, Prospect, Value, known_end};
use millbrain_core::game::{Game, Verdict};
use millbrain_files::size::Size;
use millbrain_files::{InFile, allow_many_files, named};
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The default memory for unpacked blocks.
pub const DEFAULT_CACHE: Size = Size(512 << 20);

/// The tablebase of a rule set, by sector. Values of endings with a draw counter are as [`Metric`](crate::Metric)
/// stores them.
pub struct Tablebase<E: Endings> {
    endings: E,
    sectors: AHashMap<Sector, Arc<Pair>>,
    ultra: UltraTables,
    /// The packs, probed in turn.
    packs: Vec<Pack<E>>,
    cache: Cache,
    /// The largest number of stones or pieces that is probed.
    limit: u32,
    /// The most stones or pieces that have tables.
    largest: u32,
}

/// The reason why a folder or a file is not used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// A folder is not used.
    #[error(transparent)]
    Folder(#[from] FolderFault),
    /// One file is not used.
    #[error(transparent)]
    File(#[from] InFile<Fault>),
    /// A pack is not used.
    #[error(transparent)]
    Pack(#[from] InFile<PackFault>),
    /// A server is not used.
    #[error(transparent)]
    Address(#[from] NoAddress),
    /// The feature `remote` is missing.
    #[error("{0}: this program asks no servers, expected a folder")]
    NoServers(Address),
}

impl Refusal {
    /// Returns whether the folder is merely for other rules.
    pub const fn is_other_rules(&self) -> bool {
        matches!(
            self,
            Refusal::Folder(FolderFault::Foreign { .. })
                | Refusal::File(InFile { source: Fault::Rules, .. })
                | Refusal::Pack(InFile { source: PackFault::Rules, .. })
        )
    }
}

/// Opens a folder of these endings, or of those without stones in hand, whose tables serve more rules.
fn open_folder<E: Endings>(path: &Path, endings: &E) -> Result<(Folder, E), FolderFault> {
    let moving = endings.moving_only();
    let whole = Folder::open(path, endings).map(|folder| (folder, endings.clone()));
    whole.or_else(|fault| Folder::open(path, &moving).map(|folder| (folder, moving)).map_err(|_| fault))
}

/// Returns the files of a folder with this extension, by name.
pub(super) fn files_in(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let Ok(entries) = folder.read_dir() else { return Vec::new() };
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut files: Vec<PathBuf> = paths.filter(|path| path.extension().is_some_and(|end| end == extension)).collect();
    files.sort();
    files
}

impl<E: Endings> Tablebase<E> {
    fn of(endings: E, sectors: AHashMap<Sector, Arc<Pair>>) -> Tablebase<E> {
        let (ultra, cache) = (UltraTables::none(), Cache::new(DEFAULT_CACHE));
        Tablebase { endings, sectors, ultra, packs: Vec::new(), cache, limit: u32::MAX, largest: u32::MAX }
    }

    /// Creates a tablebase without tables.
    pub fn none(endings: E) -> Tablebase<E> {
        Tablebase::of(endings, AHashMap::new())
    }

    /// Returns the tables that are part of the program.
    pub fn embedded(endings: E) -> Tablebase<E> {
        let sectors = embedded::pairs(&endings);
        Tablebase::of(endings, sectors)
    }

    /// Returns whether the tables of a folder are of these endings.
    pub(super) fn is_of(&self, path: &Path) -> bool {
        open_folder(path, &self.endings).is_ok()
    }

    /// Adds the packs at a place, a file or a folder that may have several. Packs of other rules in a folder are
    /// skipped. Returns what is not used and why, or `None` if there are no packs.
    pub(super) fn add_packs(&mut self, place: &Path, endings: &E) -> Option<Vec<Refusal>> {
        // A page has no files, and needs no code to read them.
        if cfg!(target_family = "wasm") {
            return None;
        }
        let is_file = place.is_file();
        let files = if is_file { vec![place.to_path_buf()] } else { files_in(place, pack::EXTENSION) };
        let mut refusals = Vec::new();
        for path in &files {
            match Pack::open(path, endings) {
                Ok(pack) => self.packs.push(pack),
                Err(PackFault::Rules) if !is_file => {}
                Err(fault) => refusals.push(named(path)(fault).into()),
            }
        }
        (!files.is_empty()).then_some(refusals)
    }

    /// Adds the packs that are part of the program, or have been installed.
    pub(super) fn add_embedded_packs(&mut self, endings: &E) {
        for bytes in embedded::packs(endings) {
            match Pack::read(Cow::Borrowed(bytes), endings) {
                Ok(pack) => self.packs.push(pack),
                Err(PackFault::Rules) => {}
                Err(fault) => log::error!("pack: {fault}"),
            }
        }
    }

    /// Counts the positions in packs.
    pub(super) fn packed(&self) -> u64 {
        self.packs.iter().map(Pack::len).sum()
    }

    /// Adds the tables of a folder; those of folders added before take precedence. Returns what is not used and why.
    pub fn add_folder(&mut self, path: &Path) -> Vec<Refusal> {
        // A page has no folders, and needs no code to read them.
        if cfg!(target_family = "wasm") {
            return Vec::new();
        }
        let (folder, endings) = match open_folder(path, &self.endings) {
            Ok(opened) => opened,
            Err(fault) => return vec![fault.into()],
        };
        allow_many_files();
        let mut refusals = Vec::new();
        let mut open = |sector, kind| {
            let file = folder.table(&endings, sector, kind);
            file.map_err(|fault| refusals.push(named(&folder.file(&endings, sector, kind))(fault).into())).ok()
        };
        // Keys of different folders may be by different ranks.
        if self.ultra.is_empty() {
            self.ultra = UltraTables::of(&endings, &folder, &mut open);
        }
        for sector in endings.sectors() {
            let Some(entry) = folder.entry(&endings, sector) else { continue };
            let wdl = open(sector, Kind::Wdl);
            let pair = if endings.is_derived(sector) {
                Pair::derived(wdl)
            } else {
                Pair::of(wdl, entry.dtw.as_ref().and_then(|_| open(sector, Kind::Distance)))
            };
            if pair.kinds() > self.sectors.get(&sector).map_or(0, |known| known.kinds()) {
                self.sectors.insert(sector, Arc::new(pair));
            }
        }
        refusals
    }

    /// Sets the limit of stones or pieces, and the memory for unpacked blocks.
    pub(super) fn within(mut self, limit: u32, cache: Size) -> Tablebase<E> {
        let sectors = self.sectors.keys();
        if !sectors.clone().any(|&sector| self.endings.in_hand(sector)) {
            // Positions with stones in hand are then ruled out before any lookup.
            self.endings = self.endings.moving_only();
        }
        let largest = sectors.map(|&sector| self.endings.pieces(sector)).max().unwrap_or(0);
        Tablebase { limit, largest: largest.min(limit), cache: Cache::new(cache), ..self }
    }

    /// Returns the sectors that have tables, in building order.
    pub fn sectors(&self) -> Vec<Sector> {
        self.endings.sectors().into_iter().filter(|sector| self.sectors.contains_key(sector)).collect()
    }

    /// Returns the largest number of stones or pieces that is probed.
    pub(super) const fn limit(&self) -> u32 {
        self.limit
    }

    /// Returns the unpacked blocks.
    pub(super) const fn cache(&self) -> &Cache {
        &self.cache
    }

    /// Returns the endings.
    pub const fn endings(&self) -> &E {
        &self.endings
    }

    /// Returns the value of a position from those one move on, given its result, or `None` if a needed table is
    /// missing.
    fn derived(&self, pos: &PositionOf<E>, verdict: Verdict) -> Option<Value> {
        if verdict == Verdict::Draw {
            return Some(Value::Draw);
        }
        let game = self.endings.game();
        let sector = self.endings.sector(pos)?;
        let (mut values, mut is_known) = (Vec::new(), true);
        game.generate(pos, |mv| {
            let next = game.play(pos, mv);
            let end = known_end(&game, &next);
            // Results are cheaper to probe, and in a won position only the winning moves count.
            let result = end.map(Value::verdict).or_else(|| self.verdict(&next));
            let value = match result {
                Some(result) if verdict == Verdict::Win && result != Verdict::Loss => return,
                Some(_) => end.or_else(|| self.pair(&next)?.value(self.endings.slot(&next), &self.cache)),
                None => None,
            };
            is_known &= value.is_some();
            values.extend(value.map(|value| self.endings.before(sector, self.endings.sector(&next), value)));
        });
        let best = values.into_iter().max_by_key(|value| value.rank());
        is_known.then(|| best.unwrap_or(Value::Loss(0)))
    }

    /// Returns the result of a position with its current counter, by tables with the draw counter.
    #[inline]
    pub(super) fn counted_verdict(&self, pos: &PositionOf<E>) -> Option<Verdict> {
        if self.endings.game().plies_without_progress(pos) == 0 {
            return self.verdict(pos);
        }
        self.counted(pos).map(|counted| counted.verdict)
    }

    /// Returns the same with the distance to progress.
    pub(super) fn counted(&self, pos: &PositionOf<E>) -> Option<Counted> {
        let counter = self.endings.game().plies_without_progress(pos);
        if self.endings.in_hand(self.endings.sector(pos)?) {
            // Every move is progress.
            let verdict = self.verdict(pos)?;
            return Some(Counted { verdict, plies: u32::from(verdict != Verdict::Draw) });
        }
        Some(self.endings.metric().counted(self.value(pos)?, counter))
    }

    #[inline]
    fn pair(&self, pos: &PositionOf<E>) -> Option<&Pair> {
        let sector = self.endings.sector(pos)?;
        if self.endings.pieces(sector) > self.largest {
            return None;
        }
        self.sectors.get(&sector).map(|pair| &**pair)
    }
}

impl<E: Endings> Oracle<PositionOf<E>> for Tablebase<E> {
    #[inline]
    fn verdict(&self, pos: &PositionOf<E>) -> Option<Verdict> {
        self.pair(pos)?.verdict(self.endings.slot(pos), &self.cache)
    }

    fn value(&self, pos: &PositionOf<E>) -> Option<Value> {
        let pair = self.pair(pos)?;
        let slot = self.endings.slot(pos);
        if pair.is_derived {
            return self.derived(pos, pair.verdict(slot, &self.cache)?);
        }
        pair.value(slot, &self.cache)
    }

    fn known(&self, pos: &PositionOf<E>) -> Option<Known> {
        let by_tables = self.value(pos).map(Known::Value).or_else(|| self.verdict(pos).map(Known::Verdict));
        let is_won = || self.packs.iter().any(|pack| pack.contains(Said::Won, pos, self.limit));
        by_tables.or_else(|| is_won().then_some(Known::Verdict(Verdict::Win)))
    }

    fn knows_wins(&self) -> bool {
        self.packs.iter().any(|pack| pack.says(Said::Won))
    }

    #[inline]
    fn is_won(&self, pos: &PositionOf<E>) -> bool {
        self.packs.iter().any(|pack| pack.contains_quickly(Said::Won, pos, self.limit))
    }

    fn is_held(&self, pos: &PositionOf<E>) -> bool {
        self.packs.iter().any(|pack| pack.contains(Said::Held, pos, self.limit))
    }

    fn prospect(&self, pos: &PositionOf<E>, next: &PositionOf<E>) -> Option<Prospect> {
        let verdict = &|pos: &PositionOf<E>| self.verdict(pos);
        Prober { endings: &self.endings, tables: &self.ultra, cache: &self.cache, verdict }.of_move(pos, next)
    }

    fn new_faults(&self) -> Vec<String> {
        let folders = self.sectors.values().filter_map(|pair| pair.new_fault());
        folders.chain(self.ultra.new_faults()).collect()
    }
}
