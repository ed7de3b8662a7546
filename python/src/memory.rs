//! Memory for many rows, requested before the work begins: a shortage is a `MemoryError` and does not end the process.

use bytemuck::Zeroable;
use millbrain::platform;
use millbrain::platform::memory_of;
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;

const MIB: usize = 1 << 20;
/// Reserve for small needs: the stacks of threads, texts, Python objects, a small table. It exceeds any block that the
/// C library caches once freed, so requesting it leaves no trace.
const ROOM: usize = 64 * MIB;
/// Smaller requests skip the query for available memory.
const SMALL: usize = 16 * MIB;

fn refusal(rows: usize, bytes_each: usize) -> PyErr {
    let mib = (rows as u128 * bytes_each as u128).div_ceil(MIB as u128);
    let available = platform::available_memory().map(|bytes| u128::from(bytes) / MIB as u128);
    let expected = match available {
        Some(available) if available < mib => format!("at most {available} MiB"),
        _ => "fewer".to_string(),
    };
    PyMemoryError::new_err(format!("no memory for {rows} rows ({mib} MiB), expected {expected}"))
}

/// Checks whether the system has memory for rows of `bytes_each` bytes, as far as it reports.
///
/// # Errors
/// A `MemoryError`, also for sizes that overflow.
pub fn check(rows: usize, bytes_each: usize) -> PyResult<()> {
    let fits = |bytes| bytes < SMALL || platform::available_memory().is_none_or(|available| bytes as u64 <= available);
    let bytes = rows.checked_mul(bytes_each).filter(|&bytes| bytes <= isize::MAX as usize && fits(bytes));
    bytes.map(drop).ok_or_else(|| refusal(rows, bytes_each))
}

/// Returns zeroed numbers for `rows` rows of this width. The system provides the pages on first use.
///
/// # Errors
/// A `MemoryError`.
pub fn zeroed<T: Zeroable>(rows: usize, width: usize) -> PyResult<Vec<T>> {
    check(rows, width * size_of::<T>())?;
    let numbers = bytemuck::allocation::try_zeroed_vec(rows * width);
    numbers.map_err(|()| refusal(rows, width * size_of::<T>()))
}

/// Reserves room for the numbers of `rows` rows of this width.
///
/// # Errors
/// A `MemoryError`.
pub fn reserved<T>(rows: usize, width: usize) -> PyResult<Vec<T>> {
    check(rows, width * size_of::<T>())?;
    let mut numbers = Vec::new();
    let reserved = numbers.try_reserve_exact(rows * width);
    reserved.map(|()| numbers).map_err(|_| refusal(rows, width * size_of::<T>()))
}

/// Returns whether there is memory for all small needs and for `threads` threads.
pub fn has_room(threads: usize) -> bool {
    // Reserved and freed untouched, as a test.
    Vec::<u8>::new().try_reserve_exact(ROOM + memory_of(threads)).is_ok()
}

/// Checks that there is memory for all small needs and for `threads` threads, whose shortage would end the process.
///
/// # Errors
/// A `MemoryError`.
pub fn leave_room(threads: usize) -> PyResult<()> {
    let mib = (ROOM + memory_of(threads)) / MIB;
    let words = || PyMemoryError::new_err(format!("less than {mib} MiB of memory left, expected more"));
    has_room(threads).then_some(()).ok_or_else(words)
}
