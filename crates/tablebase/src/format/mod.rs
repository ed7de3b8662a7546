//! The format of table files, and reading them.
//!
//! Numbers are little-endian. A file is a header, a directory of blocks, and the blocks:
//!
//! | offset | bytes | content |
//! |---|---|---|
//! | 0 | 8 | `MILLTBLW` (win, draw, loss) or `MILLTBLD` (distances) |
//! | 8 | 4 | version of the format: 1 |
//! | 12 | 4 | slots per block |
//! | 16 | 8 | rules: the tag of the endings |
//! | 24 | 2 | forces of the side to move and of the opponent |
//! | 26 | 6 | zero |
//! | 32 | 8 | slots |
//! | 40 | 8 | length of the file |
//! | 48 | 8 | XXH3-64 of bytes 0 to 47 and of the directory |
//! | 56 | 16 per block | directory: where the block ends in the file, and the XXH3-64 of its bytes |
//!
//! A block of one byte means that all its slots have this code. Otherwise a block of a WDL file holds five
//! slots to a byte, the first the least significant digit of a number to the base 3 (0 loss, 1 draw, 2 win); a
//! block of a distance file is a zstd frame of one byte per slot: the distance in plies, or 255 for a draw.
//! Vacant slots repeat the code of the slot before.

#[cfg(feature = "build")]
mod write;

#[cfg(feature = "build")]
pub(super) use write::write;

use super::code::{Code, Codes};
use super::codec::Decompressor;
use super::endings::{RulesTag, Sector};
use super::kept;
use crate::files::{open_regular, read_at};
use millbrain_core::game::Verdict;
#[cfg(feature = "build")]
use rayon::prelude::*;
use std::cell::RefCell;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

/// The only version of the format.
pub const VERSION: u32 = 1;
/// Bytes of the header.
const HEADER: usize = 56;
/// Bytes of the header that its checksum covers.
const SUMMED: usize = 48;
/// Bytes of the directory for each block.
const ENTRY: usize = 16;
/// Digits in a byte of results.
const SLOTS_PER_BYTE: usize = 5;
/// What a table file holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Win, draw or loss, for the search.
    Wdl,
    /// The distance to the end, for play and analysis.
    Distance,
}

impl Kind {
    /// Both kinds.
    pub const ALL: [Kind; 2] = [Kind::Wdl, Kind::Distance];

    const fn magic(self) -> &'static [u8; 8] {
        match self {
            Kind::Wdl => b"MILLTBLW",
            Kind::Distance => b"MILLTBLD",
        }
    }

    /// Slots per block: 4 KiB of packed results, 32 KiB of distances before compression.
    const fn block(self) -> usize {
        match self {
            Kind::Wdl => 4096 * SLOTS_PER_BYTE,
            Kind::Distance => 32 << 10,
        }
    }

    /// The extension of file names.
    pub const fn extension(self) -> &'static str {
        match self {
            Kind::Wdl => "wdl",
            Kind::Distance => "dtw",
        }
    }
}

/// Which table a file holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Subject {
    /// What it holds.
    pub kind: Kind,
    /// By which rules.
    pub tag: RulesTag,
    /// Of which forces.
    pub sector: Sector,
    /// Number of slots.
    pub slots: u64,
}

impl Subject {
    fn blocks(&self) -> u64 {
        self.slots.div_ceil(self.kind.block() as u64)
    }

    /// The slots of a block; the last may have fewer than the others.
    fn block(&self, block: u64) -> Range<u64> {
        let size = self.kind.block() as u64;
        block * size..((block + 1) * size).min(self.slots)
    }

    /// Bytes of the directory.
    fn directory(&self) -> usize {
        self.blocks() as usize * ENTRY
    }

    fn data_offset(&self) -> u64 {
        HEADER as u64 + self.blocks() * ENTRY as u64
    }

    fn header(&self, length: u64, directory: &[u8]) -> [u8; HEADER] {
        let mut header = [0; HEADER];
        header[..8].copy_from_slice(self.kind.magic());
        header[8..12].copy_from_slice(&VERSION.to_le_bytes());
        header[12..16].copy_from_slice(&(self.kind.block() as u32).to_le_bytes());
        header[16..24].copy_from_slice(&self.tag);
        header[24] = self.sector.own;
        header[25] = self.sector.opp;
        header[32..40].copy_from_slice(&self.slots.to_le_bytes());
        header[40..48].copy_from_slice(&length.to_le_bytes());
        let sum = checksum(&header[..SUMMED], directory);
        header[SUMMED..].copy_from_slice(&sum.to_le_bytes());
        header
    }
}

