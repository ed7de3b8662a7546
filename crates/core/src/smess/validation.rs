//! Validates a position that a text describes.

use super::game::Smess;
use super::position::{PIECES, Position, Setup};
use crate::game::Side;
use crate::game::fen::{Fault, Faults};
use crate::message::messages;

messages! {
    /// Why a position is none of these rules.
    pub(super) enum Unfit in "fault" {
        /// A side has several Brains.
        ManyBrains { side: Side, found as n: u32 } = "many-brains",
        /// A side has more pieces than the game.
        ManyPieces { side: Side, found as n: u32, most: u32 } = "many-pieces",
        /// Without any Brain nobody would have won.
        NoBrains = "no-brains",
        /// A FEN cannot say this, a caller of the library can.
        TwoOnSquare = "two-on-square",
    }

    /// The allowed contents of a field of a position text.
    pub(super) enum Expected in "expected" {
        Ranks = "ranks",
    }
}

impl From<Unfit> for Fault {
    fn from(unfit: Unfit) -> Fault {
        Fault::Rule(unfit.into())
    }
}

impl Smess {
    /// Checks a setup against the rules; all faults are reported.
    ///
    /// # Errors
    /// Fails if a side has too many Brains or pieces, two are on a square, or there is no Brain at all.
    pub fn validate(&self, setup: &Setup) -> Result<Position, Faults> {
        let mut faults = Faults::default();
        for (side, pieces) in [Side::White, Side::Black].into_iter().zip(setup.pieces) {
            let found = pieces[0].count_ones();
            if found > 1 {
                faults.0.push(Unfit::ManyBrains { side, found }.into());
            }
            let found: u32 = pieces.iter().map(|set| set.count_ones()).sum();
            if found > PIECES {
                faults.0.push(Unfit::ManyPieces { side, found, most: PIECES }.into());
            }
        }
        let (mut occupied, mut shared) = (0, 0);
        for set in setup.pieces.into_iter().flatten() {
            shared |= occupied & set;
            occupied |= set;
        }
        if shared != 0 {
            faults.0.push(Unfit::TwoOnSquare.into());
        }
        if setup.pieces[0][0] == 0 && setup.pieces[1][0] == 0 {
            faults.0.push(Unfit::NoBrains.into());
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
            assert_eq!(smess.validate(&two), Err(Faults(vec![Unfit::TwoOnSquare.into()])));
        }
        assert!(smess.validate(&pieces([1, 2, 0], [4, 8, 0])).is_ok());
    }
}
