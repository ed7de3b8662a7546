//! Playing below full strength.

/// The strongest skill level: no weakening.
pub const FULL: u32 = 20;

/// How a weakened engine plays.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Handicap {
    /// Depth the search is held to; 0 plays at random.
    pub depth: u32,
    /// Chance in permille of a uniformly random move.
    pub blunder: u32,
}

/// The handicap of a skill level 0..=20; `None` at full strength.
///
/// The lower levels see little and err often; from level 15 on only the depth is limited. From level 3 on
/// a random move is rare enough that the engine takes what hangs and saves what is attacked.
pub fn handicap(level: u32) -> Option<Handicap> {
    const BLUNDER: [u32; 15] = [1000, 300, 150, 60, 30, 30, 20, 20, 15, 15, 12, 9, 6, 4, 2];
    if level >= FULL {
        return None;
    }
    let depth = match level {
        0 => 0,
        1..=4 => 1,
        5..=6 => 2,
        7..=8 => 3,
        9..=10 => 4,
        11..=12 => 5,
        13..=14 => 6,
        15..=18 => level - 8,
        _ => 12,
    };
    let blunder = BLUNDER.get(level as usize).copied().unwrap_or(0);
    Some(Handicap { depth, blunder })
}

/// Ratings of the levels on a scale of this engine's own, on which full strength at 50 ms a move is 2500: means
/// over both game families of round robins between the levels, smoothed so that they rise (docs/strength.md).
const RATINGS: [u32; FULL as usize + 1] = [
    750, 1120, 1370, 1560, 1620, 1730, 1790, 1820, 1850, 1940, 1970, 2080, 2100, 2160, 2180, 2240, 2300, 2380, 2420,
    2440, 2500,
];
/// Lowest value of `UCI_Elo`.
pub const MIN_ELO: u32 = RATINGS[0];
/// Highest value of `UCI_Elo`.
pub const MAX_ELO: u32 = RATINGS[FULL as usize];

/// The skill level whose rating is nearest to what `UCI_Elo` asks for.
pub fn level_of_elo(elo: u32) -> u32 {
    let distance = |level: &u32| RATINGS[*level as usize].abs_diff(elo);
    (0..=FULL).min_by_key(distance).unwrap_or(FULL)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_rise() {
        let all: Vec<_> = (0..FULL).map(|level| handicap(level).expect("weakened")).collect();
        assert!(all.windows(2).all(|w| w[0].depth <= w[1].depth && w[0].blunder >= w[1].blunder && w[0] != w[1]));
        assert_eq!(handicap(FULL), None);
        assert!(RATINGS.is_sorted());
        assert!((0..=FULL).all(|level| level_of_elo(RATINGS[level as usize]) == level));
        assert_eq!((level_of_elo(MIN_ELO), level_of_elo(MAX_ELO), level_of_elo(9999)), (0, FULL, FULL));
    }
}
