//! FEN, move text and diagrams.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use super::board::{LINES, NAMES, PointSet, READING_ORDER, ROWS, mill_count, neighbours, point_by_name, points};
use super::game::Morris;
use super::moves::Step;
use super::position::{BOTH_LOST, Position, Setup};
use crate::game::fen::{self, Fault, Faults};
use crate::game::{Game, Move, Notation, Placed, Side};
use std::borrow::Cow;
use std::fmt::Write;

/// A position in the middle of a move.
const REMOVAL_DUE: Fault = Fault::Rule(Cow::Borrowed("a removal is due, expected a position between two moves"));

/// Points of a Sanmill FEN in reading order: rings from the inner to the outer, each clockwise from the north.
fn sanmill_order() -> impl Iterator<Item = usize> {
    [16, 8, 0].into_iter().flat_map(|ring| ring..ring + 8)
}

fn name(p: u32) -> &'static str {
    NAMES.get(p as usize).copied().unwrap_or("?")
}

fn read_board(text: &str, faults: &mut Faults) -> [PointSet; 2] {
    let rows: Vec<&str> = text.split('/').collect();
    let mut stones: [PointSet; 2] = [0, 0];
    if rows.len() != ROWS.len() {
        faults.0.push(Fault::RowCount { found: rows.len(), expected: ROWS.len() });
        return stones;
    }
    let piece = |c| match c {
        'O' => Some(Side::White),
        'X' => Some(Side::Black),
        _ => None,
    };
    let mut first = 0;
    for (row, (text, width)) in rows.into_iter().zip(ROWS).enumerate() {
        fen::read_row(text, row, width, "O, X, 1-6", piece, faults, |column, side| {
            if let Some(&p) = READING_ORDER.get(first + column) {
                let [white, black] = &mut stones;
                *(if side == Side::White { white } else { black }) |= 1 << p;
            }
        });
        first += width;
    }
    stones
}

/// Formed lines of both sides as `hex,hex`.
fn read_lines(text: &str) -> Option<[u32; 2]> {
    let (white, black) = text.split_once(',')?;
    let read = |text| u32::from_str_radix(text, 16).ok().filter(|&lines| lines >> LINES.len() == 0);
    Some([read(white)?, read(black)?])
}

impl<const S: u8> Morris<S> {
    fn read_own_form(&self, fields: &[&str], faults: &mut Faults) -> Setup {
        let mut fields = fields.iter().copied();
        let limit = u32::from(self.rules().stones);
        let stones = read_board(fields.next().unwrap_or_default(), faults);
        let side = fen::read_side(fields.next(), faults);
        let mut hand = |field| match fields.next() {
            None => {
                faults.0.push(Fault::Missing { field, expected: "a number of stones" });
                0
            }
            text => fen::read_number(text, field, 0, limit, 0, faults),
        };
        let hands = [hand("white's hand"), hand("black's hand")];
        let plies_without_progress =
            fen::read_number(fields.next(), "counter", 0, fen::MAX_PLIES_WITHOUT_PROGRESS, 0, faults);
        let move_number = fen::read_number(fields.next(), "move number", 1, fen::MAX_MOVE_NUMBER, 1, faults);
        let mut formed_lines = [0, 0];
        if self.rules().once_per_line
            && let Some(text) = fields.next()
        {
            match read_lines(text) {
                Some(lines) => formed_lines = lines,
                None => faults.0.push(Fault::Field {
                    field: "formed lines",
                    value: text.to_string(),
                    expected: "two hexadecimal line sets as in 1,0".to_string(),
                }),
            }
        }
        if let Some(extra) = fields.next() {
            faults.0.push(Fault::Extra(extra.to_string()));
        }
        Setup { stones, hands, side, plies_without_progress, move_number, formed_lines }
    }

