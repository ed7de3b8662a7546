//! Board and pieces as data.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use super::board::{ARROWS, DIRECTIONS, FILES, NUMSKULL_HOME, RANKS, SQUARES, STEPS, ranks_turned};
use super::game::Smess;
use super::moves::Step;
use super::notation::{KINDS, piece_at, square_name};
use super::position::{Position, Setup};
use crate::any::Family;
use crate::force::{Forced, Question, prove};
use crate::game::{Move, Notation, Side};
use crate::layout::{Described, Kind, Layout, MoveParts, Piece, Places, Point};

/// Counts the pieces of each kind on the board.
fn counts(pieces: &[Piece], side: Side) -> [usize; KINDS.len()] {
    let mut counts = [0; KINDS.len()];
    for piece in pieces.iter().filter(|piece| piece.side == side) {
        if let Some(count) = counts.get_mut(piece.kind) {
            *count += 1;
        }
    }
    counts
}

impl Family for Smess {
    const ID: &'static str = "smess";

    fn force(&self, pos: &Position, question: Question<'_>) -> Forced<Move> {
        prove(self, pos, question)
    }
}

impl Described for Smess {
    fn layout(&self) -> Layout {
        let point = |place| Point::named(square_name(ranks_turned(place)), RANKS as u8);
        let arrows = |place: usize| {
            let arrows = ARROWS.get(ranks_turned(place)).copied().unwrap_or_default();
            let steps = (0..DIRECTIONS).zip(STEPS).filter(|(direction, _)| arrows >> direction & 1 != 0);
            steps.map(|(_, (right, up))| [right as i8, -up as i8]).collect()
        };
        let [white_homes, black_homes] = NUMSKULL_HOME;
        Layout {
            points: (0..SQUARES).map(point).collect(),
            rows: vec![FILES; RANKS],
            squares: true,
            lines: Vec::new(),
            steps: Vec::new(),
            arrows: (0..SQUARES).map(arrows).collect(),
            // The squares where a Ninny becomes a Numskull.
            marked: (0..SQUARES).filter(|&place| (white_homes | black_homes) >> ranks_turned(place) & 1 != 0).collect(),
            kinds: KINDS.iter().map(|&(id, letters)| Kind { id, letters }).collect(),
            hand: 0,
            symmetries: vec![(0..SQUARES).collect()],
        }
    }

    fn pieces(&self, pos: &Position) -> Vec<Piece> {
        let piece = |point| {
            let (side, kind) = piece_at(pos, ranks_turned(point))?;
            Some(Piece { point, side, kind: kind as usize })
        };
        (0..SQUARES).filter_map(piece).collect()
    }

    /// Returns the lost pieces. A Ninny that became a Numskull may have been captured as one; it then counts as a
    /// Ninny.
    fn lost(&self, pos: &Position) -> [Vec<usize>; 2] {
        let (now, start) = (self.pieces(pos), self.pieces(&Setup::start().position()));
        [Side::White, Side::Black].map(|side| {
            let [brains, numskulls, ninnies] = counts(&now, side);
            let [all_brains, all_numskulls, all_ninnies] = counts(&start, side);
            let all = (all_brains + all_numskulls + all_ninnies).saturating_sub(brains + numskulls + ninnies);
            let brains = all_brains.saturating_sub(brains);
            let numskulls = all_numskulls.saturating_sub(numskulls).min(all.saturating_sub(brains));
            let each = [brains, numskulls, all.saturating_sub(brains + numskulls)];
            each.into_iter().enumerate().flat_map(|(kind, count)| vec![kind; count]).collect()
        })
    }

    fn phase(&self, _: &Position) -> &'static str {
        "playing"
    }

    fn parts(&self, mv: Move) -> MoveParts {
        let Step { from, to } = Step::unpack(mv);
        MoveParts { text: self.move_text(mv), from: Some(ranks_turned(from)), to: ranks_turned(to), taken: Vec::new() }
    }

    fn places(&self, mv: Move) -> Places {
        let Step { from, to } = Step::unpack(mv);
        Places { from: Some(ranks_turned(from)), to: ranks_turned(to), taken: None }
    }
}

#[cfg(test)]
#[expect(clippy::indexing_slicing, clippy::expect_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::game::Game;
    use crate::smess::board::STEPS_FROM;

    #[test]
    fn arrows_lead_where_pieces_step() {
        let layout = Smess::default().layout();
        assert_eq!((layout.points[0].name.as_str(), layout.points[55].name.as_str()), ("a8", "g1"));
        for (place, point) in layout.points.iter().enumerate() {
            let mut reached: Vec<usize> =
                (0..SQUARES).filter(|to| STEPS_FROM[ranks_turned(place)] >> ranks_turned(*to) & 1 != 0).collect();
            let mut shown = Vec::new();
            for [right, down] in &layout.arrows[place] {
                let (x, y) = (point.x as i8 + right, point.y as i8 + down);
                shown.extend(layout.points.iter().position(|point| (point.x as i8, point.y as i8) == (x, y)));
            }
            shown.sort_unstable();
            reached.sort_unstable();
            assert_eq!(shown, reached, "{}", point.name);
        }
    }

    #[test]
    fn homes_of_numskulls_are_marked() {
        let game = Smess::default();
        let numskulls = game.pieces(&game.start()).into_iter().filter(|piece| piece.kind == 1);
        assert_eq!(game.layout().marked, numskulls.map(|piece| piece.point).collect::<Vec<_>>());
    }

    #[test]
    fn who_is_missing_is_counted_by_kind() {
        let game = Smess::default();
        let lost = |fen: &str| game.lost(&game.parse_fen(fen).expect("valid").position);
        assert_eq!(game.lost(&game.start()), [vec![], vec![]]);
        // White has lost three Ninnies, and perhaps one more that had become the fifth Numskull.
        let [white, black] = lost("1ssbss1/nnnnnn1/7/7/7/7/NNNN3/1SSB3 w 0 1");
        assert_eq!((white, black), (vec![1, 1, 2, 2, 2], vec![2]));
        assert_eq!(lost("1ssbss1/nnnnnn1/S6/7/7/7/NNNN3/1SSBSS1 w 0 1"), [vec![2, 2], vec![2]]);
    }
}
