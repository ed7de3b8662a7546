//! Carry packs: sets of positions that a search should avoid or aim for, small enough to ship everywhere.
//!
//! A pack has two kinds of sets:
//!
//! - Positions that the side to move wins: those after moves by which the search would lose.
//! - Positions that the side to move does not win, of a strategy that the side that has just moved can follow.
//!
//! A pack makes no claim about other positions. Positions are the slots of the tablebases, so that images under
//! symmetry are one. Draw counters are ignored, as in tables: they only take wins away, so a position that is not won
//! stays so.
//!
//! - Positions that the side to move wins: those after moves by which the search would lose.
//! - Positions that the side to move does not win, of a strategy that the side that has just moved can follow.
//!
//! A pack makes no claim about other positions. Positions are the slots of the tablebases, so that images under
//! symmetry are one. Draw counters are ignored, as in tables: they only take wins away, so a position that is not won
//! stays so.
//!
//! Numbers are little-endian. A file is a header, a list of sectors, and their sets one after the other, as `sparse`
//! stores them:
//!
//! | offset | bytes | content |
//! |---|---|---|
//! | 0 | 8 | `MILLPACK` |
//! | 8 | 4 | version of the format |
//! | 12 | 4 | number of sectors |
//! | 16 | 8 | rules: the tag of the endings |
//! | 24 | 2 | zero |
//! | 26 | 2 | forces of the sides at the start, to distinguish numbers of stones; zeros if it has no tables |
//! | 28 | 4 | zero |
//! | 32 | 8 | length of the file |
//! | 40 | 8 | XXH3-64 of all other bytes |
//! | 48 | 8 per sector | forces of mover and opponent, a byte each; the [`Said`]; a zero; positions, 4 bytes |
//! | | | the sets, then eight zeros |

mod contents;
mod filter;
mod sparse;

pub use contents::{Contents, PackError};

use crate::endings::{Endings, PositionOf, RulesTag, Sector};
use ahash::AHashMap;
use filter::Filter;
use millbrain_core::game::Searchable;
use millbrain_files::open_regular;
use sparse::Sparse;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io::{self, Read};
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use xxhash_rust::xxh3::Xxh3;

/// The version of the format.
const FORMAT: u32 = 1;
const MAGIC: &[u8; 8] = b"MILLPACK";
/// Bytes of the header.
const HEADER: usize = 48;
/// The offset of the checksum.
const SUM: usize = 40;
/// Bytes of the list for each sector.
const ENTRY: usize = 8;
/// Padding bytes at the end, so that numbers can be read with the bytes that follow them.
const END: usize = 8;
/// The extension of file names.
pub const EXTENSION: &str = "pack";

/// The reason why a pack is not used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PackFault {
    /// The file cannot be read.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The file is not a pack.
    #[error("no pack, expected a file made by 'truth pack'")]
    Foreign,
    /// The pack has another version of the format.
    #[error("format version {found}, expected {FORMAT}")]
    Version {
        /// The version.
        found: u32,
    },
    /// The pack is for other rules.
    #[error("a pack of other rules")]
    Rules,
    /// The pack has a wrong length.
    #[error("{found} bytes long, expected {expected}")]
    Length {
        /// Length of the file.
        found: u64,
        /// Length that its header gives.
        expected: u64,
    },
    /// The contents have changed.
    #[error("damaged: its checksum is wrong")]
    Damaged,
}

/// The claim of a set about its positions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Said {
    /// The side to move wins.
    Won = 0,
    /// The side to move does not win, and its opponent has a strategy.
    Held = 1,
}

impl Said {
    const ALL: [Said; 2] = [Said::Won, Said::Held];
}

/// The rules of a pack.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Mark {
    tag: RulesTag,
    start: [u8; 2],
}

impl Mark {
    fn of<E: Endings>(endings: &E) -> Mark {
        let start = endings.start().map_or([0; 2], |Sector { own, opp }| [own, opp]);
        Mark { tag: endings.tag(), start }
    }

    fn read(header: &[u8]) -> Mark {
        Mark { tag: number(header, 16), start: number(header, 26) }
    }

