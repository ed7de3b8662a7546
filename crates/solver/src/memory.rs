//! Memory for values of whole sectors.

use millbrain_core::platform;
use rayon::prelude::*;

/// The number of values that a thread writes at once.
const CHUNK: usize = 4096;

/// Makes `length` values.
pub(crate) fn filled_with<T: Send>(length: usize, make: impl Fn() -> T + Sync) -> Vec<T> {
    in_chunks(length, &|_| std::array::from_fn(|_| make()))
}

/// Makes `length` copies of a value.
pub(crate) fn filled<T: Copy + Send + Sync>(value: T, length: usize) -> Vec<T> {
    in_chunks(length, &|_| [value; CHUNK])
}

/// Maps each value to another.
pub(crate) fn mapped<A: Sync, T: Copy + Send + Sync>(values: &[A], map: impl Fn(&A) -> T + Sync) -> Vec<T> {
    let Some(first) = values.first() else { return Vec::new() };
    let first = map(first);
    in_chunks(values.len(), &|chunk| {
        let mut mapped = [first; CHUNK];
        mapped.iter_mut().zip(&values[chunk * CHUNK..]).for_each(|(mapped, value)| *mapped = map(value));
        mapped
    })
}

/// Makes `length` values by chunks, in large pages: most of them are read and written out of order. All threads take
/// part, since the system clears the pages when they are first written.
fn in_chunks<T: Send>(length: usize, make: &(dyn Fn(usize) -> [T; CHUNK] + Sync)) -> Vec<T> {
    let count = length.div_ceil(CHUNK);
    let mut chunks: Vec<[T; CHUNK]> = Vec::new();
    chunks.reserve_exact(count);
    platform::advise_huge_pages(chunks.spare_capacity_mut());
    (0..count).into_par_iter().map(make).collect_into_vec(&mut chunks);
    let mut values = chunks.into_flattened();
    values.truncate(length);
    values
}
