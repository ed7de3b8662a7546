//! The FEN of the program Sanmill.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use super::board::PointSet;
use super::game::{CUSTOM, Morris};
use crate::game::fen::{self, Fault, Faults};
use crate::game::{Placed, Side};
use crate::mills::validation::{Expected, Field, Unfit};
use crate::mills::{Position, Setup};
use crate::options::one_of;
use std::fmt::Write;

/// Returns the points of a Sanmill FEN in reading order: rings from the inner to the outer, each clockwise from the
/// north.
fn sanmill_order() -> impl Iterator<Item = usize> {
    [16, 8, 0].into_iter().flat_map(|ring| ring..ring + 8)
}

fn read_board(text: &str, faults: &mut Faults) -> [PointSet; 2] {
    let mut stones: [PointSet; 2] = [0, 0];
    for (row, ring) in text.split('/').enumerate() {
        faults.0.extend(Fault::row_length(row + 1, ring.chars().count(), 8));
    }
    let rings = text.split('/').count();
    if rings != 3 {
        faults.0.push(Fault::RowCount { found: rings, expected: 3 });
    }
    for (c, p) in text.chars().filter(|&c| c != '/').zip(sanmill_order()) {
        let [white, black] = &mut stones;
        match c {
            'O' => *white |= 1 << p,
            '@' => *black |= 1 << p,
            '*' => {}
            _ => faults.0.push(Fault::Character { row: 3 - p / 8, found: c, expected: "O, @, *" }),
        }
    }
    stones
}

/// Returns whether the fields say that the side to move has yet to remove a stone.
fn is_removal_due(fields: &[&str], faults: &mut Faults) -> bool {
    let mut due = fields.get(3) == Some(&"r");
    for &text in fields.iter().skip(8).take(2) {
        match text.parse::<i64>() {
            // Below zero a side has to remove its own stones.
            Ok(count) => due |= count != 0,
            Err(_) => faults.0.push(Fault::Field {
                field: Field::RemovalsDue.into(),
                value: text.to_string(),
                expected: Expected::Integer.into(),
            }),
        }
    }
    due
}

/// Writes a position between two moves as Sanmill does, in 17 fields: the board, side, phase and action; stones on
/// board and in hand of White and of Black; seven fields about removals and mills, all 0; plies without progress, move
/// number.
///
/// ```
/// use millbrain_core::game::Notation;
/// use millbrain_core::morris::{FLYING, Morris, rules, sanmill_fen};
///
/// let placed = Morris::<FLYING>::new(rules::MORRIS).parse_fen("3/1O1/3/6/3/3/2X w 8 8 0 2").expect("a FEN");
/// assert_eq!(sanmill_fen(&placed), "********/O*******/***@**** w p p 1 8 1 8 0 0 0 0 0 0 0 0 2");
/// ```
pub fn sanmill_fen(placed: &Placed<Position>) -> String {
    let pos = &placed.position;
    let ([white, black], hands) = (pos.stones(), pos.hands());
    let mut text = String::new();
    for (i, p) in sanmill_order().enumerate() {
        if i > 0 && i % 8 == 0 {
            text.push('/');
        }
        text.push(match (white >> p & 1, black >> p & 1) {
            (0, 0) => '*',
            (1, _) => 'O',
            _ => '@',
        });
    }
    let phase = if hands == [0, 0] { "m s" } else { "p p" };
    let _ = write!(text, " {} {phase}", pos.side().letter());
    for (stones, hand) in [white, black].into_iter().zip(hands) {
        let _ = write!(text, " {} {hand}", stones.count_ones());
    }
    let _ = write!(text, " 0 0 0 0 0 0 0 {} {}", pos.plies_without_progress(), placed.move_number);
    text
}

/// Returns whether this is the board of a Sanmill FEN.
pub(super) fn is_board(text: &str) -> bool {
    text.contains(['*', '@'])
}

impl Morris<CUSTOM> {
    pub(super) fn read_sanmill_fen(&self, text: &str) -> Result<Placed<Position>, Faults> {
        let fields: Vec<&str> = text.split_whitespace().collect();
        self.placed(|faults| self.read_sanmill(&fields, faults))
    }

