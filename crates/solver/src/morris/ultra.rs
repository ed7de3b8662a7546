//! Ultra-strong values of a pair, found by rows of one colour as its distances are.
//!
//! In a pair the values of drawn positions are stored relative to the rank of the sector: `k` for one side is `-k` for
//! the other a ply before. So for each `k`, largest first, the positions with `k` and `-k` are found as won and lost
//! ones are:
//!
//! - A position has `k` if a move leads out of the pair with value `k`, or to a position with `-k`.
//! - A position has `-k` if all its moves lead to `k` or more for the other side, the last of them to `k`.
//!
//! A position that is never found stays in the pair for ever: 0.

use super::exits::{Removed, Rows, removals};
use super::forward::After;
use super::mirror;
use super::runs::least_columns;
use super::solve::{Pair, colours};
use crate::memory::filled;
use crate::prospects::Prospects;
use crate::prospects::{EVEN, LOSING};
use crate::solve::rows::for_each_row;
use crate::solve::{TooLong, Unsolved, Watcher};
use crate::ultra::{Grounds, UltraSolver};
use millbrain_tablebase::MorrisEndings;
use millbrain_tablebase::morris::Numbering;
use millbrain_tablebase::morris::{Act, Force};
use millbrain_tablebase::{Endings, Sector};
use rayon::prelude::*;

/// Digits of results.
const DRAW: u8 = 1;
const WIN: u8 = 2;

/// The mark of a settled position in its state; the rest are its plies. Without it the state is its open moves: those
/// within the pair to drawn positions that are not settled, and one for all moves out of the pair.
const SETTLED: u16 = 1 << 15;

/// The number of columns up to which lists retain their memory from level to level.
const KEPT: usize = 64;

/// The positions of one sector by rows of X.
struct Table {
    columns: usize,
    state: Vec<u16>,
    /// The key of a settled position; of others that of the best move out of the pair.
    key: Vec<i8>,
    /// The sizes of keys of moves out of the pair that occur in each row, a bit each.
    sizes: Vec<u128>,
}

/// By rows, the columns of positions settled at a level: those with a positive key, and those with a negative one.
struct Settled {
    better: Vec<Vec<u16>>,
    worse: Vec<Vec<u16>>,
}

/// A row of a table, and its settled positions.
struct Row<'a> {
    state: &'a mut [u16],
    key: &'a mut [i8],
    better: &'a mut Vec<u16>,
    worse: &'a mut Vec<u16>,
}

/// The size of the keys that are found, and the plies.
#[derive(Clone, Copy)]
struct Level {
    size: i8,
    plies: u16,
}

impl Settled {
    fn new(rows: usize) -> Settled {
        Settled { better: vec![Vec::new(); rows], worse: vec![Vec::new(); rows] }
    }

    fn clear(&mut self) {
        self.better.par_iter_mut().chain(&mut self.worse).for_each(|columns| {
            columns.clear();
            columns.shrink_to(KEPT);
        });
    }

    fn is_empty(&self) -> bool {
        self.better.par_iter().chain(&self.worse).all(Vec::is_empty)
    }
}

impl Row<'_> {
    /// Settles columns with a move to a position with a negative key of this size, or out of the pair for the same
    /// value.
    fn win(&mut self, columns: &[u16], level: Level) {
        for &column in columns {
            let at = usize::from(column);
            if self.state[at] & SETTLED == 0 {
                self.state[at] = SETTLED | level.plies;
                self.key[at] = level.size;
                self.better.push(column);
            }
        }
    }

    /// Closes a move of each column: it leads to a position with a positive key of this size, or out of the pair for
    /// the same value.
    fn close(&mut self, columns: &[u16], level: Level) {
        for &column in columns {
            let at = usize::from(column);
            if self.state[at] & SETTLED == 0 {
                self.state[at] -= 1;
                if self.state[at] == 0 {
                    self.state[at] = SETTLED | level.plies;
                    self.key[at] = -level.size;
                    self.worse.push(column);
                }
            }
        }
    }

    /// Settles the positions that are decided by moves out of the pair for keys of this size.
    fn seed(&mut self, columns: &mut Vec<u16>, size: i8) {
        let level = Level { size, plies: 1 };
        let find = |keys: &[i8], columns: &mut Vec<u16>, wanted: i8| {
            columns.clear();
            columns.extend((0..).zip(keys).filter(|&(_, &key)| key == wanted).map(|(column, _)| column));
        };
        find(self.key, columns, size);
        self.win(columns, level);
        find(self.key, columns, -size);
        self.close(columns, level);
    }
}

