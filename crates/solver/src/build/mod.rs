//! Builds tables: order, resources, repair, and resuming after a kill.
//!
//! Builds that share a folder, on one machine or on several, share the work: each pair of sectors is built by the one
//! that locks it first. A lock ends with its process, so the other builds take over the pairs of a killed one.

pub(crate) mod built;
pub(crate) mod check;
pub(crate) mod count;
pub(crate) mod progress;
#[cfg(test)]
mod tests;
mod ultra;
pub mod verify;

use crate::build::built::Built;
use crate::build::check::{Contradiction, check};
use crate::build::count::tally;
use crate::build::progress::{Progress, Stage};
use crate::code::Codes;
use crate::folder::locks::Locks;
use crate::folder::scratch::Scratch;
use crate::format::{check_all, write};
use crate::select::{NoSector, Selection};
use crate::solvable::Solvable;
use crate::solve::{TooLong, Unsolved, Watcher};
use millbrain_core::platform;
use millbrain_core::threads::{self, NoThreads};
use millbrain_core::variant::Ruleset;
use millbrain_files::size::Size;
use millbrain_files::{InFile, named};
use millbrain_tablebase::Sector;
use millbrain_tablebase::Tally;
use millbrain_tablebase::folder::{Entry, FILE_NAME, FileEntry, Folder, FolderFault};
use millbrain_tablebase::format::{Fault, Kind, Subject};
use millbrain_tablebase::{NoEndings, with_endings};
use serde::Serialize;
use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// The error for rules that have no tables with a draw counter.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "no tables with the draw counter of these rules: expected a No Mill Draw of at least 1, Removal if-all, and no slides while \
     placing"
)]
pub struct NoCounter;

/// The error for rules that have no ultra-strong values.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("no ultra-strong values for these tables: expected rules of the morris family, and no draw counter")]
pub struct NoUltra;

/// A request to build tables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BuildRequest {
    /// The sectors; those they depend on are built too.
    pub sectors: Selection,
    /// Whether sectors with stones in hand can be selected.
    pub placing: bool,
    /// Whether sectors with stones in hand get results only. Every placement takes a stone from a hand, so that play
    /// needs no distances there.
    pub results: bool,
    /// Whether wins that the draw counter takes away are draws, and distances count to the next placement or mill.
    pub draw_counter: bool,
    /// Whether the ultra-strong values of sectors without stones in hand are added, by the ranks of all those in the
    /// folder.
    pub ultra: bool,
    /// The folder to build in.
    pub folder: PathBuf,
    /// The most memory to use; `None` for three quarters of the machine's.
    pub memory: Option<Size>,
    /// The number of threads; `None` for all cores.
    pub threads: Option<u16>,
}

/// The report of a finished pair of sectors.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PairReport {
    /// Names of the sectors.
    pub sectors: Vec<String>,
    /// Positions of both, up to symmetry.
    pub positions: u64,
    /// The longest distance in plies.
    pub levels: u32,
    /// Time taken.
    pub seconds: f64,
    /// Positions per second.
    pub positions_per_second: u64,
    /// Estimated memory of the pair.
    pub memory_bytes: u64,
    /// Length of the files of results.
    pub wdl_bytes: u64,
    /// Length of the files of distances.
    pub dtw_bytes: u64,
    /// The ultra-strong values, which have files of their own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ultra: Option<UltraReport>,
}

/// The ultra-strong values of a pair of sectors. The file has those of the sector with at least as many stones of the
/// side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct UltraReport {
    /// Drawn positions of that sector, up to symmetry.
    pub drawn: u64,
    /// Drawn positions that lead to a better sector.
    pub better: u64,
    /// Drawn positions that lead to a worse sector.
    pub worse: u64,
    /// Length of the file.
    pub bytes: u64,
}

