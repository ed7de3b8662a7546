//! Waiting for the user to end the program.

use std::io;
use tokio::runtime::Builder;

/// Waits until the process is asked to end: by Ctrl+C, or by SIGTERM where there is one.
///
/// # Errors
/// When it cannot be asked.
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
