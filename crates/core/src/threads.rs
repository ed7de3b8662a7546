//! Thread pools for divided work.

use crate::platform::has_memory_for;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::io;

/// The error for threads that cannot be started.
#[derive(Debug, thiserror::Error)]
#[error("no {threads} threads ({source}), expected fewer --threads")]
pub struct NoThreads {
    threads: usize,
    source: io::Error,
}

/// Starts a pool of `threads` threads, or one for each core if 0.
///
/// # Errors
/// Fails if the system has no more threads, or no memory for them: one that begins without would end the process.
pub fn pool(threads: usize) -> Result<ThreadPool, NoThreads> {
    let threads = if threads > 0 { threads } else { std::thread::available_parallelism().map_or(1, usize::from) };
    let refused = |source| NoThreads { threads, source };
    if !has_memory_for(threads) {
        return Err(refused(io::ErrorKind::OutOfMemory.into()));
    }
    ThreadPoolBuilder::new().num_threads(threads).build().map_err(|error| refused(io::Error::other(error)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_threads_are_started_as_are_asked_for() {
        assert_eq!(pool(3).map(|pool| pool.current_num_threads()).ok(), Some(3));
        assert!(pool(0).is_ok_and(|pool| pool.current_num_threads() > 0));
        let refused = pool(usize::MAX).err().map(|error| error.to_string());
        assert!(refused.is_some_and(|words| words.ends_with("expected fewer --threads")));
    }
}
