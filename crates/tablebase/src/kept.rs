//! How much of the tables is kept in memory.
//!
//! A search asks for the results of millions of positions in no order. A block of results that has been read stays
//! in memory, as long as there is room: asking the system for each position takes as long as the rest of the probe.

use millbrain_core::platform;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// Bytes that all tables of this process keep.
static BYTES: AtomicU64 = AtomicU64::new(0);
/// Nothing more is to be kept.
static FULL: AtomicBool = AtomicBool::new(false);

/// Memory is looked at again after so many bytes.
const STEP: u64 = 16 << 20;
/// Bytes to keep where the system does not tell how much memory there is.
const UNTOLD: u64 = 256 << 20;

/// Whether there is room for a block of so many bytes; it is then counted until it is [released](release).
pub(super) fn reserve(bytes: u64) -> bool {
    if FULL.load(Relaxed) {
        return false;
    }
    let before = BYTES.fetch_add(bytes, Relaxed);
    if before / STEP < (before + bytes) / STEP
        && !is_room(before + bytes, platform::total_memory(), platform::available_memory())
    {
        FULL.store(true, Relaxed);
    }
    true
}

/// Gives back the room of blocks that are dropped.
pub(super) fn release(bytes: u64) {
    if bytes > 0 {
        BYTES.fetch_sub(bytes, Relaxed);
        FULL.store(false, Relaxed);
    }
}

/// A quarter of the machine's memory for the tables of this process, and a quarter is left free: other engines of the
/// same match keep tables too.
fn is_room(kept: u64, total: Option<u64>, available: Option<u64>) -> bool {
    match (total, available) {
        (Some(total), Some(available)) => kept < total / 4 && available > total / 4,
        _ => kept < UNTOLD,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quarter_is_kept_and_a_quarter_left() {
        const GIB: u64 = 1 << 30;
        assert!(is_room(2 * GIB - 1, Some(8 * GIB), Some(3 * GIB)));
        assert!(!is_room(2 * GIB, Some(8 * GIB), Some(3 * GIB)));
        assert!(!is_room(1, Some(8 * GIB), Some(2 * GIB)));
        assert!(is_room(UNTOLD - 1, None, None) && !is_room(UNTOLD, None, None));
    }
}
