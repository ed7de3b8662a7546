//! What compact tables know of a slot before its result: the mobility, mills and threats of both sides, and the results
//! of similar positions earlier in the block.
//!
//! Columns are visited in order of their ranks. The stones of a row are the same in all its columns, so that tables of
//! the row by the opponent's stones on each ring give most figures as sums.

use super::sets::next_set;
use super::{Force, MorrisEndings, Numbering};
use crate::compact::{Contexts, Scanned, Scanner, UNKNOWN};
use crate::endings::Sector;
use crate::format::digits::DRAW;
use millbrain_core::bits::iter_ones;
use millbrain_core::morris::board::{
    ALL, LINES, LINES_PLAIN, LINES_WITH_DIAGONALS, NEIGHBOURS, POINTS, PointSet, anticlockwise, clockwise, spokes,
};
use millbrain_core::morris::rules::MIN_STONES;

const RINGS: usize = 3;
/// The most steps between free points that are compared.
const STEPS: usize = 32;

/// What some stones of the opponent on one ring add to the figures of a position.
#[derive(Clone, Copy, Default)]
struct Part {
    /// The stones.
    stones: u8,
    /// Free points that complete a side with two of the stones, where a stone of another ring may step to.
    by_others: u8,
    /// Free corners that complete a side with two of the stones, where another stone of the ring can step to.
    corners: u8,
    /// Points next to the stones on the ring.
    beside: u8,
    /// Steps of the mover that the stones block.
    blocked: u8,
    /// Steps of the stones that the mover does not block.
    steps: u8,
    /// Points where the mover would close a mill.
    closers: u8,
    /// Full sides of the ring.
    mills: u8,
    /// The steps that begin with one of the stones, a bit each.
    from: u32,
    /// The steps that end on one of the stones.
    to: u32,
}

/// A row of positions with the same stones of the mover.
struct Row {
    orbit: usize,
    /// The row's first slot, counted from the first of the block.
    start: i32,
    is_symmetric: bool,
    /// The free points of each ring.
    free: [u8; RINGS],
    /// By ring and by the numbers of the stones on it.
    parts: [[Part; 256]; RINGS],
    /// The numbers with which the second and the third ring begin.
    rings: [usize; 2],
    /// The steps from one free point to another with a lower number, as both bits.
    steps: [PointSet; STEPS],
    /// The mover's mills, and its figures without stones of the opponent.
    mills: u32,
    closers: u32,
    mobility: u32,
}

/// Scans the blocks of a sector row by row.
pub(super) struct RowScanner {
    numbering: Numbering,
    diagonals: bool,
    /// All points of a ring if a side can close a mill with a stone from anywhere, otherwise none: the mover, then the
    /// opponent.
    reach: [u8; 2],
    /// The first slot of the block.
    first: u64,
    column: u32,
    /// The numbers of the opponent's stones.
    numbers: PointSet,
    /// The signatures of the slots before.
    signatures: Vec<u8>,
    /// The numbering of the opponent's sets without one stone, if there is a stone.
    fewer: Option<Numbering>,
    /// The digits of the row by the opponent's set without one stone: those of positions that differ in that stone.
    by_rest: Vec<Tallied>,
    /// The sets without each of the stones, of the slot whose digit is not known yet.
    rests: Vec<u32>,
    row: Box<Row>,
}

/// The numbers of set bits.
static ONES: [u8; 256] = {
    let mut ones = [0; 256];
    let mut byte = 1;
    while byte < 256 {
        ones[byte] = ones[byte / 2] + byte as u8 % 2;
        byte += 1;
    }
    ones
};

/// Counts the set bits of a byte.
#[inline(always)]
fn ones(byte: u8) -> u32 {
    ONES[usize::from(byte)].into()
}

/// The figures of a position.
struct Figures {
    /// The mover's steps, and the opponent's.
    mobility: [u32; 2],
    /// Points where the mover closes a mill, and where the opponent does.
    closers: [u32; 2],
    /// The opponent's mills.
    mills: u32,
    /// The opponent's stones, ring by ring.
    stones: [u8; RINGS],
    /// The opponent's steps to points of lower numbers.
    steps: u32,
}

