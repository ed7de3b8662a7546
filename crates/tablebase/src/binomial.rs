//! Binomial coefficients.

/// The largest size of a set that is ranked.
pub const MAX_SIZE: usize = 12;

/// The most points or squares that sets are taken from.
const MAX_POINTS: usize = 56;

/// Pascal's triangle.
static BINOMIALS: [[u64; MAX_SIZE + 1]; MAX_POINTS + 1] = {
    let mut rows = [[0; MAX_SIZE + 1]; MAX_POINTS + 1];
    let mut n = 0;
    while n <= MAX_POINTS {
        rows[n][0] = 1;
        let mut k = 1;
        while k <= MAX_SIZE && n > 0 {
            rows[n][k] = rows[n - 1][k - 1] + rows[n - 1][k];
            k += 1;
        }
        n += 1;
    }
    rows
};

/// Returns the number of sets of `k` among `n` points; 0 where `k > n`.
#[inline(always)]
pub fn binomial(n: usize, k: usize) -> u64 {
    BINOMIALS[n][k]
}
