//! Visiting the positions of a sector. A row is an orbit of the mover's set.

use super::MorrisEndings;
use super::force::Force;
use super::sets::Numbering;
use crate::code::Code;
use crate::endings::Sector;
use crate::states::{Seed, Updates};
use crate::walk::{Finished, Solvable, Walk};
use millbrain_core::game::value::Value;
use millbrain_core::morris::Morris;
use millbrain_core::morris::board::{ALL, Closers, PointSet, in_mills, points};
use millbrain_core::morris::symmetry::{SYMMETRIES, image};
use millbrain_core::platform::prefetch;
use std::ops::Range;

impl<const S: u8> Solvable for MorrisEndings<S> {
    type Walk<'a> = MorrisWalk<'a, S>;

    fn walk<'a>(&self, sector: Sector, finished: &'a dyn Finished) -> MorrisWalk<'a, S> {
        let exit = |opp: Force, own: Force| {
            let exit = Sector::new(opp.code(), own.code());
            Exit { numbering: Numbering::of(exit), codes: finished.codes(exit) }
        };
        let (own, opp) = (Force::of(sector.own), Force::of(sector.opp));
        let after = if own.hand > 0 { own.placed() } else { own };
        MorrisWalk {
            game: self.game,
            numbering: Numbering::of(sector),
            partner: Numbering::of(sector.partner()),
            captures: opp.reduced().map(|opp| exit(opp, after)),
            placements: (own.hand > 0).then(|| exit(opp, after)),
        }
    }
}

/// A sector that moves lead to and that is finished.
struct Exit<'a> {
    numbering: Numbering,
    codes: &'a [Code],
}

/// Lookups begun in a sector: place in the batch, and slot.
type Lookups = Vec<(u32, u32)>;

impl Exit<'_> {
    /// Starts to look up the code of a position.
    #[inline(always)]
    fn look_up(&self, i: usize, own: PointSet, opp: PointSet, lookups: &mut Lookups) {
        let slot = self.numbering.slot(own, opp);
        prefetch(&self.codes[slot as usize]);
        lookups.push((i as u32, slot as u32));
    }

    /// Finishes the lookups.
    #[inline(always)]
    fn take(&self, lookups: &mut Lookups, best: &mut [u16; BATCH as usize]) {
        for (i, slot) in lookups.drain(..) {
            let best = &mut best[i as usize];
            *best = (*best).max(exit_rank(self.codes[slot as usize]));
        }
    }
}

/// Visits the positions of a sector. A row is an orbit of the mover's set.
pub struct MorrisWalk<'a, const S: u8> {
    game: Morris<S>,
    numbering: Numbering,
    partner: Numbering,
    captures: Option<Exit<'a>>,
    /// Where stones in hand are placed, all moves leave the sector.
    placements: Option<Exit<'a>>,
}

/// Slots looked at together, so that their reads from memory overlap.
const BATCH: u32 = 32;

/// The moves of a set of stones on an otherwise empty board.
struct Mobility {
    /// Targets of moves that close no mill, each target once for each move in all masks together.
    quiet: Vec<PointSet>,
    /// Target and resulting set of each move that closes a mill.
    closing: Vec<(PointSet, PointSet)>,
}

impl Mobility {
    /// The moves that place a stone.
    fn placing<const S: u8>(game: &Morris<S>, own: PointSet) -> Mobility {
        let closing = Closers::of(own, game.diagonals()).by_placing() & !own;
        Mobility {
            quiet: vec![ALL & !own & !closing],
            closing: points(closing).map(|to| (1 << to, own | 1 << to)).collect(),
        }
    }

    /// The moves of stones on the board.
    fn moving<const S: u8>(game: &Morris<S>, own: PointSet) -> Mobility {
        let flies = game.flies(own, 0);
        let mut mobility = Mobility { quiet: Vec::new(), closing: Vec::new() };
        for from in points(own) {
            let rest = own ^ (1 << from);
            let targets = game.targets(from, flies, ALL & !own);
            let closing = targets & Closers::of(rest, game.diagonals()).by_placing();
            mobility.closing.extend(points(closing).map(|to| (1 << to, rest | 1 << to)));
            // The first masks that do not have these targets yet take them: four are enough for slides.
            let mut targets = targets & !closing;
            for mask in &mut mobility.quiet {
                (*mask, targets) = (*mask | targets, *mask & targets);
            }
            if targets != 0 {
                mobility.quiet.push(targets);
            }
        }
        mobility
    }
}

/// How good a move out of the sector is, given the code of the position it leads to: larger is better.
const fn exit_rank(code: Code) -> u16 {
    match code.value() {
        Value::Loss(plies) => 1024 - plies as u16,
        Value::Draw => 512,
        Value::Win(plies) => plies as u16,
    }
}

/// The value of the best move out of the sector, given its rank.
const fn exit_value(rank: u16) -> Value {
    match rank {
        513.. => Value::Win((1024 - rank) as u32 + 1),
        512 => Value::Draw,
        _ => Value::Loss(rank as u32 + 1),
    }
}