impl Figures {
    /// Returns those that a change of results mostly comes with.
    const fn signature(&self) -> u8 {
        (at_most_3(self.mills) | at_most_3(self.closers[0]) << 2 | at_most_3(self.closers[1]) << 4) as u8
    }
}

const fn at_most_3(count: u32) -> u32 {
    if count > 3 { 3 } else { count }
}

/// Numbers of slots by digit, a byte each.
#[derive(Clone, Copy, Default)]
struct Tallied(u32);

impl Tallied {
    fn add(&mut self, digit: u8) {
        self.0 += 1 << (8 * digit);
    }

    const fn of(self, digit: u32) -> u32 {
        self.0 >> (8 * digit) & 0xFF
    }

    /// Returns the numbers, at most three of each, as six bits.
    const fn few(self) -> u32 {
        at_most_3(self.of(0)) | at_most_3(self.of(1)) << 2 | at_most_3(self.of(2)) << 4
    }

    /// Returns the shares of losses and wins in twelfths, as a number below 144.
    const fn shares(self) -> u32 {
        let all = self.of(0) + self.of(1) + self.of(2) + 1;
        12 * (12 * self.of(0) / all) + 12 * self.of(2) / all
    }

    /// Returns the most frequent digit and whether there are others, as a number below 10.
    fn trend(self) -> u32 {
        let counts = [self.of(0), self.of(1), self.of(2)];
        let all = counts[0] + counts[1] + counts[2];
        let most =
            if counts[1] >= counts[0] && counts[1] >= counts[2] { 1 } else { 2 * usize::from(counts[2] > counts[0]) };
        match all {
            0 => 9,
            _ if counts[most] < all => 3 * most as u32 + 2,
            1 | 2 => 3 * most as u32 + 1,
            _ => 3 * most as u32,
        }
    }
}

impl RowScanner {
    pub(super) fn new(endings: &MorrisEndings, sector: Sector) -> RowScanner {
        let rules = endings.game.rules();
        let reach = [sector.own, sector.opp].map(|code| {
            let force = Force::of(code);
            if force.hand > 0 || rules.flying && force.total() == MIN_STONES { u8::MAX } else { 0 }
        });
        let row = Row {
            orbit: 0,
            start: 0,
            is_symmetric: false,
            free: [0; RINGS],
            parts: [[Part::default(); 256]; RINGS],
            rings: [0; 2],
            steps: [0; STEPS],
            mills: 0,
            closers: 0,
            mobility: 0,
        };
        RowScanner {
            numbering: Numbering::of(sector),
            diagonals: rules.diagonals,
            reach,
            first: 0,
            column: 0,
            numbers: 0,
            signatures: Vec::new(),
            fewer: Force::of(sector.opp)
                .board
                .checked_sub(1)
                .map(|opp| Numbering::of_sizes(Force::of(sector.own).board.into(), opp.into())),
            by_rest: Vec::new(),
            rests: Vec::new(),
            row: Box::new(row),
        }
    }

