//! The two tables of a sector, as they are asked.

use super::code::Codes;
use super::format::{Fault, TableFile};
use super::recent::Recent;
use millbrain_core::game::Verdict;
use millbrain_core::game::value::Value;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// The tables of one sector.
pub(super) struct Pair {
    wdl: Option<TableFile>,
    pub(super) distance: Option<TableFile>,
    /// The distances of a small sector without a WDL table, decompressed when first asked for.
    codes: OnceLock<Option<Codes>>,
    /// The first damage found.
    fault: OnceLock<String>,
    fault_reported: AtomicBool,
}

/// The most slots of a sector that is decompressed as a whole: this takes a few milliseconds and MiB.
const MAX_DECOMPRESSED: u64 = 4 << 20;

impl Pair {
    pub(super) const fn of(wdl: Option<TableFile>, distance: Option<TableFile>) -> Pair {
        Pair { wdl, distance, codes: OnceLock::new(), fault: OnceLock::new(), fault_reported: AtomicBool::new(false) }
    }

    /// How many of the two there are.
    pub(super) fn kinds(&self) -> usize {
        usize::from(self.wdl.is_some()) + usize::from(self.distance.is_some())
    }

    pub(super) fn value(&self, slot: u64, recent: &Recent) -> Option<Value> {
        if let Some(codes) = self.codes() {
            return Some(codes.value(slot as usize));
        }
        let distance = self.distance.as_ref()?;
        let (block, at) = (slot / TableFile::DISTANCES, (slot % TableFile::DISTANCES) as usize);
        let codes = recent.get(distance.subject().sector, block, || distance.distances(block));
        self.sound(distance, codes)?.get(at).map(|code| code.value())
    }

    /// The result, if the table is sound there; otherwise the first fault is kept to be reported.
    #[inline]
    fn sound<T>(&self, table: &TableFile, result: Result<T, Fault>) -> Option<T> {
        if let Err(fault) = &result {
            self.fault.get_or_init(|| {
                format!("tablebase {}: {fault}; not used there, 'tablebase build' repairs it", table.name())
            });
        }
        result.ok()
    }

    /// What is wrong with the tables, if it has not been reported yet.
    pub(super) fn new_fault(&self) -> Option<String> {
        let fault = self.fault.get()?;
        (!self.fault_reported.swap(true, Relaxed)).then(|| fault.clone())
    }

    #[inline]
    pub(super) fn verdict(&self, slot: u64) -> Option<Verdict> {
        if let Some(wdl) = &self.wdl {
            return self.sound(wdl, wdl.verdict(slot));
        }
        Some(self.codes()?.value(slot as usize).verdict())
    }

    /// The decompressed distances, if there are no results and the sector is small.
    #[inline]
    pub(super) fn codes(&self) -> Option<&Codes> {
        let distance = self.distance.as_ref()?;
        if self.wdl.is_some() || distance.subject().slots > MAX_DECOMPRESSED {
            return None;
        }
        self.codes.get_or_init(|| self.sound(distance, distance.codes())).as_ref()
    }
}
