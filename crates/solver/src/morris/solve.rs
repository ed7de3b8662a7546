//! Retrograde analysis of sectors in which stones slide, by rows of one colour: the moving phase, and the placing phase
//! of games in which a side with stones in hand may slide one instead.
//!
//! Of a pair of sectors, X is to move in one and Y in the other. At each level every row reads the positions settled at
//! the last one: X's moves from the rows they lead to, Y's moves from itself. A thread writes only to its own rows, so
//! the result does not depend on the number of threads.

use super::exits::{Removed, Rows, codes_of_mover, codes_of_other, removals, removals_in_row};
use super::forward::{After, Placed};
use super::frame::{Frame, Relabel, RowMove, Sums, Swaps, steps, with_mills};
use super::mirror;
use super::runs::Runs;
use super::table::{Room, Table, Wide};
use crate::code::{Code, IntoCodes, Plies};
use crate::memory::filled;
use crate::solve::rows::of_rows;
use crate::solve::{Finished, Solution, TooLong, Unsolved, Watcher};
use millbrain_core::bits::iter_ones;
use millbrain_core::morris::board::{ALL, POINTS, PointSet, in_mills, points};
use millbrain_tablebase::Metric;
use millbrain_tablebase::MorrisEndings;
use millbrain_tablebase::morris::Game;
use millbrain_tablebase::morris::Numbering;
use millbrain_tablebase::morris::{Act, Force};
use millbrain_tablebase::{Endings, Sector};

/// The number of sets from which tables translate faster than single translations.
const WORTH_TABLES: usize = 16;

/// The number of columns that are updated together, or a few more: they stay in the cache.
const ENOUGH: usize = 1 << 10;

/// A pair of sectors, numbered by X.
pub(super) struct Pair<'a> {
    pub game: &'a Game,
    metric: Metric,
    pub numbering: Numbering,
    pub x: Force,
    pub y: Force,
    /// X's moves in each row.
    moves: Vec<Vec<RowMove>>,
}

/// All distances of a pair.
struct Solved<D: Wide> {
    /// The table with X to move.
    x: Table<D>,
    /// The table with Y to move; `None` if both sides have the same forces.
    y: Option<Table<D>>,
    longest: u32,
}

