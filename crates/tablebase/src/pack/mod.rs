//! Carry packs: sets of positions that the side to move wins, small enough to be everywhere.
//!
//! A pack has the positions that follow moves by which the search would lose. It says nothing of any other position, so it
//! can be made of those alone in which the search goes wrong. Positions are the slots of the tablebases, so that images
//! under symmetry are one.
//!
//! Numbers are little-endian. A file is a header, a list of sectors, and their sets one after the other, as
//! `sparse` has them:
//!
//! | offset | bytes | content |
//! |---|---|---|
//! | 0 | 8 | `MILLPACK` |
//! | 8 | 4 | version of the format |
//! | 12 | 4 | number of sectors |
//! | 16 | 8 | rules: the tag of the endings |
//! | 24 | 2 | the draw counter of the rules, in plies; 0 if there is none |
//! | 26 | 2 | forces of the sides at the start of the game, which tell games with more stones from those with fewer; zeros if there are no tables for it |
//! | 28 | 4 | zero |
//! | 32 | 8 | length of the file |
//! | 40 | 8 | XXH3-64 of all other bytes |
//! | 48 | 8 per sector | forces of the side to move and of the opponent, a byte each; two zeros; four bytes with the number of positions |
//! | | | the sets, then eight zeros |

mod sparse;

use crate::endings::{Endings, Located, PositionOf, RulesTag, Sector};
use crate::files::open_regular;
use crate::with_endings;
use ahash::AHashMap;
use millbrain_core::any::AnyGame;
use millbrain_core::game::Notation;
use millbrain_core::game::fen::Faults;
use millbrain_core::variant::Ruleset;
use sparse::Sparse;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read};
use std::path::Path;
use xxhash_rust::xxh3::Xxh3;

/// The version of the format.
const FORMAT: u32 = 1;
const MAGIC: &[u8; 8] = b"MILLPACK";
/// Bytes of the header.
const HEADER: usize = 48;
/// Where the checksum is.
const SUM: usize = 40;
/// Bytes of the list for each sector.
const ENTRY: usize = 8;
/// Bytes at the end, so that numbers can be read with what follows them.
const END: usize = 8;
/// The extension of file names.
pub const EXTENSION: &str = "pack";

/// Why a pack is not used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PackFault {
    /// It cannot be read.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// It is no pack.
    #[error("no pack, expected a file made by 'truth pack'")]
    Foreign,
    /// It is of another version of the format.
    #[error("format version {found}, expected {FORMAT}")]
    Version {
        /// The version.
        found: u32,
    },
    /// It is of other rules.
    #[error("a pack of other rules")]
    Rules,
    /// It has another length than it should have.
    #[error("{found} bytes long, expected {expected}")]
    Length {
        /// Length of the file.
        found: u64,
        /// Length that its header gives.
        expected: u64,
    },
    /// Something in it has changed.
    #[error("damaged: its checksum is wrong")]
    Damaged,
}

/// Why no pack can be made of some positions.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PackError {
    /// There are no tables for these rules, so positions have no numbers.
    #[error(transparent)]
    Rules(#[from] crate::NoEndings),
    /// One of them is no position.
    #[error("{fen}: {source}")]
    Fen {
        /// Its text.
        fen: String,
        /// What is wrong with it.
        source: Faults,
    },
    /// One of them is in no sector.
    #[error("{0}: in no table, expected an undecided position")]
    Nowhere(String),
}

/// What a pack is marked with.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Mark {
    tag: RulesTag,
    /// Plies without progress that are a draw; 0 if none are.
    counter: u16,
    start: [u8; 2],
}

impl Mark {
    fn of<E: Endings>(endings: &E, rules: &Ruleset) -> Mark {
        let counter = AnyGame::new(*rules).draw_rules().progress_limit;
        let start = endings.start().map_or([0; 2], |Sector { own, opp }| [own, opp]);
        Mark { tag: endings.tag(), counter, start }
    }

