//! Verifies tables by a forward pass: the value of every position must follow from those one move on.
//!
//! If any value is wrong, consider the wrong one with the shortest true distance. The values that it follows from are
//! right, so the pass finds it. A pass over all sectors without a fault therefore proves every value, given the moves.
//! These come from the plain move generator, which shares only the numbering of positions with the solver.
//! Alternatively, the pass goes row by row, several times faster, with code that the solver uses at its start.

use crate::build::built::Built;
use crate::build::count::tally;
use crate::build::progress::{Progress, Stage};
use crate::code::{Codes, with_codes};
use crate::format::{SectorResults, results};
use crate::select::{NoSector, Selection};
use crate::solvable::Solvable;
use crate::solve::Finished;
use crate::solve::rows::check_chunks;
use crate::ultra::built::{Forward, UltraBuilt};
use crate::ultra::ranks::ranks;
use millbrain_core::game::value::{Prospect, Value, known_end};
use millbrain_core::game::{Game, Verdict};
use millbrain_core::platform::prefetch;
use millbrain_core::threads::{self, NoThreads};
use millbrain_files::shard::Shard;
use millbrain_files::{InFile, named};
use millbrain_tablebase::NoEndings;
use millbrain_tablebase::Tally;
use millbrain_tablebase::folder::{Entry, Folder, FolderFault, folder_rules};
use millbrain_tablebase::format::{Fault, Kind};
use millbrain_tablebase::with_endings;
use millbrain_tablebase::{Endings, Located, PositionOf, Sector};
use std::io;
use std::ops::Range;
use std::path::PathBuf;
use std::time::Instant;

/// A request to verify tables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VerifyRequest {
    /// Folder of tables.
    pub folder: PathBuf,
    /// The sectors; `None` for all in the folder.
    pub sectors: Option<Selection>,
    /// The number of random positions of each sector to check; `None` for all.
    pub sample: Option<u64>,
    /// Whether each position is visited separately, by the plain move generator, even where rows are possible.
    pub plain: bool,
    /// The part to check: every N-th sector. Samples and plain checks take every N-th chunk of 16,384 slots of each
    /// sector, and the counts of every N-th sector.
    pub shard: Shard,
    /// The number of threads; `None` for all cores.
    pub threads: Option<u16>,
}

/// The report of a sector without a fault.
#[derive(Clone, PartialEq, Debug)]
pub struct SectorReport {
    /// ID of the game.
    pub sector: String,
    /// Slots checked.
    pub checked: u64,
    /// Slots of the sector.
    pub slots: u64,
    /// Time taken.
    pub seconds: f64,
}

