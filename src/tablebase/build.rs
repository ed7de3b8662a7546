//! Building tables: order, resources, repair, and resuming after a kill.

use super::code::Code;
use super::endings::{Finished, Sector, Solvable};
use super::format::{Kind, Subject, write};
use super::manifest::{Entry, FILE_NAME, Folder};
use super::select::{Selection, Size};
use super::solve::{Solved, Watcher, bytes_per_sector, solve};
use super::tally::tally;
use crate::files::{named, open_regular};
use crate::memory;
use crate::variant::Variant;
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use std::collections::HashMap;
use std::error::Error;
use std::fs::{File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Build tables.
#[derive(Args)]
pub struct Arguments {
    /// morris, muehle, mylos, mlyn, lasker, morabaraba or smess
    #[arg(long, default_value = "morris")]
    variant: Variant,
    /// Sectors, side to move first: 6-3, 3-3..6-6, a comma-separated list, a total number of stones or pieces, or all
    ///
    /// The sectors they depend on are built too. Finished files are kept; damaged ones are built again.
    #[arg(long, value_name = "LIST")]
    sectors: Selection,
    /// Include sectors with stones in hand: in 5+3-4+4 the side to move has 5 on the board and 3 in hand, the other 4 and 4
    #[arg(long)]
    placing: bool,
    /// Folder to build in
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Most memory to use, such as 12G or 800M; three quarters of the machine's by default
    #[arg(long, value_name = "SIZE")]
    memory: Option<Size>,
    /// Threads; all cores by default
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=512))]
    threads: Option<u16>,
    /// Print a JSON object for each pair of sectors instead of a line of text
    #[arg(long)]
    json: bool,
}

/// Memory apart from the tables: the numbering, buffers, the program.
const OVERHEAD: u64 = 192 << 20;
/// Upper bound of what a slot takes on disk on average, in thousandths of a byte (docs/tablebases.md).
const DISK_PER_SLOT: u64 = 900;

/// One pair of sectors, finished.
#[derive(Serialize)]
struct Report {
    sectors: Vec<String>,
    positions: u64,
    levels: u32,
    seconds: f64,
    positions_per_second: u64,
    memory_bytes: u64,
    wdl_bytes: u64,
    dtw_bytes: u64,
}

impl Report {
    fn print(&self, json: bool, out: &mut dyn Write) -> io::Result<()> {
        if json { writeln!(out, "{}", serde_json::to_string(self)?) } else { writeln!(out, "{}", self.line()) }
    }

    fn line(&self) -> String {
        format!(
            "{:12} {:>11} positions {:4} plies {:8.2} s {:6.2} M/s  wdl {:>10} dtw {:>10} bytes",
            self.sectors.join(" "),
            self.positions,
            self.levels,
            self.seconds,
            self.positions_per_second as f64 / 1e6,
            self.wdl_bytes,
            self.dtw_bytes
        )
    }
}

/// Moves the progress bar: a position counts half once it is seeded and in full once its pair is done.
struct Progress<'a> {
    bar: &'a ProgressBar,
    /// Slots of the pairs done.
    before: u64,
    seeded: AtomicU64,
    name: String,
}

impl Watcher for Progress<'_> {
    fn seeded(&self, slots: usize) {
        let seeded = self.seeded.fetch_add(slots as u64, Relaxed) + slots as u64;
        self.bar.set_position(self.before + seeded / 2);
    }

    fn level(&self, level: u32) {
        self.bar.set_message(format!("{} level {level}", self.name));
    }
}

/// The sectors that the current pair reads.
struct Loaded(HashMap<Sector, Vec<Code>>);

impl Finished for Loaded {
    fn codes(&self, sector: Sector) -> &[Code] {
        self.0.get(&sector).map_or(&[], Vec::as_slice)
    }
}

/// The sectors that moves out of a pair lead to, each once.
fn exits<E: Solvable>(endings: &E, pair: &[Sector]) -> Vec<Sector> {
    let mut exits: Vec<Sector> = pair.iter().flat_map(|&sector| endings.exits(sector)).collect();
    exits.sort_unstable();
    exits.dedup();
    exits
}

