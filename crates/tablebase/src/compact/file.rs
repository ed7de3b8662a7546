//! Reads compact files.

use super::{BLOCK, Model, Scanner, VERSION, block_slots, decode};
use crate::binomial::MAX_SIZE;
use crate::endings::{Endings, RulesTag, Sector};
use crate::format::cache::{BlockKey, Cache};
use crate::format::codec::Decompressor;
use crate::format::digits::{Results, pack};
use crate::format::source::Source;
use crate::format::{Fault, number, table_number};
use crate::hosted::Hosted;
use crate::rules::TablebaseRules;
use crate::tally::Counts;
use ahash::AHashMap;
use millbrain_core::game::Verdict;
use millbrain_core::morris::{CUSTOM, rules_of};
use millbrain_core::variant::Ruleset;
use millbrain_files::{open_regular, read_at};
use std::path::Path;
use std::sync::{Arc, OnceLock};
use xxhash_rust::xxh3::{Xxh3, xxh3_64, xxh3_64_with_seed};

const MAGIC: &[u8; 8] = b"MILLTBLC";
/// Bytes of the header.
const HEADER: usize = 40;
/// Bytes of the header that its checksum covers.
const SUMMED: usize = 32;
/// Bytes of a section in the list.
pub const SECTION: usize = 96;
/// Blocks in a group of the index.
const GROUP: u64 = 64;
/// Bytes of a group of the index.
const GROUP_BYTES: usize = 8 + GROUP as usize * (2 + 4);

/// Returns the bytes of the header of a file, with its list of sections.
pub const fn header_bytes(sections: usize) -> u64 {
    (HEADER + sections * SECTION) as u64
}

/// Returns the header of a file with these rules and sections.
pub fn header(tag: RulesTag, sections: &[Section], length: u64) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEADER + sections.len() * SECTION);
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&VERSION.to_le_bytes());
    bytes.extend_from_slice(&(sections.len() as u32).to_le_bytes());
    bytes.extend_from_slice(&tag);
    bytes.extend_from_slice(&length.to_le_bytes());
    let list: Vec<u8> = sections.iter().flat_map(Section::bytes).collect();
    let sum = checksum(&bytes, &list);
    bytes.extend_from_slice(&sum.to_le_bytes());
    bytes.extend_from_slice(&list);
    bytes
}

fn checksum(header: &[u8], list: &[u8]) -> u64 {
    let mut hash = Xxh3::new();
    hash.update(header);
    hash.update(list);
    hash.digest()
}

/// Reads the header of a file; its checksum is not checked.
fn read_header(source: &Source) -> Result<[u8; HEADER], Fault> {
    let mut header = [0; HEADER];
    let found = source.length()?;
    let begun = found.min(HEADER as u64) as usize;
    source.read(&mut header[..begun], 0)?;
    let named = begun.min(MAGIC.len());
    if header[..named] != MAGIC[..named] {
        return Err(Fault::Foreign);
    }
    if begun < HEADER {
        return Err(Fault::Length { found, expected: HEADER as u64 });
    }
    match number(&header, 8) as u32 {
        VERSION => Ok(header),
        found => Err(Fault::Version { found, expected: VERSION }),
    }
}

fn tag_of(header: &[u8; HEADER]) -> RulesTag {
    std::array::from_fn(|i| header[16 + i])
}

/// Returns whether a path is that of a compact file.
pub fn is_compact(path: &Path) -> bool {
    let mut magic = [0; MAGIC.len()];
    open_regular(path).and_then(|file| read_at(&file, &mut magic, 0)).is_ok() && magic == *MAGIC
}

/// Returns the rules of a compact file, with the most stones that can have tables.
///
/// # Errors
/// Fails if it cannot be read, or is not a compact file of known rules.
pub fn compact_rules(path: &Path) -> Result<Ruleset, Fault> {
    let tag = tag_of(&read_header(&Source::open(path)?)?);
    match tag {
        [b'M', switches, 0, 0, 0, 0, 0, 0] if switches < CUSTOM => {
            Ok(Ruleset::Morris(rules_of(switches, MAX_SIZE as u8)))
        }
        [b'S', 0, 0, 0, 0, 0, 0, 0] => Ok(TablebaseRules::Smess.ruleset()),
        _ => Err(Fault::Rules),
    }
}

/// A section in the list of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Section {
    /// Its forces.
    pub sector: Sector,
    /// Number of slots.
    pub slots: u64,
    /// Bytes of the packed model.
    pub model_bytes: u32,
    /// Where the model begins in the file; 0 if the sector is left out.
    pub model: u64,
    /// Where the index begins in the file.
    pub index: u64,
    /// The checksum of the packed model.
    pub checksum: u64,
    /// The counts with a position and its images counted once.
    pub reduced: Counts,
    /// The counts with every image counted.
    pub unreduced: Counts,
}

impl Section {
    /// Returns whether the sector has no results of its own.
    pub const fn is_left_out(&self) -> bool {
        self.model == 0
    }

    /// Returns the number of blocks.
    pub const fn blocks(&self) -> u64 {
        self.slots.div_ceil(BLOCK)
    }

