//! One colour's view of the board: rows by the set of that colour, whichever colour is to move.
//!
//! Both sectors of a pair are numbered by the same colour X. The row is the orbit of X's set, the column the rank of
//! the other set, Y's, among the free points. A move of Y stays in its row. A move of X leads from every position of a
//! row to one other row, under one symmetry. All slots of a symmetric row are in use: images of a position have equal
//! values.

use millbrain_core::morris::board::{
    ALL, Closers, LINES, LINES_PLAIN, POINTS, PointSet, anticlockwise, clockwise, inwards, outwards, points, spokes,
};
use millbrain_core::morris::symmetry::{INVERSE, POINT_IMAGE};
use millbrain_tablebase::morris::Game;
use millbrain_tablebase::morris::{Gaps, Numbering};

/// A row's set and the numbers of the points that it leaves free.
pub(super) struct Frame {
    pub gaps: Gaps,
    /// The set.
    pub own: PointSet,
    /// The set of each point's number; empty for the points of the row's set.
    pub bits: [PointSet; POINTS],
}

impl Frame {
    pub(super) fn of(numbering: Numbering, row: usize) -> Frame {
        let gaps = numbering.gaps(row);
        let mut bits = [0; POINTS];
        points(gaps.free()).enumerate().for_each(|(number, p)| bits[p as usize] = 1 << number);
        Frame { gaps, own: ALL & !gaps.free(), bits }
    }

    /// Returns what each step exchanges.
    pub(super) fn swaps(&self) -> Swaps {
        std::array::from_fn(|step| {
            let ends = match step.checked_sub(POINTS) {
                None => 1 << step | clockwise(1 << step),
                Some(outer) => 1 << outer | inwards(1 << outer),
            };
            points(ends).map(|p| self.bits[p as usize]).sum()
        })
    }

    /// Returns the numbers in mills of the other set, for each column of this row. Sets that have the same numbers from
    /// some split on are adjacent, in the order of their other numbers.
    pub(super) fn mills(&self, numbering: Numbering, diagonals: bool) -> Vec<PointSet> {
        let (free, size) = (self.gaps.free(), numbering.size());
        let count = free.count_ones() as usize;
        let split = count / 2;
        let mut mills = vec![0; numbering.columns() as usize];
        for &line in LINES[..if diagonals { LINES.len() } else { LINES_PLAIN }].iter().filter(|&line| line & !free == 0)
        {
            let line = self.gaps.squeeze(line);
            let (below, above) = (line & ((1 << split) - 1), line >> split);
            // The parts by the count of numbers below the split.
            let parts: Vec<Vec<PointSet>> = (0..=size.min(split))
                .map(|low| {
                    let part = |&numbers: &PointSet| if below & !numbers == 0 { line } else { 0 };
                    Numbering::sets_among(split, low).iter().map(part).collect()
                })
                .collect();
            let mut rest = &mut mills[..];
            for numbers in (0..1 << (count - split)).filter(|numbers| PointSet::count_ones(*numbers) as usize <= size) {
                let Some(parts) = parts.get(size - numbers.count_ones() as usize) else { continue };
                let (run, others) = rest.split_at_mut(parts.len());
                rest = others;
                if above & !numbers == 0 {
                    run.iter_mut().zip(parts).for_each(|(mills, part)| *mills |= part);
                }
            }
        }
        mills
    }
}

/// The numbers of the two ends of each step, as a set: of the 24 along the rings, then of the 16 across.
pub(super) type Swaps = [PointSet; POINTS + POINTS / 3 * 2];

/// Returns the steps between stones and free points, as bits: those along the rings by the end from which the other
/// lies clockwise, then those across by the outer end.
#[inline(always)]
pub(super) fn steps(stones: PointSet, free: PointSet, diagonals: bool) -> u64 {
    let along = stones & anticlockwise(free) | free & anticlockwise(stones);
    let across = (stones & outwards(free) | free & outwards(stones)) & spokes(diagonals);
    u64::from(along) | u64::from(across) << POINTS
}

