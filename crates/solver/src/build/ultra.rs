//! Adds ultra-strong values to a folder of tables.

use super::{BuildError, Halves, OVERHEAD, POLL, PairReport, UltraReport, check_disk, check_memory, claim, names};
use crate::build::progress::{Progress, Stage};
use crate::build::{BuildRequest, NoUltra};
use crate::folder::locks::Locks;
use crate::format::{check_all, digits, write_prospects};
use crate::prospects::Prospects;
use crate::solvable::Solvable;
use crate::solve::Unsolved;
use crate::ultra::UltraSolver;
use crate::ultra::built::UltraBuilt;
use crate::ultra::ranks::ranks;
use millbrain_files::size::Size;
use millbrain_files::{InFile, named};
use millbrain_tablebase::Sector;
use millbrain_tablebase::folder::{FILE_NAME, Folder};
use millbrain_tablebase::format::{Fault, Kind, Subject};
use millbrain_tablebase::ultra::Ranks;
use rayon::ThreadPool;
use rayon::prelude::*;
use std::io;
use std::sync::atomic::AtomicU64;
use std::time::Instant;

/// Upper bound of the size of a drawn position on disk, in thousandths of a byte (docs/tablebases.md).
const DISK_PER_1000_DRAWN: u64 = 750;

/// Builds the missing values of these pairs, of those without stones in hand.
pub(super) fn build<E: Solvable>(
    endings: &E,
    request: &BuildRequest,
    mut pairs: Vec<Vec<Sector>>,
    pool: &ThreadPool,
    progress: &dyn Progress,
    on_pair: &mut dyn FnMut(&PairReport) -> io::Result<()>,
) -> Result<(), BuildError> {
    let solver = endings.ultra().ok_or(NoUltra)?;
    let mut folder = Folder::open(&request.folder, endings)?;
    let locks = Locks::in_folder(folder.path())?;
    let ranks = ranks(endings, |sector| Some(&folder.entry(endings, sector)?.tally));
    if folder.manifest.ultra.as_ref().is_some_and(|ultra| ultra.ranks != ranks) {
        progress.warn("there are more sectors than when ultra-strong values were built: their ranks have changed, building all again");
    }
    pairs.retain(|pair| !endings.in_hand(pair[0]));
    progress.begin(Stage::Check, pairs.len() as u64);
    let mut todo = pool.install(|| {
        let missing = |pair: &Vec<Sector>| {
            progress.advance(1);
            let missing = is_missing(endings, &folder, &ranks, pair);
            missing.unwrap_or_else(|damage| {
                progress.warn(&format!("{damage}; building {} again", names(endings, pair).join(" and ")));
                true
            })
        };
        pairs.into_iter().filter(missing).collect::<Vec<_>>()
    });
    progress.end();
    let memory = todo.iter().map(|pair| solver.bytes(pair) + OVERHEAD).max().unwrap_or(0);
    let memory = check_memory(Size(memory), request.memory)?;
    let drawn =
        |pair: &Vec<Sector>| folder.entry(endings, stored(endings, pair)).map_or(0, |entry| entry.tally.reduced.draws);
    let disk = check_disk(&folder, Size(todo.iter().map(|pair| drawn(pair) * DISK_PER_1000_DRAWN / 1000).sum()))?;
    log::info!("ultra-strong values of {} pairs to build, {memory} of memory, up to {disk} of disk", todo.len());
    let slots_of = |pair: &[Sector]| pair.iter().map(|&sector| endings.slots(sector)).sum::<u64>();
    progress.begin(Stage::Build, todo.iter().map(|pair| slots_of(pair)).sum());
    while !todo.is_empty() {
        let Some((next, _lock)) = claim(endings, &locks, "ultra ", &todo)? else {
            progress.message("waiting for another build");
            std::thread::sleep(POLL);
            continue;
        };
        let pair = todo.remove(next);
        // Another build may have finished it by now.
        folder = Folder::open(&request.folder, endings)?;
        if matches!(pool.install(|| is_missing(endings, &folder, &ranks, &pair)), Ok(false)) {
            progress.advance(slots_of(&pair));
            continue;
        }
        let report = pool.install(|| build_pair(endings, solver, (&mut folder, &ranks), &locks, &pair, progress))?;
        on_pair(&report).map_err(|source| BuildError::Report { source })?;
    }
    progress.end();
    Ok(())
}

