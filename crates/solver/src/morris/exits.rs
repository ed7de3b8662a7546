//! Reads finished sectors row by row of one colour, whichever colour is to move there.

use super::frame::{Frame, Relabel};
use super::runs::{Runs, least_columns};
use super::subsets::raise_each;
use crate::code::{Code, Codes, Plies, with_codes};
use crate::memory::filled;
use crate::solve::TooLong;
use crate::solve::rows::for_each_row;
use millbrain_core::game::value::Value;
use millbrain_core::morris::board::{POINTS, PointSet, in_mills, points};
use millbrain_core::morris::symmetry::{SYMMETRIES, image};
use millbrain_core::platform::prefetch;
use millbrain_tablebase::Metric;
use millbrain_tablebase::Sector;
use millbrain_tablebase::binomial::binomial;
use millbrain_tablebase::morris::Game;
use millbrain_tablebase::morris::Numbering;

/// Returns the rank of a drawing move out of a sector; 0 is the rank without a move.
fn drawn_rank<D: Plies>() -> u32 {
    D::MAX.get() / 2 + 1
}

/// Ranks a move by its value: larger is better, and never 0.
fn rank_of<D: Plies>(value: Value) -> D {
    D::of(match value {
        Value::Win(plies) => D::MAX.get() - plies / 2,
        Value::Draw => drawn_rank::<D>(),
        Value::Loss(plies) => plies / 2,
    })
}

/// Returns the value of a position given the rank of its best move, or `None` without a move.
pub(super) fn exit_value<D: Plies>(rank: D) -> Option<Value> {
    let rank = rank.get();
    match rank.cmp(&drawn_rank::<D>()) {
        _ if rank == 0 => None,
        std::cmp::Ordering::Less => Some(Value::Loss(2 * rank)),
        std::cmp::Ordering::Equal => Some(Value::Draw),
        std::cmp::Ordering::Greater => Some(Value::Win(2 * (D::MAX.get() - rank) + 1)),
    }
}

/// The number of slots looked up together, so that their reads from memory overlap.
const BATCH: usize = 64;
/// The number of rows turned together. Their sets differ in few points, so that the slots they look up are often
/// adjacent.
const TOGETHER: usize = 16;
/// The average number of slots looked up in each of these rows before the next row follows.
const PART: u64 = 32;

/// A set under each symmetry.
type Images = [PointSet; SYMMETRIES];

/// Maps the codes of a list numbered by the other colour to every position by rows of one colour. `locate` finds the
/// place in the list, given the rank of the other colour's set and the images of this one's.
fn turned<C: Copy + Sync, T: Copy + Send + Sync>(
    numbering: Numbering,
    codes: &[C],
    locate: impl Fn(u32, &Images) -> u64 + Sync,
    (empty, make): (T, impl Fn(C) -> T + Sync),
) -> Vec<T> {
    let columns = numbering.columns() as usize;
    let sets = binomial(POINTS, numbering.size());
    let part = (PART * sets).div_ceil(columns as u64);
    let look_up = |images: &Images, ranks: &[u32], values: &mut [T]| {
        let mut slots = [0; BATCH];
        for (values, ranks) in values.chunks_mut(BATCH).zip(ranks.chunks(BATCH)) {
            for (slot, &rank) in slots.iter_mut().zip(ranks) {
                *slot = locate(rank, images) as usize;
                prefetch(&codes[*slot]);
            }
            values.iter_mut().zip(slots).for_each(|(value, slot)| *value = make(codes[slot]));
        }
    };
    let mut values = filled(empty, numbering.slots() as usize);
    for_each_row(&mut values, columns * TOGETHER, &|group, values| {
        let rows = values.chunks_mut(columns).enumerate().map(|(i, values)| {
            let frame = Frame::of(numbering, group * TOGETHER + i);
            let images: Images = std::array::from_fn(|symmetry| image(symmetry, frame.own));
            (images, Runs::to_whole_board(numbering, &frame).columns(), values, 0)
        });
        let mut rows: Vec<_> = rows.collect();
        for end in (1..=sets.div_ceil(part)).map(|parts| parts * part) {
            for (images, ranks, values, done) in &mut rows {
                let count = ranks[*done..].iter().take_while(|rank| u64::from(**rank) < end).count();
                let part = *done..*done + count;
                *done = part.end;
                look_up(images, &ranks[part.clone()], &mut values[part]);
            }
        }
    });
    values
}

/// Checks that ranks of this width can hold the distances: those of a byte hold up to 253 plies.
fn check_width<D: Plies>(codes: &Codes) -> Result<(), TooLong> {
    if matches!(codes, Codes::Words(_)) && size_of::<D>() == 1 { Err(TooLong::of::<D>()) } else { Ok(()) }
}

/// Returns the rank of a move of this kind to a position with each code of this width.
fn ranks_of_codes<P: Plies, D: Plies>((metric, progress): (Metric, bool), _: &[Code<P>]) -> Vec<D> {
    let value = |code| Code(P::of(code)).value();
    (0..=P::MAX.get()).map(|code| rank_of(metric.before(value(code), progress))).collect()
}

