//! Ultra-strong values, for probing.

use super::pair::Pair;
use crate::endings::{Endings, PositionOf, Sector};
use crate::folder::Folder;
use crate::format::cache::Cache;
use crate::format::{Kind, TableFile};
use crate::ultra::Ranked;
use ahash::AHashMap;
use millbrain_core::game::value::{Prospect, known_end};
use millbrain_core::game::{Game, Verdict};

/// The ultra-strong values of a folder.
pub(super) struct UltraTables {
    /// The ranks of sectors without stones in hand.
    ranks: AHashMap<Sector, i32>,
    /// Results and ultra-strong values of the sectors that have files.
    sectors: AHashMap<Sector, Pair>,
}

impl UltraTables {
    /// Returns an empty set of values.
    pub(super) fn none() -> UltraTables {
        UltraTables { ranks: AHashMap::new(), sectors: AHashMap::new() }
    }

    /// Opens the ultra-strong values of a folder, whose files are opened by `open`.
    pub(super) fn of<E: Endings>(
        endings: &E,
        folder: &Folder,
        mut open: impl FnMut(Sector, Kind) -> Option<TableFile>,
    ) -> UltraTables {
        let Some(ultra) = &folder.manifest.ultra else { return UltraTables::none() };
        let sectors = || endings.sectors().into_iter();
        let stored = sectors().filter(|&sector| ultra.sectors.contains_key(&endings.name(sector)));
        let pair = |sector| (sector, Pair::of(open(sector, Kind::Wdl), open(sector, Kind::Ultra)));
        let rank = |sector| Some((sector, *ultra.ranks.get(&endings.name(sector))?));
        UltraTables { sectors: stored.map(pair).collect(), ranks: sectors().filter_map(rank).collect() }
    }

    /// Returns whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.sectors.is_empty()
    }

    /// Returns the faults that have been found and not yet reported.
    pub(super) fn new_faults(&self) -> impl Iterator<Item = String> + '_ {
        self.sectors.values().filter_map(Pair::new_fault)
    }
}

/// A prober for ultra-strong values and the results that they belong to.
pub(super) struct Prober<'a, E: Endings> {
    pub endings: &'a E,
    pub tables: &'a UltraTables,
    pub cache: &'a Cache,
    pub verdict: &'a dyn Fn(&PositionOf<E>) -> Option<Verdict>,
}

impl<E: Endings> Prober<'_, E> {
    /// Returns the value of a move from one drawn position to another, for the side that makes it.
    pub(super) fn of_move(&self, pos: &PositionOf<E>, next: &PositionOf<E>) -> Option<Prospect> {
        if self.tables.is_empty() {
            return None;
        }
        let from = self.ranked(pos)?;
        if !self.is_drawn(next)? {
            return None;
        }
        Some(from.before(self.ranked(next)?, self.of_position(next)?))
    }

    /// Returns the sector of a position and its rank. With stones in hand the side to move cannot stay in the sector,
    /// so the rank is 0.
    fn ranked(&self, pos: &PositionOf<E>) -> Option<Ranked> {
        let sector = self.endings.sector(pos)?;
        let rank = if self.endings.in_hand(sector) { 0 } else { *self.tables.ranks.get(&sector)? };
        Some(Ranked { sector, rank })
    }

    fn is_drawn(&self, pos: &PositionOf<E>) -> Option<bool> {
        let end = known_end(&self.endings.game(), pos).map(|value| value.verdict());
        Some(end.or_else(|| (self.verdict)(pos))? == Verdict::Draw)
    }

    /// Returns the value of a drawn position.
    fn of_position(&self, pos: &PositionOf<E>) -> Option<Prospect> {
        let from = self.ranked(pos)?;
        if self.endings.in_hand(from.sector) {
            return None;
        }
        if !self.endings.is_derived(from.sector) {
            return self.tables.sectors.get(&from.sector)?.prospect(self.endings.slot(pos), self.cache);
        }
        let game = self.endings.game();
        let mut best: Option<Prospect> = None;
        let mut is_known = true;
        game.generate(pos, |mv| {
            let next = game.play(pos, mv);
            let value = match self.is_drawn(&next) {
                Some(false) => return,
                Some(true) => self.ranked(&next).zip(self.of_position(&next)),
                None => None,
            };
            let value = value.map(|(to, value)| from.before(to, value));
            is_known &= value.is_some();
            best = best.into_iter().chain(value).max_by_key(|value| value.rank());
        });
        best.filter(|_| is_known)
    }
}
