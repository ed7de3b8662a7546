//! The merels family, the moving phase and the placing phase: forces and sectors are those of the morris family, the
//! [numbering](Numbering) works for any board.

mod numbering;

pub use numbering::Numbering;

use crate::binomial::MAX_SIZE;
use crate::endings::{Endings, RulesTag, Sector};
use crate::morris::{Act, Force, Forces, sectors};
use crate::rules::TablebaseRules;
use millbrain_core::game::{Game, Side};
use millbrain_core::merels::{Merels, Points, Position, Rules};
use millbrain_core::mills::board::PointSet;
use millbrain_core::mills::{MIN_STONES, Removal, Removals, Setup};
use numbering::LazyNumbering;

/// The most stones of a side that have tables.
const MAX_STONES: u8 = MAX_SIZE as u8;

/// The numberings of the boards.
static NUMBERINGS: [LazyNumbering; Points::ALL.len()] = [
    LazyNumbering::new(|| Numbering::new(Points::Nine.board())),
    LazyNumbering::new(|| Numbering::new(Points::Sixteen.board())),
    LazyNumbering::new(|| Numbering::new(Points::Seventeen.board())),
];

/// The endings of a rule set of the merels family.
#[derive(Clone, Copy, Debug)]
pub struct MerelsEndings {
    game: Merels,
    placing: bool,
}

impl MerelsEndings {
    /// Returns all positions of a rule set, or `None` if there are no tables for it.
    pub fn of(rules: &Rules) -> Option<MerelsEndings> {
        let is_known = !rules.once_per_line && rules.removals == Removals::One;
        is_known.then_some(MerelsEndings { game: Merels::new(*rules), placing: true })
    }

    /// Returns the numbering of the board.
    pub fn numbering(&self) -> &'static Numbering {
        &NUMBERINGS[self.game.rules().points as usize]
    }

    /// Returns whether moves can stay in the pair of sectors: stones slide.
    pub fn slides(&self, sector: Sector) -> bool {
        !self.in_hand(sector) || self.game.rules().slides_while_placing
    }

    /// Returns whether the game goes on in a position of a sector with these stones of the side to move and of its
    /// opponent.
    pub fn goes_on(&self, sector: Sector, stones: [PointSet; 2]) -> bool {
        self.set_up(sector, stones).is_some()
    }

    /// Returns the stones in hand of the opponent of the side to move.
    pub const fn hand_of_opponent(sector: Sector) -> u32 {
        Force::of(sector.opp).hand as u32
    }

    /// Returns the numbers of stones on the board.
    pub fn on_board(sector: Sector) -> [usize; 2] {
        [sector.own, sector.opp].map(|code| Force::of(code).board.into())
    }

    /// Returns whether a point is free; a full board ends the game.
    fn leaves_a_point(&self, sector: Sector) -> bool {
        MerelsEndings::on_board(sector).iter().sum::<usize>() < self.game.rules().points.board().names.len()
    }

    /// Returns the position with these stones, White to move, if the game goes on.
    fn set_up(&self, sector: Sector, stones: [PointSet; 2]) -> Option<Position> {
        let setup = Setup {
            stones,
            hands: [sector.own, sector.opp].map(|code| Force::of(code).hand.into()),
            side: Side::White,
            plies_without_progress: 0,
            move_number: 1,
            formed_lines: [0; 2],
        };
        self.game.validate(&setup).ok().filter(|pos| self.game.decided(pos).is_none())
    }
}

impl Endings for MerelsEndings {
    type Game = Merels;

    fn game(&self) -> Merels {
        self.game
    }

    fn tag(&self) -> RulesTag {
        let &Rules { points, flying, first_mill_wins, removal, slides_while_placing, .. } = self.game.rules();
        let slides = self.placing && slides_while_placing;
        let switches = [flying, removal == Removal::Never, first_mill_wins, slides];
        let switches = switches.into_iter().rev().fold(0, |bits, switch| bits << 1 | u8::from(switch));
        [b'L', points as u8, switches, 0, 0, 0, 0, 0]
    }

    fn rules(&self) -> TablebaseRules {
        let &Rules { points, flying, first_mill_wins, removal, slides_while_placing, .. } = self.game.rules();
        let sliding = self.placing && slides_while_placing;
        TablebaseRules::Merels { points, flying, first_mill_wins, removal, sliding }
    }

    fn name(&self, sector: Sector) -> String {
        Forces::of(sector).name()
    }

    fn pieces(&self, sector: Sector) -> u32 {
        Forces::of(sector).total()
    }

    fn is_between(&self, sector: Sector, from: Sector, to: Sector) -> bool {
        Forces::of(sector).is_between(from, to)
    }

    fn moving_only(&self) -> MerelsEndings {
        MerelsEndings { placing: false, ..*self }
    }

    fn hand(&self, sector: Sector) -> u32 {
        Forces::of(sector).hand()
    }

