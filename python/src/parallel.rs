//! Rows made on all cores and without the GIL; Ctrl-C ends the work.

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

/// Rows that a thread takes at a time.
const PORTION: usize = 256;
/// Rows between two looks at the clock.
const LOOK: usize = 16;
/// Rows that are made before Python gets them: some milliseconds of work.
const BLOCK: usize = 1 << 14;

/// Fills rows of some width, the first of which has the number `first`.
///
/// The threads live no longer than the work: a pool would not be there any more in a process that Python forks. Where
/// the system starts none, the calling thread works alone.
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
                    // Portions go out in order: all rows before this one are in good hands.
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

/// Makes so many rows of some width, and hands them on in blocks: for what is more than numbers, or what not all of is
/// kept. A block has what `make` has left of the one before.
///
/// # Errors
/// Those of [`fill`], and of `take`.
pub fn stream<T: Default + Send, E: Display + Send>(
    py: Python<'_>,
    (count, width): (usize, usize),
    raise: impl Fn(String) -> PyErr,
    make: impl Fn(usize, &mut [T]) -> Result<(), E> + Sync,
    take: impl FnMut(&mut [T]) -> PyResult<()>,
) -> PyResult<()> {
    stream_with(py, (count, width), |_| Ok(()), raise, |(), number, row| make(number, row), take)
}

/// As [`stream`], with what `begin` makes for the rows of a block, whose numbers it gets.
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

/// The threads of [`each`], which wait between its calls, and the process that they are in.
static HELPERS: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);

/// At least so many threads that wait for work; none where there is no memory for them or the system starts none.
///
/// A process that Python forks has none of its parent's, and makes its own. It finds the lock open: whoever holds it also
/// holds the GIL, and so does who forks.
fn helpers(_: Python<'_>, threads: usize) -> Option<Arc<ThreadPool>> {
    let mut kept = HELPERS.lock().unwrap_or_else(PoisonError::into_inner);
    let own = kept.take_if(|(process, _)| *process == id());
    // Those of another process are not waited for.
    forget(kept.take());
    let pool = match own {
        Some((_, pool)) if pool.current_num_threads() >= threads => pool,
        _ if !memory::has_room(threads) => return None,
        _ => Arc::new(ThreadPoolBuilder::new().num_threads(threads).build().ok()?),
    };
    *kept = Some((id(), Arc::clone(&pool)));
    Some(pool)
}

/// Does some jobs on so many threads, without the GIL. Where there is but one thread to be had, it does them all.
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