    fn lines(&self) -> &'static [PointSet] {
        &LINES[..if self.diagonals { LINES_WITH_DIAGONALS } else { LINES_PLAIN }]
    }

    fn neighbours(&self, point: usize) -> PointSet {
        NEIGHBOURS[usize::from(self.diagonals)][point]
    }

    /// Returns the points where the mover closes a line.
    fn own_closers(&self, own: PointSet) -> PointSet {
        let closes = |line: PointSet| {
            let missing = line & !own;
            let is_closed = missing.is_power_of_two()
                && (self.reach[0] != 0 || self.neighbours(missing.trailing_zeros() as usize) & own & !line != 0);
            if is_closed { missing } else { 0 }
        };
        self.lines().iter().fold(0, |points, &line| points | closes(line))
    }

    /// Prepares the tables of a row.
    fn enter(&mut self, orbit: usize) {
        let gaps = self.numbering.gaps(orbit);
        let free = gaps.free();
        let own = ALL & !free;
        let is_free = |point: usize| free >> point & 1 != 0;
        let count = |point: usize, set: PointSet| (self.neighbours(point) & set).count_ones();
        let own_closers = self.own_closers(own);
        let (mut steps, mut from, mut to) = ([0; STEPS], [0; POINTS], [0; POINTS]);
        let pairs = (0..POINTS).flat_map(|high| (0..high).map(move |low| (high, low)));
        let is_step = |(high, low): &(usize, usize)| is_free(*high) && is_free(*low) && count(*high, 1 << low) > 0;
        for (step, (high, low)) in pairs.filter(is_step).take(STEPS).enumerate() {
            steps[step] = gaps.squeeze(1 << high | 1 << low);
            from[high] |= 1u32 << step;
            to[low] |= 1u32 << step;
        }
        let mut parts = self.row.parts;
        for (ring, parts) in parts.iter_mut().enumerate() {
            let points: Vec<usize> = (8 * ring..8 * ring + 8).filter(|&point| is_free(point)).collect();
            let is_possible = |numbers: &usize| numbers.count_ones() as usize <= self.numbering.size();
            for numbers in (1..1usize << points.len()).filter(is_possible) {
                let point = points[numbers.trailing_zeros() as usize];
                let rest = parts[numbers & (numbers - 1)];
                let bit = 1 << (point % 8);
                let inner = ((clockwise(bit) | anticlockwise(bit)) & u32::from(rest.stones)).count_ones();
                parts[numbers] = Part {
                    blocked: rest.blocked + count(point, own) as u8,
                    // A step between two of the stones was counted from the other.
                    steps: rest.steps + count(point, free) as u8 - 2 * inner as u8,
                    closers: rest.closers + (own_closers >> point & 1) as u8,
                    from: rest.from | from[point],
                    to: rest.to | to[point],
                    ..self.part_of_ring(u32::from(rest.stones) | bit, free >> (8 * ring) & 0xFF)
                };
            }
        }
        *self.row = Row {
            orbit,
            start: (self.numbering.row(orbit).start as i64 - self.first as i64) as i32,
            is_symmetric: self.numbering.is_symmetric(orbit),
            free: [0, 8, 16].map(|shift| (free >> shift) as u8),
            rings: gaps.rings(),
            steps,
            mills: self.lines().iter().filter(|&&line| line & own == line).count() as u32,
            closers: own_closers.count_ones(),
            mobility: (0..POINTS).filter(|&point| is_free(point)).map(|point| count(point, own)).sum(),
            parts,
        };
    }

    /// Forgets the digits of a row.
    fn clear(&mut self) {
        self.rests.clear();
        self.by_rest.clear();
        self.by_rest.resize(self.fewer.map_or(0, |fewer| fewer.columns() as usize), Tallied::default());
    }

    /// Returns the figures of stones on a ring that do not depend on the mover's stones.
    fn part_of_ring(&self, stones: u32, free: u32) -> Part {
        const MIDDLES: u32 = 0x55;
        let (cw, acw) = (clockwise(stones), anticlockwise(stones));
        let (empty, across) = (free & !stones, spokes(self.diagonals));
        let [clockwise_side, anticlockwise_side] = [acw & anticlockwise(acw), cw & clockwise(cw)];
        // A stone on the other side of the corner can step to it.
        let reach = |other: u32| other | u32::from(self.reach[1]);
        Part {
            stones: stones as u8,
            beside: (cw | acw) as u8,
            by_others: (empty & (MIDDLES & cw & acw | across & !MIDDLES & (clockwise_side | anticlockwise_side))) as u8,
            corners: (!MIDDLES & empty & (clockwise_side & reach(cw) | anticlockwise_side & reach(acw))) as u8,
            mills: (MIDDLES & stones & cw & acw).count_ones() as u8,
            ..Part::default()
        }
    }

    #[inline(always)]
    fn figures(&self) -> Figures {
        let Row { rings: [second, third], parts, free, .. } = &*self.row;
        let numbers = self.numbers as usize;
        let a = &parts[0][numbers & ((1 << second) - 1)];
        let b = &parts[1][numbers >> second & ((1 << (third - second)) - 1)];
        let c = &parts[2][numbers >> third & 0xFF];
        let across = spokes(self.diagonals) as u8;
        let on_spokes = |one: &Part, other: &Part| one.stones & other.stones & across;
        let [ab, bc, ac] = [on_spokes(a, b), on_spokes(b, c), on_spokes(a, c)];
        let reach = |stones: u8| stones | self.reach[1];
        let closers = |part: &Part, free: u8, neighbours: u8, others: u8| {
            let on_lines_across = others & free & !part.stones & reach(part.beside);
            ones(part.corners | part.by_others & reach(neighbours) | on_lines_across)
        };
        let sum = |figure: fn(&Part) -> u8| u32::from(figure(a)) + u32::from(figure(b)) + u32::from(figure(c));
        Figures {
            mobility: [
                self.row.mobility - sum(|part| part.blocked),
                sum(|part| part.steps) - 2 * (ones(ab) + ones(bc)),
            ],
            closers: [
                self.row.closers - sum(|part| part.closers),
                closers(a, free[0], b.stones, bc)
                    + closers(b, free[1], a.stones | c.stones, ac)
                    + closers(c, free[2], b.stones, ab),
            ],
            mills: sum(|part| part.mills) + ones(ab & c.stones),
            stones: [a.stones, b.stones, c.stones],
            steps: (a.from | b.from | c.from) & !(a.to | b.to | c.to),
        }
    }

    #[inline(always)]
    fn contexts(&mut self, digits: &[u8]) -> Contexts {
        let figures = self.figures();
        let signature = figures.signature();
        self.signatures.push(signature);
        // Those of positions of the row, with one stone of the opponent a step away; those of the same signature.
        let (mut near, mut alike) = (Tallied::default(), Tallied::default());
        for step in iter_ones(figures.steps) {
            let numbers = self.numbers ^ self.row.steps[step as usize];
            // A position in an earlier block has a negative place.
            if let Ok(place) = usize::try_from(self.row.start + self.numbering.column(numbers) as i32) {
                near.add(digits[place]);
                if self.signatures[place] == signature {
                    alike.add(digits[place]);
                }
            }
        }
        // Those of positions of the row with one stone of the opponent anywhere else.
        let far = self.rests.iter().fold(0, |sum, &rest| sum + self.by_rest[rest as usize].0);
        let far = Tallied(far).shares();
        let before =
            |distance: usize| u32::from(digits.len().checked_sub(distance).map_or(UNKNOWN, |place| digits[place]));
        let [h1, h2, h3, h4, h5] = [before(1), before(2), before(3), before(4), before(5)];
        let trend = near.trend();
        let [m1, m2] = [figures.mobility[0].min(15), figures.mobility[1].min(15)];
        let [c1, c2] = [at_most_3(figures.closers[0]), at_most_3(figures.closers[1])];
        let mills = at_most_3(figures.mills) | at_most_3(self.row.mills) << 2;
        let [a, b, c] = figures.stones;
        [
            (h1 | h2 << 2 | h3 << 4 | h4 << 6 | h5 << 8) as u16,
            (near.few() | h1 << 6 | h2 << 8) as u16,
            (m1 | m2 << 4 | trend << 8) as u16,
            (c1 | c2 << 2 | mills << 4 | trend << 8) as u16,
            (alike.few() | h1 << 6) as u16,
            (far | h1 << 8) as u16,
            (far | c1 << 8 | c2 << 10) as u16,
            a.into(),
            b.into(),
            c.into(),
        ]
    }
}

