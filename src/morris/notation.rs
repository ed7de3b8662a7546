//! FEN, move text and diagrams.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use super::board::{LINES, NAMES, PointSet, READING_ORDER, ROWS, mill_count, neighbours, point_by_name, points};
use super::movegen::{Morris, Step};
use super::position::{Position, Setup};
use crate::fen::{self, Fault, Faults};
use crate::game::{Game, Move, Notation, Placed, Side};
use std::fmt::Write;

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
        let counter = fen::read_number(fields.next(), "counter", 0, fen::MAX_COUNTER, 0, faults);
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
        Setup { stones, hands, side, counter, move_number, formed_lines }
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
        let due = fields.iter().skip(8).take(2).any(|text| text.parse().is_ok_and(|due: i64| due > 0));
        if due || fields.get(3) == Some(&"r") {
            faults.0.push(Fault::RemovalDue);
        }
        let tail = match fields.len() {
            12.. if fields.len() >= 17 => 15,
            12 => 10,
            _ => fields.len(),
        };
        let counter = fen::read_number(fields.get(tail).copied(), "counter", 0, fen::MAX_COUNTER, 0, faults);
        let number = fields.get(tail + 1).map(|&text| if text == "0" { "1" } else { text });
        let move_number = fen::read_number(number, "move number", 1, fen::MAX_MOVE_NUMBER, 1, faults);
        Setup { stones, hands, side, counter, move_number, formed_lines: [0, 0] }
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
                faults.0.extend(more.0.into_iter().filter(|fault| *fault != Fault::BothLost));
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
        let _ =
            write!(text, " {} {white_hand} {black_hand} {} {}", pos.side().letter(), pos.counter(), placed.move_number);
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
