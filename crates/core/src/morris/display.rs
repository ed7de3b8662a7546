//! A position for a human reader: the board as text, and a description.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use super::board::{PointSet, READING_ORDER, mill_count, neighbours, points};
use super::game::{CUSTOM, Morris};
use super::notation::name;
use super::position::Position;
use crate::game::Game;
use crate::layout::Described;

impl Morris<CUSTOM> {
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

    /// Returns the board with coordinates.
    pub(super) fn board_text(&self, pos: &Position) -> String {
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

    /// Returns lines of `name: value` about a position.
    pub(super) fn description(&self, pos: &Position) -> Vec<(&'static str, String)> {
        let [white, black] = pos.stones();
        let [white_hand, black_hand] = pos.hands();
        let phase = self.phase(pos);
        let due = match (phase, self.rules().slides_while_placing) {
            ("placing", false) => "place a stone",
            ("placing", true) => "place a stone or slide one",
            ("flying", _) => "move a stone to any free point",
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
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::super::CUSTOM;
    use super::super::rules::{LASKER, MLYN, MORABARABA, MORRIS, Rules};
    use super::*;
    use crate::game::Notation;

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
