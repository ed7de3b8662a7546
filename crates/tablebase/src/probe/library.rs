//! Tables for any rules, opened on demand.

use super::sources::{Sources, open};
use super::tables::Refusal;
use millbrain_core::any::AnyOracle;
use millbrain_core::variant::Ruleset;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The number of rule sets whose tables stay open: more than there are variants.
const KEPT: usize = 32;

/// The tables of some rules.
#[derive(Clone)]
pub struct RulesTables {
    /// Looks values up; `None` if there are no tables.
    pub oracle: Option<AnyOracle>,
    /// Number of sectors there are tables of.
    pub sectors: usize,
}

/// Tables of any rules from the same sources, opened on first use. The oldest are closed when there are too many.
pub struct Library {
    sources: Sources,
    opened: Mutex<Vec<(Ruleset, RulesTables)>>,
}

impl Library {
    /// Creates a library with nothing open.
    pub fn new(sources: Sources) -> Library {
        Library { sources, opened: Mutex::default() }
    }

    /// Returns the sources of the tables.
    pub const fn sources(&self) -> &Sources {
        &self.sources
    }

    fn opened(&self) -> MutexGuard<'_, Vec<(Ruleset, RulesTables)>> {
        self.opened.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the tables of these rules, if they are open.
    pub fn known(&self, rules: &Ruleset) -> Option<RulesTables> {
        self.opened().iter().find(|(known, _)| known == rules).map(|(_, tables)| tables.clone())
    }

    /// Returns the tables of these rules. When they are opened, `tell` gets what is not used and why.
    pub fn tables(&self, rules: &Ruleset, tell: impl FnOnce(Vec<Refusal>)) -> RulesTables {
        if let Some(tables) = self.known(rules) {
            return tables;
        }
        // Not under the lock: folders may be slow.
        let found = open(rules, &self.sources);
        let tables = RulesTables { oracle: found.oracle, sectors: found.sectors };
        let mut opened = self.opened();
        if opened.len() >= KEPT {
            opened.remove(0);
        }
        opened.push((*rules, tables.clone()));
        drop(opened);
        tell(found.refusals);
        tables
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use millbrain_core::variant::Variant;
    use std::path::PathBuf;

    #[test]
    fn tables_are_opened_once_and_so_many_are_kept() {
        let folders = vec![PathBuf::from("/no/such/folder")];
        let library = Library::new(Sources { folders, ..Sources::default() });
        let mut reported = 0;
        for _ in 0..2 {
            let tables = library.tables(&Variant::Morris.rules(), |refusals| reported += refusals.len());
            assert!(tables.oracle.is_some() && tables.sectors > 0);
        }
        assert_eq!(reported, 1, "reported once");
        for list in (0..KEPT).map(|i| format!("Stones={},Flying={}", [3, 4, 5, 6, 7, 8, 10, 11][i % 8], i < KEPT / 2)) {
            for repetition in [true, false] {
                let mut rules = Variant::Mlyn.rules();
                rules.set_all(&format!("{list},Repetition Draw={repetition}")).expect("rules");
                library.tables(&rules, |_| ());
                assert!(library.known(&rules).is_some());
            }
        }
        assert_eq!(library.opened().len(), KEPT);
        assert!(library.known(&Variant::Morris.rules()).is_none(), "the oldest has gone");
    }
}
