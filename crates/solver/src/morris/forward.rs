//! Solves a sector from the sectors that its moves lead to, in one pass by rows of the mover.
//!
//! This solves the sectors of the placing phase, where every move leads to a solved sector. It also computes the
//! distances of moving sectors whose partners have theirs in a file.

use super::exits::{Removed, Rows, codes_of_mover, codes_of_other, exit_value, removals, removals_in_row};
use super::frame::{Frame, RowMove, with_mills};
use super::runs::Runs;
use super::subsets::{self, Gained};
use crate::code::{Code, IntoCodes, Plies};
use crate::memory::filled;
use crate::solve::rows::for_each_row;
use crate::solve::{Finished, Solution, TooLong, Unsolved, Watcher};
use millbrain_core::game::value::Value;
use millbrain_core::morris::board::{POINTS, PointSet};
use millbrain_tablebase::Metric;
use millbrain_tablebase::MorrisEndings;
use millbrain_tablebase::morris::Game;
use millbrain_tablebase::morris::Numbering;
use millbrain_tablebase::morris::{Act, Force};
use millbrain_tablebase::{Endings, Sector};
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

/// Returns the bytes of memory that a pass over a sector takes.
pub(super) fn bytes(endings: &MorrisEndings, sector: Sector) -> u64 {
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
    /// Reads the sectors that moves of one kind from a sector lead to.
    pub(super) fn read(
        game: &Game,
        metric: Metric,
        sector: Sector,
        act: Act,
        finished: &dyn Finished,
    ) -> Result<After<P>, Unsolved> {
        let read = |sector: Sector, progress: bool| {
            let (rows, moves) = (Numbering::of(sector.partner()), (metric, progress));
            Ok::<_, Unsolved>(Rows::<P>::of_other(moves, rows, Numbering::of(sector), &finished.codes(sector)?)?)
        };
        let (quiet, reduced) = act.successors(sector);
        let quiet = read(quiet, act == Act::Place)?;
        let reduced = Removed::read(metric, reduced, |sector| read(sector, true))?;
        Ok(After::of(game, act, Force::of(sector.own).hand, quiet, &reduced))
    }

    /// Combines the ranks of quiet moves and of those with a removal.
    pub(super) fn of(game: &Game, act: Act, hand: u8, quiet: Rows<P>, reduced: &Removed<P>) -> After<P> {
        let mut closed = filled(P::default(), quiet.values.len());
        removals(game, quiet.numbering, reduced, &mut closed);
        // Where nothing may be removed, a mill is as good as any other move.
        let columns = quiet.numbering.columns() as usize;
        for_each_row(&mut closed, columns, &|row, closed| {
            let silent = closed.iter_mut().zip(quiet.row(row)).filter(|(rank, _)| **rank == P::default());
            silent.for_each(|(rank, &quiet)| *rank = quiet);
        });
        let closed = Rows { numbering: quiet.numbering, values: closed };
        After { act, hand, quiet, closed }
    }

    /// Raises the ranks of a row of the mover to those of its best moves of this kind.
    pub(super) fn raise(&self, game: &Game, numbering: Numbering, row: usize, best: &mut [P]) {
        let frame = Frame::of(numbering, row);
        let after = self.quiet.numbering;
        let moves = match self.act {
            Act::Slide => RowMove::moving(game, after, frame.own, self.hand),
            Act::Place => RowMove::placing(game, after, frame.own),
        };
        for mv in moves {
            let ranks = if mv.closes { &self.closed } else { &self.quiet }.row(mv.row as usize);
            Runs::new(after, numbering, &mv.relabel(after, &frame)).raise(best, ranks);
        }
    }
}

/// The ranks of Y's placements by rows of X, who moves next.
pub(super) struct Placed<P> {
    quiet: Rows<P>,
    reduced: Removed<P>,
}

impl<P: Plies> Placed<P> {
    /// Reads the sectors that the placements from a sector lead to, in which Y is to move.
    pub(super) fn read(metric: Metric, sector: Sector, finished: &dyn Finished) -> Result<Placed<P>, Unsolved> {
        let read =
            |sector: Sector| Ok::<_, Unsolved>(Rows::of_mover(metric, Numbering::of(sector), finished.codes(sector)?)?);
        let (quiet, reduced) = Act::Place.successors(sector);
        Ok(Placed { quiet: read(quiet)?, reduced: Removed::read(metric, reduced, read)? })
    }

