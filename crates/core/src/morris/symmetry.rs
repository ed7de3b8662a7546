//! The 16 symmetries of the board: the eight of the square, each with or without swapping the outer and inner ring.

use super::board::{POINTS, PointSet};

/// Number of symmetries.
pub const SYMMETRIES: usize = 16;

const SWAP: usize = 8;
const MIRROR: usize = 4;

/// The image of each point under each symmetry. Symmetry `8s + 4m + r`: mirror in the vertical axis if `m`, then turn
/// clockwise by `r` quarters, then swap the outer and inner ring if `s`.
pub const POINT_IMAGE: [[u8; POINTS]; SYMMETRIES] = {
    let mut table = [[0; POINTS]; SYMMETRIES];
    let mut s = 0;
    while s < SYMMETRIES {
        let mut p = 0;
        while p < POINTS {
            let (ring, k) = (p / 8, p % 8);
            let k = if s & MIRROR != 0 { (8 - k) % 8 } else { k };
            let k = (k + 2 * (s % 4)) % 8;
            let ring = if s & SWAP != 0 { 2 - ring } else { ring };
            table[s][p] = (8 * ring + k) as u8;
            p += 1;
        }
        s += 1;
    }
    table
};

/// The inverse of each symmetry.
pub const INVERSE: [u8; SYMMETRIES] = {
    let mut table = [0; SYMMETRIES];
    let mut s = 0;
    while s < SYMMETRIES {
        let mut t = 0;
        while t < SYMMETRIES {
            let mut p = 0;
            let mut inverse = true;
            while p < POINTS {
                inverse &= POINT_IMAGE[t][POINT_IMAGE[s][p] as usize] as usize == p;
                p += 1;
            }
            if inverse {
                table[s] = t as u8;
            }
            t += 1;
        }
        s += 1;
    }
    table
};

/// The image of each set of points of a ring under the symmetries of the square.
static RING_IMAGE: [[u8; 256]; SWAP] = {
    let mut table = [[0; 256]; SWAP];
    let mut s = 0;
    while s < SWAP {
        let mut set = 1;
        while set < 256usize {
            let rest = set & (set - 1);
            table[s][set] = table[s][rest] | 1 << POINT_IMAGE[s][set.trailing_zeros() as usize];
            set += 1;
        }
        s += 1;
    }
    table
};

/// Returns the image of a set of points under a symmetry.
#[inline(always)]
pub const fn image(symmetry: usize, set: PointSet) -> PointSet {
    let ring = &RING_IMAGE[symmetry % SWAP];
    let middle = (ring[(set >> 8 & 0xFF) as usize] as PointSet) << 8;
    let [outer, inner] = [ring[(set & 0xFF) as usize], ring[(set >> 16 & 0xFF) as usize]];
    let (low, high) = if symmetry & SWAP != 0 { (inner, outer) } else { (outer, inner) };
    low as PointSet | middle | (high as PointSet) << 16
}

const fn bytes(byte: u64) -> u64 {
    byte * 0x0101_0101_0101
}

/// Turns both sets, packed as `own | opp << 24`, by a quarter.
#[inline(always)]
const fn turn(x: u64) -> u64 {
    ((x << 2) & bytes(0xFC)) | ((x >> 6) & bytes(0x03))
}

/// Mirrors both sets: `k` becomes `-k` modulo 8, a bit reversal of each byte and one step on.
#[inline(always)]
const fn mirror(x: u64) -> u64 {
    let x = ((x & bytes(0x55)) << 1) | ((x >> 1) & bytes(0x55));
    let x = ((x & bytes(0x33)) << 2) | ((x >> 2) & bytes(0x33));
    let x = ((x & bytes(0x0F)) << 4) | ((x >> 4) & bytes(0x0F));
    ((x << 1) & bytes(0xFE)) | ((x >> 7) & bytes(0x01))
}

/// Swaps the outer and inner ring of both sets.
#[inline(always)]
const fn swap_rings(x: u64) -> u64 {
    (x & 0x00FF_0000_FF00) | ((x & 0x0000_FF00_00FF) << 16) | ((x >> 16) & 0x0000_FF00_00FF)
}

/// The smallest image of each set of points of a ring under the symmetries of the square.
static LEAST_RING: [u8; 256] = {
    let mut table = [u8::MAX; 256];
    let mut set = 0;
    while set < 256usize {
        let mut s = 0;
        while s < SWAP {
            if RING_IMAGE[s][set] < table[set] {
                table[set] = RING_IMAGE[s][set];
            }
            s += 1;
        }
        set += 1;
    }
    table
};

/// Returns the smallest of the images under the symmetries of the square, and its symmetry.
#[inline(always)]
const fn least_of_square(x: u64) -> (u64, u8) {
    let mut best = x;
    let mut symmetry = 0;
    let mut image = x;
    let mut s = 1;
    while s < SWAP {
        image = if s == MIRROR { mirror(x) } else { turn(image) };
        if image < best {
            best = image;
            symmetry = s as u8;
        }
        s += 1;
    }
    (best, symmetry)
}

/// Returns the smallest of the 16 images of both sets, packed as `own | opp << 24`, and the symmetry that leads there.
#[inline]
pub const fn canonical(x: u64) -> (u64, u8) {
    // The highest byte is one of the opponent's outer or inner ring: whichever becomes smaller. Only if neither does,
    // both have to be tried.
    let (outer, inner) = (LEAST_RING[(x >> 24 & 0xFF) as usize], LEAST_RING[(x >> 40 & 0xFF) as usize]);
    let (plain, swapped) = if inner < outer {
        return least_of_square(x);
    } else if inner > outer {
        let (best, symmetry) = least_of_square(swap_rings(x));
        return (best, symmetry + SWAP as u8);
    } else {
        (least_of_square(x), least_of_square(swap_rings(x)))
    };
    // Of equal images the first without the swap, where they are the same turn.
    if swapped.0 < plain.0 || (swapped.0 == plain.0 && swapped.1 < plain.1) {
        (swapped.0, swapped.1 + SWAP as u8)
    } else {
        plain
    }
}

#[cfg(test)]
mod tests {
    use super::super::board::ALL;
    use super::*;

    fn image_of_both(x: u64, s: usize) -> u64 {
        (0..48).filter(|i| x >> i & 1 != 0).fold(0, |a, i| {
            let (set, p) = (i / 24, i % 24);
            a | 1 << (24 * set + POINT_IMAGE[s][p] as usize)
        })
    }

    #[test]
    fn canonical_is_the_least_image_and_names_its_symmetry() {
        let mut rng = fastrand::Rng::with_seed(2);
        for _ in 0..5_000 {
            let x = rng.u64(..) & rng.u64(..) & 0xFFFF_FFFF_FFFF;
            let (best, s) = canonical(x);
            assert_eq!(image_of_both(x, s as usize), best);
            assert_eq!(best, (0..SYMMETRIES).map(|s| image_of_both(x, s)).min().expect("sixteen images"));
            assert_eq!(image_of_both(best, INVERSE[s as usize] as usize), x);
            for s in 0..SYMMETRIES {
                let [own, opp] = [x, x >> 24].map(|set| u64::from(image(s, set as PointSet & ALL)));
                assert_eq!(own | opp << 24, image_of_both(x, s));
            }
        }
    }
}