    /// Fields: board, side, phase, action, white on board, white in hand, black on board, black in hand, then
    /// removals due of White and Black, then (in newer versions) five more, then counter and move number.
    fn read_sanmill(&self, fields: &[&str], faults: &mut Faults) -> Setup {
        let limit = u32::from(self.rules().stones);
        let mut stones: [PointSet; 2] = [0, 0];
        let board = fields.first().copied().unwrap_or_default();
        for (row, ring) in board.split('/').enumerate() {
            let found = ring.chars().count();
            if found != 8 {
                faults.0.push(Fault::RowLength { row: row + 1, found, expected: 8 });
            }
        }
        let rings = board.split('/').count();
        if rings != 3 {
            faults.0.push(Fault::RowCount { found: rings, expected: 3 });
        }
        for (c, p) in board.chars().filter(|&c| c != '/').zip(sanmill_order()) {
            let [white, black] = &mut stones;
            match c {
                'O' => *white |= 1 << p,
                '@' => *black |= 1 << p,
                '*' => {}
                _ => faults.0.push(Fault::Character { row: 3 - p / 8, found: c, expected: "O, @, *" }),
            }
        }
        let side = fen::read_side(fields.get(1).copied(), faults);
        let mut one_of = |index: usize, field, words: &[&str], expected| match fields.get(index).copied() {
            Some(word) if words.contains(&word) => {}
            Some(word) => {
                faults.0.push(Fault::Field { field, value: word.to_string(), expected: String::from(expected) });
            }
            None => faults.0.push(Fault::Missing { field, expected }),
        };
        one_of(2, "phase", &["r", "p", "m", "o", "n"], "r, p, m, o or n");
        one_of(3, "action", &["p", "s", "r", "?"], "p, s, r or ?");
        let mut count = |index: usize, field| match fields.get(index).copied() {
            None => {
                faults.0.push(Fault::Missing { field, expected: "a number of stones" });
                0
            }
            text => fen::read_number(text, field, 0, limit, 0, faults),
        };
        let given = [count(4, "white stones on board"), count(6, "black stones on board")];
        let hands = [count(5, "white's hand"), count(7, "black's hand")];
        for ((side, given), stones) in [Side::White, Side::Black].into_iter().zip(given).zip(stones) {
            let board = stones.count_ones();
            if given != board {
                faults.0.push(Fault::Contradiction { what: format!("{side}'s stones on board"), given, board });
            }
        }
        let mut due = fields.get(3) == Some(&"r");
        for &text in fields.iter().skip(8).take(2) {
            match text.parse::<i64>() {
                // Below zero a side has to remove stones of its own.
                Ok(count) => due |= count != 0,
                Err(_) => faults.0.push(Fault::Field {
                    field: "removals due",
                    value: text.to_string(),
                    expected: "a number".to_string(),
                }),
            }
        }
        if due {
            faults.0.push(REMOVAL_DUE);
        }
        let tail = match fields.len() {
            17.. => 15,
            12 => 10,
            count => count,
        };
        let plies_without_progress =
            fen::read_number(fields.get(tail).copied(), "counter", 0, fen::MAX_PLIES_WITHOUT_PROGRESS, 0, faults);
        let number = fields.get(tail + 1).map(|&text| if text == "0" { "1" } else { text });
        let move_number = fen::read_number(number, "move number", 1, fen::MAX_MOVE_NUMBER, 1, faults);
        Setup { stones, hands, side, plies_without_progress, move_number, formed_lines: [0, 0] }
    }

    fn mills_text(&self, stones: PointSet) -> String {
        let mills: Vec<String> = self
            .board_lines()
            .iter()
            .filter(|&&line| line & !stones == 0)
            .map(|&line| {
                let names: Vec<_> =
                    READING_ORDER.iter().filter(|&&p| line >> p & 1 != 0).map(|&p| name(u32::from(p))).collect();
                names.join("-")
            })
            .collect();
        if mills.is_empty() { "none".to_string() } else { mills.join(" ") }
    }
}

impl<const S: u8> Notation for Morris<S> {
    fn parse_fen(&self, text: &str) -> Result<Placed<Position>, Faults> {
        let fields: Vec<&str> = text.split_whitespace().collect();
        let mut faults = Faults::default();
        let Some(board) = fields.first() else {
            return Err(Faults(vec![Fault::Missing { field: "board", expected: "seven rows of points" }]));
        };
        let setup = if board.contains(['*', '@']) {
            self.read_sanmill(&fields, &mut faults)
        } else {
            self.read_own_form(&fields, &mut faults)
        };
        let validated = self.validate(&setup);
        if !faults.0.is_empty() {
            // The faults of the text explain a position that cannot be; those that remain are worth telling too.
            if let Err(more) = validated {
                faults.0.extend(more.0.into_iter().filter(|fault| *fault != BOTH_LOST));
            }
            return Err(faults);
        }
        validated.map(|position| Placed { position, move_number: setup.move_number })
    }

