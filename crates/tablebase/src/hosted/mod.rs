//! Files on static hosts, of which only the pages that are needed are fetched.
//!
//! [`Hosted`] has the pages that have arrived. Reading others fails with [`Fault::Absent`], and notes them as wanted.
//! The reader then waits for them: the program fetches them itself (feature `remote`), and a page in a browser passes
//! them to the module that it runs. Three rounds answer a probe, however many positions it looks up: the list of
//! sections, then models and indices, then blocks.
//!
//! Pages of two versions of a file are never mixed: the tags of the host are compared, and
//! [`renew`](Hosted::renew) drops all pages of the older one. The checksums of models and blocks find what tags do not.

#[cfg(feature = "remote")]
mod disk;
#[cfg(feature = "remote")]
mod fetch;

use crate::format::Fault;
use millbrain_core::platform::Instant;
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

/// The bytes of a page. A probe needs one to four blocks of a row, a quarter of a kilobyte each.
pub const PAGE: u64 = 1 << 10;
/// The bytes that are fetched first: the header and the list of sections of the largest file.
const BEGINNING: u64 = 64 << 10;
/// Wanted pages this near to each other are fetched together, with those between: a request takes as long as they do.
const GAP: u64 = 8;
/// The number of pages in memory: 64 MiB.
const KEPT: usize = 64 << 10;
/// The pause after a host has failed.
const PAUSE: Duration = Duration::from_secs(10);

/// A file on a static host.
pub struct Hosted {
    address: String,
    state: Mutex<State>,
    #[cfg(feature = "remote")]
    origin: Mutex<Option<fetch::Origin>>,
}

#[derive(Default)]
struct State {
    /// The length of the file in bytes; `None` until its beginning has arrived.
    length: Option<u64>,
    pages: HashMap<u64, Box<[u8]>>,
    /// The pages in the order in which they arrived.
    arrived: VecDeque<u64>,
    /// The pages that reads have missed.
    wanted: BTreeSet<u64>,
    /// The number of versions before this one.
    version: u32,
    /// A fault that has not been reported yet.
    fault: Option<String>,
    /// When the host last failed.
    failed: Option<Instant>,
}

impl State {
    fn want(&mut self, bytes: Range<u64>) -> Fault {
        self.wanted.extend(bytes.start / PAGE..bytes.end.div_ceil(PAGE));
        Fault::Absent
    }
}

/// The files in use.
static ALL: Mutex<Vec<Weak<Hosted>>> = Mutex::new(Vec::new());

impl Hosted {
    /// Returns the file at an address; all its readers share its pages.
    pub(crate) fn at(address: &str) -> Arc<Hosted> {
        let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|file| file.strong_count() > 0);
        let known = all.iter().filter_map(Weak::upgrade).find(|file| file.address == address);
        known.unwrap_or_else(|| {
            let new = Arc::new(Hosted {
                address: address.to_string(),
                state: Mutex::default(),
                #[cfg(feature = "remote")]
                origin: Mutex::default(),
            });
            all.push(Arc::downgrade(&new));
            new
        })
    }

    /// Returns the files in use.
    pub fn all() -> Vec<Arc<Hosted>> {
        ALL.lock().unwrap_or_else(PoisonError::into_inner).iter().filter_map(Weak::upgrade).collect()
    }

    /// Returns the address.
    pub fn address(&self) -> &str {
        &self.address
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the length in bytes.
    pub(crate) fn length(&self) -> Result<u64, Fault> {
        let mut state = self.state();
        state.length.ok_or_else(|| state.want(0..BEGINNING))
    }

    /// Fills a buffer with the bytes from an offset on.
    pub(crate) fn read(&self, buffer: &mut [u8], offset: u64) -> Result<(), Fault> {
        let length = self.length()?;
        let mut state = self.state();
        let end = offset.checked_add(buffer.len() as u64).filter(|end| *end <= length).ok_or(Fault::CutShort)?;
        let mut at = offset;
        while at < end {
            let (page, from) = (at / PAGE, (at % PAGE) as usize);
            let Some(bytes) = state.pages.get(&page) else { return Err(state.want(at..end)) };
            let to = bytes.len().min(from + (end - at) as usize);
            let begin = (at - offset) as usize;
            buffer[begin..begin + to - from].copy_from_slice(&bytes[from..to]);
            at += (to - from) as u64;
        }
        Ok(())
    }

    /// Returns the ranges of bytes that reads have missed, and forgets them: those still needed are missed again.
    /// There are none for ten seconds after a [fault](Hosted::lack).
    pub fn wanted(&self) -> Vec<Range<u64>> {
        let mut state = self.state();
        let wanted = std::mem::take(&mut state.wanted);
        if state.failed.is_some_and(|failed| failed.elapsed() < PAUSE) {
            return Vec::new();
        }
        let length = state.length.unwrap_or(BEGINNING);
        let absent = wanted.into_iter().filter(|page| !state.pages.contains_key(page));
        runs(absent, GAP).into_iter().map(|run| run.start * PAGE..(run.end * PAGE).min(length)).collect()
    }

    /// Adds bytes that have arrived, from an offset that begins a page, of a file of `length` bytes. Those of a page
    /// that is not whole are ignored.
    ///
    /// # Errors
    /// Fails if they are not such bytes; nothing is added then.
    pub fn supply(&self, from: u64, length: u64, bytes: &[u8]) -> Result<(), String> {
        let mut state = self.state();
        let is_within = from.checked_add(bytes.len() as u64).is_some_and(|end| end <= length);
        if !from.is_multiple_of(PAGE) || !is_within || state.length.is_some_and(|known| known != length) {
            return Err(format!("{} bytes from {from} on of {length}, expected pages of the file", bytes.len()));
        }
        state.length = Some(length);
        for (page, bytes) in (from / PAGE..).zip(bytes.chunks(PAGE as usize)) {
            if bytes.len() as u64 == PAGE.min(length - page * PAGE) && state.pages.insert(page, bytes.into()).is_none()
            {
                state.arrived.push_back(page);
            }
        }
        while state.arrived.len() > KEPT {
            let oldest = state.arrived.pop_front();
            oldest.map(|page| state.pages.remove(&page));
        }
        Ok(())
    }

    /// Drops all pages, since the host has another version of the file.
    pub fn renew(&self) {
        let mut state = self.state();
        let version = state.version.wrapping_add(1);
        *state = State { version, fault: state.fault.take(), failed: state.failed, ..State::default() };
        state.want(0..BEGINNING);
        #[cfg(feature = "remote")]
        self.forget_origin();
    }

    /// Returns the number of versions that were dropped.
    pub(crate) fn version(&self) -> u32 {
        self.state().version
    }

    /// Notes that the file cannot be read now, and why.
    pub fn lack(&self, reason: &str) {
        let mut state = self.state();
        state.fault = Some(format!("tablebase {}: {reason}; not asked for {} s", self.address, PAUSE.as_secs()));
        state.failed = Some(Instant::now());
    }

    /// Returns the fault, once.
    pub(crate) fn new_fault(&self) -> Option<String> {
        self.state().fault.take()
    }

    /// Fetches what reads have missed, while `wait` returns that there is time; returns whether anything has arrived.
    #[cfg(not(feature = "remote"))]
    pub(crate) fn fetch(self: &Arc<Self>, _: &dyn Fn() -> bool) -> bool {
        false
    }
}

