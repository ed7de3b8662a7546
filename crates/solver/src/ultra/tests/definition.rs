//! Ultra-strong values compared with those by definition, found in the plainest way.

use crate::code::Codes;
use crate::prospects::EVEN;
use crate::prospects::Prospects;
use crate::solvable::Solvable;
use crate::solve::Unsolved;
use crate::tests::solve_in_memory;
use crate::ultra::{Grounds, UltraSolver};
use millbrain_core::game::value::Prospect;
use millbrain_core::game::{Game, Verdict};
use millbrain_core::morris::{FLYING, NEVER};
use millbrain_files::InFile;
use millbrain_tablebase::format::Fault;
use millbrain_tablebase::{Endings, Located, Sector};
use millbrain_tablebase::{MorrisEndings, SmessEndings};
use std::collections::HashMap;

/// Solved sectors with ranks, in memory.
struct Solved<'a> {
    endings: &'a MorrisEndings,
    codes: &'a HashMap<Sector, Codes>,
    rank: fn(Sector) -> i32,
    prospects: HashMap<Sector, Prospects>,
}

impl Solved<'_> {
    fn verdict(&self, sector: Sector, slot: u64) -> Verdict {
        self.codes[&sector].value(slot as usize).verdict()
    }
}

impl Grounds for Solved<'_> {
    fn rank(&self, sector: Sector) -> i32 {
        (self.rank)(sector)
    }

    fn results(&self, sector: Sector) -> Result<Vec<u8>, InFile<Fault>> {
        let digit = |slot| match self.verdict(sector, slot) {
            Verdict::Loss => 0,
            Verdict::Draw => 1,
            Verdict::Win => 2,
        };
        Ok((0..self.endings.slots(sector)).map(digit).collect())
    }

    fn moves_to(&self, sector: Sector) -> Result<Vec<u8>, Unsolved> {
        match self.prospects.get(&sector) {
            Some(prospects) => Ok(prospects.moves_to(self.rank(sector))),
            None => UltraSolver::derive(self.endings, sector, self),
        }
    }
}

/// A move that holds a draw.
#[derive(Clone, Copy)]
enum Step {
    /// A move to a position of the pair, by its number.
    Stay(usize),
    /// A move out of the pair, with its value.
    Leave(i32),
}

/// The drawn positions of a pair: the sector and slot of each, and its moves that hold the draw.
struct Drawn {
    places: Vec<(Sector, u64)>,
    steps: Vec<Vec<Step>>,
}

/// Values by definition, by sector and slot.
type Values = HashMap<(Sector, u64), (i32, u32)>;

impl Drawn {
    fn of(solved: &Solved<'_>, pair: &[Sector], values: &Values) -> Drawn {
        let endings = solved.endings;
        let game = endings.game();
        let mut places = Vec::new();
        for &sector in pair {
            let drawn = |slot: &u64| {
                endings.position(sector, *slot).is_some() && solved.verdict(sector, *slot) == Verdict::Draw
            };
            places.extend((0..endings.slots(sector)).filter(drawn).map(|slot| (sector, slot)));
        }
        let numbers: HashMap<(Sector, u64), usize> = places.iter().copied().zip(0..).collect();
        let steps = places.iter().map(|&(sector, slot)| {
            let pos = endings.position(sector, slot).expect("in use");
            let step = |mv| match endings.locate(&game.play(&pos, mv)) {
                Located::Slot(sector, slot) if solved.verdict(sector, slot) == Verdict::Draw => Some(
                    numbers
                        .get(&(sector, slot))
                        .map_or_else(|| Step::Leave(-values[&(sector, slot)].0), |&n| Step::Stay(n)),
                ),
                _ => None,
            };
            game.moves(&pos).into_iter().filter_map(step).collect()
        });
        Drawn { steps: steps.collect(), places }
    }

    /// Returns which positions reach a wanted value, if staying for ever is not enough, or hold it, if staying is
    /// enough. `is_mine` returns whether the side that wants the value is to move in a position. The caller has
    /// compared the value of staying.
    fn reach(
        &self,
        is_mine: impl Fn(usize) -> bool,
        staying_is_enough: bool,
        is_enough: impl Fn(usize, i32) -> bool,
    ) -> Vec<bool> {
        let mut holds = vec![staying_is_enough; self.places.len()];
        loop {
            let mut changed = false;
            for (place, steps) in self.steps.iter().enumerate() {
                let good = |step: &Step| match *step {
                    Step::Stay(next) => holds[next],
                    Step::Leave(value) => is_enough(place, value),
                };
                let now = if is_mine(place) { steps.iter().any(good) } else { steps.iter().all(good) };
                changed |= now != holds[place];
                holds[place] = now;
            }
            if !changed {
                return holds;
            }
        }
    }

    /// Returns the values: the most that the side to move can force.
    fn values(&self, rank: fn(Sector) -> i32, most: i32) -> Vec<i32> {
        let first = self.places[0].0;
        let mut values = vec![-most; self.places.len()];
        for side in [first, first.partner()] {
            let is_mine = |place: usize| self.places[place].0 == side;
            for wanted in -most + 1..=most {
                // The value of a move for this side, whichever side makes it.
                let is_enough = |place, value: i32| if is_mine(place) { value >= wanted } else { -value >= wanted };
                let holds = self.reach(is_mine, rank(side) >= wanted, is_enough);
                let reached = |(place, value): (usize, &mut i32)| {
                    *value = if is_mine(place) && holds[place] { wanted } else { *value }
                };
                values.iter_mut().enumerate().for_each(reached);
            }
        }
        values
    }

