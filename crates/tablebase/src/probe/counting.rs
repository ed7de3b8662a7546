//! Tables with the draw counter of the rules, beside sources that ignore it.

use super::tables::Tablebase;
use crate::endings::{Endings, PositionOf};
use millbrain_core::game::value::{Counted, Known, Oracle};
use millbrain_core::game::{Game, Verdict};
use std::sync::Arc;

/// Results by the draw counter where tables have it, with distances to the end from another source.
pub(super) struct Counting<E: Endings> {
    exact: Arc<Tablebase<E>>,
    plain: Arc<dyn Oracle<PositionOf<E>>>,
}

impl<E: Endings> Counting<E> {
    /// Combines tables whose endings have the draw counter and a source that ignores it.
    pub(super) fn new(exact: Tablebase<E>, plain: Arc<dyn Oracle<PositionOf<E>>>) -> Counting<E> {
        Counting { exact: Arc::new(exact), plain }
    }
}

impl<E: Endings> Oracle<PositionOf<E>> for Counting<E> {
    fn beneath(&self) -> Option<&dyn Oracle<PositionOf<E>>> {
        Some(&*self.plain)
    }

    #[inline]
    fn verdict(&self, pos: &PositionOf<E>) -> Option<Verdict> {
        self.exact.counted_verdict(pos).or_else(|| self.plain.verdict(pos))
    }

    fn counted(&self, pos: &PositionOf<E>) -> Option<Counted> {
        self.exact.counted(pos)
    }

    fn ask(&self, pos: &PositionOf<E>, wait: &dyn Fn() -> bool) -> Option<Box<dyn Oracle<PositionOf<E>>>> {
        let plain = Arc::from(self.plain.ask(pos, wait)?);
        Some(Box::new(Counting { exact: Arc::clone(&self.exact), plain }))
    }

    fn ask_all(
        &self,
        positions: &mut dyn Iterator<Item = PositionOf<E>>,
        wait: &dyn Fn() -> bool,
    ) -> Result<Option<Arc<dyn Oracle<PositionOf<E>>>>, String> {
        let asked = self.plain.ask_all(positions, wait)?;
        Ok(asked.map(|plain| Arc::new(Counting { exact: Arc::clone(&self.exact), plain }) as _))
    }

    fn known(&self, pos: &PositionOf<E>) -> Option<Known> {
        let known = self.plain.known(pos);
        let Some(verdict) = self.exact.counted_verdict(pos) else { return known };
        // A distance counts if the counter does not run out on the way, even without progress.
        let endings = self.exact.endings();
        let counter = endings.game().plies_without_progress(pos);
        let is_sure = |known: &Known| {
            known.verdict() == verdict && endings.metric().is_in_time(known.plies().unwrap_or(0), counter)
        };
        known.filter(is_sure).or(Some(Known::Verdict(verdict)))
    }

    fn new_faults(&self) -> Vec<String> {
        [self.exact.new_faults(), self.plain.new_faults()].concat()
    }
}
