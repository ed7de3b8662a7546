//! Table files, to the byte.
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
//! A block of one byte stands for slots that all have that one code. Otherwise a block of a WDL file holds five
//! slots to a byte, the first the least significant digit of a number to the base 3 (0 loss, 1 draw, 2 win); a
//! block of a distance file is a zstd frame of one byte per slot: the distance in plies, or 255 for a draw.
//! Vacant slots repeat the slot before them.

use super::code::Code;
use super::endings::{RulesTag, Sector};
use crate::files::replace;
use crate::game::Verdict;
use crate::value::Value;
use memmap2::Mmap;
use rayon::prelude::*;
use std::fmt;
use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

/// Version of the format that is written, and the only one that is read.
pub const VERSION: u32 = 1;
const HEADER: usize = 56;
/// Bytes of the header that its checksum covers.
const SUMMED: usize = 48;
const ENTRY: usize = 16;
const SLOTS_PER_BYTE: usize = 5;
/// Higher levels take far longer and save little; see docs/tablebases.md.
const ZSTD_LEVEL: i32 = 3;
/// Blocks compressed side by side before they are written.
const BATCH: usize = 512;

/// What a table tells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Win, draw or loss: what the search asks.
    Wdl,
    /// The distance to the end: what play and analysis ask.
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

    /// The ending of file names.
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
    /// What it tells.
    pub kind: Kind,
    /// By which rules.
    pub tag: RulesTag,
    /// Of which forces.
    pub sector: Sector,
    /// Number of slots.
    pub slots: u64,
}

impl Subject {
    fn blocks(&self) -> usize {
        self.slots.div_ceil(self.kind.block() as u64) as usize
    }