/// Returns the columns with mills, in order, given the numbers in mills of each.
pub(super) fn with_mills(mills: &[PointSet]) -> Vec<u32> {
    (0..).zip(mills).filter(|(_, mills)| **mills != 0).map(|(column, _)| column).collect()
}

/// The bits of a set of numbers that are looked up together.
const CHUNK: usize = 6;

/// Adds up the parts of the members of a set of numbers, by tables of six numbers each.
pub(super) struct Sums<T>([[T; 1 << CHUNK]; POINTS / CHUNK]);

impl<T: Copy + Default + std::ops::Add<Output = T>> Sums<T> {
    /// Builds the tables for the sets of the first `count` numbers.
    pub(super) fn new(parts: &[T; POINTS], count: usize) -> Sums<T> {
        let mut tables = [[T::default(); 1 << CHUNK]; POINTS / CHUNK];
        for (table, parts) in tables.iter_mut().zip(parts[..count].chunks(CHUNK)) {
            for set in 1..1usize << parts.len() {
                table[set] = table[set & (set - 1)] + parts[set.trailing_zeros() as usize];
            }
        }
        Sums(tables)
    }

    #[inline(always)]
    pub(super) fn of(&self, numbers: PointSet) -> T {
        let part = |i: usize| self.0[i][(numbers >> (CHUNK * i)) as usize % (1 << CHUNK)];
        part(0) + part(1) + (part(2) + part(3))
    }
}

/// Translates sets of numbers from one frame to another.
pub(super) struct Relabel {
    /// The translation of each number, as a set.
    parts: [PointSet; POINTS],
    count: usize,
    /// The numbers with which rings begin.
    rings: [usize; 2],
}

impl Relabel {
    /// The mark of translated sets with a point that is not free in the other frame; at most one point is not.
    pub(super) const BLOCKED: PointSet = 1 << 31;

    /// Translates from the frame around some free points, under a symmetry, to another frame.
    pub(super) fn between(from: Gaps, symmetry: usize, to: &Frame) -> Relabel {
        let mut parts = [0; POINTS];
        let mut count = 0;
        for p in points(from.free()) {
            let bit = to.bits[usize::from(POINT_IMAGE[symmetry][p as usize])];
            parts[count] = if bit == 0 { Relabel::BLOCKED } else { bit };
            count += 1;
        }
        Relabel { parts, count, rings: from.rings() }
    }

    /// Returns the count of translated numbers.
    pub(super) const fn count(&self) -> usize {
        self.count
    }

    /// Returns a number with which a ring begins, about in the middle, and whether the numbers below it are translated
    /// to larger ones than the others.
    pub(super) fn split(&self) -> (usize, bool) {
        let distance = |&split: &usize| (2 * split).abs_diff(self.count);
        let split = self.rings.into_iter().min_by_key(distance).unwrap_or(self.count);
        let (below, others) = self.parts[..self.count].split_at(split);
        (split, below.iter().min() > others.iter().min())
    }

    /// Translates one set.
    #[inline(always)]
    pub(super) fn of(&self, numbers: PointSet) -> PointSet {
        points(numbers).map(|number| self.parts[number as usize % POINTS]).sum()
    }

    /// Builds tables to translate many sets.
    pub(super) fn tables(&self) -> Sums<PointSet> {
        Sums::new(&self.parts, self.count)
    }
}

/// A move of X on an otherwise empty board.
#[derive(Clone, Copy)]
pub(super) struct RowMove {
    /// The row that it leads to.
    pub row: u32,
    /// The symmetry that maps the frame of that row back to this one.
    pub back: u8,
    /// The point that it leads to on the board of this row.
    pub to: u8,
    /// Whether it closes a mill.
    pub closes: bool,
}

