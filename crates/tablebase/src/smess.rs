//! Smess with few pieces: the numbering and the positions.
//!
//! The board is turned so that White is to move. A sector is numbered by the squares of the two Brains, then of
//! the mover's Numskulls and Ninnies, then of the opponent's: each group by its rank among the squares that the
//! groups before it leave free. The only symmetry of the game exchanges the sides, so no slot is vacant.

use crate::binomial::binomial;
use crate::endings::{Endings, RulesTag, Sector};
use crate::rules::TablebaseRules;
use millbrain_core::game::Side;
use millbrain_core::smess::board::{SQUARES, SquareSet, each_square};
use millbrain_core::smess::{Position, Rules, Setup, Smess};

/// The most pieces that have tables: four are 71 million positions, five 4.9 billion, six would be 249 billion.
const MAX_PIECES: u32 = 5;
/// All squares.
pub const ALL: SquareSet = (1 << SQUARES) - 1;
/// The number of rows: the squares of the two Brains.
pub const ROWS: usize = SQUARES * (SQUARES - 1);

/// The pieces of a side beside its Brain, packed into the code of a force: Numskulls times 16, plus Ninnies.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Force {
    numskulls: u8,
    ninnies: u8,
}

impl Force {
    const fn of(code: u8) -> Force {
        Force { numskulls: code >> 4, ninnies: code & 15 }
    }

    const fn code(self) -> u8 {
        self.numskulls << 4 | self.ninnies
    }

    fn name(self) -> String {
        format!("B{}{}", "S".repeat(self.numskulls.into()), "N".repeat(self.ninnies.into()))
    }

    const fn size(self) -> u32 {
        1 + self.numskulls as u32 + self.ninnies as u32
    }

    /// Returns the forces after the capture of a piece; the Brain is the last to be captured.
    fn after_capture(self) -> impl Iterator<Item = Force> {
        let numskull = self.numskulls.checked_sub(1).map(|numskulls| Force { numskulls, ..self });
        let ninny = self.ninnies.checked_sub(1).map(|ninnies| Force { ninnies, ..self });
        numskull.into_iter().chain(ninny)
    }

    /// Returns the force after the promotion of a Ninny.
    fn after_promotion(self) -> Option<Force> {
        let ninnies = self.ninnies.checked_sub(1)?;
        Some(Force { numskulls: self.numskulls + 1, ninnies })
    }
}

const GROUPS: usize = 6;

/// The pieces in the order of the numbering.
#[derive(Clone, Copy)]
pub struct Groups(pub [SquareSet; GROUPS]);

const fn turned(set: SquareSet) -> SquareSet {
    set.reverse_bits() >> (64 - SQUARES)
}

/// Returns the sizes of the groups of a sector.
const fn sizes(sector: Sector) -> [usize; GROUPS] {
    let (own, opp) = (Force::of(sector.own), Force::of(sector.opp));
    [1, 1, own.numskulls as usize, own.ninnies as usize, opp.numskulls as usize, opp.ninnies as usize]
}

/// Returns the member of a set with this number.
fn nth_square(mut set: SquareSet, number: usize) -> usize {
    for _ in 0..number {
        set &= set - 1;
    }
    set.trailing_zeros() as usize
}

impl Groups {
    /// Returns the groups of a position.
    pub fn of(pos: &Position) -> Groups {
        let kinds = [pos.brains(), pos.numskulls(), pos.ninnies()];
        let [own, opp] = [pos.own(), pos.opp()].map(|side| {
            kinds.map(|kind| match pos.side() {
                Side::White => kind & side,
                Side::Black => turned(kind & side),
            })
        });
        Groups([own[0], opp[0], own[1], own[2], opp[1], opp[2]])
    }

    /// Returns the slot of the position.
    #[inline]
    pub fn slot(self) -> u64 {
        let mut free = ALL;
        let mut slot = 0;
        for group in self.0 {
            let mut rank = 0;
            let mut size = 0;
            for square in each_square(group) {
                size += 1;
                rank += binomial((free & ((1 << square) - 1)).count_ones() as usize, size);
            }
            slot = slot * binomial(free.count_ones() as usize, size) + rank;
            free &= !group;
        }
        slot
    }

    /// Returns the groups of the position in a slot.
    pub fn of_slot(sector: Sector, slot: u64) -> Groups {
        let sizes = sizes(sector);
        let mut ranks = [0; GROUPS];
        let mut rest = slot;
        let mut left = SQUARES - sizes.iter().sum::<usize>();
        for (rank, size) in ranks.iter_mut().zip(sizes).rev() {
            left += size;
            let count = binomial(left, size);
            *rank = rest % count;
            rest /= count;
        }
        let mut free = ALL;
        let groups = std::array::from_fn(|i| {
            let mut group = 0;
            let mut rank = ranks[i];
            for place in (1..=sizes[i]).rev() {
                let number = (place - 1..SQUARES).rev().find(|&n| binomial(n, place) <= rank).unwrap_or(place - 1);
                rank -= binomial(number, place);
                group |= 1 << nth_square(free, number);
            }
            free &= !group;
            group
        });
        Groups(groups)
    }

    const fn setup(self) -> Setup {
        let [brain, opp_brain, numskulls, ninnies, opp_numskulls, opp_ninnies] = self.0;
        let pieces = [[brain, numskulls, ninnies], [opp_brain, opp_numskulls, opp_ninnies]];
        Setup { pieces, side: Side::White, plies_without_progress: 0, move_number: 1 }
    }

