//! The solver's state of each slot, and the updates that walks send.
//!
//! States are atomics with relaxed order: within a level no outcome depends on the order of the updates, and levels are
//! separated by joins. The result is therefore the same for any number of threads.

use crate::code::{Code, Codes, Plies};
use crate::memory::filled_with;
use millbrain_core::game::value::Value;
use millbrain_core::platform::prefetch;
use std::ops::Range;
use std::sync::atomic::{AtomicU16, AtomicU64, Ordering::Relaxed};

const COUNT_SHIFT: u32 = 10;
const DISTANCES: u16 = 1 << COUNT_SHIFT;
/// The longest distance that a state holds.
pub(super) const MAX_DISTANCE: u32 = DISTANCES as u32 - 1;
/// A count that never reaches zero: some capture draws.
const NEVER_LOST: u16 = 63 << COUNT_SHIFT;
/// The state of a slot without a position.
const VACANT: u16 = NEVER_LOST | 1;
/// The most quiet moves that a position can have.
const MAX_COUNT: u32 = 62;

/// A slot before the analysis begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Seed {
    /// A slot without a position.
    Vacant,
    /// The value of the best move out of the pair of sectors, if there is any, and the number of other moves.
    Open {
        /// Best of the moves that leave the pair.
        exit: Option<Value>,
        /// Number of moves within the pair.
        quiet: u32,
    },
}

impl Seed {
    fn state(self) -> u16 {
        match self {
            Seed::Vacant => VACANT,
            Seed::Open { exit: Some(Value::Draw), .. } => NEVER_LOST,
            Seed::Open { exit: Some(Value::Win(plies)), .. } => plies as u16,
            Seed::Open { exit, quiet } => {
                debug_assert!(quiet <= MAX_COUNT);
                let plies = if let Some(Value::Loss(plies)) = exit { plies } else { 0 };
                plies as u16 | (quiet as u16) << COUNT_SHIFT
            }
        }
    }
}

/// The number of slots that share a record of their distances: a level visits only the blocks in which its distance
/// occurs.
const BLOCK: u64 = 1024;

/// The distances that occur in a block, a bit each; some may have been replaced by shorter ones.
#[derive(Default)]
struct Note([AtomicU64; DISTANCES as usize / 64]);

impl Note {
    #[inline(always)]
    fn add(&self, distance: u16) {
        let word = &self.0[usize::from(distance >> 6) % self.0.len()];
        let bit = 1 << (distance & 63);
        if word.load(Relaxed) & bit == 0 {
            word.fetch_or(bit, Relaxed);
        }
    }

    #[inline(always)]
    fn has(&self, distance: u16) -> bool {
        self.0[usize::from(distance >> 6) % self.0.len()].load(Relaxed) >> (distance & 63) & 1 != 0
    }
}

/// The states of one sector.
pub(crate) struct States {
    states: Vec<AtomicU16>,
    notes: Vec<Note>,
}

impl States {
    /// Creates the states of `slots` slots; there has to be memory for them.
    pub(crate) fn new(slots: u64) -> States {
        let length = usize::try_from(slots).unwrap_or(usize::MAX);
        let states = filled_with(length, || AtomicU16::new(VACANT));
        let mut notes = Vec::new();
        notes.resize_with(slots.div_ceil(BLOCK) as usize, Note::default);
        States { states, notes }
    }

    /// Returns the bytes of memory for `slots` slots.
    pub(crate) const fn bytes(slots: u64) -> u64 {
        slots * size_of::<AtomicU16>() as u64 + slots.div_ceil(BLOCK) * size_of::<Note>() as u64
    }

    /// Stores the first state of a slot. Returns its distance; 0 if it has none yet.
    #[inline(always)]
    pub(crate) fn begin(&self, slot: u64, seed: Seed) -> u16 {
        let state = seed.state();
        if state < DISTANCES {
            self.settle(slot, state);
            return state;
        }
        self.states[slot as usize].store(state, Relaxed);
        0
    }