fn checksum(header: &[u8], directory: &[u8]) -> u64 {
    let mut hash = Xxh3::new();
    hash.update(header);
    hash.update(directory);
    hash.digest()
}

const fn verdict(digit: u8) -> Verdict {
    match digit {
        0 => Verdict::Loss,
        1 => Verdict::Draw,
        _ => Verdict::Win,
    }
}

/// The result at a place of a block.
#[inline]
fn unpack(bytes: &[u8], at: usize) -> Option<Verdict> {
    Some(verdict(match bytes {
        [one] => *one,
        many => DIGITS[usize::from(*many.get(at / SLOTS_PER_BYTE)?)][at % SLOTS_PER_BYTE],
    }))
}

/// The five digits of each byte of a WDL block; bytes from 243 on do not occur.
static DIGITS: [[u8; SLOTS_PER_BYTE]; 256] = {
    let mut table = [[1; SLOTS_PER_BYTE]; 256];
    let mut byte = 0;
    while byte < 243 {
        let mut rest = byte;
        let mut i = 0;
        while i < SLOTS_PER_BYTE {
            table[byte][i] = (rest % 3) as u8;
            rest /= 3;
            i += 1;
        }
        byte += 1;
    }
    table
};

/// A file that has been written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Written {
    /// Its length.
    pub bytes: u64,
    /// The checksum of its header, which covers all the rest.
    pub checksum: u64,
}

/// Why a table file is not used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// It cannot be read.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// It is no table of this kind.
    #[error("no table of this kind, expected a file made by 'tablebase build'")]
    Foreign,
    /// Its version is unknown.
    #[error("format version {found}, expected {VERSION}")]
    Version {
        /// The version.
        found: u32,
    },
    /// It is of other rules.
    #[error("a table of other rules")]
    Rules,
    /// It is of other forces than its name says.
    #[error("a table of other forces than its name says")]
    Sector,
    /// It has another length than it should have.
    #[error("{found} bytes long, expected {expected}")]
    Length {
        /// Length of the file.
        found: u64,
        /// Length that its header gives.
        expected: u64,
    },
    /// The header or the directory is damaged.
    #[error("damaged header: its checksum is wrong")]
    Header,
    /// A block is damaged.
    #[error("damaged block {block}: its checksum is wrong")]
    Block {
        /// Its number, from 0.
        block: u64,
    },
    /// It has become shorter since it was opened.
    #[error("cut short since it was opened")]
    CutShort,
    /// It is sound, but not the table that the manifest lists.
    #[error("not the table that the manifest lists")]
    Replaced,
}

/// Where the bytes of a table are.
enum Source {
    /// Files are read rather than mapped: one that is cut short while it is open gives an error, not a signal.
    File {
        file: File,
        path: PathBuf,
    },
    Embedded(&'static [u8]),
}

impl Source {
    fn length(&self) -> io::Result<u64> {
        match self {
            Source::File { file, .. } => Ok(file.metadata()?.len()),
            Source::Embedded(bytes) => Ok(bytes.len() as u64),
        }
    }

