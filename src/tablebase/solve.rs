//! Retrograde analysis of a pair of sectors, level by level.
//!
//! Each slot has a state of two bytes: 256 times the number of quiet moves not yet known to lose, plus the
//! longest loss that captures alone would give. A state below 256 is a distance: even for a loss, odd for a win.
//! At level `n` the predecessors of positions lost in `n` become won in `n + 1`, and the count of each predecessor of a
//! position won in `n` goes down by one; at zero the predecessor is lost. Wins that begin with a capture are stored as
//! distances from the start and replaced if a shorter win is found.
//!
//! States are atomics with relaxed order: within a level no outcome depends on the order of the updates, and levels are
//! separated by joins. The result is therefore the same for any number of threads.

use super::code::Code;
use super::endings::Walk;
use crate::memory::{advise_huge_pages, prefetch};
use crate::value::Value;
use rayon::prelude::*;
use std::fmt;
use std::ops::Range;
use std::sync::atomic::{AtomicU16, AtomicU32, AtomicU64, Ordering::Relaxed};

const COUNT_SHIFT: u32 = 8;
const DISTANCES: u16 = 1 << COUNT_SHIFT;
/// A count that never reaches zero: some capture draws.
const NEVER_LOST: u16 = 255 << COUNT_SHIFT;
/// The state of a slot without a position.
const VACANT: u16 = NEVER_LOST | Code::VACANT.0 as u16;
/// Most quiet moves a position can have.
const MAX_COUNT: u32 = 254;

/// A slot before the analysis begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Seed {
    /// No position.
    Vacant,
    /// The game is over and drawn.
    Drawn,
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
            Seed::Drawn | Seed::Open { exit: Some(Value::Draw), .. } => NEVER_LOST,
            Seed::Open { exit: Some(Value::Win(plies)), .. } => plies as u16,
            Seed::Open { exit, quiet } => {
                debug_assert!(quiet <= MAX_COUNT);
                let plies = if let Some(Value::Loss(plies)) = exit { plies } else { 0 };
                plies as u16 | (quiet as u16) << COUNT_SHIFT
            }
        }
    }
}

/// A distance that a table cannot hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooLong;

impl fmt::Display for TooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a distance is longer than the {} plies that a table can hold", Code::MAX_DISTANCE)
    }
}

impl std::error::Error for TooLong {}

/// Slots that share a record of their distances: a level visits only the blocks in which its distance occurs.
const BLOCK: usize = 1024;

/// The distances that occur in a block, a bit each; some may have been replaced by shorter ones since.
#[derive(Default)]
struct Note([AtomicU64; 4]);

impl Note {
    #[inline(always)]
    fn add(&self, distance: u16) {
        let word = &self.0[usize::from(distance >> 6) % 4];
        let bit = 1 << (distance & 63);
        if word.load(Relaxed) & bit == 0 {
            word.fetch_or(bit, Relaxed);
        }
    }

    #[inline(always)]
    fn has(&self, distance: u16) -> bool {
        self.0[usize::from(distance >> 6) % 4].load(Relaxed) >> (distance & 63) & 1 != 0
    }
}

/// The states of one sector.
struct States {
    states: Vec<AtomicU16>,
    notes: Vec<Note>,
}

impl States {
    fn new(slots: usize) -> States {
        let mut states = Vec::new();
        states.reserve_exact(slots);
        advise_huge_pages(states.spare_capacity_mut());
        states.resize_with(slots, || AtomicU16::new(VACANT));
        let mut notes = Vec::new();
        notes.resize_with(slots.div_ceil(BLOCK), Note::default);
        States { states, notes }
    }

    /// Stores a distance.
    #[inline(always)]
    fn settle(&self, slot: usize, distance: u16) {
        self.states[slot].store(distance, Relaxed);
        self.notes[slot / BLOCK].add(distance);
    }

    /// Appends the slots of a range with this distance.
    fn find(&self, mut range: Range<usize>, distance: u16, found: &mut Vec<u32>) {
        while !range.is_empty() {
            let end = (range.start / BLOCK * BLOCK + BLOCK).min(range.end);
            let block = range.start..end;
            if self.notes[range.start / BLOCK].has(distance) {
                let states = (range.start as u32..).zip(&self.states[block]);
                found.extend(states.filter(|(_, state)| state.load(Relaxed) == distance).map(|(slot, _)| slot));
            }
            range.start = end;
        }
    }
}

/// Updates not made yet, waiting for their memory to be prefetched.
const WAITING: usize = 64;

/// Updates the states of a sector, a little later, once their memory has been prefetched.
pub struct Updates<'a> {
    sector: &'a States,
    /// The level that the updates come from.
    level: u16,
    waiting: [(u32, u32); WAITING],
    sent: usize,
    /// The longest distance found.
    longest: u16,
}