/// Raises the ranks of the best moves out of the pair of a row, and counts the moves within it.
type Seed<'a> = dyn Fn(usize, &mut [u8], &mut [u8]) + Sync + 'a;

impl Table {
    /// Creates the table of positions with these results by rows, before any level. `seed` raises the ranks of the
    /// moves out of the pair of a row, and counts the moves within it. `rank` is that of the sector.
    fn new(numbering: Numbering, results: &[u8], rank: i32, full_board: bool, seed: &Seed<'_>) -> Table {
        let (slots, columns) = (numbering.slots() as usize, numbering.columns() as usize);
        let (mut state, mut key) = (filled(0, slots), filled(Prospects::NONE, slots));
        let rows = state.par_chunks_mut(columns).zip(key.par_chunks_mut(columns)).zip(results.par_chunks(columns));
        let sizes = rows.enumerate().map_init(
            || [vec![0; columns], vec![0; columns]],
            |[ranks, open], (index, ((state, key), results))| {
                ranks.fill(0);
                open.fill(0);
                seed(index, ranks, open);
                let mut sizes = 0;
                let moves = results.iter().zip(ranks.iter().zip(open.iter()));
                for ((state, key), (&result, (&best, &open))) in state.iter_mut().zip(key.iter_mut()).zip(moves) {
                    *state = match (result, best) {
                        (DRAW, _) if full_board => 1,
                        (DRAW, 0..=LOSING) => open.into(),
                        (DRAW, best) => {
                            let relative = i32::from(best) - EVEN - rank;
                            *key = relative as i8;
                            sizes |= 1 << relative.unsigned_abs();
                            u16::from(open) + 1
                        }
                        _ => SETTLED,
                    };
                }
                sizes
            },
        );
        let sizes = sizes.collect();
        Table { columns, state, key, sizes }
    }

    fn rows<'a>(&'a mut self, settled: &'a mut Settled) -> impl IndexedParallelIterator<Item = Row<'a>> {
        let rows = self.state.par_chunks_mut(self.columns).zip(self.key.par_chunks_mut(self.columns));
        let lists = settled.better.par_iter_mut().zip(&mut settled.worse);
        rows.zip(lists).map(|((state, key), (better, worse))| Row { state, key, better, worse })
    }

    /// Settles the positions that are decided by moves out of the pair for keys of this size.
    fn seed(&mut self, size: i8, settled: &mut Settled) {
        let sizes = std::mem::take(&mut self.sizes);
        self.rows(settled).zip(&sizes).for_each_init(Vec::new, |columns, (mut row, sizes)| {
            if sizes >> size & 1 != 0 {
                row.seed(columns, size);
            }
        });
        self.sizes = sizes;
    }

    /// Returns all sizes of keys of moves out of the pair.
    fn all_sizes(&self) -> u128 {
        self.sizes.par_iter().copied().reduce(|| 0, |a, b| a | b)
    }

    /// Returns the values by slot of the sector in which X is to move.
    fn prospects(self, numbering: Numbering) -> Prospects {
        let Table { columns, mut state, mut key, .. } = self;
        let rows = state.par_chunks_mut(columns).zip(key.par_chunks_mut(columns)).enumerate();
        rows.for_each(|(row, (state, key))| {
            for (state, key) in state.iter_mut().zip(key.iter_mut()) {
                (*state, *key) = match *state & SETTLED {
                    0 => (0, 0),
                    _ => (*state & !SETTLED, *key),
                };
            }
            for (column, least) in least_columns(numbering, row).into_iter().enumerate() {
                if (least as usize) < column {
                    (state[column], key[column]) = (0, Prospects::NONE);
                }
            }
        });
        Prospects { keys: key, plies: state }
    }
}

/// A pair being solved.
struct Work<'a> {
    pair: Pair<'a>,
    x: Table,
    /// The table with Y to move; `None` if both sides have the same forces.
    y: Option<Table>,
}

