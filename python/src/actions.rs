//! The actions and planes of games for learners; `python/millbrain/env.py` describes them.

use crate::rows::Rows;
use millbrain::game::{Move, Side};
use millbrain::layout::{Described, Places, Point};
use millbrain::mills::board::points;
use millbrain::mills::{MillRules, Mills, Position};
use millbrain::network::Learned;
use millbrain::smess::{self, Smess, board as squares};

/// A game with numbered actions for moves and planes for positions.
pub trait Actions: Rows {
    /// Returns the number of actions, legal or not.
    fn actions(&self) -> usize;

    /// Returns the planes, rows and columns of an observation.
    fn planes(&self) -> [usize; 3];

    /// Returns the action of a move with at most one removal.
    fn action(&self, mv: Move) -> usize;

    /// Writes the planes of the pieces on the board and in hand, seen by the side to move.
    fn draw(&self, pos: &Self::Position, planes: &mut [f32]);

    /// Writes an observation: the position, the progress counter, the repetitions and the side to move.
    fn observe(&self, pos: &Self::Position, occurrences: usize, planes: &mut [f32]) {
        let [count, rows, columns] = self.planes();
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

impl<R: MillRules> Actions for Mills<R>
where
    Mills<R>: Learned<Position = Position>,
{
    fn actions(&self) -> usize {
        (1 + self.cells()) * (1 + self.cells()) * self.cells()
    }

    fn planes(&self) -> [usize; 3] {
        let side = self.of_family().board().rows.len();
        [8, side, side]
    }

    fn action(&self, mv: Move) -> usize {
        let (places, cells) = (self.places(mv), self.cells());
        let removal = places.taken.map_or(0, |taken| taken + 1);
        (1 + cells) * cells * removal + step(places, cells, true)
    }

    fn draw(&self, pos: &Position, planes: &mut [f32]) {
        let board = self.of_family().board();
        let side = board.rows.len();
        let (stones, hands) = planes.split_at_mut(3 * side * side);
        stones.fill(0.0);
        let (own, opp) = (pos.own(), pos.opp());
        for point in points(board.all()) {
            let plane = if own >> point & 1 != 0 {
                0
            } else if opp >> point & 1 != 0 {
                1
            } else {
                2
            };
            let Point { x, y, .. } = Point::named(board.name(point), side as u8);
            stones[plane * side * side + usize::from(y) * side + usize::from(x)] = 1.0;
        }
        let all = f32::from(self.of_family().stones());
        for (plane, hand) in hands.chunks_mut(side * side).zip([pos.own_hand(), pos.opp_hand()]) {
            plane.fill(hand as f32 / all);
        }
    }
}

impl Actions for Smess {
    fn actions(&self) -> usize {
        squares::SQUARES * squares::SQUARES
    }

    fn planes(&self) -> [usize; 3] {
        [9, 8, 7]
    }

    fn action(&self, mv: Move) -> usize {
        step(self.places(mv), squares::SQUARES, false)
    }

    fn draw(&self, pos: &smess::Position, planes: &mut [f32]) {
        planes.fill(0.0);
        let occupied = pos.occupied();
        let [white, _] = pos.sides();
        let own = if pos.side() == Side::White { white } else { occupied & !white };
        for cell in 0..squares::SQUARES {
            let square = squares::ranks_turned(cell);
            if occupied >> square & 1 != 0 {
                let opponent = usize::from(own >> square & 1 == 0);
                planes[(3 * opponent + pos.kind(square) as usize) * squares::SQUARES + cell] = 1.0;
            }
        }
    }
}
