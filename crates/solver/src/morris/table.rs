//! The solver's record of each position of a sector.

use super::exits::exit_value;
use crate::code::{Code, Plies};
use crate::memory::filled;
use millbrain_core::game::value::Value;
use millbrain_tablebase::morris::Numbering;
use rayon::prelude::*;

/// The open moves of a position that is never lost: some capture draws, or the board is full.
const NEVER_LOST: u8 = u8::MAX;

/// The number of columns that share a record of their distances: a level visits only the blocks in which its distance
/// occurs.
const BLOCK: usize = 512;
/// The number of columns up to which lists retain their memory from level to level.
const KEPT: usize = 256;

/// The distances that occur in a block, a bit each, modulo their number; some may have been replaced by shorter ones.
#[derive(Clone, Copy, Default)]
struct Note([u64; 4]);

impl Note {
    #[inline(always)]
    fn add(&mut self, distance: u32) {
        self.0[(distance / 64 % 4) as usize] |= 1 << (distance % 64);
    }

    fn has(&self, distance: u32) -> bool {
        self.0[(distance / 64 % 4) as usize] >> (distance % 64) & 1 != 0
    }
}

/// The positions of one sector by rows of X. A position without open moves is won or lost in `plies`, or earlier if
/// `plies` is a win that begins with a capture. For others `plies` is the longest loss that captures alone would give.
pub(super) struct Table<D> {
    columns: usize,
    pub plies: Vec<D>,
    /// Quiet moves not yet known to lose.
    open: Vec<u8>,
    notes: Vec<Note>,
}

/// A row of a table.
pub(super) struct Row<'a, D> {
    pub plies: &'a mut [D],
    pub open: &'a mut [u8],
    notes: &'a mut [Note],
    /// The longest distance stored.
    pub longest: u32,
}

/// A thread's room for lists of columns.
#[derive(Default)]
pub(super) struct Room {
    pub hits: Vec<u16>,
    pub columns_of_x: Vec<u16>,
    pub columns_of_y: Vec<u16>,
}

/// Visits a row of a table, or of each of two, with room for lists.
type WithRoom<'a, D> = dyn Fn(&mut Room, usize, &mut Row<'_, D>) + Sync + 'a;
type RowPairs<'a, D> = dyn Fn(&mut Room, usize, &mut Row<'_, D>, &mut Row<'_, D>) + Sync + 'a;

impl<D: Plies> Table<D> {
    pub(super) fn new(numbering: Numbering) -> Table<D> {
        let slots = numbering.slots() as usize;
        Table {
            columns: numbering.columns() as usize,
            plies: filled(D::default(), slots),
            open: filled(0, slots),
            notes: vec![Note::default(); numbering.rows() * (numbering.columns() as usize).div_ceil(BLOCK)],
        }
    }

    pub(super) const fn bytes(numbering: Numbering, slots: u64) -> u64 {
        let columns = numbering.columns() as u64;
        let blocks = slots / columns * columns.div_ceil(BLOCK as u64);
        slots * (size_of::<D>() as u64 + 1) + blocks * size_of::<Note>() as u64
    }

    /// Calls `visit` with the number of each row and the row; returns the longest distance that is then in a visited
    /// row.
    pub(super) fn for_each_row(&mut self, visit: &(dyn Fn(usize, &mut Row<'_, D>) + Sync)) -> u32 {
        self.for_each_row_with_room(&|_, index, row| visit(index, row))
    }

    /// Does the same with room for lists.
    pub(super) fn for_each_row_with_room(&mut self, visit: &WithRoom<'_, D>) -> u32 {
        let longest = self.rows().enumerate().map_init(Room::default, |room, (index, mut row)| {
            visit(room, index, &mut row);
            row.longest
        });
        longest.max().unwrap_or(0)
    }

    /// Does the same for the rows of this table and those of another.
    pub(super) fn for_each_row_with(&mut self, other: &mut Table<D>, visit: &RowPairs<'_, D>) -> u32 {
        let rows = self.rows().zip(other.rows()).enumerate();
        let longest = rows.map_init(Room::default, |room, (index, (mut own, mut other))| {
            visit(room, index, &mut own, &mut other);
            own.longest.max(other.longest)
        });
        longest.max().unwrap_or(0)
    }

    fn rows(&mut self) -> impl IndexedParallelIterator<Item = Row<'_, D>> {
        let rows = self.plies.par_chunks_mut(self.columns).zip(self.open.par_chunks_mut(self.columns));
        let notes = self.notes.par_chunks_mut(self.columns.div_ceil(BLOCK));
        rows.zip(notes).map(|((plies, open), notes)| Row { plies, open, notes, longest: 0 })
    }

    /// Lists for each row the columns of the positions with this distance.
    pub(super) fn list(&self, distance: u32, hits: &mut [Vec<u16>]) {
        let rows = self.plies.par_chunks(self.columns).zip(self.open.par_chunks(self.columns));
        let rows = rows.zip(self.notes.par_chunks(self.columns.div_ceil(BLOCK)));
        rows.zip(hits).for_each(|(((plies, open), notes), hits)| {
            hits.clear();
            hits.shrink_to(KEPT);
            find(plies, open, notes, distance, hits);
            if hits.capacity() > KEPT {
                hits.shrink_to_fit();
            }
        });
    }

    /// Appends the columns of the positions of a row with this distance.
    pub(super) fn find(&self, row: usize, distance: u32, hits: &mut Vec<u16>) {
        let slots = row * self.columns..(row + 1) * self.columns;
        let blocks = self.columns.div_ceil(BLOCK);
        let notes = &self.notes[row * blocks..(row + 1) * blocks];
        find(&self.plies[slots.clone()], &self.open[slots], notes, distance, hits);
    }

    /// Returns the codes in the order of the table.
    pub(super) fn codes(self) -> Vec<Code<D>> {
        let Table { plies, open, .. } = self;
        let codes = plies.into_iter().zip(open);
        codes.map(|(plies, open)| if open == 0 { Code(plies) } else { Code::DRAW }).collect()
    }
}

/// Returns whether any of some positions is settled at a distance. It has no early exit, so that many are compared at
/// once.
#[inline(always)]
fn is_any<D: Plies, const N: usize>(plies: &[D; N], open: &[u8; N], distance: D) -> bool {
    let mut least = 1;
    for i in 0..N {
        least = least.min(u8::from(plies[i] != distance) | open[i]);
    }
    least == 0
}

/// Appends the columns of a row that are settled at a distance.
fn find<D: Plies>(plies: &[D], open: &[u8], notes: &[Note], distance: u32, hits: &mut Vec<u16>) {
    const WIDE: usize = 64;
    const NARROW: usize = 16;
    let wanted = D::of(distance);
    let mut take = |first: usize, plies: &[D], open: &[u8]| {
        for (column, (&plies, &open)) in (first as u16..).zip(plies.iter().zip(open)) {
            if plies == wanted && open == 0 {
                hits.push(column);
            }
        }
    };
    let blocks = plies.chunks(BLOCK).zip(open.chunks(BLOCK)).zip(notes).enumerate();
    for (block, ((plies, open), _)) in blocks.filter(|(_, (_, note))| note.has(distance)) {
        let ((wide, rest), (wide_open, open_rest)) = (plies.as_chunks::<WIDE>(), open.as_chunks::<WIDE>());
        for (i, (plies, open)) in wide.iter().zip(wide_open).enumerate() {
            if !is_any(plies, open, wanted) {
                continue;
            }
            let narrow = plies.as_chunks::<NARROW>().0.iter().zip(open.as_chunks::<NARROW>().0);
            for (j, (plies, open)) in narrow.enumerate() {
                if is_any(plies, open, wanted) {
                    take(block * BLOCK + i * WIDE + j * NARROW, plies, open);
                }
            }
        }
        take(block * BLOCK + wide.len() * WIDE, rest, open_rest);
    }
}

impl<D: Plies> Row<'_, D> {
    /// Appends the columns that are settled at a distance.
    pub(super) fn find(&self, distance: u32, hits: &mut Vec<u16>) {
        find(self.plies, self.open, self.notes, distance, hits);
    }