    /// Fills a buffer with the bytes from an offset on.
    #[inline]
    fn read(&self, buffer: &mut [u8], offset: u64) -> Result<(), Fault> {
        match self {
            Source::File { file, .. } => read_at(file, buffer, offset).map_err(|error| match error.kind() {
                io::ErrorKind::UnexpectedEof => Fault::CutShort,
                _ => error.into(),
            }),
            Source::Embedded(bytes) => {
                let rest = usize::try_from(offset).ok().and_then(|offset| bytes.get(offset..)?.get(..buffer.len()));
                buffer.copy_from_slice(rest.ok_or(Fault::CutShort)?);
                Ok(())
            }
        }
    }
}

/// What a thread reads and decompresses blocks with: making it anew takes longer than most blocks do.
#[derive(Default)]
struct Workspace {
    bytes: Vec<u8>,
    zstd: Decompressor,
}

thread_local! {
    static WORKSPACE: RefCell<Workspace> = RefCell::default();
}

/// A table ready to be asked. Its header has been checked; blocks are checked when they are read.
pub struct TableFile {
    source: Source,
    subject: Subject,
    identity: Written,
    directory: Vec<u8>,
    /// Blocks of results that stay in memory.
    kept: Vec<OnceLock<Box<[u8]>>>,
}

impl Drop for TableFile {
    fn drop(&mut self) {
        kept::release(self.kept.iter().filter_map(OnceLock::get).map(|bytes| bytes.len() as u64).sum());
    }
}

impl TableFile {
    /// Opens the file of a table.
    ///
    /// # Errors
    /// When it cannot be read, or is not the whole and sound table that is asked for.
    pub fn open(path: &Path, subject: Subject) -> Result<TableFile, Fault> {
        TableFile::read(Source::File { file: open_regular(path)?, path: path.to_path_buf() }, subject)
    }

    /// A table that is part of the program.
    ///
    /// # Errors
    /// When it is not the whole and sound table that is asked for.
    pub fn embedded(bytes: &'static [u8], subject: Subject) -> Result<TableFile, Fault> {
        TableFile::read(Source::Embedded(bytes), subject)
    }

    fn read(source: Source, subject: Subject) -> Result<TableFile, Fault> {
        let expected = subject.header(0, &[]);
        let found = source.length()?;
        let mut header = [0; HEADER];
        let begun = found.min(HEADER as u64) as usize;
        source.read(&mut header[..begun], 0)?;
        if begun < HEADER || header[..8] != expected[..8] {
            return Err(if begun < HEADER && expected.starts_with(&header[..begun.min(8)]) {
                Fault::Length { found, expected: subject.data_offset() }
            } else {
                Fault::Foreign
            });
        }
        let version = number(&header, 8) as u32;
        if version != VERSION {
            return Err(Fault::Version { found: version });
        }
        if header[16..24] != expected[16..24] {
            return Err(Fault::Rules);
        }
        if header[24..40] != expected[24..40] {
            return Err(Fault::Sector);
        }
        let length = number(&header, 40);
        if length != found || found < subject.data_offset() {
            return Err(Fault::Length { found, expected: length.max(subject.data_offset()) });
        }
        let mut directory = vec![0; subject.directory()];
        source.read(&mut directory, HEADER as u64)?;
        let identity = Written { bytes: found, checksum: number(&header, SUMMED) };
        if header[12..16] != expected[12..16] || checksum(&header[..SUMMED], &directory) != identity.checksum {
            return Err(Fault::Header);
        }
        let mut last = subject.data_offset();
        for entry in directory.chunks(ENTRY) {
            let end = number(entry, 0);
            if end <= last || end > found {
                return Err(Fault::Header);
            }
            last = end;
        }
        let kept = if subject.kind == Kind::Wdl { subject.blocks() } else { 0 };
        let kept = (0..kept).map(|_| OnceLock::new()).collect();
        Ok(TableFile { source, subject, identity, directory, kept })
    }

    /// The name of the file.
    pub fn name(&self) -> String {
        match &self.source {
            Source::File { path, .. } => path.display().to_string(),
            Source::Embedded(_) => "part of the program".to_string(),
        }
    }

    /// What the table is about.
    pub const fn subject(&self) -> &Subject {
        &self.subject
    }

    /// The length of the file and the checksum of its header.
    pub const fn identity(&self) -> Written {
        self.identity
    }

    /// Reads a block into a buffer and checks it.
    fn block(&self, block: u64, buffer: &mut Vec<u8>) -> Result<(), Fault> {
        let at = block as usize * ENTRY;
        let start = if block == 0 { self.subject.data_offset() } else { number(&self.directory, at - ENTRY) };
        let length = number(&self.directory, at) - start;
        buffer.resize(usize::try_from(length).map_err(|_| Fault::Block { block })?, 0);
        self.source.read(buffer, start)?;
        if xxh3_64(buffer) == number(&self.directory, at + 8) { Ok(()) } else { Err(Fault::Block { block }) }
    }

