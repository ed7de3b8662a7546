//! The placing phase, by rows of the mover: every move leaves the sector, so one pass gives the values.

use super::MorrisEndings;
use super::exits::{Rows, codes_of_mover, exit_value, removals};
use super::force::Force;
use super::frame::{Frame, RowMove};
use super::sets::Numbering;
use crate::code::Code;
use crate::endings::{Endings, Sector};
use crate::solve::{Solution, TooLong, Unsolved, Watcher};
use crate::walk::Finished;
use millbrain_core::game::value::Value;
use millbrain_core::morris::board::POINTS;
use rayon::prelude::*;

/// Bytes of memory that solving a sector takes.
pub(super) fn bytes<const S: u8>(endings: &MorrisEndings<S>, sector: Sector) -> u64 {
    let exits = endings.exits(sector).into_iter().map(|exit| endings.slots(exit) + endings.slots(exit) / 20);
    2 * exits.clone().max().unwrap_or(0) + exits.sum::<u64>() + endings.slots(sector)
}

/// Solves a sector with stones in hand.
pub(super) fn solve<const S: u8>(
    endings: &MorrisEndings<S>,
    sector: Sector,
    finished: &dyn Finished,
    watcher: &dyn Watcher,
) -> Result<Solution, Unsolved> {
    let game = endings.game();
    let (own, opp) = (Force::of(sector.own).placed(), Force::of(sector.opp));
    // The sectors after a move, in which the other side is to move, by rows of the side that has moved.
    let after = |opp: Force| {
        let exit = Sector::new(opp.code(), own.code());
        let rows = Numbering::of_sizes(own.board.into(), opp.board.into());
        finished.codes(exit).map(|codes| Rows::<u8>::of_other(rows, Numbering::of(exit), &codes))
    };
    let placed = after(opp)?;
    let reduced = opp.reduced().map(after).transpose()?;
    let mut closed = vec![0; placed.values.len()];
    removals(&game, placed.numbering, reduced.as_ref(), &mut closed);
    drop(reduced);
    // Where nothing may be removed, a mill is as good as any other move.
    closed.iter_mut().zip(&placed.values).filter(|(rank, _)| **rank == 0).for_each(|(rank, &quiet)| *rank = quiet);
    let closed = Rows { numbering: placed.numbering, values: closed };
    let numbering = Numbering::of(sector);
    let full_board = usize::from(Force::of(sector.own).board + opp.board) == POINTS;
    let mut codes = vec![Code::DRAW; numbering.slots() as usize];
    let rows = codes.par_chunks_mut(numbering.columns() as usize).enumerate();
    let longest = rows.map_init(Vec::new, |best: &mut Vec<u8>, (row, codes)| {
        watcher.seeded(codes.len() as u64);
        if full_board {
            return 0;
        }
        best.clear();
        best.resize(codes.len(), 0);
        let frame = Frame::of(numbering, row);
        for mv in RowMove::placing(&game, placed.numbering, frame.own) {
            let relabel = mv.relabel(placed.numbering, &frame).tables();
            let ranks = if mv.closes { &closed } else { &placed }.row(mv.row as usize);
            for (&rank, &numbers) in ranks.iter().zip(placed.numbering.sets_by_column()) {
                let best = &mut best[numbering.column(relabel.of(numbers))];
                *best = (*best).max(rank);
            }
        }
        let mut longest = 0;
        for (code, &best) in codes.iter_mut().zip(&*best) {
            if let Some(Value::Win(plies) | Value::Loss(plies)) = exit_value(best) {
                *code = Code(plies as u8);
                longest = longest.max(plies);
            }
        }
        longest
    });
    let levels = longest.max().unwrap_or(0);
    if levels > Code::MAX_DISTANCE {
        return Err(TooLong.into());
    }
    Ok(Solution { sectors: vec![codes_of_mover(numbering, codes)], levels })
}
