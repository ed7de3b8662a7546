//! The server, whose clients use sessions of the protocol.

pub use millbrain_server::*;

use crate::protocol::{self, Bounds, Event, Files, Output, Runner, Settings, Work, drive, events_of, list_of};
use session::{Engine, Input, Offered};
use std::io::Write;
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, TrySendError};
use std::time::Duration;

/// Minimum sleep of a search for a note, together with a tenth of its time.
const NOTABLE_SLEEP: Duration = Duration::from_millis(50);

/// Starts the server.
///
/// # Errors
/// An unavailable address, or a file that cannot be read.
pub fn start(config: Config) -> Result<Server, ServeError> {
    Server::start(config, Arc::new(Sessions))
}

/// Starts the server on a listening socket.
///
/// # Errors
/// A socket of another kind, or a file that cannot be read.
pub fn start_on(listener: TcpListener, config: Config) -> Result<Server, ServeError> {
    Server::start_on(listener, config, Arc::new(Sessions))
}

/// The engine of the server: sessions of the protocol.
struct Sessions;

impl Engine for Sessions {
    fn session(&self, limits: &EngineLimits, queue: &Arc<Queue>, out: Box<dyn Write + Send>) -> session::Session {
        let out = Arc::new(Output::new(out));
        let (events, inbox) = events_of(&out);
        let (settings, bounds) = (settings_of(limits), bounds_of(limits));
        let input = Socket { out: Arc::clone(&out), events: events.clone() };
        let queue = Arc::clone(queue);
        let turns: Runner = Arc::new(move |work| in_turns(&queue, work));
        let run = move || {
            let mut session = protocol::Session::within(out, settings, bounds)?;
            drive(&mut session, &inbox, &events, &turns);
            Ok(())
        };
        session::Session { input: Box::new(input), run: Box::new(run) }
    }
}

/// Runs a job in turns with those of all other sessions; returns its last words, preceded by a note on its sleep.
fn in_turns(queue: &Queue, work: Work) -> String {
    let control = Arc::clone(work.control());
    let last_words = queue.run(&control, work.threads(), || work.run());
    let (time, slept) = (control.elapsed(), control.slept());
    if slept < NOTABLE_SLEEP.max(time / 10) {
        return last_words;
    }
    let searched = time.saturating_sub(slept).as_millis();
    format!("info string searched {searched} of {} ms: others share the processors\n{last_words}", time.as_millis())
}

/// The input of a session, and its output, which is notified of its end.
struct Socket {
    out: Arc<Output>,
    events: SyncSender<Event>,
}

impl Input for Socket {
    fn offer(&self, line: &str) -> Offered {
        let event = if line.len() > MAX_LINE { Event::TooLong } else { Event::Line(line.to_string()) };
        match self.events.try_send(event) {
            Ok(()) => Offered::Taken,
            Err(TrySendError::Full(_)) => Offered::Full,
            Err(TrySendError::Disconnected(_)) => Offered::Ended,
        }
    }

    fn close(&self) {
        self.out.close();
    }
}

/// Returns the bounds of a session.
fn bounds_of(limits: &EngineLimits) -> Bounds {
    Bounds {
        threads: limits.threads.into(),
        hash: limits.hash_each().into(),
        files: Files::None,
        line: MAX_LINE as u64,
        queue: MAX_QUEUE,
    }
}

/// Returns the initial settings of a session.
fn settings_of(limits: &EngineLimits) -> Settings {
    Settings { tablebase_path: list_of(&limits.tablebases), ..Settings::default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    #[test]
    fn sessions_are_bounded_from_the_start() {
        let tablebases = ["/a", "https://example.org:8/a.mbt", "/b"].map(PathBuf::from).to_vec();
        let limits = EngineLimits { tablebases, ..Default::default() };
        let sources = settings_of(&limits).sources();
        assert_eq!(sources.folders, ["/a", "/b"].map(PathBuf::from));
        assert_eq!(sources.files, ["https://example.org:8/a.mbt"]);
        let bounds = bounds_of(&limits);
        assert_eq!((bounds.threads, bounds.hash, bounds.files), (1, 64, Files::None));
    }
}
