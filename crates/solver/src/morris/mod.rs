//! The morris family, the moving phase and the placing phase.
//!
//! The terms of this folder, beside those of [`millbrain_tablebase::morris`]:
//!
//! | word | meaning |
//! |---|---|
//! | X, Y | the two colours, whichever is to move |
//! | row | the positions in which X has one orbit, with X's stones on its representative |
//! | column | a position of a row: the rank of Y's set among the points that X leaves free |
//! | frame | a row's set and the numbers of the points that it leaves free ([`frame`]) |
//! | relabel | to translate numbers of free points from one frame into another |
//! | run | columns whose sets have the same numbers from some split on ([`runs`]) |
//! | exit | a sector that moves out of a pair lead to: by a mill, or by placing a stone; it is solved first |
//! | rank of an exit | how good the best move out of a pair is; 0 if there is none ([`exits`]) |
//! | open moves | moves within the pair that are not known to lose |
//! | level | the positions won or lost in one number of plies, found together |
//! | code | a value as a number, as tables store it ([`Code`]) |

mod exits;
mod forward;
mod frame;
mod mirror;
mod runs;
mod solve;
mod subsets;
mod table;
mod ultra;

use crate::code::{Code, Codes, IntoCodes};
use crate::solvable::Solvable;
use crate::solve::{Extent, Finished, Solution, Unsolved, Watcher};
use crate::ultra::UltraSolver;
use millbrain_core::morris::symmetry::SYMMETRIES;
use millbrain_tablebase::morris::{Force, Numbering, burnside};
use millbrain_tablebase::{Endings, Metric, MorrisEndings, Sector};
use std::ops::Range;
use table::Wide;

/// Solves with distances of one byte, and with two if they turn out to be longer.
fn narrow_or_wide(
    endings: &MorrisEndings,
    watcher: &dyn Watcher,
    narrow: &dyn Fn() -> Result<Solution, Unsolved>,
    wide: &dyn Fn() -> Result<Solution, Unsolved>,
) -> Result<Solution, Unsolved> {
    if endings.metric().longest().is_some_and(|longest| longest > Code::<u8>::max_distance()) {
        return wide();
    }
    match narrow() {
        Err(Unsolved::TooLong(_)) => {
            watcher.again();
            wide()
        }
        solved => solved,
    }
}

/// Solves a pair with distances of this width.
fn solve_in<P: IntoCodes + Wide>(
    endings: &MorrisEndings,
    pair: &[Sector],
    finished: &dyn Finished,
    watcher: &dyn Watcher,
) -> Result<Solution, Unsolved> {
    if endings.is_passed_once(pair[0]) {
        return forward::solve::<P>(endings, pair[0], finished, watcher);
    }
    solve::solve::<P>(endings, pair, finished, watcher)
}

impl Solvable for MorrisEndings {
    fn solve(&self, pair: &[Sector], finished: &dyn Finished, watcher: &dyn Watcher) -> Result<Solution, Unsolved> {
        narrow_or_wide(self, watcher, &|| solve_in::<u8>(self, pair, finished, watcher), &|| {
            solve_in::<u16>(self, pair, finished, watcher)
        })
    }

    fn derive(&self, sector: Sector, finished: &dyn Finished, watcher: &dyn Watcher) -> Result<Codes, Unsolved> {
        let solved = narrow_or_wide(self, watcher, &|| forward::solve::<u8>(self, sector, finished, watcher), &|| {
            forward::solve::<u16>(self, sector, finished, watcher)
        });
        Ok(solved?.sectors.remove(0))
    }

    fn extent(&self, sector: Sector) -> Extent {
        let [own, opp] = [sector.own, sector.opp].map(|code| usize::from(Force::of(code).board));
        Extent { reduced: burnside::classes(own, opp), unreduced: burnside::images(own, opp) }
    }

    fn derives_by_rows(&self) -> bool {
        true
    }

    fn ultra(&self) -> Option<&dyn UltraSolver> {
        // With a draw counter no side can stay for ever.
        (self.metric() == Metric::End).then_some(self)
    }

    fn deriving_bytes(&self, sector: Sector) -> u64 {
        forward::bytes(self, sector)
    }

    fn solving_bytes(&self, pair: &[Sector]) -> u64 {
        if self.is_passed_once(pair[0]) { forward::bytes(self, pair[0]) } else { solve::bytes(self, pair) }
    }

    fn each_image_count(&self, sector: Sector, mut slots: Range<u64>, each: &mut dyn FnMut(Range<u64>, u32)) {
        let numbering = Numbering::of(sector);
        while !slots.is_empty() {
            let row = (slots.start / u64::from(numbering.columns())) as usize;
            let Range { start, end } = numbering.row(row);
            let part = slots.start..slots.end.min(end);
            slots.start = part.end;
            if numbering.is_symmetric(row) {
                let counts = runs::image_counts(numbering, row);
                let part_of_row = (part.start - start) as usize..(part.end - start) as usize;
                part.zip(&counts[part_of_row]).for_each(|(slot, &images)| each(slot..slot + 1, images));
            } else {
                each(part, SYMMETRIES as u32);
            }
        }
    }
}
