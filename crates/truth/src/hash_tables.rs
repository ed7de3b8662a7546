//! Hash tables for parallel searches.

use millbrain_core::search::HashTable;
use millbrain_core::search::hash::OutOfMemory;
use std::sync::{Arc, Mutex, PoisonError};

/// Hash tables that are lent to searches.
pub struct HashTables(Mutex<Vec<Arc<HashTable>>>);

impl HashTables {
    /// Creates `count` tables, for as many threads, of `mib` MiB each.
    ///
    /// # Errors
    /// Fails if there is no memory.
    pub fn new(count: usize, mib: usize) -> Result<HashTables, OutOfMemory> {
        let tables = (0..count).map(|_| HashTable::new(mib).map(Arc::new));
        tables.collect::<Result<_, _>>().map(Mutex::new).map(HashTables)
    }

    /// Lends a table. There is one as long as no more threads borrow than were announced.
    pub fn lend<T>(&self, search: impl FnOnce(&Arc<HashTable>) -> Option<T>) -> Option<T> {
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let table = lock().pop()?;
        let found = search(&table);
        lock().push(table);
        found
    }
}
