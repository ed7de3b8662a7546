//! Evaluation in centininnies: the lead in material plus the correction of a network.
//!
//! The network sees a position as the pieces of both sides by kind and square.

use super::board::{SQUARES, SquareSet, each_square};
use super::game::Smess;
use super::position::{NINNY, NUMSKULL, PIECES, Position};
use crate::game::{Side, Term};
use crate::network::{Learned, NetworkSlot, network_slot};
use crate::search::score::WdlModel;

/// Returns the value of the pieces of a side, without its Brain.
const fn material(pos: &Position, pieces: SquareSet) -> i32 {
    let ninnies = (pieces & pos.ninnies()).count_ones() as i32;
    let numskulls = (pieces & pos.numskulls()).count_ones() as i32;
    NINNY * ninnies + NUMSKULL * numskulls
}

impl Smess {
    /// Returns the evaluation, from the side to move.
    #[inline(always)]
    pub(super) fn evaluation(&self, pos: &Position) -> i32 {
        pos.material_lead() + self.correction(pos)
    }

    /// Returns the evaluation term by term.
    pub(super) fn evaluation_terms(&self, pos: &Position) -> Vec<Term> {
        let [white, black] = pos.sides().map(|pieces| material(pos, pieces));
        let network = self.correction(pos);
        vec![Term { name: "material", white, black }, Term::of_mover("network", pos.side(), network)]
    }
}

/// Kinds of pieces of both sides.
const PLANES: usize = 2 * 3;

static NETWORK: NetworkSlot = network_slot!("smess");

/// The map from scores to results, fitted by `millbrain tune wdl` to games at 2,000 nodes per move.
pub(super) const WDL_MODEL: WdlModel = WdlModel { margin: 153, spread: 94 };

impl Learned for Smess {
    const INPUTS: usize = PLANES * SQUARES;
    const PHASES: usize = 8;
    const MAX_INPUTS: usize = 2 * PIECES as usize;
    const FEATURES: &'static str = "smess: squares of brain, numskulls, ninnies";

    #[inline(always)]
    fn inputs(&self, pos: &Position, mut sink: impl FnMut(usize)) {
        // Black sees square `s` as 55 - s, which is !s + 56.
        let (turn, mut plane) = if pos.side() == Side::White { (0, 0) } else { (usize::MAX, SQUARES) };
        let mut each = |set: SquareSet| {
            for square in each_square(set) {
                sink((square ^ turn).wrapping_add(plane));
            }
            plane += SQUARES;
        };
        for pieces in [pos.own(), pos.opp()] {
            each(pieces & pos.brains());
            each(pieces & pos.numskulls());
            each(pieces & pos.ninnies());
        }
    }

    #[inline(always)]
    fn phase(&self, pos: &Position) -> usize {
        pos.pieces().saturating_sub(2).min(23) / 3
    }

    #[inline(always)]
    fn base(&self, pos: &Position) -> i32 {
        pos.material_lead()
    }

    #[inline(always)]
    fn network_slot(&self) -> Option<&'static NetworkSlot> {
        Some(&NETWORK)
    }
}

#[cfg(test)]
mod tests {
    use super::super::rules::Rules;
    use super::*;
    use crate::game::{Game, Searchable};

    /// The stored lead in material equals a recount of the pieces, also after a pass.
    #[test]
    fn the_lead_in_material_is_kept() {
        let game = Smess::new(Rules::default());
        let mut rng = fastrand::Rng::with_seed(6);
        let mut promoted = 0;
        for _ in 0..60 {
            let mut pos = game.start();
            while let Some(mv) = rng.choice(game.moves(&pos)) {
                let numskulls = pos.numskulls().count_ones();
                pos = game.play(&pos, mv);
                promoted += u32::from(pos.numskulls().count_ones() > numskulls);
                for seen in [pos, game.pass(&pos)] {
                    assert_eq!(seen.material_lead(), material(&seen, seen.own()) - material(&seen, seen.opp()));
                    assert_eq!(seen.pieces(), seen.occupied().count_ones() as usize);
                }
            }
        }
        assert!(promoted > 0);
    }
}
