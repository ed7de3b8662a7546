//! Memory for many rows: asked for before the work begins, so that too little of it is a `MemoryError` and not the end
//! of the process.

use bytemuck::Zeroable;
use millbrain::platform;
use millbrain::search::memory_of;
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;

const MIB: usize = 1 << 20;
/// What has to be left for what is small: the stacks of threads, texts, objects of Python, a small table. It is more
/// than any block that the C library keeps for itself once it is free, so that asking for it leaves no trace.
const ROOM: usize = 64 * MIB;
/// For less than this the system is not asked how much it has.
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

/// Whether the system has memory for rows of so many bytes each, as far as it tells.
///
/// # Errors
/// A `MemoryError`, also for more than can be counted.
pub fn check(rows: usize, bytes_each: usize) -> PyResult<()> {
    let fits = |bytes| bytes < SMALL || platform::available_memory().is_none_or(|available| bytes as u64 <= available);
    let bytes = rows.checked_mul(bytes_each).filter(|&bytes| bytes <= isize::MAX as usize && fits(bytes));
    bytes.map(drop).ok_or_else(|| refusal(rows, bytes_each))
}

/// Numbers for so many rows of this width, all 0. The pages come from the system when they are first used.
///
/// # Errors
/// A `MemoryError`.
pub fn zeroed<T: Zeroable>(rows: usize, width: usize) -> PyResult<Vec<T>> {
    check(rows, width * size_of::<T>())?;
    let numbers = bytemuck::allocation::try_zeroed_vec(rows * width);
    numbers.map_err(|()| refusal(rows, width * size_of::<T>()))
}

/// Room for the numbers of so many rows of this width.
///
/// # Errors
/// A `MemoryError`.
pub fn reserved<T>(rows: usize, width: usize) -> PyResult<Vec<T>> {
    check(rows, width * size_of::<T>())?;
    let mut numbers = Vec::new();
    let reserved = numbers.try_reserve_exact(rows * width);
    reserved.map(|()| numbers).map_err(|_| refusal(rows, width * size_of::<T>()))
}

/// Returns whether there is memory for all that is small, and for so many threads.
pub fn has_room(threads: usize) -> bool {
    // Reserved and freed untouched, as a test.
    Vec::<u8>::new().try_reserve_exact(ROOM + memory_of(threads)).is_ok()
}

/// Sees to it that there is memory for all that is small, and for so many threads: where it runs out, the process ends.
///
/// # Errors
/// A `MemoryError`.
pub fn leave_room(threads: usize) -> PyResult<()> {
    let mib = (ROOM + memory_of(threads)) / MIB;
    let words = || PyMemoryError::new_err(format!("less than {mib} MiB of memory left, expected more"));
    has_room(threads).then_some(()).ok_or_else(words)
}
