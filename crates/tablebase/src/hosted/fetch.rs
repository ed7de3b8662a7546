//! Fetches pages from a host by HTTP range requests.

use super::disk::{Disk, folder};
use super::{GAP, Hosted, PAGE, runs};
use crate::probe::background::in_background;
use std::io::Read;
use std::ops::Range;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;
use ureq::Agent;
use ureq::http::{Response, StatusCode};

/// The number of requests at a time.
const REQUESTS: usize = 8;
/// The longest useful response time.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Keeps connections open from one probe to the next.
static AGENT: LazyLock<Agent> = LazyLock::new(|| {
    let config = Agent::config_builder().timeout_global(Some(TIMEOUT)).max_idle_connections_per_host(REQUESTS);
    config.http_status_as_error(false).build().into()
});

/// The version of the file on the host whose pages are in memory.
pub(super) struct Origin {
    version: Version,
    disk: Option<Arc<Disk>>,
}

/// What the host says of a version of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Version {
    length: u64,
    /// Its ETag, or else the time of its last change.
    tag: Option<String>,
}

/// A part of the file.
struct Part {
    version: Version,
    from: u64,
    bytes: Vec<u8>,
}

/// The reason why a part has not arrived.
enum Fault {
    /// The host has another version by now.
    Replaced,
    Other(String),
}

impl From<String> for Fault {
    fn from(words: String) -> Fault {
        Fault::Other(words)
    }
}

impl Hosted {
    /// Fetches what reads have missed, while `wait` returns that there is time; returns whether anything has arrived.
    /// What arrives later is there for the next read.
    pub(crate) fn fetch(self: &Arc<Self>, wait: &dyn Fn() -> bool) -> bool {
        let wanted = self.wanted();
        if wanted.is_empty() {
            return false;
        }
        let file = Arc::clone(self);
        let has_arrived = move || {
            let mut fetched = file.fetch_all(&wanted);
            if matches!(fetched, Err(Fault::Replaced)) {
                file.renew();
                fetched = file.fetch_all(&file.wanted());
            }
            match fetched {
                Ok(()) => return true,
                Err(Fault::Replaced) => file.lack("replaced again and again, expected one file"),
                Err(Fault::Other(words)) => file.lack(&words),
            }
            false
        };
        match in_background(has_arrived, wait) {
            Ok(arrived) => arrived.unwrap_or(false),
            Err(error) => {
                self.lack(&error.to_string());
                false
            }
        }
    }

    fn origin(&self) -> MutexGuard<'_, Option<Origin>> {
        self.origin.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn forget_origin(&self) {
        if let Some(disk) = self.origin().take().and_then(|origin| origin.disk) {
            disk.clear();
        }
    }

    /// Adds these ranges of bytes from disk or from the host.
    fn fetch_all(&self, wanted: &[Range<u64>]) -> Result<(), Fault> {
        let disk = self.origin().as_ref().and_then(|origin| origin.disk.clone());
        let absent = match &disk {
            Some(disk) => self.without_those_on(disk, wanted)?,
            None => wanted.to_vec(),
        };
        let open = Mutex::new(absent.into_iter());
        let fetch_some = || {
            loop {
                let next = open.lock().unwrap_or_else(PoisonError::into_inner).next();
                let Some(range) = next else { return Ok(()) };
                self.add(get(&self.address, range)?)?;
            }
        };
        let threads = open.lock().map_or(0, |open| open.len()).min(REQUESTS);
        thread::scope(|scope| {
            let others: Vec<_> = (1..threads).map(|_| scope.spawn(fetch_some)).collect();
            let results = std::iter::once(fetch_some()).chain(others.into_iter().filter_map(|other| other.join().ok()));
            results.collect()
        })
    }