impl<'a> Updates<'a> {
    fn new(sector: &'a States, level: u16) -> Updates<'a> {
        Updates { sector, level, waiting: [(0, 0); WAITING], sent: 0, longest: 0 }
    }

    /// Whether the updates reduce counts: the positions they come from are won.
    const fn counts(&self) -> bool {
        self.level % 2 == 1
    }

    /// An update of a slot that stands for `weight` moves of its position.
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
            // Nothing becomes a win at this level, and only as many updates come as there are moves.
            if !(DISTANCES..NEVER_LOST).contains(&now) {
                return;
            }
            let taken = (weight as u16) << COUNT_SHIFT;
            let before = state.fetch_sub(taken, Relaxed);
            debug_assert!(before >= taken, "more moves than counted");
            if before - taken < DISTANCES {
                let lost = (before - taken).max(distance);
                self.sector.settle(slot as usize, lost);
                self.longest = self.longest.max(lost);
            }
        } else if now > distance {
            // Every thread that gets here at this level stores the same.
            self.sector.settle(slot as usize, distance);
            self.longest = self.longest.max(distance);
        }
    }

    fn finish(mut self) -> u16 {
        for i in 0..self.sent.min(WAITING) {
            let (slot, weight) = self.waiting[i];
            self.make(slot, weight);
        }
        self.longest
    }
}

/// A solved sector.
pub(super) struct Solved(States);

impl Solved {
    /// Number of slots.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.0.states.len()
    }

    /// The code of a slot.
    #[inline(always)]
    pub(super) fn code(&self, slot: usize) -> Code {
        match self.0.states[slot].load(Relaxed) {
            distance @ ..DISTANCES => Code(distance as u8),
            VACANT => Code::VACANT,
            _ => Code::DRAW,
        }
    }
}

/// Bytes of memory that the states of a sector take.
pub(super) const fn bytes_per_sector(slots: u64) -> u64 {
    slots * size_of::<AtomicU16>() as u64 + slots.div_ceil(BLOCK as u64) * size_of::<Note>() as u64
}

/// Solved sectors, and the longest distance in them.
pub(super) struct Solution {
    /// The sectors, in the order of the walks.
    pub sectors: Vec<Solved>,
    /// The longest distance in plies.
    pub levels: u32,
}

/// Is told of progress: slots seeded, levels finished.
pub(super) trait Watcher: Sync {
    /// This many slots have been seeded since the last call.
    fn seeded(&self, slots: usize);
    /// A level is done.
    fn level(&self, level: u32);
}

/// Ignores progress.
impl Watcher for () {
    fn seeded(&self, _: usize) {}

    fn level(&self, _: u32) {}
}

