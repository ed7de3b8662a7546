//! A position for a human reader: the board as text, and a description.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use super::board::{ARROWS, E, FILES, N, NE, NW, RANKS, S, SE, SQUARES, SW, W};
use super::game::Smess;
use super::movegen::attacks;
use super::notation::letter_at;
use super::position::Position;
use crate::game::Game;
use std::fmt::Write;

/// The arrows around a piece, in their places.
const COMPASS: [[Option<(u8, char)>; 3]; 3] = [
    [Some((NW, '↖')), Some((N, '↑')), Some((NE, '↗'))],
    [Some((W, '←')), None, Some((E, '→'))],
    [Some((SW, '↙')), Some((S, '↓')), Some((SE, '↘'))],
];

impl Smess {
    /// Returns the board with coordinates: each piece in the middle of its square, with the arrows of the square around
    /// it.
    pub(super) fn board_text(&self, pos: &Position) -> String {
        const RULE: &str = "───────";
        let rule = |[left, middle, right]: [&str; 3]| format!("  {left}{}{right}\n", [RULE; FILES].join(middle));
        let mut text = rule(["┌", "┬", "┐"]);
        for rank in (0..RANKS).rev() {
            if rank + 1 < RANKS {
                text.push_str(&rule(["├", "┼", "┤"]));
            }
            for (row, directions) in COMPASS.into_iter().enumerate() {
                let name = if row == 1 { (rank + 1).to_string() } else { " ".to_string() };
                let _ = write!(text, "{name} │");
                for square in rank * FILES..(rank + 1) * FILES {
                    let arrows = ARROWS.get(square).copied().unwrap_or_default();
                    let signs = directions.map(|direction| match direction {
                        Some((arrow, _)) if arrows & arrow == 0 => ' ',
                        Some((_, sign)) => sign,
                        None => letter_at(pos, square).unwrap_or(' '),
                    });
                    let [left, middle, right] = signs;
                    let _ = write!(text, " {left} {middle} {right} │");
                }
                text.push('\n');
            }
        }
        text.push_str(&rule(["└", "┴", "┘"]));
        text.push_str("      a       b       c       d       e       f       g\n");
        text
    }

    /// Returns lines of `name: value` about a position.
    pub(super) fn description(&self, pos: &Position) -> Vec<(&'static str, String)> {
        let count = |set: u64| set.count_ones();
        let [white, black] = pos.sides();
        let line = |set: u64| {
            format!(
                "Brain {} Numskulls {} Ninnies {}",
                count(set & pos.brains()),
                count(set & pos.numskulls()),
                count(set & pos.ninnies())
            )
        };
        let attacked = |own: u64, by: u64| {
            (0..SQUARES)
                .find(|&s| own & pos.brains() & 1 << s != 0)
                .map_or("captured", |s| if attacks(pos, by, s) { "attacked" } else { "safe" })
        };
        let phase = if self.ending(pos).is_some() { "over" } else { "playing" };
        vec![
            ("Phase", phase.to_string()),
            ("Pieces white", line(white)),
            ("Pieces black", line(black)),
            ("Brain white", attacked(white, black).to_string()),
            ("Brain black", attacked(black, white).to_string()),
        ]
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]
mod tests {
    use super::super::notation::square_name;
    use super::*;
    use crate::game::Notation;
    use crate::layout::Described;

    #[test]
    fn diagrams_and_descriptions_show_every_piece() {
        let game = Smess::default();
        let pos = game.parse_fen("1n3S1/7/7/3b3/3S3/7/7/B5s w 0 1").unwrap().position;
        let shown = game.diagram(&pos);
        let cells: Vec<Vec<char>> = shown.lines().map(|line| line.chars().collect()).collect();
        assert_eq!((cells.len(), cells[0].len()), (4 * RANKS + 2, 8 * FILES + 3));
        let signs = [['↖', '↑', '↗'], ['←', ' ', '→'], ['↙', '↓', '↘']];
        let layout = game.layout();
        for square in 0..SQUARES {
            let name = square_name(square);
            let arrows = &layout.arrows[layout.points.iter().position(|point| point.name == name).unwrap()];
            let (file, rank) = (square % FILES, square / FILES);
            let (line, column) = (4 * (RANKS - 1 - rank) + 2, 8 * file + 6);
            assert_eq!(cells[line][2], '│');
            assert_eq!(
                (cells[line][0], cells[4 * RANKS + 1][column]),
                (char::from(b'1' + rank as u8), name.chars().next().unwrap())
            );
            for (down, row) in (-1..=1).zip(signs) {
                for (right, sign) in (-1..=1).zip(row) {
                    let shown = cells[(line as i32 + down) as usize][(column as i32 + 2 * right) as usize];
                    let expected = match [right, down] {
                        [0, 0] => letter_at(&pos, square).unwrap_or(' '),
                        step if arrows.contains(&step.map(|step| step as i8)) => sign,
                        _ => ' ',
                    };
                    assert_eq!(shown, expected, "{name} {right} {down}");
                }
            }
        }
        let described = |fen: &str| {
            let lines = game.describe(&game.parse_fen(fen).unwrap().position);
            lines.iter().map(|(name, value)| format!("{name}: {value}")).collect::<Vec<_>>()
        };
        assert_eq!(
            described("1n3S1/7/7/3b3/3S3/7/7/B5s w 0 1"),
            [
                "Phase: playing",
                "Pieces white: Brain 1 Numskulls 2 Ninnies 0",
                "Pieces black: Brain 1 Numskulls 1 Ninnies 1",
                "Brain white: attacked",
                "Brain black: attacked"
            ]
        );
        let safe = described("1ssbss1/nnnnnnn/7/7/7/7/NNNNNNN/1SSBSS1 w 0 1");
        assert_eq!(safe[3..], ["Brain white: safe", "Brain black: safe"]);
        let over = described("7/7/7/3b3/7/7/7/N6 b 0 1");
        assert_eq!((over[0].as_str(), over[3].as_str()), ("Phase: over", "Brain white: captured"));
    }
}
