//! Maps the columns of a row to those of another row.
//!
//! The sets of a row in order of their columns fall into runs: sets that have the same numbers from some split on. A
//! symmetry keeps the points of a ring together and the middle ring in place. So with a split between two rings, the
//! numbers below the split are also all below or all above the others in the other row. The column of a set there is
//! then a sum of two parts. One part, for its numbers below the split, is the same in every run with as many of them.
//! The other, for those above it, is the same for the whole run.

use super::frame::{Frame, Relabel, Sums};
use super::subsets::raise_each;
use crate::code::Plies;
use millbrain_core::morris::board::PointSet;
use millbrain_core::morris::symmetry::SYMMETRIES;
use millbrain_tablebase::morris::Numbering;

/// A column beyond all rows, for sets that have no place in the other row.
const NOWHERE: u32 = 1 << 30;

/// The parts of the numbers below the split, for all sets of one count of them.
struct Run {
    parts: Vec<u32>,
    /// Whether each part is one more than the one before.
    dense: bool,
}

/// A map from the columns of a row to those of another.
pub(super) struct Runs {
    to: Numbering,
    size: usize,
    tables: Sums<PointSet>,
    split: usize,
    /// The count of numbers from the split on.
    rest: usize,
    /// Whether the numbers below the split are above the others there.
    above: bool,
    /// The runs by the count of numbers below the split, from the least that occurs on.
    runs: Vec<Run>,
    least: usize,
}

/// Returns the set of the first `count` numbers.
const fn first(count: usize) -> PointSet {
    (1 << count) - 1
}

/// Returns the next set of at most `most` numbers, in the order of their ranks, or `None` if there is none.
const fn after(set: PointSet, most: usize) -> Option<PointSet> {
    match set.count_ones() as usize {
        count if count < most => Some(set + 1),
        0 => None,
        // All sets in between have more numbers.
        _ => Some(set + (set & set.wrapping_neg())),
    }
}

impl Runs {
    /// Maps a row of one numbering to a row of another, given the translation of its sets.
    pub(super) fn new(from: Numbering, to: Numbering, relabel: &Relabel) -> Runs {
        let tables = relabel.tables();
        let (split, above) = relabel.split();
        let rest = relabel.count() - split;
        let size = from.size();
        let run = |low: usize| {
            let part = |&numbers: &PointSet| match tables.of(numbers) {
                numbers if numbers & Relabel::BLOCKED != 0 => NOWHERE,
                numbers if above => to.column(numbers | first(size - low)) as u32,
                numbers => Numbering::rank(low, numbers) as u32,
            };
            let parts: Vec<u32> = Numbering::sets_among(split, low).iter().map(part).collect();
            Run { dense: parts.windows(2).all(|pair| pair[0] + 1 == pair[1]), parts }
        };
        let least = size.saturating_sub(rest);
        let runs = (least..=size.min(split)).map(run).collect();
        Runs { to, size, tables, split, rest, above, runs, least }
    }

    /// Maps a row to the columns of a numbering of all points.
    pub(super) fn to_whole_board(from: Numbering, frame: &Frame) -> Runs {
        let whole = Numbering::of_sizes(0, from.size());
        Runs::new(from, whole, &Relabel::between(frame.gaps, 0, &Frame::of(whole, 0)))
    }

    /// Visits the runs in order, except those whose sets have no place in the other row. `visit` gets the first column
    /// of a run here, the parts of its sets, and the number to add to them.
    #[inline(always)]
    fn each(&self, mut visit: impl FnMut(usize, &Run, usize)) {
        let (mut column, mut next) = (0, Some(0));
        while let Some(set) = next.filter(|set| set >> self.rest == 0) {
            next = after(set, self.size);
            let count = PointSet::count_ones(set) as usize;
            let run = self.size.checked_sub(count).and_then(|low| self.runs.get(low.checked_sub(self.least)?));
            let Some(run) = run else { continue };
            let numbers = self.tables.of(set << self.split);
            if numbers & Relabel::BLOCKED == 0 {
                let start = if self.above {
                    Numbering::rank(count, numbers)
                } else {
                    self.to.column(numbers | first(self.size - count))
                };
                visit(column, run, start);
            }
            column += run.parts.len();
        }
    }

    /// Returns the columns there, in order of those here; every set must have one.
    pub(super) fn columns(&self) -> Vec<u32> {
        let mut columns = Vec::new();
        self.each(|_, run, start| columns.extend(run.parts.iter().map(|&part| start as u32 + part)));
        columns
    }

    /// Returns what some columns of this row, in order, have in the row there; every set must have a place.
    pub(super) fn values<T: Copy>(&self, columns: &[u32], there: &[T]) -> Vec<T> {
        let mut values = Vec::with_capacity(columns.len());
        let mut rest = columns;
        self.each(|first, run, start| {
            let there = &there[start..];
            let end = first + run.parts.len();
            let count = rest.iter().take_while(|&&column| (column as usize) < end).count();
            let here = rest.split_off(..count).unwrap_or_default();
            values.extend(here.iter().map(|&column| there[run.parts[column as usize - first] as usize]));
        });
        values
    }

