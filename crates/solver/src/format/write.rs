//! Writes table files.

use super::digits::{of_code, pack};
use super::{halves, keys};
use crate::code::{Code, Codes, Plies, with_codes};
use crate::prospects::Prospects;
use millbrain_core::game::value::Value;
use millbrain_files::replace;
use millbrain_tablebase::format::digits;
use millbrain_tablebase::format::halves::Width;
use millbrain_tablebase::format::keys::ALIKE;
use millbrain_tablebase::format::{Kind, SUMMED, Subject, Written, number};
use rayon::prelude::*;
use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::Path;
use xxhash_rust::xxh3::xxh3_64;

/// Returns the level of compression. Higher ones take far longer and save little: docs/tablebases.md has figures.
const fn zstd_level(kind: Kind) -> i32 {
    match kind {
        Kind::Wdl | Kind::Ultra => 7,
        Kind::Distance => 5,
    }
}

/// The number of blocks compressed in parallel before they are written.
const BATCH: u64 = 512;

type Compressor = zstd::bulk::Compressor<'static>;

/// Writes a table of these codes under a temporary name, flushes it and renames it.
///
/// # Errors
/// Fails with the error of the file system; a file of this name is left as it was.
pub(crate) fn write(path: &Path, subject: &Subject, codes: &Codes) -> io::Result<Written> {
    replace(path, |file| with_codes!(codes, |codes| write_table(file, subject, codes)))
}

fn write_table<P: Plies>(file: &mut File, subject: &Subject, codes: &[Code<P>]) -> io::Result<Written> {
    let longest = match subject.kind {
        Kind::Wdl => 0,
        Kind::Distance | Kind::Ultra => codes.par_iter().map(|code| plies(*code)).max().unwrap_or(0),
    };
    write_blocks(file, subject, longest, &|block, zstd| {
        encode(subject, Width::of(longest), carried(subject, codes, block), zstd)
    })
}

/// Writes a table of these ultra-strong values as [`fn@write`] does, given the digits of the results.
///
/// # Errors
/// Fails with the error of the file system; a file of this name is left as it was.
pub(crate) fn write_prospects(
    path: &Path,
    subject: &Subject,
    prospects: &Prospects,
    results: &[u8],
) -> io::Result<Written> {
    let longest = prospects.longest().into();
    let encode = |block: u64, zstd: &mut Compressor| {
        let Range { start, end } = subject.block(block);
        let mut last = (0, 0);
        let mut values = Vec::new();
        let slots = start as usize..end as usize;
        let kept = prospects.keys[slots.clone()].iter().zip(&prospects.plies[slots.clone()]);
        for ((&key, &plies), &result) in kept.zip(&results[slots]) {
            // A vacant slot repeats the result of the slot before, and so its value.
            last = if key == Prospects::NONE { last } else { (key, plies) };
            if result == digits::DRAW {
                values.push(last);
            }
        }
        if values.is_empty() {
            return Ok(Vec::new());
        }
        let packed = keys::pack(&values);
        if packed.len() == ALIKE { Ok(packed) } else { zstd.compress(&packed) }
    };
    replace(path, |file| write_blocks(file, subject, longest, &encode))
}

/// Encodes the bytes of a block.
type Encode<'a> = dyn Fn(u64, &mut Compressor) -> io::Result<Vec<u8>> + Sync + 'a;

/// Writes header, directory and blocks.
fn write_blocks(file: &mut File, subject: &Subject, longest: u32, encode: &Encode<'_>) -> io::Result<Written> {
    let mut file = BufWriter::with_capacity(1 << 20, file);
    file.seek(SeekFrom::Start(subject.data_offset()))?;
    let mut directory = Vec::with_capacity(subject.directory());
    let mut end = subject.data_offset();
    for first in (0..subject.blocks()).step_by(BATCH as usize) {
        let batch = first..(first + BATCH).min(subject.blocks());
        let blocks: Vec<io::Result<Vec<u8>>> = batch
            .into_par_iter()
            .map_init(
                || Compressor::new(zstd_level(subject.kind)),
                |zstd, block| {
                    let zstd = zstd.as_mut().map_err(|error| io::Error::other(error.to_string()))?;
                    encode(block, zstd)
                },
            )
            .collect();
        for block in blocks {
            let block = block?;
            file.write_all(&block)?;
            end += block.len() as u64;
            directory.extend_from_slice(&end.to_le_bytes());
            directory.extend_from_slice(&xxh3_64(&block).to_le_bytes());
        }
    }
    let header = subject.header(end, longest, &directory);
    file.seek(SeekFrom::Start(0))?;
    file.write_all(&header)?;
    file.write_all(&directory)?;
    file.flush()?;
    Ok(Written { bytes: end, checksum: number(&header, SUMMED) })
}

/// Returns the distance; 0 of a draw and of a vacant slot.
fn plies<P: Plies>(code: Code<P>) -> u32 {
    match code.value() {
        Value::Win(plies) | Value::Loss(plies) => plies,
        Value::Draw => 0,
    }
}

/// Returns the codes of a block; a vacant slot has the code of the slot before.
fn carried<P: Plies>(subject: &Subject, codes: &[Code<P>], block: u64) -> Vec<Code<P>> {
    let Range { start, end } = subject.block(block);
    let [start, end] = [start as usize, end as usize];
    // Results and distances are cut into blocks at different slots, and have to agree on vacant ones.
    let before = codes[..start].iter().rev().find(|&&code| code != Code::VACANT);
    let mut last = before.copied().unwrap_or(Code::DRAW);
    let mut codes = codes[start..end].to_vec();
    // Few blocks have vacant slots.
    if codes.contains(&Code::VACANT) {
        for code in &mut codes {
            last = if *code == Code::VACANT { last } else { *code };
            *code = last;
        }
    }
    codes
}

/// Encodes the bytes of a block from the codes of its slots.
fn encode<P: Plies>(
    subject: &Subject,
    width: Width,
    codes: Vec<Code<P>>,
    zstd: &mut Compressor,
) -> io::Result<Vec<u8>> {
    match subject.kind {
        Kind::Wdl => {
            let digits: Vec<u8> = codes.into_iter().map(of_code).collect();
            if are_alike(&digits, 1) { Ok(digits[..1].to_vec()) } else { zstd.compress(&pack(&digits)) }
        }
        Kind::Distance | Kind::Ultra => {
            let half = |code: Code<P>| (code != Code::DRAW).then(|| plies(code) / 2);
            let packed = halves::pack(width, codes.into_iter().map(half));
            match packed.len() {
                0 => Ok(packed),
                _ if are_alike(&packed, width.bytes()) => Ok(packed[..width.bytes()].to_vec()),
                _ => zstd.compress(&packed),
            }
        }
    }
}

/// Returns whether all numbers of this width are the same.
fn are_alike(numbers: &[u8], bytes: usize) -> bool {
    numbers.chunks(bytes).all(|number| *number == numbers[..bytes])
}
