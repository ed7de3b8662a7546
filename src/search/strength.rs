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
/// The lower levels see little and err often; from level 10 on only the depth is limited.
pub fn handicap(level: u32) -> Option<Handicap> {
    const BLUNDER: [u32; 10] = [1000, 400, 300, 230, 170, 120, 80, 50, 30, 15];
    if level >= FULL {
        return None;
    }
    let depth = match level {
        0 => 0,
        1..=3 => 1,
        4..=6 => 2,
        7..=8 => 3,
        9..=10 => 4,
        _ => level - 6,
    };
    let blunder = BLUNDER.get(level as usize).copied().unwrap_or(0);
    Some(Handicap { depth, blunder })
}

/// Lowest value of `UCI_Elo`.
pub const MIN_ELO: u32 = 500;
/// Highest value of `UCI_Elo`.
pub const MAX_ELO: u32 = 2500;

/// The skill level that `UCI_Elo` asks for: the scale runs linearly over the levels.
pub const fn level_of_elo(elo: u32) -> u32 {
    let above = elo.saturating_sub(MIN_ELO);
    let level = (above * FULL + (MAX_ELO - MIN_ELO) / 2) / (MAX_ELO - MIN_ELO);
    if level > FULL { FULL } else { level }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_rise() {
        let all: Vec<_> = (0..FULL).map(|level| handicap(level).expect("weakened")).collect();
        assert!(all.windows(2).all(|w| w[0].depth <= w[1].depth && w[0].blunder >= w[1].blunder && w[0] != w[1]));
        assert_eq!(handicap(FULL), None);
        assert_eq!((level_of_elo(MIN_ELO), level_of_elo(MAX_ELO), level_of_elo(9999)), (0, FULL, FULL));
    }
}