/// Bytes of memory that solving a pair takes.
pub(super) fn memory_needed<E: Solvable>(endings: &E, pair: &[Sector]) -> u64 {
    let states: u64 = pair.iter().map(|&sector| bytes_per_sector(endings.slots(sector))).sum();
    let codes: u64 = exits(endings, pair).into_iter().map(|sector| endings.slots(sector)).sum();
    states + codes + OVERHEAD
}

/// The pairs of a list of sectors in building order.
pub(super) fn pairs<E: Solvable>(endings: &E, sectors: Vec<Sector>) -> Vec<Vec<Sector>> {
    let mut pairs: Vec<Vec<Sector>> = Vec::new();
    for sector in sectors {
        if !pairs.iter().flatten().any(|&known| known == sector) {
            pairs.push(endings.pair(sector));
        }
    }
    pairs
}

/// The pairs that are not finished, and those with a damaged file, which is named.
fn unfinished<E: Solvable>(endings: &E, folder: &Folder, pairs: Vec<Vec<Sector>>) -> Vec<Vec<Sector>> {
    let bar = progress_bar(pairs.len() as u64, "{bar:30} {pos} of {len} pairs checked");
    let is_unfinished = |pair: &Vec<Sector>| {
        bar.inc(1);
        if !pair.iter().all(|&sector| folder.entry(endings, sector).is_some()) {
            return true;
        }
        let files = pair.iter().flat_map(|&sector| Kind::ALL.map(|kind| (sector, kind)));
        let damage = files.into_iter().find_map(|(sector, kind)| {
            let fault = folder.table(endings, sector, kind).and_then(|table| table.check_all()).err()?;
            Some(format!("{}: {fault}", folder.file(endings, sector, kind).display()))
        });
        if let Some(damage) = &damage {
            bar.suspend(|| log::warn!("{damage}; building {} again", names(endings, pair).join(" and ")));
        }
        damage.is_some()
    };
    let pairs = pairs.into_iter().filter(is_unfinished).collect();
    bar.finish_and_clear();
    pairs
}

fn names<E: Solvable>(endings: &E, pair: &[Sector]) -> Vec<String> {
    pair.iter().map(|&sector| endings.name(sector)).collect()
}

fn progress_bar(length: u64, template: &str) -> ProgressBar {
    let bar = ProgressBar::new(length);
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar
}

/// Builds what the arguments say.
///
/// # Errors
/// Sectors that do not exist, a folder of other tables or in use, too little memory or disk, whatever the file
/// system says, or a closed output. Pairs that are finished stay.
pub fn run(arguments: &Arguments, out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    crate::with_endings!(arguments.variant.rules(), |endings| build(&endings, arguments, out))
}

fn build<E: Solvable>(endings: &E, arguments: &Arguments, out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let wanted = endings.with_dependencies(&arguments.sectors.resolve(endings, arguments.placing)?);
    let mut folder = Folder::create(&arguments.out, endings)?;
    let _lock = lock(folder.path())?;
    let threads = arguments.threads.map_or(0, usize::from);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    let todo = pool.install(|| unfinished(endings, &folder, pairs(endings, wanted)));
    check_resources(endings, arguments, folder.path(), &todo)?;
    let slots: u64 = todo.iter().flatten().map(|&sector| endings.slots(sector)).sum();
    let bar = progress_bar(slots, "{bar:30} {percent}% {msg}, {per_sec} positions, {eta} left");
    bar.enable_steady_tick(Duration::from_millis(500));
    for pair in &todo {
        let report = pool
            .install(|| build_pair(endings, &mut folder, pair, &bar))
            .map_err(|error| -> Box<dyn Error> { error })?;
        bar.suspend(|| report.print(arguments.json, out))?;
    }
    bar.finish_and_clear();
    Ok(())
}

/// Keeps a second builder out of the folder for as long as the file is open.
fn lock(folder: &Path) -> Result<File, Box<dyn Error>> {
    let path = folder.join("lock");
    if path.exists() {
        open_regular(&path).map_err(named(&path))?;
    }
    let file = File::create(&path).map_err(named(&path))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => {
            Err(format!("{}: another build is at work here, expected one at a time", folder.display()).into())
        }
        Err(TryLockError::Error(error)) => Err(named(&path)(error).into()),
    }
}

