//! Differences between systems: the clock, threads, hints to the processor and the system for large arrays that are
//! read in random order, and the memory of the machine.

mod memory;

use std::thread::available_parallelism;

pub use memory::{available_memory, total_memory};

/// A moment on a clock that never goes back. WebAssembly has none of its own: the host has to install one.
#[cfg(target_family = "wasm")]
pub use host_clock::{Instant, install_clock};
/// A moment on a clock that never goes back.
#[cfg(not(target_family = "wasm"))]
pub use std::time::Instant;

#[cfg(target_family = "wasm")]
mod host_clock {
    use std::sync::OnceLock;
    use std::time::Duration;

    static CLOCK: OnceLock<fn() -> Duration> = OnceLock::new();

    /// A moment on the clock of the host.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
    pub struct Instant(Duration);

    impl Instant {
        /// Returns this moment; without a clock it is always the same.
        pub fn now() -> Instant {
            Instant(CLOCK.get().map_or(Duration::ZERO, |clock| clock()))
        }

        /// Returns the time since then.
        pub fn elapsed(&self) -> Duration {
            Instant::now().0.saturating_sub(self.0)
        }
    }

    /// Sets the clock: the time since any fixed moment, which never goes back. Only the first call counts.
    pub fn install_clock(clock: fn() -> Duration) {
        let _ = CLOCK.set(clock);
    }
}

/// The body of a thread.
pub type Body = Box<dyn FnOnce() + Send>;

#[cfg(not(target_family = "wasm"))]
mod threads {
    use super::Body;
    use std::io;
    use std::process;
    use std::thread::{Builder, JoinHandle};

    /// A thread that has been started.
    pub struct Thread {
        handle: JoinHandle<()>,
        process: u32,
    }

    impl Thread {
        /// Waits for its end, if it belongs to this process. A panic has been reported where it happened.
        pub fn join(self) {
            if self.is_here() {
                let _ = self.handle.join();
            } else {
                // The handle cannot even be dropped: there is nothing behind it.
                std::mem::forget(self.handle);
            }
        }

        /// Returns whether it is a thread of this process, and not of one that this has been forked from.
        pub fn is_here(&self) -> bool {
            self.process == process::id()
        }
    }

    /// Starts a thread with a stack of `stack` bytes.
    ///
    /// # Errors
    /// Fails if the system refuses.
    pub fn spawn(name: String, stack: usize, body: Body) -> io::Result<Thread> {
        let handle = Builder::new().name(name).stack_size(stack).spawn(body)?;
        Ok(Thread { handle, process: process::id() })
    }
}

#[cfg(target_family = "wasm")]
mod threads {
    use super::Body;
    use std::io::{self, ErrorKind};
    use std::sync::OnceLock;

    static SPAWNER: OnceLock<fn(usize, Body) -> bool> = OnceLock::new();

    /// A thread requested from the host. It may begin much later, and cannot be waited for.
    pub struct Thread(());

    impl Thread {
        /// Does not wait: the host ends it when its work is done.
        pub fn join(self) {}

        /// Returns true: there are no other processes.
        pub const fn is_here(&self) -> bool {
            true
        }
    }

    /// Requests a thread from the host, with a stack of `stack` bytes.
    ///
    /// # Errors
    /// Fails if the host has none.
    pub fn spawn(_: String, stack: usize, body: Body) -> io::Result<Thread> {
        let given = SPAWNER.get().is_some_and(|spawner| spawner(stack, body));
        if given { Ok(Thread(())) } else { Err(ErrorKind::Unsupported.into()) }
    }

    /// Sets the function that starts threads, given the bytes of their stack and their body. Only the first call
    /// counts.
    pub fn install_spawner(spawner: fn(usize, Body) -> bool) {
        let _ = SPAWNER.set(spawner);
    }
}

#[cfg(target_family = "wasm")]
pub use threads::install_spawner;
pub use threads::{Thread, spawn};

/// Stack of a search thread: a few hundred nested nodes.
pub(crate) const STACK_BYTES: usize = 4 << 20;
/// Memory of a thread that searches or computes: its stack and its workspace, with room to spare.
const BYTES_PER_THREAD: usize = 2 * STACK_BYTES;

/// Address space that the C library sets aside for a thread that allocates, for eight threads a processor at most.
const ARENA_BYTES: usize = if cfg!(all(target_env = "gnu", target_pointer_width = "64")) { 64 << 20 } else { 0 };

/// Returns the memory that further threads may take, whatever they compute.
pub fn memory_of(threads: usize) -> usize {
    let arenas = 8 * available_parallelism().map_or(1, usize::from);
    threads.saturating_mul(BYTES_PER_THREAD).saturating_add(threads.min(arenas) * ARENA_BYTES)
}

/// Returns whether there is memory for further threads. One that begins without memory ends the process.
pub fn has_memory_for(threads: usize) -> bool {
    // Reserved and freed untouched, as a test: memory for everything else must be left afterwards.
    Vec::<u8>::new().try_reserve_exact(memory_of(threads)).is_ok()
}

/// Whether a thread begins without the help of the one that started it, which may then wait for it.
pub const THREADS_BEGIN_BY_THEMSELVES: bool = cfg!(not(target_family = "wasm"));

/// Whether [`prefetch`] does anything here.
pub(crate) const PREFETCHES: bool = cfg!(all(target_arch = "x86_64", not(miri)));

/// Prefetches an object that will be read soon.
#[inline(always)]
#[cfg_attr(
    all(target_arch = "x86_64", not(miri)),
    expect(unsafe_code, reason = "there is no safe prefetch instruction")
)]
pub fn prefetch<T>(object: &T) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: a prefetch of any address affects only the cache, and this one is of a live object. Without it a third of
    // the search's time is spent waiting for the hash table (see docs/measurements.md).
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(object).cast());
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = object;
}

/// Requests large pages before the memory is touched: random reads then miss the address cache far less often.
#[cfg(all(target_os = "linux", not(miri)))]
#[expect(unsafe_code, reason = "the system call has no safe form; it is worth a tenth of the search speed")]
pub fn advise_huge_pages<T>(untouched: &[T]) {
    const HUGE_PAGE: usize = 2 << 20;
    let Some(start) = untouched.as_ptr().addr().checked_next_multiple_of(HUGE_PAGE) else { return };
    let end = untouched.as_ptr().addr() + size_of_val(untouched);
    if start < end {
        // SAFETY: the range lies within the allocation of `untouched`, starts on a page, and this advice changes
        // neither contents nor validity of the memory.
        unsafe { libc::madvise(start as *mut libc::c_void, end - start, libc::MADV_HUGEPAGE) };
    }
}

/// Does nothing: the system has no such request.
#[cfg(not(all(target_os = "linux", not(miri))))]
pub fn advise_huge_pages<T>(_: &[T]) {}
