//! The morris family: numbering and visiting positions, for the moving phase and for the placing phase.
//!
//! A position is numbered by the orbit of the mover's set under the 16 symmetries, then by the rank of the opponent's set
//! among the points that the representative of that orbit (its first member) leaves free. If the representative is itself
//! symmetric, several slots stand for images of one position: the least is used, the others are vacant.

use super::code::Code;
use super::combinations::{Gaps, MAX_SIZE, Ranks, binomial};
use super::endings::{Endings, Finished, RulesTag, Sector, Solvable, Walk};
use super::orbits::Orbits;
use super::solve::{Seed, Updates};
use crate::game::Side;
use crate::memory::prefetch;
use crate::morris::board::{ALL, Closers, NEIGHBOURS, POINTS, PointSet, in_mills, points};
use crate::morris::symmetry::{SYMMETRIES, image};
use crate::morris::{DIAGONALS, FLYING, Morris, NEVER, Position, Removal, Rules, Setup, rules};
use crate::value::Value;
use std::ops::Range;

/// Stones of a side, those in hand included, below which the game is over.
const FEWEST: u8 = 3;

/// The stones of a side, packed into the code of a force: 16 times those in hand, and those on the board.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Force {
    board: u8,
    hand: u8,
}

impl Force {
    const fn of(code: u8) -> Force {
        Force { board: code & 15, hand: code >> 4 }
    }

    const fn code(self) -> u8 {
        self.hand << 4 | self.board
    }

    const fn total(self) -> u8 {
        self.board + self.hand
    }

    /// After one stone is placed.
    const fn placed(self) -> Force {
        Force { board: self.board + 1, hand: self.hand - 1 }
    }

    /// After one stone on the board is lost; `None` if the game is over then, or there is none to lose.
    const fn reduced(self) -> Option<Force> {
        if self.total() > FEWEST && self.board > 0 { Some(Force { board: self.board - 1, ..self }) } else { None }
    }

    fn name(self, in_hand: bool) -> String {
        if in_hand { format!("{}+{}", self.board, self.hand) } else { self.board.to_string() }
    }
}

/// The numbering of one sector.
#[derive(Clone, Copy)]
struct Numbering {
    orbits: &'static Orbits,
    ranks: &'static Ranks,
    /// Slots per orbit.
    row: usize,
}

impl Numbering {
    fn of(sector: Sector) -> Numbering {
        let [own, opp] = [sector.own, sector.opp].map(|code| usize::from(Force::of(code).board));
        Numbering { orbits: Orbits::of(own), ranks: Ranks::of(opp), row: binomial(POINTS - own, opp) }
    }

    fn slots(self) -> usize {
        self.orbits.len() * self.row
    }

    /// The slot of a position, given the images of the opponent's set, and the number of symmetries that map
    /// the position onto itself.
    #[inline(always)]
    fn locate(self, own: PointSet, opp: impl Fn(usize) -> PointSet) -> (usize, u32) {
        let place = self.orbits.place(own);
        let gaps = self.orbits.first(place.orbit());
        let seen = opp(place.symmetry());
        let mut rank = self.ranks.rank(gaps.squeeze(seen));
        let mut stabiliser = 1;
        if place.symmetric() {
            (rank, stabiliser) = self.least(place.orbit(), gaps, seen);
        }
        (place.orbit() * self.row + rank as usize, stabiliser)
    }

    #[inline(always)]
    fn slot(self, own: PointSet, opp: PointSet) -> usize {
        self.locate(own, |symmetry| image(symmetry, opp)).0
    }

    /// The least rank among the images of the opponent's set under the stabiliser of an orbit's first member,
    /// and how many of these images are the set itself.
    fn least(self, orbit: usize, gaps: Gaps, opp: PointSet) -> (u32, u32) {
        let stabiliser = self.orbits.stabiliser(orbit);
        let mut fixed = 0;
        let mut least = u32::MAX;
        for symmetry in (0..SYMMETRIES).filter(|s| stabiliser >> s & 1 != 0) {
            let seen = image(symmetry, opp);
            fixed += u32::from(seen == opp);
            least = least.min(self.ranks.rank(gaps.squeeze(seen)));
        }
        (least, fixed)
    }

    /// The orbit of a slot and its place there.
    fn split(self, slot: u64) -> (usize, usize) {
        (slot as usize / self.row, slot as usize % self.row)
    }