    fn fen(&self, placed: &Placed<Position>) -> String {
        let pos = &placed.position;
        let [white, black] = pos.stones();
        let mut text = String::new();
        let mut order = READING_ORDER.iter();
        for (row, width) in ROWS.into_iter().enumerate() {
            if row > 0 {
                text.push('/');
            }
            let mut run = 0;
            for &p in order.by_ref().take(width) {
                let piece = match (white >> p & 1, black >> p & 1) {
                    (0, 0) => {
                        run += 1;
                        continue;
                    }
                    (1, _) => 'O',
                    _ => 'X',
                };
                if run > 0 {
                    let _ = write!(text, "{run}");
                    run = 0;
                }
                text.push(piece);
            }
            if run > 0 {
                let _ = write!(text, "{run}");
            }
        }
        let [white_hand, black_hand] = pos.hands();
        let _ = write!(
            text,
            " {} {white_hand} {black_hand} {} {}",
            pos.side().letter(),
            pos.plies_without_progress(),
            placed.move_number
        );
        if self.rules().once_per_line {
            let _ = write!(text, " {:x},{:x}", pos.formed_lines(Side::White), pos.formed_lines(Side::Black));
        }
        text
    }

    fn move_text(&self, mv: Move) -> String {
        let step = Step::unpack(mv);
        let mut text = step.from.map_or(String::new(), |from| name(from).to_string());
        text.push_str(name(step.to));
        if let Some(removed) = step.removed {
            text.push('x');
            text.push_str(name(removed));
        }
        text
    }

    fn parse_move(&self, text: &str) -> Option<Move> {
        let (path, removed) = match text.split_once(['x', 'X']) {
            Some((path, removed)) => (path, Some(point_by_name(removed)?)),
            None => (text, None),
        };
        let path = path.strip_suffix('-').unwrap_or(path);
        let (from, to) = match path.split_once('-') {
            Some((from, to)) => (Some(from), to),
            None if path.len() == 4 => (Some(path.get(..2)?), path.get(2..)?),
            None => (None, path),
        };
        let from = match from {
            Some(from) => Some(point_by_name(from)?),
            None => None,
        };
        Some(Step { from, to: point_by_name(to)?, removed }.pack())
    }

    fn objection(&self, pos: &Position, mv: Move) -> Option<String> {
        let step = Step::unpack(mv);
        let same_way = |&legal: &Move| Step { removed: step.removed, ..Step::unpack(legal) } == step;
        let legal = self.moves(pos).into_iter().find(same_way)?;
        let example = self.move_text(legal);
        Some(match (step.removed, Step::unpack(legal).removed) {
            (None, _) => format!("closes a mill: name the stone to take, such as {example}"),
            (Some(_), None) => format!("takes no stone here, expected {example}"),
            (Some(removed), Some(_)) => format!("cannot take {}, expected a move such as {example}", name(removed)),
        })
    }

