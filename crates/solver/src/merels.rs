//! Visits the positions of a sector of the merels family, for the solver.

use crate::code::Codes;
use crate::solvable::Solvable;
use crate::solve::retrograde::{Walk, solve};
use crate::solve::states::{Seed, States, Updates};
use crate::solve::{Extent, Finished, Solution, Unsolved, Watcher};
use millbrain_core::game::Game;
use millbrain_core::game::value::{Value, known_end};
use millbrain_core::mills::MillRules;
use millbrain_core::mills::board::{PointSet, points};
use millbrain_tablebase::{Endings, MerelsEndings, Sector};
use rayon::prelude::*;
use std::ops::Range;

impl Solvable for MerelsEndings {
    fn solve(&self, pair: &[Sector], finished: &dyn Finished, watcher: &dyn Watcher) -> Result<Solution, Unsolved> {
        let walk = |&sector: &Sector| {
            let exits = self.exits(sector).into_iter().map(|exit| Ok((exit, finished.codes(exit)?)));
            Ok(MerelsWalk { endings: *self, sector, exits: exits.collect::<Result<_, Unsolved>>()? })
        };
        let walks = pair.iter().map(walk).collect::<Result<Vec<_>, Unsolved>>()?;
        Ok(solve(&walks, watcher)?)
    }

    /// Counts positions and the symmetries that leave each unchanged, without the numbering (Burnside's lemma).
    fn extent(&self, sector: Sector) -> Extent {
        let board = self.game().rules().points.board();
        let [own, opp] = MerelsEndings::on_board(sector).map(|size| size as u32);
        let count = |set: PointSet| {
            let fixes = |&symmetry: &usize| board.image(symmetry, set) == set;
            let stabiliser: Vec<usize> = (0..board.symmetries.len()).filter(fixes).collect();
            let others = subsets(board.all() & !set).filter(|other| other.count_ones() == opp);
            others.filter(|&other| self.goes_on(sector, [set, other])).fold((0, 0), |(count, fixed), other| {
                let fixes = |&&symmetry: &&usize| board.image(symmetry, other) == other;
                (count + 1, fixed + stabiliser.iter().filter(fixes).count() as u64)
            })
        };
        let sets = (0..=board.all()).into_par_iter().filter(|set| set.count_ones() == own);
        let (unreduced, fixed) = sets.map(count).reduce(|| (0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
        Extent { reduced: fixed / board.symmetries.len() as u64, unreduced }
    }

    fn deriving_bytes(&self, sector: Sector) -> u64 {
        self.solving_bytes(&self.pair(sector))
    }

    fn solving_bytes(&self, pair: &[Sector]) -> u64 {
        let sector = |&sector: &Sector| {
            let exits: u64 = self.exits(sector).into_iter().map(|exit| self.slots(exit)).sum();
            States::bytes(self.slots(sector)) + self.slots(sector) + exits
        };
        pair.iter().map(sector).sum()
    }

    fn each_image_count(&self, sector: Sector, slots: Range<u64>, each: &mut dyn FnMut(Range<u64>, u32)) {
        slots.for_each(|slot| each(slot..slot + 1, self.images(sector, slot)));
    }
}

/// Returns all subsets of a set.
fn subsets(set: PointSet) -> impl Iterator<Item = PointSet> {
    let next = move |&subset: &PointSet| (subset != set).then(|| subset.wrapping_sub(set) & set);
    std::iter::successors(Some(0), next)
}

/// Visits the positions of a sector. A row is a set of stones of the side to move.
struct MerelsWalk {
    endings: MerelsEndings,
    sector: Sector,
    exits: Vec<(Sector, Codes)>,
}

impl MerelsWalk {
    /// Finds the value of the best move out of the pair. Symmetric moves within the pair count once, as
    /// [`predecessors`](Walk::predecessors) sends one update for them.
    fn seed_slot(&self, slot: u64, quiet: &mut Vec<u64>) -> Seed {
        let (endings, game) = (&self.endings, self.endings.game());
        let Some(pos) = endings.position(self.sector, slot) else { return Seed::Vacant };
        let mut exit: Option<Value> = None;
        quiet.clear();
        game.generate(&pos, |mv| {
            let next = game.play(&pos, mv);
            let sector = endings.sector(&next);
            let is_over = game.decided(&next).is_some();
            if !is_over && sector == Some(self.sector.partner()) && endings.slides(self.sector) {
                quiet.push(endings.slot(&next));
                return;
            }
            let code = |sector| Some(&self.exits.iter().find(|(exit, _)| Some(*exit) == sector)?.1);
            let value = known_end(&game, &next).filter(|_| is_over);
            let value = value.or_else(|| Some(code(sector)?.value(endings.slot(&next) as usize)));
            let value = value.unwrap_or(Value::Draw).before();
            exit = Some(exit.map_or(value, |best| if value.rank() > best.rank() { value } else { best }));
        });
        quiet.sort_unstable();
        quiet.dedup();
        Seed::Open { exit, quiet: quiet.len() as u32 }
    }

    /// Adds the slots of the partner sector from which a quiet move leads to the position with these stones of the side
    /// to move and of the side that has moved.
    fn add_predecessors(&self, own: PointSet, moved: PointSet, slots: &mut Vec<u64>) {
        let game = self.endings.game();
        let rules = game.rules();
        let takes_nothing = game.removable(own) == 0;
        let flies = game.flies(moved, MerelsEndings::hand_of_opponent(self.sector));
        let free = rules.points() & !(own | moved);
        let mills = rules.in_mills(moved);
        for to in points(if takes_nothing { moved } else { moved & !mills }) {
            for from in points(game.targets(to, flies, free)) {
                let before = moved & !(1 << to) | 1 << from;
                if self.endings.goes_on(self.sector.partner(), [before, own]) {
                    slots.push(self.endings.numbering().slot(before, own));
                }
            }
        }
    }
}

impl Walk for MerelsWalk {
    fn rows(&self) -> usize {
        let [own, _] = MerelsEndings::on_board(self.sector);
        self.endings.numbering().rows(own)
    }

    fn row(&self, row: usize) -> Range<u64> {
        let [own, opp] = MerelsEndings::on_board(self.sector);
        let length = self.endings.numbering().row_length(own, opp);
        row as u64 * length..(row as u64 + 1) * length
    }

    fn seed(&self, row: usize, seeds: &mut Vec<Seed>) {
        let mut quiet = Vec::new();
        seeds.extend(self.row(row).map(|slot| self.seed_slot(slot, &mut quiet)));
    }

    fn predecessors(&self, _: usize, slots: &[u32], updates: &mut Updates<'_>) {
        if !self.endings.slides(self.sector.partner()) {
            return;
        }
        let [own, opp] = MerelsEndings::on_board(self.sector);
        let mut before = Vec::new();
        for &slot in slots {
            let Some((own, opp, _)) = self.endings.numbering().sets(own, opp, slot.into()) else { continue };
            before.clear();
            self.add_predecessors(own, opp, &mut before);
            before.sort_unstable();
            before.dedup();
            before.iter().for_each(|&slot| updates.send(slot as u32, 1));
        }
    }
}
