//! Moves that some thread is searching right now.
//!
//! With several threads, a move already under way elsewhere is put off to the end of the list: by then its
//! result is often in the table (deferral of moves as in ABDADA, Weill 1996, simplified by Kerrigan).

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

const SLOTS: usize = 1 << 14;

/// The moves under way; inactive when there is one thread only.
pub(super) struct Busy {
    slots: Vec<AtomicU64>,
}

impl Busy {
    /// Deferral pays only where the subtree is large.
    pub(super) const LEAST_DEPTH: i32 = 5;

    pub(super) fn new(threads: usize) -> Busy {
        let slots = if threads > 1 { SLOTS } else { 0 };
        Busy { slots: (0..slots).map(|_| AtomicU64::new(0)).collect() }
    }

    pub(super) fn active(&self) -> bool {
        !self.slots.is_empty()
    }

    /// The name of a move in a position.
    pub(super) fn name(key: u64, mv: crate::game::Move) -> u64 {
        (key ^ u64::from(mv.bits()).wrapping_mul(0x9E37_79B9_7F4A_7C15)).wrapping_mul(0xD6E8_FEB8_6659_FD93)
    }

    fn slot(&self, name: u64) -> &AtomicU64 {
        &self.slots[(name >> 50) as usize % SLOTS]
    }

    pub(super) fn contains(&self, name: u64) -> bool {
        self.slot(name).load(Relaxed) == name
    }

    pub(super) fn enter(&self, name: u64) {
        self.slot(name).store(name, Relaxed);
    }

    pub(super) fn leave(&self, name: u64) {
        let slot = self.slot(name);
        if slot.load(Relaxed) == name {
            slot.store(0, Relaxed);
        }
    }
}