impl<'a> Pair<'a> {
    pub(super) fn new(game: &'a Game, metric: Metric, x: Force, y: Force) -> Pair<'a> {
        let numbering = Numbering::of_sizes(x.board.into(), y.board.into());
        let own = |row| ALL & !numbering.gaps(row).free();
        let moves = of_rows(numbering.rows(), &|row| RowMove::moving(game, numbering, own(row), x.hand));
        Pair { game, metric, numbering, x, y, moves }
    }

    /// Returns the stored distance of positions that follow from those settled at a level.
    const fn next(&self, level: u32) -> u32 {
        level + if level.is_multiple_of(2) { self.metric.win_step() } else { 1 }
    }

    pub(super) fn full_board(&self) -> bool {
        usize::from(self.x.board + self.y.board) == POINTS
    }

    /// Returns whether X may close a mill with nothing to remove.
    fn x_has_silent_mills(&self) -> bool {
        self.game.has_silent_mills(ALL >> (POINTS - usize::from(self.y.board)))
    }

    /// Raises the ranks of the best moves out of the pair of positions with X to move, and counts their quiet moves.
    /// `removals` has the ranks of X's removals, `placed` the results of its placements.
    pub(super) fn seed_x<D: Plies>(
        &self,
        removals: &[D],
        placed: Option<&After<D>>,
        index: usize,
        (ranks, open): (&mut [D], &mut [u8]),
    ) {
        let frame = Frame::of(self.numbering, index);
        let sets = self.numbering.sets_by_column();
        let columns = ranks.len();
        // The moves to each free point: those that close no mill, and those that do.
        let mut targets = [[0; POINTS]; 2];
        for &mv in &self.moves[index] {
            let number = frame.bits[usize::from(mv.to)].trailing_zeros();
            targets[usize::from(mv.closes)][number as usize] += 1;
            if mv.closes {
                let removals = &removals[mv.row as usize * columns..][..columns];
                let relabel = mv.relabel(self.numbering, &frame);
                Runs::new(self.numbering, self.numbering, &relabel).raise(ranks, removals);
            }
        }
        if let Some(placed) = placed {
            placed.raise(self.game, self.numbering, index, ranks);
        }
        let free = frame.gaps.free().count_ones() as usize;
        let blocked = targets.map(|targets| Sums::new(&targets, free));
        let all = targets.map(|targets| targets.iter().sum::<u8>());
        for (open, &numbers) in open.iter_mut().zip(sets) {
            *open = all[0] - blocked[0].of(numbers);
            // A move that closes a mill is quiet where nothing may be removed.
            if self.x_has_silent_mills() && self.game.removable(frame.gaps.spread(numbers)) == 0 {
                *open += all[1] - blocked[1].of(numbers);
            }
        }
    }

    /// Does the same for the positions with Y to move. `exit` has the results of X's losses, `placed` those of Y's
    /// placements.
    pub(super) fn seed_y<D: Plies>(
        &self,
        exit: &Removed<D>,
        placed: Option<&Placed<D>>,
        index: usize,
        (ranks, open): (&mut [D], &mut [u8]),
    ) {
        let frame = Frame::of(self.numbering, index);
        let sets = self.numbering.sets_by_column();
        let diagonals = self.game.diagonals();
        let removable = self.game.removable(frame.own);
        if removable != 0 {
            let swaps = frame.swaps();
            let mills = frame.mills(self.numbering, diagonals);
            let closed = with_mills(&mills);
            let values = removals_in_row((self.numbering, &frame), removable, exit, &closed);
            for (place, value) in closed.into_iter().map(|column| column as usize).zip(values) {
                self.take_back((&frame, &swaps), sets[place], frame.gaps.spread(mills[place]), |column| {
                    open[column] += 1;
                    ranks[column] = ranks[column].max(value);
                });
            }
        }
        if let Some(placed) = placed {
            placed.raise(&frame, (self.numbering, diagonals), removable, index, ranks);
        }
        let flies = self.game.flies(ALL >> (POINTS - usize::from(self.y.board)), self.y.hand.into());
        for (open, &numbers) in open.iter_mut().zip(sets) {
            let opp = frame.gaps.spread(numbers);
            let free = frame.gaps.free() & !opp;
            let all = if flies {
                u32::from(self.y.board) * free.count_ones()
            } else {
                steps(opp, free, diagonals).count_ones()
            };
            *open = all as u8 - *open;
        }
    }

    /// Retracts Y's moves to some of its stones, quiet or not, and calls `each` with the columns that they come from.
    #[inline(always)]
    fn take_back(
        &self,
        (frame, swaps): (&Frame, &Swaps),
        numbers: PointSet,
        moved: PointSet,
        mut each: impl FnMut(usize),
    ) {
        let opp = frame.gaps.spread(numbers);
        let free = frame.gaps.free() & !opp;
        if self.game.flies(opp, self.y.hand.into()) {
            for to in points(moved) {
                let rest = numbers ^ frame.bits[to as usize];
                points(free).for_each(|from| each(self.numbering.column(rest ^ frame.bits[from as usize])));
            }
        } else {
            // All at once: the number of a single stone's steps cannot be predicted.
            let steps = iter_ones(steps(moved, free, self.game.diagonals()));
            steps.for_each(|step| each(self.numbering.column(numbers ^ swaps[step as usize])));
        }
    }

    /// Updates the positions with Y to move from which a quiet move leads to these of the same row, some at a time.
    #[inline(always)]
    pub(super) fn pull_y(&self, room: &mut Vec<u16>, hits: &[u16], index: usize, mut update: impl FnMut(&[u16])) {
        let frame = Frame::of(self.numbering, index);
        let swaps = frame.swaps();
        let sets = self.numbering.sets_by_column();
        // A move that closes a mill is quiet only where nothing may be removed.
        let silent_mills = self.game.removable(frame.own) == 0;
        room.clear();
        for &hit in hits {
            let numbers = sets[usize::from(hit)];
            let opp = frame.gaps.spread(numbers);
            let moved = if silent_mills { opp } else { opp & !in_mills(opp, self.game.diagonals()) };
            self.take_back((&frame, &swaps), numbers, moved, |column| room.push(column as u16));
            if room.len() > ENOUGH {
                update(room);
                room.clear();
            }
        }
        update(room);
    }

    /// Updates the positions with X to move from which a quiet move leads to those in the lists of other rows, some at
    /// a time.
    #[inline(always)]
    pub(super) fn pull_x(&self, room: &mut Vec<u16>, hits: &[Vec<u16>], index: usize, mut update: impl FnMut(&[u16])) {
        // One more than there are hits: the column of a blocked set is written too.
        room.resize(self.numbering.columns() as usize + 1, 0);
        let frame = Frame::of(self.numbering, index);
        let sets = self.numbering.sets_by_column();
        for &mv in &self.moves[index] {
            let hits = &hits[mv.row as usize];
            if hits.is_empty() || mv.closes && !self.x_has_silent_mills() {
                continue;
            }
            let relabel = mv.relabel(self.numbering, &frame);
            let there = hits.iter().map(|&hit| sets[usize::from(hit)]);
            let columns = if mv.closes {
                // A move that closes a mill is quiet only where nothing may be removed.
                let gaps = self.numbering.gaps(mv.row as usize);
                let there = there.filter(|&there| self.game.removable(gaps.spread(there)) == 0);
                self.columns(there.map(|there| relabel.of(there)), room)
            } else if hits.len() < WORTH_TABLES {
                self.columns(there.map(|there| relabel.of(there)), room)
            } else {
                let tables = relabel.tables();
                self.columns(there.map(|there| tables.of(there)), room)
            };
            update(columns);
        }
    }

    /// Returns the columns of the sets of numbers that are not blocked. About half of them are, unpredictably.
    #[inline(always)]
    fn columns<'r>(&self, sets: impl Iterator<Item = PointSet>, room: &'r mut [u16]) -> &'r [u16] {
        let mut count = 0;
        for numbers in sets {
            room[count] = self.numbering.column(numbers) as u16;
            count += usize::from(numbers & Relabel::BLOCKED == 0);
        }
        &room[..count]
    }

    /// Reads the results of X's captures: Y is to move there.
    fn exit_of_x<D: Plies>(&self, finished: &dyn Finished) -> Result<Removed<D>, Unsolved> {
        let (_, exit) = Act::Slide.successors(Sector::new(self.x.code(), self.y.code()));
        Removed::read(self.metric, exit, |exit| {
            let rows = Numbering::of_sizes(self.x.board.into(), Force::of(exit.own).board.into());
            Ok(Rows::of_other((self.metric, true), rows, Numbering::of(exit), &finished.codes(exit)?)?)
        })
    }

    /// Settles the positions that follow from the exits of X's positions; returns the longest distance.
    fn seed_all_x<D: Wide>(
        &self,
        finished: &dyn Finished,
        seeded: &(dyn Fn(usize, usize) + Sync),
        x: &mut Table<D>,
        exit: Removed<D>,
    ) -> Result<u32, Unsolved> {
        let mut best = filled(D::default(), self.numbering.slots() as usize);
        removals(self.game, self.numbering, &exit, &mut best);
        drop(exit);
        let sector = Sector::new(self.x.code(), self.y.code());
        let placed =
            (self.x.hand > 0).then(|| After::read(self.game, self.metric, sector, Act::Place, finished)).transpose()?;
        Ok(x.for_each_row(&|room, index, row| {
            let (ranks, open) = room.row(row.columns());
            self.seed_x(&best, placed.as_ref(), index, (ranks, open));
            row.begin(ranks, open, self.full_board());
            seeded(0, index);
        }))
    }

    /// Settles the positions that follow from the exits of Y's positions; returns the longest distance.
    fn seed_all_y<D: Wide>(
        &self,
        finished: &dyn Finished,
        seeded: &(dyn Fn(usize, usize) + Sync),
        y: &mut Table<D>,
    ) -> Result<u32, Unsolved> {
        let sector = Sector::new(self.y.code(), self.x.code());
        let placed = (self.y.hand > 0).then(|| Placed::read(self.metric, sector, finished)).transpose()?;
        let (_, exit) = Act::Slide.successors(sector);
        let exit = Removed::read(self.metric, exit, |exit| {
            Ok::<_, Unsolved>(Rows::of_mover(self.metric, Numbering::of(exit), finished.codes(exit)?)?)
        })?;
        Ok(y.for_each_row(&|room, index, row| {
            let (ranks, open) = room.row(row.columns());
            self.seed_y(&exit, placed.as_ref(), index, (ranks, open));
            row.begin(ranks, open, self.full_board());
            seeded(1, index);
        }))
    }

    /// Finds all distances.
    fn solve<D: Wide>(
        &self,
        finished: &dyn Finished,
        seeded: &(dyn Fn(usize, usize) + Sync),
        watcher: &dyn Watcher,
    ) -> Result<Solved<D>, Unsolved> {
        // It is read in two orders, so it comes before the tables take their memory.
        let exit = self.exit_of_x(finished)?;
        let mut x = Table::new(self.numbering);
        let mut longest = self.seed_all_x(finished, seeded, &mut x, exit)?;
        let mut y = (self.x != self.y).then(|| Table::new(self.numbering));
        if let Some(y) = &mut y {
            longest = longest.max(self.seed_all_y(finished, seeded, y)?);
        }
        let mut hits = vec![Vec::new(); self.numbering.rows()];
        let mut level = 0;
        let last = self.metric.last_level().unwrap_or(u32::MAX);
        while level <= longest.min(last) {
            if level > Code::<D>::max_distance() {
                return Err(TooLong::of::<D>().into());
            }
            let found = match &mut y {
                Some(y) => {
                    y.list(level, &mut hits);
                    self.update_both(&hits, level, &mut x, y)
                }
                None => {
                    mirror::list(self.numbering, &|row, columns| x.find(row, level, columns), &mut hits);
                    let next = self.next(level);
                    x.for_each_row(&|room, index, row| {
                        self.pull_x(&mut room.columns_of_x, &hits, index, |columns| row.update(columns, level, next))
                    })
                }
            };
            longest = longest.max(found);
            watcher.level(level);
            level += 1;
        }
        Ok(Solved { x, y, longest })
    }

    /// Updates all positions with a move to those with Y to move that are listed by rows. Does the same for those with
    /// X to move that are settled at this level. Returns the longest distance found.
    fn update_both<D: Wide>(&self, hits: &[Vec<u16>], level: u32, x: &mut Table<D>, y: &mut Table<D>) -> u32 {
        let next = self.next(level);
        x.for_each_row_with(y, &|room, index, x, y| {
            let Room { hits: own_hits, columns_of_y, columns_of_x, .. } = room;
            own_hits.clear();
            x.find(level, own_hits);
            if !own_hits.is_empty() {
                self.pull_y(columns_of_y, own_hits, index, |columns| y.update(columns, level, next));
            }
            self.pull_x(columns_of_x, hits, index, |columns| x.update(columns, level, next));
        })
    }
}

