//! The format of table files, and a reader.
//!
//! Numbers are little-endian. A file is a header, a directory of blocks, and the blocks:
//!
//! | offset | bytes | content |
//! |---|---|---|
//! | 0 | 8 | `MILLTBLW` (win, draw, loss), `MILLTBLD` (distances) or `MILLTBLU` (ultra-strong values) |
//! | 8 | 4 | [version](FORMAT) of the format |
//! | 12 | 4 | slots per block |
//! | 16 | 8 | rules: the tag of the endings |
//! | 24 | 2 | forces of the side to move and of the opponent |
//! | 26 | 2 | zero |
//! | 28 | 4 | the longest distance, in plies; in results zero |
//! | 32 | 8 | slots |
//! | 40 | 8 | length of the file |
//! | 48 | 8 | XXH3-64 of bytes 0 to 47 and of the directory |
//! | 56 | 16 per block | directory: where the block ends in the file, and the XXH3-64 of its bytes |
//!
//! A result is a digit to the base 3: 0 loss, 1 draw, 2 win. A block of one byte of a WDL file means that all its slots
//! have this digit. Otherwise it is a zstd frame of three slots to a byte, the first the least significant digit.
//!
//! A block of a distance file has half the distances, rounded down, of its won and lost slots, whose results are in the
//! WDL file. It is empty if all its slots are drawn, one number if all are the same, and otherwise a zstd frame of
//! them. A number is a byte, or two where the longest distance is over 511 plies. Sectors whose values follow from
//! those of others in one ply have no distance file.
//!
//! A block of ultra-strong values is empty if no slot is drawn, and five bytes if all drawn slots have one value.
//! Otherwise it is a zstd frame: the number of different values (2), the values (a signed key, 1; its plies, 2), the
//! most frequent first, and the number of the value of each drawn slot: a byte, or two where there are more than 256.
//!
//! Vacant slots repeat the code of the slot before.

pub mod cache;
pub(crate) mod codec;
pub mod digits;
mod fault;
mod file;
pub mod halves;
pub mod keys;
pub(crate) mod source;

pub use fault::Fault;
pub use file::TableFile;
pub(crate) use file::table_number;

use crate::endings::{Endings, RulesTag, Sector};
use std::ops::Range;
use xxhash_rust::xxh3::Xxh3;

/// The version of the format.
pub const FORMAT: u32 = 2;

/// Bytes of the header.
pub const HEADER: usize = 56;
/// Bytes of the header that its checksum covers.
pub const SUMMED: usize = 48;
/// Bytes of the directory for each block.
const ENTRY: usize = 16;
/// The longest distance that a table can hold, in plies: two words stand for a draw and for a vacant slot.
pub const MAX_DISTANCE: u32 = u16::MAX as u32 - 2;
/// The offset of the longest distance in the header.
const LONGEST: usize = 28;

/// The kind of a table file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// The results, win, draw or loss, for the search.
    Wdl,
    /// The distances to the end, for play and analysis.
    Distance,
    /// The ultra-strong values of drawn positions, for play.
    Ultra,
}

impl Kind {
    /// The kinds of tables without ultra-strong values.
    pub const ALL: [Kind; 2] = [Kind::Wdl, Kind::Distance];

    const fn magic(self) -> &'static [u8; 8] {
        match self {
            Kind::Wdl => b"MILLTBLW",
            Kind::Distance => b"MILLTBLD",
            Kind::Ultra => b"MILLTBLU",
        }
    }

    /// Returns the slots per block. A block of results has whole blocks of the others.
    pub const fn block(self) -> u64 {
        match self {
            Kind::Wdl => 30_720,
            Kind::Distance => 5_120,
            Kind::Ultra => 15_360,
        }
    }

    /// Returns the extension of file names.
    pub const fn extension(self) -> &'static str {
        match self {
            Kind::Wdl => "wdl",
            Kind::Distance => "dtw",
            Kind::Ultra => "ultra",
        }
    }
}

/// Identifies the table of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Subject {
    /// The kind of the table.
    pub kind: Kind,
    /// The tag of its rules.
    pub tag: RulesTag,
    /// Its forces.
    pub sector: Sector,
    /// Number of slots.
    pub slots: u64,
}

impl Subject {
    /// Returns the subject of a sector's table.
    pub fn of<E: Endings>(endings: &E, sector: Sector, kind: Kind) -> Subject {
        Subject { kind, tag: endings.tag(), sector, slots: endings.slots(sector) }
    }

    /// Returns the slots per block.
    #[inline]
    pub const fn block_slots(&self) -> u64 {
        self.kind.block()
    }

    /// Returns the number of blocks.
    pub const fn blocks(&self) -> u64 {
        self.slots.div_ceil(self.block_slots())
    }

    /// Returns the slots of a block; the last may have fewer than the others.
    pub fn block(&self, block: u64) -> Range<u64> {
        let size = self.block_slots();
        block * size..((block + 1) * size).min(self.slots)
    }

    /// Returns the bytes of the directory.
    pub fn directory(&self) -> usize {
        self.blocks() as usize * ENTRY
    }

    /// Returns the offset of the first block in the file.
    pub fn data_offset(&self) -> u64 {
        HEADER as u64 + self.blocks() * ENTRY as u64
    }

    /// Returns the header of a file with this length, longest distance and directory.
    pub fn header(&self, length: u64, longest: u32, directory: &[u8]) -> [u8; HEADER] {
        let mut header = [0; HEADER];
        header[..8].copy_from_slice(self.kind.magic());
        header[8..12].copy_from_slice(&FORMAT.to_le_bytes());
        header[12..16].copy_from_slice(&(self.block_slots() as u32).to_le_bytes());
        header[16..24].copy_from_slice(&self.tag);
        header[24] = self.sector.own;
        header[25] = self.sector.opp;
        header[LONGEST..32].copy_from_slice(&longest.to_le_bytes());
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

/// Returns the kind, the sector and the bytes of the table file that these bytes begin with.
pub(crate) fn first_file(bytes: &'static [u8]) -> Option<(Kind, Sector, &'static [u8])> {
    let header = bytes.get(..HEADER)?;
    let kind = Kind::ALL.into_iter().find(|kind| header.starts_with(kind.magic()))?;
    let length = usize::try_from(number(header, 40)).ok()?;
    Some((kind, Sector::new(header[24], header[25]), bytes.get(..length.max(HEADER))?))
}

/// Reads the eight bytes at an offset as a number.
#[inline]
pub fn number(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(std::array::from_fn(|i| bytes[at + i]))
}

/// A file that has been written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Written {
    /// Its length.
    pub bytes: u64,
    /// The checksum of its header, which covers all the rest.
    pub checksum: u64,
}
