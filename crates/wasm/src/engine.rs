//! A session and its host.

use crate::network_file;
use millbrain::any;
use millbrain::network::NetworkError;
use millbrain::platform::Instant;
use millbrain::protocol::{Bounds, Files, Output, Session, SessionError, Settings};
use millbrain::search::{Pulse, strength};
use millbrain::tablebase;
use millbrain::tablebase::hosted::Hosted;
use millbrain::variant::{Ruleset, Variant};
use std::collections::BTreeSet;
use std::io::{self, Write};
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Interval at which a search checks for messages: short enough for an answer within two frames of a screen, and long
/// enough to cost nothing.
const PULSE_INTERVAL: Duration = Duration::from_millis(8);

/// The functions that the host provides.
#[derive(Clone, Copy)]
pub struct Host {
    /// Receives a piece of the output: several lines, or part of one.
    pub emit: fn(&[u8]),
    /// Lets the host pass waiting lines; `true` while the search waits for one.
    pub pulse: fn(bool),
}

/// Why a file cannot be installed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InstallError {
    /// Not the network of these rules.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// Not a small table or a pack of these rules.
    #[error(transparent)]
    Table(#[from] tablebase::InstallError),
}

/// Returns a file on a host that is in use.
fn hosted(address: &str) -> Option<Arc<Hosted>> {
    Hosted::all().into_iter().find(|file| file.address() == address)
}

/// Whether a file is a carry pack, by its name.
fn is_pack(file: &str) -> bool {
    Path::new(file).extension().is_some_and(|extension| extension == tablebase::pack::EXTENSION)
}

/// The output of the session.
struct Emitter(fn(&[u8]));

impl Write for Emitter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        (self.0)(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A session on one thread.
pub struct Engine {
    session: Mutex<Session>,
    host: Host,
    /// Whether a benchmark was requested, which needs the networks of all variants.
    bench_asked: AtomicBool,
}

impl Engine {
    /// Creates a session with at most `threads` threads.
    ///
    /// # Errors
    /// When there is no memory for the smallest hash table.
    pub fn new(host: Host, threads: u64) -> Result<Engine, SessionError> {
        let out = Arc::new(Output::new(Box::new(Emitter(host.emit))));
        // There are no files but those that the host fetches, and at most a few gigabytes of memory.
        let bounds = Bounds { threads, hash: 1024, files: Files::Hosted, ..Bounds::default() };
        let session = Session::within(out, Settings::default(), bounds)?;
        Ok(Engine { session: Mutex::new(session), host, bench_asked: AtomicBool::new(false) })
    }

    fn session(&self) -> MutexGuard<'_, Session> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Handles a line, possibly within a pulse.
    pub fn line(&self, line: &str) {
        if line.split_whitespace().next() == Some("bench") {
            self.bench_asked.store(true, Ordering::Relaxed);
        }
        self.session().line(line);
    }

    /// Ends the input.
    pub fn end_of_input(&self) {
        self.session().end_of_input();
    }

    /// Runs the started job to its end; returns `false` if there is none.
    pub fn run(&self) -> bool {
        let Some(work) = self.session().take_work() else { return false };
        let (pulse, last) = (self.host.pulse, Mutex::new(Instant::now()));
        work.control().on_pulse(move |doing| {
            let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
            if doing == Pulse::Waiting || last.elapsed() >= PULSE_INTERVAL {
                pulse(doing == Pulse::Waiting);
                *last = Instant::now();
            }
        });
        let last_words = work.run();
        self.session().job_done(&last_words);
        true
    }

    /// Whether the session is over.
    pub fn is_finished(&self) -> bool {
        self.session().is_finished()
    }

    /// Returns the missing files for the next command: networks (`NAME.net`) and, at full strength and if the options
    /// use them, small tables; while stones are in hand also packs.
    pub fn missing(&self) -> Vec<String> {
        let session = self.session();
        let rules = session.settings().rules;
        let mut files: Vec<String> = if self.bench_asked.load(Ordering::Relaxed) {
            let names = Variant::ALL.iter().filter_map(|variant| any::missing_network(variant.rules()));
            names.map(network_file).collect::<BTreeSet<String>>().into_iter().collect()
        } else {
            any::missing_network(rules).map(network_file).into_iter().collect()
        };
        if session.settings().tablebase_embedded && session.settings().level() == strength::FULL {
            let is_placing = session.game().hands().unwrap_or_default().into_iter().any(|hand| hand > 0);
            let tables = tablebase::missing_tables(rules).into_iter();
            files.extend(tables.filter(|file| is_placing || !is_pack(file)).map(str::to_string));
        }
        files
    }

    /// Installs one of the missing files.
    ///
    /// # Errors
    /// When these bytes are not that file.
    pub fn install(&self, file: &str, bytes: Vec<u8>) -> Result<(), InstallError> {
        let mut session = self.session();
        let rules = session.settings().rules;
        let is_its_network = |rules: &Ruleset| any::missing_network(*rules).map(network_file).as_deref() == Some(file);
        if let Some(rules) = Variant::ALL.map(Variant::rules).into_iter().chain([rules]).find(is_its_network) {
            any::install_network(rules, &bytes)?;
        } else {
            tablebase::install_table(rules, file, bytes)?;
            session.reopen_tables();
        }
        Ok(())
    }

    /// Returns the bytes that the position needs of files on hosts, a line for each range: `FROM LENGTH ADDRESS`. More
    /// may be needed when these have been passed to [`supply`](Engine::supply). A search below full strength needs
    /// none.
    pub fn wanted(&self, search: bool) -> Vec<String> {
        let session = self.session();
        let settings = session.settings();
        if settings.tablebase_path.is_empty() || search && settings.level() != strength::FULL {
            return Vec::new();
        }
        let mut game = session.game().clone();
        game.ask_oracle(&|| true);
        let ranges = |file: &Arc<Hosted>| {
            let line = |bytes: Range<u64>| format!("{} {} {}", bytes.start, bytes.end - bytes.start, file.address());
            file.wanted().into_iter().map(line).collect::<Vec<_>>()
        };
        Hosted::all().iter().flat_map(ranges).collect()
    }

    /// Passes bytes of a file on a host. The first line of the input is `FROM TOTAL ADDRESS`, with the length of the
    /// file.
    ///
    /// # Errors
    /// When they cannot be bytes of that file.
    pub fn supply(&self, head: &str, bytes: &[u8]) -> Result<(), String> {
        let wrong = || format!("{head:?}, expected FROM TOTAL ADDRESS of a file in use");
        let mut words = head.splitn(3, ' ');
        let mut number = || words.next().and_then(|word| word.parse().ok());
        let (from, total) = (number().ok_or_else(wrong)?, number().ok_or_else(wrong)?);
        let file = words.next().and_then(hosted).ok_or_else(wrong)?;
        file.supply(from, total, bytes)
    }

    /// Notes that a file on a host cannot be read, and why.
    pub fn lack(&self, address: &str, reason: &str) {
        if let Some(file) = hosted(address) {
            file.lack(reason);
        }
    }

    /// Drops what is known of a file on a host, which has another version of it.
    pub fn renew(&self, address: &str) {
        if let Some(file) = hosted(address) {
            file.renew();
        }
    }

    /// Returns the number of pieces on the board and in hand.
    pub fn men(&self) -> usize {
        let session = self.session();
        let game = session.game();
        game.pieces().len() + game.hands().unwrap_or_default().into_iter().sum::<u32>() as usize
    }
}