/// Returns X and Y of a pair of sectors. X has no fewer stones than Y, so that there are fewer columns than 65,536.
pub(super) fn colours(pair: &[Sector]) -> [Force; 2] {
    let mut forces = [Force::of(pair[0].own), Force::of(pair[0].opp)];
    forces.sort_by_key(|force| std::cmp::Reverse(force.board));
    forces
}

/// Returns the bytes of memory that the analysis takes.
pub(super) fn bytes(endings: &MorrisEndings, pair: &[Sector]) -> u64 {
    let [x, y] = colours(pair);
    let numbering = Numbering::of_sizes(x.board.into(), y.board.into());
    let slots = numbering.slots();
    let table = Table::<u8>::bytes(numbering, slots);
    let exits = endings.exits(pair[0]).into_iter().chain(endings.exits(pair[pair.len() - 1]));
    let exits = exits.map(|exit| endings.slots(exit) + endings.slots(exit) / 20);
    // With stones in hand, the results of one side's placements are read as well.
    let placed = if x.hand + y.hand > 0 { 2 * exits.clone().sum::<u64>() } else { 0 };
    let exit = exits.max().unwrap_or(0);
    // One finished sector at a time, before the tables in two orders. Then at most two bytes for each position that is
    // settled at one level, or three with those in transit to other rows.
    let levels = if pair.len() == 1 { table + (slots + exit).max(3 * slots) } else { 2 * table + exit.max(2 * slots) };
    (2 * exit).max(levels) + placed
}