    /// The result of a slot of a WDL table.
    ///
    /// # Errors
    /// When its block is damaged or cannot be read.
    #[inline]
    pub fn verdict(&self, slot: u64) -> Result<Verdict, Fault> {
        debug_assert!(self.subject.kind == Kind::Wdl && slot < self.subject.slots);
        const SIZE: u64 = Kind::Wdl.block() as u64;
        let (block, at) = (slot / SIZE, (slot % SIZE) as usize);
        match self.kept[block as usize].get() {
            Some(bytes) => unpack(bytes, at).ok_or(Fault::Block { block }),
            None => self.verdict_from_file(block, at),
        }
    }

    #[cold]
    fn verdict_from_file(&self, block: u64, at: usize) -> Result<Verdict, Fault> {
        WORKSPACE.with_borrow_mut(|Workspace { bytes, .. }| {
            self.block(block, bytes)?;
            let length = bytes.len() as u64;
            // Several threads may come here at once; one of them has its block kept.
            if kept::reserve(length) && self.kept[block as usize].set(bytes.as_slice().into()).is_err() {
                kept::release(length);
            }
            unpack(bytes, at).ok_or(Fault::Block { block })
        })
    }

    /// Blocks of distances have this many slots, the last one perhaps fewer.
    pub(super) const DISTANCES: u64 = Kind::Distance.block() as u64;

    /// The codes of a block of a distance table.
    ///
    /// # Errors
    /// When it is damaged or cannot be read.
    pub(super) fn distances(&self, block: u64) -> Result<Arc<[Code]>, Fault> {
        let slots = self.subject.block(block);
        let mut codes = vec![Code::DRAW; (slots.end - slots.start) as usize];
        self.decode(block, &mut codes)?;
        Ok(codes.into())
    }

    fn decode(&self, block: u64, codes: &mut [Code]) -> Result<(), Fault> {
        WORKSPACE.with_borrow_mut(|Workspace { bytes, zstd }| {
            self.block(block, bytes)?;
            if let [one] = bytes[..] {
                codes.fill(Code(one));
                return Ok(());
            }
            let plain = zstd.decompress(bytes, codes.len()).ok_or(Fault::Block { block })?;
            if plain.len() != codes.len() {
                return Err(Fault::Block { block });
            }
            for (code, byte) in codes.iter_mut().zip(plain) {
                *code = Code(byte);
            }
            Ok(())
        })
    }

    /// The codes of all slots of a distance table; there has to be memory for them.
    ///
    /// # Errors
    /// When a block is damaged or cannot be read.
    pub(super) fn codes(&self) -> Result<Codes, Fault> {
        let slots = usize::try_from(self.subject.slots).unwrap_or(usize::MAX);
        let mut codes = Vec::new();
        codes.reserve_exact(slots);
        millbrain_core::platform::advise_huge_pages(codes.spare_capacity_mut());
        codes.resize(slots, Code::DRAW);
        #[cfg(feature = "build")]
        let blocks = codes.par_chunks_mut(self.subject.kind.block());
        #[cfg(not(feature = "build"))]
        let blocks = codes.chunks_mut(self.subject.kind.block());
        blocks.enumerate().try_for_each(|(block, codes)| self.decode(block as u64, codes))?;
        Ok(Codes::Bytes(codes))
    }

    /// Checks every block.
    ///
    /// # Errors
    /// The first block that is damaged.
    #[cfg(feature = "build")]
    pub fn check_all(&self) -> Result<(), Fault> {
        let blocks = (0..self.subject.blocks()).into_par_iter();
        let checked = blocks.map_init(Vec::new, |buffer, block| self.block(block, buffer));
        checked.find_first(Result::is_err).unwrap_or(Ok(()))
    }
}

/// The eight bytes at an offset, as a number.
#[inline]
fn number(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(std::array::from_fn(|i| bytes[at + i]))
}

#[cfg(all(test, feature = "build"))]
mod tests {
    use super::*;

    fn subject(kind: Kind, slots: u64) -> Subject {
        Subject { kind, tag: *b"M\x01\0\0\0\0\0\0", sector: Sector::new(4, 3), slots }
    }

