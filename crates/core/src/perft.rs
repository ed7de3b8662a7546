//! Counts the leaves of the game tree, the classical test of a move generator.
//!
//! A move together with its removal is one ply, finished positions add nothing, and draw counters are ignored. The last
//! ply is counted in bulk, without making its moves.

use crate::game::{Game, Move};
#[cfg(feature = "threads")]
use crate::threads::pool;
use ahash::AHashMap;
#[cfg(feature = "threads")]
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};

/// A condition for stopping, polled repeatedly while counting.
pub trait Interrupt: Sync {
    /// Returns whether to stop at once.
    fn is_interrupted(&self) -> bool;
}

impl Interrupt for AtomicBool {
    fn is_interrupted(&self) -> bool {
        self.load(Ordering::Relaxed)
    }
}

/// The settings of counting.
#[derive(Clone, Copy)]
pub struct Settings<'a> {
    /// The number of threads; 0 and 1 count on the calling thread, as does every number without the feature `threads`.
    pub threads: usize,
    /// The MiB of memory for subtree counts, divided between the threads; 0 for none.
    pub hash_mib: usize,
    /// Stops the counting from outside: a flag, or the control of a job.
    pub stop: &'a dyn Interrupt,
}

/// Approximate size of an entry of the map, bucket overhead included.
const ENTRY_BYTES: usize = 48;

/// Subtree counts by key and depth; cleared when full.
struct Cache {
    counts: AHashMap<(u64, u32), u64>,
    capacity: usize,
}

impl Cache {
    /// Creates the part of a thread, or `None` if no memory is to be used.
    fn new(settings: Settings<'_>, threads: usize) -> Option<Cache> {
        let capacity = settings.hash_mib.saturating_mul(1 << 20) / ENTRY_BYTES / threads;
        (capacity > 0).then(|| Cache { counts: AHashMap::new(), capacity })
    }

    fn get(&self, key: u64, depth: u32) -> Option<u64> {
        self.counts.get(&(key, depth)).copied()
    }

    fn put(&mut self, key: u64, depth: u32, count: u64) {
        if self.counts.len() >= self.capacity {
            self.counts.clear();
        }
        self.counts.insert((key, depth), count);
    }
}

/// Counts the leaves below a position, on one thread and without a table.
pub fn count<G: Game>(game: &G, pos: &G::Position, depth: u32) -> u64 {
    plain(game, pos, depth, &AtomicBool::new(false))
}

fn plain<G: Game>(game: &G, pos: &G::Position, depth: u32, stop: &dyn Interrupt) -> u64 {
    match depth {
        0 => return 1,
        1 => return game.count_moves(pos),
        3.. if stop.is_interrupted() => return 0,
        _ => {}
    }
    let mut total = 0;
    if depth == 2 {
        game.generate(pos, |mv| total += game.count_moves(&game.play(pos, mv)));
    } else {
        game.generate(pos, |mv| total += plain(game, &game.play(pos, mv), depth - 1, stop));
    }
    total
}

fn cached<G: Game>(game: &G, pos: &G::Position, depth: u32, cache: &mut Cache, stop: &dyn Interrupt) -> u64 {
    if depth <= 1 {
        return plain(game, pos, depth, stop);
    }
    if stop.is_interrupted() {
        return 0;
    }
    let key = game.key(pos);
    if let Some(count) = cache.get(key, depth) {
        return count;
    }
    let mut total = 0;
    game.generate(pos, |mv| total += cached(game, &game.play(pos, mv), depth - 1, cache, stop));
    if !stop.is_interrupted() {
        cache.put(key, depth, total);
    }
    total
}

/// Sums the leaves below a position from those below its moves: depth 0 has no moves and one leaf.
pub fn total<M>(divided: &[(M, u64)], depth: u32) -> u64 {
    if depth == 0 { 1 } else { divided.iter().map(|(_, count)| count).sum() }
}