/// Returns the ranks of moves to a sector, given its codes.
fn ranks_of_mover<P: Plies, D: Plies>(metric: Metric, numbering: Numbering, codes: Vec<Code<P>>) -> Vec<D> {
    let ranks = ranks_of_codes((metric, true), &codes);
    // These use the memory of the codes, where the numbers have the same width.
    let mut values: Vec<D> = codes.into_iter().map(|code| D::of(code.0.get())).collect();
    for_each_row(&mut values, numbering.columns() as usize, &|row, values| {
        values.iter_mut().for_each(|value| *value = ranks[value.get() as usize]);
        fill_vacant(numbering, row, values);
    });
    values
}

/// Gives vacant slots of a row the value of their position.
fn fill_vacant<T: Copy>(numbering: Numbering, row: usize, values: &mut [T]) {
    for (column, least) in least_columns(numbering, row).into_iter().enumerate() {
        values[column] = values[least as usize];
    }
}

/// A value for every position, by rows of one colour.
pub(super) struct Rows<D> {
    pub numbering: Numbering,
    pub values: Vec<D>,
}

impl<D: Plies> Rows<D> {
    /// Returns the ranks of moves out of a pair to a sector in which the colour of the rows is to move, given its
    /// codes.
    ///
    /// # Errors
    /// Fails if its distances are too long for ranks of this width.
    pub(super) fn of_mover(metric: Metric, numbering: Numbering, codes: Codes) -> Result<Rows<D>, TooLong> {
        check_width::<D>(&codes)?;
        let values = with_codes!(codes, |codes| ranks_of_mover(metric, numbering, codes));
        Ok(Rows { numbering, values })
    }

    /// Returns the ranks of moves to a sector in which the other colour is to move, given its numbering and codes.
    /// `moves` includes whether the moves make progress.
    ///
    /// # Errors
    /// Fails if its distances are too long for ranks of this width.
    pub(super) fn of_other(
        moves: (Metric, bool),
        numbering: Numbering,
        exit: Numbering,
        codes: &Codes,
    ) -> Result<Rows<D>, TooLong> {
        check_width::<D>(codes)?;
        let locate = |own, images: &Images| exit.slot_of(own, |symmetry| images[symmetry]);
        let values = with_codes!(codes, |codes| {
            let ranks = ranks_of_codes(moves, codes);
            turned(numbering, codes, locate, (D::default(), |code| ranks[code.0.get() as usize]))
        });
        Ok(Rows { numbering, values })
    }

    /// Wraps the values by slot of a sector in which the colour of the rows is to move.
    pub(super) fn of_slots(numbering: Numbering, mut values: Vec<D>) -> Rows<D> {
        for_each_row(&mut values, numbering.columns() as usize, &|row, values| fill_vacant(numbering, row, values));
        Rows { numbering, values }
    }

    /// Turns the values by slot of a sector with this numbering, in which the other colour is to move.
    pub(super) fn of_other_slots(numbering: Numbering, sector: Numbering, values: &[D]) -> Rows<D> {
        let locate = |own, images: &Images| sector.slot_of(own, |symmetry| images[symmetry]);
        Rows { numbering, values: turned(numbering, values, locate, (D::default(), |value| value)) }
    }

    pub(super) fn row(&self, row: usize) -> &[D] {
        let columns = self.numbering.columns() as usize;
        &self.values[row * columns..(row + 1) * columns]
    }
}

/// The results of removals.
pub(super) enum Removed<D> {
    /// Positions with a stone less, with their ranks.
    Rows(Rows<D>),
    /// The end of the game, a win with this rank.
    Won(D),
}

impl<D: Plies> Removed<D> {
    /// Reads the sector that removals lead to, if there is one.
    pub(super) fn read<E>(
        metric: Metric,
        sector: Option<Sector>,
        rows: impl FnOnce(Sector) -> Result<Rows<D>, E>,
    ) -> Result<Removed<D>, E> {
        sector.map_or_else(
            || Ok(Removed::Won(rank_of(metric.before(Value::Loss(0), true)))),
            |sector| Ok(Removed::Rows(rows(sector)?)),
        )
    }
}

/// Ranks X's removals of a stone of Y: the best removal in each position of the rows in which X has a mill, 0 if
/// nothing may be removed.
pub(super) fn removals<D: Plies>(game: &Game, numbering: Numbering, exit: &Removed<D>, values: &mut [D]) {
    for_each_row(values, numbering.columns() as usize, &|row, values| {
        let frame = Frame::of(numbering, row);
        if in_mills(frame.own, game.diagonals()) == 0 {
            return;
        }
        let exit = match exit {
            Removed::Rows(exit) => Ok((exit.numbering, exit.row(row))),
            Removed::Won(rank) => Err(*rank),
        };
        for (value, &numbers) in values.iter_mut().zip(numbering.sets_by_column()) {
            let removable = game.removable(frame.gaps.spread(numbers));
            *value = match exit {
                _ if removable == 0 => D::default(),
                Err(won) => won,
                Ok((numbering, exit)) => {
                    let after = |p: u32| exit[numbering.column(numbers ^ frame.bits[p as usize])];
                    points(removable).map(after).max().unwrap_or_default()
                }
            };
        }
    });
}

