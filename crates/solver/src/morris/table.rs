//! The solver's record of each position of a sector.

use super::exits::exit_value;
use crate::code::{Code, Plies};
use crate::memory::{filled, mapped};
use millbrain_core::game::value::Value;
use millbrain_tablebase::morris::Numbering;
use rayon::prelude::*;

/// The open moves of a position that is never lost: some capture draws, or the board is full.
const NEVER_LOST: u8 = u8::MAX;

/// The number of columns that share a note of their distances: a level visits only the blocks in which its distance
/// occurs.
const BLOCK: usize = 128;
/// The number of columns whose notes share a byte.
const NOTED: usize = 8 * BLOCK;
/// The number of bits that a block has for the distances in it: one for each, modulo this number.
const DISTANCES: usize = 256;
/// The number of columns up to which lists retain their memory from level to level.
const KEPT: usize = 256;

/// A number of open moves and a distance in one: the moves come first in the order.
///
/// A position without open moves is won or lost in its distance, or earlier if that is a win that begins with a
/// capture. For others the distance is the longest loss that captures alone would give.
pub(super) trait Wide: Plies {
    /// The record, twice as wide as the distance.
    type State: Copy + Ord + Send + Sync;

    fn state(open: u8, plies: Self) -> Self::State;
    fn open(state: Self::State) -> u8;
    fn plies(state: Self::State) -> Self;
}

macro_rules! wide {
    ($plies:ty, $state:ty) => {
        impl Wide for $plies {
            type State = $state;

            #[inline(always)]
            fn state(open: u8, plies: $plies) -> $state {
                <$state>::from(open) << <$plies>::BITS | <$state>::from(plies)
            }

            #[inline(always)]
            fn open(state: $state) -> u8 {
                (state >> <$plies>::BITS) as u8
            }

            #[inline(always)]
            fn plies(state: $state) -> $plies {
                state as $plies
            }
        }
    };
}

wide!(u8, u16);
wide!(u16, u32);

/// The positions of one sector by rows of X.
pub(super) struct Table<D: Wide> {
    columns: usize,
    states: Vec<D::State>,
    /// By row and distance, a bit for each block in which the distance occurs, or has been replaced by a shorter one.
    notes: Vec<u8>,
}

/// A row of a table.
pub(super) struct Row<'a, D: Wide> {
    states: &'a mut [D::State],
    notes: &'a mut [u8],
    /// The longest distance stored.
    pub longest: u32,
}

/// A thread's room for lists of columns, and for the values of a row.
#[derive(Default)]
pub(super) struct Room<D> {
    pub hits: Vec<u16>,
    pub columns_of_x: Vec<u16>,
    pub columns_of_y: Vec<u16>,
    pub ranks: Vec<D>,
    pub open: Vec<u8>,
}

impl<D: Plies> Room<D> {
    /// Returns zeros for the ranks and the open moves of a row.
    pub(super) fn row(&mut self, columns: usize) -> (&mut [D], &mut [u8]) {
        self.ranks.clear();
        self.ranks.resize(columns, D::default());
        self.open.clear();
        self.open.resize(columns, 0);
        (&mut self.ranks, &mut self.open)
    }
}

/// Visits a row of a table, or of each of two, with room for lists.
type WithRoom<'a, D> = dyn Fn(&mut Room<D>, usize, &mut Row<'_, D>) + Sync + 'a;
type RowPairs<'a, D> = dyn Fn(&mut Room<D>, usize, &mut Row<'_, D>, &mut Row<'_, D>) + Sync + 'a;

impl<D: Wide> Table<D> {
    /// Makes a table of positions that are lost at once.
    pub(super) fn new(numbering: Numbering) -> Table<D> {
        let (rows, columns) = (numbering.rows(), numbering.columns() as usize);
        let states = filled(D::state(0, D::default()), rows * columns);
        Table { columns, states, notes: filled(0, rows * notes_of(columns)) }
    }

    pub(super) const fn bytes(numbering: Numbering, slots: u64) -> u64 {
        let columns = numbering.columns() as u64;
        slots * size_of::<D::State>() as u64 + slots / columns * notes_of(columns as usize) as u64
    }

    /// Calls `visit` with room for lists, the number of each row, and the row; returns the longest distance that is
    /// then in a visited row.
    pub(super) fn for_each_row(&mut self, visit: &WithRoom<'_, D>) -> u32 {
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
        let notes = self.notes.par_chunks_mut(notes_of(self.columns));
        self.states.par_chunks_mut(self.columns).zip(notes).map(|(states, notes)| Row { states, notes, longest: 0 })
    }

    /// Lists for each row the columns of the positions with this distance.
    pub(super) fn list(&self, distance: u32, hits: &mut [Vec<u16>]) {
        let rows = self.states.par_chunks(self.columns).zip(self.notes.par_chunks(notes_of(self.columns)));
        rows.zip(hits).for_each(|((states, notes), hits)| {
            hits.clear();
            hits.shrink_to(KEPT);
            find::<D>(states, notes, distance, hits);
            if hits.capacity() > KEPT {
                hits.shrink_to_fit();
            }
        });
    }

    /// Appends the columns of the positions of a row with this distance.
    pub(super) fn find(&self, row: usize, distance: u32, hits: &mut Vec<u16>) {
        let notes = notes_of(self.columns);
        let states = &self.states[row * self.columns..][..self.columns];
        find::<D>(states, &self.notes[row * notes..][..notes], distance, hits);
    }