impl RowMove {
    fn new(numbering: Numbering, rest: PointSet, to: u32, closers: PointSet) -> RowMove {
        let (row, symmetry) = numbering.place(rest | 1 << to);
        RowMove { row: row as u32, back: INVERSE[symmetry], to: to as u8, closes: closers >> to & 1 != 0 }
    }

    /// Returns the moves of a set of stones, slides or flights, to rows of this numbering, with this number of stones
    /// in hand.
    pub(super) fn moving(game: &Game, numbering: Numbering, own: PointSet, hand: u8) -> Vec<RowMove> {
        let flies = game.flies(own, hand.into());
        let mut moves = Vec::new();
        for from in points(own) {
            let rest = own ^ (1 << from);
            let closers = Closers::of(rest, game.diagonals()).by_placing();
            let targets = game.targets(from, flies, ALL & !own);
            moves.extend(points(targets).map(|to| RowMove::new(numbering, rest, to, closers)));
        }
        moves
    }

    /// Returns the moves that place a stone beside a set, to rows of this numbering, which has one stone more.
    pub(super) fn placing(game: &Game, numbering: Numbering, own: PointSet) -> Vec<RowMove> {
        let closers = Closers::of(own, game.diagonals()).by_placing();
        points(ALL & !own).map(|to| RowMove::new(numbering, own, to, closers)).collect()
    }

    /// Translates from the row that it leads to, of this numbering, back to its own. Positions in which Y occupies the
    /// point that the stone comes from are blocked.
    pub(super) fn relabel(self, numbering: Numbering, frame: &Frame) -> Relabel {
        Relabel::between(numbering.gaps(self.row as usize), self.back.into(), frame)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use millbrain_core::morris::board::in_mills;
    use millbrain_core::morris::rules::MORRIS;
    use millbrain_core::morris::symmetry::image;

    #[test]
    fn mills_are_those_of_the_board() {
        for (own, opp) in [(3, 9), (8, 8), (12, 12), (0, 5)] {
            let numbering = Numbering::of_sizes(own, opp);
            for row in (0..numbering.rows()).step_by(997) {
                let frame = Frame::of(numbering, row);
                for diagonals in [false, true] {
                    for (&numbers, mills) in numbering.sets_by_column().iter().zip(frame.mills(numbering, diagonals)) {
                        assert_eq!(frame.gaps.spread(mills), in_mills(frame.gaps.spread(numbers), diagonals));
                    }
                }
            }
        }
    }

    #[test]
    fn moves_lead_to_the_rows_that_their_positions_belong_to() {
        let game = Game::new(MORRIS);
        let mut rng = fastrand::Rng::with_seed(11);
        for (own, opp) in [(3, 3), (4, 3), (6, 5), (9, 7)] {
            let numbering = Numbering::of_sizes(own, opp);
            for _ in 0..200 {
                let row = rng.usize(..numbering.rows());
                let frame = Frame::of(numbering, row);
                for mv in RowMove::moving(&game, numbering, frame.own, 0) {
                    let relabel = mv.relabel(numbering, &frame);
                    let other = Frame::of(numbering, mv.row as usize);
                    let column = rng.u32(..numbering.columns());
                    let seen = image(mv.back.into(), numbering.opp(other.gaps, column));
                    let numbers = relabel.of(numbering.sets_by_column()[column as usize]);
                    assert_eq!(numbers & Relabel::BLOCKED != 0, seen & frame.own != 0);
                    if seen & frame.own == 0 {
                        assert_eq!(frame.gaps.spread(numbers), seen);
                        assert_eq!(frame.gaps.squeeze(seen), numbers);
                        assert_eq!(numbering.opp(frame.gaps, numbering.column(numbers) as u32), seen);
                        let moved = image(mv.back.into(), other.own);
                        assert_eq!((moved & frame.own).count_ones(), own as u32 - 1);
                        assert_eq!(moved & !frame.own, 1 << mv.to);
                        assert_eq!(seen & moved, 0);
                    }
                }
            }
        }
    }
}