    /// Raises the ranks of a row of X to those of Y's best placements. The row is numbered with Y's stones before the
    /// placement. A mill may remove these stones of X.
    pub(super) fn raise(
        &self,
        frame: &Frame,
        (numbering, diagonals): (Numbering, bool),
        removable: PointSet,
        row: usize,
        best: &mut [P],
    ) {
        let (quiet, count) = (self.quiet.row(row), frame.gaps.free().count_ones() as usize);
        let mills = frame.mills(self.quiet.numbering, diagonals);
        let columns = with_mills(&mills);
        if removable == 0 || columns.is_empty() {
            return subsets::raise(best, quiet, count, numbering.size());
        }
        let reduced = removals_in_row((self.quiet.numbering, frame), removable, &self.reduced, &columns);
        let mut closed = vec![P::default(); mills.len()];
        columns.into_iter().zip(reduced).for_each(|(column, rank)| closed[column as usize] = rank);
        subsets::raise_or_close(best, Gained { quiet, closed: &closed, mills: &mills }, count, numbering.size());
    }
}

/// Solves a sector.
pub(super) fn solve<P: IntoCodes>(
    endings: &MorrisEndings,
    sector: Sector,
    finished: &dyn Finished,
    watcher: &dyn Watcher,
) -> Result<Solution, Unsolved> {
    let (game, metric) = (endings.game(), endings.metric());
    let [own, opp] = [sector.own, sector.opp].map(Force::of);
    let full_board = usize::from(own.board + opp.board) == POINTS;
    let longest = AtomicU32::new(0);
    // Without a move the game is lost.
    let value = |rank| Code::of(exit_value(P::of(rank)).unwrap_or(Value::Loss(0)));
    let codes_of_ranks: Vec<Code<P>> = (0..=P::MAX.get()).map(value).collect();
    // Settles a row, given a function that raises the ranks of its positions to those of their best moves.
    let settle = |codes: &mut [Code<P>], raise: &dyn Fn(&mut [P])| {
        watcher.seeded(codes.len() as u64);
        if full_board {
            return;
        }
        let mut best = vec![P::default(); codes.len()];
        raise(&mut best);
        codes.iter_mut().zip(best).for_each(|(code, best)| *code = codes_of_ranks[best.get() as usize]);
        let plies = |code: &Code<P>| if *code == Code::DRAW { 0 } else { code.0.get() };
        longest.fetch_max(codes.iter().map(plies).max().unwrap_or(0), Relaxed);
    };
    let numbering = Numbering::of(sector);
    let codes = if own.hand > 0 && !game.slides_while_placing() {
        // Placing a stone leaves the other colour's row unchanged.
        let rows = Numbering::of_sizes(opp.board.into(), own.board.into());
        let placed = Placed::<P>::read(metric, sector, finished)?;
        let mut codes = filled(Code::DRAW, rows.slots() as usize);
        for_each_row(&mut codes, rows.columns() as usize, &|row, codes| {
            let frame = Frame::of(rows, row);
            let removable = game.removable(frame.own);
            settle(codes, &|best| placed.raise(&frame, (rows, game.diagonals()), removable, row, best));
        });
        drop(placed);
        codes_of_other(numbering, rows, &codes)
    } else {
        let after = Act::all(own, game.slides_while_placing())
            .map(|act| After::<P>::read(&game, metric, sector, act, finished));
        let after = after.collect::<Result<Vec<_>, _>>()?;
        let mut codes = filled(Code::DRAW, numbering.slots() as usize);
        for_each_row(&mut codes, numbering.columns() as usize, &|row, codes| {
            settle(codes, &|best| after.iter().for_each(|after| after.raise(&game, numbering, row, best)));
        });
        codes_of_mover(numbering, codes)
    };
    let levels = longest.into_inner();
    if levels > Code::<P>::max_distance() {
        return Err(TooLong::of::<P>().into());
    }
    Ok(Solution { sectors: vec![P::into_codes(codes)], levels })
}