/// Formats each root move with its count, an empty line, and the total, as chess engines do.
pub fn listing(divided: &[(String, u64)], depth: u32) -> String {
    let lines: String = divided.iter().map(|(mv, count)| format!("{mv}: {count}\n")).collect();
    format!("{lines}\nNodes searched: {}", total(divided, depth))
}

/// Counts the leaves below each root move, in generation order. Depth 0 has no root moves. Counts are incomplete once
/// `settings.stop` is raised.
///
/// ```
/// use millbrain_core::game::Game;
/// use millbrain_core::perft::{Settings, divide, total};
/// use millbrain_core::smess::{Rules, Smess};
/// use std::sync::atomic::AtomicBool;
///
/// let game = Smess::new(Rules::default());
/// let stop = AtomicBool::new(false);
/// let settings = Settings { threads: 1, hash_mib: 0, stop: &stop };
/// let divided = divide(&game, &game.start(), 3, settings);
/// assert_eq!(divided.len(), 12);
/// assert_eq!(total(&divided, 3), 1_943);
/// ```
pub fn divide<G: Game>(game: &G, pos: &G::Position, depth: u32, settings: Settings<'_>) -> Vec<(Move, u64)> {
    if depth == 0 {
        return Vec::new();
    }
    #[cfg(feature = "threads")]
    if settings.threads > 1 {
        return divide_in_parallel(game, pos, depth, settings);
    }
    let mut cache = Cache::new(settings, 1);
    let moves = game.moves(pos).into_iter();
    moves.map(|mv| (mv, count_below(game, &game.play(pos, mv), depth - 1, &mut cache, settings.stop))).collect()
}

/// Counts the leaves below a position, with or without a cache.
fn count_below<G: Game>(
    game: &G,
    pos: &G::Position,
    depth: u32,
    cache: &mut Option<Cache>,
    stop: &dyn Interrupt,
) -> u64 {
    match cache {
        Some(cache) => cached(game, pos, depth, cache, stop),
        None => plain(game, pos, depth, stop),
    }
}

#[cfg(feature = "threads")]
fn divide_in_parallel<G: Game>(game: &G, pos: &G::Position, depth: u32, settings: Settings<'_>) -> Vec<(Move, u64)> {
    let moves = game.moves(pos);
    // Two plies down there are enough subtrees of similar size to distribute.
    let tasks: Vec<(usize, G::Position)> = moves
        .iter()
        .enumerate()
        .flat_map(|(i, &mv)| {
            let next = game.play(pos, mv);
            let replies = if depth >= 3 { game.moves(&next) } else { vec![] };
            let split: Vec<_> = replies.into_iter().map(|reply| (i, game.play(&next, reply))).collect();
            if depth >= 3 { split } else { vec![(i, next)] }
        })
        .collect();
    let left = if depth >= 3 { depth - 2 } else { depth - 1 };
    let counted = count_tasks(tasks.len(), settings, &|cache, task| {
        count_below(game, &tasks[task].1, left, cache, settings.stop)
    });
    let mut totals: Vec<(Move, u64)> = moves.into_iter().map(|mv| (mv, 0)).collect();
    for (&(i, _), count) in tasks.iter().zip(counted) {
        totals[i].1 += count;
    }
    totals
}

/// Returns the counts of all tasks, on several threads. It is compiled once, not for each rule set.
#[cfg(feature = "threads")]
fn count_tasks(
    tasks: usize,
    settings: Settings<'_>,
    count: &(dyn Fn(&mut Option<Cache>, usize) -> u64 + Sync),
) -> Vec<u64> {
    let threads = settings.threads;
    match pool(threads) {
        Ok(pool) => pool.install(|| {
            (0..tasks)
                .into_par_iter()
                .with_min_len(tasks.div_ceil(threads * 8).max(1))
                .map_init(|| Cache::new(settings, threads), count)
                .collect()
        }),
        Err(error) => {
            log::warn!("perft: {error}; counting on this one alone");
            let mut cache = Cache::new(settings, 1);
            (0..tasks).map(|task| count(&mut cache, task)).collect()
        }
    }
}
