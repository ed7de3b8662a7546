//! Games of the morris family with few stones, solved by definition.

use super::board::{Force, board};
use super::plain::Solved;
use millbrain_core::morris::rules::MIN_STONES;
use millbrain_core::morris::{CUSTOM, Morris, Rules};
use std::ops::Range;

/// The positions with given stones: the mover's, then the opponent's.
pub struct Sector {
    pub own: Force,
    pub opp: Force,
    /// Their places among all solved positions.
    pub places: Range<usize>,
}

impl Sector {
    /// Returns its name in tablebases.
    pub fn name(&self) -> String {
        let in_hand = self.own.hand + self.opp.hand > 0;
        let [own, opp] = [self.own, self.opp].map(|force| match in_hand {
            true => format!("{}+{}", force.board, force.hand),
            false => force.board.to_string(),
        });
        format!("{own}-{opp}")
    }
}

/// A game solved, or a part of it.
pub struct Solution {
    pub sectors: Vec<Sector>,
    pub solved: Solved<Morris<CUSTOM>>,
}

/// The part of a game that is solved.
#[derive(Clone, Copy)]
pub enum Part {
    /// The positions without stones in hand, and with at most this number on the board.
    Moving(u32),
    /// All positions from the empty board on.
    Whole,
}

/// Returns whether play can lead to these stones, the mover's and the opponent's, as far as those in hand show.
fn is_possible(rules: &Rules, own: Force, opp: Force) -> bool {
    let all = u32::from(rules.stones);
    match (own.hand, opp.hand) {
        (0, 0) => true,
        // The first move of either side is a placement.
        (own_hand, opp_hand) if own_hand == all => opp_hand == all || opp == Force { board: 1, hand: all - 1 },
        // The opponent's last move has left a stone on the board.
        _ if opp.board == 0 => false,
        (own_hand, opp_hand) => rules.slides_while_placing || own_hand == opp_hand || own_hand == opp_hand + 1,
    }
}

/// Returns the forces that are solved together, in building order: a removal leaves fewer stones, a placement fewer in
/// hand, a slide exchanges the two.
fn groups(rules: &Rules, part: Part) -> Vec<Vec<[Force; 2]>> {
    let totals = u32::from(MIN_STONES)..=u32::from(rules.stones);
    let forces: Vec<Force> =
        totals.flat_map(|total| (0..=total).map(move |hand| Force { board: total - hand, hand })).collect();
    let is_wanted = |own: Force, opp: Force| match part {
        Part::Moving(most) => own.hand + opp.hand == 0 && own.board + opp.board <= most,
        Part::Whole => is_possible(rules, own, opp),
    };
    let mut sectors: Vec<[Force; 2]> =
        forces.iter().flat_map(|&own| forces.iter().map(move |&opp| [own, opp])).collect();
    sectors.retain(|&[own, opp]| is_wanted(own, opp));
    let group = |&[own, opp]: &[Force; 2]| (own.total() + opp.total(), own.hand + opp.hand, own.max(opp), own.min(opp));
    sectors.sort_by_key(group);
    sectors.chunk_by(|a, b| group(a) == group(b)).map(<[_]>::to_vec).collect()
}

/// Solves a game, or a part of it.
pub fn solve(rules: Rules, part: Part) -> Solution {
    let game = Morris::new(rules);
    let mut solved = Solved::new(game, |pos| board().id(pos));
    let mut sectors = Vec::new();
    for group in groups(&rules, part) {
        let mut positions = Vec::new();
        let mut ends = Vec::new();
        for &[own, opp] in &group {
            positions.extend(board().positions(&game, own, opp));
            ends.push(positions.len());
        }
        let first = solved.add(positions).start;
        let mut start = first;
        for (&[own, opp], end) in group.iter().zip(ends) {
            sectors.push(Sector { own, opp, places: start..first + end });
            start = first + end;
        }
    }
    Solution { sectors, solved }
}
