//! Compares compact tables with those of a folder.

use crate::build::built::Built;
use crate::build::progress::{Progress, Stage};
use crate::build::verify::{SectorReport, load_results};
use crate::code::with_codes;
use crate::format::{of_code, result_code};
use crate::solvable::Solvable;
use crate::solve::rows::check_chunks;
use millbrain_core::game::Verdict;
use millbrain_core::threads::{self, NoThreads};
use millbrain_files::shard::Shard;
use millbrain_files::{InFile, named};
use millbrain_tablebase::compact::{Compact, Section, block_slots, compact_rules};
use millbrain_tablebase::folder::{Folder, FolderFault};
use millbrain_tablebase::format::{Fault, Kind};
use millbrain_tablebase::{Endings, NoEndings, Sector, with_endings};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// A request to check compact tables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VerifyCompact {
    /// The compact file.
    pub file: PathBuf,
    /// The folder of tables to compare with; `None` to check the checksums alone.
    pub against: Option<PathBuf>,
    /// The part to check: every N-th sector.
    pub shard: Shard,
    /// The number of threads; `None` for all cores.
    pub threads: Option<u16>,
}

/// The reason why compact tables do not pass, or are not compared.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Mismatch {
    /// There are no tables for these rules.
    #[error(transparent)]
    Rules(#[from] NoEndings),
    /// The folder cannot be used.
    #[error(transparent)]
    Folder(#[from] FolderFault),
    /// A file cannot be used.
    #[error(transparent)]
    File(#[from] InFile<Fault>),
    /// The threads cannot be started.
    #[error(transparent)]
    Threads(#[from] NoThreads),
    /// A finished sector of the folder is missing.
    #[error("{sector}: not in the file, expected all sectors of the folder")]
    Missing {
        /// The sector.
        sector: String,
    },
    /// The counts of a sector differ.
    #[error("{sector}: other counts than in the folder")]
    Counts {
        /// The sector.
        sector: String,
    },
    /// A result differs.
    #[error("{sector}: {fen} is a {found}, expected a {expected} as in the folder")]
    Result {
        /// The sector.
        sector: String,
        /// The position.
        fen: String,
        /// The result in the file, or derived from it.
        found: Verdict,
        /// The result in the folder.
        expected: Verdict,
    },
    /// The report of a sector could not be delivered.
    #[error("{source}")]
    Report {
        /// The error.
        source: io::Error,
    },
}

/// Compares the result of every position with those of a folder, or decodes every block. `on_sector` gets the report of
/// each sector.
///
/// # Errors
/// Fails with the first difference or damage found, and with errors of `on_sector`.
pub fn verify(
    request: &VerifyCompact,
    progress: &dyn Progress,
    on_sector: &mut dyn FnMut(&SectorReport) -> io::Result<()>,
) -> Result<(), Mismatch> {
    with_endings!(
        compact_rules(&request.file).map_err(named(&request.file))?,
        |endings| verify_with(&endings, request, progress, on_sector),
        else Err(NoEndings.into())
    )
}

fn verify_with<E: Solvable>(
    endings: &E,
    request: &VerifyCompact,
    progress: &dyn Progress,
    on_sector: &mut dyn FnMut(&SectorReport) -> io::Result<()>,
) -> Result<(), Mismatch> {
    let file = Compact::open(&request.file, endings).map_err(named(&request.file))?;
    let endings = file.endings();
    let folder = request.against.as_ref().map(|against| Folder::open(against, endings)).transpose()?;
    let pool = threads::pool(request.threads.map_or(0, usize::from))?;
    let entry_of = |sector| folder.as_ref().and_then(|folder| folder.entry(endings, sector));
    let has = |&sector: &Sector| match folder {
        Some(_) => entry_of(sector).is_some(),
        None => file.section(sector).is_some(),
    };
    let chosen = endings.sectors().into_iter().filter(has).enumerate();
    for (_, sector) in chosen.filter(|&(place, _)| request.shard.has(place)) {
        let name = endings.name(sector);
        let Some(section) = file.section(sector) else { return Err(Mismatch::Missing { sector: name }) };
        let tally = entry_of(sector).map(|entry| (entry.tally.reduced, entry.tally.unreduced));
        if tally.is_some_and(|tally| tally != (section.reduced, section.unreduced)) {
            return Err(Mismatch::Counts { sector: name });
        }
        let started = Instant::now();
        progress.begin(Stage::Verify { sector: &name }, section.slots);
        let compared = pool.install(|| match &folder {
            Some(folder) => compare(&file, &request.file, folder, section, progress),
            None => decode_all(&file, &request.file, section, progress),
        });
        progress.end();
        compared?;
        let (slots, seconds) = (section.slots, started.elapsed().as_secs_f64());
        let report = SectorReport { sector: name, checked: slots, slots, seconds };
        on_sector(&report).map_err(|source| Mismatch::Report { source })?;
    }
    Ok(())
}

/// Decodes all blocks of a sector.
fn decode_all<E: Endings>(
    file: &Compact<E>,
    path: &Path,
    section: &Section,
    progress: &dyn Progress,
) -> Result<(), Mismatch> {
    let blocks = if section.is_left_out() { 0 } else { section.blocks() };
    check_chunks(blocks, &|block| {
        progress.advance(file.digits(section.sector, block).map_err(named(path))?.len() as u64);
        Ok(())
    })
}

/// Compares a sector. One that is left out is derived from the folder's results of others, which are those of the file
/// if all sectors pass.
fn compare<E: Solvable>(
    file: &Compact<E>,
    path: &Path,
    folder: &Folder,
    section: &Section,
    progress: &dyn Progress,
) -> Result<(), Mismatch> {
    let (endings, sector) = (file.endings(), section.sector);
    let results_path = folder.file(endings, sector, Kind::Wdl);
    let results = load_results(endings, folder, sector)?;
    let mut built = Built::of(endings, folder);
    built.ask_for_results_alone(true);
    let derived = section.is_left_out().then(|| built.derive(sector)).transpose()?;
    check_chunks(section.blocks(), &|block| {
        let slots = block_slots(section.slots, block);
        let range = slots.start as usize..slots.end as usize;
        let found = match &derived {
            Some(codes) => with_codes!(codes, |codes| codes[range].iter().map(|&code| of_code(code)).collect()),
            None => file.digits(sector, block).map_err(named(path))?,
        };
        let expected = results.digits(slots.clone()).map_err(named(&results_path))?;
        let differs = |slot: &u64| {
            let at = (slot - slots.start) as usize;
            found[at] != expected[at] && endings.images(sector, *slot) > 0
        };
        progress.advance(slots.end - slots.start);
        let Some(slot) = slots.clone().find(differs) else { return Ok(()) };
        let at = (slot - slots.start) as usize;
        let fen = endings.position(sector, slot).map_or_else(String::new, |pos| endings.fen(&pos));
        let [found, expected] = [found[at], expected[at]].map(|digit| result_code(digit).value().verdict());
        Err(Mismatch::Result { sector: endings.name(sector), fen, found, expected })
    })
}