    /// Returns the bytes of model, blocks and index.
    pub fn length(&self) -> u64 {
        if self.is_left_out() { 0 } else { self.index - self.model + index_bytes(self.blocks()) }
    }

    /// Returns the section with its parts further on in the file.
    pub const fn moved(self, by: u64) -> Section {
        if self.is_left_out() { self } else { Section { model: self.model + by, index: self.index + by, ..self } }
    }

    /// Returns the bytes of the list.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(SECTION);
        bytes.extend_from_slice(&[self.sector.own, self.sector.opp, 0, 0]);
        bytes.extend_from_slice(&self.model_bytes.to_le_bytes());
        let counts = [self.reduced, self.unreduced].map(|counts| [counts.wins, counts.losses, counts.draws]);
        let numbers =
            [self.slots, self.model, self.index, self.checksum].into_iter().chain(counts.into_iter().flatten());
        numbers.chain([0]).for_each(|number| bytes.extend_from_slice(&number.to_le_bytes()));
        bytes
    }

    /// Reads a section of a list.
    pub fn read(bytes: &[u8; SECTION]) -> Section {
        let counts = |at: usize| {
            let [wins, losses, draws] = [0, 8, 16].map(|by| number(bytes, at + by));
            Counts { wins, losses, draws }
        };
        Section {
            sector: Sector::new(bytes[0], bytes[1]),
            model_bytes: (number(bytes, 0) >> 32) as u32,
            slots: number(bytes, 8),
            model: number(bytes, 16),
            index: number(bytes, 24),
            checksum: number(bytes, 32),
            reduced: counts(40),
            unreduced: counts(64),
        }
    }

    /// Returns the checksum of a block.
    pub fn block_checksum(&self, block: u64, code: &[u8]) -> u32 {
        let forces = u64::from(u16::from_le_bytes([self.sector.own, self.sector.opp]));
        xxh3_64_with_seed(code, forces << 32 | block) as u32
    }
}

/// Returns the bytes of the index of a section.
const fn index_bytes(blocks: u64) -> u64 {
    blocks.div_ceil(GROUP) * GROUP_BYTES as u64
}

/// Returns the index of blocks from their lengths and checksums, given the bytes before the first.
pub fn index(blocks: &[(u16, u32)], mut start: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    for group in blocks.chunks(GROUP as usize) {
        let mut padded = group.to_vec();
        padded.resize(GROUP as usize, (0, 0));
        bytes.extend_from_slice(&start.to_le_bytes());
        padded.iter().for_each(|(length, _)| bytes.extend_from_slice(&length.to_le_bytes()));
        padded.iter().for_each(|(_, checksum)| bytes.extend_from_slice(&checksum.to_le_bytes()));
        start += group.iter().map(|(length, _)| u64::from(*length)).sum::<u64>();
    }
    bytes
}

/// A section that is ready for probing.
struct Ready {
    section: Section,
    /// Read at the first probe.
    model: OnceLock<Arc<Model>>,
    /// Distinguishes its blocks from those of other tables.
    number: u32,
}

/// A compact file that is ready for probing. Header and list have been checked; the rest is checked when it is read.
pub struct Compact<E: Endings> {
    endings: E,
    source: Source,
    /// The sections, in the order of the list.
    sections: Vec<Ready>,
    places: AHashMap<Sector, usize>,
}

impl<E: Endings> Compact<E> {
    /// Opens a file for these endings, or for those without stones in hand.
    ///
    /// # Errors
    /// Fails if it cannot be read, or is not a compact file of these rules, whole and sound.
    pub fn open(path: &Path, endings: &E) -> Result<Compact<E>, Fault> {
        Compact::read(Source::open(path)?, endings)
    }

    /// Opens a file on a host, if its beginning has arrived.
    ///
    /// # Errors
    /// As of [`Compact::open`]; fails with [`Fault::Absent`] until then.
    pub(crate) fn hosted(file: Arc<Hosted>, endings: &E) -> Result<Compact<E>, Fault> {
        Compact::read(Source::Hosted(file), endings)
    }

    /// Opens a file in memory.
    ///
    /// # Errors
    /// Fails if it is not a compact file of these rules, whole and sound.
    pub fn embedded(bytes: &'static [u8], endings: &E) -> Result<Compact<E>, Fault> {
        Compact::read(Source::Embedded(bytes), endings)
    }

