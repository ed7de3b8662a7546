//! The shared transposition table.
//!
//! A slot is two atomics, the packed entry and the key xored with it: two threads writing at once leave a pair that
//! matches neither key (Hyatt and Mann, "A lockless transposition table", 2002). All accesses are relaxed atomics, so
//! there is no data race to speak of. Where the key is exact, as in the morris family, only such a torn pair could ever
//! be mistaken. The chance is about 2^-64 per write; moves are checked before use anyway.

use super::score::KNOWN_BOUND;
use crate::game::Move;
use crate::platform;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering::Relaxed};

const SLOTS: usize = 4;
/// The number of generations: they are stored in six bits.
const GENERATIONS: u8 = 64;

/// The key xored with the data, and the data.
type Slot = [AtomicU64; 2];
/// A bucket, which fills a cache line.
type Bucket = [Slot; SLOTS];

const CACHE_LINE: usize = 64;
const _: () = assert!(size_of::<Bucket>() == CACHE_LINE);
/// Tables from this size on are cleared by several threads.
const LARGE_BYTES: usize = 64 << 20;
/// More threads than this clear no faster: memory is the limit.
const CLEARING_THREADS: usize = 8;

/// The meaning of a stored score.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Bound {
    /// The true score is at most this.
    Upper = 1,
    /// The true score is at least this.
    Lower = 2,
    /// The true score.
    Exact = 3,
}

/// A table entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// Best move, or none; moves of more than 16 bits are not stored.
    pub mv: Move,
    /// Score as seen from the position (mates counted from here).
    pub score: i32,
    /// Static evaluation.
    pub eval: i32,
    /// Depth of the search behind the score.
    pub depth: i32,
    /// The meaning of the score.
    pub bound: Bound,
}

impl Entry {
    fn pack(self, generation: u8) -> u64 {
        u64::from(self.mv.low_bits())
            | u64::from(self.score as i16 as u16) << 16
            | u64::from(self.eval as i16 as u16) << 32
            | u64::from(self.depth.clamp(0, 255) as u8) << 48
            | u64::from(generation) << 56
            | (self.bound as u64) << 62
    }

    fn unpack(data: u64) -> Option<Entry> {
        let bound = match data >> 62 {
            1 => Bound::Upper,
            2 => Bound::Lower,
            3 => Bound::Exact,
            _ => return None,
        };
        Some(Entry {
            mv: Move::from_bits(u32::from(data as u16)),
            score: i32::from((data >> 16) as u16 as i16),
            eval: i32::from((data >> 32) as u16 as i16),
            depth: i32::from((data >> 48) as u8),
            bound,
        })
    }
}

fn generation_of(data: u64) -> u8 {
    (data >> 56) as u8 % GENERATIONS
}

/// Converts a score for storing: certain wins and losses are distances from the position, not from the root.
pub(super) fn score_to_hash(score: i32, ply: usize) -> i32 {
    match score {
        s if s >= KNOWN_BOUND => s + ply as i32,
        s if s <= -KNOWN_BOUND => s - ply as i32,
        s => s,
    }
}

/// Inverts `score_to_hash`.
pub(super) fn score_from_hash(score: i32, ply: usize) -> i32 {
    match score {
        s if s >= KNOWN_BOUND => s - ply as i32,
        s if s <= -KNOWN_BOUND => s + ply as i32,
        s => s,
    }
}

/// Mixes 64 bits bijectively (the finaliser of MurmurHash3, Appleby 2008), so that exact keys spread evenly.
const fn mix(key: u64) -> u64 {
    let key = (key ^ (key >> 33)).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
    let key = (key ^ (key >> 33)).wrapping_mul(0xC4CE_B9FE_1A85_EC53);
    key ^ (key >> 33)
}

/// The error for a table that cannot be allocated.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("no memory for a hash table of {mib} MiB, expected {}", expected_size(*available_mib))]
pub struct OutOfMemory {
    /// Requested size.
    pub mib: usize,
    /// Available memory, if the system reports it and it is less.
    pub available_mib: Option<usize>,
}

/// Returns the size to request instead.
fn expected_size(available_mib: Option<usize>) -> String {
    available_mib.map_or_else(|| "a smaller size".to_string(), |available| format!("at most {available} MiB"))
}