/// Solves a pair of sectors connected by slides in both directions.
pub(super) fn solve<D: IntoCodes + Wide>(
    endings: &MorrisEndings,
    pair: &[Sector],
    finished: &dyn Finished,
    watcher: &dyn Watcher,
) -> Result<Solution, Unsolved> {
    let [x, y] = colours(pair);
    let game = endings.game();
    let solver = Pair::new(&game, endings.metric(), x, y);
    let sectors = [Sector::new(x.code(), y.code()), Sector::new(y.code(), x.code())];
    let rows = solver.numbering.rows() as u64;
    let seeded = |side: usize, row: usize| {
        let [before, after] = [row, row + 1].map(|row| endings.slots(sectors[side]) * row as u64 / rows);
        watcher.seeded(after - before);
    };
    let Solved { x: of_x, y: of_y, longest: levels } = solver.solve::<D>(finished, &seeded, watcher)?;
    if levels > Code::<D>::max_distance() {
        return Err(TooLong::of::<D>().into());
    }
    let numbering = solver.numbering;
    drop(solver.moves);
    let mut solved = Vec::new();
    if let Some(of_y) = of_y {
        let codes = of_y.codes();
        solved.push((sectors[1], codes_of_other(Numbering::of(sectors[1]), numbering, &codes)));
    }
    solved.push((sectors[0], codes_of_mover(numbering, of_x.codes())));
    solved.sort_by_key(|&(sector, _)| sector != pair[0]);
    Ok(Solution { sectors: solved.into_iter().map(|(_, codes)| D::into_codes(codes)).collect(), levels })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{Loaded, solve_in_memory};
    use millbrain_core::morris::{DIAGONALS, FLYING};

    #[test]
    fn distances_of_one_and_two_bytes_and_several_threads_give_the_same() {
        let endings = MorrisEndings::new(FLYING | DIAGONALS, 12);
        let pair = [Sector::new(4, 3), Sector::new(3, 4)];
        let loaded = Loaded(solve_in_memory(&endings, &[Sector::new(3, 3)]));
        let solved = |threads: usize, wide: bool| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            let solve = if wide { solve::<u16> } else { solve::<u8> };
            let Solution { sectors, levels } =
                pool.install(|| solve(&endings, &pair, &loaded, &())).expect("short distances");
            (sectors, levels)
        };
        let expected = solved(1, false);
        assert_eq!(expected.1, 23);
        assert!(solved(1, true) == expected && solved(3, false) == expected);
        let [of_four, of_three] = &expected.0[..] else { panic!("two sectors") };
        let turned = solve::<u8>(&endings, &[pair[1], pair[0]], &loaded, &()).expect("short distances");
        assert!(turned.sectors[..] == [of_three.clone(), of_four.clone()], "in the order asked for");
    }
}
