//! The network inputs of a position: the pieces of both sides by kind and square.

use super::board::{SQUARES, SquareSet, each_square};
use super::movegen::Smess;
use super::position::Position;
use crate::game::Side;
use crate::network::{Learned, NetworkSlot, embedded_network};

/// Kinds of pieces of both sides.
const PLANES: usize = 2 * 3;

static NETWORK: NetworkSlot = NetworkSlot::new(embedded_network!("smess.net"));

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
        super::eval::material_lead(pos)
    }

    #[inline(always)]
    fn network_slot(&self) -> &'static NetworkSlot {
        &NETWORK
    }
}
