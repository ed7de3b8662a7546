//! Writing table files.

use super::{Kind, SLOTS_PER_BYTE, SUMMED, Subject, Written, number};
use crate::code::{Code, Codes};
use crate::files::replace;
use crate::solve::TooLong;
use millbrain_core::game::value::Value;
use rayon::prelude::*;
use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::Path;
use xxhash_rust::xxh3::xxh3_64;

/// Higher levels take far longer and save little; see docs/tablebases.md.
const ZSTD_LEVEL: i32 = 3;
/// Blocks compressed in parallel before they are written.
const BATCH: u64 = 512;

/// The result as a digit: 0 loss, 1 draw, 2 win.
fn digit(code: Code) -> u8 {
    match code.value() {
        Value::Loss(_) => 0,
        Value::Draw => 1,
        Value::Win(_) => 2,
    }
}

/// The bytes of a block, from the codes of its slots.
fn encode(kind: Kind, mut codes: Vec<u8>, zstd: &mut zstd::bulk::Compressor<'_>) -> io::Result<Vec<u8>> {
    let mut last = Code::<u8>::DRAW.0;
    for code in &mut codes {
        if *code == Code::<u8>::VACANT.0 {
            *code = last;
        }
        last = *code;
        if kind == Kind::Wdl {
            *code = digit(Code(*code));
        }
    }
    if codes.iter().all(|&code| code == codes[0]) {
        return Ok(codes[..1].to_vec());
    }
    match kind {
        Kind::Wdl => {
            let pack = |digits: &[u8]| digits.iter().rev().fold(0, |byte, digit| 3 * byte + digit);
            Ok(codes.chunks(SLOTS_PER_BYTE).map(pack).collect())
        }
        Kind::Distance => zstd.compress(&codes),
    }
}

/// Writes a table of these codes under a temporary name, flushes it and renames it.
///
/// # Errors
/// Whatever the file system says; a file of this name is left as it was.
pub(in super::super) fn write(path: &Path, subject: &Subject, codes: &Codes) -> io::Result<Written> {
    let Codes::Bytes(codes) = codes else {
        return Err(io::Error::other(TooLong::of::<u8>()));
    };
    replace(path, |file| write_table(file, subject, codes))
}

fn write_table(file: &mut File, subject: &Subject, codes: &[Code]) -> io::Result<Written> {
    let mut file = BufWriter::with_capacity(1 << 20, file);
    file.seek(SeekFrom::Start(subject.data_offset()))?;
    let mut directory = Vec::with_capacity(subject.directory());
    let mut end = subject.data_offset();
    for first in (0..subject.blocks()).step_by(BATCH as usize) {
        let batch = first..(first + BATCH).min(subject.blocks());
        let compressor = || zstd::bulk::Compressor::new(ZSTD_LEVEL);
        let blocks: Vec<io::Result<Vec<u8>>> = batch
            .into_par_iter()
            .map_init(compressor, |zstd, block| {
                let Range { start, end } = subject.block(block);
                let codes = codes[start as usize..end as usize].iter().map(|code| code.0).collect();
                let zstd = zstd.as_mut().map_err(|error| io::Error::other(error.to_string()))?;
                encode(subject.kind, codes, zstd)
            })
            .collect();
        for block in blocks {
            let block = block?;
            file.write_all(&block)?;
            end += block.len() as u64;
            directory.extend_from_slice(&end.to_le_bytes());
            directory.extend_from_slice(&xxh3_64(&block).to_le_bytes());
        }
    }
    let header = subject.header(end, &directory);
    file.seek(SeekFrom::Start(0))?;
    file.write_all(&header)?;
    file.write_all(&directory)?;
    file.flush()?;
    Ok(Written { bytes: end, checksum: number(&header, SUMMED) })
}
