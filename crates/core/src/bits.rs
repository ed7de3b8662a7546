//! Sets as words of bits.

/// Iterates over the places of the ones in a word, lowest first.
///
/// ```
/// assert!(millbrain_core::bits::iter_ones(0b10110_u32).eq([1, 2, 4]));
/// ```
#[inline(always)]
pub fn iter_ones(word: impl Into<u64>) -> impl Iterator<Item = u32> {
    let mut rest = word.into();
    std::iter::from_fn(move || {
        (rest != 0).then(|| {
            let place = rest.trailing_zeros();
            rest &= rest - 1;
            place
        })
    })
}
