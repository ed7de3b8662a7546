//! The moves that threads are currently searching.
//!
//! A move that another thread is searching is deferred to the end of the list: by then its result is often in the
//! hash table (deferral of moves as in ABDADA, Weill 1996, simplified by Kerrigan).

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

const SLOTS: usize = 1 << 14;

/// The moves being searched; unused with a single thread.
pub(in crate::search) struct Busy {
    slots: Vec<AtomicU64>,
}

impl Busy {
    pub(in crate::search) fn new(threads: usize) -> Busy {
        let slots = if threads > 1 { SLOTS } else { 0 };
        Busy { slots: (0..slots).map(|_| AtomicU64::new(0)).collect() }
    }

    pub(in crate::search) fn active(&self) -> bool {
        !self.slots.is_empty()
    }

    /// Returns a hash of the position and the move.
    pub(in crate::search) fn key(position_key: u64, mv: crate::game::Move) -> u64 {
        (position_key ^ u64::from(mv.bits()).wrapping_mul(0x9E37_79B9_7F4A_7C15)).wrapping_mul(0xD6E8_FEB8_6659_FD93)
    }

    fn slot(&self, busy_key: u64) -> &AtomicU64 {
        &self.slots[(busy_key >> 50) as usize % SLOTS]
    }

    pub(in crate::search) fn contains(&self, busy_key: u64) -> bool {
        self.slot(busy_key).load(Relaxed) == busy_key
    }

    pub(in crate::search) fn enter(&self, busy_key: u64) {
        self.slot(busy_key).store(busy_key, Relaxed);
    }

    pub(in crate::search) fn leave(&self, busy_key: u64) {
        let slot = self.slot(busy_key);
        if slot.load(Relaxed) == busy_key {
            slot.store(0, Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Move;

    #[test]
    fn one_thread_has_nobody_to_avoid() {
        assert!(!Busy::new(1).active());
        assert!(Busy::new(2).active());
    }

    #[test]
    fn moves_of_positions_have_names_of_their_own() {
        let mut names = Vec::new();
        for key in [0, 1, 1 << 63, u64::MAX] {
            names.extend((1..=50).map(|bits| Busy::key(key, Move::from_bits(bits))));
        }
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    #[test]
    fn whoever_enters_leaves() {
        let busy = Busy::new(2);
        let names: Vec<u64> = (1..=100).map(|bits| Busy::key(77, Move::from_bits(bits))).collect();
        assert!(names.iter().all(|&busy_key| !busy.contains(busy_key)));
        names.iter().for_each(|&busy_key| busy.enter(busy_key));
        let inside = names.iter().filter(|&&busy_key| busy.contains(busy_key)).count();
        assert!(inside >= 95, "hardly any share a slot: {inside}");
        names.iter().for_each(|&busy_key| busy.leave(busy_key));
        assert!(names.iter().all(|&busy_key| !busy.contains(busy_key)));
        // A slot that another entry has taken is not released by the previous one.
        let mut others = (1..).map(|bits| Busy::key(77, Move::from_bits(bits)));
        let other =
            others.find(|&busy_key| busy_key >> 50 == names[0] >> 50 && busy_key != names[0]).expect("one of many");
        busy.enter(names[0]);
        busy.enter(other);
        busy.leave(names[0]);
        assert!(busy.contains(other) && !busy.contains(names[0]));
    }
}
