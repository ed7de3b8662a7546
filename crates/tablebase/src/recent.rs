//! The blocks of distances that were decompressed last: the moves of a position, and those of the positions around
//! it, lead to few blocks, and decompressing one takes a hundred times as long as looking into it.

use super::code::Code;
use super::endings::Sector;
use std::sync::{Arc, Mutex, PoisonError};

/// Blocks kept: 64 MiB of distances.
const PLACES: u64 = 2048;

/// A block of distances and where it belongs.
struct Block {
    sector: Sector,
    number: u64,
    codes: Arc<[Code]>,
}

/// Decompressed blocks, each in the one place it may have.
pub(super) struct Recent(Vec<Mutex<Option<Block>>>);

impl Recent {
    pub(super) fn new() -> Recent {
        Recent((0..PLACES).map(|_| Mutex::new(None)).collect())
    }

    /// A block of a sector; `read` decompresses it if it is not at hand.
    pub(super) fn get<F>(
        &self,
        sector: Sector,
        number: u64,
        read: impl FnOnce() -> Result<Arc<[Code]>, F>,
    ) -> Result<Arc<[Code]>, F> {
        // The blocks of one sector stand side by side and do not displace each other.
        let place = u64::from(sector.own) * 251 + u64::from(sector.opp) * 1021 + number;
        let place = &self.0[(place % PLACES) as usize];
        if let Some(block) = &*place.lock().unwrap_or_else(PoisonError::into_inner)
            && (block.sector, block.number) == (sector, number)
        {
            return Ok(Arc::clone(&block.codes));
        }
        let codes = read()?;
        let block = Block { sector, number, codes: Arc::clone(&codes) };
        *place.lock().unwrap_or_else(PoisonError::into_inner) = Some(block);
        Ok(codes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn blocks_are_read_once_until_displaced() {
        let recent = Recent::new();
        let reads = Cell::new(0);
        let ask = |own, number: u64| {
            let read = || {
                reads.set(reads.get() + 1);
                Ok::<_, ()>(Arc::from([Code(own), Code(number as u8)]))
            };
            let codes = recent.get(Sector::new(own, 3), number, read).expect("read");
            assert_eq!(*codes, [Code(own), Code(number as u8)]);
            reads.get()
        };
        assert_eq!((ask(4, 7), ask(4, 7), ask(4, 8), ask(4, 7)), (1, 1, 2, 2));
        assert_eq!((ask(5, 7), ask(4, 7)), (3, 3), "another sector has another place");
        assert_eq!((ask(4, 7 + PLACES), ask(4, 7)), (4, 5), "two blocks of one place displace each other");
        assert_eq!(ask(4, 7 + 251), 6);
        assert_eq!(ask(5, 7), 7, "so do those of two sectors");
        assert_eq!(recent.get(Sector::new(3, 3), 1, || Err("damaged")), Err("damaged"));
        assert_eq!(
            recent.get(Sector::new(3, 3), 1, || Ok::<_, ()>(Arc::from([Code(1)]))).map(|codes| codes.len()),
            Ok(1)
        );
    }
}
