//! The values of a sector from those of the sectors that its moves lead to, in one pass by rows of the mover.
//!
//! This solves the sectors of the placing phase, where every move leads to a sector solved before, and gives the distances
//! of moving sectors whose partners have theirs in a file.

use super::MorrisEndings;
use super::exits::{Rows, codes_of_mover, exit_value, removals, removals_in_row};
use super::force::{Act, Force};
use super::frame::{Frame, Relabel, RowMove};
use super::sets::Numbering;
use crate::code::{Code, IntoCodes, Plies};
use crate::endings::{Endings, Sector};
use crate::solve::rows::for_each_row;
use crate::solve::{Finished, Solution, TooLong, Unsolved, Watcher};
use millbrain_core::game::value::Value;
use millbrain_core::morris::Morris;
use millbrain_core::morris::board::{POINTS, PointSet, in_mills, points};
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

/// Bytes of memory that a pass over a sector takes.
pub(super) fn bytes<const S: u8>(endings: &MorrisEndings<S>, sector: Sector) -> u64 {
    let after = endings.successors(sector).into_iter().map(|exit| endings.slots(exit) + endings.slots(exit) / 20);
    2 * after.clone().max().unwrap_or(0) + after.sum::<u64>() + endings.slots(sector)
}

/// The ranks of moves by rows of the side that has moved: of quiet moves, and of those that close a mill.
pub(super) struct After<P> {
    act: Act,
    /// Stones in hand before the move.
    hand: u8,
    quiet: Rows<P>,
    closed: Rows<P>,
}

impl<P: Plies> After<P> {
    /// What moves of one kind from a sector lead to.
    pub(super) fn read<const S: u8>(
        game: &Morris<S>,
        sector: Sector,
        act: Act,
        finished: &dyn Finished,
    ) -> Result<After<P>, Unsolved> {
        let read = |sector: Sector| {
            let [own, opp] = [sector.own, sector.opp].map(|code| Force::of(code).board.into());
            let rows = Numbering::of_sizes(opp, own);
            Ok::<_, Unsolved>(Rows::<P>::of_other(rows, Numbering::of(sector), &finished.codes(sector)?)?)
        };
        let (quiet, reduced) = act.successors(sector);
        let (quiet, reduced) = (read(quiet)?, reduced.map(read).transpose()?);
        let mut closed = vec![P::default(); quiet.values.len()];
        removals(game, quiet.numbering, reduced.as_ref(), &mut closed);
        // Where nothing may be removed, a mill is as good as any other move.
        let columns = quiet.numbering.columns() as usize;
        for_each_row(&mut closed, columns, &|row, closed| {
            let silent = closed.iter_mut().zip(quiet.row(row)).filter(|(rank, _)| **rank == P::default());
            silent.for_each(|(rank, &quiet)| *rank = quiet);
        });
        let closed = Rows { numbering: quiet.numbering, values: closed };
        Ok(After { act, hand: Force::of(sector.own).hand, quiet, closed })
    }

    /// Raises the ranks of a row of the mover to those of its best moves of this kind.
    pub(super) fn raise<const S: u8>(&self, game: &Morris<S>, numbering: Numbering, row: usize, best: &mut [P]) {
        let frame = Frame::of(numbering, row);
        let after = self.quiet.numbering;
        let moves = match self.act {
            Act::Slide => RowMove::moving(game, after, frame.own, self.hand),
            Act::Place => RowMove::placing(game, after, frame.own),
        };
        for mv in moves {
            let relabel = mv.relabel(after, &frame).tables();
            let ranks = if mv.closes { &self.closed } else { &self.quiet }.row(mv.row as usize);
            for (&rank, &numbers) in ranks.iter().zip(after.sets_by_column()) {
                let numbers = relabel.of(numbers);
                if numbers & Relabel::BLOCKED == 0 {
                    let best = &mut best[numbering.column(numbers)];
                    *best = (*best).max(rank);
                }
            }
        }
    }
}