impl Work<'_> {
    fn numbering(&self) -> Numbering {
        self.pair.numbering
    }

    /// Lists the positions with Y to move that are those of X with the colours exchanged, if there is no other table.
    fn mirror(&self, of_x: &Settled, of_y: &mut Settled) {
        if self.y.is_none() {
            for (from, to) in [(&of_x.better, &mut of_y.better), (&of_x.worse, &mut of_y.worse)] {
                mirror::list(self.numbering(), &|row, columns| columns.extend_from_slice(&from[row]), to);
            }
        }
    }

    /// Updates the positions from which moves lead to those that have been settled.
    fn spread(&mut self, level: Level, of: [&Settled; 2], next: [&mut Settled; 2]) {
        let (pair, [of_x, of_y], [next_x, next_y]) = (&self.pair, of, next);
        let pull_x = |room: &mut Vec<u16>, index: usize, row: &mut Row<'_>| {
            pair.pull_x(room, &of_y.worse, index, |columns| row.win(columns, level));
            pair.pull_x(room, &of_y.better, index, |columns| row.close(columns, level));
        };
        let rows = self.x.rows(next_x).enumerate();
        let Some(y) = &mut self.y else {
            return rows.for_each_init(Vec::new, |room, (index, mut row)| pull_x(room, index, &mut row));
        };
        rows.zip(y.rows(next_y)).for_each_init(
            || [Vec::new(), Vec::new()],
            |[of_row, of_others], ((index, mut x), mut y)| {
                let (worse, better) = (&of_x.worse[index], &of_x.better[index]);
                if !worse.is_empty() {
                    pair.pull_y(of_row, worse, index, |columns| y.win(columns, level));
                }
                if !better.is_empty() {
                    pair.pull_y(of_row, better, index, |columns| y.close(columns, level));
                }
                pull_x(of_others, index, &mut x);
            },
        );
    }

    /// Finds all values.
    fn solve(&mut self, won: [Settled; 2], watcher: &dyn Watcher) -> Result<(), Unsolved> {
        let rows = self.numbering().rows();
        let [mut of_x, mut of_y] = won;
        let mut next = [Settled::new(rows), Settled::new(rows)];
        // Moves to positions that are won for the other side are not open; no drawn position has no others.
        self.mirror(&of_x, &mut of_y);
        let [next_x, next_y] = &mut next;
        self.spread(Level { size: 0, plies: 0 }, [&of_x, &of_y], [next_x, next_y]);
        let sizes = self.x.all_sizes() | self.y.as_ref().map_or(0, Table::all_sizes);
        let mut levels = 0;
        for size in (1..=i8::MAX).rev().filter(|size| sizes >> size & 1 != 0) {
            let mut level = Level { size, plies: 1 };
            [&mut of_x, &mut of_y].into_iter().for_each(Settled::clear);
            self.x.seed(size, &mut of_x);
            if let Some(y) = &mut self.y {
                y.seed(size, &mut of_y);
            }
            while !(of_x.is_empty() && (self.y.is_none() || of_y.is_empty())) {
                level.plies += 1;
                if level.plies >= SETTLED {
                    return Err(TooLong::than(u32::from(SETTLED) - 1).into());
                }
                self.mirror(&of_x, &mut of_y);
                let [next_x, next_y] = &mut next;
                [&mut *next_x, &mut *next_y].into_iter().for_each(Settled::clear);
                self.spread(level, [&of_x, &of_y], [next_x, next_y]);
                std::mem::swap(&mut of_x, next_x);
                std::mem::swap(&mut of_y, next_y);
                watcher.level(levels);
                levels += 1;
            }
        }
        Ok(())
    }
}

/// Returns the columns of the won positions, by rows.
fn won(numbering: Numbering, results: &[u8]) -> Settled {
    let rows = results
        .par_chunks(numbering.columns() as usize)
        .map(|results| (0..).zip(results).filter(|&(_, &result)| result == WIN).map(|(column, _)| column).collect());
    Settled { better: rows.collect(), ..Settled::new(numbering.rows()) }
}