/// The reason why tables do not pass, or are not checked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// There are no tables for these rules.
    #[error(transparent)]
    Rules(#[from] NoEndings),
    /// The selection names something other than sectors.
    #[error(transparent)]
    Selection(#[from] NoSector),
    /// The folder cannot be used.
    #[error(transparent)]
    Folder(#[from] FolderFault),
    /// The threads cannot be started.
    #[error(transparent)]
    Threads(#[from] NoThreads),
    /// A sector does not pass.
    #[error("{sector}: {source}")]
    Sector {
        /// ID of the game.
        sector: String,
        /// The fault.
        source: SectorFault,
    },
    /// The report of a sector could not be delivered.
    #[error("{source}")]
    Report {
        /// The error.
        source: io::Error,
    },
}

/// A fault of a sector.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SectorFault {
    /// The sector is missing.
    #[error("not built yet, expected a sector that 'tablebase stats' lists")]
    NotBuilt,
    /// A file is not the expected table.
    #[error(transparent)]
    File(#[from] InFile<Fault>),
    /// The file of results can no longer be read.
    #[error(transparent)]
    Read(#[from] Fault),
    /// A move leads to a position that no table has.
    #[error("no table for {fen}")]
    NoTable {
        /// The position.
        fen: String,
    },
    /// The value of a position does not follow from those after its moves.
    #[error("{fen}: the distance table says {distance}, the WDL table {result}, the moves {moves}")]
    Value {
        /// The position.
        fen: String,
        /// Its value by the table of distances.
        distance: Value,
        /// Its result by the table of results.
        result: Verdict,
        /// The value that follows from its moves.
        moves: Value,
    },
    /// An ultra-strong value does not follow from those after the moves.
    #[error("{fen}: the table says {table}, the moves {moves}")]
    Prospect {
        /// The position.
        fen: String,
        /// Its value by the table.
        table: Prospect,
        /// The value that follows from its moves.
        moves: Prospect,
    },
    /// The ranks of sectors do not follow from the manifest's counts.
    #[error(
        "the ranks in the manifest do not follow from what it counts, expected those that 'tablebase build' writes"
    )]
    Ranks,
    /// The manifest's counts differ from the tables.
    #[error("the manifest counts {manifest}, the tables hold {found}")]
    Counts {
        /// The counts in the manifest.
        manifest: Box<Tally>,
        /// The counts of the tables.
        found: Box<Tally>,
    },
}

/// The number of slots visited together, so that their reads from memory overlap.
const BATCH: usize = 32;
/// The number of slots that a thread takes at a time.
const CHUNK: u64 = 1 << 14;

/// The distances of a sector, and of those that its moves lead to.
struct Loaded(Vec<(Sector, Codes)>);

/// One sector under check.
struct Check<'a, E: Endings> {
    endings: &'a E,
    sector: Sector,
    results: &'a SectorResults,
    codes: &'a Loaded,
    /// Whether there are no distances to compare.
    results_alone: bool,
}

/// The place of the position after a move: one of the loaded sectors, and a slot.
#[derive(Clone, Copy)]
struct Successor {
    place: u32,
    slot: u32,
}

impl Loaded {
    fn own(&self) -> &Codes {
        &self.0[0].1
    }

    fn place(&self, sector: Sector) -> Option<usize> {
        self.0.iter().position(|(of, _)| *of == sector)
    }

    fn prefetch(&self, successor: Successor) {
        with_codes!(&self.0[successor.place as usize].1, |codes| prefetch(&codes[successor.slot as usize]));
    }

    fn value(&self, successor: Successor) -> Value {
        self.0[successor.place as usize].1.value(successor.slot as usize)
    }
}

/// A position under check.
struct Visit<P> {
    slot: u64,
    pos: P,
    /// The best move to a position in which the game is over.
    ending: Option<Value>,
    /// The end of its successors in the list of the batch.
    end: usize,
}

impl<E: Endings> Check<'_, E> {
    /// Checks some slots. The error names the first wrong position.
    fn slots(&self, slots: &[u64]) -> Result<(), SectorFault> {
        let mut locate = self.endings.locator();
        let mut visits: Vec<Visit<PositionOf<E>>> = Vec::with_capacity(BATCH);
        let mut successors: Vec<Successor> = Vec::new();
        for batch in slots.chunks(BATCH) {
            visits.clear();
            successors.clear();
            for &slot in batch {
                let Some(pos) = self.endings.position(self.sector, slot) else { continue };
                let ending = self.list_successors(&pos, &mut locate, &mut successors)?;
                visits.push(Visit { slot, pos, ending, end: successors.len() });
            }
            let mut first = 0;
            for visit in &visits {
                self.visit(visit, &successors[first..visit.end])?;
                first = visit.end;
            }
        }
        Ok(())
    }

    /// Appends the successors of a position; returns the value of the best move that ends the game.
    fn list_successors(
        &self,
        pos: &PositionOf<E>,
        locate: &mut impl FnMut(&PositionOf<E>, &PositionOf<E>) -> Located,
        successors: &mut Vec<Successor>,
    ) -> Result<Option<Value>, SectorFault> {
        let game = self.endings.game();
        let mut ending: Option<Value> = None;
        let mut unknown = None;
        game.generate(pos, |mv| {
            let next = game.play(pos, mv);
            match locate(pos, &next) {
                Located::Over(value) => {
                    let before = self.endings.before(self.sector, None, value);
                    ending = ending.into_iter().chain([before]).max_by_key(|value| value.rank());
                }
                Located::Slot(sector, slot) if let Some(place) = self.codes.place(sector) => {
                    let successor = Successor { place: place as u32, slot: slot as u32 };
                    self.codes.prefetch(successor);
                    successors.push(successor);
                }
                Located::Slot(..) | Located::Nowhere => unknown = Some(next),
            }
        });
        match unknown {
            Some(next) => Err(SectorFault::NoTable { fen: self.endings.fen(&next) }),
            None => Ok(ending),
        }
    }

    /// Compares the tables' value of a position with the one that follows from its successors.
    fn visit(&self, visit: &Visit<PositionOf<E>>, successors: &[Successor]) -> Result<(), SectorFault> {
        let moves = known_end(&self.endings.game(), &visit.pos).unwrap_or_else(|| {
            let before = successors.iter().map(|&successor| {
                let next = self.codes.0[successor.place as usize].0;
                self.endings.before(self.sector, Some(next), self.codes.value(successor))
            });
            let best = before.chain(visit.ending).max_by_key(|value| value.rank());
            best.unwrap_or(Value::Loss(0))
        });
        let distance = self.codes.own().value(visit.slot as usize);
        let result = self.results.verdict(visit.slot)?;
        if (distance == moves || self.results_alone) && result == moves.verdict() {
            return Ok(());
        }
        Err(SectorFault::Value { fen: self.endings.fen(&visit.pos), distance, result, moves })
    }
}

