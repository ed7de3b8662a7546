//! Values by definition, in the plainest way. A position is won in `n + 1` plies if some move leads to one lost in `n`.
//! It is lost in `n + 1` if all moves lead to won ones, the longest of them in `n`; the rest are drawn. The module is
//! independent of tablebases: positions are those of the game, moves those of its generator.

use millbrain_core::game::value::Value;
use millbrain_core::game::{Game, Verdict};
use std::collections::HashMap;
use std::ops::Range;

/// Plies to the end, even for a loss (0 has lost), odd for a win; `None` for a draw.
type Distance = Option<u32>;

/// Positions with their distances.
pub struct Solved<G: Game> {
    pub game: G,
    /// Positions with the same number share a value. A row is added at once, or in the order of its numbers.
    id: fn(&G::Position) -> u64,
    rows: HashMap<u64, Row>,
    pub positions: Vec<G::Position>,
    distances: Vec<Distance>,
}

/// The bits of a number that distinguish positions of one row.
const ROW_BITS: u32 = 24;

/// Positions whose numbers differ only in the last bits. The moves from a position often lead to positions of one row,
/// which then stays in the cache.
#[derive(Default)]
struct Row {
    /// The last bits of the numbers, in order.
    columns: Vec<u32>,
    /// The places of these positions.
    places: Vec<u32>,
}

/// The positions of a group that the moves from each position lead to, or come from.
struct Edges {
    /// The beginning of each position's list, and the end of the last.
    starts: Vec<usize>,
    /// All lists; a position is named by its place in the group.
    ends: Vec<u32>,
}

impl Edges {
    fn of(&self, place: usize) -> &[u32] {
        &self.ends[self.starts[place]..self.starts[place + 1]]
    }

    /// Returns the same edges from their ends.
    fn reversed(&self) -> Edges {
        let places = self.starts.len() - 1;
        let mut starts = vec![0; places + 1];
        self.ends.iter().for_each(|&end| starts[end as usize + 1] += 1);
        for place in 0..places {
            starts[place + 1] += starts[place];
        }
        let mut next = starts.clone();
        let mut ends = vec![0; self.ends.len()];
        for place in 0..places {
            for &end in self.of(place) {
                ends[next[end as usize]] = place as u32;
                next[end as usize] += 1;
            }
        }
        Edges { starts, ends }
    }
}

/// The state of a group before any level.
struct Group {
    /// The positions of the group that lead to each position, once for each move.
    before: Edges,
    /// The number of moves of each position that are not known to lose: at first all.
    open: Vec<u32>,
    /// For each distance the positions with a move that leaves the group for one of that distance, once for each move.
    exits: Vec<Vec<u32>>,
    /// Positions that are already lost, or without a move.
    lost: Vec<u32>,
}

/// Splits a number into row and column.
const fn split(id: u64) -> (u64, u32) {
    (id >> ROW_BITS, (id & ((1 << ROW_BITS) - 1)) as u32)
}

impl<G: Game> Solved<G> {
    /// Creates an empty set of positions.
    pub fn new(game: G, id: fn(&G::Position) -> u64) -> Solved<G> {
        Solved { game, id, rows: HashMap::new(), positions: Vec::new(), distances: Vec::new() }
    }

    /// Adds positions and solves them. Their moves lead to one another, to positions added before, or to the end of the
    /// game. Returns their places.
    pub fn add(&mut self, positions: Vec<G::Position>) -> Range<usize> {
        let first = self.positions.len();
        let mut numbers: Vec<(u64, u32)> = positions.iter().map(self.id).zip(first as u32..).collect();
        numbers.sort_unstable();
        for (number, place) in numbers {
            let (row, column) = split(number);
            let row = self.rows.entry(row).or_default();
            assert!(row.columns.last().is_none_or(|&last| last < column), "rows are added whole, positions once");
            row.columns.push(column);
            row.places.push(place);
        }
        self.positions.extend(positions);
        self.distances.resize(self.positions.len(), None);
        let group = self.look_ahead(first);
        self.solve(first, group);
        first..self.positions.len()
    }