/// Returns the number of threads that clear a table of this size, given the number of processors.
fn clearing_threads(bytes: usize, processors: usize) -> usize {
    if bytes < LARGE_BYTES { 1 } else { processors.min(CLEARING_THREADS) }
}

/// The transposition table. Searches share it through an [`Arc`](std::sync::Arc); entries stored by one of them help
/// the next.
///
/// ```
/// use millbrain_core::search::HashTable;
///
/// let hash = HashTable::new(16).expect("16 MiB");
/// assert_eq!((hash.bytes(), hash.hashfull()), (16 << 20, 0));
/// assert!(HashTable::new(usize::MAX / 2).is_err(), "more than any machine has");
/// ```
pub struct HashTable {
    slots: Box<[Slot]>,
    /// The first slot that begins a cache line; the buckets follow from there.
    first: usize,
    /// Number of buckets.
    buckets: usize,
    generation: AtomicU8,
    /// Whether nothing has been stored since the table was created or cleared.
    untouched: AtomicBool,
}

impl HashTable {
    /// Creates a table of exactly this many MiB (at least one). Its pages come zeroed from the system on first use, so
    /// that this takes no longer for a large table than for a small one.
    ///
    /// # Errors
    /// Fails if there is not enough memory.
    pub fn new(mib: usize) -> Result<HashTable, OutOfMemory> {
        let available_mib = platform::available_memory().map(|bytes| (bytes >> 20) as usize);
        if available_mib.is_some_and(|available| mib > available) {
            return Err(OutOfMemory { mib, available_mib });
        }
        let buckets = mib.max(1).saturating_mul((1 << 20) / CACHE_LINE);
        // The available size is no help if less than that is refused.
        let hash = HashTable::with_buckets(buckets).ok_or(OutOfMemory { mib, available_mib: None })?;
        platform::advise_huge_pages(&hash.slots);
        Ok(hash)
    }

    fn with_buckets(buckets: usize) -> Option<HashTable> {
        // The system aligns memory to less than a cache line: one more bucket leaves room for the alignment.
        let count = buckets.checked_add(1)?.checked_mul(SLOTS)?;
        let slots: Box<[Slot]> = bytemuck::allocation::try_zeroed_slice_box(count).ok()?;
        // If the offset is unknown it is the largest number: the remainder lies within that bucket.
        let first = slots.as_ptr().align_offset(CACHE_LINE) % SLOTS;
        Some(HashTable { slots, first, buckets, generation: AtomicU8::new(0), untouched: AtomicBool::new(true) })
    }

    /// Creates a table of a few buckets, in which positions replace each other all the time: for tests.
    #[doc(hidden)]
    pub fn tiny(buckets: usize) -> HashTable {
        HashTable::with_buckets(buckets).expect("memory for a few buckets")
    }

    /// Removes all entries.
    pub fn clear(&self) {
        if self.untouched.swap(true, Relaxed) {
            return;
        }
        let clear = |slots: &[Slot]| slots.iter().flatten().for_each(|word| word.store(0, Relaxed));
        let threads = clearing_threads(self.bytes(), std::thread::available_parallelism().map_or(1, NonZeroUsize::get));
        let mut parts = self.slots.chunks(self.slots.len().div_ceil(threads));
        let own = parts.next();
        std::thread::scope(|scope| {
            for part in parts {
                // Without a thread for it, the part is cleared here.
                if std::thread::Builder::new().spawn_scoped(scope, move || clear(part)).is_err() {
                    clear(part);
                }
            }
            own.into_iter().for_each(clear);
        });
        self.generation.store(0, Relaxed);
    }

    /// Starts a new generation: older entries are replaced first.
    pub fn age(&self) {
        self.generation.store((self.generation.load(Relaxed) + 1) % GENERATIONS, Relaxed);
    }

    #[inline(always)]
    fn bucket(&self, key: u64) -> &Bucket {
        let index = (u128::from(mix(key)) * self.buckets as u128) >> 64;
        let (buckets, _) = self.slots[self.first..].as_chunks();
        &buckets[index as usize]
    }

    /// Requests the bucket of a position from memory for a later probe.
    #[inline(always)]
    pub fn prefetch(&self, key: u64) {
        platform::prefetch(self.bucket(key));
    }

    /// Returns the entry of a position.
    #[inline]
    pub fn probe(&self, key: u64) -> Option<Entry> {
        for [check, data] in self.bucket(key) {
            let data = data.load(Relaxed);
            if check.load(Relaxed) ^ data == key {
                return Entry::unpack(data);
            }
        }
        None
    }

