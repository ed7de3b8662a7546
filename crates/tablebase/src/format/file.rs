//! Reads table files.

use super::digits::{PER_PLAIN_BYTE, Results, WIN, repack};
use super::halves::{self, Width};
use super::{
    ENTRY, FORMAT, Fault, HEADER, Kind, LONGEST, MAX_DISTANCE, SUMMED, Subject, Written, checksum, keys, number,
};
use crate::format::cache::{BlockKey, Cache};
use crate::format::codec::Decompressor;
use crate::format::source::Source;
use millbrain_core::game::Verdict;
use millbrain_core::game::value::{Prospect, Value};
use std::cell::RefCell;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use xxhash_rust::xxh3::xxh3_64;

/// A thread's buffers for reading and decompressing blocks: creating them takes longer than most blocks do.
#[derive(Default)]
struct Workspace {
    bytes: Vec<u8>,
    zstd: Decompressor,
}

thread_local! {
    static WORKSPACE: RefCell<Workspace> = RefCell::default();
}

/// Returns a number that distinguishes the blocks of a table from those of others.
pub(crate) fn table_number() -> u32 {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    NEXT.fetch_add(1, Relaxed)
}

/// A table that is ready for probing. Its header has been checked; blocks are checked when they are read.
pub struct TableFile {
    source: Source,
    subject: Subject,
    identity: Written,
    directory: Vec<u8>,
    /// The longest distance; 0 for results.
    longest: u32,
    /// Distinguishes its blocks from those of other tables.
    number: u32,
}

impl TableFile {
    /// Opens the file of a table.
    ///
    /// # Errors
    /// Fails if it cannot be read, or is not the expected table, whole and sound.
    pub fn open(path: &Path, subject: Subject) -> Result<TableFile, Fault> {
        TableFile::read(Source::open(path)?, subject)
    }

    /// Opens a table that is part of the program.
    ///
    /// # Errors
    /// Fails if it is not the expected table, whole and sound.
    pub fn embedded(bytes: &'static [u8], subject: Subject) -> Result<TableFile, Fault> {
        TableFile::read(Source::Embedded(bytes), subject)
    }

    fn read(source: Source, subject: Subject) -> Result<TableFile, Fault> {
        let expected = subject.header(0, 0, &[]);
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
        if version != FORMAT {
            return Err(Fault::Version { found: version, expected: FORMAT });
        }
        if header[16..24] != expected[16..24] {
            return Err(Fault::Rules);
        }
        let longest = (number(&header, LONGEST) & u64::from(u32::MAX)) as u32;
        let has_longest = subject.kind != Kind::Wdl;
        if header[24..LONGEST] != expected[24..LONGEST]
            || header[32..40] != expected[32..40]
            || longest > if has_longest { MAX_DISTANCE } else { 0 }
        {
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
            // Only blocks of drawn slots may have no distances, and only blocks without drawn slots no ultra-strong
            // values.
            if end < last + u64::from(!has_longest) || end > found {
                return Err(Fault::Header);
            }
            last = end;
        }
        Ok(TableFile { source, subject, identity, directory, longest, number: table_number() })
    }

    /// Returns the name of the file.
    pub fn name(&self) -> String {
        self.source.name()
    }

    /// Returns the subject of the table.
    pub const fn subject(&self) -> &Subject {
        &self.subject
    }

    /// Returns the length of the file and the checksum of its header.
    pub const fn identity(&self) -> Written {
        self.identity
    }

    /// Returns the longest distance, in plies.
    pub const fn longest(&self) -> u32 {
        self.longest
    }

    /// Returns the width of half distances.
    pub const fn width(&self) -> Width {
        Width::of(self.longest)
    }

    /// Reads a block into a buffer and checks it.
    ///
    /// # Errors
    /// Fails if the block is damaged or cannot be read.
    pub fn block(&self, block: u64, buffer: &mut Vec<u8>) -> Result<(), Fault> {
        let at = block as usize * ENTRY;
        let start = if block == 0 { self.subject.data_offset() } else { number(&self.directory, at - ENTRY) };
        let length = number(&self.directory, at) - start;
        buffer.resize(usize::try_from(length).map_err(|_| Fault::Block { block })?, 0);
        self.source.read(buffer, start)?;
        if xxh3_64(buffer) == number(&self.directory, at + 8) { Ok(()) } else { Err(Fault::Block { block }) }
    }

