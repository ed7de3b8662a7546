//! A position for a human reader: the board as text, and a description.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use super::board::{PointSet, points};
use super::game::Mills;
use super::notation::{BLACK, WHITE};
use super::position::Position;
use super::rules::MillRules;
use crate::game::Game;
use crate::layout::{Described, Point};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The columns of the text from file to file, and its lines from rank to rank.
const RIGHT: i32 = 4;
const DOWN: i32 = 2;

impl<R: MillRules> Mills<R> {
    /// Returns the full lines.
    fn mills(&self, stones: PointSet) -> impl Iterator<Item = PointSet> {
        self.rules.board().lines.iter().copied().filter(move |line| line & !stones == 0)
    }

    fn mills_text(&self, stones: PointSet) -> String {
        let board = self.rules.board();
        let names = |line| board.in_order(line).map(|p| board.name(p)).collect::<Vec<_>>().join("-");
        let mills: Vec<String> = self.mills(stones).map(names).collect();
        if mills.is_empty() { "none".to_string() } else { mills.join(" ") }
    }

    /// Returns the board with coordinates.
    pub(super) fn board_text(&self, pos: &Position) -> String {
        let board = self.rules.board();
        let [white, black] = pos.stones();
        let mut cells: BTreeMap<[i32; 2], char> = BTreeMap::new();
        for p in points(board.all()) {
            let [x, y] = self.cell(p);
            for [to_x, to_y] in points(self.rules.neighbours_of(p)).map(|p| self.cell(p)) {
                // From one of its two ends, each step has one of these directions.
                let (right, down) = (to_x - x, to_y - y);
                let c = match (right.signum(), down.signum()) {
                    (1, 0) => '-',
                    (0, 1) => '|',
                    (1, 1) => '\\',
                    (-1, 1) => '/',
                    _ => continue,
                };
                let length = if down == 0 { right } else { down };
                cells.extend((1..length).map(|i| ([y + down * i / length, x + right * i / length], c)));
            }
            let stone = match (white >> p & 1, black >> p & 1) {
                (0, 0) => '.',
                (1, _) => WHITE,
                _ => BLACK,
            };
            cells.insert([y, x], stone);
        }
        let ranks = board.rows.len() as i32;
        let mut text = String::new();
        for y in 0..DOWN * (ranks - 1) + 1 {
            let label = if y % DOWN == 0 { (ranks - y / DOWN).to_string() } else { " ".to_string() };
            let row: String = (0..=RIGHT * (ranks - 1)).map(|x| cells.get(&[y, x]).unwrap_or(&' ')).collect();
            let _ = writeln!(text, "{label} {}", row.trim_end());
        }
        for file in ('a'..).take(board.rows.len()) {
            let _ = write!(text, "{}{file}", if file == 'a' { "  " } else { "   " });
        }
        text.push('\n');
        text
    }

    /// Returns column and row of a point in the text.
    fn cell(&self, p: u32) -> [i32; 2] {
        let board = self.rules.board();
        let Point { x, y, .. } = Point::named(board.name(p), board.rows.len() as u8);
        [RIGHT * i32::from(x), DOWN * i32::from(y)]
    }

    /// Returns lines of `name: value` about a position.
    pub(super) fn description(&self, pos: &Position) -> Vec<(&'static str, String)> {
        let [white, black] = pos.stones();
        let [white_hand, black_hand] = pos.hands();
        let phase = self.phase(pos);
        let due = match (phase, self.rules.slides_while_placing()) {
            ("placing", false) => "place a stone",
            ("placing", true) => "place a stone or slide one",
            ("flying", _) => "move a stone to any free point",
            _ => "slide a stone",
        };
        let blocked = points(pos.own()).filter(|&p| self.rules.neighbours_of(p) & self.free(pos) == 0);
        let mut lines = vec![
            ("Phase", phase.to_string()),
            ("Stones on board", format!("white {} black {}", white.count_ones(), black.count_ones())),
            ("Stones in hand", format!("white {white_hand} black {black_hand}")),
            ("Mills white", self.mills_text(white)),
            ("Mills black", self.mills_text(black)),
            ("Mill count", format!("white {} black {}", self.mills(white).count(), self.mills(black).count())),
            ("Blocked stones", blocked.count().to_string()),
        ];
        if self.ending(pos).is_none() {
            lines.push(("Move due", due.to_string()));
        }
        lines
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use crate::game::Notation;
    use crate::morris::rules::{LASKER, MLYN, MORABARABA, MORRIS, Rules};
    use crate::morris::{CUSTOM, Morris};

    fn game(rules: Rules) -> Morris<CUSTOM> {
        Morris::new(rules)
    }

    /// Returns the values of some lines of a description.
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