impl<const S: u8> MorrisWalk<'_, S> {
    /// Appends the seeds of up to [`BATCH`] slots of a row.
    #[inline(always)]
    fn seed_batch(
        &self,
        row: usize,
        columns: Range<u32>,
        mobility: &Mobility,
        [captures, placements]: &mut [Lookups; 2],
        seeds: &mut Vec<Seed>,
    ) {
        let gaps = self.numbering.gaps(row);
        let mut best = [0u16; BATCH as usize];
        let base = seeds.len();
        for (i, column) in columns.enumerate() {
            let opp = self.numbering.opp(gaps, column);
            if self.numbering.stabiliser(row, gaps, column, opp).is_none() {
                seeds.push(Seed::Vacant);
                continue;
            }
            if gaps.free() == opp {
                seeds.push(Seed::Drawn);
                continue;
            }
            let mut quiet = 0;
            if let Some(exit) = &self.placements {
                for to in points(mobility.quiet[0] & !opp) {
                    exit.look_up(i, opp, ALL & !gaps.free() | 1 << to, placements);
                }
            } else {
                quiet = mobility.quiet.iter().map(|mask| (mask & !opp).count_ones()).sum();
            }
            let closing = mobility.closing.iter().filter(|(to, _)| to & opp == 0);
            let count = closing.clone().count() as u32;
            let mut exit = None;
            if count > 0 {
                let removable = self.game.removable(opp);
                if removable == 0 {
                    match &self.placements {
                        Some(exit) => closing.for_each(|&(_, own)| exit.look_up(i, opp, own, placements)),
                        None => quiet += count,
                    }
                } else if let Some(exit) = &self.captures {
                    for removed in points(removable) {
                        for &(_, own) in closing.clone() {
                            exit.look_up(i, opp ^ (1 << removed), own, captures);
                        }
                    }
                } else {
                    exit = Some(Value::Win(1));
                }
            }
            seeds.push(Seed::Open { exit, quiet });
        }
        for (exit, lookups) in [(&self.captures, captures), (&self.placements, placements)] {
            if let Some(exit) = exit {
                exit.take(lookups, &mut best);
            }
        }
        for (seed, &rank) in seeds[base..].iter_mut().zip(&best) {
            if rank > 0
                && let Seed::Open { exit, .. } = seed
                && *exit != Some(Value::Win(1))
            {
                *exit = Some(exit_value(rank));
            }
        }
    }
}

impl<const S: u8> Walk for MorrisWalk<'_, S> {
    fn rows(&self) -> usize {
        self.numbering.rows()
    }

    fn has_quiet_moves(&self) -> bool {
        self.placements.is_none()
    }

    fn row(&self, row: usize) -> Range<u64> {
        self.numbering.row(row)
    }

    fn seed(&self, row: usize, seeds: &mut Vec<Seed>) {
        let own = ALL & !self.numbering.gaps(row).free();
        let of = if self.has_quiet_moves() { Mobility::moving } else { Mobility::placing };
        let mobility = of(&self.game, own);
        let mut lookups = [Vec::new(), Vec::new()];
        for first in (0..self.numbering.columns()).step_by(BATCH as usize) {
            let columns = first..(first + BATCH).min(self.numbering.columns());
            self.seed_batch(row, columns, &mobility, &mut lookups, seeds);
        }
    }

    fn predecessors(&self, row: usize, slots: &[u32], updates: &mut Updates<'_>) {
        let gaps = self.numbering.gaps(row);
        let own = ALL & !gaps.free();
        let images: [PointSet; SYMMETRIES] = std::array::from_fn(|symmetry| image(symmetry, own));
        let first = self.numbering.row(row).start;
        // A move that closes a mill is quiet only where nothing may be removed.
        let silent_mills = self.game.removable(own) == 0;
        let mut origins: Vec<(u32, u32)> = Vec::new();
        for &slot in slots {
            let column = (u64::from(slot) - first) as u32;
            let opp = self.numbering.opp(gaps, column);
            let stabiliser = self.numbering.stabiliser(row, gaps, column, opp).unwrap_or(1);
            let free = gaps.free() & !opp;
            let flies = self.game.flies(opp, 0);
            let moved = if silent_mills { opp } else { opp & !in_mills(opp, self.game.diagonals()) };
            origins.clear();
            for to in points(moved) {
                for from in points(self.game.targets(to, flies, free)) {
                    let before = opp ^ (1 << to) ^ (1 << from);
                    let (slot, weight) = self.partner.locate(before, |symmetry| images[symmetry]);
                    if stabiliser == 1 {
                        updates.send(slot as u32, weight);
                    } else {
                        origins.push((slot as u32, weight));
                    }
                }
            }
            // Here several moves backwards lead to images of one predecessor. Counting the pairs of images of
            // both positions from either side shows how many moves of the predecessor lead here: as many as there
            // are moves back to its images, times its symmetries, by those of this position.
            origins.sort_unstable();
            for same in origins.chunk_by(|a, b| a.0 == b.0) {
                let moves: u32 = same.iter().map(|origin| origin.1).sum();
                updates.send(same[0].0, moves / stabiliser);
            }
        }
    }
}