/// Ranks moves that remove a stone, from a sector in which the mover slides.
fn removed<E>(sector: Sector, rows: impl FnOnce(Sector) -> Result<Rows<u8>, E>) -> Result<Removed<u8>, E> {
    let (_, reduced) = Act::Slide.successors(sector);
    Ok(match reduced {
        Some(reduced) => Removed::Rows(rows(reduced)?),
        None => Removed::Won(LOSING),
    })
}

impl UltraSolver for MorrisEndings {
    fn solve(&self, pair: &[Sector], grounds: &dyn Grounds, watcher: &dyn Watcher) -> Result<Prospects, Unsolved> {
        let [x, y] = colours(pair);
        let game = self.game();
        let pair = Pair::new(&game, self.metric(), x, y);
        let numbering = pair.numbering;
        let [of_x, of_y] = [Sector::new(x.code(), y.code()), Sector::new(y.code(), x.code())];
        let rank = grounds.rank(of_x);
        let slots = numbering.slots() as usize;
        let full_board = pair.full_board();
        let results = Rows::of_slots(numbering, grounds.results(of_x)?).values;
        let mut all_won = [won(numbering, &results), Settled::new(numbering.rows())];
        let table = {
            let exit = removed(of_x, |exit| {
                let rows = Numbering::of_sizes(x.board.into(), Force::of(exit.own).board.into());
                Ok::<_, Unsolved>(Rows::of_other_slots(rows, Numbering::of(exit), &grounds.moves_to(exit)?))
            })?;
            let mut best = filled(0, slots);
            removals(&game, numbering, &exit, &mut best);
            drop(exit);
            Table::new(numbering, &results, rank, full_board, &|index, ranks, open| {
                pair.seed_x(&best, None, index, (ranks, open));
                watcher.seeded(ranks.len() as u64);
            })
        };
        drop(results);
        let other = if of_x == of_y {
            None
        } else {
            let results = Rows::of_other_slots(numbering, Numbering::of(of_y), &grounds.results(of_y)?).values;
            all_won[1] = won(numbering, &results);
            let exit =
                removed(of_y, |exit| Ok::<_, Unsolved>(Rows::of_slots(Numbering::of(exit), grounds.moves_to(exit)?)))?;
            Some(Table::new(numbering, &results, -rank, full_board, &|index, ranks, open| {
                pair.seed_y(&exit, None, index, (ranks, open));
                watcher.seeded(ranks.len() as u64);
            }))
        };
        let mut work = Work { pair, x: table, y: other };
        work.solve(all_won, watcher)?;
        Ok(work.x.prospects(numbering))
    }

    fn derive(&self, sector: Sector, grounds: &dyn Grounds) -> Result<Vec<u8>, Unsolved> {
        let game = self.game();
        let read = |sector: Sector| {
            let (rows, slots) = (Numbering::of(sector.partner()), Numbering::of(sector));
            Ok::<_, Unsolved>(Rows::of_other_slots(rows, slots, &grounds.moves_to(sector)?))
        };
        let after = After::of(&game, Act::Slide, 0, read(sector.partner())?, &removed(sector, read)?);
        let numbering = Numbering::of(sector);
        let mut moves = grounds.results(sector)?;
        for_each_row(&mut moves, numbering.columns() as usize, &|row, moves| {
            let mut best = vec![0; moves.len()];
            after.raise(&game, numbering, row, &mut best);
            for (result, best) in moves.iter_mut().zip(best) {
                // The best value for the side to move is the worst for the side that moved there.
                *result = if *result == DRAW && best > LOSING { (2 * EVEN - i32::from(best)) as u8 } else { LOSING };
            }
        });
        Ok(moves)
    }

    fn bytes(&self, pair: &[Sector]) -> u64 {
        let [x, y] = colours(pair);
        let slots = Numbering::of_sizes(x.board.into(), y.board.into()).slots();
        let tables = if x == y { 1 } else { 2 };
        // State, key, and at most two bytes for each position that is settled at one level, or in transit to other
        // rows. Before that, the ranks of removals and the finished sector being read; the second table does not exist
        // yet.
        let exit = self.exits(pair[0]).into_iter().chain(self.exits(pair[pair.len() - 1]));
        let exit = exit.map(|exit| 3 * self.slots(exit)).max().unwrap_or(0);
        tables * slots * 3 + (tables * slots * 2).max(2 * slots + exit)
    }
}
