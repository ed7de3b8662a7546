//! The morris family, the moving phase and the placing phase.
//!
//! The terms of this folder:
//!
//! | word | meaning |
//! |---|---|
//! | force | the stones of a side, on the board and in hand ([`Force`]) |
//! | sector, pair | all positions with two given forces; a sector and its partner, in which the other side is to move |
//! | slot | the number of a position in its sector: the place of its value in a file ([`Numbering`]) |
//! | orbit | a set of points and its images under the 16 symmetries; its first member represents it |

pub mod burnside;
mod force;
mod scanner;
pub(crate) mod sectors;
mod sets;

pub use force::{Act, Force, Forces};
pub use sets::{Gaps, Numbering, RowIndex};

use crate::binomial::{MAX_SIZE, binomial};
use crate::compact::Scanner;
use crate::endings::{Endings, Located, RulesTag, Sector};
use crate::metric::Metric;
use crate::rules::TablebaseRules;
use millbrain_core::game::Side;
use millbrain_core::morris::board::{POINTS, PointSet};
use millbrain_core::morris::rules::MIN_STONES;
use millbrain_core::morris::{CUSTOM, Morris, Position, Removal, Rules, SLIDES, Setup, rules_of, switches};
use millbrain_core::variant::Ruleset;
use scanner::RowScanner;

/// The most stones of a side that have tables.
const MAX_STONES: u8 = MAX_SIZE as u8;

/// The rules: one type for all of them, since they are looked up once per row.
pub type Game = Morris<CUSTOM>;

/// The endings of a rule set of the morris family. Sliding with stones in hand matters only to endings with such
/// positions.
#[derive(Clone, Copy, Debug)]
pub struct MorrisEndings {
    game: Game,
    placing: bool,
    metric: Metric,
}

impl MorrisEndings {
    /// Returns the moving phase of the rule set with these [`switches`] and number of stones.
    pub fn new(switches: u8, stones: u8) -> MorrisEndings {
        MorrisEndings { game: Morris::new(rules_of(switches, stones)), placing: false, metric: Metric::End }
    }

    /// Returns all positions of a rule set, or `None` if there are no tables for it.
    pub fn of(rules: &Rules) -> Option<MorrisEndings> {
        let switches = switches(rules);
        (switches != CUSTOM).then(|| MorrisEndings::new(switches, rules.stones).with_placing(true))
    }

    /// Adds or leaves out the positions with stones in hand.
    pub const fn with_placing(self, placing: bool) -> MorrisEndings {
        MorrisEndings { placing, ..self }
    }

    /// Returns the limit of the draw counter; 0 if it is ignored.
    const fn no_mill_draw(&self) -> u16 {
        match self.metric {
            Metric::End => 0,
            Metric::Progress { limit } => limit,
        }
    }

    /// Returns whether these endings include positions in which a side with stones in hand may slide one.
    fn slides_with_stones_in_hand(&self) -> bool {
        self.game.slides_while_placing() && self.placing
    }

    /// Returns whether the positions of a sector cannot repeat, so that one pass solves it.
    pub fn is_passed_once(&self, sector: Sector) -> bool {
        self.in_hand(sector) && !self.game.slides_while_placing()
    }
}

/// The target of moves of one kind from a sector.
#[derive(Clone, Copy)]
struct Landing {
    /// The sector or the end of the game; the slot is that of the first such position.
    located: Located,
    /// The set that moves next and its row index: quiet moves leave it unchanged.
    last: Option<(PointSet, RowIndex)>,
}

impl Endings for MorrisEndings {
    type Game = Game;

    fn game(&self) -> Game {
        self.game
    }

    fn tag(&self) -> RulesTag {
        let switches = switches(self.game.rules());
        let switches = if self.placing { switches } else { switches & !SLIDES };
        let [low, high] = self.no_mill_draw().to_le_bytes();
        [b'M', switches, low, high, 0, 0, 0, 0]
    }

