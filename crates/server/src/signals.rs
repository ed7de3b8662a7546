//! Waits for the user to end the program.

use std::io;
use tokio::runtime::Builder;

/// Waits for a request to end the process: Ctrl+C, or SIGTERM where it exists.
///
/// # Errors
/// When the signals cannot be awaited.
pub fn until_signal() -> io::Result<()> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        #[cfg(unix)]
        {
            use tokio::signal::unix::{SignalKind, signal};
            let mut terminate = signal(SignalKind::terminate())?;
            tokio::select! {
                interrupted = tokio::signal::ctrl_c() => interrupted,
                _ = terminate.recv() => Ok(()),
            }
        }
        #[cfg(not(unix))]
        tokio::signal::ctrl_c().await
    })
}
