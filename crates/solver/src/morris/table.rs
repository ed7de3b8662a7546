//! The solver's record of each position of a sector.

use super::exits::exit_value;
use crate::code::{Code, Plies};
use crate::memory::{filled, mapped};
use millbrain_core::bits::iter_ones;
use millbrain_core::game::value::Value;
use millbrain_tablebase::morris::Numbering;
use rayon::prelude::*;

/// The open moves of a position that is never lost: some capture draws, or the board is full.
const NEVER_LOST: u8 = u8::MAX;

/// The blocks of a row in which a distance occurs, or has been replaced by a shorter one, as bits: a level visits only
/// these.
type Notes = u64;

/// The notes of a row: one for each distance, modulo this number.
const DISTANCES: usize = 256;
/// The number of columns that are compared at once.
const WORD: usize = 64;
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
    /// By row and distance.
    notes: Vec<Notes>,
}

/// A row of a table.
pub(super) struct Row<'a, D: Wide> {
    states: &'a mut [D::State],
    notes: &'a mut [Notes],
    block_bits: u32,
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
        Table { columns, states, notes: filled(0, rows * DISTANCES) }
    }

    pub(super) fn bytes(numbering: Numbering, slots: u64) -> u64 {
        slots * size_of::<D::State>() as u64 + (numbering.rows() * DISTANCES * size_of::<Notes>()) as u64
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
        let notes = self.notes.par_chunks_mut(DISTANCES);
        let block_bits = block_bits(self.columns);
        let rows = self.states.par_chunks_mut(self.columns).zip(notes);
        rows.map(move |(states, notes)| Row { states, notes, block_bits, longest: 0 })
    }

    /// Lists for each row the columns of the positions with this distance.
    pub(super) fn list(&self, distance: u32, hits: &mut [Vec<u16>]) {
        let rows = self.states.par_chunks(self.columns).zip(self.notes.par_chunks(DISTANCES));
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
        let states = &self.states[row * self.columns..][..self.columns];
        find::<D>(states, &self.notes[row * DISTANCES..][..DISTANCES], distance, hits);
    }

    /// Returns the codes in the order of the table.
    pub(super) fn codes(self) -> Vec<Code<D>> {
        mapped(&self.states, |&state| if D::open(state) == 0 { Code(D::plies(state)) } else { Code::DRAW })
    }
}

/// Returns the place of a distance among the notes of a row.
#[inline(always)]
const fn note_at(distance: u32) -> usize {
    distance as usize % DISTANCES
}

/// Returns the number of bits of a column that are its place within its block, for rows of this length.
#[inline(always)]
const fn block_bits(columns: usize) -> u32 {
    let (all, word) = (columns.next_power_of_two().ilog2(), Notes::BITS.ilog2());
    if all > 2 * word { all - word } else { word }
}

/// Returns the places of a value among up to 64, as bits.
#[inline(always)]
fn places<T: Copy + Eq>(values: &[T], wanted: T) -> u64 {
    let mut are = [0; WORD];
    are.iter_mut().zip(values).for_each(|(is, &value)| *is = u8::from(value == wanted));
    // The product moves the bits of eight bytes of 0 or 1 to the upper byte.
    let eight = |are: &[u8; 8]| u64::from_le_bytes(*are).wrapping_mul(0x0102_0408_1020_4080) >> 56;
    (0..).zip(are.as_chunks().0).fold(0, |places, (i, are)| places | eight(are) << (8 * i))
}

/// Appends the columns of a row that are settled at a distance.
fn find<D: Wide>(states: &[D::State], notes: &[Notes], distance: u32, hits: &mut Vec<u16>) {
    let wanted = D::state(0, D::of(distance));
    let block = 1 << block_bits(states.len());
    for first in iter_ones(notes[note_at(distance)]) {
        let first = first as usize * block;
        for (i, states) in states[first..states.len().min(first + block)].chunks(WORD).enumerate() {
            hits.extend(iter_ones(places(states, wanted)).map(|place| (first + i * WORD) as u16 + place as u16));
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
        self.notes[note_at(distance)] |= 1 << (column >> self.block_bits);
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
            let mut notes = 0;
            for &column in columns {
                let state = &mut self.states[usize::from(column)];
                let better = *state > won;
                *state = won.min(*state);
                notes |= Notes::from(better) << (column >> self.block_bits);
            }
            if notes != 0 {
                self.notes[note_at(distance)] |= notes;
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
        for columns in [1usize, 16, 63, 64, 65, 128, 1330, 4095, 4096, 4097, 19_448] {
            let states: Vec<u32> = (0..columns).map(|_| u16::state(rng.u8(..2), rng.u16(..4) * 100)).collect();
            let (mut settled, mut notes) = (vec![0; columns], vec![0; DISTANCES]);
            let mut row =
                Row::<u16> { states: &mut settled, notes: &mut notes, block_bits: block_bits(columns), longest: 0 };
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