    /// The sets of the mover and of the opponent; `None` for a vacant slot.
    fn sets(self, slot: u64) -> Option<(PointSet, PointSet)> {
        let (orbit, column) = self.split(slot);
        let gaps = self.orbits.first(orbit);
        let opp = gaps.spread(self.ranks.set(column));
        self.stabiliser(orbit, gaps, column as u32, opp).map(|_| (ALL & !gaps.free(), opp))
    }

    /// How many positions a slot stands for.
    fn images(self, slot: u64) -> u32 {
        let (orbit, column) = self.split(slot);
        if self.orbits.stabiliser(orbit) == 1 {
            return SYMMETRIES as u32;
        }
        let gaps = self.orbits.first(orbit);
        let opp = gaps.spread(self.ranks.set(column));
        self.stabiliser(orbit, gaps, column as u32, opp).map_or(0, |stabiliser| SYMMETRIES as u32 / stabiliser)
    }

    /// For a slot of an orbit: how many symmetries fix its position; `None` if it is vacant.
    fn stabiliser(self, orbit: usize, gaps: Gaps, column: u32, opp: PointSet) -> Option<u32> {
        if self.orbits.stabiliser(orbit) == 1 {
            return Some(1);
        }
        let (least, fixed) = self.least(orbit, gaps, opp);
        (least == column).then_some(fixed)
    }
}

/// The moving phase of a rule set of the morris family. `S` is the set of its switches.
#[derive(Clone, Copy, Debug)]
pub struct MorrisEndings<const S: u8> {
    game: Morris<S>,
    placing: bool,
}

impl<const S: u8> MorrisEndings<S> {
    /// The moving phase of this rule set. `S` determines everything but the number of stones.
    pub fn new(stones: u8) -> MorrisEndings<S> {
        let rules = Rules {
            stones,
            flying: S & FLYING != 0,
            removal: if S & NEVER != 0 { Removal::Never } else { Removal::IfAll },
            diagonals: S & DIAGONALS != 0,
            ..rules::MORRIS
        };
        MorrisEndings { game: Morris::new(rules), placing: false }
    }

    /// Adds or leaves out the positions with stones in hand.
    pub const fn with_placing(self, placing: bool) -> MorrisEndings<S> {
        MorrisEndings { placing, ..self }
    }

    /// The sectors with stones in hand: the sides place in turn, and whoever has just placed has a stone on the
    /// board. Few stones in hand come first. The empty boards of games with fewer stones are among them.
    fn placing_sectors(&self) -> impl Iterator<Item = Sector> {
        let stones = self.game.rules().stones.min(MAX_SIZE as u8);
        let hands = (1..=stones).flat_map(|hand| [(hand, hand - 1), (hand, hand)]);
        hands.flat_map(move |(own_hand, opp_hand)| {
            let boards = move |hand: u8| 0..=stones - hand;
            boards(own_hand).flat_map(move |own| {
                boards(opp_hand).filter_map(move |opp| {
                    let [own, opp] = [Force { board: own, hand: own_hand }, Force { board: opp, hand: opp_hand }];
                    let begun = opp.board > 0 || own.board == 0 && own_hand == opp_hand;
                    let undecided = own.total() >= FEWEST && opp.total() >= FEWEST;
                    (begun && undecided).then(|| Sector::new(own.code(), opp.code()))
                })
            })
        })
    }

    const DIAGONALS: bool = S & DIAGONALS != 0;
    const NEVER: bool = S & NEVER != 0;

    const fn flies(stones: usize) -> bool {
        S & FLYING != 0 && stones == 3
    }

    /// Points a stone can go to or, read backwards, come from.
    #[inline(always)]
    fn within_reach(point: u32, flies: bool, free: PointSet) -> PointSet {
        if flies { free } else { NEIGHBOURS[usize::from(Self::DIAGONALS)][point as usize % POINTS] & free }
    }
}

impl<const S: u8> Endings for MorrisEndings<S> {
    type Game = Morris<S>;

    fn game(&self) -> Morris<S> {
        self.game
    }

    fn tag(&self) -> RulesTag {
        [b'M', S, 0, 0, 0, 0, 0, 0]
    }

    fn tag_text(&self) -> String {
        let Rules { flying, removal, diagonals, .. } = *self.game.rules();
        format!("morris flying={flying} removal={} diagonals={diagonals}", removal.name())
    }

    fn name(&self, sector: Sector) -> String {
        let in_hand = self.in_hand(sector);
        format!("{}-{}", Force::of(sector.own).name(in_hand), Force::of(sector.opp).name(in_hand))
    }

    fn pieces(&self, sector: Sector) -> u32 {
        u32::from(Force::of(sector.own).total()) + u32::from(Force::of(sector.opp).total())
    }

