//! Board and stones as data.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use super::board::{Board, PointSet, points};
use super::game::Mills;
use super::moves::Step;
use super::notation::{BLACK, WHITE};
use super::position::Position;
use super::rules::MillRules;
use crate::any::Family;
use crate::force::{Forced, Question, prove};
use crate::game::{Move, Notation, Side};
use crate::layout::{Described, Kind, Layout, MoveParts, Piece, Places, Point};

impl<R: MillRules> Family for Mills<R> {
    const ID: &'static str = R::ID;

    /// One proof for all rules of a family, so that the code exists once.
    fn force(&self, pos: &Position, question: Question<'_>) -> Forced<Move> {
        prove(&self.plain(), pos, question)
    }
}

impl<R: MillRules> Described for Mills<R> {
    fn layout(&self) -> Layout {
        board_layout(self.rules.board(), self.rules.stones())
    }

    fn pieces(&self, pos: &Position) -> Vec<Piece> {
        pieces_of(self.rules.board(), pos.stones())
    }

    fn hands(&self, pos: &Position) -> Option<[u32; 2]> {
        Some(pos.hands())
    }

    fn has_captures(&self) -> bool {
        !self.rules.first_mill_wins()
    }

    fn lost(&self, pos: &Position) -> [Vec<usize>; 2] {
        let [white, black] = pos.stones();
        let [white_hand, black_hand] = pos.hands();
        let stones = u32::from(self.rules.stones());
        [(white, white_hand), (black, black_hand)]
            .map(|(set, hand)| vec![0; stones.saturating_sub(set.count_ones() + hand) as usize])
    }

    fn phase(&self, pos: &Position) -> &'static str {
        match (pos.own_hand() > 0, self.flies(pos.own(), pos.own_hand())) {
            (true, _) => "placing",
            (_, true) => "flying",
            _ => "moving",
        }
    }

    fn parts(&self, mv: Move) -> MoveParts {
        let Step { from, to, removed } = Step::unpack(mv);
        let board = self.rules.board();
        let place = |p| board.place(p);
        let taken = board.in_order(removed).map(place).collect();
        MoveParts { text: self.move_text(mv), from: from.map(place), to: place(to), taken }
    }

    fn places(&self, mv: Move) -> Places {
        let Step { from, to, removed } = Step::unpack(mv);
        let place = |p| self.rules.board().place(p);
        Places { from: from.map(place), to: place(to), taken: points(removed).map(place).min() }
    }
}

/// Returns the points of the board and its lines, for this number of stones.
fn board_layout(board: &Board, stones: u8) -> Layout {
    let point = |&p: &u8| Point::named(board.name(p.into()), board.rows.len() as u8);
    let in_order = |&line: &PointSet| board.in_order(line).map(|p| board.place(p)).collect();
    let steps = |&p: &u8| {
        let near = board.neighbours.get(usize::from(p)).copied().unwrap_or_default();
        let step = move |q| [board.place(p.into()), board.place(q)];
        board.in_order(near).map(step).filter(|[from, to]| from < to)
    };
    let image = |symmetry| {
        let sent = |&p: &u8| board.place(board.image_of(symmetry, p.into()));
        board.reading_order.iter().map(sent).collect()
    };
    Layout {
        points: board.reading_order.iter().map(point).collect(),
        rows: board.rows.to_vec(),
        squares: false,
        lines: board.lines.iter().map(in_order).collect(),
        steps: board.reading_order.iter().flat_map(steps).collect(),
        arrows: Vec::new(),
        marked: Vec::new(),
        kinds: vec![Kind { id: "stone", letters: [WHITE, BLACK] }],
        hand: stones.into(),
        symmetries: (0..board.symmetries.len()).map(image).collect(),
    }
}

/// Returns the stones of White and of Black by index.
fn pieces_of(board: &Board, [white, black]: [PointSet; 2]) -> Vec<Piece> {
    let stone = |p| {
        let side = if white >> p & 1 != 0 { Side::White } else { Side::Black };
        Piece { point: board.place(p), side, kind: 0 }
    };
    board.in_order(white | black).map(stone).collect()
}

#[cfg(test)]
#[expect(clippy::indexing_slicing, clippy::panic, reason = "tests")]
mod tests {
    use super::*;
    use crate::morris::board::READING_ORDER;
    use crate::morris::rules::{LASKER, MORABARABA};
    use crate::morris::{CUSTOM, Morris, Rules, board::NAMES};

    fn layout(rules: Rules) -> Layout {
        Morris::<CUSTOM>::new(rules).layout()
    }

    #[test]
    fn points_stand_where_their_names_say() {
        let layout = layout(LASKER);
        let names: Vec<&str> = layout.points.iter().map(|point| point.name.as_str()).collect();
        let points: Vec<&str> = READING_ORDER.iter().map(|&p| NAMES[usize::from(p)]).collect();
        assert_eq!(names, points);
        assert_eq!((layout.points[0].x, layout.points[0].y), (0, 0), "a7");
        assert_eq!((layout.points[23].x, layout.points[23].y), (6, 6), "g1");
        assert_eq!((layout.rows.iter().sum::<usize>(), layout.hand), (24, 10));
    }

    #[test]
    fn lines_are_straight_and_kept_by_every_symmetry() {
        for (rules, lines, steps) in [(LASKER, 16, 32), (MORABARABA, 20, 40)] {
            let layout = layout(rules);
            assert_eq!((layout.lines.len(), layout.steps.len()), (lines, steps));
            for line in &layout.lines {
                let [a, b, c] = line[..] else { panic!("{line:?}") };
                let (a, b, c) = (&layout.points[a], &layout.points[b], &layout.points[c]);
                assert_eq!((a.x + c.x, a.y + c.y), (2 * b.x, 2 * b.y), "{line:?}");
            }
            assert_eq!(layout.symmetries.len(), 16);
            assert!(layout.symmetries[0].iter().copied().eq(0..24));
            for symmetry in &layout.symmetries {
                for line in &layout.lines {
                    let mut image: Vec<usize> = line.iter().map(|&at| symmetry[at]).collect();
                    image.sort_unstable();
                    assert!(layout.lines.contains(&image), "{line:?} to {image:?}");
                }
            }
        }
    }
}
