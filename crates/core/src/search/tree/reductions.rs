//! Late move reductions.

use crate::search::tunables;

/// Base reductions in plies by depth and move number, both at most 63.
pub(in crate::search) type Reductions = [[u8; 64]; 64];

/// Computes the base reductions, which grow with the logarithms of depth and move number.
pub(in crate::search) fn reductions() -> Box<Reductions> {
    let [base, divisor] =
        [tunables::reduction_base(), tunables::reduction_divisor()].map(|value| f64::from(value) / 100.0);
    let mut by_depth = Box::new([[0; 64]; 64]);
    for (depth, row) in by_depth.iter_mut().enumerate().skip(1) {
        for (number, reduction) in row.iter_mut().enumerate().skip(1) {
            *reduction = (base + (depth as f64).ln() * (number as f64).ln() / divisor) as u8;
        }
    }
    by_depth
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn late_moves_are_reduced_more_and_more() {
        let by_depth = reductions();
        assert!(by_depth[0].iter().chain(by_depth.iter().map(|row| &row[0])).all(|&reduction| reduction == 0));
        for depth in 1..64 {
            assert_eq!(by_depth[depth][1], 0, "the first move at depth {depth}");
            assert!(by_depth[depth].is_sorted() && (0..63).all(|i| by_depth[i][depth] <= by_depth[i + 1][depth]));
        }
        assert_eq!((by_depth[3][3], by_depth[8][8], by_depth[63][63]), (1, 2, 8));
    }
}