    /// Adds the pages of these ranges that are on disk; returns the ranges of the others.
    fn without_those_on(&self, disk: &Disk, wanted: &[Range<u64>]) -> Result<Vec<Range<u64>>, Fault> {
        let Ok(length) = self.length() else { return Ok(wanted.to_vec()) };
        let mut absent = Vec::new();
        for page in wanted.iter().flat_map(|range| range.start / PAGE..range.end.div_ceil(PAGE)) {
            match disk.read(page, PAGE.min(length - page * PAGE) as usize) {
                Some(bytes) => self.supply(page * PAGE, length, &bytes)?,
                None => absent.push(page),
            }
        }
        let runs = runs(absent.into_iter(), GAP).into_iter();
        Ok(runs.map(|run| run.start * PAGE..(run.end * PAGE).min(length)).collect())
    }

    /// Adds a part that has arrived, to the disk as well.
    fn add(&self, part: Part) -> Result<(), Fault> {
        let mut origin = self.origin();
        let known = origin.get_or_insert_with(|| {
            let version = part.version.clone();
            // Without a tag another version of the same length looks the same.
            let tag = version.tag.as_deref().map(|tag| format!("{} {tag}", version.length));
            let opened = tag.and_then(|tag| Some(Disk::open(&folder()?, &self.address, &tag)));
            let disk = opened.and_then(|disk| disk.inspect_err(|error| log::warn!("no cache on disk: {error}")).ok());
            Origin { version, disk: disk.map(Arc::new) }
        });
        if known.version != part.version {
            return Err(Fault::Replaced);
        }
        let disk = known.disk.clone();
        drop(origin);
        self.supply(part.from, part.version.length, &part.bytes)?;
        if let Some(disk) = disk {
            for (page, bytes) in (part.from / PAGE..).zip(part.bytes.chunks(PAGE as usize)) {
                disk.write(page, bytes);
            }
        }
        Ok(())
    }
}

/// Requests a range of bytes; the file may end before its end.
fn get(address: &str, range: Range<u64>) -> Result<Part, Fault> {
    let words = |error: &dyn std::fmt::Display| Fault::from(error.to_string());
    let bytes = format!("bytes={}-{}", range.start, range.end - 1);
    // A part of a packed file is of no use.
    let request = AGENT.get(address).header("Range", bytes).header("Accept-Encoding", "identity");
    let mut response = request.call().map_err(|error| words(&error))?;
    match response.status() {
        StatusCode::PARTIAL_CONTENT => {}
        StatusCode::OK => {
            return Err("the host sends the whole file, expected a range of its bytes".to_string().into());
        }
        // It is shorter than it was.
        StatusCode::RANGE_NOT_SATISFIABLE if range.start > 0 => return Err(Fault::Replaced),
        status => return Err(format!("http status: {status}").into()),
    }
    let header = |name| response.headers().get(name).and_then(|value| value.to_str().ok());
    let length = header("content-range").and_then(|text| length_of(text, range.start));
    let length = length.filter(|_| header("content-encoding").is_none_or(|encoding| encoding == "identity"));
    let length = length.ok_or_else(|| "another range of bytes than asked for".to_string())?;
    let tag = header("etag").or_else(|| header("last-modified")).map(str::to_string);
    let size = range.end.min(length) - range.start;
    let bytes = read_body(&mut response, size).map_err(|error| words(&error))?;
    Ok(Part { version: Version { length, tag }, from: range.start, bytes })
}

/// Returns the length of the file from `bytes FROM-TO/LENGTH`, if the part begins there.
fn length_of(content_range: &str, from: u64) -> Option<u64> {
    let (range, length) = content_range.strip_prefix("bytes ")?.split_once('/')?;
    let length = length.parse().ok()?;
    (range.split('-').next()?.parse() == Ok(from) && length > from).then_some(length)
}

fn read_body(response: &mut Response<ureq::Body>, size: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = vec![0; size as usize];
    response.body_mut().as_reader().read_exact(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_those_of_the_range_that_was_asked_for() {
        assert_eq!(length_of("bytes 0-9/500000000", 0), Some(500_000_000));
        assert_eq!(length_of("bytes 5-9/10", 5), Some(10));
        for wrong in ["bytes 0-9/*", "bytes 5-9/10", "bytes */10", "0-9/10", "bytes 0-9/", ""] {
            assert_eq!(length_of(wrong, 0), None, "{wrong}");
        }
    }
}