    /// Returns the codes of the slots in the end, where no distance is longer than `longest`.
    pub(crate) fn into_codes(self, longest: u32) -> Codes {
        fn codes<P: Plies>(states: Vec<AtomicU16>) -> Vec<Code<P>> {
            let code = |state: AtomicU16| match state.into_inner() {
                distance @ ..DISTANCES => Code(P::of(distance.into())),
                VACANT => Code::VACANT,
                _ => Code::DRAW,
            };
            states.into_iter().map(code).collect()
        }
        if longest > Code::<u8>::max_distance() {
            Codes::Words(codes(self.states))
        } else {
            Codes::Bytes(codes(self.states))
        }
    }

    /// Stores a distance.
    #[inline(always)]
    fn settle(&self, slot: u64, distance: u16) {
        self.states[slot as usize].store(distance, Relaxed);
        self.notes[(slot / BLOCK) as usize].add(distance);
    }

    /// Appends the slots of a range with this distance.
    pub(crate) fn find(&self, mut range: Range<u64>, distance: u16, found: &mut Vec<u32>) {
        while !range.is_empty() {
            let end = (range.start / BLOCK * BLOCK + BLOCK).min(range.end);
            let block = range.start as usize..end as usize;
            if self.notes[(range.start / BLOCK) as usize].has(distance) {
                let states = (range.start as u32..).zip(&self.states[block]);
                found.extend(states.filter(|(_, state)| state.load(Relaxed) == distance).map(|(slot, _)| slot));
            }
            range.start = end;
        }
    }
}

/// The number of pending updates, whose memory is being prefetched.
const WAITING: usize = 64;

/// Updates the states of a sector with a delay, once their memory has been prefetched.
pub(crate) struct Updates<'a> {
    sector: &'a States,
    /// The level that the updates come from.
    level: u16,
    waiting: [(u32, u32); WAITING],
    sent: usize,
    /// The longest distance found.
    longest: u16,
}

impl<'a> Updates<'a> {
    pub(crate) fn new(sector: &'a States, level: u16) -> Updates<'a> {
        Updates { sector, level, waiting: [(0, 0); WAITING], sent: 0, longest: 0 }
    }

    /// Returns whether the updates reduce counts: the positions they come from are won.
    const fn counts(&self) -> bool {
        self.level % 2 == 1
    }

    /// Sends an update of a slot for `weight` moves of its position.
    #[inline(always)]
    pub fn send(&mut self, slot: u32, weight: u32) {
        let place = self.sent % WAITING;
        if self.sent >= WAITING {
            let (slot, weight) = self.waiting[place];
            self.make(slot, weight);
        }
        prefetch(&self.sector.states[slot as usize]);
        self.waiting[place] = (slot, weight);
        self.sent += 1;
    }

    #[inline(always)]
    fn make(&mut self, slot: u32, weight: u32) {
        let state = &self.sector.states[slot as usize];
        let now = state.load(Relaxed);
        let distance = self.level + 1;
        if self.counts() {
            // Nothing becomes a win at this level, and there are only as many updates as moves.
            if !(DISTANCES..NEVER_LOST).contains(&now) {
                return;
            }
            let taken = (weight as u16) << COUNT_SHIFT;
            let before = state.fetch_sub(taken, Relaxed);
            debug_assert!(before >= taken, "more moves than counted");
            if before - taken < DISTANCES {
                let lost = (before - taken).max(distance);
                self.sector.settle(slot.into(), lost);
                self.longest = self.longest.max(lost);
            }
        } else if now > distance {
            // Every thread that gets here at this level stores the same.
            self.sector.settle(slot.into(), distance);
            self.longest = self.longest.max(distance);
        }
    }

    /// Makes the pending updates, and returns the longest distance found.
    pub(crate) fn finish(mut self) -> u16 {
        for i in 0..self.sent.min(WAITING) {
            let (slot, weight) = self.waiting[i];
            self.make(slot, weight);
        }
        self.longest
    }
}
