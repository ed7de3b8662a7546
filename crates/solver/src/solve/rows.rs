//! Loops over rows and chunks on all threads. The loop body is a trait object: a row is hundreds of positions or more,
//! so that the call costs nothing. The code that rayon generates for a loop is compiled once instead of for each rule
//! set.

use rayon::prelude::*;

/// Calls `visit` with the number of each row and its part of `values`.
pub(crate) fn for_each_row<T: Send>(values: &mut [T], columns: usize, visit: &(dyn Fn(usize, &mut [T]) + Sync)) {
    values.par_chunks_mut(columns).enumerate().for_each(|(row, values)| visit(row, values));
}

/// Returns the result of `make` for each row.
pub(crate) fn of_rows<T: Send>(rows: usize, make: &(dyn Fn(usize) -> T + Sync)) -> Vec<T> {
    (0..rows).into_par_iter().map(make).collect()
}

/// Calls `check` for each chunk; returns the error of the first chunk that has one.
pub(crate) fn check_chunks<E: Send>(chunks: u64, check: &(dyn Fn(u64) -> Result<(), E> + Sync)) -> Result<(), E> {
    (0..chunks).into_par_iter().map(check).find_first(Result::is_err).unwrap_or(Ok(()))
}