impl Scanner for RowScanner {
    fn begin(&mut self, first: u64) {
        let columns = u64::from(self.numbering.columns());
        self.first = first;
        self.column = (first % columns) as u32;
        self.numbers = self.numbering.numbers(self.column);
        self.signatures.clear();
        self.enter((first / columns) as usize);
        self.clear();
    }

    #[inline(always)]
    fn next(&mut self, digits: &[u8]) -> Scanned {
        if self.column == self.numbering.columns() {
            self.column = 0;
            self.numbers = self.numbering.numbers(0);
            self.enter(self.row.orbit + 1);
            self.clear();
        } else if let Some(&digit) = digits.last() {
            self.rests.iter().for_each(|&rest| self.by_rest[rest as usize].add(digit));
        }
        self.rests.clear();
        if let Some(fewer) = self.fewer {
            for stone in iter_ones(self.numbers) {
                self.rests.push(fewer.column(self.numbers ^ 1 << stone) as u32);
            }
        }
        let mut vacant = None;
        if self.row.is_symmetric {
            let gaps = self.numbering.gaps(self.row.orbit);
            let least = self.numbering.least_column(self.row.orbit, gaps, gaps.spread(self.numbers));
            if least < self.column {
                let place = usize::try_from(self.row.start + least as i32).ok();
                vacant = Some(place.map_or_else(|| digits.last().copied().unwrap_or(DRAW), |place| digits[place]));
            }
        }
        let scanned = match vacant {
            Some(digit) => {
                self.signatures.push(self.figures().signature());
                Scanned::Vacant(digit)
            }
            None => Scanned::Coded(self.contexts(digits)),
        };
        self.column += 1;
        if self.column < self.numbering.columns() {
            self.numbers = next_set(self.numbers);
        }
        scanned
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Endings;
    use millbrain_core::morris::{DIAGONALS, FLYING};

    /// Counts the points where a set closes a line.
    fn closers(scanner: &RowScanner, side: usize, set: PointSet, free: PointSet) -> u32 {
        let closes = |point: &usize| {
            scanner.lines().iter().any(|line| {
                let others = line & !(1 << point);
                let movers = if scanner.reach[side] != 0 { ALL } else { scanner.neighbours(*point) & set & !line };
                line >> point & 1 != 0 && set & others == others && movers != 0
            })
        };
        (0..POINTS).filter(|point| free >> point & 1 != 0).filter(closes).count() as u32
    }

    fn check(scanner: &RowScanner, slot: u64) {
        let (row, numbering) = (&scanner.row, scanner.numbering);
        let gaps = numbering.gaps(row.orbit);
        let [own, opp] = [ALL & !gaps.free(), gaps.spread(scanner.numbers)];
        let free = gaps.free() & !opp;
        let steps = |set: PointSet| {
            let points = (0..POINTS).filter(|point| set >> point & 1 != 0);
            points.map(|point| (scanner.neighbours(point) & free).count_ones()).sum::<u32>()
        };
        let mills = |set: PointSet| scanner.lines().iter().filter(|&&line| line & set == line).count() as u32;
        let figures = scanner.figures();
        assert_eq!(figures.mobility, [own, opp].map(steps), "{slot}");
        assert_eq!(
            figures.closers,
            [(0, own), (1, opp)].map(|(side, set)| closers(scanner, side, set, free)),
            "{slot}"
        );
        assert_eq!([row.mills, figures.mills], [own, opp].map(mills), "{slot}");
        for step in (0..STEPS).filter(|step| figures.steps >> step & 1 != 0) {
            let moved = gaps.spread(scanner.numbers ^ row.steps[step]);
            let (from, to) = (opp & !moved, moved & !opp);
            assert!(from > to && free & to != 0 && scanner.neighbours(to.trailing_zeros() as usize) & from != 0);
        }
    }

    #[test]
    fn figures_are_those_of_the_positions() {
        for (switches, name) in
            [(FLYING, "6-4"), (FLYING, "3-5"), (DIAGONALS, "9-9"), (0, "4+3-5+2"), (FLYING, "8+1-2+1")]
        {
            let endings = MorrisEndings::new(switches, 9).with_placing(true);
            let sector = endings.sectors().into_iter().find(|&sector| endings.name(sector) == name).expect("a sector");
            let mut scanner = RowScanner::new(&endings, sector);
            let mut rng = fastrand::Rng::with_seed(4);
            for _ in 0..3 {
                let first = rng.u64(..endings.slots(sector) - 3_000);
                scanner.begin(first);
                let mut digits = Vec::new();
                for slot in first..first + 3_000 {
                    if scanner.column < scanner.numbering.columns() {
                        check(&scanner, slot);
                    }
                    let is_vacant = matches!(scanner.next(&digits), Scanned::Vacant(_));
                    assert_eq!(is_vacant, endings.position(sector, slot).is_none(), "{name} {slot}");
                    digits.push(rng.u8(..3));
                }
            }
        }
    }
}