/// Verifies the tables in a folder. `on_sector` gets the report of each checked sector.
///
/// # Errors
/// Fails with the first fault found: a file that is not the expected one, or a position with a wrong value. Fails with
/// errors of `on_sector`, too.
pub fn verify(
    request: &VerifyRequest,
    progress: &dyn Progress,
    on_sector: &mut dyn FnMut(&SectorReport) -> io::Result<()>,
) -> Result<(), VerifyError> {
    let rules = folder_rules(&request.folder)?;
    with_endings!(
        rules,
        |endings| verify_with(&Folder::endings(&request.folder, endings)?, request, progress, on_sector),
        else Err(NoEndings.into())
    )
}

fn verify_with<E: Solvable>(
    endings: &E,
    request: &VerifyRequest,
    progress: &dyn Progress,
    on_sector: &mut dyn FnMut(&SectorReport) -> io::Result<()>,
) -> Result<(), VerifyError> {
    let folder = Folder::open(&request.folder, endings)?;
    let chosen = match &request.sectors {
        Some(selection) => selection.resolve(endings, true)?,
        None => endings.sectors().into_iter().filter(|&sector| folder.entry(endings, sector).is_some()).collect(),
    };
    let pool = threads::pool(request.threads.map_or(0, usize::from))?;
    let by_rows = endings.derives_by_rows() && !request.plain;
    let mut built = Built::of(endings, &folder).telling(progress);
    let part = |place, slots| {
        let sample = request.sample.filter(|&sample| sample < slots);
        Part { sample, shard: request.shard, counts: sample.is_none() && request.shard.has(place) }
    };
    let has_file = |sector: Sector| !endings.is_derived(sector) && folder.has_ultra(endings, sector);
    for (place, &sector) in chosen.iter().enumerate() {
        let started = Instant::now();
        let name = endings.name(sector);
        let slots = endings.slots(sector);
        let part = part(place, slots);
        let is_by_rows = by_rows && part.sample.is_none();
        let has_work = if is_by_rows { part.counts } else { part.has_work(slots) };
        if !has_work {
            continue;
        }
        let checked = pool.install(|| {
            if !is_by_rows {
                return verify_sector(endings, &folder, sector, &part, progress);
            }
            if !endings.is_derived(sector) {
                built.keep(sector.partner());
            }
            built.ask_for_results_alone(folder.has_results_alone(endings, sector));
            verify_rows(endings, &folder, &built, sector, progress)
        });
        let checked = checked.map_err(|source| VerifyError::Sector { sector: name.clone(), source })?;
        let report = SectorReport { sector: name, checked, slots, seconds: started.elapsed().as_secs_f64() };
        on_sector(&report).map_err(|source| VerifyError::Report { source })?;
    }
    let ultra = chosen.into_iter().enumerate().filter(|&(_, sector)| has_file(sector));
    for (place, sector) in ultra {
        let started = Instant::now();
        let (name, slots) = (format!("{} ultra", endings.name(sector)), endings.slots(sector));
        let part = part(place, slots);
        if !part.has_work(slots) {
            continue;
        }
        let checked = pool.install(|| verify_ultra(endings, &folder, sector, &part, progress));
        let checked = checked.map_err(|source| VerifyError::Sector { sector: name.clone(), source })?;
        let report = SectorReport { sector: name, checked, slots, seconds: started.elapsed().as_secs_f64() };
        on_sector(&report).map_err(|source| VerifyError::Report { source })?;
    }
    Ok(())
}