/// Returns the sector of a pair that has a file.
fn stored<E: Solvable>(endings: &E, pair: &[Sector]) -> Sector {
    pair.iter().copied().find(|&sector| !endings.is_derived(sector)).unwrap_or(pair[0])
}

/// Returns whether a pair has to be built; the error is damage that has been found.
fn is_missing<E: Solvable>(
    endings: &E,
    folder: &Folder,
    ranks: &Ranks,
    pair: &[Sector],
) -> Result<bool, InFile<Fault>> {
    let sector = stored(endings, pair);
    let is_by_ranks = folder.manifest.ultra.as_ref().is_some_and(|ultra| ultra.ranks == *ranks);
    if !is_by_ranks || !folder.has_ultra(endings, sector) {
        return Ok(true);
    }
    let checked = folder.table(endings, sector, Kind::Ultra).and_then(|file| check_all(&file));
    checked.map(|()| false).map_err(named(&folder.file(endings, sector, Kind::Ultra)))
}

fn build_pair<E: Solvable>(
    endings: &E,
    solver: &dyn UltraSolver,
    (folder, ranks): (&mut Folder, &Ranks),
    locks: &Locks,
    pair: &[Sector],
    progress: &dyn Progress,
) -> Result<PairReport, BuildError> {
    let started = Instant::now();
    let sectors = names(endings, pair);
    let name = sectors.join(" ");
    progress.message(&name);
    let halves = Halves { progress, seeded: AtomicU64::new(0), shown: AtomicU64::new(0), name: &name };
    let built = UltraBuilt::of(endings, solver, folder, ranks);
    let unsolved = |unsolved| match unsolved {
        Unsolved::TooLong(source) => BuildError::TooLong { pair: name.clone(), source },
        Unsolved::Dependency(source) => BuildError::Dependency { source },
    };
    let prospects = solver.solve(pair, &built, &halves).map_err(unsolved)?;
    let sector = stored(endings, pair);
    progress.message(&format!("{} to disk", endings.name(sector)));
    let path = folder.file(endings, sector, Kind::Wdl);
    let results = folder.table(endings, sector, Kind::Wdl).and_then(|wdl| digits(&wdl)).map_err(named(&path));
    let results = results.map_err(|source| BuildError::Dependency { source })?;
    let path = folder.file(endings, sector, Kind::Ultra);
    let subject = Subject::of(endings, sector, Kind::Ultra);
    let file = write_prospects(&path, &subject, &prospects, &results).map_err(named(&path))?;
    let [drawn, better, worse] = counts(&prospects);
    let entries = pair.iter().filter_map(|&sector| folder.entry(endings, sector));
    let positions = entries.map(|entry| entry.tally.reduced.total()).sum();
    let seconds = started.elapsed().as_secs_f64();
    let report = PairReport {
        sectors,
        positions,
        levels: prospects.longest().into(),
        seconds,
        positions_per_second: (positions as f64 / seconds) as u64,
        memory_bytes: solver.bytes(pair) + OVERHEAD,
        wdl_bytes: 0,
        dtw_bytes: 0,
        ultra: Some(UltraReport { drawn, better, worse, bytes: file.bytes }),
    };
    let _lock = locks.lock("manifest")?;
    // Includes the entries that other builds have added.
    *folder = Folder::open(folder.path(), endings)?;
    folder.add_ultra(ranks, endings.name(sector), file.into()).map_err(named(&folder.path().join(FILE_NAME)))?;
    halves.done();
    Ok(report)
}

/// Counts the positions with a value, with a positive key and with a negative key.
fn counts(prospects: &Prospects) -> [u64; 3] {
    let one = |&key: &i8| {
        let has = key != Prospects::NONE;
        [has, key > 0, has && key < 0].map(u64::from)
    };
    let plus = |a: [u64; 3], b: [u64; 3]| [0, 1, 2].map(|i| a[i] + b[i]);
    prospects.keys.par_iter().map(one).reduce(|| [0; 3], plus)
}
