//! Evaluation in centininnies: the lead in material and what a network adds to it.
//!
//! The network sees a position as the pieces of both sides by kind and square.

use super::board::{SQUARES, SquareSet, each_square};
use super::game::Smess;
use super::position::Position;
use crate::game::{Side, Term};
use crate::network::{Learned, NetworkSlot, network_slot};

/// A Ninny in centininnies.
pub(super) const NINNY: i32 = 100;
/// A Numskull.
pub(super) const NUMSKULL: i32 = 330;

/// The value of the pieces of a side, without its Brain.
#[inline(always)]
const fn material(pos: &Position, pieces: SquareSet) -> i32 {
    let ninnies = (pieces & pos.ninnies()).count_ones() as i32;
    let numskulls = (pieces & pos.numskulls()).count_ones() as i32;
    NINNY * ninnies + NUMSKULL * numskulls
}

/// The lead in material, from the side to move.
#[inline(always)]
const fn material_lead(pos: &Position) -> i32 {
    material(pos, pos.own()) - material(pos, pos.opp())
}

impl Smess {
    /// The evaluation, from the side to move.
    #[inline(always)]
    pub(super) fn evaluation(&self, pos: &Position) -> i32 {
        material_lead(pos) + self.correction(pos)
    }

    /// The evaluation term by term.
    pub(super) fn evaluation_terms(&self, pos: &Position) -> Vec<Term> {
        let [white, black] = pos.sides().map(|pieces| material(pos, pieces));
        let network = self.correction(pos);
        vec![Term { name: "material", white, black }, Term::of_mover("network", pos.side(), network)]
    }
}

/// Kinds of pieces of both sides.
const PLANES: usize = 2 * 3;

static NETWORK: NetworkSlot = network_slot!("smess");

impl Learned for Smess {
    const INPUTS: usize = PLANES * SQUARES;
    const PHASES: usize = 8;

    #[inline(always)]
    fn inputs(&self, pos: &Position, mut sink: impl FnMut(usize)) {
        let turn = if pos.side() == Side::White { 0 } else { SQUARES - 1 };
        let mut plane = 0;
        let mut each = |set: SquareSet| {
            for square in each_square(set) {
                sink(plane + square.abs_diff(turn));
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
        (pos.occupied().count_ones() as usize).saturating_sub(2).min(23) / 3
    }

    #[inline(always)]
    fn base(&self, pos: &Position) -> i32 {
        material_lead(pos)
    }

    #[inline(always)]
    fn network_slot(&self) -> Option<&'static NetworkSlot> {
        Some(&NETWORK)
    }
}