    fn write(self, header: &mut [u8]) {
        header[16..24].copy_from_slice(&self.tag);
        header[26..28].copy_from_slice(&self.start);
    }
}

/// The positions of a sector with the same claim.
struct Set {
    slots: Sparse,
    /// The filter, built once the set has been probed as often as it has members: most are hardly ever probed.
    filter: OnceLock<Filter>,
    asked: AtomicU32,
}

impl Set {
    fn new(slots: Sparse) -> Set {
        Set { slots, filter: OnceLock::new(), asked: AtomicU32::new(0) }
    }
}

/// Returns a number that a position and its images share, and few others.
#[inline(always)]
fn key<E: Endings>(endings: &E, pos: &PositionOf<E>) -> u64 {
    endings.game().root_key(pos).0
}

/// A pack that has been opened.
pub struct Pack<E: Endings> {
    endings: E,
    /// The sets by claim.
    sets: [AHashMap<Sector, Set>; 2],
    bytes: Cow<'static, [u8]>,
}

fn number<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    std::array::from_fn(|i| bytes.get(at + i).copied().unwrap_or(0))
}

fn checksum(bytes: &[u8]) -> u64 {
    let mut hash = Xxh3::new();
    hash.update(&bytes[..SUM]);
    hash.update(&bytes[SUM + 8..]);
    hash.digest()
}

/// Checks the header, and returns the length of the file.
fn check_header(header: &[u8], mark: Mark, found: u64) -> Result<u64, PackFault> {
    if !header.starts_with(MAGIC) {
        let is_begun = MAGIC.starts_with(header) && !header.is_empty();
        return Err(if is_begun { PackFault::Length { found, expected: HEADER as u64 } } else { PackFault::Foreign });
    }
    if header.len() < HEADER {
        return Err(PackFault::Length { found, expected: HEADER as u64 });
    }
    let version = u32::from_le_bytes(number(header, 8));
    if version != FORMAT {
        return Err(PackFault::Version { found: version });
    }
    if Mark::read(header) != mark {
        return Err(PackFault::Rules);
    }
    let expected = u64::from_le_bytes(number(header, 32));
    if found == expected { Ok(expected) } else { Err(PackFault::Length { found, expected }) }
}

/// Checks that a file is a pack of any rules, by its header.
///
/// # Errors
/// Fails if it cannot be read, or is not a whole pack.
pub fn check(path: &Path) -> Result<(), PackFault> {
    let mut file = open_regular(path)?;
    let found = file.metadata()?.len();
    let mut header = Vec::new();
    Read::by_ref(&mut file).take(HEADER as u64).read_to_end(&mut header)?;
    check_header(&header, Mark::read(&header), found).map(drop)
}

impl<E: Endings> Pack<E> {
    /// Opens a file. It is read as a whole; no other memory grows with it.
    ///
    /// # Errors
    /// Fails if it cannot be read, or is not a whole and sound pack that holds for these rules.
    pub fn open(path: &Path, endings: &E) -> Result<Pack<E>, PackFault> {
        let mut file = open_regular(path)?;
        let found = file.metadata()?.len();
        let mut bytes = Vec::new();
        Read::by_ref(&mut file).take(HEADER as u64).read_to_end(&mut bytes)?;
        let length = check_header(&bytes, Mark::of(endings), found)?;
        bytes
            .try_reserve_exact(usize::try_from(length).unwrap_or(usize::MAX).saturating_sub(HEADER))
            .map_err(|_| io::Error::new(io::ErrorKind::OutOfMemory, format!("no memory for {length} bytes")))?;
        file.take(length - bytes.len() as u64).read_to_end(&mut bytes)?;
        Pack::read(bytes.into(), endings)
    }

