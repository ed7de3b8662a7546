//! Validates a position that a text describes.

use super::game::Smess;
use super::position::{PIECES, Position, Setup};
use crate::game::Side;
use crate::game::fen::{Fault, Faults};
use std::borrow::Cow;

/// Both Brains missing: neither side would have won.
pub(super) const NO_BRAINS: Fault = Fault::Rule(Cow::Borrowed("both Brains are missing, expected at least one"));

/// Two pieces on a square: impossible in a FEN, but not for a caller of the library.
const TWO_ON_A_SQUARE: Fault = Fault::Rule(Cow::Borrowed("two pieces on a square, expected at most one"));

impl Smess {
    /// Checks a setup against the rules; all faults are reported.
    ///
    /// # Errors
    /// Fails if a side has too many Brains or pieces, two are on a square, or there is no Brain at all.
    pub fn validate(&self, setup: &Setup) -> Result<Position, Faults> {
        let mut faults = Faults::default();
        for (side, pieces) in [Side::White, Side::Black].into_iter().zip(setup.pieces) {
            let brains = pieces[0].count_ones();
            if brains > 1 {
                let what = format!("{side} has {brains} Brains, expected at most 1");
                faults.0.push(Fault::Rule(what.into()));
            }
            let found: u32 = pieces.iter().map(|set| set.count_ones()).sum();
            if found > PIECES {
                let what = format!("{side} has {found} pieces, expected at most {PIECES}");
                faults.0.push(Fault::Rule(what.into()));
            }
        }
        let (mut occupied, mut shared) = (0, 0);
        for set in setup.pieces.into_iter().flatten() {
            shared |= occupied & set;
            occupied |= set;
        }
        if shared != 0 {
            faults.0.push(TWO_ON_A_SQUARE);
        }
        if setup.pieces[0][0] == 0 && setup.pieces[1][0] == 0 {
            faults.0.push(NO_BRAINS);
        }
        if faults.0.is_empty() { Ok(setup.position()) } else { Err(faults) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_pieces_on_a_square_are_refused() {
        let pieces = |white: [u64; 3], black: [u64; 3]| Setup {
            pieces: [white, black],
            side: Side::White,
            plies_without_progress: 0,
            move_number: 1,
        };
        let smess = Smess::default();
        for two in [pieces([1, 2, 2], [4, 0, 0]), pieces([1, 2, 0], [4, 2, 0]), pieces([1, 0, 0], [1, 0, 0])] {
            assert_eq!(smess.validate(&two), Err(Faults(vec![TWO_ON_A_SQUARE])));
        }
        assert!(smess.validate(&pieces([1, 2, 0], [4, 8, 0])).is_ok());
    }
}