/// Checks the ultra-strong values of a sector that has a file of them, or of a part. Returns the number of checked
/// slots.
fn verify_ultra<E: Solvable>(
    endings: &E,
    folder: &Folder,
    sector: Sector,
    part: &Part,
    progress: &dyn Progress,
) -> Result<u64, SectorFault> {
    let (Some(solver), Some(ultra)) = (endings.ultra(), &folder.manifest.ultra) else { return Ok(0) };
    let of_ranked = |sector| {
        let is_ranked = ultra.ranks.contains_key(&endings.name(sector));
        folder.entry(endings, sector).filter(|_| is_ranked).map(|entry| &entry.tally)
    };
    if ranks(endings, of_ranked) != ultra.ranks {
        return Err(SectorFault::Ranks);
    }
    let built = UltraBuilt::of(endings, solver, folder, &ultra.ranks);
    let own = built.loaded(sector)?;
    let mut next = endings.successors(sector);
    next.sort_unstable();
    next.dedup();
    let next = next.into_iter().map(|next| built.loaded(next)).collect::<Result<Vec<_>, _>>()?;
    let name = format!("{} ultra", endings.name(sector));
    check_part(part, endings.slots(sector), &name, progress, &|slots| {
        let mut forward = Forward::new(endings, built.ranked(sector), &next);
        for &slot in slots {
            let Some(table) = own.value(slot) else { continue };
            let Some(pos) = endings.position(sector, slot) else { continue };
            let moves = forward.best(&pos);
            if table != moves {
                return Err(SectorFault::Prospect { fen: endings.fen(&pos), table, moves });
            }
        }
        Ok(())
    })
}

/// Checks the chosen slots of a sector; returns their number.
fn check_part(
    part: &Part,
    slots: u64,
    name: &str,
    progress: &dyn Progress,
    check: &(dyn Fn(&[u64]) -> Result<(), SectorFault> + Sync),
) -> Result<u64, SectorFault> {
    let chunks: Vec<Range<u64>> = part.chunks(slots).collect();
    let count = chunks.iter().map(|chunk| chunk.end - chunk.start).sum();
    progress.begin(Stage::Verify { sector: name }, count);
    let result = check_chunks(chunks.len() as u64, &|chunk| {
        let chunk = chunks[chunk as usize].clone();
        let chosen: Vec<u64> = if part.sample.is_some() {
            let mut rng = fastrand::Rng::with_seed(chunk.start / CHUNK);
            chunk.map(|_| rng.u64(..slots)).collect()
        } else {
            chunk.collect()
        };
        progress.advance(chosen.len() as u64);
        check(&chosen)
    });
    progress.end();
    result.map(|()| count)
}

/// The part of a sector to check.
struct Part {
    /// The number of random slots; `None` for all.
    sample: Option<u64>,
    /// The chunks to check.
    shard: Shard,
    /// Whether to check the manifest's counts.
    counts: bool,
}

impl Part {
    /// Returns the chunks to check of a sector of `slots` slots.
    fn chunks(&self, slots: u64) -> impl Iterator<Item = Range<u64>> + '_ {
        let count = self.sample.unwrap_or(slots);
        let chunks = (0..count.div_ceil(CHUNK)).filter(|&chunk| self.shard.has(chunk as usize));
        chunks.map(move |chunk| chunk * CHUNK..((chunk + 1) * CHUNK).min(count))
    }

    fn has_work(&self, slots: u64) -> bool {
        self.counts || self.chunks(slots).next().is_some()
    }
}

/// Returns the results of a sector.
pub(crate) fn load_results<E: Endings>(
    endings: &E,
    folder: &Folder,
    sector: Sector,
) -> Result<SectorResults, InFile<Fault>> {
    let found = folder.table(endings, sector, Kind::Wdl).and_then(|file| results(&file));
    found.map_err(named(&folder.file(endings, sector, Kind::Wdl)))
}

/// Returns the distances of a sector and of those that its moves lead to; the first are its own.
fn load<E: Solvable>(endings: &E, folder: &Folder, sector: Sector) -> Result<Loaded, InFile<Fault>> {
    let mut others = endings.successors(sector);
    others.sort_unstable();
    others.dedup();
    others.retain(|&other| other != sector);
    let built = Built::of(endings, folder);
    let all = [sector].into_iter().chain(others);
    Ok(Loaded(all.map(|sector| Ok((sector, built.codes(sector)?))).collect::<Result<_, _>>()?))
}