    /// Returns the bytes of a block. A block longer than `longest_plain` is decompressed to at most `capacity`.
    fn plain(&self, block: u64, longest_plain: usize, capacity: usize) -> Result<Vec<u8>, Fault> {
        WORKSPACE.with_borrow_mut(|Workspace { bytes, zstd }| {
            self.block(block, bytes)?;
            if bytes.len() <= longest_plain {
                return Ok(bytes.clone());
            }
            zstd.decompress(bytes, capacity).ok_or(Fault::Block { block })
        })
    }

    /// Returns the results of a block of a WDL table, as [`Results`] stores them.
    ///
    /// # Errors
    /// Fails if the block is damaged or cannot be read.
    pub fn results(&self, block: u64) -> Result<Vec<u8>, Fault> {
        let slots = self.subject.block(block);
        let slots = (slots.end - slots.start) as usize;
        let damaged = Fault::Block { block };
        let plain = self.plain(block, 1, slots.div_ceil(PER_PLAIN_BYTE))?;
        match plain[..] {
            [digit] if digit <= WIN => Ok(plain),
            _ => repack(&plain, slots).ok_or(damaged),
        }
    }

    /// Returns the half distances of a block of a distance table, by slot, given the digits of its results.
    ///
    /// # Errors
    /// Fails if the block is damaged or cannot be read.
    pub fn halves(&self, block: u64, digits: &[u8]) -> Result<Vec<u8>, Fault> {
        let width = self.width();
        let packed = self.plain(block, width.bytes(), width.bytes() * digits.len())?;
        if packed.len() == width.bytes() {
            return Ok(packed);
        }
        width.unpack(&packed, digits).ok_or(Fault::Block { block })
    }

    /// Returns the ultra-strong values of a block by slot, as [`keys`] unpacks them, given the digits of its results.
    ///
    /// # Errors
    /// Fails if the block is damaged or cannot be read.
    pub fn prospects(&self, block: u64, digits: &[u8]) -> Result<Vec<u8>, Fault> {
        let packed = self.plain(block, keys::ALIKE, keys::capacity(digits.len()))?;
        keys::unpack(&packed, digits).ok_or(Fault::Block { block })
    }

    /// Returns the block of a slot and its place there.
    #[inline]
    fn place(&self, slot: u64) -> (u64, usize) {
        debug_assert!(slot < self.subject.slots);
        let size = self.subject.block_slots();
        (slot / size, (slot % size) as usize)
    }

    fn key(&self, block: u64) -> BlockKey {
        BlockKey { table: self.number, block: block as u32 }
    }

    /// Returns the result of a slot of a WDL table.
    ///
    /// # Errors
    /// Fails if its block is damaged or cannot be read.
    #[inline]
    pub fn verdict(&self, slot: u64, cache: &Cache) -> Result<Verdict, Fault> {
        let (block, at) = self.place(slot);
        let found = cache.look(self.key(block), || self.results(block), |bytes| Results(bytes).verdict(at))?;
        found.ok_or(Fault::Block { block })
    }

    /// Returns the value of a slot of a distance table that has this result in a WDL table.
    ///
    /// # Errors
    /// Fails if a block of either is damaged or cannot be read.
    pub fn value(&self, slot: u64, verdict: Verdict, wdl: &TableFile, cache: &Cache) -> Result<Value, Fault> {
        let (block, at) = self.place(slot);
        let read = || self.halves(block, &self.digits(block, wdl, cache)?);
        let half = cache.look(self.key(block), read, |halves| self.width().half(halves, at))?;
        Ok(halves::value(verdict, half.ok_or(Fault::Block { block })?))
    }

    /// Returns the ultra-strong value of a slot that is drawn in a WDL table.
    ///
    /// # Errors
    /// Fails if a block of either is damaged or cannot be read.
    pub fn prospect(&self, slot: u64, wdl: &TableFile, cache: &Cache) -> Result<Prospect, Fault> {
        let (block, at) = self.place(slot);
        let read = || self.prospects(block, &self.digits(block, wdl, cache)?);
        let found = cache.look(self.key(block), read, |block| keys::prospect(block, at))?;
        found.ok_or(Fault::Block { block })
    }

    /// Returns the digits of the slots of a block in a WDL table.
    fn digits(&self, block: u64, wdl: &TableFile, cache: &Cache) -> Result<Vec<u8>, Fault> {
        let slots = self.subject.block(block);
        let (of_results, first) = wdl.place(slots.start);
        let digits = cache.look(
            wdl.key(of_results),
            || wdl.results(of_results),
            |bytes| Results(bytes).digits(first, (slots.end - slots.start) as usize),
        )?;
        digits.ok_or(Fault::Block { block: of_results })
    }
}
