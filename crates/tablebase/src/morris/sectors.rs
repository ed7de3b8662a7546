//! The sectors of the morris family, in an order in which they can be built. They depend on no switch, so that they are
//! compiled once.

use super::{Force, MIN_STONES};
use crate::endings::Sector;

/// Returns all sectors, with or without those with stones in hand.
pub(crate) fn all(stones: u8, placing: bool, slides_while_placing: bool) -> Vec<Sector> {
    let mut sectors = moving(stones);
    match (placing, slides_while_placing) {
        (false, _) => {}
        (true, false) => sectors.extend(self::placing(stones)),
        (true, true) => sectors.extend(sliding(stones)),
    }
    sectors
}

/// Returns the sectors without stones in hand.
fn moving(stones: u8) -> Vec<Sector> {
    let counts = MIN_STONES..=stones;
    let mut sectors: Vec<Sector> =
        counts.clone().flat_map(|own| counts.clone().map(move |opp| Sector::new(own, opp))).collect();
    sectors.sort_by_key(|s| (s.own + s.opp, s.own.abs_diff(s.opp), s.opp));
    sectors
}

/// Returns the sectors with stones in hand of games in which stones slide from the start, so that any number may be in
/// hand. Few stones in hand come first, then few on the board.
fn sliding(stones: u8) -> Vec<Sector> {
    let forces: Vec<Force> = (0..=stones)
        .flat_map(|hand| (0..=stones - hand).map(move |board| Force { board, hand }))
        .filter(|force| force.total() >= MIN_STONES)
        .collect();
    let pairs = forces.iter().flat_map(|&own| forces.iter().map(move |&opp| (own, opp)));
    let mut sectors: Vec<(Force, Force)> = pairs.filter(|(own, opp)| own.hand + opp.hand > 0).collect();
    sectors.sort_by_key(|(own, opp)| (own.hand + opp.hand, own.board + opp.board));
    sectors.into_iter().map(|(own, opp)| Sector::new(own.code(), opp.code())).collect()
}

/// Returns the sectors with stones in hand of games in which the sides place in turn. The side that has just placed has
/// a stone on the board. Few stones in hand come first. The empty boards of games with fewer stones are among them.
pub(super) fn placing(stones: u8) -> Vec<Sector> {
    let hands = (1..=stones).flat_map(|hand| [(hand, hand - 1), (hand, hand)]);
    let sectors = hands.flat_map(move |(own_hand, opp_hand)| {
        let boards = move |hand: u8| 0..=stones - hand;
        boards(own_hand).flat_map(move |own| {
            boards(opp_hand).filter_map(move |opp| {
                let [own, opp] = [Force { board: own, hand: own_hand }, Force { board: opp, hand: opp_hand }];
                let begun = opp.board > 0 || own.board == 0 && own_hand == opp_hand;
                let undecided = own.total() >= MIN_STONES && opp.total() >= MIN_STONES;
                (begun && undecided).then(|| Sector::new(own.code(), opp.code()))
            })
        })
    });
    sectors.collect()
}
