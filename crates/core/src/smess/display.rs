//! A position for a human reader: the board in text, and a description.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use super::board::{FILES, RANKS, SQUARES};
use super::game::Smess;
use super::movegen::attacks;
use super::notation::letter_at;
use super::position::Position;
use crate::game::Game;
use std::fmt::Write;

impl Smess {
    /// The board with coordinates.
    pub(super) fn board_text(&self, pos: &Position) -> String {
        let mut text = String::new();
        let rule = "  +---+---+---+---+---+---+---+\n";
        for rank in (0..RANKS).rev() {
            text.push_str(rule);
            let _ = write!(text, "{}", rank + 1);
            for file in 0..FILES {
                let _ = write!(text, " | {}", letter_at(pos, rank * FILES + file).unwrap_or(' '));
            }
            text.push_str(" |\n");
        }
        text.push_str(rule);
        text.push_str("    a   b   c   d   e   f   g\n");
        text
    }

    /// Lines of `name: value` about a position.
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
    use super::*;
    use crate::game::Notation;

    #[test]
    fn diagrams_and_descriptions_show_every_piece() {
        let game = Smess::default();
        let pos = game.parse_fen("1n3S1/7/7/3b3/3S3/7/7/B5s w 0 1").unwrap().position;
        let empty = "|   |   |   |   |   |   |   |";
        let rows = [
            "|   | n |   |   |   | S |   |",
            empty,
            empty,
            "|   |   |   | b |   |   |   |",
            "|   |   |   | S |   |   |   |",
            empty,
            empty,
            "| B |   |   |   |   |   | s |",
        ];
        let rule = "  +---+---+---+---+---+---+---+\n";
        let ranks: String = (1..=8).rev().zip(rows).map(|(rank, row)| format!("{rule}{rank} {row}\n")).collect();
        assert_eq!(game.diagram(&pos), format!("{ranks}{rule}    a   b   c   d   e   f   g\n"));
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
