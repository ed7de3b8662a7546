//! Validates a position that a text describes.

use super::game::Mills;
use super::position::{Position, Setup};
use super::rules::{MIN_STONES, MillRules};
use crate::game::Side;
use crate::game::fen::{Fault, Faults};
use crate::message::messages;

messages! {
    /// Why a position is none of these rules.
    pub(crate) enum Unfit in "fault" {
        /// A side has more stones than the game.
        ManyStones { side: Side, found as n: u32, most: u32 } = "many-stones",
        /// A position that both sides would have lost.
        BothLost = "both-lost",
        /// A position in the middle of a move.
        RemovalDue = "removal-due",
        /// A FEN cannot say this, a caller of the library can.
        TwoOnPoint = "two-on-point",
        /// The count of stones in the text contradicts the board.
        Contradiction { side: Side, given as n: u32, board: u32 } = "contradiction",
        /// The record of a finished game does not say whose turn it was, so one that does is of none.
        Over = "over",
        /// Fields have one space between them, and nothing around them.
        Spaces = "spaces",
    }

    /// A field of a position text.
    pub(crate) enum Field in "field" {
        WhiteHand = "white-hand",
        BlackHand = "black-hand",
        FormedLines = "formed-lines",
        Phase = "phase",
        Action = "action",
        WhiteStones = "white-stones",
        BlackStones = "black-stones",
        RemovalsDue = "removals-due",
        Format = "format",
        Profile = "profile",
        Hands = "hands",
        Obligations = "obligations",
        Plies = "plies",
        Outcome = "outcome",
        UsedLines = "used-lines",
        Extension = "extension",
    }

    /// The allowed contents of a field.
    pub(crate) enum Expected in "expected" {
        Rows { n: usize } = "rows",
        Rings = "rings",
        Stones = "stones",
        Hands = "hands",
        Lines = "lines",
        UsedLines = "used-lines",
        Integer = "integer",
        Phase = "phase",
        NoLimit = "no-limit",
        Open = "open",
        None = "none",
    }
}

impl From<Unfit> for Fault {
    fn from(unfit: Unfit) -> Fault {
        Fault::Rule(unfit.into())
    }
}

impl<R: MillRules> Mills<R> {
    /// Checks a setup against the rules; all faults are reported.
    ///
    /// # Errors
    /// Fails if a side has too many stones, two are on a point, or both sides have fewer than three.
    pub fn validate(&self, setup: &Setup) -> Result<Position, Faults> {
        let mut faults = Faults::default();
        let limit = u32::from(self.rules.stones());
        let mut short = 0;
        for (i, side) in [Side::White, Side::Black].into_iter().enumerate() {
            let found = setup.stones[i].count_ones() + setup.hands[i];
            if found > limit {
                faults.0.push(Unfit::ManyStones { side, found, most: limit }.into());
            }
            short += u32::from(found < MIN_STONES.into());
        }
        if setup.stones[0] & setup.stones[1] != 0 {
            faults.0.push(Unfit::TwoOnPoint.into());
        }
        if short == 2 {
            faults.0.push(Unfit::BothLost.into());
        }
        if faults.0.is_empty() { Ok(setup.position()) } else { Err(faults) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Game;
    use crate::morris::{CUSTOM, Morris, rules};

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
        assert_eq!(morris.validate(&setup([7, 14])), Err(Faults(vec![Unfit::TwoOnPoint.into()])));
        assert!(morris.validate(&setup([7, 56])).is_ok_and(|position| morris.side(&position) == Side::White));
    }
}
