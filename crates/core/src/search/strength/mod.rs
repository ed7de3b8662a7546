//! Play below full strength.

mod attention;

pub use attention::search_below_strength;

/// The strongest skill level: no weakening.
pub const FULL: u32 = 20;

/// The parameters of a player below full strength.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Handicap {
    /// The search depth in plies, exchanges not counted.
    pub depth: u32,
    /// The chance in permille to overlook a move, on average over the board.
    pub overlooks: u32,
    /// The largest misjudgement of a move, in centistones.
    pub misjudges: u32,
}

impl Handicap {
    const fn new(depth: u32, overlooks: u32, misjudges: u32) -> Handicap {
        Handicap { depth, overlooks, misjudges }
    }
}

/// A player with a seed for its choices.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Weakness {
    /// The parameters of the player.
    pub handicap: Handicap,
    /// The seed: equal seeds overlook and misjudge the same in the same position.
    pub seed: u64,
}

/// The players below full strength, weakest first.
const LADDER: [Handicap; FULL as usize] = [
    Handicap::new(1, 750, 120),
    Handicap::new(1, 640, 110),
    Handicap::new(1, 535, 105),
    Handicap::new(1, 430, 95),
    Handicap::new(1, 325, 85),
    Handicap::new(1, 230, 75),
    Handicap::new(1, 150, 60),
    Handicap::new(1, 100, 60),
    Handicap::new(2, 100, 60),
    Handicap::new(2, 60, 60),
    Handicap::new(2, 30, 50),
    Handicap::new(3, 35, 50),
    Handicap::new(3, 18, 30),
    Handicap::new(3, 7, 10),
    Handicap::new(4, 15, 0),
    Handicap::new(5, 5, 0),
    Handicap::new(6, 3, 0),
    Handicap::new(7, 0, 0),
    Handicap::new(8, 0, 0),
    Handicap::new(10, 0, 0),
];

/// Returns the handicap of a skill level 0..=20, or `None` at full strength.
///
/// The levels are steps of about the same size in games against each other (docs/strength.md). No level plays at
/// random. Low levels overlook moves, mainly those far from the last one, and misjudge the others a little.
pub fn handicap(level: u32) -> Option<Handicap> {
    LADDER.get(level as usize).copied()
}

/// Ratings of the levels on a scale of this engine's own, on which full strength at 50 ms per move is 2500. They are
/// means over both game families of the steps between neighbours (docs/strength.md).
const RATINGS: [u32; FULL as usize + 1] = [
    150, 290, 430, 570, 710, 840, 990, 1080, 1180, 1270, 1380, 1510, 1660, 1830, 1990, 2070, 2180, 2250, 2300, 2390,
    2500,
];
/// Lowest value of `UCI_Elo`.
pub const MIN_ELO: u32 = RATINGS[0];
/// Highest value of `UCI_Elo`.
pub const MAX_ELO: u32 = RATINGS[FULL as usize];

/// Returns the skill level whose rating is nearest to a value of `UCI_Elo`.
pub fn level_of_elo(elo: u32) -> u32 {
    let distance = |level: &u32| RATINGS[*level as usize].abs_diff(elo);
    (0..=FULL).min_by_key(distance).unwrap_or(FULL)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_rise() {
        let rises = |w: &[Handicap]| {
            let sees_more = w[0].overlooks > w[1].overlooks || w[0].misjudges > w[1].misjudges;
            w[0].depth < w[1].depth || (w[0].depth == w[1].depth && sees_more)
        };
        assert!(LADDER.windows(2).all(rises));
        assert_eq!(handicap(FULL), None);
        assert!(RATINGS.is_sorted());
        assert!((0..=FULL).all(|level| level_of_elo(RATINGS[level as usize]) == level));
        assert_eq!((level_of_elo(MIN_ELO), level_of_elo(MAX_ELO), level_of_elo(9999)), (0, FULL, FULL));
    }
}
