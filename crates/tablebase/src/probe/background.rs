//! Work of others that is waited for only while there is time.

use std::io;
use std::sync::mpsc;
use std::time::Duration;

/// The interval at which the remaining time is checked.
const POLL: Duration = Duration::from_millis(1);

/// Does work on another thread while `wait` returns that there is time; returns `None` if the time runs out. The work
/// then goes on.
///
/// # Errors
/// Fails if no thread can be started.
pub(crate) fn in_background<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
    wait: &dyn Fn() -> bool,
) -> io::Result<Option<T>> {
    let (done, is_done) = mpsc::channel();
    let work = move || {
        // The caller may no longer be waiting.
        let _ = done.send(work());
    };
    std::thread::Builder::new().name("tables".to_string()).spawn(work)?;
    while wait() {
        match is_done.recv_timeout(POLL) {
            Ok(result) => return Ok(Some(result)),
            Err(mpsc::RecvTimeoutError::Timeout) => {}
            Err(mpsc::RecvTimeoutError::Disconnected) => break,
        }
    }
    Ok(None)
}