    /// Raises the ranks of the row there to those of this one where a set represents the same position.
    pub(super) fn raise<D: Plies>(&self, best: &mut [D], ranks: &[D]) {
        self.each(|column, run, start| {
            let ranks = &ranks[column..column + run.parts.len()];
            if run.dense {
                let start = start + run.parts[0] as usize;
                if let Some(best) = best.get_mut(start..start + ranks.len()) {
                    raise_each(best, ranks);
                }
                return;
            }
            for (&part, &rank) in run.parts.iter().zip(ranks) {
                if let Some(best) = best.get_mut(start + part as usize) {
                    *best = (*best).max(rank);
                }
            }
        });
    }
}

/// Calls `each` with the column of the image of every column of a row, in order, for each symmetry of the row.
fn each_symmetry(numbering: Numbering, row: usize, mut each: impl FnMut(Vec<u32>)) {
    let frame = Frame::of(numbering, row);
    for symmetry in numbering.symmetries(row) {
        each(Runs::new(numbering, numbering, &Relabel::between(frame.gaps, symmetry, &frame)).columns());
    }
}

/// Returns the least column among the images of each column under the symmetries of the row. The list is empty if the
/// identity is the only symmetry.
pub(super) fn least_columns(numbering: Numbering, row: usize) -> Vec<u32> {
    let mut least = Vec::new();
    if numbering.is_symmetric(row) {
        least.extend(0..numbering.columns());
        each_symmetry(numbering, row, |images| {
            least.iter_mut().zip(images).for_each(|(least, image)| *least = (*least).min(image));
        });
    }
    least
}

/// Counts the positions of each column of a row; 0 if it is vacant.
pub(super) fn image_counts(numbering: Numbering, row: usize) -> Vec<u32> {
    // The number of symmetries that leave a column unchanged, unless one of them leads to a column before it.
    let mut fixed = vec![Some(0); numbering.columns() as usize];
    each_symmetry(numbering, row, |images| {
        for ((column, image), count) in (0..).zip(images).zip(&mut fixed) {
            *count = count.filter(|_| image >= column).map(|count| count + u32::from(image == column));
        }
    });
    fixed.into_iter().map(|count| count.map_or(0, |count| SYMMETRIES as u32 / count)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::morris::frame::RowMove;
    use millbrain_core::morris::rules::MORRIS;
    use millbrain_tablebase::morris::Game;

    /// Raises ranks as [`Runs::raise`] does, set by set.
    fn raise_slowly(from: Numbering, to: Numbering, relabel: &Relabel, best: &mut [u8], ranks: &[u8]) {
        for (&rank, &set) in ranks.iter().zip(from.sets_by_column()) {
            let numbers = relabel.of(set);
            if numbers & Relabel::BLOCKED == 0 {
                let best = &mut best[to.column(numbers)];
                *best = rank.max(*best);
            }
        }
    }

    #[test]
    fn runs_lead_where_translated_sets_lie() {
        let game = Game::new(MORRIS);
        for (own, opp) in [(1, 1), (3, 2), (4, 6), (9, 3), (3, 9)] {
            let numbering = Numbering::of_sizes(own, opp);
            let placed = Numbering::of_sizes(own + 1, opp);
            for row in (0..numbering.rows()).step_by(61) {
                let frame = Frame::of(numbering, row);
                let moving = RowMove::moving(&game, numbering, frame.own, 0).into_iter().map(|mv| (numbering, mv));
                let placing = RowMove::placing(&game, placed, frame.own).into_iter().map(|mv| (placed, mv));
                for (after, mv) in moving.chain(placing) {
                    let relabel = mv.relabel(after, &frame);
                    let ranks: Vec<u8> = (0..after.columns()).map(|column| (column % 251) as u8 + 1).collect();
                    let mut expected = vec![100; numbering.columns() as usize];
                    let mut best = expected.clone();
                    raise_slowly(after, numbering, &relabel, &mut expected, &ranks);
                    Runs::new(after, numbering, &relabel).raise(&mut best, &ranks);
                    assert_eq!(best, expected, "{own}-{opp}, row {row}, a stone to {}", mv.to);
                }
            }
        }
    }

    #[test]
    fn least_columns_are_those_of_the_least_images() {
        let numbering = Numbering::of_sizes(3, 4);
        for row in 0..numbering.rows() {
            let least = least_columns(numbering, row);
            assert_eq!(least.is_empty(), !numbering.is_symmetric(row));
            let gaps = Frame::of(numbering, row).gaps;
            let counted: Vec<u32> = numbering.row(row).map(|slot| numbering.images(slot)).collect();
            assert_eq!(image_counts(numbering, row), counted, "row {row}");
            for (column, &least) in (0..).zip(&least) {
                let numbers = numbering.opp(gaps, column);
                let first = numbering.stabiliser(row, gaps, column, numbers).is_some();
                assert_eq!(first, least == column, "row {row}, column {column}");
            }
        }
    }
}
