//! The ultra-strong values of a folder, from files or derived from them.

use super::{Grounds, UltraSolver};
use crate::format::{digits, stored_prospects};
use crate::prospects::Prospects;
use crate::solve::Unsolved;
use millbrain_core::game::Game;
use millbrain_core::game::value::Prospect;
use millbrain_files::{InFile, named};
use millbrain_tablebase::folder::Folder;
use millbrain_tablebase::format::{Fault, Kind};
use millbrain_tablebase::ultra::Ranked;
use millbrain_tablebase::ultra::Ranks;
use millbrain_tablebase::{Endings, Located, PositionOf, Sector};
use rayon::prelude::*;

/// The digit of a draw.
const DRAW: u8 = 1;

/// The finished sectors of a folder.
pub(crate) struct UltraBuilt<'a, E> {
    endings: &'a E,
    solver: &'a dyn UltraSolver,
    folder: &'a Folder,
    ranks: &'a Ranks,
}

impl<'a, E: Endings> UltraBuilt<'a, E> {
    pub(crate) const fn of(
        endings: &'a E,
        solver: &'a dyn UltraSolver,
        folder: &'a Folder,
        ranks: &'a Ranks,
    ) -> UltraBuilt<'a, E> {
        UltraBuilt { endings, solver, folder, ranks }
    }

    fn named(&self, sector: Sector, kind: Kind) -> impl Fn(Fault) -> InFile<Fault> + use<E> {
        let path = self.folder.file(self.endings, sector, kind);
        move |fault| named(&path)(fault)
    }

    /// Returns the values of a sector that has a file, given its results.
    pub(crate) fn stored(&self, sector: Sector, results: &[u8]) -> Result<Prospects, InFile<Fault>> {
        let table = self.folder.table(self.endings, sector, Kind::Ultra);
        table.and_then(|table| stored_prospects(&table, results)).map_err(self.named(sector, Kind::Ultra))
    }

    /// Returns a sector with its rank.
    pub(crate) fn ranked(&self, sector: Sector) -> Ranked {
        Ranked { sector, rank: self.rank(sector) }
    }

    /// Loads the values of a sector from its file or, position by position, from those of the sectors that its moves
    /// lead to.
    pub(crate) fn loaded(&self, sector: Sector) -> Result<Loaded, InFile<Fault>> {
        let results = self.results(sector)?;
        if !self.endings.is_derived(sector) {
            let prospects = self.stored(sector, &results)?;
            return Ok(Loaded { ranked: self.ranked(sector), results, prospects });
        }
        let mut next = self.endings.successors(sector);
        next.sort_unstable();
        next.dedup();
        let next = next.into_iter().map(|next| self.loaded(next)).collect::<Result<Vec<_>, _>>()?;
        let mut derived = Loaded { ranked: self.ranked(sector), prospects: Prospects::none(results.len()), results };
        let Prospects { keys, plies } = &mut derived.prospects;
        let rows = keys.par_chunks_mut(CHUNK).zip(plies.par_chunks_mut(CHUNK)).zip(derived.results.par_chunks(CHUNK));
        rows.enumerate().for_each(|(chunk, ((keys, plies), results))| {
            let mut forward = Forward::new(self.endings, derived.ranked, &next);
            for (at, _) in results.iter().enumerate().filter(|(_, result)| **result == DRAW) {
                let Some(pos) = self.endings.position(sector, (chunk * CHUNK + at) as u64) else { continue };
                let best = forward.best(&pos);
                (keys[at], plies[at]) = (best.key as i8, best.plies as u16);
            }
        });
        Ok(derived)
    }
}

/// The number of slots that a thread takes at a time.
const CHUNK: usize = 1 << 14;

/// The results and values of a sector.
pub(crate) struct Loaded {
    ranked: Ranked,
    results: Vec<u8>,
    prospects: Prospects,
}

impl Loaded {
    /// Returns the value of a drawn slot.
    pub(crate) fn value(&self, slot: u64) -> Option<Prospect> {
        (self.results[slot as usize] == DRAW).then(|| self.prospects.of(slot as usize))?
    }
}

/// Finds values from those one move on.
pub(crate) struct Forward<'a, E: Endings, L> {
    endings: &'a E,
    ranked: Ranked,
    next: &'a [Loaded],
    locate: L,
}

impl<'a, E: Endings> Forward<'a, E, ()> {
    /// Creates a finder for positions of a sector, given the sectors that its moves lead to.
    pub(crate) fn new(
        endings: &'a E,
        ranked: Ranked,
        next: &'a [Loaded],
    ) -> Forward<'a, E, impl FnMut(&PositionOf<E>, &PositionOf<E>) -> Located> {
        Forward { endings, ranked, next, locate: endings.locator() }
    }
}

impl<E: Endings, L: FnMut(&PositionOf<E>, &PositionOf<E>) -> Located> Forward<'_, E, L> {
    /// Returns the value of the best move of a drawn position. Without a move to a drawn position of these sectors, the
    /// game stays where it is.
    pub(crate) fn best(&mut self, pos: &PositionOf<E>) -> Prospect {
        let game = self.endings.game();
        let mut best: Option<Prospect> = None;
        game.generate(pos, |mv| {
            let Located::Slot(sector, slot) = (self.locate)(pos, &game.play(pos, mv)) else { return };
            let Some(next) = self.next.iter().find(|next| next.ranked.sector == sector) else { return };
            if let Some(value) = next.value(slot) {
                let value = self.ranked.before(next.ranked, value);
                best = best.into_iter().chain([value]).max_by_key(|value| value.rank());
            }
        });
        best.unwrap_or(Prospect { key: 0, plies: 0 })
    }
}

impl<E: Endings> Grounds for UltraBuilt<'_, E> {
    fn rank(&self, sector: Sector) -> i32 {
        self.ranks.get(&self.endings.name(sector)).copied().unwrap_or(0)
    }

    fn results(&self, sector: Sector) -> Result<Vec<u8>, InFile<Fault>> {
        let wdl = self.folder.table(self.endings, sector, Kind::Wdl);
        wdl.and_then(|wdl| digits(&wdl)).map_err(self.named(sector, Kind::Wdl))
    }

    fn moves_to(&self, sector: Sector) -> Result<Vec<u8>, Unsolved> {
        if self.endings.is_derived(sector) {
            return self.solver.derive(sector, self);
        }
        let results = self.results(sector)?;
        Ok(self.stored(sector, &results)?.moves_to(self.rank(sector)))
    }
}
