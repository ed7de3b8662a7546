//! Memory for values of whole sectors.

use millbrain_core::platform;

/// Makes `length` values in large pages: most of them are read and written out of order.
pub(crate) fn filled_with<T>(length: usize, make: impl FnMut() -> T) -> Vec<T> {
    let mut values = Vec::new();
    values.reserve_exact(length);
    platform::advise_huge_pages(values.spare_capacity_mut());
    values.resize_with(length, make);
    values
}

/// Makes `length` copies of a value.
pub(crate) fn filled<T: Copy>(value: T, length: usize) -> Vec<T> {
    filled_with(length, || value)
}