/// Ranks Y's removals of a stone of this row, of this numbering: the best removal in each of some columns.
pub(super) fn removals_in_row<D: Plies>(
    (numbering, frame): (Numbering, &Frame),
    removable: PointSet,
    exit: &Removed<D>,
    columns: &[u32],
) -> Vec<D> {
    let exit = match exit {
        Removed::Rows(exit) => exit,
        Removed::Won(rank) => return vec![*rank; columns.len()],
    };
    let mut values = vec![D::default(); columns.len()];
    for removed in points(removable) {
        let (row, symmetry) = exit.numbering.place(frame.own ^ (1 << removed));
        let relabel = Relabel::between(frame.gaps, symmetry, &Frame::of(exit.numbering, row));
        let ranks = Runs::new(numbering, exit.numbering, &relabel).values(columns, exit.row(row));
        raise_each(&mut values, &ranks);
    }
    values
}

/// Returns the codes of a sector by slot, given a code for every position by rows of the mover.
pub(super) fn codes_of_mover<P: Plies>(numbering: Numbering, mut codes: Vec<Code<P>>) -> Vec<Code<P>> {
    for_each_row(&mut codes, numbering.columns() as usize, &|row, codes| {
        for ((column, least), code) in (0..).zip(least_columns(numbering, row)).zip(codes) {
            if least < column {
                *code = Code::VACANT;
            }
        }
    });
    codes
}

/// Returns the codes of a sector by slot, given its numbering and a code for every position by rows of the other
/// colour.
pub(super) fn codes_of_other<P: Plies>(sector: Numbering, rows: Numbering, codes: &[Code<P>]) -> Vec<Code<P>> {
    let locate = |own, images: &Images| rows.any_slot(own, |symmetry| images[symmetry]);
    codes_of_mover(sector, turned(sector, codes, locate, (Code::VACANT, |code| code)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Distances of two bytes do not fit into a table of bytes.
    #[test]
    fn wide_distances_want_wide_tables() {
        let (bytes, words) = (Codes::Bytes(Vec::new()), Codes::Words(Vec::new()));
        assert!(check_width::<u8>(&bytes).is_ok() && check_width::<u8>(&words).is_err());
        assert!(check_width::<u16>(&bytes).is_ok() && check_width::<u16>(&words).is_ok());
        assert!(words.is_empty() && !Codes::Bytes(vec![Code::DRAW]).is_empty());
    }

    fn ranks_keep_values_and_order<D: Plies>() {
        let ends = (0..=Code::<D>::max_distance())
            .map(|plies| if plies % 2 == 1 { Value::Win(plies) } else { Value::Loss(plies) });
        let mut values: Vec<Value> = ends.chain([Value::Draw]).collect();
        values.sort_by_key(|value| value.before().rank());
        let ranks: Vec<D> = values.iter().map(|&value| rank_of(value.before())).collect();
        assert!(ranks[0] > D::default() && ranks.is_sorted_by(|a, b| a < b));
        for (value, rank) in values.into_iter().zip(ranks) {
            assert_eq!(exit_value(rank), Some(value.before()));
        }
        assert_eq!(exit_value(D::default()), None);
    }

    #[test]
    fn ranks_of_one_and_two_bytes_keep_values_and_order() {
        ranks_keep_values_and_order::<u8>();
        ranks_keep_values_and_order::<u16>();
    }

    #[test]
    fn turning_rows_and_back_changes_nothing() {
        let mut rng = fastrand::Rng::with_seed(4);
        for (own, opp) in [(3, 3), (4, 3), (3, 5), (5, 4)] {
            let [sector, other] = [(own, opp), (opp, own)].map(|(own, opp)| Numbering::of_sizes(own, opp));
            let codes: Vec<Code> = (0..sector.slots())
                .map(|slot| if sector.images(slot) > 0 { Code(2 * rng.u8(..120)) } else { Code::VACANT })
                .collect();
            let back = |rows: Rows<u8>| -> Vec<Code> {
                let code = |&rank| {
                    exit_value(rank).map_or(Code::DRAW, |value| match value {
                        Value::Win(plies) => Code(plies as u8 - 1),
                        _ => Code::DRAW,
                    })
                };
                rows.values.iter().map(code).collect()
            };
            assert!(
                codes_of_mover(
                    sector,
                    back(Rows::of_mover(Metric::End, sector, Codes::Bytes(codes.clone())).expect("bytes"))
                ) == codes
            );
            let turned =
                back(Rows::of_other((Metric::End, true), other, sector, &Codes::Bytes(codes.clone())).expect("bytes"));
            assert!(codes_of_other(sector, other, &turned) == codes, "{own}-{opp}");
        }
    }
}
