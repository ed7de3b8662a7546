//! The interface to an engine: sessions with line-based input and output.

use super::{EngineLimits, Queue};
use std::error::Error;
use std::io::Write;
use std::sync::Arc;

/// The engine that serves clients.
pub trait Engine: Send + Sync {
    /// Creates a session within these limits, which is not running yet. It writes its output to `out`, and flushes
    /// after each complete part. Its searches take turns in the queue.
    fn session(&self, limits: &EngineLimits, queue: &Arc<Queue>, out: Box<dyn Write + Send>) -> Session;
}

/// A session that is not running yet.
pub struct Session {
    /// Input of its lines.
    pub input: Box<dyn Input>,
    /// Runs it to its end, however long that takes.
    pub run: Run,
}

/// Runs a session; returns an error if it could not start.
pub type Run = Box<dyn FnOnce() -> Result<(), Box<dyn Error>> + Send>;

/// The input of a session that runs on another thread.
pub trait Input: Send + Sync {
    /// Offers a line without waiting for room.
    fn offer(&self, line: &str) -> Offered;

    /// Closes the session: its output is no longer read, and it ends soon.
    fn close(&self);
}

/// The result of offering a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Offered {
    /// The session has accepted the line.
    Taken,
    /// There is no room now.
    Full,
    /// The session has ended.
    Ended,
}