    fn pair(&self, sector: Sector) -> Vec<Sector> {
        let mut pair = vec![sector];
        if self.slides(sector) && sector != sector.partner() {
            pair.push(sector.partner());
        }
        pair
    }

    fn sectors(&self) -> Vec<Sector> {
        let stones = self.game.rules().stones.min(MAX_STONES);
        let mut all = sectors::all(stones, self.placing, self.game.rules().slides_while_placing);
        all.retain(|&sector| self.leaves_a_point(sector));
        all
    }

    fn start(&self) -> Option<Sector> {
        let stones = Force { board: 0, hand: self.game.rules().stones.min(MAX_STONES) };
        Some(Sector::new(stones.code(), stones.code()))
    }

    fn exits(&self, sector: Sector) -> Vec<Sector> {
        let mut exits = Act::exits(sector, self.game.rules().slides_while_placing);
        exits.retain(|&exit| self.leaves_a_point(exit));
        exits
    }

    fn sector(&self, pos: &Position) -> Option<Sector> {
        if !self.placing && pos.own_hand() + pos.opp_hand() > 0 {
            return None;
        }
        let force = |set: PointSet, hand: u32| Force { board: set.count_ones() as u8, hand: hand as u8 };
        let (own, opp) = (force(pos.own(), pos.own_hand()), force(pos.opp(), pos.opp_hand()));
        let covered = |force: Force| (MIN_STONES..=MAX_STONES).contains(&force.total());
        (covered(own) && covered(opp)).then(|| Sector::new(own.code(), opp.code()))
    }

    fn is_derived(&self, sector: Sector) -> bool {
        let [own, opp] = MerelsEndings::on_board(sector);
        !self.in_hand(sector) && own < opp
    }

    fn slots(&self, sector: Sector) -> u64 {
        let [own, opp] = MerelsEndings::on_board(sector);
        self.numbering().rows(own) as u64 * self.numbering().row_length(own, opp)
    }

    fn slot(&self, pos: &Position) -> u64 {
        self.numbering().slot(pos.own(), pos.opp())
    }

    fn position(&self, sector: Sector, slot: u64) -> Option<Position> {
        let [own, opp] = MerelsEndings::on_board(sector);
        let (own, opp, _) = self.numbering().sets(own, opp, slot)?;
        self.set_up(sector, [own, opp])
    }

    fn images(&self, sector: Sector, slot: u64) -> u32 {
        let [own, opp] = MerelsEndings::on_board(sector);
        let sets = self.numbering().sets(own, opp, slot);
        sets.filter(|&(own, opp, _)| self.goes_on(sector, [own, opp])).map_or(0, |(.., images)| images)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use millbrain_core::merels::rules::{FIVE, SEVEN, SIX, THREE};
    use std::collections::HashSet;

    /// Every slot is that of its position and of all images, and all positions of a sector have slots.
    #[test]
    fn slots_and_positions_correspond() {
        for rules in [THREE, FIVE, SEVEN] {
            let endings = MerelsEndings::of(&rules).expect("tables");
            let board = rules.points.board();
            let sectors = endings.sectors();
            for &sector in sectors.iter().step_by(5) {
                let mut images = 0;
                for slot in 0..endings.slots(sector).min(3_000) {
                    let Some(pos) = endings.position(sector, slot) else {
                        assert_eq!(endings.images(sector, slot), 0);
                        continue;
                    };
                    assert_eq!((endings.sector(&pos), endings.slot(&pos)), (Some(sector), slot));
                    let image = |s| [board.image(s, pos.own()), board.image(s, pos.opp())];
                    let all: HashSet<[PointSet; 2]> = (0..board.symmetries.len()).map(image).collect();
                    for &stones in &all {
                        let image = endings.set_up(sector, stones).expect("an image");
                        assert_eq!(endings.slot(&image), slot);
                    }
                    assert_eq!(endings.images(sector, slot) as usize, all.len());
                    images += all.len();
                }
                assert!(images > 0 || endings.slots(sector) < 10, "{}", endings.name(sector));
            }
        }
    }

    #[test]
    fn sectors_come_after_all_they_depend_on() {
        for rules in [THREE, FIVE, SIX, Rules { slides_while_placing: true, ..SIX }] {
            let endings = MerelsEndings::of(&rules).expect("tables");
            let sectors = endings.sectors();
            let place = |sector| sectors.iter().position(|&s| s == sector).expect("exits are sectors");
            for &sector in &sectors {
                let first = endings.pair(sector).into_iter().map(place).min().expect("one at least");
                for exit in endings.exits(sector) {
                    assert!(place(exit) < first, "{} before {}", endings.name(exit), endings.name(sector));
                }
            }
            let game = endings.with_dependencies(&[endings.start().expect("a start")]);
            // Empty boards with fewer stones are not positions of this game.
            assert!(rules.slides_while_placing || game.len() + usize::from(rules.stones) - 3 == sectors.len());
        }
    }
}