    fn settle(&mut self, column: usize, distance: u32) {
        self.plies[column] = D::of(distance);
        self.notes[column / BLOCK].add(distance);
        self.longest = self.longest.max(distance);
    }

    /// Turns the ranks of exits in `plies` and the numbers of quiet moves in `open` into the start of the analysis.
    pub(super) fn begin(&mut self, full_board: bool) {
        for column in 0..self.plies.len() {
            let exit = if full_board { Some(Value::Draw) } else { exit_value(self.plies[column]) };
            self.plies[column] = D::default();
            match exit {
                Some(Value::Draw) => self.open[column] = NEVER_LOST,
                Some(Value::Win(plies)) => {
                    self.open[column] = 0;
                    self.settle(column, plies);
                }
                Some(Value::Loss(plies)) if self.open[column] > 0 => self.plies[column] = D::of(plies),
                Some(Value::Loss(plies)) => self.settle(column, plies),
                None if self.open[column] == 0 => self.settle(column, 0),
                None => {}
            }
        }
    }

    /// Updates columns from each of which a move leads to a position settled at this level, so that it may have this
    /// distance. It branches only for positions that turn out to be lost: the rest cannot be predicted.
    #[inline(always)]
    pub(super) fn update(&mut self, columns: &[u16], level: u32, distance: u32) {
        if level.is_multiple_of(2) {
            let (word, bit) = ((distance / 64 % 4) as usize, distance % 64);
            let mut any = false;
            for &column in columns {
                let column = usize::from(column);
                let (open, plies) = (&mut self.open[column], &mut self.plies[column]);
                let better = *open > 0 || plies.get() > distance;
                *open = 0;
                *plies = if better { D::of(distance) } else { *plies };
                self.notes[column / BLOCK].0[word] |= u64::from(better) << bit;
                any |= better;
            }
            if any {
                self.longest = self.longest.max(distance);
            }
        } else {
            for &column in columns {
                let column = usize::from(column);
                let open = &mut self.open[column];
                let counts = !matches!(*open, 0 | NEVER_LOST);
                *open -= u8::from(counts);
                if counts && *open == 0 {
                    self.settle(column, distance.max(self.plies[column].get()));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settled_positions_are_found_in_every_column() {
        let mut rng = fastrand::Rng::with_seed(8);
        for columns in [1usize, 16, 63, 64, 511, 512, 513, 1330] {
            let plies: Vec<u8> = (0..columns).map(|_| rng.u8(..4)).collect();
            let open: Vec<u8> = (0..columns).map(|_| rng.u8(..2)).collect();
            let mut notes = vec![Note::default(); columns.div_ceil(BLOCK)];
            (0..columns).for_each(|column| notes[column / BLOCK].add(u32::from(plies[column])));
            for distance in 0..5 {
                let mut hits = Vec::new();
                find(&plies, &open, &notes, distance, &mut hits);
                let settled = |&column: &usize| u32::from(plies[column]) == distance && open[column] == 0;
                let expected: Vec<u16> = (0..columns).filter(settled).map(|column| column as u16).collect();
                assert_eq!(hits, expected);
            }
        }
    }
}