    /// Reads a pack that is part of the program, or already in memory.
    ///
    /// # Errors
    /// Fails if it is not a whole and sound pack that holds for these rules.
    pub fn read(bytes: Cow<'static, [u8]>, endings: &E) -> Result<Pack<E>, PackFault> {
        let found = bytes.len() as u64;
        check_header(&bytes[..bytes.len().min(HEADER)], Mark::of(endings), found)?;
        if u64::from_le_bytes(number(&bytes, SUM)) != checksum(&bytes) {
            return Err(PackFault::Damaged);
        }
        let count = u32::from_le_bytes(number(&bytes, 12)) as usize;
        let known: BTreeSet<Sector> = endings.sectors().into_iter().collect();
        let mut sets = [AHashMap::new(), AHashMap::new()];
        // A forged file can have a right checksum: contents that do not fit are damage, too.
        let mut start = count.checked_mul(ENTRY).and_then(|list| list.checked_add(HEADER)).ok_or(PackFault::Damaged)?;
        for entry in bytes.get(HEADER..start).ok_or(PackFault::Damaged)?.chunks_exact(ENTRY) {
            let sector = Sector::new(entry[0], entry[1]);
            let said = Said::ALL.into_iter().find(|&said| said as u8 == entry[2]).ok_or(PackFault::Damaged)?;
            if !known.contains(&sector) {
                return Err(PackFault::Damaged);
            }
            let set = Sparse::new(endings.slots(sector), u32::from_le_bytes(number(entry, 4)).into(), start);
            let end = usize::try_from(set.bytes()).ok().and_then(|length| start.checked_add(length));
            start = end.filter(|&end| end <= bytes.len()).ok_or(PackFault::Damaged)?;
            sets[said as usize].insert(sector, Set::new(set));
        }
        if sets.iter().map(|sets| sets.len()).sum::<usize>() != count || start.checked_add(END) != Some(bytes.len()) {
            return Err(PackFault::Damaged);
        }
        Ok(Pack { endings: endings.clone(), sets, bytes })
    }

    /// Returns the endings that the pack is of.
    pub const fn endings(&self) -> &E {
        &self.endings
    }

    /// Returns the number of positions.
    pub(crate) fn len(&self) -> u64 {
        self.sets.iter().flat_map(|sets| sets.values()).map(|set| set.slots.len()).sum()
    }

    /// Returns whether the pack has positions with this claim.
    pub(crate) fn says(&self, said: Said) -> bool {
        !self.sets[said as usize].is_empty()
    }

    /// Returns the positions with this claim, in order.
    pub fn keys(&self, said: Said) -> Vec<(Sector, u64)> {
        let sets = self.sets[said as usize].iter();
        let mut keys: Vec<_> =
            sets.flat_map(|(&sector, set)| set.slots.iter(&self.bytes).map(move |slot| (sector, slot))).collect();
        keys.sort_unstable();
        keys
    }

    /// Returns whether a position has this claim. Positions with more than `limit` stones or pieces are not looked up.
    #[inline]
    pub fn contains(&self, said: Said, pos: &PositionOf<E>, limit: u32) -> bool {
        self.endings.sector(pos).is_some_and(|sector| {
            let set = self.sets[said as usize].get(&sector).filter(|_| self.endings.pieces(sector) <= limit);
            set.is_some_and(|set| set.slots.contains(&self.bytes, self.endings.slot(pos)))
        })
    }

    /// Does the same for the nodes of a search, which probe repeatedly, mostly positions that are not in the pack.
    #[inline]
    pub(crate) fn contains_quickly(&self, said: Said, pos: &PositionOf<E>, limit: u32) -> bool {
        let Some(sector) = self.endings.sector(pos) else { return false };
        let Some(set) = self.sets[said as usize].get(&sector) else { return false };
        let filter = set.filter.get().or_else(|| self.filter(sector, set));
        filter.is_none_or(|filter| filter.may_have(key(&self.endings, pos))) && self.contains(said, pos, limit)
    }

    /// Returns the filter of a set that has been probed often enough.
    #[inline(never)]
    fn filter<'a>(&self, sector: Sector, set: &'a Set) -> Option<&'a Filter> {
        if u64::from(set.asked.fetch_add(1, Relaxed)) < set.slots.len() {
            return None;
        }
        let positions = set.slots.iter(&self.bytes).filter_map(|slot| self.endings.position(sector, slot));
        let keys = positions.map(|pos| key(&self.endings, &pos));
        Some(set.filter.get_or_init(|| Filter::of(set.slots.len(), keys)))
    }
}

#[cfg(test)]
mod tests;
