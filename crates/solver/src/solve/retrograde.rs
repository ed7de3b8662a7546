//! Retrograde analysis of a pair of sectors, level by level, slot by slot; the morris family has a faster one of its
//! own.
//!
//! Each slot has a state of two bytes: 1024 times the number of quiet moves not yet known to lose, plus the longest
//! loss that captures alone would give. A state below 1024 is a distance: even for a loss, odd for a win. At level `n`
//! the predecessors of positions lost in `n` become won in `n + 1`. The count of each predecessor of a position won in
//! `n` goes down by one; at zero the predecessor is lost. Wins that begin with a capture are stored as distances from
//! the start and replaced if a shorter win is found.

use super::{Solution, TooLong, Watcher};
use crate::solve::states::{MAX_DISTANCE, Seed, States, Updates};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Visits the positions of one sector row by row, for [`solve`]. Threads divide the rows among themselves.
pub(crate) trait Walk: Send + Sync {
    /// Returns the number of rows.
    fn rows(&self) -> usize;

    /// Returns the slots of a row.
    fn row(&self, row: usize) -> Range<u64>;

    /// Finds the best value of each slot's moves out of the pair of sectors, and the number of its other moves.
    fn seed(&self, row: usize, seeds: &mut Vec<Seed>);

    /// Sends an update to each position of the partner sector with a quiet move to one of these slots of a row, once
    /// for each such move.
    fn predecessors(&self, row: usize, slots: &[u32], updates: &mut Updates<'_>);
}

/// Solves a pair of sectors given the walks through both, or through the one that is its own partner.
///
/// # Errors
/// Fails if a distance is too long for a table.
pub(crate) fn solve<W: Walk>(walks: &[W], watcher: &dyn Watcher) -> Result<Solution, TooLong> {
    let sectors: Vec<States> =
        walks.iter().map(|walk| States::new(walk.rows().checked_sub(1).map_or(0, |last| walk.row(last).end))).collect();
    let longest = AtomicU32::new(0);
    for (walk, states) in walks.iter().zip(&sectors) {
        (0..walk.rows()).into_par_iter().for_each_init(Vec::new, |seeds, row| {
            seeds.clear();
            walk.seed(row, seeds);
            let mut last = 0;
            for (slot, &seed) in walk.row(row).zip(&*seeds) {
                last = last.max(states.begin(slot, seed));
            }
            longest.fetch_max(last.into(), Relaxed);
            watcher.seeded(seeds.len() as u64);
        });
    }
    let mut level = 0;
    while level <= longest.load(Relaxed) {
        if level > MAX_DISTANCE {
            return Err(TooLong::than(MAX_DISTANCE));
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
    if levels > MAX_DISTANCE {
        return Err(TooLong::than(MAX_DISTANCE));
    }
    Ok(Solution { sectors: sectors.into_iter().map(|states| states.into_codes(levels)).collect(), levels })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::{Code, Codes};
    use crate::solve::states::Seed;
    use millbrain_core::game::value::Value;
    use std::ops::Range;

    /// The number of slots per row of the games below.
    const ROW: usize = 8;

    /// A sector and its partner in a game of random moves.
    struct RandomGame {
        seeds: Vec<Seed>,
        /// The slots of the partner from which a move leads to each slot.
        sources: Vec<Vec<u32>>,
    }

    impl Walk for RandomGame {
        fn rows(&self) -> usize {
            self.seeds.len() / ROW
        }

        fn row(&self, row: usize) -> Range<u64> {
            (row * ROW) as u64..((row + 1) * ROW) as u64
        }

        fn seed(&self, row: usize, seeds: &mut Vec<Seed>) {
            seeds.extend_from_slice(&self.seeds[row * ROW..(row + 1) * ROW]);
        }

        fn predecessors(&self, _: usize, slots: &[u32], updates: &mut Updates<'_>) {
            for &slot in slots {
                self.sources[slot as usize].iter().for_each(|&source| updates.send(source, 1));
            }
        }
    }

    /// Returns two sectors of `slots` slots, and for each slot the slots of the partner that its moves lead to.
    fn random_game(slots: usize, seed: u64) -> ([RandomGame; 2], [Vec<Vec<usize>>; 2]) {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut moves: [Vec<Vec<usize>>; 2] = Default::default();
        let mut sectors: [RandomGame; 2] = std::array::from_fn(|_| {
            let empty = vec![Vec::new(); slots];
            RandomGame { seeds: Vec::new(), sources: empty }
        });
        for side in 0..2 {
            for slot in 0..slots {
                // A finished game has no moves.
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
                let exit = if over { Some(Value::Draw) } else { exit };
                sectors[side].seeds.push(Seed::Open { exit, quiet });
                moves[side].push(targets);
            }
        }
        (sectors, moves)
    }

    /// Computes the values by definition: repeatedly the best of the successors, until nothing changes.
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
                for (slot, &expected) in (0..).zip(expected) {
                    assert_eq!(found.value(slot), expected, "game {seed}, sector {side}, slot {slot}");
                    seen[expected.verdict() as usize] += 1;
                }
            }
        }
        assert!(seen.iter().all(|&count| count > 0), "all kinds of values: {seen:?}");
    }

    /// Returns positions that each have one move, to the one before; the first is lost.
    fn chain(length: usize) -> [RandomGame; 2] {
        let slots = length.next_multiple_of(2 * ROW);
        std::array::from_fn(|_| {
            let seed = |slot: usize| match slot {
                0 => Seed::Open { exit: None, quiet: 0 },
                _ if slot < length => Seed::Open { exit: None, quiet: 1 },
                _ => Seed::Open { exit: Some(Value::Draw), quiet: 0 },
            };
            let sources = (0..slots).map(|slot| if slot + 1 < length { vec![slot as u32 + 1] } else { Vec::new() });
            RandomGame { seeds: (0..slots).map(seed).collect(), sources: sources.collect() }
        })
    }

    /// Codes are bytes only as far as distances allow. The longest distance that a state holds is solved; one more is
    /// an error.
    #[test]
    fn distances_are_as_long_as_they_are() {
        let byte = Code::<u8>::max_distance();
        for longest in [byte, byte + 1, MAX_DISTANCE] {
            let solution = solve(&chain(longest as usize + 1), &()).expect("short enough");
            assert_eq!(solution.levels, longest);
            let codes = &solution.sectors[0];
            assert_eq!(matches!(codes, Codes::Bytes(_)), longest == byte);
            for plies in [0, 1, 252, 253, longest - 1, longest] {
                let value = if plies % 2 == 1 { Value::Win(plies) } else { Value::Loss(plies) };
                assert_eq!(codes.value(plies as usize), value);
            }
            assert_eq!(solution.sectors[1].len(), (longest as usize + 1).next_multiple_of(2 * ROW));
        }
        for length in [MAX_DISTANCE + 2, MAX_DISTANCE + 3] {
            let refused = solve(&chain(length as usize), &()).err().map(|error| error.to_string());
            assert_eq!(refused.as_deref(), Some("a distance is longer than the 1023 plies that a table can hold"));
        }
    }
}