    /// Returns the plies to the move that leaves the pair, 0 for positions that stay. The better side leaves as soon as
    /// it can, the other as late as it can.
    fn plies(&self, values: &[i32], rank: fn(Sector) -> i32) -> Vec<u32> {
        let mut plies = vec![0; values.len()];
        for round in 1.. {
            let mut found = Vec::new();
            for (place, steps) in self.steps.iter().enumerate() {
                let key = values[place] - rank(self.places[place].0);
                if key == 0 || plies[place] > 0 {
                    continue;
                }
                // The plies of each move that preserves the value; `None` if they are not known yet.
                let mut best = steps.iter().filter_map(|step| match *step {
                    Step::Leave(value) => (value == values[place]).then_some(Some(1)),
                    Step::Stay(next) => {
                        (-values[next] == values[place]).then_some((plies[next] > 0).then_some(plies[next] + 1))
                    }
                });
                let is_found =
                    if key > 0 { best.any(|plies| plies == Some(round)) } else { best.all(|plies| plies.is_some()) };
                if is_found {
                    found.push(place);
                }
            }
            if found.is_empty() {
                return plies;
            }
            found.into_iter().for_each(|place| plies[place] = round);
        }
        unreachable!()
    }
}

/// Solves sectors and compares every value with that by definition. Returns the numbers of better, equal and worse
/// positions.
fn compare(switches: u8, largest: Sector, rank: fn(Sector) -> i32, most: i32) -> [usize; 3] {
    let endings = MorrisEndings::new(switches, 9);
    let sectors = endings.with_dependencies(&[largest]);
    let codes = solve_in_memory(&endings, &[largest]);
    let mut solved = Solved { endings: &endings, codes: &codes, rank, prospects: HashMap::new() };
    let mut values = Values::new();
    let mut counts = [0; 3];
    for pair in crate::build::pairs(&endings, sectors) {
        let stored = *pair.iter().find(|&&sector| !endings.is_derived(sector)).expect("one of them");
        let drawn = Drawn::of(&solved, &pair, &values);
        let found = [1, 3].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            pool.install(|| UltraSolver::solve(&endings, &pair, &solved, &())).expect("short distances")
        });
        let [found, other] = found;
        assert!(found == other, "the same for any number of threads");
        solved.prospects.insert(stored, found);
        let expected = drawn.values(rank, most);
        let plies = drawn.plies(&expected, rank);
        let derived = solved.moves_to(stored.partner()).expect("in memory");
        for (place, &(sector, slot)) in drawn.places.iter().enumerate() {
            let key = expected[place] - rank(sector);
            counts[(1 - key.signum()) as usize] += 1;
            if sector == stored {
                let expected = Some(Prospect { key, plies: plies[place] });
                assert_eq!(solved.prospects[&stored].of(slot as usize), expected, "{} {slot}", endings.name(sector));
            } else {
                assert_eq!(
                    i32::from(derived[slot as usize]),
                    EVEN - expected[place],
                    "{} {slot}",
                    endings.name(sector)
                );
            }
        }
        let with_value = solved.prospects[&stored].keys.iter().filter(|&&key| key != Prospects::NONE).count();
        assert_eq!(with_value, drawn.places.iter().filter(|(sector, _)| *sector == stored).count());
        values.extend(drawn.places.into_iter().zip(expected.into_iter().zip(plies)));
    }
    counts
}

/// Ranks more stones higher, as the real ranks do.
fn by_stones(sector: Sector) -> i32 {
    i32::from(sector.own) - i32::from(sector.opp)
}

/// Ranks fewer stones higher.
fn against_stones(sector: Sector) -> i32 {
    -by_stones(sector)
}

const FOUR: Sector = Sector::new(4, 3);

#[test]
fn values_are_those_by_definition() {
    assert_eq!(compare(FLYING, FOUR, by_stones, 1), [120_957, 1_200_878, 18_457]);
}

/// The pairs here have better ones on either side.
#[test]
#[ignore = "takes minutes"]
fn values_of_larger_sectors_are_those_by_definition() {
    for rank in [by_stones as fn(Sector) -> i32, against_stones] {
        for switches in [FLYING, 0] {
            println!("{:?}", compare(switches, Sector::new(5, 3), rank, 2));
            println!("{:?}", compare(switches | NEVER, FOUR, rank, 1));
            println!("{:?}", compare(switches, Sector::new(4, 4), rank, 1));
        }
    }
}

#[test]
fn what_is_not_drawn_has_no_value() {
    let mut prospects = Prospects::none(3);
    (prospects.keys[1], prospects.plies[1]) = (-2, 7);
    assert_eq!([0, 1, 2].map(|slot| prospects.of(slot)), [None, Some(Prospect { key: -2, plies: 7 }), None]);
    assert_eq!(prospects.moves_to(5), [1, (EVEN - 3) as u8, 1]);
    assert_eq!(prospects.longest(), 7);
    assert!(MorrisEndings::new(0, 9).ultra().is_some() && SmessEndings.ultra().is_none());
}