fn check_resources<E: Solvable>(
    endings: &E,
    arguments: &Arguments,
    folder: &Path,
    todo: &[Vec<Sector>],
) -> Result<(), Box<dyn Error>> {
    let needed = todo.iter().map(|pair| memory_needed(endings, pair)).max().unwrap_or(0);
    let allowed = arguments.memory.or_else(|| memory::total_memory().map(|total| Size(total / 4 * 3)));
    if let Some(allowed) = allowed
        && needed > allowed.0
    {
        return Err(format!("{} of memory needed, expected at most {allowed}", Size(needed)).into());
    }
    if let Some(available) = memory::available_memory()
        && needed > available
    {
        return Err(format!("{} of memory needed, {} free", Size(needed), Size(available)).into());
    }
    let slots: u64 = todo.iter().flatten().map(|&sector| endings.slots(sector)).sum();
    let disk = slots / 1000 * DISK_PER_SLOT;
    let free = fs4::available_space(folder)?;
    if disk > free {
        return Err(format!("up to {} of disk needed, {} free in {}", Size(disk), Size(free), folder.display()).into());
    }
    log::info!("{} pairs to build, {} of memory, up to {} of disk", todo.len(), Size(needed), Size(disk));
    Ok(())
}

fn build_pair<E: Solvable>(
    endings: &E,
    folder: &mut Folder,
    pair: &[Sector],
    bar: &ProgressBar,
) -> Result<Report, Box<dyn Error + Send + Sync>> {
    let started = Instant::now();
    let names = names(endings, pair);
    let name = names.join(" ");
    bar.set_message(name.clone());
    let mut loaded = Loaded(HashMap::new());
    for exit in exits(endings, pair) {
        let read = || folder.table(endings, exit, Kind::Distance)?.codes();
        let path = folder.file(endings, exit, Kind::Distance);
        // Damage that was there before the build began has been repaired by now.
        let named = |fault| format!("{}: {fault}; run the same build again to repair it", path.display());
        loaded.0.insert(exit, read().map_err(named)?);
    }
    let before = bar.position();
    let progress = Progress { bar, before, seeded: AtomicU64::new(0), name: name.clone() };
    let walks: Vec<_> = pair.iter().map(|&sector| endings.walk(sector, &loaded)).collect();
    let solved = solve(&walks, &progress).map_err(|error| format!("{name}: {error}"))?;
    drop(walks);
    drop(loaded);
    let levels = solved.levels;
    let mut entries = Vec::new();
    for (&sector, solved) in pair.iter().zip(solved.sectors) {
        bar.set_message(format!("{} to disk", endings.name(sector)));
        entries.push((sector, store(endings, folder, sector, &solved)?));
    }
    let positions = entries.iter().map(|(_, entry)| entry.tally.reduced.total()).sum();
    let bytes = |kind| entries.iter().map(|(_, entry)| entry.file(kind).bytes).sum();
    let seconds = started.elapsed().as_secs_f64();
    let report = Report {
        sectors: names,
        positions,
        levels,
        seconds,
        positions_per_second: (positions as f64 / seconds) as u64,
        memory_bytes: memory_needed(endings, pair),
        wdl_bytes: bytes(Kind::Wdl),
        dtw_bytes: bytes(Kind::Distance),
    };
    folder.add(endings, entries).map_err(named(&folder.path().join(FILE_NAME)))?;
    bar.set_position(before + progress.seeded.into_inner());
    Ok(report)
}

/// Counts a solved sector and writes its tables.
fn store<E: Solvable>(
    endings: &E,
    folder: &Folder,
    sector: Sector,
    solved: &Solved,
) -> Result<Entry, Box<dyn Error + Send + Sync>> {
    let write = |kind| {
        let path = folder.file(endings, sector, kind);
        let subject = Subject { kind, tag: endings.tag(), sector, slots: endings.slots(sector) };
        write(&path, &subject, |slot| solved.code(slot)).map_err(named(&path))
    };
    Ok(Entry {
        slots: endings.slots(sector),
        tally: tally(endings, sector, |slot| solved.code(slot)),
        wdl: write(Kind::Wdl)?.into(),
        dtw: write(Kind::Distance)?.into(),
    })
}