    /// Reads the fields: board, side, phase, action, white on board, white in hand, black on board, black in hand,
    /// removals due of White and of Black, five more in newer versions, plies without progress, move number.
    fn read_sanmill(&self, fields: &[&str], faults: &mut Faults) -> Setup {
        let limit = u32::from(self.rules().stones);
        let stones = read_board(fields.first().copied().unwrap_or_default(), faults);
        let side = fen::read_side(fields.get(1).copied(), faults);
        let mut check = |index: usize, field: Field, words: &[&str]| {
            let (field, expected) = (field.into(), one_of(words));
            match fields.get(index) {
                Some(word) if words.contains(word) => {}
                Some(word) => faults.0.push(Fault::Field { field, value: word.to_string(), expected }),
                None => faults.0.push(Fault::Missing { field, expected }),
            }
        };
        check(2, Field::Phase, &["r", "p", "m", "o", "n"]);
        check(3, Field::Action, &["p", "s", "r", "?"]);
        let mut count = |index: usize, field: Field| match fields.get(index).copied() {
            None => {
                faults.0.push(Fault::Missing { field: field.into(), expected: Expected::Stones.into() });
                0
            }
            text => fen::read_number(text, field, 0, limit, 0, faults),
        };
        let given = [count(4, Field::WhiteStones), count(6, Field::BlackStones)];
        let hands = [count(5, Field::WhiteHand), count(7, Field::BlackHand)];
        for ((side, given), stones) in [Side::White, Side::Black].into_iter().zip(given).zip(stones) {
            let board = stones.count_ones();
            if given != board {
                faults.0.push(Unfit::Contradiction { side, given, board }.into());
            }
        }
        if is_removal_due(fields, faults) {
            faults.0.push(Unfit::RemovalDue.into());
        }
        let tail = match fields.len() {
            17.. => 15,
            12 => 10,
            count => count,
        };
        let plies_without_progress = fen::read_number(
            fields.get(tail).copied(),
            fen::Field::Counter,
            0,
            fen::MAX_PLIES_WITHOUT_PROGRESS,
            0,
            faults,
        );
        let move_number = fen::read_move_number(fields.get(tail + 1).copied(), faults);
        Setup { stones, hands, side, plies_without_progress, move_number, formed_lines: [0, 0] }
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]
mod tests {
    use super::super::board::point_by_name;
    use super::super::rules::MORRIS;
    use super::*;
    use crate::game::Notation;
    use crate::mills::notation::tests::{faults, game, reread};

    #[test]
    fn every_point_of_a_sanmill_fen_is_the_right_one() {
        let game = game(MORRIS);
        let clockwise_from_north = [
            ["d5", "e5", "e4", "e3", "d3", "c3", "c4", "c5"],
            ["d6", "f6", "f4", "f2", "d2", "b2", "b4", "b6"],
            ["d7", "g7", "g4", "g1", "d1", "a1", "a4", "a7"],
        ];
        for (i, point) in clockwise_from_north.into_iter().flatten().enumerate() {
            for (letter, counts, owner) in [("O", "1 8 0 9", 0), ("@", "0 9 1 8", 1)] {
                let mut board = "********/********/********".to_string();
                board.replace_range(i + i / 8..=i + i / 8, letter);
                let placed = game.parse_fen(&format!("{board} w p p {counts} 0 0 0 1")).unwrap();
                let mut expected = [0, 0];
                expected[owner] = 1 << point_by_name(point).unwrap();
                assert_eq!(placed.position.stones(), expected, "{board}");
            }
        }
    }

    #[test]
    fn a_sanmill_fen_with_a_removal_due_is_refused() {
        let game = game(MORRIS);
        let fen = |action, due| format!("O*******/********/*******@ b p {action} 1 8 1 8 {due} 3 4");
        assert_eq!(reread(&game, &fen("p", "0 0")), "X2/3/1O1/6/3/3/3 b 8 8 3 4");
        for (action, due) in [("p", "1 0"), ("p", "0 1"), ("p", "-1 0"), ("p", "0 -1"), ("r", "0 0"), ("r", "1 1")] {
            let expected = Faults(vec![Unfit::RemovalDue.into()]);
            assert_eq!(game.parse_fen(&fen(action, due)), Err(expected), "{action} {due}");
        }
        assert_eq!(faults(&game, &fen("p", "x 0")), "removals due is \"x\", expected a number");
        // The fields after these two do not concern removals.
        assert!(game.parse_fen("O*******/********/*******@ b p p 1 8 1 8 0 0 1 1 1 1 1 0 1").is_ok());
    }

