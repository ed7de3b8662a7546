//! Board and stones as data.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use super::board::{POINTS, PointSet, READING_ORDER, ROWS, points};
use super::game::Morris;
use super::moves::Step;
use super::notation::{BLACK, WHITE, name};
use super::position::Position;
use super::symmetry::POINT_IMAGE;
use crate::any::Family;
use crate::force::{Forced, Question, prove};
use crate::game::{Move, Notation, Side};
use crate::layout::{Described, Kind, Layout, MoveParts, Piece, Places, Point};

/// The indices of points in FEN order.
const PLACES: [u8; POINTS] = {
    let mut places = [0; POINTS];
    let mut at = 0;
    while at < POINTS {
        #[expect(clippy::indexing_slicing, reason = "at compile time")]
        {
            places[READING_ORDER[at] as usize] = at as u8;
        }
        at += 1;
    }
    places
};

/// Returns the index of a point in FEN order.
fn place(point: u32) -> usize {
    PLACES.get(point as usize).copied().unwrap_or_default().into()
}

impl<const S: u8> Family for Morris<S> {
    const ID: &'static str = "morris";

    /// One proof for all switches, so that the code exists once.
    fn force(&self, pos: &Position, question: Question<'_>) -> Forced<Move> {
        prove(&self.unspecialised(), pos, question)
    }
}

impl<const S: u8> Described for Morris<S> {
    fn layout(&self) -> Layout {
        board_layout(self.board_lines(), self.rules().stones)
    }

    fn pieces(&self, pos: &Position) -> Vec<Piece> {
        pieces_of(pos.stones())
    }

    fn hands(&self, pos: &Position) -> Option<[u32; 2]> {
        Some(pos.hands())
    }

    fn lost(&self, pos: &Position) -> [Vec<usize>; 2] {
        let [white, black] = pos.stones();
        let [white_hand, black_hand] = pos.hands();
        let stones = u32::from(self.rules().stones);
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
        let taken = (0..READING_ORDER.len()).filter(|&at| has(removed, at)).collect();
        MoveParts { text: self.move_text(mv), from: from.map(place), to: place(to), taken }
    }

    fn places(&self, mv: Move) -> Places {
        let Step { from, to, removed } = Step::unpack(mv);
        Places { from: from.map(place), to: place(to), taken: points(removed).map(place).min() }
    }
}

/// Returns the points of the board and its lines, for this number of stones.
fn board_layout(board_lines: &[PointSet], stones: u8) -> Layout {
    let point = |&p: &u8| Point::named(name(p.into()), ROWS.len() as u8);
    let in_order = |line: PointSet| (0..READING_ORDER.len()).filter(move |&at| has(line, at)).collect();
    let image = |symmetry: &[u8; 24]| {
        let sent = |&p: &u8| place(symmetry.get(usize::from(p)).copied().unwrap_or_default().into());
        READING_ORDER.iter().map(sent).collect()
    };
    Layout {
        points: READING_ORDER.iter().map(point).collect(),
        rows: ROWS.to_vec(),
        squares: false,
        lines: board_lines.iter().map(|&line| in_order(line)).collect(),
        arrows: Vec::new(),
        marked: Vec::new(),
        kinds: vec![Kind { id: "stone", letters: [WHITE, BLACK] }],
        hand: stones.into(),
        symmetries: POINT_IMAGE.iter().map(image).collect(),
    }
}

/// Returns the stones of White and of Black by index.
fn pieces_of([white, black]: [PointSet; 2]) -> Vec<Piece> {
    let stone = |point| {
        let side = [(white, Side::White), (black, Side::Black)].into_iter().find(|&(set, _)| has(set, point))?.1;
        Some(Piece { point, side, kind: 0 })
    };
    (0..READING_ORDER.len()).filter_map(stone).collect()
}

/// Returns whether a set has the point with this index.
fn has(set: PointSet, place: usize) -> bool {
    READING_ORDER.get(place).is_some_and(|&point| set >> point & 1 != 0)
}

#[cfg(test)]
#[expect(clippy::indexing_slicing, clippy::panic, reason = "tests")]
mod tests {
    use super::*;
    use crate::morris::rules::{LASKER, MORABARABA};
    use crate::morris::{CUSTOM, Rules};

    fn layout(rules: Rules) -> Layout {
        Morris::<CUSTOM>::new(rules).layout()
    }

    #[test]
    fn points_stand_where_their_names_say() {
        let layout = layout(LASKER);
        let names: Vec<&str> = layout.points.iter().map(|point| point.name.as_str()).collect();
        let points: Vec<&str> = READING_ORDER.iter().map(|&p| name(u32::from(p))).collect();
        assert_eq!(names, points);
        assert_eq!((layout.points[0].x, layout.points[0].y), (0, 0), "a7");
        assert_eq!((layout.points[23].x, layout.points[23].y), (6, 6), "g1");
        assert_eq!((layout.rows.iter().sum::<usize>(), layout.hand), (24, 10));
    }

    #[test]
    fn lines_are_straight_and_kept_by_every_symmetry() {
        for (rules, count) in [(LASKER, 16), (MORABARABA, 20)] {
            let layout = layout(rules);
            assert_eq!(layout.lines.len(), count);
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