    fn diagram(&self, pos: &Position) -> String {
        let [white, black] = pos.stones();
        let art: [&str; 13] = if self.rules().diagonals {
            [
                "7 #-----------#-----------#",
                "  | \\         |         / |",
                "6 |   #-------#-------#   |",
                "  |   | \\     |     / |   |",
                "5 |   |   #---#---#   |   |",
                "  |   |   |       |   |   |",
                "4 #---#---#       #---#---#",
                "  |   |   |       |   |   |",
                "3 |   |   #---#---#   |   |",
                "  |   | /     |     \\ |   |",
                "2 |   #-------#-------#   |",
                "  | /         |         \\ |",
                "1 #-----------#-----------#",
            ]
        } else {
            [
                "7 #-----------#-----------#",
                "  |           |           |",
                "6 |   #-------#-------#   |",
                "  |   |       |       |   |",
                "5 |   |   #---#---#   |   |",
                "  |   |   |       |   |   |",
                "4 #---#---#       #---#---#",
                "  |   |   |       |   |   |",
                "3 |   |   #---#---#   |   |",
                "  |   |       |       |   |",
                "2 |   #-------#-------#   |",
                "  |           |           |",
                "1 #-----------#-----------#",
            ]
        };
        let mut order = READING_ORDER.iter();
        let mut text = String::new();
        for line in art {
            for c in line.chars() {
                let shown = if c == '#' {
                    order.next().map_or('?', |&p| match (white >> p & 1, black >> p & 1) {
                        (0, 0) => '.',
                        (1, _) => 'O',
                        _ => 'X',
                    })
                } else {
                    c
                };
                text.push(shown);
            }
            text.push('\n');
        }
        text.push_str("  a   b   c   d   e   f   g\n");
        text
    }

    fn flipped(&self, pos: &Position) -> Position {
        pos.sides_exchanged()
    }

    fn describe(&self, pos: &Position) -> Vec<(&'static str, String)> {
        let [white, black] = pos.stones();
        let [white_hand, black_hand] = pos.hands();
        let placing = pos.own_hand() > 0;
        let flying = !placing && self.flying() && pos.own().count_ones() == 3;
        let phase = match (placing, flying) {
            (true, _) => "placing",
            (_, true) => "flying",
            _ => "moving",
        };
        let due = match (placing, self.rules().slides_while_placing, flying) {
            (true, false, _) => "place a stone",
            (true, true, _) => "place a stone or slide one",
            (_, _, true) => "move a stone to any free point",
            _ => "slide a stone",
        };
        let blocked = points(pos.own()).filter(|&p| neighbours(1 << p, self.rules().diagonals) & pos.free() == 0);
        let mut lines = vec![
            ("Phase", phase.to_string()),
            ("Stones on board", format!("white {} black {}", white.count_ones(), black.count_ones())),
            ("Stones in hand", format!("white {white_hand} black {black_hand}")),
            ("Mills white", self.mills_text(white)),
            ("Mills black", self.mills_text(black)),
            ("Mill count", {
                let diagonals = self.rules().diagonals;
                format!("white {} black {}", mill_count(white, diagonals), mill_count(black, diagonals))
            }),
            ("Blocked stones", blocked.count().to_string()),
        ];
        if self.ending(pos).is_none() {
            lines.push(("Move due", due.to_string()));
        }
        lines
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]
mod tests {
    use super::super::CUSTOM;
    use super::super::rules::{LASKER, MLYN, MORABARABA, MORRIS, MYLOS, Rules};
    use super::*;

    fn game(rules: Rules) -> Morris<CUSTOM> {
        Morris::new(rules)
    }

    /// The position of a FEN, written as a FEN again.
    fn reread(game: &Morris<CUSTOM>, fen: &str) -> String {
        let placed = game.parse_fen(fen).unwrap_or_else(|faults| panic!("{fen}: {faults}"));
        game.fen(&placed)
    }