    fn data_offset(&self) -> u64 {
        (HEADER + self.blocks() * ENTRY) as u64
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

/// The result as a digit: 0 loss, 1 draw, 2 win.
const fn digit(code: Code) -> u8 {
    match code.value() {
        Value::Loss(_) => 0,
        Value::Draw => 1,
        Value::Win(_) => 2,
    }
}

const fn verdict(digit: u8) -> Verdict {
    match digit {
        0 => Verdict::Loss,
        1 => Verdict::Draw,
        _ => Verdict::Win,
    }
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

/// The bytes of a block, from the codes of its slots.
fn encode(kind: Kind, mut codes: Vec<u8>, zstd: &mut zstd::bulk::Compressor<'_>) -> io::Result<Vec<u8>> {
    let mut last = Code::DRAW.0;
    for code in &mut codes {
        if *code == Code::VACANT.0 {
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

/// A file that has been written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Written {
    /// Its length.
    pub bytes: u64,
    /// The checksum of its header, which covers all the rest.
    pub checksum: u64,
}

/// Writes a table under a temporary name, flushes it and renames it.
///
/// # Errors
/// Whatever the file system says; a file of this name is left as it was.
pub(super) fn write(path: &Path, subject: &Subject, code: impl Fn(usize) -> Code + Sync) -> io::Result<Written> {
    replace(path, |file| write_table(file, subject, code))
}

fn write_table(file: &mut File, subject: &Subject, code: impl Fn(usize) -> Code + Sync) -> io::Result<Written> {
    let (slots, size) = (subject.slots as usize, subject.kind.block());
    let mut file = BufWriter::with_capacity(1 << 20, file);
    file.seek(SeekFrom::Start(subject.data_offset()))?;
    let mut directory = Vec::with_capacity(subject.blocks() * ENTRY);
    let mut end = subject.data_offset();
    for first in (0..subject.blocks()).step_by(BATCH) {
        let batch = first..(first + BATCH).min(subject.blocks());
        let compressor = || zstd::bulk::Compressor::new(ZSTD_LEVEL);
        let blocks: Vec<io::Result<Vec<u8>>> = batch
            .into_par_iter()
            .map_init(compressor, |zstd, block| {
                let codes = (block * size..((block + 1) * size).min(slots)).map(|slot| code(slot).0).collect();
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

/// Why a table is not used.
#[derive(Debug)]
pub enum Fault {
    /// It cannot be read.
    Io(io::Error),
    /// It is no table of this kind.
    Foreign,
    /// It has a version that is not known.
    Version(u32),
    /// It is of other rules.
    Rules,
    /// It is of other forces than its name says.
    Sector,
    /// It has another length than it should have.
    Length {
        /// Length of the file.
        found: u64,
        /// Length that its header gives.
        expected: u64,
    },
    /// The header or the directory is damaged.
    Header,
    /// A block is damaged.
    Block(usize),
    /// It is sound, but not the table that the manifest lists.
    Replaced,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Io(error) => write!(f, "{error}"),
            Fault::Foreign => f.write_str("no table of this kind, expected a file made by 'tablebase build'"),
            Fault::Version(found) => write!(f, "format version {found}, expected {VERSION}"),
            Fault::Rules => f.write_str("a table of other rules"),
            Fault::Sector => f.write_str("a table of other forces than its name says"),
            Fault::Length { found, expected } => write!(f, "{found} bytes long, expected {expected}"),
            Fault::Header => f.write_str("damaged header: its checksum is wrong"),
            Fault::Block(block) => write!(f, "damaged block {block}: its checksum is wrong"),
            Fault::Replaced => f.write_str("not the table that the manifest lists"),
        }
    }
}

impl std::error::Error for Fault {}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Fault {
        Fault::Io(error)
    }
}

/// Where the bytes of a table are.
enum Bytes {
    Mapped(Mmap),
    Embedded(&'static [u8]),
}

impl std::ops::Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Bytes::Mapped(map) => map,
            Bytes::Embedded(bytes) => bytes,
        }
    }
}

const UNCHECKED: u8 = 0;
const SOUND: u8 = 1;
const DAMAGED: u8 = 2;

/// A table ready to be asked. Its header has been checked; blocks are checked when they are first looked at.
pub struct Table {
    bytes: Bytes,
    subject: Subject,
    checked: Vec<AtomicU8>,
}

impl Table {
    /// Opens the file of a table.
    ///
    /// # Errors
    /// When it cannot be read, or is not the whole and sound table that is asked for.
    #[expect(unsafe_code, reason = "files can only be mapped like this; reading all of a large table takes seconds")]
    pub fn open(path: &Path, subject: Subject) -> Result<Table, Fault> {
        let file = File::open(path)?;
        // SAFETY: the map is only read. Tables are never written to once they have their name: a new one takes the
        // place of the old file by renaming, which leaves the mapped one as it is. Bytes changed by anything else
        // can make blocks fail their checksums or read as other values, nothing that Rust relies on.
        let map = unsafe { Mmap::map(&file)? };
        #[cfg(unix)]
        let _ = map.advise(memmap2::Advice::Random);
        Table::read(Bytes::Mapped(map), subject)
    }

    /// A table that is part of the program.
    ///
    /// # Errors
    /// When it is not the whole and sound table that is asked for.
    pub fn embedded(bytes: &'static [u8], subject: Subject) -> Result<Table, Fault> {
        Table::read(Bytes::Embedded(bytes), subject)
    }

    fn read(bytes: Bytes, subject: Subject) -> Result<Table, Fault> {
        let expected = subject.header(0, &[]);
        let found = bytes.len() as u64;
        if bytes.len() < HEADER || bytes[..8] != expected[..8] {
            return Err(if bytes.len() < HEADER && expected.starts_with(&bytes[..bytes.len().min(8)]) {
                Fault::Length { found, expected: subject.data_offset() }
            } else {
                Fault::Foreign
            });
        }
        let version = number(&bytes, 8) as u32;
        if version != VERSION {
            return Err(Fault::Version(version));
        }
        if bytes[16..24] != expected[16..24] {
            return Err(Fault::Rules);
        }
        if bytes[24..40] != expected[24..40] {
            return Err(Fault::Sector);
        }
        let length = number(&bytes, 40);
        if length != found || found < subject.data_offset() {
            return Err(Fault::Length { found, expected: length.max(subject.data_offset()) });
        }
        let directory = &bytes[HEADER..subject.data_offset() as usize];
        if bytes[12..16] != expected[12..16] || checksum(&bytes[..SUMMED], directory) != number(&bytes, SUMMED) {
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
        let checked = (0..subject.blocks()).map(|_| AtomicU8::new(UNCHECKED)).collect();
        Ok(Table { bytes, subject, checked })
    }

    /// What the table is about.
    pub const fn subject(&self) -> &Subject {
        &self.subject
    }

    /// The length of the file and the checksum of its header.
    pub fn identity(&self) -> Written {
        Written { bytes: self.bytes.len() as u64, checksum: number(&self.bytes, SUMMED) }
    }

    #[inline]
    fn entry(&self, block: usize) -> (Range<usize>, u64) {
        let at = HEADER + block * ENTRY;
        let start = if block == 0 { self.subject.data_offset() } else { number(&self.bytes, at - ENTRY) };
        (start as usize..number(&self.bytes, at) as usize, number(&self.bytes, at + 8))
    }

    /// The bytes of a block, checked.
    #[inline]
    fn block(&self, block: usize) -> Result<&[u8], Fault> {
        let (range, sum) = self.entry(block);
        let bytes = self.bytes.get(range).ok_or(Fault::Block(block))?;
        if self.checked[block].load(Relaxed) != SOUND {
            self.check(block, bytes, sum)?;
        }
        Ok(bytes)
    }

    #[cold]
    fn check(&self, block: usize, bytes: &[u8], sum: u64) -> Result<(), Fault> {
        // Several threads may come here at once: they find the same.
        let sound = match self.checked[block].load(Relaxed) {
            UNCHECKED => xxh3_64(bytes) == sum,
            known => known == SOUND,
        };
        self.checked[block].store(if sound { SOUND } else { DAMAGED }, Relaxed);
        if sound { Ok(()) } else { Err(Fault::Block(block)) }
    }

    /// The result of a slot of a WDL table.
    ///
    /// # Errors
    /// When its block is damaged.
    #[inline]
    pub fn verdict(&self, slot: u64) -> Result<Verdict, Fault> {
        debug_assert!(self.subject.kind == Kind::Wdl && slot < self.subject.slots);
        let (block, at) = (slot as usize / Kind::Wdl.block(), slot as usize % Kind::Wdl.block());
        let bytes = self.block(block)?;
        let digit = match bytes {
            [one] => *one,
            many => {
                let byte = many.get(at / SLOTS_PER_BYTE).ok_or(Fault::Block(block))?;
                DIGITS[*byte as usize][at % SLOTS_PER_BYTE]
            }
        };
        Ok(verdict(digit))
    }

    /// The value of a slot of a distance table.
    ///
    /// # Errors
    /// When its block is damaged.
    pub fn value(&self, slot: u64) -> Result<Value, Fault> {
        let (block, at) = (slot as usize / Kind::Distance.block(), slot as usize % Kind::Distance.block());
        let mut codes = vec![Code::DRAW; self.length_of(block)];
        self.decode(block, &mut codes)?;
        Ok(codes[at].value())
    }

    /// Slots of a block.
    fn length_of(&self, block: usize) -> usize {
        let size = self.subject.kind.block();
        size.min(self.subject.slots as usize - block * size)
    }

    fn decode(&self, block: usize, codes: &mut [Code]) -> Result<(), Fault> {
        let bytes = self.block(block)?;
        if let [one] = bytes {
            codes.fill(Code(*one));
            return Ok(());
        }
        let plain = zstd::bulk::decompress(bytes, codes.len()).map_err(|_| Fault::Block(block))?;
        if plain.len() != codes.len() {
            return Err(Fault::Block(block));
        }
        for (code, byte) in codes.iter_mut().zip(plain) {
            *code = Code(byte);
        }
        Ok(())
    }

    /// The codes of all slots of a distance table.
    ///
    /// # Errors
    /// When a block is damaged.
    pub(super) fn codes(&self) -> Result<Vec<Code>, Fault> {
        let slots = self.subject.slots as usize;
        let mut codes = Vec::new();
        codes.reserve_exact(slots);
        crate::memory::advise_huge_pages(codes.spare_capacity_mut());
        codes.resize(slots, Code::DRAW);
        codes
            .par_chunks_mut(self.subject.kind.block())
            .enumerate()
            .try_for_each(|(block, codes)| self.decode(block, codes))?;
        Ok(codes)
    }

    /// Checks every block.
    ///
    /// # Errors
    /// The first block that is damaged.
    pub fn check_all(&self) -> Result<(), Fault> {
        (0..self.subject.blocks()).into_par_iter().try_for_each(|block| self.block(block).map(|_| ()))
    }
}

/// The eight bytes at an offset, as a number.
#[inline]
fn number(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(std::array::from_fn(|i| bytes[at + i]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn subject(kind: Kind, slots: u64) -> Subject {
        Subject { kind, tag: *b"M\x01\0\0\0\0\0\0", sector: Sector::new(4, 3), slots }
    }

    fn path(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("millbrain-format-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        folder.join(name)
    }

    fn code(slot: usize) -> Code {
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
            let written = write(&path, &subject(kind, SLOTS), code).expect("written");
            let table = Table::open(&path, subject(kind, SLOTS)).expect("sound");
            assert_eq!(table.identity(), written);
            assert_eq!(std::fs::metadata(&path).expect("there").len(), written.bytes);
            path
        })
    }

    #[test]
    fn tables_give_back_what_was_written() {
        let [wdl, distance] = write_both("back");
        let wdl = Table::open(&wdl, subject(Kind::Wdl, SLOTS)).expect("sound");
        let distance = Table::open(&distance, subject(Kind::Distance, SLOTS)).expect("sound");
        let all = distance.codes().expect("sound");
        for slot in (0..SLOTS as usize).filter(|&slot| code(slot) != Code::VACANT) {
            assert_eq!(wdl.verdict(slot as u64).expect("sound"), code(slot).value().verdict(), "slot {slot}");
            assert_eq!(all[slot], code(slot));
            if slot % 997 == 0 {
                assert_eq!(distance.value(slot as u64).expect("sound"), code(slot).value());
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
                Table::open(&path, subject(kind, SLOTS)).and_then(|table| table.check_all()).is_err()
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
            let table = Table::open(&path, subject(Kind::Wdl, SLOTS)).expect("sound");
            std::thread::scope(|scope| {
                for _ in 0..4 {
                    scope.spawn(|| (0..table.subject.blocks()).for_each(|block| assert!(table.block(block).is_ok())));
                }
            });
        }
    }

    #[test]
    fn faults_say_what_is_wrong() {
        let [path, _] = write_both("faults");
        let fault = |subject| Table::open(&path, subject).err().map(|fault| fault.to_string()).unwrap_or_default();
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
