//! A cache of the table blocks that were unpacked last. A search probes the results of millions of positions in no
//! order. The moves of a position, and those of the positions around it, lead to few blocks. Reading and unpacking a
//! block takes a hundred times as long as a lookup in it.
//!
//! Each block belongs to one of many shelves of equal size, each behind a lock. On a full shelf the least recently used
//! blocks make room.

use millbrain_files::size::Size;
use std::sync::{Mutex, OnceLock, PoisonError};

/// The bytes of blocks on a shelf.
const SHELF: u64 = 64 << 10;
/// The least number of bytes that a block counts for, so that no shelf has many.
const LEAST: u64 = 1 << 10;

/// Identifies a block among those of all tables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BlockKey {
    /// The number of its table.
    pub table: u32,
    /// Its number in the table.
    pub block: u32,
}

/// A block and its key.
struct Block {
    key: BlockKey,
    bytes: Box<[u8]>,
}

impl Block {
    fn size(&self) -> u64 {
        (self.bytes.len() as u64).max(LEAST)
    }
}

/// The blocks of a shelf, most recently used last.
#[derive(Default)]
struct Shelf(Vec<Block>);

impl Shelf {
    /// Returns the bytes of a block, which moves to the end.
    #[inline]
    fn find(&mut self, key: BlockKey) -> Option<&[u8]> {
        let place = self.0.iter().rposition(|block| block.key == key)?;
        self.0[place..].rotate_left(1);
        self.0.last().map(|block| &*block.bytes)
    }

    fn add(&mut self, block: Block) {
        if self.find(block.key).is_some() {
            // Another thread has been quicker.
            return;
        }
        let mut room = SHELF.saturating_sub(block.size());
        // The blocks at the end that fit may stay.
        let staying = self.0.iter().rev().take_while(|block| {
            let fits = block.size() <= room;
            room = room.saturating_sub(block.size());
            fits
        });
        let leaving = self.0.len() - staying.count();
        self.0.drain(..leaving);
        self.0.push(block);
    }
}

/// Unpacked blocks of the tables of an engine.
pub struct Cache {
    /// The number of shelves.
    count: u64,
    /// Set up at the first look: that takes as long as unpacking a few blocks.
    shelves: OnceLock<Vec<Mutex<Shelf>>>,
}

impl Cache {
    /// Creates a cache of at most `size`, but at least one shelf. Blocks take memory only once they are cached.
    pub fn new(size: Size) -> Cache {
        Cache { count: (size.0 / SHELF).max(1), shelves: OnceLock::new() }
    }

    #[inline]
    fn shelves(&self) -> &[Mutex<Shelf>] {
        self.shelves.get_or_init(|| (0..self.count).map(|_| Mutex::default()).collect())
    }

    #[inline]
    fn shelf(&self, key: BlockKey) -> &Mutex<Shelf> {
        let number = u64::from(key.table) << 32 | u64::from(key.block);
        // The upper half of the product is as good as random.
        let random = number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
        &self.shelves()[((random * self.count) >> 32) as usize]
    }