    fn faults(game: &Morris<CUSTOM>, fen: &str) -> String {
        game.parse_fen(fen).unwrap_err().to_string()
    }

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
            let expected = Faults(vec![REMOVAL_DUE]);
            assert_eq!(game.parse_fen(&fen(action, due)), Err(expected), "{action} {due}");
        }
        assert_eq!(faults(&game, &fen("p", "x 0")), "removals due is \"x\", expected a number");
        // The fields after these two say nothing about removals.
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
    fn faults_of_a_sanmill_fen_are_told_together() {
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
                "black's hand is \"10\", expected a number in 0..=9; white's stones on board given as 2, but the board shows 1",
            ),
            (
                "O@******/********/******** w p p 1 8 0 9",
                "black's stones on board given as 0, but the board shows 1; black has 10 stones on board and in hand, expected at most 9",
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

    #[test]
    fn faults_of_a_fen_are_told_together() {
        let game = game(MORRIS);
        for (fen, expected) in [
            ("", "board is missing, expected seven rows of points"),
            ("3/3/3/6/3/3 w 9 9", "6 rows, expected 7"),
            ("3/3/3/6/3/3/3 w 9", "black's hand is missing, expected a number of stones"),
            ("3/3/3/6/3/3/3 w 10 9", "white's hand is \"10\", expected a number in 0..=9"),
            ("3/3/3/6/3/3/3 w 9 9 0 0", "move number is \"0\", expected a number in 1..=4294967295"),
            ("3/3/3/6/3/3/3 w 9 9 0 1 0,0", "unexpected text \"0,0\" after the last field"),
            ("O2/3/3/6/3/3/3 w 9 9", "white has 10 stones on board and in hand, expected at most 9"),
            ("O2/3/3/6/3/3/X2 w 1 1", "both sides have fewer than three stones, expected at most one such side"),
            // A side to move that cannot be read is all there is to say about this one.
            ("O2/3/3/6/3/3/X2 x 1 1", "side to move is \"x\", expected w or b"),
            (
                "O2/3/3/6/3/3/X2 x 9 1",
                "side to move is \"x\", expected w or b; white has 10 stones on board and in hand, expected at most 9",
            ),
        ] {
            assert_eq!(faults(&game, fen), expected, "{fen}");
        }
    }

    #[test]
    fn formed_lines_are_read_and_written() {
        let game = game(Rules { once_per_line: true, ..MORABARABA });
        let start = "3/3/3/6/3/3/3 w 12 12 0 1";
        assert_eq!(reread(&game, start), format!("{start} 0,0"));
        for lines in ["1,0", "0,80000", "fffff,a5"] {
            assert_eq!(reread(&game, &format!("{start} {lines}")), format!("{start} {lines}"));
        }
        for lines in ["1", "100000,0", "0,100000", "x,0", "1,0,0"] {
            let fault = faults(&game, &format!("{start} {lines}"));
            assert_eq!(fault, format!("formed lines is {lines:?}, expected two hexadecimal line sets as in 1,0"));
        }
        assert_eq!(faults(&game, &format!("{start} 0,0 x")), "unexpected text \"x\" after the last field");
    }

    #[test]
    fn moves_are_read_in_all_their_forms() {
        let game = game(MORRIS);
        for (forms, text) in [
            (&["d6", "D6"][..], "d6"),
            (&["d6xb4", "d6-xb4", "d6Xb4", "D6xB4"], "d6xb4"),
            (&["a4a7", "a4-a7", "A4-a7"], "a4a7"),
            (&["a4a7xg1", "a4-a7xg1", "a4-a7-xg1"], "a4a7xg1"),
        ] {
            for form in forms {
                assert_eq!(game.parse_move(form).map(|mv| game.move_text(mv)).as_deref(), Some(text), "{form}");
            }
        }
        for text in [
            "", "x", "d", "d6x", "xd6", "d4", "h7", "a4a", "a4a77", "a4a7x", "a4a7xd4", "a4--a7", "-a7", "\u{e9}7a",
            "a\u{e9}7",
        ] {
            assert_eq!(game.parse_move(text), None, "{text}");
        }
    }

    #[test]
    fn illegal_moves_close_to_a_legal_one_get_a_hint() {
        let hint = |rules, fen, text| {
            let game = game(rules);
            game.objection(&game.parse_fen(fen).unwrap().position, game.parse_move(text).unwrap())
        };
        let says = |text: &str| Some(text.to_string());
        let fen = "1OO/3/3/O3X1/3/X2/XXO w 0 0";
        assert_eq!(hint(MORRIS, fen, "a4a7"), says("closes a mill: name the stone to take, such as a4a7xd1"));
        assert_eq!(
            hint(MORRIS, "1OO/3/3/6/3/3/XX1 w 7 7", "a7"),
            says("closes a mill: name the stone to take, such as a7xd1")
        );
        assert_eq!(hint(MORRIS, fen, "a4b4xa1"), says("takes no stone here, expected a4b4"));
        assert_eq!(hint(MORRIS, fen, "a4a7xd5"), says("cannot take d5, expected a move such as a4a7xd1"));
        assert_eq!(hint(MORRIS, fen, "a4c4"), None);
        assert_eq!(hint(MORRIS, fen, "a4c4xa1"), None);
        let protected = "1OO/3/3/O5/3/3/XXX w 0 0";
        assert_eq!(hint(MORRIS, protected, "a4a7"), says("closes a mill: name the stone to take, such as a4a7xg1"));
        assert_eq!(hint(MYLOS, protected, "a4a7xd1"), says("takes no stone here, expected a4a7"));
    }

    /// The values of some lines of a description.
    fn described(rules: Rules, fen: &str, names: &[&str]) -> Vec<String> {
        let game = game(rules);
        let lines = game.describe(&game.parse_fen(fen).unwrap().position);
        names.iter().filter_map(|name| Some(lines.iter().find(|line| line.0 == *name)?.1.clone())).collect()
    }

    #[test]
    fn phase_and_move_due_follow_the_rules() {
        let phase = |rules, fen| described(rules, fen, &["Phase", "Move due"]).join(", ");
        let three = "OO1/3/3/O5/3/3/XXX w 0 0";
        let four = "OOO/3/3/O5/3/3/XXX w 0 0";
        assert_eq!(phase(MORRIS, "3/3/3/6/3/3/3 w 9 9"), "placing, place a stone");
        assert_eq!(phase(MORRIS, "OO1/3/3/O5/3/3/XXX w 1 0"), "placing, place a stone");
        assert_eq!(phase(LASKER, "OO1/3/3/O5/3/3/XXX w 1 0"), "placing, place a stone or slide one");
        assert_eq!(phase(MORRIS, three), "flying, move a stone to any free point");
        assert_eq!(phase(MLYN, three), "moving, slide a stone");
        assert_eq!(phase(MORRIS, four), "moving, slide a stone");
        assert_eq!(phase(LASKER, four), "moving, slide a stone");
        assert_eq!(phase(MORRIS, "OO1/3/3/6/3/3/XXX w 0 0"), "moving", "nothing is due when the game is over");
    }

    #[test]
    fn mills_and_blocked_stones_are_counted() {
        let names = ["Stones on board", "Stones in hand", "Mills white", "Mills black", "Mill count", "Blocked stones"];
        let fen = "OOO/1X1/3/O2X1X/3/1X1/OX1 b 1 2";
        assert_eq!(
            described(MORRIS, fen, &names),
            ["white 5 black 5", "white 1 black 2", "a7-d7-g7 a7-a4-a1", "none", "white 2 black 0", "0"]
        );
        let blocked = "XOX/3/3/O2O1X/3/3/1O1 b 0 0";
        assert_eq!(described(MORRIS, blocked, &["Blocked stones"]), ["2"]);
        assert_eq!(described(MORABARABA, blocked, &["Blocked stones"]), ["0"]);
        let corners = "O2/O2/O2/6/X2/X2/X2 w 0 0";
        assert_eq!(described(MORRIS, corners, &["Mills white", "Mills black"]), ["none", "none"]);
        assert_eq!(described(MORABARABA, corners, &["Mills white", "Mills black"]), ["a7-b6-c5", "c3-b2-a1"]);
    }

    #[test]
    fn diagrams_show_every_stone() {
        let fen = "OX1/O1X/OX1/XO1O1X/2O/X2/1OX w 0 0";
        let expected = "\
7 O-----------X-----------.
  | \\         |         / |
6 |   O-------.-------X   |
  |   | \\     |     / |   |
5 |   |   O---X---.   |   |
  |   |   |       |   |   |
4 X---O---.       O---.---X
  |   |   |       |   |   |
3 |   |   .---.---O   |   |
  |   | /     |     \\ |   |
2 |   X-------.-------.   |
  | /         |         \\ |
1 .-----------O-----------X
  a   b   c   d   e   f   g
";
        for rules in [MORABARABA, MORRIS] {
            let game = game(rules);
            let shown = game.diagram(&game.parse_fen(fen).unwrap().position);
            let plain = expected.replace(['\\', '/'], " ");
            assert_eq!(shown, if rules.diagonals { expected } else { &plain });
        }
    }
}