    /// Stores an entry: over one of the same position, else over the shallowest and oldest of its bucket.
    #[inline]
    pub fn store(&self, key: u64, mut entry: Entry) {
        if self.untouched.load(Relaxed) {
            self.untouched.store(false, Relaxed);
        }
        let generation = self.generation.load(Relaxed);
        let mut target = None;
        let mut least = i32::MAX;
        for slot in self.bucket(key) {
            let [check, data] = slot;
            let data = data.load(Relaxed);
            if check.load(Relaxed) ^ data == key
                && let Some(old) = Entry::unpack(data)
            {
                let fresh = generation_of(data) == generation;
                if fresh && entry.bound != Bound::Exact && entry.depth + 3 < old.depth {
                    return;
                }
                if entry.mv.is_none() {
                    entry.mv = old.mv;
                }
                target = Some(slot);
                break;
            }
            let age = i32::from((GENERATIONS + generation - generation_of(data)) % GENERATIONS);
            let worth = Entry::unpack(data).map_or(i32::MIN, |old| old.depth - 4 * age);
            if worth < least {
                least = worth;
                target = Some(slot);
            }
        }
        if let Some([check, data]) = target {
            let packed = entry.pack(generation);
            check.store(key ^ packed, Relaxed);
            data.store(packed, Relaxed);
        }
    }

    /// Returns the permille of a sample of slots with entries of the current generation.
    pub fn hashfull(&self) -> u32 {
        const SAMPLE: usize = 250;
        let generation = self.generation.load(Relaxed);
        let sample = self.slots[self.first..].iter().take(SAMPLE * SLOTS);
        let used = sample
            .filter(|[_, data]| {
                let data = data.load(Relaxed);
                data >> 62 != 0 && generation_of(data) == generation
            })
            .count();
        (used * 1000 / (SAMPLE.min(self.buckets) * SLOTS)) as u32
    }