    fn rules(&self) -> TablebaseRules {
        // All fields are named, so that a new option cannot be forgotten.
        let &Rules {
            stones: _,
            flying,
            removal,
            removals: _,
            diagonals,
            slides_while_placing: _,
            no_mill_draw: _,
            repetition_draw: _,
            once_per_line: _,
        } = self.game.rules();
        let (sliding, no_mill_draw) = (self.slides_with_stones_in_hand(), self.no_mill_draw());
        TablebaseRules::Morris { flying, removal, diagonals, sliding, no_mill_draw }
    }

    fn metric(&self) -> Metric {
        self.metric
    }

    fn with_counter(&self, rules: &Ruleset) -> Option<MorrisEndings> {
        let Ruleset::Morris(rules) = rules else { return None };
        // Every mill takes a stone then, so that no move resets the counter and stays in its pair of sectors.
        let is_known = (1..=Metric::MAX_LIMIT).contains(&rules.no_mill_draw)
            && self.game.rules().removal == Removal::IfAll
            && !self.slides_with_stones_in_hand();
        is_known.then_some(MorrisEndings { metric: Metric::Progress { limit: rules.no_mill_draw }, ..*self })
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

    fn moving_only(&self) -> MorrisEndings {
        self.with_placing(false)
    }

    fn hand(&self, sector: Sector) -> u32 {
        Forces::of(sector).hand()
    }

    fn pair(&self, sector: Sector) -> Vec<Sector> {
        let mut pair = vec![sector];
        if !self.is_passed_once(sector) && sector != sector.partner() {
            pair.push(sector.partner());
        }
        pair
    }

    fn sectors(&self) -> Vec<Sector> {
        let stones = self.game.rules().stones.min(MAX_STONES);
        sectors::all(stones, self.placing, self.game.slides_while_placing())
    }

    fn start(&self) -> Option<Sector> {
        let stones = Force { board: 0, hand: self.game.rules().stones.min(MAX_STONES) };
        Some(Sector::new(stones.code(), stones.code()))
    }

    fn exits(&self, sector: Sector) -> Vec<Sector> {
        Act::exits(sector, self.game.slides_while_placing())
    }

    #[inline]
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
        let (own, opp) = (Force::of(sector.own), Force::of(sector.opp));
        !self.in_hand(sector) && own.board < opp.board
    }

    fn is_left_out(&self, sector: Sector) -> bool {
        if self.is_passed_once(sector) {
            // The other side has placed a stone before and will place one after.
            return self.hand(sector).is_multiple_of(2);
        }
        // Then the side that moves next has more stones, or as many after a removal.
        let [own, opp] = [sector.own, sector.opp].map(|code| Force::of(code).total());
        own < opp
    }

    fn scanner(&self, sector: Sector) -> impl Scanner {
        RowScanner::new(self, sector)
    }

    fn slots(&self, sector: Sector) -> u64 {
        // By formula: opening a pack needs all sectors, and numbering their orbits takes long.
        let [own, opp] = [sector.own, sector.opp].map(|code| usize::from(Force::of(code).board));
        burnside::classes(own, 0) * binomial(POINTS - own, opp)
    }

    #[inline]
    fn slot(&self, pos: &Position) -> u64 {
        let sector = Sector::new(pos.own().count_ones() as u8, pos.opp().count_ones() as u8);
        Numbering::of(sector).slot(pos.own(), pos.opp())
    }

    fn locator(&self) -> impl FnMut(&Position, &Position) -> Located {
        let endings = *self;
        // There are four kinds of moves from a sector: with or without a placement, with or without a removal. Each
        // kind leads to one sector, or ends the game.
        let mut kinds: [Option<Landing>; 4] = [None; 4];
        move |before, pos| {
            let placed = before.own_hand() != pos.opp_hand();
            let removed = before.opp() != pos.own();
            let kind = &mut kinds[2 * usize::from(placed) + usize::from(removed)];
            let kind = kind.get_or_insert_with(|| Landing { located: endings.locate(pos), last: None });
            let Located::Slot(sector, _) = kind.located else { return kind.located };
            let row_index = match &kind.last {
                Some((own, row_index)) if *own == pos.own() => row_index,
                _ => &kind.last.insert((pos.own(), Numbering::of(sector).row_index(pos.own()))).1,
            };
            Located::Slot(sector, row_index.slot(pos.opp()))
        }
    }