    fn is_between(&self, sector: Sector, from: Sector, to: Sector) -> bool {
        let within = |force: u8, from: u8, to: u8| {
            let [force, from, to] = [force, from, to].map(Force::of);
            (from.board..=to.board).contains(&force.board) && (from.hand..=to.hand).contains(&force.hand)
        };
        within(sector.own, from.own, to.own) && within(sector.opp, from.opp, to.opp)
    }

    fn moving_only(&self) -> MorrisEndings<S> {
        self.with_placing(false)
    }

    fn in_hand(&self, sector: Sector) -> bool {
        Force::of(sector.own).hand > 0
    }

    fn pair(&self, sector: Sector) -> Vec<Sector> {
        let mut pair = vec![sector];
        if !self.in_hand(sector) && sector != sector.partner() {
            pair.push(sector.partner());
        }
        pair
    }

    fn sectors(&self) -> Vec<Sector> {
        let counts = FEWEST..=self.game.rules().stones.min(MAX_SIZE as u8);
        let mut sectors: Vec<Sector> =
            counts.clone().flat_map(|own| counts.clone().map(move |opp| Sector::new(own, opp))).collect();
        sectors.sort_by_key(|s| (s.own + s.opp, s.own.abs_diff(s.opp), s.opp));
        if self.placing {
            sectors.extend(self.placing_sectors());
        }
        sectors
    }

    fn exits(&self, sector: Sector) -> Vec<Sector> {
        let (own, opp) = (Force::of(sector.own), Force::of(sector.opp));
        let (placed, own) = if own.hand > 0 { (true, own.placed()) } else { (false, own) };
        let quiet = placed.then_some(opp);
        quiet.into_iter().chain(opp.reduced()).map(|opp| Sector::new(opp.code(), own.code())).collect()
    }

    #[inline]
    fn sector(&self, pos: &Position) -> Option<Sector> {
        if !self.placing && pos.own_hand() + pos.opp_hand() > 0 {
            return None;
        }
        let force = |set: PointSet, hand: u32| Force { board: set.count_ones() as u8, hand: hand as u8 };
        let (own, opp) = (force(pos.own(), pos.own_hand()), force(pos.opp(), pos.opp_hand()));
        let covered = |force: Force| (FEWEST..=MAX_SIZE as u8).contains(&force.total());
        (covered(own) && covered(opp)).then(|| Sector::new(own.code(), opp.code()))
    }

    fn slots(&self, sector: Sector) -> u64 {
        Numbering::of(sector).slots() as u64
    }

    #[inline]
    fn slot(&self, pos: &Position) -> u64 {
        let sector = Sector::new(pos.own().count_ones() as u8, pos.opp().count_ones() as u8);
        Numbering::of(sector).slot(pos.own(), pos.opp()) as u64
    }

    fn position(&self, sector: Sector, slot: u64) -> Option<Position> {
        let (own, opp) = Numbering::of(sector).sets(slot)?;
        let setup = Setup {
            stones: [own, opp],
            hands: [sector.own, sector.opp].map(|code| Force::of(code).hand.into()),
            side: Side::White,
            counter: 0,
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

impl<const S: u8> Solvable for MorrisEndings<S> {
    type Walk<'a> = MorrisWalk<'a, S>;

    fn walk<'a>(&self, sector: Sector, finished: &'a dyn Finished) -> MorrisWalk<'a, S> {
        let exit = |opp: Force, own: Force| {
            let exit = Sector::new(opp.code(), own.code());
            Exit { numbering: Numbering::of(exit), codes: finished.codes(exit) }
        };
        let (own, opp) = (Force::of(sector.own), Force::of(sector.opp));
        let after = if own.hand > 0 { own.placed() } else { own };
        MorrisWalk {
            sector,
            numbering: Numbering::of(sector),
            partner: Numbering::of(sector.partner()),
            captures: opp.reduced().map(|opp| exit(opp, after)),
            placements: (own.hand > 0).then(|| exit(opp, after)),
        }
    }
}

/// A sector that moves lead to and that is finished.
struct Exit<'a> {
    numbering: Numbering,
    codes: &'a [Code],
}

/// Lookups begun in a sector: place in the batch, and slot.
type Lookups = Vec<(u32, u32)>;

