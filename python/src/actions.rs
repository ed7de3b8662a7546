//! The actions and planes of games for learners; `python/millbrain/env.py` describes them.

use crate::rows::Rows;
use millbrain::game::{Move, Side};
use millbrain::layout::{Described, Places};
use millbrain::morris::{self, Morris, board as points};
use millbrain::smess::{self, Smess, board as squares};

/// A game with numbered actions for moves and planes for positions.
pub trait Actions: Rows {
    /// The number of actions, legal or not.
    const ACTIONS: usize;
    /// Planes, rows and columns of an observation.
    const PLANES: [usize; 3];

    /// Returns the number of actions.
    fn actions(&self) -> usize {
        Self::ACTIONS
    }

    /// Returns the planes, rows and columns of an observation.
    fn planes(&self) -> [usize; 3] {
        Self::PLANES
    }

    /// Returns the action of a move with at most one removal.
    fn action(&self, mv: Move) -> usize;

    /// Writes the planes of the pieces on the board and in hand, seen by the side to move.
    fn draw(&self, pos: &Self::Position, planes: &mut [f32]);

    /// Writes an observation: the position, the progress counter, the repetitions and the side to move.
    fn observe(&self, pos: &Self::Position, occurrences: usize, planes: &mut [f32]) {
        let [count, rows, columns] = Self::PLANES;
        let (drawn, rest) = planes.split_at_mut((count - 3) * rows * columns);
        self.draw(pos, drawn);
        let limit = self.draw_rules().progress_limit;
        let share = |part: f32| if part < 1.0 { part } else { 1.0 };
        let counter =
            if limit > 0 { share(f32::from(self.plies_without_progress(pos)) / f32::from(limit)) } else { 0.0 };
        let repetitions = share(occurrences.saturating_sub(1) as f32 / 2.0);
        let black = if self.side(pos) == Side::Black { 1.0 } else { 0.0 };
        for (plane, value) in rest.chunks_mut(rows * columns).zip([counter, repetitions, black]) {
            plane.fill(value);
        }
    }
}

/// Returns the index of a move's step among all steps on `cells` cells: placements first, if there are any.
const fn step(Places { from, to, .. }: Places, cells: usize, placements: bool) -> usize {
    match from {
        None => to,
        Some(from) => cells * (from + placements as usize) + to,
    }
}

/// Side length of the grid of planes of the morris family.
const SIDE: usize = 7;

/// The cell of each point on the grid, in the order of a FEN.
const GRID: [usize; points::POINTS] = {
    let mut grid = [0; points::POINTS];
    let mut at = 0;
    while at < points::POINTS {
        let name = points::NAMES[points::READING_ORDER[at] as usize].as_bytes();
        grid[at] = (b'7' - name[1]) as usize * SIDE + (name[0] - b'a') as usize;
        at += 1;
    }
    grid
};

impl<const S: u8> Actions for Morris<S> {
    const ACTIONS: usize = (1 + Self::CELLS) * (1 + Self::CELLS) * Self::CELLS;
    const PLANES: [usize; 3] = [8, SIDE, SIDE];

    fn action(&self, mv: Move) -> usize {
        let places = self.places(mv);
        let removal = places.taken.map_or(0, |taken| taken + 1);
        (1 + Self::CELLS) * Self::CELLS * removal + step(places, Self::CELLS, true)
    }

    fn draw(&self, pos: &morris::Position, planes: &mut [f32]) {
        let (stones, hands) = planes.split_at_mut(3 * SIDE * SIDE);
        stones.fill(0.0);
        let (own, opp) = (pos.own(), pos.opp());
        for (&point, cell) in points::READING_ORDER.iter().zip(GRID) {
            let plane = if own >> point & 1 != 0 {
                0
            } else if opp >> point & 1 != 0 {
                1
            } else {
                2
            };
            stones[plane * SIDE * SIDE + cell] = 1.0;
        }
        let all = f32::from(self.rules().stones);
        for (plane, hand) in hands.chunks_mut(SIDE * SIDE).zip([pos.own_hand(), pos.opp_hand()]) {
            plane.fill(hand as f32 / all);
        }
    }
}

impl Actions for Smess {
    const ACTIONS: usize = Self::CELLS * Self::CELLS;
    const PLANES: [usize; 3] = [9, 8, 7];

    fn action(&self, mv: Move) -> usize {
        step(self.places(mv), Self::CELLS, false)
    }

    fn draw(&self, pos: &smess::Position, planes: &mut [f32]) {
        planes.fill(0.0);
        let occupied = pos.occupied();
        let [white, _] = pos.sides();
        let own = if pos.side() == Side::White { white } else { occupied & !white };
        for cell in 0..Self::CELLS {
            let square = squares::ranks_turned(cell);
            if occupied >> square & 1 != 0 {
                let opponent = usize::from(own >> square & 1 == 0);
                planes[(3 * opponent + pos.kind(square) as usize) * Self::CELLS + cell] = 1.0;
            }
        }
    }
}
