//! Fills rows on all cores, without the GIL; Ctrl-C stops the work.

use crate::interrupt::Watch;
use crate::memory;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::fmt::Display;
use std::iter::repeat_with;
use std::mem::forget;
use std::ops::Range;
use std::panic::resume_unwind;
use std::process::id;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, available_parallelism, scope};

/// Rows per unit of work of a thread.
const PORTION: usize = 256;
/// Rows between two checks of the clock.
const LOOK: usize = 16;
/// Rows filled before Python gets them: some milliseconds of work.
const BLOCK: usize = 1 << 14;

/// Fills rows of some width, the first of which has the number `first`.
///
/// The threads end with the work: a pool would be missing in a process that Python forks. If the system starts none,
/// the calling thread works alone.
///
/// # Errors
/// `raise` makes an exception of the first fault. Too little memory, and what a signal raises.
pub fn fill<T: Send, E: Display + Send>(
    py: Python<'_>,
    (rows, width, first): (&mut [T], usize, usize),
    raise: impl Fn(String) -> PyErr,
    make: impl Fn(usize, &mut [T]) -> Result<(), E> + Sync,
) -> PyResult<()> {
    let portions = rows.len().div_ceil(PORTION * width);
    let mut threads = 1;
    if portions > 1 {
        memory::leave_room(0)?;
        let most = available_parallelism().map_or(1, usize::from).min(portions);
        threads = (1..=most).rev().find(|threads| memory::has_room(threads - 1)).unwrap_or(1);
    }
    let waiting = Mutex::new(Some(rows.chunks_mut(PORTION * width).zip((first..).step_by(PORTION))));
    let stopped = AtomicBool::new(false);
    let end = || *waiting.lock().unwrap_or_else(PoisonError::into_inner) = None;
    let work = |look: &mut dyn FnMut() -> PyResult<()>| -> PyResult<Option<(usize, E)>> {
        loop {
            let next = waiting.lock().unwrap_or_else(PoisonError::into_inner).as_mut().and_then(Iterator::next);
            let Some((rows, first)) = next else { return Ok(None) };
            for (row, number) in rows.chunks_mut(width).zip(first..) {
                if number % LOOK == 0 {
                    if stopped.load(Ordering::Relaxed) {
                        return Ok(None);
                    }
                    look().inspect_err(|_| {
                        stopped.store(true, Ordering::Relaxed);
                        end();
                    })?;
                }
                if let Err(fault) = make(number, row) {
                    // Portions are taken in order: other threads already fill all rows before this one.
                    end();
                    return Ok(Some((number, fault)));
                }
            }
        }
    };
    let helper = || work(&mut || Ok(()));
    let found = py.detach(|| {
        scope(|scope| {
            let helpers: Vec<_> = (1..threads).map_while(|_| Builder::new().spawn_scoped(scope, helper).ok()).collect();
            let mut watch = Watch::new();
            let own = work(&mut || watch.look());
            let found = helpers.into_iter().map(|helper| helper.join().unwrap_or_else(|panic| resume_unwind(panic)));
            found.chain([own]).collect::<PyResult<Vec<_>>>()
        })
    })?;
    match found.into_iter().flatten().min_by_key(|&(number, _)| number) {
        Some((number, fault)) => Err(raise(format!("position {number}: {fault}"))),
        None => Ok(()),
    }
}

/// Fills `count` rows of some width and passes them on in blocks, for items that are not numbers or are only partly
/// stored. A block retains the contents that `make` left in the block before.
///
/// # Errors
/// Those of [`fill`] and of `take`.
pub fn stream<T: Default + Send, E: Display + Send>(
    py: Python<'_>,
    (count, width): (usize, usize),
    raise: impl Fn(String) -> PyErr,
    make: impl Fn(usize, &mut [T]) -> Result<(), E> + Sync,
    take: impl FnMut(&mut [T]) -> PyResult<()>,
) -> PyResult<()> {
    stream_with(py, (count, width), |_| Ok(()), raise, |(), number, row| make(number, row), take)
}

/// Works like [`stream`], with a context that `begin` makes for each block from the numbers of its rows.
///
/// # Errors
/// Those of [`stream`] and of `begin`.
pub fn stream_with<C: Sync, T: Default + Send, E: Display + Send>(
    py: Python<'_>,
    (count, width): (usize, usize),
    begin: impl Fn(Range<usize>) -> PyResult<C>,
    raise: impl Fn(String) -> PyErr,
    make: impl Fn(&C, usize, &mut [T]) -> Result<(), E> + Sync,
    mut take: impl FnMut(&mut [T]) -> PyResult<()>,
) -> PyResult<()> {
    memory::leave_room(0)?;
    let mut block: Vec<T> = repeat_with(T::default).take(count.min(BLOCK) * width).collect();
    for first in (0..count).step_by(BLOCK) {
        py.check_signals()?;
        let end = count.min(first + BLOCK);
        let common = begin(first..end)?;
        let rows = &mut block[..(end - first) * width];
        fill(py, (&mut *rows, width, first), &raise, |number, row| make(&common, number, row))?;
        take(rows)?;
    }
    Ok(())
}

/// The threads of [`each`], idle between its calls, and the process they belong to.
static HELPERS: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);

/// Returns a pool of at least `threads` threads; `None` if memory is short or the system starts none.
///
/// A process that Python forks has none of its parent's threads and makes its own. It finds the lock open: the holder
/// of the lock also holds the GIL, and so does the forking thread.
fn helpers(_: Python<'_>, threads: usize) -> Option<Arc<ThreadPool>> {
    let mut kept = HELPERS.lock().unwrap_or_else(PoisonError::into_inner);
    let own = kept.take_if(|(process, _)| *process == id());
    // Dropping the threads of another process would wait for them forever.
    forget(kept.take());
    let pool = match own {
        Some((_, pool)) if pool.current_num_threads() >= threads => pool,
        _ if !memory::has_room(threads) => return None,
        _ => Arc::new(ThreadPoolBuilder::new().num_threads(threads).build().ok()?),
    };
    *kept = Some((id(), Arc::clone(&pool)));
    Some(pool)
}

/// Runs jobs on `threads` threads, without the GIL. If only one thread is available, it runs them all.
pub fn each<J: Send>(py: Python<'_>, jobs: Vec<J>, threads: usize, work: impl Fn(J) + Sync) {
    let threads = threads.min(jobs.len());
    let pool = (threads > 1).then(|| helpers(py, threads - 1)).flatten();
    let waiting = Mutex::new(jobs.into_iter());
    let work = || {
        loop {
            let next = waiting.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some(job) = next else { return };
            work(job);
        }
    };
    py.detach(|| match pool {
        Some(pool) => pool.in_place_scope(|scope| {
            (1..threads).for_each(|_| scope.spawn(|_| work()));
            work();
        }),
        None => work(),
    });
}
