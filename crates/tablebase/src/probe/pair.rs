//! The two tables of a sector, for probing.

use crate::format::cache::Cache;
use crate::format::{Fault, TableFile};
use millbrain_core::game::Verdict;
use millbrain_core::game::value::{Prospect, Value};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// The first damage found in tables.
#[derive(Default)]
pub(crate) struct FirstFault {
    text: OnceLock<String>,
    is_reported: AtomicBool,
}

impl FirstFault {
    /// Returns the result if the tables are sound there; otherwise stores the first fault for a report.
    #[inline]
    pub(crate) fn sound<T>(&self, name: impl Fn() -> String, repair: &str, result: Result<T, Fault>) -> Option<T> {
        if let Err(fault) = &result {
            self.text.get_or_init(|| format!("tablebase {}: {fault}; not used there, {repair}", name()));
        }
        result.ok()
    }

    /// Returns the fault, if it has not been reported yet.
    pub(crate) fn new_fault(&self) -> Option<String> {
        let fault = self.text.get()?;
        (!self.is_reported.swap(true, Relaxed)).then(|| fault.clone())
    }
}

/// The tables of one sector.
pub(crate) struct Pair {
    wdl: Option<TableFile>,
    distance: Option<TableFile>,
    /// Whether the distances follow from the sectors that moves lead to.
    pub(crate) is_derived: bool,
    fault: FirstFault,
}

impl Pair {
    /// Combines the tables that exist. Half distances without the results are of no use, and are left out.
    pub(crate) fn of(wdl: Option<TableFile>, distance: Option<TableFile>) -> Pair {
        Pair { distance: distance.filter(|_| wdl.is_some()), wdl, is_derived: false, fault: FirstFault::default() }
    }

    /// Wraps the results of a sector whose distances follow from those of others.
    pub(crate) fn derived(wdl: Option<TableFile>) -> Pair {
        Pair { is_derived: wdl.is_some(), ..Pair::of(wdl, None) }
    }

    /// Returns the number of known kinds: results, distances, or both.
    pub(crate) fn kinds(&self) -> usize {
        usize::from(self.wdl.is_some()) + usize::from(self.distance.is_some() || self.is_derived)
    }

    /// Returns the value of a slot, unless it has to be derived.
    pub(crate) fn value(&self, slot: u64, cache: &Cache) -> Option<Value> {
        let (wdl, distance) = (self.wdl.as_ref()?, self.distance.as_ref()?);
        match self.verdict(slot, cache)? {
            Verdict::Draw => Some(Value::Draw),
            verdict => self.sound(distance, distance.value(slot, verdict, wdl, cache)),
        }
    }

    /// Returns the ultra-strong value of a drawn slot, of a pair whose second table has these.
    pub(crate) fn prospect(&self, slot: u64, cache: &Cache) -> Option<Prospect> {
        let (wdl, prospects) = (self.wdl.as_ref()?, self.distance.as_ref()?);
        self.sound(prospects, prospects.prospect(slot, wdl, cache))
    }

    #[inline]
    fn sound<T>(&self, table: &TableFile, result: Result<T, Fault>) -> Option<T> {
        self.fault.sound(|| table.name(), "'tablebase build' repairs it", result)
    }

    /// Returns the fault of the tables, if it has not been reported yet.
    pub(crate) fn new_fault(&self) -> Option<String> {
        self.fault.new_fault()
    }

    #[inline]
    pub(crate) fn verdict(&self, slot: u64, cache: &Cache) -> Option<Verdict> {
        let wdl = self.wdl.as_ref()?;
        self.sound(wdl, wdl.verdict(slot, cache))
    }
}