    fn path(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("millbrain-format-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        folder.join(name)
    }

    fn code(slot: u64) -> Code {
        match slot {
            // A block of distances and several of results that are all alike.
            40_000..120_000 => Code(7),
            _ if slot % 11 == 3 => Code::VACANT,
            _ if slot % 7 < 2 => Code::DRAW,
            _ => Code((slot.wrapping_mul(2_654_435_761) >> 7) as u8 % 254),
        }
    }

    const SLOTS: u64 = 150_001;

    fn write_both(name: &str) -> [PathBuf; 2] {
        Kind::ALL.map(|kind| {
            let path = path(&format!("{name}.{}", kind.extension()));
            let written =
                write(&path, &subject(kind, SLOTS), &Codes::Bytes((0..SLOTS).map(code).collect())).expect("written");
            let table = TableFile::open(&path, subject(kind, SLOTS)).expect("sound");
            assert_eq!(table.identity(), written);
            assert_eq!(std::fs::metadata(&path).expect("there").len(), written.bytes);
            path
        })
    }

    #[test]
    fn tables_give_back_what_was_written() {
        let [wdl, distance] = write_both("back");
        let wdl = TableFile::open(&wdl, subject(Kind::Wdl, SLOTS)).expect("sound");
        let distance = TableFile::open(&distance, subject(Kind::Distance, SLOTS)).expect("sound");
        let all = distance.codes().expect("sound");
        for slot in (0..SLOTS).filter(|&slot| code(slot) != Code::VACANT) {
            assert_eq!(wdl.verdict(slot).expect("sound"), code(slot).value().verdict(), "slot {slot}");
            assert_eq!(all.value(slot as usize), code(slot).value());
            if slot % 997 == 0 {
                let block = distance.distances(slot / TableFile::DISTANCES).expect("sound");
                assert_eq!(block[(slot % TableFile::DISTANCES) as usize], code(slot));
            }
        }
        wdl.check_all().expect("sound");
    }

    #[test]
    fn every_damaged_byte_is_noticed() {
        for (kind, path) in Kind::ALL.into_iter().zip(write_both("damaged")) {
            let sound = std::fs::read(&path).expect("readable");
            let refused = |bytes: &[u8]| {
                std::fs::write(&path, bytes).expect("written");
                TableFile::open(&path, subject(kind, SLOTS)).and_then(|table| table.check_all()).is_err()
            };
            assert!(!refused(&sound));
            let mut rng = fastrand::Rng::with_seed(1);
            let header = (0..SUMMED + 8).chain((0..300).map(|_| rng.usize(..sound.len())));
            for at in header {
                let mut bytes = sound.clone();
                bytes[at] ^= 1 << (at % 8);
                assert!(refused(&bytes), "{kind:?} byte {at}");
            }
            for length in [0, 5, 20, HEADER, HEADER + 3, sound.len() / 2, sound.len() - 1] {
                assert!(refused(&sound[..length]), "{kind:?} cut to {length}");
            }
            assert!(refused(&[&sound[..], &[0]].concat()));
        }
    }

    #[test]
    fn blocks_can_be_checked_by_several_threads_at_once() {
        let [path, _] = write_both("threads");
        for _ in 0..50 {
            let table = TableFile::open(&path, subject(Kind::Wdl, SLOTS)).expect("sound");
            std::thread::scope(|scope| {
                for _ in 0..4 {
                    scope.spawn(|| (0..SLOTS).step_by(997).for_each(|slot| assert!(table.verdict(slot).is_ok())));
                }
            });
        }
    }

    #[test]
    fn faults_say_what_is_wrong() {
        let [path, _] = write_both("faults");
        let fault = |subject| TableFile::open(&path, subject).err().map(|fault| fault.to_string()).unwrap_or_default();
        let right = subject(Kind::Wdl, SLOTS);
        assert!(fault(subject(Kind::Distance, SLOTS)).contains("no table of this kind"));
        assert!(fault(Subject { tag: *b"M\x03\0\0\0\0\0\0", ..right }).contains("other rules"));
        assert!(fault(Subject { sector: Sector::new(3, 4), ..right }).contains("other forces"));
        assert_eq!(fault(right), "");
        let bytes = std::fs::read(&path).expect("readable");
        std::fs::write(&path, &bytes[..bytes.len() - 10]).expect("written");
        assert!(fault(right).contains(&format!("expected {}", bytes.len())));
        std::fs::remove_file(&path).expect("removed");
        assert!(fault(right).to_lowercase().contains("no such file"));
    }
}
