//! Late move reductions.

/// Base reductions in plies by depth and move number, both at most 63.
pub(super) type Reductions = [[u8; 64]; 64];

/// Base reductions: they grow with the logarithms of depth and move number.
pub(super) fn reductions() -> Box<Reductions> {
    let mut table = Box::new([[0; 64]; 64]);
    for (depth, row) in table.iter_mut().enumerate().skip(1) {
        for (number, reduction) in row.iter_mut().enumerate().skip(1) {
            *reduction = (0.6 + (depth as f64).ln() * (number as f64).ln() / 2.1) as u8;
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn late_moves_are_reduced_more_and_more() {
        let table = reductions();
        assert!(table[0].iter().chain(table.iter().map(|row| &row[0])).all(|&reduction| reduction == 0));
        for depth in 1..64 {
            assert_eq!(table[depth][1], 0, "the first move at depth {depth}");
            assert!(table[depth].is_sorted() && (0..63).all(|i| table[i][depth] <= table[i + 1][depth]));
        }
        assert_eq!((table[3][3], table[8][8], table[63][63]), (1, 2, 8));
    }
}
