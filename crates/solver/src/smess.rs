//! Visits the positions of a sector of Smess, for the solver.

use crate::code::Codes;
use crate::solvable::Solvable;
use crate::solve::retrograde::{Walk, solve};
use crate::solve::states::{Seed, States, Updates};
use crate::solve::{Extent, Finished, Solution, Unsolved, Watcher};
use millbrain_core::game::value::Value;
use millbrain_core::game::{Game, Side, Verdict};
use millbrain_core::smess::board::{BETWEEN, NUMSKULL_HOME, SLIDES_INTO, STEPS_INTO, each_square};
use millbrain_tablebase::SmessEndings;
use millbrain_tablebase::smess::{ALL, Groups, ROWS};
use millbrain_tablebase::{Endings, Sector};
use std::ops::Range;

impl Solvable for SmessEndings {
    fn solve(&self, pair: &[Sector], finished: &dyn Finished, watcher: &dyn Watcher) -> Result<Solution, Unsolved> {
        let walk = |&sector: &Sector| {
            let exits = self.exits(sector).into_iter().map(|exit| Ok((exit, finished.codes(exit)?)));
            let exits = exits.collect::<Result<_, Unsolved>>()?;
            Ok(SmessWalk { sector, row: self.slots(sector) / ROWS as u64, exits })
        };
        let walks = pair.iter().map(walk).collect::<Result<Vec<_>, Unsolved>>()?;
        Ok(solve(&walks, watcher)?)
    }

    fn extent(&self, sector: Sector) -> Extent {
        // The numbering is already a formula, and has no images to leave out.
        let positions = self.slots(sector);
        Extent { reduced: positions, unreduced: positions }
    }

    fn deriving_bytes(&self, sector: Sector) -> u64 {
        self.solving_bytes(&self.pair(sector))
    }

    fn solving_bytes(&self, pair: &[Sector]) -> u64 {
        let sector = |&sector: &Sector| {
            // With five pieces some distances take two bytes.
            let codes = |sector: Sector| self.slots(sector) * if self.pieces(sector) > 4 { 2 } else { 1 };
            let exits: u64 = self.exits(sector).into_iter().map(codes).sum();
            States::bytes(self.slots(sector)) + codes(sector) + exits
        };
        pair.iter().map(sector).sum()
    }

    fn each_image_count(&self, _: Sector, slots: Range<u64>, each: &mut dyn FnMut(Range<u64>, u32)) {
        each(slots, 1);
    }
}

/// Visits the positions of a sector of Smess. A row is a pair of squares for the Brains.
struct SmessWalk {
    sector: Sector,
    /// The number of slots per row.
    row: u64,
    exits: Vec<(Sector, Codes)>,
}

impl SmessWalk {
    fn seed_slot(&self, slot: u64) -> Seed {
        let game = SmessEndings.game();
        let Some(pos) = SmessEndings.position(self.sector, slot) else { return Seed::Vacant };
        let mut exit: Option<Value> = None;
        let mut quiet = 0;
        game.generate(&pos, |mv| {
            let next = game.play(&pos, mv);
            let value = match game.decided(&next) {
                Some(ending) if ending.verdict == Verdict::Draw => Value::Draw,
                Some(_) => Value::Loss(0),
                None => match SmessEndings.sector(&next) {
                    Some(sector) if sector != self.sector.partner() => {
                        let exit = self.exits.iter().find(|(exit, _)| *exit == sector);
                        exit.map_or(Value::Draw, |(_, codes)| codes.value(Groups::of(&next).slot() as usize))
                    }
                    _ => {
                        quiet += 1;
                        return;
                    }
                },
            };
            let value = value.before();
            exit = Some(exit.map_or(value, |best| if value.rank() > best.rank() { value } else { best }));
        });
        Seed::Open { exit, quiet }
    }
}

impl Walk for SmessWalk {
    fn rows(&self) -> usize {
        ROWS
    }

    fn row(&self, row: usize) -> Range<u64> {
        row as u64 * self.row..(row as u64 + 1) * self.row
    }

    fn seed(&self, row: usize, seeds: &mut Vec<Seed>) {
        seeds.extend(self.row(row).map(|slot| self.seed_slot(slot)));
    }

    fn predecessors(&self, _: usize, slots: &[u32], updates: &mut Updates<'_>) {
        for &slot in slots {
            let groups = Groups::of_slot(self.sector, slot.into());
            let occupied = groups.0.iter().fold(0, |all, group| all | group);
            // White is to move, so Black has moved; a Ninny that came to a Numskull's square has been promoted.
            for (group, slides, targets) in
                [(1, false, ALL), (4, true, ALL), (5, false, ALL & !NUMSKULL_HOME[Side::White as usize])]
            {
                for to in each_square(groups.0[group] & targets) {
                    let origins = if slides { SLIDES_INTO[to] } else { STEPS_INTO[to] } & !occupied;
                    for from in each_square(origins) {
                        if slides && BETWEEN[from][to] & occupied != 0 {
                            continue;
                        }
                        let mut before = groups;
                        before.0[group] ^= 1 << to | 1 << from;
                        updates.send(before.exchanged().slot() as u32, 1);
                    }
                }
            }
        }
    }
}