    /// Returns the size in bytes.
    pub fn bytes(&self) -> usize {
        self.buckets * size_of::<Bucket>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(depth: i32, score: i32) -> Entry {
        Entry { mv: Move::from_bits(77), score, eval: -5, depth, bound: Bound::Lower }
    }

    #[test]
    fn entries_come_back_whole() {
        let hash = HashTable::new(1).expect("a small table");
        assert_eq!(hash.bytes(), 1 << 20);
        for key in 0..1000u64 {
            hash.store(key, entry(key as i32 % 200, key as i32 * 30 - 15_000));
        }
        for key in 0..1000u64 {
            assert_eq!(hash.probe(key), Some(entry(key as i32 % 200, key as i32 * 30 - 15_000)));
        }
        assert!(hash.hashfull() > 0);
        hash.clear();
        assert_eq!(hash.probe(5), None);
        assert_eq!(hash.hashfull(), 0);
    }

    #[test]
    fn the_fill_is_reported_in_permille() {
        for buckets in [1, 50, 1_000] {
            let hash = HashTable::with_buckets(buckets).expect("a few buckets");
            assert_eq!(hash.hashfull(), 0);
            // Many times the capacity: every slot is taken.
            for key in 0..buckets as u64 * 200 {
                hash.store(key, entry(1, 1));
            }
            assert_eq!(hash.hashfull(), 1_000, "{buckets} buckets");
            hash.age();
            assert_eq!(hash.hashfull(), 0, "entries of an earlier search do not count");
        }
        // Whatever the content of an entry.
        for value in 0..8 {
            let hash = HashTable::with_buckets(1).expect("a bucket");
            let entry = Entry { mv: Move::from_bits(value as u32), ..entry(1, value) };
            hash.store(7, entry);
            assert_eq!(hash.hashfull(), 250, "one of four slots: {entry:?}");
        }
    }

    #[test]
    fn deep_fresh_entries_outlive_shallow_and_old_ones() {
        let hash = HashTable::new(1).expect("a small table");
        for key in 0..200_000u64 {
            hash.store(key, entry(9, 1));
        }
        hash.age();
        for key in 200_000..300_000u64 {
            hash.store(key, entry(1, 1));
        }
        let alive = |keys: std::ops::Range<u64>| keys.filter(|&key| hash.probe(key).is_some()).count();
        assert!(alive(200_000..300_000) > 0);
        assert!(alive(0..200_000) > alive(200_000..300_000), "one generation does not outweigh eight plies");
    }

    /// Two searches later an entry is replaced even if it is as deep as those of the last search.
    #[test]
    fn the_oldest_of_equals_gives_way() {
        for ages in 0..GENERATIONS {
            let hash = HashTable::with_buckets(1).expect("a bucket");
            (0..ages).for_each(|_| hash.age());
            hash.store(1, entry(5, 1));
            hash.age();
            (2..5).for_each(|key| hash.store(key, entry(5, 1)));
            hash.age();
            hash.store(5, entry(5, 1));
            let alive: Vec<u64> = (1..6).filter(|&key| hash.probe(key).is_some()).collect();
            assert_eq!(alive, [2, 3, 4, 5], "after {ages} searches");
        }
    }

    /// Several threads write to one bucket. An entry read under a key is one that some thread stored under that key,
    /// never a mixture of two.
    #[test]
    fn entries_read_while_others_are_written_are_whole() {
        let rounds: u64 = if cfg!(miri) { 40 } else { 100_000 };
        let hash = HashTable::with_buckets(1).expect("one bucket");
        let keys: Vec<u64> = (1..7).collect();
        let entry_of = |key: u64, version: u64| Entry {
            mv: Move::from_bits(u32::from(version as u16) + 1),
            score: (key * version % 1000) as i32,
            eval: (key % 1000) as i32,
            depth: (version % 60) as i32,
            bound: Bound::Exact,
        };
        let check = |key: u64| {
            let Some(found) = hash.probe(key) else { return 0 };
            let version = u64::from(found.mv.bits()) - 1;
            assert_eq!(found, entry_of(key, version), "key {key}");
            1
        };
        let found: usize = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..3)
                .map(|thread| {
                    let (keys, hash, check) = (&keys, &hash, &check);
                    scope.spawn(move || {
                        let mut found = 0;
                        for i in 0..rounds {
                            let at = (i + thread) as usize;
                            hash.store(keys[at % keys.len()], entry_of(keys[at % keys.len()], i % 600));
                            found += check(keys[(7 * at + 3) % keys.len()]);
                        }
                        found
                    })
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().expect("no mixture")).sum()
        });
        assert!(found > 0, "something was found");
    }

    #[test]
    fn mates_are_relative_to_the_position() {
        use super::super::score::{mate_in, mated_in};
        for (score, stored) in [(mate_in(9), mate_in(4)), (mated_in(9), mated_in(4)), (-33, -33)] {
            assert_eq!(score_to_hash(score, 5), stored);
            assert_eq!(score_from_hash(stored, 5), score);
        }
    }

    /// A bucket of four is checked after a fifth entry, by depth and by the searches since: four plies outweigh one
    /// search.
    #[test]
    fn the_least_worth_of_a_bucket_gives_way() {
        let given_up = |stored: [(i32, u32); 4]| {
            let hash = HashTable::with_buckets(1).expect("a bucket");
            for since in (0..=3).rev() {
                for (key, (depth, _)) in (1..).zip(stored).filter(|(_, (_, searches))| *searches == since) {
                    hash.store(key, entry(depth, 1));
                }
                if since > 0 {
                    hash.age();
                }
            }
            hash.store(9, entry(0, 1));
            let gone: Vec<u64> = (1..5).filter(|&key| hash.probe(key).is_none()).collect();
            assert_eq!((gone.len(), hash.probe(9).is_some()), (1, true), "{stored:?}");
            gone[0]
        };
        assert_eq!(given_up([(4, 0), (3, 0), (2, 0), (5, 0)]), 3, "the shallowest");
        assert_eq!(given_up([(4, 0), (3, 0), (3, 0), (5, 0)]), 2, "the first of equals");
        assert_eq!(given_up([(9, 3), (9, 2), (9, 1), (9, 0)]), 1, "the oldest");
        assert_eq!(given_up([(15, 3), (10, 2), (8, 1), (4, 0)]), 2, "worth 3, 2, 4 and 4");
        assert_eq!(given_up([(15, 3), (12, 2), (8, 1), (2, 0)]), 4, "worth 3, 4, 4 and 2");
    }

    /// An entry replaces one of the same position, unless that is of the same search and more than three plies deeper;
    /// an exact one always does. Without a move it takes over the old one.
    #[test]
    fn entries_of_a_position_replace_each_other() {
        let stored = |old_depth, searches, new: Entry| {
            let hash = HashTable::with_buckets(1).expect("a bucket");
            hash.store(7, entry(old_depth, 100));
            (0..searches).for_each(|_| hash.age());
            hash.store(7, new);
            let found = hash.probe(7).expect("one of the two");
            assert_eq!(hash.hashfull(), if found.score == 100 && searches > 0 { 0 } else { 250 }, "one slot");
            found
        };
        let new = entry(5, 200);
        for (old_depth, searches, bound, score) in [
            (8, 0, Bound::Lower, 200),
            (9, 0, Bound::Lower, 100),
            (9, 0, Bound::Upper, 100),
            (9, 0, Bound::Exact, 200),
            (9, 1, Bound::Lower, 200),
            (1, 0, Bound::Upper, 200),
        ] {
            let found = stored(old_depth, searches, Entry { bound, ..new });
            assert_eq!(found.score, score, "depth 5 over {old_depth}, {searches} searches later, {bound:?}");
        }
        assert_eq!(stored(5, 0, Entry { mv: Move::NONE, ..new }), new, "the move is kept");
        let other = Entry { mv: Move::from_bits(78), ..new };
        assert_eq!(stored(5, 0, other), other);
    }

    /// Values use the full sixteen or eight bits of each part.
    #[test]
    fn entries_are_packed_without_loss() {
        for (score, eval, depth) in [(-32_768, 32_767, 0), (32_767, -32_768, 255), (-1, 0, 1), (0, -1, 254)] {
            for bound in [Bound::Upper, Bound::Lower, Bound::Exact] {
                for (bits, generation) in [(0, 63), (u16::MAX.into(), 0), (0xA5A5, 42)] {
                    let entry = Entry { mv: Move::from_bits(bits), score, eval, depth, bound };
                    let packed = entry.pack(generation);
                    assert_eq!((Entry::unpack(packed), generation_of(packed)), (Some(entry), generation));
                }
            }
        }
        let long = Entry { mv: Move::from_bits(1 << 16 | 7), ..entry(1, 0) };
        assert_eq!(Entry::unpack(long.pack(0)), Some(Entry { mv: Move::NONE, ..long }), "no other move in its place");
        assert_eq!(Entry::unpack(0), None, "an empty slot");
        let deep = |depth| Entry::unpack(entry(depth, 0).pack(0)).map(|entry| entry.depth);
        assert_eq!((deep(-3), deep(300)), (Some(0), Some(255)));
    }

    #[test]
    fn only_large_tables_are_cleared_by_several_threads() {
        let threads = |mib: usize, processors| clearing_threads(mib << 20, processors);
        assert_eq!([1, 63, 64, 4096].map(|mib| threads(mib, 4)), [1, 1, 4, 4]);
        assert_eq!([1, 8, 9, 500].map(|processors| threads(64, processors)), [1, 8, 8, 8]);
    }

    #[test]
    fn large_tables_are_cleared_to_the_last_slot() {
        let mib = if cfg!(miri) { 1 } else { 65 };
        let hash = HashTable::new(mib).expect("a table");
        let touch = || {
            for [check, data] in &hash.slots {
                check.store(1, Relaxed);
                data.store(2, Relaxed);
            }
        };
        touch();
        hash.clear();
        assert!(hash.slots[hash.slots.len() - 1][0].load(Relaxed) == 1, "nothing stored, nothing to clear");
        hash.store(1, entry(1, 1));
        hash.clear();
        assert!(hash.slots.iter().flatten().all(|word| word.load(Relaxed) == 0));
    }

    #[test]
    fn buckets_begin_cache_lines() {
        for mib in [1, 3, 16] {
            let hash = HashTable::new(mib).expect("a table");
            assert!(hash.bucket(0).as_ptr().addr().is_multiple_of(CACHE_LINE));
            assert!(hash.bucket(1).as_ptr().addr().is_multiple_of(CACHE_LINE));
        }
    }

    #[test]
    fn an_impossible_size_is_refused() {
        assert!(HashTable::new(usize::MAX / 2).is_err());
        let reported = |available_mib| OutOfMemory { mib: 9, available_mib }.to_string();
        assert_eq!(reported(None), "no memory for a hash table of 9 MiB, expected a smaller size");
        assert_eq!(reported(Some(5)), "no memory for a hash table of 9 MiB, expected at most 5 MiB");
    }
}
