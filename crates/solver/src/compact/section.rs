//! Makes the section of a sector.

use super::CompactError;
use crate::build::progress::{Progress, Stage};
use crate::solvable::Solvable;
use millbrain_files::{named, open_regular, read_at, replace};
use millbrain_tablebase::Sector;
use millbrain_tablebase::compact::{BLOCK, Model, SECTION, Section, Trainer, block_slots, encode, index};
use millbrain_tablebase::folder::{Entry, Folder};
use millbrain_tablebase::format::digits::Results;
use millbrain_tablebase::format::{Fault, Kind, TableFile};
use rayon::prelude::*;
use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::Path;
use xxhash_rust::xxh3::xxh3_64;

/// The bytes before the section in a file of its own: the checksum of its source, and its entry in the list.
pub(super) const PART: u64 = (SOURCE + SECTION) as u64;
/// The digits of the checksum of a source.
const SOURCE: usize = 16;
/// The most blocks that a model is fitted to.
const LEARNT: u64 = if cfg!(test) { 20 } else { 800 };
/// The rates of learning, one for each pass.
const RATES: [f32; 2] = [0.36, 0.18];
/// The level of compression of models.
const ZSTD_LEVEL: i32 = 19;
/// The number of blocks of results in a folder that are coded before they are written.
const BATCH: u64 = 512;

/// Returns the section of a sector that has no results of its own.
pub(super) fn left_out<E: Solvable>(endings: &E, sector: Sector, entry: &Entry) -> Section {
    Section {
        sector,
        slots: endings.slots(sector),
        model_bytes: 0,
        model: 0,
        index: 0,
        checksum: 0,
        reduced: entry.tally.reduced,
        unreduced: entry.tally.unreduced,
    }
}

/// Returns the section of a file that an earlier run has finished, from the same source.
pub(super) fn finished(part: &Path, expected: &Section, entry: &Entry) -> Option<Section> {
    let file = open_regular(part).ok()?;
    let mut head = [0; PART as usize];
    read_at(&file, &mut head, 0).ok()?;
    let (source, section) = head.split_first_chunk::<SOURCE>()?;
    let section = Section::read(section.first_chunk()?);
    let is_of = Section { model_bytes: 0, model: 0, index: 0, checksum: 0, ..section } == *expected;
    let length = file.metadata().ok()?.len();
    (is_of && source == entry.wdl.checksum.as_bytes() && section.model == PART && length == PART + section.length())
        .then_some(section)
}

/// Fits the model of a sector, which takes one thread.
pub(super) fn model<E: Solvable>(endings: &E, folder: &Folder, left_out: &Section) -> Result<Model, CompactError> {
    let path = folder.file(endings, left_out.sector, Kind::Wdl);
    let wdl = folder.table(endings, left_out.sector, Kind::Wdl).map_err(named(&path))?;
    Ok(fit(endings, &wdl, left_out).map_err(named(&path))?)
}

/// Writes the section of a sector to a file of its own.
pub(super) fn write<E: Solvable>(
    endings: &E,
    folder: &Folder,
    entry: &Entry,
    left_out: Section,
    model: &Model,
    part: &Path,
    progress: &dyn Progress,
) -> Result<Section, CompactError> {
    let (sector, path) = (left_out.sector, folder.file(endings, left_out.sector, Kind::Wdl));
    let wdl = folder.table(endings, sector, Kind::Wdl).map_err(named(&path))?;
    progress.begin(Stage::Compact { sector: &endings.name(sector) }, left_out.slots);
    let mut fault = None;
    let written = replace(part, |file| {
        let written = write_section(file, endings, &wdl, model, entry, left_out, progress);
        written.map_err(|error| match error {
            Unwritten::Table(found) => {
                fault = Some(found);
                io::ErrorKind::InvalidData.into()
            }
            Unwritten::Io(error) => error,
        })
    });
    progress.end();
    match fault {
        Some(fault) => Err(named(&path)(fault).into()),
        None => Ok(written.map_err(named(part))?),
    }
}

/// The reason why a section is not written.
#[derive(Debug, thiserror::Error)]
enum Unwritten {
    #[error(transparent)]
    Table(#[from] Fault),
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Returns the digits of a block of compact tables, from the results in a folder.
fn digits(wdl: &TableFile, slots: u64, block: u64) -> Result<Vec<u8>, Fault> {
    let range = block_slots(slots, block);
    let size = wdl.subject().block_slots();
    let of_results = range.start / size;
    let first = (range.start % size) as usize;
    let results = wdl.results(of_results)?;
    let digits = Results(&results).digits(first, (range.end - range.start) as usize);
    digits.ok_or(Fault::Block { block: of_results })
}

/// Fits a model to blocks from all over a sector.
fn fit<E: Solvable>(endings: &E, wdl: &TableFile, section: &Section) -> Result<Model, Fault> {
    let (blocks, counts) = (section.blocks(), section.reduced);
    let learnt = blocks.min(LEARNT);
    let chosen = (0..learnt).map(|i| (2 * i + 1) * blocks / (2 * learnt));
    let chosen: Vec<(u64, Vec<u8>)> =
        chosen.map(|block| Ok((block * BLOCK, digits(wdl, section.slots, block)?))).collect::<Result<_, Fault>>()?;
    let mut trainer = Trainer::new([counts.losses, counts.draws, counts.wins]);
    let mut scanner = endings.scanner(section.sector);
    for rate in RATES {
        chosen.iter().for_each(|(first, digits)| trainer.learn(&mut scanner, *first, digits, rate));
    }
    Ok(trainer.model())
}

fn write_section<E: Solvable>(
    file: &mut File,
    endings: &E,
    wdl: &TableFile,
    model: &Model,
    entry: &Entry,
    left_out: Section,
    progress: &dyn Progress,
) -> Result<Section, Unwritten> {
    let packed = zstd::bulk::compress(&model.bytes(), ZSTD_LEVEL)?;
    let mut file = BufWriter::with_capacity(1 << 20, file);
    file.seek(SeekFrom::Start(PART))?;
    file.write_all(&packed)?;
    let mut lengths = Vec::with_capacity(left_out.blocks() as usize);
    let mut section = Section { model: PART, model_bytes: packed.len() as u32, checksum: xxh3_64(&packed), ..left_out };
    for first in (0..section.blocks()).step_by(BATCH as usize) {
        let batch = first..(first + BATCH).min(section.blocks());
        let slots = block_slots(section.slots, batch.end - 1).end - batch.start * BLOCK;
        let codes: Vec<Result<Vec<u8>, Fault>> = batch
            .clone()
            .into_par_iter()
            .map_init(
                || endings.scanner(section.sector),
                |scanner, block| Ok(encode(model, scanner, block * BLOCK, &digits(wdl, section.slots, block)?)),
            )
            .collect();
        for (block, code) in batch.zip(codes) {
            let code = code?;
            let length = u16::try_from(code.len()).map_err(|_| io::Error::other("a block is too long"))?;
            file.write_all(&code)?;
            lengths.push((length, section.block_checksum(block, &code)));
        }
        progress.advance(slots);
    }
    let blocks: u64 = lengths.iter().map(|(length, _)| u64::from(*length)).sum();
    section.index = PART + u64::from(section.model_bytes) + blocks;
    file.write_all(&index(&lengths, section.model_bytes.into()))?;
    file.seek(SeekFrom::Start(0))?;
    file.write_all(entry.wdl.checksum.as_bytes())?;
    file.write_all(&section.bytes())?;
    file.flush()?;
    Ok(section)
}