    /// Looks a block up; `read` unpacks it on a miss. Other threads do not wait during that.
    ///
    /// # Errors
    /// Fails with the error of `read`.
    #[inline]
    pub fn look<T, F>(
        &self,
        key: BlockKey,
        read: impl FnOnce() -> Result<Vec<u8>, F>,
        look: impl FnOnce(&[u8]) -> T,
    ) -> Result<T, F> {
        let shelf = self.shelf(key);
        if let Some(bytes) = shelf.lock().unwrap_or_else(PoisonError::into_inner).find(key) {
            return Ok(look(bytes));
        }
        let bytes = read()?;
        let found = look(&bytes);
        shelf.lock().unwrap_or_else(PoisonError::into_inner).add(Block { key, bytes: bytes.into() });
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    const fn key(block: u32) -> BlockKey {
        BlockKey { table: 1, block }
    }

    /// Looks up blocks of a quarter of a shelf on one shelf; returns whether each was read.
    fn reads(cache: &Cache, blocks: &[u32]) -> Vec<bool> {
        let ask = |&block: &u32| {
            let read = Cell::new(false);
            let fresh = || {
                read.set(true);
                Ok::<_, ()>(vec![block as u8; SHELF as usize / 4])
            };
            assert_eq!(cache.look(key(block), fresh, |bytes| bytes[9]), Ok(block as u8));
            read.get()
        };
        blocks.iter().map(ask).collect()
    }

    #[test]
    fn the_block_unused_for_longest_makes_room() {
        let cache = Cache::new(Size(1));
        assert_eq!(reads(&cache, &[1, 2, 3, 4, 1, 3]), [true, true, true, true, false, false]);
        assert_eq!(reads(&cache, &[5, 1, 3, 4, 5]), [true, false, false, false, false], "2 has gone");
        assert_eq!(reads(&cache, &[2, 3, 4, 5, 1]), [true, false, false, false, true], "then 1");
    }

    #[test]
    fn a_shelf_holds_no_more_than_its_size() {
        let mut shelf = Shelf::default();
        let mut rng = fastrand::Rng::with_seed(2);
        for number in 0..2_000 {
            let length = if rng.bool() { 1 } else { rng.usize(..40_000) };
            shelf.add(Block { key: key(number), bytes: vec![0; length].into() });
            assert!(shelf.0.iter().map(Block::size).sum::<u64>() <= SHELF);
            assert_eq!(shelf.0.last().map(|block| block.key), Some(key(number)));
        }
        shelf.add(Block { key: key(9_999), bytes: vec![0; 2 * SHELF as usize].into() });
        assert_eq!(shelf.0.len(), 1, "one that is too large is alone");
    }

    /// The cache never takes more memory than allowed, and not much less, however many blocks are looked up.
    #[test]
    fn a_cache_takes_the_memory_it_is_given() {
        for bytes in [1, SHELF, 100 << 10, 1 << 20, 3 << 20] {
            let cache = Cache::new(Size(bytes));
            let room = bytes.max(SHELF);
            for block in 0..(room / LEAST) as u32 {
                let read = || Ok::<_, ()>(vec![0; 4 * LEAST as usize]);
                cache.look(key(block), read, |_| ()).expect("read");
            }
            let shelves = cache.shelves().iter().map(|shelf| shelf.lock().expect("sound"));
            let held: u64 = shelves.map(|shelf| shelf.0.iter().map(Block::size).sum::<u64>()).sum();
            assert!((room / 2..=room).contains(&held), "{held} of {bytes}");
        }
    }

    #[test]
    fn blocks_of_different_tables_are_kept_apart_and_faults_are_not_kept() {
        let cache = Cache::new(Size(1 << 20));
        for table in 0..9 {
            let found = cache.look(BlockKey { table, block: 7 }, || Ok::<_, ()>(vec![table as u8]), |bytes| bytes[0]);
            assert_eq!(found, Ok(table as u8));
        }
        let fault = cache.look(key(8), || Err("damaged"), |bytes| bytes[0]);
        assert_eq!(fault, Err("damaged"));
        assert_eq!(cache.look(key(8), || Ok::<_, ()>(vec![3]), |bytes| bytes[0]), Ok(3));
    }

    #[test]
    fn threads_share_blocks() {
        let cache = Cache::new(Size(256 << 10));
        std::thread::scope(|scope| {
            for seed in 0..4 {
                let cache = &cache;
                scope.spawn(move || {
                    let mut rng = fastrand::Rng::with_seed(seed);
                    for _ in 0..if cfg!(miri) { 50 } else { 5_000 } {
                        let block = rng.u32(..40);
                        let found = cache.look(key(block), || Ok::<_, ()>(vec![block as u8; 20_000]), |bytes| bytes[5]);
                        assert_eq!(found, Ok(block as u8));
                    }
                });
            }
        });
    }
}