    fn read(header: &[u8]) -> Mark {
        let counter = u16::from_le_bytes(number(header, 24));
        Mark { tag: number(header, 16), counter, start: number(header, 26) }
    }

    fn write(self, header: &mut [u8]) {
        header[16..24].copy_from_slice(&self.tag);
        header[24..26].copy_from_slice(&self.counter.to_le_bytes());
        header[26..28].copy_from_slice(&self.start);
    }

    /// Whether what is said under this mark holds under the other: a shorter counter may take wins away.
    fn holds_for(self, other: Mark) -> bool {
        let is_as_long = other.counter == 0 || (self.counter > 0 && other.counter >= self.counter);
        is_as_long && self == Mark { counter: self.counter, ..other }
    }
}

/// A pack that has been opened.
pub(crate) struct Pack<E: Endings> {
    endings: E,
    sets: AHashMap<Sector, Sparse>,
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

/// Checks as much as the header tells, and returns the length of the file.
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
    if !Mark::read(header).holds_for(mark) {
        return Err(PackFault::Rules);
    }
    let expected = u64::from_le_bytes(number(header, 32));
    if found == expected { Ok(expected) } else { Err(PackFault::Length { found, expected }) }
}

impl<E: Endings> Pack<E> {
    /// Opens a file. It is read as a whole; nothing else takes memory that grows with it.
    ///
    /// # Errors
    /// When it cannot be read, or is no whole and sound pack that holds for these rules.
    pub(crate) fn open(path: &Path, endings: &E, rules: &Ruleset) -> Result<Pack<E>, PackFault> {
        let mut file = open_regular(path)?;
        let found = file.metadata()?.len();
        let mut bytes = Vec::new();
        Read::by_ref(&mut file).take(HEADER as u64).read_to_end(&mut bytes)?;
        let length = check_header(&bytes, Mark::of(endings, rules), found)?;
        bytes
            .try_reserve_exact(usize::try_from(length).unwrap_or(usize::MAX).saturating_sub(HEADER))
            .map_err(|_| io::Error::new(io::ErrorKind::OutOfMemory, format!("no memory for {length} bytes")))?;
        file.take(length - bytes.len() as u64).read_to_end(&mut bytes)?;
        Pack::read(bytes.into(), endings, rules)
    }

    /// A pack that is part of the program, or has been read.
    ///
    /// # Errors
    /// When it is no whole and sound pack that holds for these rules.
    pub(crate) fn read(bytes: Cow<'static, [u8]>, endings: &E, rules: &Ruleset) -> Result<Pack<E>, PackFault> {
        let found = bytes.len() as u64;
        check_header(&bytes[..bytes.len().min(HEADER)], Mark::of(endings, rules), found)?;
        if u64::from_le_bytes(number(&bytes, SUM)) != checksum(&bytes) {
            return Err(PackFault::Damaged);
        }
        let count = u32::from_le_bytes(number(&bytes, 12)) as usize;
        let known: BTreeSet<Sector> = endings.sectors().into_iter().collect();
        let mut sets = AHashMap::new();
        // Whoever makes up a checksum can make up anything: what does not fit is damage, too.
        let mut start = count.checked_mul(ENTRY).and_then(|list| list.checked_add(HEADER)).ok_or(PackFault::Damaged)?;
        for entry in bytes.get(HEADER..start).ok_or(PackFault::Damaged)?.chunks_exact(ENTRY) {
            let sector = Sector::new(entry[0], entry[1]);
            if !known.contains(&sector) {
                return Err(PackFault::Damaged);
            }
            let set = Sparse::new(endings.slots(sector), u32::from_le_bytes(number(entry, 4)).into(), start);
            let end = usize::try_from(set.bytes()).ok().and_then(|length| start.checked_add(length));
            start = end.filter(|&end| end <= bytes.len()).ok_or(PackFault::Damaged)?;
            sets.insert(sector, set);
        }
        if sets.len() != count || start.checked_add(END) != Some(bytes.len()) {
            return Err(PackFault::Damaged);
        }
        Ok(Pack { endings: endings.clone(), sets, bytes })
    }