    /// Returns the same pieces as the other side sees them.
    pub const fn exchanged(self) -> Groups {
        let [brain, opp_brain, numskulls, ninnies, opp_numskulls, opp_ninnies] = self.0;
        Groups([
            turned(opp_brain),
            turned(brain),
            turned(opp_numskulls),
            turned(opp_ninnies),
            turned(numskulls),
            turned(ninnies),
        ])
    }
}

/// The endings of Smess.
#[derive(Clone, Copy, Debug, Default)]
pub struct SmessEndings;

impl Endings for SmessEndings {
    type Game = Smess;

    fn game(&self) -> Smess {
        Smess::new(Rules::default())
    }

    fn tag(&self) -> RulesTag {
        [b'S', 0, 0, 0, 0, 0, 0, 0]
    }

    fn rules(&self) -> TablebaseRules {
        TablebaseRules::Smess
    }

    fn name(&self, sector: Sector) -> String {
        format!("{}-{}", Force::of(sector.own).name(), Force::of(sector.opp).name())
    }

    fn pieces(&self, sector: Sector) -> u32 {
        Force::of(sector.own).size() + Force::of(sector.opp).size()
    }

    fn is_between(&self, sector: Sector, from: Sector, to: Sector) -> bool {
        let within = |force: u8, from: u8, to: u8| {
            let [force, from, to] = [force, from, to].map(Force::of);
            (from.numskulls..=to.numskulls).contains(&force.numskulls)
                && (from.ninnies..=to.ninnies).contains(&force.ninnies)
        };
        within(sector.own, from.own, to.own) && within(sector.opp, from.opp, to.opp)
    }

    fn sectors(&self) -> Vec<Sector> {
        let counts = 0..MAX_PIECES as u8 - 1;
        let forces =
            counts.clone().flat_map(|numskulls| counts.clone().map(move |ninnies| Force { numskulls, ninnies }));
        let mut sectors: Vec<Sector> = forces
            .clone()
            .flat_map(|own| forces.clone().map(move |opp| Sector::new(own.code(), opp.code())))
            .filter(|&sector| (3..=MAX_PIECES).contains(&self.pieces(sector)))
            .collect();
        // Captures lead to fewer pieces, promotions to fewer Ninnies.
        let ninnies = |s: &Sector| Force::of(s.own).ninnies + Force::of(s.opp).ninnies;
        sectors.sort_by_key(|s| (self.pieces(*s), ninnies(s), s.own.min(s.opp), s.opp));
        sectors
    }

    fn exits(&self, sector: Sector) -> Vec<Sector> {
        let (own, opp) = (Force::of(sector.own), Force::of(sector.opp));
        let own_after = [Some(own), own.after_promotion()];
        let mut exits = Vec::new();
        for (promoted, own) in own_after.into_iter().enumerate() {
            let Some(own) = own else { continue };
            let opp_after = opp.after_capture().chain((promoted == 1).then_some(opp));
            exits.extend(opp_after.map(|opp| Sector::new(opp.code(), own.code())));
        }
        exits.retain(|&exit| self.pieces(exit) >= 3);
        exits
    }

    #[inline]
    fn sector(&self, pos: &Position) -> Option<Sector> {
        if !(3..=MAX_PIECES).contains(&pos.occupied().count_ones()) || pos.brains().count_ones() != 2 {
            return None;
        }
        let force = |side: SquareSet| {
            let count = |kind: SquareSet| (kind & side).count_ones() as u8;
            Force { numskulls: count(pos.numskulls()), ninnies: count(pos.ninnies()) }.code()
        };
        Some(Sector::new(force(pos.own()), force(pos.opp())))
    }

    fn slots(&self, sector: Sector) -> u64 {
        let mut free = SQUARES;
        sizes(sector).into_iter().fold(1, |count, size| {
            let count = count * binomial(free, size);
            free -= size;
            count
        })
    }

    fn slot(&self, pos: &Position) -> u64 {
        Groups::of(pos).slot()
    }

    fn position(&self, sector: Sector, slot: u64) -> Option<Position> {
        self.game().validate(&Groups::of_slot(sector, slot).setup()).ok()
    }

    fn images(&self, _: Sector, _: u64) -> u32 {
        1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use millbrain_core::game::Notation;

    #[test]
    fn slots_and_positions_correspond() {
        let mut rng = fastrand::Rng::with_seed(4);
        let mut total = [0; 6];
        for sector in SmessEndings.sectors() {
            let slots = SmessEndings.slots(sector);
            total[SmessEndings.pieces(sector) as usize] += slots;
            for _ in 0..300 {
                let slot = rng.u64(..slots);
                let pos = SmessEndings.position(sector, slot).expect("no slot is vacant");
                assert_eq!(SmessEndings.sector(&pos), Some(sector));
                assert_eq!(SmessEndings.slot(&pos), slot);
                let other_side = SmessEndings.game().flipped(&pos);
                assert_eq!(SmessEndings.slot(&other_side), slot);
            }
        }
        assert_eq!(total, [0, 0, 0, 665_280, 70_519_680, 4_889_364_480_u64]);
    }

    #[test]
    fn sectors_come_after_all_they_depend_on() {
        let sectors = SmessEndings.sectors();
        let place = |sector| sectors.iter().position(|&s| s == sector).expect("exits are sectors");
        for &sector in &sectors {
            for exit in SmessEndings.exits(sector) {
                assert!(place(exit) < place(sector).min(place(sector.partner())), "{sector:?} {exit:?}");
            }
        }
        assert_eq!(SmessEndings.name(sectors[0]), "BS-B");
    }
}