/// The ranks of Y's placements by rows of X, who moves next.
pub(super) struct Placed<P> {
    quiet: Rows<P>,
    /// After a removal; `None` if that wins the game.
    reduced: Option<Rows<P>>,
}

impl<P: Plies> Placed<P> {
    /// What the placements from a sector lead to, in which Y is to move.
    pub(super) fn read(sector: Sector, finished: &dyn Finished) -> Result<Placed<P>, Unsolved> {
        let read = |sector: Sector| Ok::<_, Unsolved>(Rows::of_mover(Numbering::of(sector), finished.codes(sector)?)?);
        let (quiet, reduced) = Act::Place.successors(sector);
        Ok(Placed { quiet: read(quiet)?, reduced: reduced.map(read).transpose()? })
    }

    /// Raises the ranks of a row of X, numbered with Y's stones before, to those of Y's best placements. A mill may
    /// remove these stones of X.
    pub(super) fn raise(
        &self,
        frame: &Frame,
        (numbering, diagonals): (Numbering, bool),
        removable: PointSet,
        row: usize,
        best: &mut [P],
    ) {
        let sets = self.quiet.numbering.sets_by_column();
        let mills = |numbers| in_mills(frame.gaps.spread(numbers), diagonals);
        let mut closed = Vec::new();
        if removable != 0 {
            closed.extend((0..).zip(sets.iter().copied()).filter(|&(_, numbers)| mills(numbers) != 0));
        }
        let mut ranks = Vec::new();
        removals_in_row(frame, removable, self.reduced.as_ref(), &closed, &mut ranks);
        let mut take_back = |numbers: PointSet, placed: PointSet, rank: P| {
            for p in points(placed) {
                let best = &mut best[numbering.column(numbers ^ frame.bits[p as usize])];
                *best = (*best).max(rank);
            }
        };
        for (&numbers, &rank) in sets.iter().zip(self.quiet.row(row)) {
            let quiet = if removable == 0 { PointSet::MAX } else { !mills(numbers) };
            take_back(numbers, frame.gaps.spread(numbers) & quiet, rank);
        }
        for (&(_, numbers), rank) in closed.iter().zip(ranks) {
            take_back(numbers, mills(numbers), rank);
        }
    }
}

/// The values of a sector.
pub(super) fn solve<P: IntoCodes, const S: u8>(
    endings: &MorrisEndings<S>,
    sector: Sector,
    finished: &dyn Finished,
    watcher: &dyn Watcher,
) -> Result<Solution, Unsolved> {
    let game = endings.game();
    let own = Force::of(sector.own);
    let after = Act::all::<S>(own).map(|act| After::<P>::read(&game, sector, act, finished));
    let after = after.collect::<Result<Vec<_>, _>>()?;
    let numbering = Numbering::of(sector);
    let full_board = usize::from(own.board + Force::of(sector.opp).board) == POINTS;
    let mut codes = vec![Code::DRAW; numbering.slots() as usize];
    let longest = AtomicU32::new(0);
    for_each_row(&mut codes, numbering.columns() as usize, &|row, codes| {
        watcher.seeded(codes.len() as u64);
        if full_board {
            return;
        }
        let mut best = vec![P::default(); codes.len()];
        after.iter().for_each(|after| after.raise(&game, numbering, row, &mut best));
        let mut last = 0;
        for (code, best) in codes.iter_mut().zip(best) {
            // Without a move the game is lost.
            let value = exit_value(best).unwrap_or(Value::Loss(0));
            *code = Code::of(value);
            if let Value::Win(plies) | Value::Loss(plies) = value {
                last = last.max(plies);
            }
        }
        longest.fetch_max(last, Relaxed);
    });
    let levels = longest.into_inner();
    if levels > Code::<P>::max_distance() {
        return Err(TooLong::of::<P>().into());
    }
    Ok(Solution { sectors: vec![P::into_codes(codes_of_mover(numbering, codes))], levels })
}
