//! Validates a position that a text describes.

use super::game::Morris;
use super::position::{Position, Setup};
use super::rules::MIN_STONES;
use crate::game::Side;
use crate::game::fen::{Fault, Faults};
use std::borrow::Cow;

/// A position that both sides would have lost.
pub(super) const BOTH_LOST: Fault =
    Fault::Rule(Cow::Borrowed("both sides have fewer than three stones, expected at most one such side"));

/// A position in the middle of a move.
pub(super) const REMOVAL_DUE: Fault =
    Fault::Rule(Cow::Borrowed("a removal is due, expected a position between two moves"));

/// Two stones on a point: impossible in a FEN, but not for a caller of the library.
const TWO_ON_A_POINT: Fault = Fault::Rule(Cow::Borrowed("two stones on a point, expected at most one"));

impl<const S: u8> Morris<S> {
    /// Checks a setup against the rules; all faults are reported.
    ///
    /// # Errors
    /// Fails if a side has too many stones, two are on a point, or both sides have fewer than three.
    pub fn validate(&self, setup: &Setup) -> Result<Position, Faults> {
        let mut faults = Faults::default();
        let limit = u32::from(self.rules().stones);
        let mut short = 0;
        for (i, side) in [Side::White, Side::Black].into_iter().enumerate() {
            let found = setup.stones[i].count_ones() + setup.hands[i];
            if found > limit {
                let what = format!("{side} has {found} stones on board and in hand, expected at most {limit}");
                faults.0.push(Fault::Rule(what.into()));
            }
            short += u32::from(found < MIN_STONES.into());
        }
        if setup.stones[0] & setup.stones[1] != 0 {
            faults.0.push(TWO_ON_A_POINT);
        }
        if short == 2 {
            faults.0.push(BOTH_LOST);
        }
        if faults.0.is_empty() { Ok(setup.position()) } else { Err(faults) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Game;
    use crate::morris::{CUSTOM, rules};

    #[test]
    fn two_stones_on_a_point_are_refused() {
        let morris = Morris::<CUSTOM>::new(rules::MORRIS);
        let setup = |stones| Setup {
            stones,
            hands: [6, 6],
            side: Side::White,
            plies_without_progress: 0,
            move_number: 1,
            formed_lines: [0; 2],
        };
        assert_eq!(morris.validate(&setup([7, 14])), Err(Faults(vec![TWO_ON_A_POINT])));
        assert!(morris.validate(&setup([7, 56])).is_ok_and(|position| morris.side(&position) == Side::White));
    }
}