/// Joins numbers that are at most `gap` apart to runs.
fn runs(numbers: impl Iterator<Item = u64>, gap: u64) -> Vec<Range<u64>> {
    let mut runs: Vec<Range<u64>> = Vec::new();
    for number in numbers {
        match runs.last_mut() {
            Some(last) if number <= last.end + gap => last.end = number + 1,
            _ => runs.push(number..number + 1),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(file: &Hosted, offset: u64, length: usize) -> Result<Vec<u8>, String> {
        let mut buffer = vec![0; length];
        file.read(&mut buffer, offset).map(|()| buffer).map_err(|fault| fault.to_string())
    }

    #[test]
    fn pages_arrive_in_any_order_and_those_between_come_along() {
        let file = Hosted::at("http://example.org/any.mbt");
        assert!(Arc::ptr_eq(&file, &Hosted::at("http://example.org/any.mbt")), "shared");
        assert!(file.wanted().is_empty());
        let absent = Fault::Absent.to_string();
        assert_eq!(read(&file, 5, 3), Err(absent.clone()));
        assert_eq!(file.wanted(), vec![0..BEGINNING]);
        let bytes: Vec<u8> = (0..20 * PAGE + 7).map(|at| (at % 251) as u8).collect();
        let length = bytes.len() as u64;
        let part = |from: u64, to: u64| &bytes[(from * PAGE) as usize..((to * PAGE) as usize).min(bytes.len())];
        file.supply(0, length, part(0, 1)).expect("pages");
        assert_eq!(read(&file, 5, 3), Ok(bytes[5..8].to_vec()));
        for (offset, size) in [(PAGE - 1, 2), (10 * PAGE, 1), (length - 1, 1), (PAGE * 3 / 2, PAGE as usize)] {
            assert_eq!(read(&file, offset, size), Err(absent.clone()), "{offset}");
        }
        assert_eq!(file.wanted(), vec![PAGE..11 * PAGE, 20 * PAGE..length]);
        assert!(file.wanted().is_empty(), "once");
        for (from, to) in [(20, 21), (1, 11)] {
            file.supply(from * PAGE, length, part(from, to)).expect("pages");
        }
        assert_eq!(read(&file, PAGE - 1, 9 * PAGE as usize), Ok(bytes[1023..1023 + 9 * 1024].to_vec()));
        assert_eq!(read(&file, length - 9, 9), Err(Fault::Absent.to_string()), "half of it is absent");
        assert_eq!(read(&file, length - 7, 7), Ok(bytes[20 * 1024..].to_vec()));
        assert_eq!(read(&file, length - 7, 8), Err(Fault::CutShort.to_string()));
        for (from, total, size) in [(1, length, 9), (0, length + 1, 9), (20 * PAGE, length, 8)] {
            assert!(file.supply(from, total, &vec![0; size]).is_err());
        }
        file.renew();
        assert_eq!(read(&file, 0, 1), Err(absent));
        assert_eq!(file.wanted(), vec![0..BEGINNING]);
    }

    #[test]
    fn a_host_that_fails_is_reported_once_and_left_alone() {
        let file = Hosted::at("http://example.org/gone.mbt");
        assert!(read(&file, 0, 1).is_err());
        file.lack("http status: 404 Not Found");
        assert!(file.wanted().is_empty());
        let fault = "tablebase http://example.org/gone.mbt: http status: 404 Not Found; not asked for 10 s";
        assert_eq!(file.new_fault().as_deref(), Some(fault));
        assert_eq!(file.new_fault(), None);
    }

    #[test]
    fn memory_is_bounded() {
        let file = Hosted::at("http://example.org/large.mbt");
        let length = (KEPT as u64 + 3) * PAGE;
        for page in 0..KEPT as u64 + 3 {
            file.supply(page * PAGE, length, &[7; PAGE as usize]).expect("a page");
        }
        assert_eq!(file.state().pages.len(), KEPT);
        assert!(read(&file, 3 * PAGE, 1).is_ok() && read(&file, 2 * PAGE, 1).is_err());
    }
}