/// Checks a sector row by row; returns the number of its slots.
fn verify_rows<E: Solvable>(
    endings: &E,
    folder: &Folder,
    built: &Built<'_, E>,
    sector: Sector,
    progress: &dyn Progress,
) -> Result<u64, SectorFault> {
    let entry = folder.entry(endings, sector).ok_or(SectorFault::NotBuilt)?;
    let slots = endings.slots(sector);
    let results_alone = folder.has_results_alone(endings, sector);
    let derived = endings.successors(sector).into_iter().filter(|&other| endings.is_derived(other) && !results_alone);
    let all = slots + derived.map(|other| endings.slots(other)).sum::<u64>();
    progress.begin(Stage::Verify { sector: &endings.name(sector) }, all);
    let results = load_results(endings, folder, sector)?;
    let (stored, expected) = if endings.is_derived(sector) {
        (None, built.codes(sector)?)
    } else if results_alone {
        (None, built.derive(sector)?)
    } else {
        (Some(built.codes(sector)?), built.derive(sector)?)
    };
    let checked = check_chunks(slots.div_ceil(CHUNK), &|chunk| {
        for slot in chunk * CHUNK..((chunk + 1) * CHUNK).min(slots) {
            let Some(moves) = expected.value_if_used(slot as usize) else { continue };
            let distance = stored.as_ref().map_or(moves, |stored| stored.value(slot as usize));
            let result = results.verdict(slot)?;
            if distance != moves || result != moves.verdict() {
                let pos = endings.position(sector, slot);
                let fen = pos.map_or_else(String::new, |pos| endings.fen(&pos));
                return Err(SectorFault::Value { fen, distance, result, moves });
            }
        }
        Ok(())
    });
    progress.end();
    checked?;
    check_counts(endings, sector, &expected, entry, results_alone)?;
    Ok(slots)
}

/// Compares the manifest with the tables; with results only, just the counts.
fn check_counts<E: Solvable>(
    endings: &E,
    sector: Sector,
    codes: &Codes,
    entry: &Entry,
    results_alone: bool,
) -> Result<(), SectorFault> {
    let found = tally(endings, sector, codes);
    let found = if results_alone { found.counts() } else { found };
    if found == entry.tally {
        return Ok(());
    }
    Err(SectorFault::Counts { manifest: Box::new(entry.tally.clone()), found: Box::new(found) })
}

/// Checks a sector, or a part of it, by the plain move generator; returns the number of checked slots.
fn verify_sector<E: Solvable>(
    endings: &E,
    folder: &Folder,
    sector: Sector,
    part: &Part,
    progress: &dyn Progress,
) -> Result<u64, SectorFault> {
    let entry = folder.entry(endings, sector).ok_or(SectorFault::NotBuilt)?;
    let results = load_results(endings, folder, sector)?;
    let codes = load(endings, folder, sector)?;
    let slots = endings.slots(sector);
    let results_alone = folder.has_results_alone(endings, sector);
    let check = Check { endings, sector, results: &results, codes: &codes, results_alone };
    let count = check_part(part, slots, &endings.name(sector), progress, &|slots| check.slots(slots))?;
    if part.counts {
        check_counts(endings, sector, codes.own(), entry, results_alone)?;
    }
    Ok(count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{falsify, three_against_three};

    /// A wrong value is found in either file, although the other is right, whether the check goes row by row or by
    /// position.
    #[test]
    fn results_and_distances_are_both_checked() {
        for kind in Kind::ALL {
            let folder = three_against_three(&format!("verify-{}", kind.extension()));
            let verify = |plain| {
                let request = VerifyRequest {
                    folder: folder.clone(),
                    sectors: None,
                    sample: None,
                    plain,
                    shard: Shard::ALL,
                    threads: None,
                };
                super::verify(&request, &(), &mut |_| Ok(()))
            };
            falsify(&folder, kind);
            for plain in [false, true] {
                let fault = verify(plain).expect_err("one value is wrong").to_string();
                // A wrong distance may show up at a position one move before it.
                assert!(fault.contains("the distance table says"), "{kind:?}, plain {plain}: {fault}");
                assert!(kind == Kind::Distance || fault.contains("the WDL table loss, the moves win"), "{fault}");
            }
            std::fs::remove_dir_all(&folder).expect("removed");
        }
    }
}
