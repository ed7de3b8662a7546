//! What the server asks of an engine: sessions that take lines and say lines.

use super::{EngineLimits, Queue};
use std::error::Error;
use std::io::Write;
use std::sync::Arc;

/// The engine that clients speak with.
pub trait Engine: Send + Sync {
    /// A session within these limits, which is still to be run. It writes what it says to `out`, and flushes it after
    /// each piece that belongs together. It searches by turns, as the queue has it.
    fn session(&self, limits: &EngineLimits, queue: &Arc<Queue>, out: Box<dyn Write + Send>) -> Session;
}

/// A session that is still to be run.
pub struct Session {
    /// Where its lines go in.
    pub input: Box<dyn Input>,
    /// Runs it to its end, however long that takes.
    pub run: Run,
}

/// Runs a session; an error if it could not begin.
pub type Run = Box<dyn FnOnce() -> Result<(), Box<dyn Error>> + Send>;

/// The input of a session that another thread runs.
pub trait Input: Send + Sync {
    /// Offers a line, and does not wait for room.
    fn offer(&self, line: &str) -> Offered;

    /// Nobody hears the session any more: it ends soon.
    fn close(&self);
}

/// What has become of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Offered {
    /// The session has it.
    Taken,
    /// There is no room for it now.
    Full,
    /// The session has ended.
    Ended,
}