    fn read(source: Source, endings: &E) -> Result<Compact<E>, Fault> {
        let header = read_header(&source)?;
        let moving = endings.moving_only();
        let endings = [endings, &moving].into_iter().find(|endings| endings.tag() == tag_of(&header));
        let endings = endings.ok_or(Fault::Rules)?.clone();
        let (count, length, found) = ((number(&header, 8) >> 32) as usize, number(&header, 24), source.length()?);
        let least = header_bytes(count);
        if length != found || found < least {
            return Err(Fault::Length { found, expected: length.max(least) });
        }
        let mut list = vec![0; count * SECTION];
        source.read(&mut list, HEADER as u64)?;
        if checksum(&header[..SUMMED], &list) != number(&header, SUMMED) {
            return Err(Fault::Header);
        }
        let known: AHashMap<Sector, u64> = endings.sectors().into_iter().map(|s| (s, endings.slots(s))).collect();
        let mut sections = Vec::with_capacity(count);
        let mut places = AHashMap::with_capacity(count);
        for section in list.as_chunks().0.iter().map(Section::read) {
            let sector = section.sector;
            let is_whole = section.is_left_out()
                || section.model >= least
                    && section.model.checked_add(section.model_bytes.into()).is_some_and(|end| end <= section.index)
                    && section.index.checked_add(index_bytes(section.blocks())).is_some_and(|end| end <= length);
            // Rules with fewer stones use the other sections.
            let Some(&slots) = known.get(&sector) else { continue };
            let is_stored = !section.is_left_out();
            if slots != section.slots || is_stored == endings.is_left_out(sector) || !is_whole {
                return Err(Fault::Sector);
            }
            places.insert(sector, sections.len());
            sections.push(Ready { section, model: OnceLock::new(), number: table_number() });
        }
        Ok(Compact { endings, source, sections, places })
    }

    /// Returns the name of the file.
    pub fn name(&self) -> String {
        self.source.name()
    }

    /// Returns the endings of the file.
    pub const fn endings(&self) -> &E {
        &self.endings
    }

    /// Returns the sections in the order of the list.
    pub fn sections(&self) -> impl ExactSizeIterator<Item = &Section> {
        self.sections.iter().map(|ready| &ready.section)
    }

    /// Returns the section of a sector.
    #[inline]
    pub fn section(&self, sector: Sector) -> Option<&Section> {
        self.places.get(&sector).map(|&place| &self.sections[place].section)
    }

    /// Decodes the digits of a block of a sector.
    ///
    /// # Errors
    /// Fails if the block or the model is damaged or cannot be read, or the sector has no results of its own.
    pub fn digits(&self, sector: Sector, block: u64) -> Result<Vec<u8>, Fault> {
        let ready = self.ready(sector)?;
        self.decode(ready, block, &mut self.endings.scanner(sector))
    }

    /// Returns the result of a slot of a sector that has results of its own.
    ///
    /// # Errors
    /// Fails if its block or the model is damaged or cannot be read, or the sector has no results of its own.
    pub fn verdict(&self, sector: Sector, slot: u64, cache: &Cache) -> Result<Verdict, Fault> {
        let ready = self.ready(sector)?;
        let (block, at) = (slot / BLOCK, (slot % BLOCK) as usize);
        let read = || self.decode(ready, block, &mut self.endings.scanner(sector)).map(|digits| pack(&digits));
        let key = BlockKey { table: ready.number, block: block as u32 };
        let found = cache.look(key, read, |bytes| Results(bytes).verdict(at))?;
        found.ok_or(Fault::Block { block })
    }

    fn ready(&self, sector: Sector) -> Result<&Ready, Fault> {
        let ready = self.places.get(&sector).map(|&place| &self.sections[place]);
        ready.filter(|ready| !ready.section.is_left_out()).ok_or(Fault::Sector)
    }

    fn decode(&self, ready: &Ready, block: u64, scanner: &mut impl Scanner) -> Result<Vec<u8>, Fault> {
        let section = &ready.section;
        let model = self.model(ready)?;
        let mut group = [0; GROUP_BYTES];
        self.source.read(&mut group, section.index + block / GROUP * GROUP_BYTES as u64)?;
        let at = (block % GROUP) as usize;
        let (lengths, checksums) = group[8..].split_at(2 * GROUP as usize);
        let lengths = lengths.as_chunks().0;
        let before: u64 = lengths[..at].iter().map(|&length| u64::from(u16::from_le_bytes(length))).sum();
        let mut code = vec![0; u16::from_le_bytes(lengths[at]).into()];
        let start = section.model.checked_add(number(&group, 0)).and_then(|start| start.checked_add(before));
        self.source.read(&mut code, start.ok_or(Fault::Block { block })?)?;
        if section.block_checksum(block, &code) != u32::from_le_bytes(checksums.as_chunks().0[at]) {
            return Err(Fault::Block { block });
        }
        decode(&model, scanner, block_slots(section.slots, block), &code).ok_or(Fault::Block { block })
    }

    fn model(&self, ready: &Ready) -> Result<Arc<Model>, Fault> {
        if let Some(model) = ready.model.get() {
            return Ok(Arc::clone(model));
        }
        let section = &ready.section;
        let mut packed = vec![0; section.model_bytes as usize];
        self.source.read(&mut packed, section.model)?;
        let sound = (xxh3_64(&packed) == section.checksum).then_some(packed);
        let plain = sound.and_then(|packed| Decompressor::default().decompress(&packed, Model::BYTES));
        let model = plain.and_then(|plain| Model::read(&plain)).ok_or(Fault::Model)?;
        Ok(Arc::clone(ready.model.get_or_init(|| Arc::new(model))))
    }
}