    /// Number of positions.
    pub(crate) fn len(&self) -> u64 {
        self.sets.values().map(Sparse::len).sum()
    }

    /// Whether it has a position, which is then won for the side to move. Positions with more than `limit` stones or pieces
    /// are not looked up.
    #[inline]
    pub(crate) fn contains(&self, pos: &PositionOf<E>, limit: u32) -> bool {
        self.endings.sector(pos).is_some_and(|sector| {
            let set = self.sets.get(&sector).filter(|_| self.endings.pieces(sector) <= limit);
            set.is_some_and(|set| set.contains(&self.bytes, self.endings.slot(pos)))
        })
    }

    /// The FENs of its positions, in order of sectors and slots.
    fn fens(&self) -> Vec<String> {
        let mut sectors: Vec<_> = self.sets.iter().collect();
        sectors.sort_unstable_by_key(|(sector, _)| **sector);
        let slots =
            sectors.into_iter().flat_map(|(&sector, set)| set.iter(&self.bytes).map(move |slot| (sector, slot)));
        let positions = slots.filter_map(|(sector, slot)| self.endings.position(sector, slot));
        positions.map(|pos| self.endings.fen(&pos)).collect()
    }
}

fn write_endings<E: Endings>(
    endings: &E,
    rules: &Ruleset,
    fens: &mut dyn Iterator<Item = &str>,
) -> Result<Vec<u8>, PackError> {
    let game = endings.game();
    let mut sectors: BTreeMap<Sector, BTreeSet<u64>> = BTreeMap::new();
    for fen in fens {
        let placed = game.parse_fen(fen).map_err(|source| PackError::Fen { fen: fen.to_string(), source })?;
        match endings.locate(&placed.position) {
            Located::Slot(sector, slot) => sectors.entry(sector).or_default().insert(slot),
            _ => return Err(PackError::Nowhere(fen.to_string())),
        };
    }
    let mut bytes = vec![0; HEADER];
    bytes[..8].copy_from_slice(MAGIC);
    bytes[8..12].copy_from_slice(&FORMAT.to_le_bytes());
    bytes[12..16].copy_from_slice(&(sectors.len() as u32).to_le_bytes());
    Mark::of(endings, rules).write(&mut bytes);
    for (sector, slots) in &sectors {
        bytes.extend([sector.own, sector.opp, 0, 0]);
        bytes.extend((slots.len() as u32).to_le_bytes());
    }
    for (sector, slots) in sectors {
        Sparse::write(endings.slots(sector), &slots.into_iter().collect::<Vec<_>>(), &mut bytes);
    }
    bytes.extend([0; END]);
    let length = (bytes.len() as u64).to_le_bytes();
    bytes[32..40].copy_from_slice(&length);
    let sum = checksum(&bytes).to_le_bytes();
    bytes[SUM..HEADER].copy_from_slice(&sum);
    Ok(bytes)
}

/// A pack of these positions, each of which has to be won for the side to move. Equal sets of positions make equal packs.
///
/// # Errors
/// Rules without tables, or a text that is no undecided position.
pub fn write<'a>(rules: &Ruleset, fens: impl IntoIterator<Item = &'a str>) -> Result<Vec<u8>, PackError> {
    let mut fens = fens.into_iter();
    with_endings!(*rules, |endings| write_endings(&endings, rules, &mut fens), else Err(crate::NoEndings.into()))
}

/// The positions of a pack, in the order of their numbers, one of each that are the same by symmetry.
///
/// # Errors
/// As for a pack that is not used.
pub fn read(rules: &Ruleset, path: &Path) -> Result<Vec<String>, PackFault> {
    with_endings!(
        *rules,
        |endings| Pack::open(path, &endings, rules).map(|pack| pack.fens()),
        else Err(PackFault::Rules)
    )
}

#[cfg(test)]
mod tests;