impl Exit<'_> {
    /// Starts to look up the code of a position.
    #[inline(always)]
    fn look_up(&self, i: usize, own: PointSet, opp: PointSet, lookups: &mut Lookups) {
        let slot = self.numbering.slot(own, opp);
        prefetch(&self.codes[slot]);
        lookups.push((i as u32, slot as u32));
    }

    /// Finishes the lookups.
    #[inline(always)]
    fn take(&self, lookups: &mut Lookups, best: &mut [u16; BATCH]) {
        for (i, slot) in lookups.drain(..) {
            let best = &mut best[i as usize];
            *best = (*best).max(exit_rank(self.codes[slot as usize]));
        }
    }
}

/// Visits the positions of a sector. A row is an orbit of the mover's set.
pub struct MorrisWalk<'a, const S: u8> {
    sector: Sector,
    numbering: Numbering,
    partner: Numbering,
    captures: Option<Exit<'a>>,
    /// Where stones in hand are placed, all moves leave the sector.
    placements: Option<Exit<'a>>,
}

/// Slots looked at together, so that their reads from memory overlap.
const BATCH: usize = 32;

/// The moves of a set of stones on an otherwise empty board.
struct Mobility {
    /// Targets of moves that close no mill, each target once for each move in all masks together.
    quiet: Vec<PointSet>,
    /// Target and resulting set of each move that closes a mill.
    closing: Vec<(PointSet, PointSet)>,
}

impl Mobility {
    /// The moves that place a stone.
    fn placing<const S: u8>(own: PointSet) -> Mobility {
        let closing = Closers::of(own, MorrisEndings::<S>::DIAGONALS).by_placing() & !own;
        Mobility {
            quiet: vec![ALL & !own & !closing],
            closing: points(closing).map(|to| (1 << to, own | 1 << to)).collect(),
        }
    }

    /// The moves of stones on the board.
    fn moving<const S: u8>(own: PointSet) -> Mobility {
        let flies = MorrisEndings::<S>::flies(own.count_ones() as usize);
        let mut mobility = Mobility { quiet: Vec::new(), closing: Vec::new() };
        for from in points(own) {
            let rest = own ^ (1 << from);
            let targets = MorrisEndings::<S>::within_reach(from, flies, ALL & !own);
            let closing = targets & Closers::of(rest, MorrisEndings::<S>::DIAGONALS).by_placing();
            mobility.closing.extend(points(closing).map(|to| (1 << to, rest | 1 << to)));
            // The first masks that do not have these targets yet take them: four are enough for slides.
            let mut targets = targets & !closing;
            for mask in &mut mobility.quiet {
                (*mask, targets) = (*mask | targets, *mask & targets);
            }
            if targets != 0 {
                mobility.quiet.push(targets);
            }
        }
        mobility
    }
}

/// How good a move out of the sector is, given the code of the position it leads to: larger is better.
const fn exit_rank(code: Code) -> u16 {
    match code.value() {
        Value::Loss(plies) => 1024 - plies as u16,
        Value::Draw => 512,
        Value::Win(plies) => plies as u16,
    }
}

/// The value of the best move out of the sector, given its rank.
const fn exit_value(rank: u16) -> Value {
    match rank {
        513.. => Value::Win((1024 - rank) as u32 + 1),
        512 => Value::Draw,
        _ => Value::Loss(rank as u32 + 1),
    }
}

impl<const S: u8> MorrisWalk<'_, S> {
    /// Appends the seeds of up to [`BATCH`] slots of a row.
    #[inline(always)]
    fn seed_batch(
        &self,
        row: usize,
        columns: Range<usize>,
        mobility: &Mobility,
        [captures, placements]: &mut [Lookups; 2],
        seeds: &mut Vec<Seed>,
    ) {
        let gaps = self.numbering.orbits.first(row);
        let mut best = [0u16; BATCH];
        let base = seeds.len();
        for (i, column) in columns.enumerate() {
            let opp = gaps.spread(self.numbering.ranks.set(column));
            if self.numbering.stabiliser(row, gaps, column as u32, opp).is_none() {
                seeds.push(Seed::Vacant);
                continue;
            }
            if gaps.free() == opp {
                seeds.push(Seed::Drawn);
                continue;
            }
            let mut quiet = 0;
            if let Some(exit) = &self.placements {
                for to in points(mobility.quiet[0] & !opp) {
                    exit.look_up(i, opp, ALL & !gaps.free() | 1 << to, placements);
                }
            } else {
                quiet = mobility.quiet.iter().map(|mask| (mask & !opp).count_ones()).sum();
            }
            let closing = mobility.closing.iter().filter(|(to, _)| to & opp == 0);
            let count = closing.clone().count() as u32;
            let mut exit = None;
            if count > 0 {
                let loose = opp & !in_mills(opp, MorrisEndings::<S>::DIAGONALS);
                let removable = if loose != 0 || MorrisEndings::<S>::NEVER { loose } else { opp };
                if removable == 0 {
                    match &self.placements {
                        Some(exit) => closing.for_each(|&(_, own)| exit.look_up(i, opp, own, placements)),
                        None => quiet += count,
                    }
                } else if let Some(exit) = &self.captures {
                    for removed in points(removable) {
                        for &(_, own) in closing.clone() {
                            exit.look_up(i, opp ^ (1 << removed), own, captures);
                        }
                    }
                } else {
                    exit = Some(Value::Win(1));
                }
            }
            seeds.push(Seed::Open { exit, quiet });
        }
        for (exit, lookups) in [(&self.captures, captures), (&self.placements, placements)] {
            if let Some(exit) = exit {
                exit.take(lookups, &mut best);
            }
        }
        for (seed, &rank) in seeds[base..].iter_mut().zip(&best) {
            if rank > 0
                && let Seed::Open { exit, .. } = seed
                && *exit != Some(Value::Win(1))
            {
                *exit = Some(exit_value(rank));
            }
        }
    }
}