/// Solves a pair of sectors given the walks through both, or through the one that is its own partner.
///
/// # Errors
/// When a distance is too long for a table.
pub(super) fn solve<W: Walk>(walks: &[W], watcher: &dyn Watcher) -> Result<Solution, TooLong> {
    let sectors: Vec<States> =
        walks.iter().map(|walk| States::new(walk.rows().checked_sub(1).map_or(0, |last| walk.row(last).end))).collect();
    let longest = AtomicU32::new(0);
    for (walk, states) in walks.iter().zip(&sectors) {
        (0..walk.rows()).into_par_iter().for_each_init(Vec::new, |seeds, row| {
            seeds.clear();
            walk.seed(row, seeds);
            let mut last = 0;
            for (slot, seed) in walk.row(row).zip(&*seeds) {
                let state = seed.state();
                if state < DISTANCES {
                    states.settle(slot, state);
                    last = last.max(state);
                } else {
                    states.states[slot].store(state, Relaxed);
                }
            }
            longest.fetch_max(last.into(), Relaxed);
            watcher.seeded(seeds.len());
        });
    }
    let mut level = 0;
    let quiet = walks.iter().any(Walk::has_quiet_moves);
    while quiet && level <= longest.load(Relaxed) {
        if level > Code::MAX_DISTANCE {
            return Err(TooLong);
        }
        for (i, walk) in walks.iter().enumerate() {
            let (own, partner) = (&sectors[i], &sectors[walks.len() - 1 - i]);
            let updates = (0..walk.rows()).into_par_iter().fold(
                || (Updates::new(partner, level as u16), Vec::new()),
                |(mut updates, mut hits), row| {
                    hits.clear();
                    own.find(walk.row(row), level as u16, &mut hits);
                    if !hits.is_empty() {
                        walk.predecessors(row, &hits, &mut updates);
                    }
                    (updates, hits)
                },
            );
            let found = updates.map(|(updates, _)| updates.finish()).max().unwrap_or(0);
            longest.fetch_max(found.into(), Relaxed);
        }
        watcher.level(level);
        level += 1;
    }
    let levels = longest.into_inner();
    if levels > Code::MAX_DISTANCE {
        return Err(TooLong);
    }
    Ok(Solution { sectors: sectors.into_iter().map(Solved).collect(), levels })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Slots per row of the games below.
    const ROW: usize = 8;

    /// A game made of random moves: a sector of its own and its partner.
    struct RandomGame {
        seeds: Vec<Seed>,
        /// For each slot, the slots of the partner from which a move leads to it.
        sources: Vec<Vec<u32>>,
    }

    impl Walk for RandomGame {
        fn rows(&self) -> usize {
            self.seeds.len() / ROW
        }

        fn row(&self, row: usize) -> Range<usize> {
            row * ROW..(row + 1) * ROW
        }

        fn seed(&self, row: usize, seeds: &mut Vec<Seed>) {
            seeds.extend_from_slice(&self.seeds[self.row(row)]);
        }

        fn predecessors(&self, _: usize, slots: &[u32], updates: &mut Updates<'_>) {
            for &slot in slots {
                self.sources[slot as usize].iter().for_each(|&source| updates.send(source, 1));
            }
        }
    }

    /// Two sectors of so many slots, and for each slot the slots of the partner that its moves lead to.
    fn random_game(slots: usize, seed: u64) -> ([RandomGame; 2], [Vec<Vec<usize>>; 2]) {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut moves: [Vec<Vec<usize>>; 2] = Default::default();
        let mut sectors: [RandomGame; 2] = std::array::from_fn(|_| {
            let empty = vec![Vec::new(); slots];
            RandomGame { seeds: Vec::new(), sources: empty }
        });
        for side in 0..2 {
            for slot in 0..slots {
                // A game that is over has no moves.
                let over = rng.u32(..10) == 0;
                let count = if over { 0 } else { rng.usize(..4) };
                let targets: Vec<usize> = (0..count).map(|_| rng.usize(..slots)).collect();
                for &target in &targets {
                    sectors[1 - side].sources[target].push(slot as u32);
                }
                let exit = match rng.u32(..8) {
                    0 => Some(Value::Win(1 + 2 * rng.u32(..4))),
                    1 => Some(Value::Loss(2 * rng.u32(1..4))),
                    2 => Some(Value::Draw),
                    _ => None,
                };
                let quiet = targets.len() as u32;
                sectors[side].seeds.push(if over { Seed::Drawn } else { Seed::Open { exit, quiet } });
                moves[side].push(targets);
            }
        }
        (sectors, moves)
    }

    /// The values by definition: again and again the best of the successors, until nothing changes any more.
    fn by_definition(sectors: &[RandomGame; 2], moves: &[Vec<Vec<usize>>; 2]) -> [Vec<Value>; 2] {
        let slots = sectors[0].seeds.len();
        let mut values: [Vec<Value>; 2] = std::array::from_fn(|_| vec![Value::Draw; slots]);
        for plies in 0..2 * slots as u32 + 20 {
            for side in 0..2 {
                for slot in 0..slots {
                    let Seed::Open { exit, .. } = sectors[side].seeds[slot] else { continue };
                    let quiet = moves[side][slot].iter().map(|&target| values[1 - side][target].before());
                    let best = quiet.chain(exit).max_by_key(|value| value.rank()).unwrap_or(Value::Loss(0));
                    // A distance is certain once all shorter ones are.
                    if matches!(best, Value::Win(distance) | Value::Loss(distance) if distance == plies) {
                        values[side][slot] = best;
                    }
                }
            }
        }
        values
    }

    #[test]
    fn random_games_are_solved_by_several_threads_as_by_definition() {
        let (games, slots) = if cfg!(miri) { (2, 2 * ROW) } else { (200, 12 * ROW) };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().expect("three threads");
        let mut seen = [0; 3];
        for seed in 0..games {
            let (sectors, moves) = random_game(slots, seed);
            let solution = pool.install(|| solve(&sectors, &())).expect("short distances");
            let expected = by_definition(&sectors, &moves);
            for (side, (found, expected)) in solution.sectors.iter().zip(&expected).enumerate() {
                for (slot, &expected) in expected.iter().enumerate() {
                    assert_eq!(found.code(slot).value(), expected, "game {seed}, sector {side}, slot {slot}");
                    seen[expected.verdict() as usize] += 1;
                }
            }
        }
        assert!(seen.iter().all(|&count| count > 0), "all kinds of values: {seen:?}");
    }
}