/// The reason why tables are not built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// There are no tables for these rules.
    #[error(transparent)]
    Rules(#[from] NoEndings),
    /// There are no tables with their draw counter.
    #[error(transparent)]
    Counter(#[from] NoCounter),
    /// There are no ultra-strong values.
    #[error(transparent)]
    Ultra(#[from] NoUltra),
    /// The selection names something other than sectors.
    #[error(transparent)]
    Selection(#[from] NoSector),
    /// The folder cannot be used.
    #[error(transparent)]
    Folder(#[from] FolderFault),
    /// A file cannot be written.
    #[error("{0}")]
    File(#[from] InFile<io::Error>),
    /// A table that was built before cannot be read.
    #[error("{source}; run the same build again to repair it")]
    Dependency {
        /// The table and the fault.
        source: InFile<Fault>,
    },
    /// The threads cannot be started.
    #[error(transparent)]
    Threads(#[from] NoThreads),
    /// More memory is needed than allowed.
    #[error("{needed} of memory needed, expected at most {}", allowed.rounded_down())]
    MemoryLimit {
        /// Memory for the largest pair.
        needed: Size,
        /// The limit.
        allowed: Size,
    },
    /// More memory is needed than is free.
    #[error("{needed} of memory needed, {} free", free.rounded_down())]
    Memory {
        /// Memory for the largest pair.
        needed: Size,
        /// Memory that is free.
        free: Size,
    },
    /// More disk may be needed than is free.
    #[error("up to {needed} of disk needed, {} free in {}", free.rounded_down(), folder.display())]
    Disk {
        /// Disk for all pairs.
        needed: Size,
        /// Disk that is free.
        free: Size,
        /// Returns the path of the folder.
        folder: PathBuf,
    },
    /// The free disk space is unknown.
    #[error("{source}")]
    DiskUnknown {
        /// The error of the system.
        source: io::Error,
    },
    /// A distance does not fit.
    #[error("{pair}: {source}")]
    TooLong {
        /// The pair of sectors.
        pair: String,
        /// The limit of distances.
        source: TooLong,
    },
    /// The solution is contradictory; it is not written.
    #[error(transparent)]
    Contradiction(#[from] Contradiction),
    /// The report of a pair could not be delivered.
    #[error("{source}")]
    Report {
        /// The error.
        source: io::Error,
    },
}

/// The interval at which a waiting build checks whether the other has ended.
const POLL: Duration = Duration::from_millis(200);
/// Memory apart from the tables: the numbering, buffers, the program.
const OVERHEAD: u64 = 192 << 20;
/// Upper bounds of the average size of a slot on disk, in thousandths of a byte (docs/tablebases.md): with distances,
/// and with results only. A single pair may take half as much again.
const DISK_PER_1000_SLOTS: [u64; 2] = [450, 150];

/// Passes progress on: a slot counts half once it is seeded and in full once its pair is done.
struct Halves<'a> {
    progress: &'a dyn Progress,
    seeded: AtomicU64,
    /// The most slots seeded in any attempt.
    shown: AtomicU64,
    name: &'a str,
}

impl Watcher for Halves<'_> {
    fn seeded(&self, slots: u64) {
        let now = self.seeded.fetch_add(slots, Relaxed) + slots;
        let before = self.shown.fetch_max(now, Relaxed);
        self.progress.advance(now.max(before) / 2 - before / 2);
    }

    fn again(&self) {
        self.seeded.store(0, Relaxed);
    }

    fn level(&self, level: u32) {
        self.progress.message(&format!("{} level {level}", self.name));
    }
}

impl Halves<'_> {
    fn done(self) {
        let seeded = self.seeded.into_inner();
        self.progress.advance(seeded - self.shown.into_inner() / 2);
    }
}

/// Returns the sectors that moves out of a pair lead to, each once.
fn exits<E: Solvable>(endings: &E, pair: &[Sector]) -> Vec<Sector> {
    let mut exits: Vec<Sector> = pair.iter().flat_map(|&sector| endings.exits(sector)).collect();
    exits.sort_unstable();
    exits.dedup();
    exits
}

/// Returns the bytes of memory that solving a pair takes.
pub(crate) fn memory_needed<E: Solvable>(endings: &E, pair: &[Sector]) -> u64 {
    let (derived, stored): (Vec<Sector>, Vec<Sector>) =
        exits(endings, pair).into_iter().partition(|&exit| endings.is_derived(exit));
    let deriving = derived.into_iter().map(|exit| endings.deriving_bytes(exit)).max().unwrap_or(0);
    // With stones in hand the sectors that moves lead to are needed at the same time.
    let is_held = |_: &Sector| endings.in_hand(pair[0]);
    let held: u64 = stored.into_iter().filter(is_held).map(|exit| endings.slots(exit)).sum();
    endings.solving_bytes(pair).max(deriving + held) + OVERHEAD
}

/// Returns the pairs of a list of sectors in building order.
pub(crate) fn pairs<E: Solvable>(endings: &E, sectors: Vec<Sector>) -> Vec<Vec<Sector>> {
    let mut pairs: Vec<Vec<Sector>> = Vec::new();
    for sector in sectors {
        if !pairs.iter().flatten().any(|&known| known == sector) {
            pairs.push(endings.pair(sector));
        }
    }
    pairs
}

fn names<E: Solvable>(endings: &E, pair: &[Sector]) -> Vec<String> {
    pair.iter().map(|&sector| endings.name(sector)).collect()
}

/// Builds tables of these rules. `on_pair` gets the report of each finished pair of sectors.
///
/// # Errors
/// Fails for rules without tables, sectors that do not exist, a folder of other tables, or too little memory or disk.
/// Fails if results contradict the figures known without solving, and with errors of the file system or `on_pair`.
/// Finished pairs remain.
pub fn build(
    rules: Ruleset,
    request: &BuildRequest,
    progress: &dyn Progress,
    on_pair: &mut dyn FnMut(&PairReport) -> io::Result<()>,
) -> Result<(), BuildError> {
    with_endings!(rules, |endings| build_with(&endings, rules, request, progress, on_pair), else Err(NoEndings.into()))
}

fn build_with<E: Solvable>(
    endings: &E,
    rules: Ruleset,
    request: &BuildRequest,
    progress: &dyn Progress,
    on_pair: &mut dyn FnMut(&PairReport) -> io::Result<()>,
) -> Result<(), BuildError> {
    let counting = request.draw_counter.then(|| endings.with_counter(&rules).ok_or(NoCounter)).transpose()?;
    let endings = counting.as_ref().unwrap_or(endings);
    if request.ultra && endings.ultra().is_none() {
        return Err(NoUltra.into());
    }
    let chosen = request.sectors.resolve(endings, request.placing)?;
    // Tables without stones in hand serve more rules; they are stored apart unless others are requested too.
    let moving = endings.moving_only();
    let is_whole =
        chosen.iter().any(|&sector| endings.in_hand(sector)) || Folder::open(&request.folder, endings).is_ok();
    let endings = if is_whole { endings } else { &moving };
    let wanted = endings.with_dependencies(&chosen);
    let mut folder = Folder::create(&request.folder, endings)?;
    let locks = Locks::in_folder(folder.path())?;
    let scratch = Scratch::of(&folder);
    let pool = threads::pool(request.threads.map_or(0, usize::from))?;
    // With the draw counter every placement is progress: distances would all be one ply.
    let with_results_alone = |pair: &[Sector]| (request.results || request.draw_counter) && endings.in_hand(pair[0]);
    let all = pairs(endings, wanted);
    let mut todo = pool.install(|| unfinished(endings, &folder, all.clone(), &with_results_alone, progress));
    let slots_of = |pair: &[Sector]| pair.iter().map(|&sector| endings.slots(sector)).sum::<u64>();
    let slots = todo.iter().map(|pair| slots_of(pair)).sum();
    let needed = todo.iter().map(|pair| memory_needed(endings, pair)).max().unwrap_or(0);
    let memory = check_memory(Size(needed), request.memory)?;
    let thousandths =
        todo.iter().map(|pair| slots_of(pair) * DISK_PER_1000_SLOTS[usize::from(with_results_alone(pair))]);
    let largest = thousandths.clone().max().unwrap_or(0);
    let disk = check_disk(&folder, Size((thousandths.sum::<u64>() + largest / 2) / 1000))?;
    log::info!("{} pairs to build, {memory} of memory, up to {disk} of disk", todo.len());
    progress.begin(Stage::Build, slots);
    while !todo.is_empty() {
        let Some((next, _lock)) = claim(endings, &locks, "", &todo)? else {
            progress.message("waiting for another build");
            std::thread::sleep(POLL);
            continue;
        };
        let pair = todo.remove(next);
        // Another build may have finished it by now.
        folder = Folder::create(&request.folder, endings)?;
        let results_alone = with_results_alone(&pair);
        if pool.install(|| missing(endings, &folder, &pair, results_alone)).is_none() {
            progress.advance(slots_of(&pair));
            continue;
        }
        let next = Next { pair: &pair, results_alone, later: &todo };
        let report = pool.install(|| build_pair(endings, &mut folder, &locks, &scratch, &next, progress))?;
        on_pair(&report).map_err(|source| BuildError::Report { source })?;
    }
    scratch.clear();
    progress.end();
    if request.ultra { ultra::build(endings, request, all, &pool, progress, on_pair) } else { Ok(()) }
}

/// Returns the first pair that no other build works on and whose dependencies are finished: its index in the list, and
/// its lock. The names of locks begin with a prefix.
fn claim<E: Solvable>(
    endings: &E,
    locks: &Locks,
    prefix: &str,
    todo: &[Vec<Sector>],
) -> Result<Option<(usize, File)>, BuildError> {
    for (place, pair) in todo.iter().enumerate() {
        // The list is in building order: the dependencies of a pair come before it.
        let exits = exits(endings, pair);
        let is_ready = !todo[..place].iter().flatten().any(|sector| exits.contains(sector));
        // Builds of different sectors may name the pair in different orders.
        let name = names(endings, pair).into_iter().min();
        if is_ready && let Some(lock) = locks.try_lock(&format!("{prefix}{}", name.unwrap_or_default()))? {
            return Ok(Some((place, lock)));
        }
    }
    Ok(None)
}

/// Returns the pairs that are not finished and those with a damaged file, which is reported.
fn unfinished<E: Solvable>(
    endings: &E,
    folder: &Folder,
    pairs: Vec<Vec<Sector>>,
    with_results_alone: &(dyn Fn(&[Sector]) -> bool + Sync),
    progress: &dyn Progress,
) -> Vec<Vec<Sector>> {
    progress.begin(Stage::Check, pairs.len() as u64);
    let is_unfinished = |pair: &Vec<Sector>| {
        progress.advance(1);
        let missing = missing(endings, folder, pair, with_results_alone(pair));
        if let Some(Missing::Damaged(damage)) = &missing {
            progress.warn(&format!("{damage}; building {} again", names(endings, pair).join(" and ")));
        }
        missing.is_some()
    };
    let pairs = pairs.into_iter().filter(is_unfinished).collect();
    progress.end();
    pairs
}

/// The reason why a pair has to be built.
enum Missing {
    /// The pair is not finished.
    Unfinished,
    /// A file of the pair is damaged.
    Damaged(InFile<Fault>),
}

/// Returns whether, and why, a pair has to be built, with its distances or results only.
fn missing<E: Solvable>(endings: &E, folder: &Folder, pair: &[Sector], results_alone: bool) -> Option<Missing> {
    let mut files = Vec::new();
    for &sector in pair {
        let Some(entry) = folder.entry(endings, sector) else { return Some(Missing::Unfinished) };
        if !results_alone && folder.has_results_alone(endings, sector) {
            return Some(Missing::Unfinished);
        }
        files.extend(entry.kinds().map(|kind| (sector, kind)));
    }
    let mut files = files.into_iter();
    let damage = files.find_map(|(sector, kind)| {
        let checked = folder.table(endings, sector, kind).and_then(|file| check_all(&file));
        checked.map_err(named(&folder.file(endings, sector, kind))).err()
    });
    damage.map(Missing::Damaged)
}

/// Returns the limit of memory, if the machine has as much as is needed.
fn check_memory(needed: Size, limit: Option<Size>) -> Result<Size, BuildError> {
    let allowed = limit.or_else(|| platform::total_memory().map(|total| Size(total / 4 * 3)));
    if let Some(allowed) = allowed
        && needed > allowed
    {
        return Err(BuildError::MemoryLimit { needed, allowed });
    }
    if let Some(free) = platform::available_memory().map(Size)
        && needed > free
    {
        return Err(BuildError::Memory { needed, free });
    }
    Ok(needed)
}

/// Returns the disk space that may be needed, if it is free.
fn check_disk(folder: &Folder, needed: Size) -> Result<Size, BuildError> {
    let folder = folder.path();
    let free = Size(fs4::available_space(folder).map_err(|source| BuildError::DiskUnknown { source })?);
    if needed > free {
        return Err(BuildError::Disk { needed, free, folder: folder.to_path_buf() });
    }
    Ok(needed)
}

/// A pair to build.
struct Next<'a> {
    pair: &'a [Sector],
    /// Whether distances are not requested.
    results_alone: bool,
    /// The pairs that come later.
    later: &'a [Vec<Sector>],
}

/// Builds a pair. Distances that later pairs need and that get no file are stored apart.
fn build_pair<E: Solvable>(
    endings: &E,
    folder: &mut Folder,
    locks: &Locks,
    scratch: &Scratch,
    next: &Next<'_>,
    progress: &dyn Progress,
) -> Result<PairReport, BuildError> {
    let &Next { pair, results_alone, later } = next;
    let started = Instant::now();
    let sectors = names(endings, pair);
    let name = sectors.join(" ");
    progress.message(&name);
    let halves = Halves { progress, seeded: AtomicU64::new(0), shown: AtomicU64::new(0), name: &name };
    let mut built = Built::for_build(endings, folder, scratch);
    built.ask_for_results_alone(results_alone);
    let solved = endings.solve(pair, &built, &halves).map_err(|unsolved| match unsolved {
        Unsolved::TooLong(source) => BuildError::TooLong { pair: name.clone(), source },
        Unsolved::Dependency(source) => BuildError::Dependency { source },
    })?;
    let counted = |sector, codes| {
        let tally = tally(endings, sector, codes);
        (sector, if results_alone { tally.counts() } else { tally })
    };
    let tallies: Vec<(Sector, Tally)> =
        pair.iter().zip(&solved.sectors).map(|(&sector, codes)| counted(sector, codes)).collect();
    check(endings, &tallies, |sector| folder.entry(endings, sector).map(|entry| &entry.tally))?;
    let mut entries = Vec::new();
    for ((sector, tally), codes) in tallies.into_iter().zip(solved.sectors) {
        progress.message(&format!("{} to disk", endings.name(sector)));
        if endings.is_derived(sector) && later.iter().any(|pair| exits(endings, pair).contains(&sector)) {
            scratch.keep(endings, sector, &codes);
        }
        entries.push((sector, store(endings, folder, sector, tally, &codes, results_alone)?));
    }
    let positions = entries.iter().map(|(_, entry)| entry.tally.reduced.total()).sum();
    let bytes = |kind| entries.iter().map(|(_, entry)| entry.file(kind).map_or(0, |file| file.bytes)).sum();
    let seconds = started.elapsed().as_secs_f64();
    let report = PairReport {
        sectors,
        positions,
        levels: endings.metric().plies(solved.levels),
        seconds,
        positions_per_second: (positions as f64 / seconds) as u64,
        memory_bytes: memory_needed(endings, pair),
        wdl_bytes: bytes(Kind::Wdl),
        dtw_bytes: bytes(Kind::Distance),
        ultra: None,
    };
    let _lock = locks.lock("manifest")?;
    // Includes the entries that other builds have added.
    *folder = Folder::create(folder.path(), endings)?;
    folder.add(endings, entries).map_err(named(&folder.path().join(FILE_NAME)))?;
    halves.done();
    Ok(report)
}

/// Writes the tables of a solved sector.
fn store<E: Solvable>(
    endings: &E,
    folder: &Folder,
    sector: Sector,
    tally: Tally,
    codes: &Codes,
    results_alone: bool,
) -> Result<Entry, InFile<io::Error>> {
    let write = |kind| {
        let path = folder.file(endings, sector, kind);
        write(&path, &Subject::of(endings, sector, kind), codes).map_err(named(&path))
    };
    let distances = (!results_alone && !endings.is_derived(sector)).then_some(Kind::Distance);
    Ok(Entry {
        slots: endings.slots(sector),
        tally,
        wdl: write(Kind::Wdl)?.into(),
        dtw: distances.map(write).transpose()?.map(FileEntry::from),
    })
}