impl<const S: u8> Walk for MorrisWalk<'_, S> {
    fn rows(&self) -> usize {
        self.numbering.orbits.len()
    }

    fn has_quiet_moves(&self) -> bool {
        self.placements.is_none()
    }

    fn row(&self, row: usize) -> Range<usize> {
        row * self.numbering.row..(row + 1) * self.numbering.row
    }

    fn seed(&self, row: usize, seeds: &mut Vec<Seed>) {
        let own = ALL & !self.numbering.orbits.first(row).free();
        let mobility = if self.has_quiet_moves() { Mobility::moving::<S>(own) } else { Mobility::placing::<S>(own) };
        let mut lookups = [Vec::new(), Vec::new()];
        for first in (0..self.numbering.row).step_by(BATCH) {
            let columns = first..(first + BATCH).min(self.numbering.row);
            self.seed_batch(row, columns, &mobility, &mut lookups, seeds);
        }
    }

    fn predecessors(&self, row: usize, slots: &[u32], updates: &mut Updates<'_>) {
        let gaps = self.numbering.orbits.first(row);
        let own = ALL & !gaps.free();
        let images: [PointSet; SYMMETRIES] = std::array::from_fn(|symmetry| image(symmetry, own));
        let flies = MorrisEndings::<S>::flies(Force::of(self.sector.opp).board.into());
        // A move that closes a mill is quiet only where nothing may be removed.
        let silent_mills = MorrisEndings::<S>::NEVER && own & !in_mills(own, MorrisEndings::<S>::DIAGONALS) == 0;
        let mut origins: Vec<(u32, u32)> = Vec::new();
        for &slot in slots {
            let column = slot as usize - row * self.numbering.row;
            let opp = gaps.spread(self.numbering.ranks.set(column));
            let stabiliser = self.numbering.stabiliser(row, gaps, column as u32, opp).unwrap_or(1);
            let free = gaps.free() & !opp;
            let moved = if silent_mills { opp } else { opp & !in_mills(opp, MorrisEndings::<S>::DIAGONALS) };
            origins.clear();
            for to in points(moved) {
                for from in points(MorrisEndings::<S>::within_reach(to, flies, free)) {
                    let before = opp ^ (1 << to) ^ (1 << from);
                    let (slot, weight) = self.partner.locate(before, |symmetry| images[symmetry]);
                    if stabiliser == 1 {
                        updates.send(slot as u32, weight);
                    } else {
                        origins.push((slot as u32, weight));
                    }
                }
            }
            // Here several moves backwards lead to images of one predecessor. Counting the pairs of images of
            // both positions from either side shows how many moves of the predecessor lead here: as many as there
            // are moves back to its images, times its symmetries, by those of this position.
            origins.sort_unstable();
            for same in origins.chunk_by(|a, b| a.0 == b.0) {
                let moves: u32 = same.iter().map(|origin| origin.1).sum();
                updates.send(same[0].0, moves / stabiliser);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_and_positions_correspond() {
        let endings = MorrisEndings::<FLYING>::new(9).with_placing(true);
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
                            assert_eq!(Numbering::of(sector).slot(own, opp) as u64, slot, "all images share a slot");
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
        let endings = MorrisEndings::<FLYING>::new(9).with_placing(true);
        let sectors: Vec<Sector> = endings.placing_sectors().collect();
        // Six empty boards of games with three to eight stones are no positions of this one.
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
        let endings = MorrisEndings::<FLYING>::new(9);
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