    /// Returns the codes in the order of the table.
    pub(super) fn codes(self) -> Vec<Code<D>> {
        mapped(&self.states, |&state| if D::open(state) == 0 { Code(D::plies(state)) } else { Code::DRAW })
    }
}

/// Returns the bytes of a row's notes.
const fn notes_of(columns: usize) -> usize {
    DISTANCES * columns.div_ceil(NOTED)
}

/// Returns the place in a row's notes that has the first blocks of a distance.
#[inline(always)]
const fn notes_at(columns: usize, distance: u32) -> usize {
    distance as usize % DISTANCES * columns.div_ceil(NOTED)
}

/// Appends the columns of a row that are settled at a distance.
fn find<D: Wide>(states: &[D::State], notes: &[u8], distance: u32, hits: &mut Vec<u16>) {
    const NARROW: usize = 16;
    let wanted = D::state(0, D::of(distance));
    let notes = &notes[notes_at(states.len(), distance)..];
    for (group, (states, &note)) in states.chunks(NOTED).zip(notes).enumerate() {
        let mut rest = note;
        while rest != 0 {
            let block = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            let first = block * BLOCK;
            let states = &states[first..states.len().min(first + BLOCK)];
            for (i, states) in states.chunks(NARROW).enumerate() {
                // It has no early exit, so that all are compared at once.
                if states.iter().fold(false, |any, &state| any | (state == wanted)) {
                    let columns = (group * NOTED + first + i * NARROW) as u16..;
                    hits.extend(columns.zip(states).filter(|(_, state)| **state == wanted).map(|(column, _)| column));
                }
            }
        }
    }
}

impl<D: Wide> Row<'_, D> {
    /// Appends the columns that are settled at a distance.
    pub(super) fn find(&self, distance: u32, hits: &mut Vec<u16>) {
        find::<D>(self.states, self.notes, distance, hits);
    }

    pub(super) const fn columns(&self) -> usize {
        self.states.len()
    }

    fn settle(&mut self, column: usize, distance: u32) {
        self.states[column] = D::state(0, D::of(distance));
        self.notes[notes_at(self.states.len(), distance) + column / NOTED] |= 1 << (column / BLOCK % 8);
        self.longest = self.longest.max(distance);
    }

    /// Begins the analysis, given the ranks of exits and the numbers of quiet moves.
    pub(super) fn begin(&mut self, ranks: &[D], open: &[u8], full_board: bool) {
        for (column, (&rank, &open)) in ranks.iter().zip(open).enumerate() {
            match if full_board { Some(Value::Draw) } else { exit_value(rank) } {
                Some(Value::Draw) => self.states[column] = D::state(NEVER_LOST, D::default()),
                Some(Value::Win(plies)) => self.settle(column, plies),
                Some(Value::Loss(plies)) if open > 0 => self.states[column] = D::state(open, D::of(plies)),
                Some(Value::Loss(plies)) => self.settle(column, plies),
                None if open == 0 => self.settle(column, 0),
                None => self.states[column] = D::state(open, D::default()),
            }
        }
    }

    /// Updates columns from each of which a move leads to a position settled at this level, so that it may have this
    /// distance. It branches only for positions that turn out to be lost: the rest cannot be predicted.
    #[inline(always)]
    pub(super) fn update(&mut self, columns: &[u16], level: u32, distance: u32) {
        if level.is_multiple_of(2) {
            let won = D::state(0, D::of(distance));
            let notes = &mut self.notes[notes_at(self.states.len(), distance)..];
            let mut any = false;
            for &column in columns {
                let column = usize::from(column);
                let state = &mut self.states[column];
                let better = *state > won;
                *state = won.min(*state);
                notes[column / NOTED] |= u8::from(better) << (column / BLOCK % 8);
                any |= better;
            }
            if any {
                self.longest = self.longest.max(distance);
            }
        } else {
            for &column in columns {
                let column = usize::from(column);
                let state = self.states[column];
                let open = D::open(state);
                let counts = !matches!(open, 0 | NEVER_LOST);
                self.states[column] = D::state(open - u8::from(counts), D::plies(state));
                if counts && open == 1 {
                    self.settle(column, distance.max(D::plies(state).get()));
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
        for columns in [1usize, 16, 63, 64, 127, 128, 129, 511, 512, 513, 1023, 1024, 1025, 1330] {
            let states: Vec<u32> = (0..columns).map(|_| u16::state(rng.u8(..2), rng.u16(..4) * 100)).collect();
            let (mut settled, mut notes) = (vec![0; columns], vec![0; notes_of(columns)]);
            let mut row = Row::<u16> { states: &mut settled, notes: &mut notes, longest: 0 };
            for (column, &state) in states.iter().enumerate() {
                row.settle(column, u16::plies(state).into());
            }
            for distance in (0..500).step_by(50) {
                let mut hits = Vec::new();
                find::<u16>(&states, &notes, distance, &mut hits);
                let settled = |&column: &usize| states[column] == u16::state(0, distance as u16);
                let expected: Vec<u16> = (0..columns).filter(settled).map(|column| column as u16).collect();
                assert_eq!(hits, expected);
            }
        }
    }
}