    #[test]
    fn a_sanmill_fen_ends_with_counter_and_move_number() {
        let game = game(MORRIS);
        let tail = |tail: &str| {
            let fen = reread(&game, &format!("********/********/******** w p p 0 9 0 9{tail}"));
            fen.strip_prefix("3/3/3/6/3/3/3 w 9 9 ").unwrap().to_string()
        };
        assert_eq!(tail(""), "0 1");
        assert_eq!(tail(" 0 0"), "0 1");
        assert_eq!(tail(" 0 0 7 9"), "7 9");
        assert_eq!(tail(" 0 0 7 0"), "7 1");
        assert_eq!(tail(" 0 0 5 5 5 5 5 7 9"), "7 9");
        assert_eq!(tail(" 0 0 5 5 5 5 5 7 9 6"), "7 9");
        assert_eq!(tail(" 0 0 5"), "0 1");
        assert_eq!(tail(" 0 0 5 5 5 5 5 7"), "0 1");
    }

    #[test]
    fn what_is_written_is_read() {
        let game = game(MORRIS);
        for (fen, written) in [
            ("3/3/3/6/3/3/3 w 9 9 0 1", "********/********/******** w p p 0 9 0 9 0 0 0 0 0 0 0 0 1"),
            ("3/3/3/6/3/3/XXX b 3 1 0 7", "********/********/***@@@** b p p 0 3 3 1 0 0 0 0 0 0 0 0 7"),
            ("O1X/3/1O1/X4O/3/1X1/3 w 0 0 12 30", "O*******/****@***/*@O***@O w m s 3 0 3 0 0 0 0 0 0 0 0 12 30"),
        ] {
            let placed = game.parse_fen(fen).unwrap();
            assert_eq!(sanmill_fen(&placed), written);
            assert_eq!(game.parse_fen(written).unwrap(), placed, "{fen}");
        }
    }

    #[test]
    fn faults_of_a_sanmill_fen_are_reported_together() {
        let game = game(MORRIS);
        for (fen, expected) in [
            (
                "*******/********/********* w p p 0 9 0 9",
                "row 1 is too short: 7 cells, expected 8; row 3 is too long: 9 cells, expected 8",
            ),
            ("********/******** w p p 0 9 0 9", "2 rows, expected 3"),
            (
                "*x******/*y******/*z****** w p p 0 9 0 9",
                "character 'x' in row 1, expected one of O, @, *; character 'y' in row 2, expected one of O, @, *; character 'z' in row 3, expected one of O, @, *",
            ),
            (
                "********/********/******** w x y 0 9 0 9",
                "phase is \"x\", expected r, p, m, o or n; action is \"y\", expected p, s, r or ?",
            ),
            (
                "O@@*****/********/******** w p p 2 8 2 10",
                "black's hand is \"10\", expected a number from 0 to 9; white has 2 stones on board by the text, but the board shows 1",
            ),
            (
                "O@******/********/******** w p p 1 8 0 9",
                "black has 0 stones on board by the text, but the board shows 1; black has 10 stones on board and in hand, expected at most 9",
            ),
            (
                "********/********/********",
                "side to move is missing, expected w or b; phase is missing, expected r, p, m, o or n; action is missing, expected p, s, r or ?; white stones on board is missing, expected a number of stones; black stones on board is missing, expected a number of stones; white's hand is missing, expected a number of stones; black's hand is missing, expected a number of stones",
            ),
        ] {
            assert_eq!(faults(&game, fen), expected, "{fen}");
        }
        for phase in ["r", "p", "m", "o", "n"] {
            for action in ["p", "s", "?"] {
                assert!(game.parse_fen(&format!("********/********/******** w {phase} {action} 0 9 0 9")).is_ok());
            }
        }
    }
}