    /// Returns the place of a position.
    fn place(&self, pos: &G::Position) -> usize {
        let (row, column) = split((self.id)(pos));
        let row = &self.rows[&row];
        let found = row.columns.binary_search(&column).expect("moves lead to positions added");
        row.places[found] as usize
    }

    /// Returns the distance of a position in which the game is over.
    fn over(&self, pos: &G::Position) -> Option<Distance> {
        self.game.decided(pos).map(|ending| match ending.verdict {
            Verdict::Loss => Some(0),
            Verdict::Draw => None,
            Verdict::Win => unreachable!("no move leads to a game that the side to move has won"),
        })
    }

    /// Plays every move of the positions from the first on.
    fn look_ahead(&self, first: usize) -> Group {
        let mut inside = Edges { starts: vec![0], ends: Vec::new() };
        let (mut open, mut lost) = (Vec::new(), Vec::new());
        let mut exits: Vec<Vec<u32>> = Vec::new();
        for (place, pos) in (0..).zip(&self.positions[first..]) {
            let mut moves = 0;
            // A move to a draw stays open for ever.
            let mut leave = |distance: Distance| {
                if let Some(distance) = distance {
                    let distance = distance as usize;
                    exits.resize_with(exits.len().max(distance + 1), Vec::new);
                    exits[distance].push(place);
                }
            };
            self.game.generate(pos, |mv| {
                moves += 1;
                let next = self.game.play(pos, mv);
                if let Some(distance) = self.over(&next) {
                    return leave(distance);
                }
                match self.place(&next) {
                    next if next < first => leave(self.distances[next]),
                    next => inside.ends.push((next - first) as u32),
                }
            });
            inside.starts.push(inside.ends.len());
            open.push(moves);
            // A side without a move has lost, unless the game is drawn.
            if moves == 0 && self.over(pos) != Some(None) {
                lost.push(place);
            }
        }
        Group { before: inside.reversed(), open, exits, lost }
    }

    /// Settles a group level by level.
    fn solve(&mut self, first: usize, group: Group) {
        let Group { before, mut open, exits, lost: mut settled } = group;
        let distances = &mut self.distances[first..];
        settled.iter().for_each(|&place| distances[place as usize] = Some(0));
        for level in 0.. {
            if settled.is_empty() && level >= exits.len() {
                return;
            }
            let inside = settled.iter().flat_map(|&place| before.of(place as usize));
            let mut next = Vec::new();
            for &place in inside.chain(exits.get(level).into_iter().flatten()) {
                let at = place as usize;
                if distances[at].is_some() {
                    continue;
                }
                if level % 2 == 1 {
                    open[at] -= 1;
                    if open[at] > 0 {
                        continue;
                    }
                }
                distances[at] = Some(level as u32 + 1);
                next.push(place);
            }
            settled = next;
        }
    }

    /// Returns the value at a place.
    pub fn value(&self, place: usize) -> Value {
        match self.distances[place] {
            None => Value::Draw,
            Some(plies) if plies % 2 == 1 => Value::Win(plies),
            Some(plies) => Value::Loss(plies),
        }
    }

    /// Returns the value that follows from those of the positions that moves lead to. With right values it is the value
    /// itself. If any value is wrong, it differs for the wrong one with the shortest true distance.
    pub fn value_from_next(&self, place: usize) -> Value {
        let pos = &self.positions[place];
        if self.over(pos) == Some(None) {
            return Value::Draw;
        }
        let mut next = Vec::new();
        self.game.generate(pos, |mv| {
            let after = self.game.play(pos, mv);
            next.push(match self.over(&after) {
                Some(Some(_)) => Value::Loss(0),
                Some(None) => Value::Draw,
                None => self.value(self.place(&after)),
            });
        });
        Value::from_successors(next)
    }
}