    fn position(&self, sector: Sector, slot: u64) -> Option<Position> {
        let (own, opp) = Numbering::of(sector).sets(slot)?;
        let setup = Setup {
            stones: [own, opp],
            hands: [sector.own, sector.opp].map(|code| Force::of(code).hand.into()),
            side: Side::White,
            plies_without_progress: 0,
            move_number: 1,
            formed_lines: [0; 2],
        };
        self.game.validate(&setup).ok()
    }

    #[inline]
    fn images(&self, sector: Sector, slot: u64) -> u32 {
        Numbering::of(sector).images(slot)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use millbrain_core::morris::FLYING;
    use millbrain_core::morris::symmetry::{SYMMETRIES, image};

    #[test]
    fn slots_and_positions_correspond() {
        let endings = MorrisEndings::new(FLYING, 9).with_placing(true);
        let mut rng = fastrand::Rng::with_seed(3);
        let placing = [Force { board: 2, hand: 7 }.code(), Force { board: 3, hand: 6 }.code()];
        for sector in [
            Sector::new(3, 3),
            Sector::new(4, 3),
            Sector::new(3, 6),
            Sector::new(9, 7),
            Sector::new(placing[0], placing[1]),
        ] {
            let slots = endings.slots(sector);
            for _ in 0..2_000 {
                let slot = rng.u64(..slots);
                if let Some(position) = endings.position(sector, slot) {
                    assert_eq!(endings.sector(&position), Some(sector));
                    assert_eq!(endings.slot(&position), slot);
                    let mut of_same: Vec<_> = (0..SYMMETRIES)
                        .map(|s| (image(s, position.own()), image(s, position.opp())))
                        .inspect(|&(own, opp)| {
                            assert_eq!(Numbering::of(sector).slot(own, opp), slot, "all images share a slot");
                        })
                        .collect();
                    of_same.sort_unstable();
                    of_same.dedup();
                    assert_eq!(of_same.len() as u32, endings.images(sector, slot));
                }
            }
        }
    }

    #[test]
    fn the_placing_phase_holds_as_many_positions_as_are_known() {
        let endings = MorrisEndings::new(FLYING, 9).with_placing(true);
        let sectors: Vec<Sector> = sectors::placing(endings.game().rules().stones);
        // Six empty boards of games with three to eight stones are not positions of this one.
        assert_eq!(sectors.len(), 449 + 6);
        let slots: u64 = sectors.iter().map(|&sector| endings.slots(sector)).sum();
        // 17,856,741,338 positions up to symmetry; there are a few more slots.
        assert!((17_856_741_338..18_700_000_000).contains(&slots), "{slots}");
        let all = endings.sectors();
        assert_eq!(all.len(), sectors.len() + 49);
        for &sector in &sectors {
            let place = |sector: Sector| all.iter().position(|&other| other == sector);
            for exit in endings.exits(sector) {
                assert!(place(exit) < place(sector), "{} before {}", endings.name(exit), endings.name(sector));
                assert!(place(exit).is_some(), "{}", endings.name(exit));
            }
        }
    }

    #[test]
    fn the_sectors_hold_as_many_positions_as_are_known() {
        let endings = MorrisEndings::new(FLYING, 9);
        for (sector, reduced, unreduced) in [
            (Sector::new(3, 3), 169_626, 2_691_920),
            (Sector::new(4, 3), 760_398, 12_113_640),
            (Sector::new(3, 4), 760_398, 12_113_640),
        ] {
            let images =
                (0..endings.slots(sector)).map(|slot| endings.images(sector, slot)).filter(|&images| images > 0);
            let (count, sum) = images.fold((0, 0), |(count, sum), images| (count + 1, sum + images));
            assert_eq!((count, sum), (reduced, unreduced));
        }
    }
}
