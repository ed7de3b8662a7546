//! What an engine answers: a move, and what it has reported of its search.

use std::fmt;
use std::str::SplitWhitespace;
use std::time::Duration;

/// A score as engines report it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Score {
    /// Hundredths of a stone.
    Centistones(i32),
    /// The engine's own moves to the win; negative for moves to the loss.
    Mate(i32),
}

impl Score {
    /// In centistones; a win is near 100,000, a loss near -100,000.
    pub const fn centistones(self) -> i32 {
        match self {
            Score::Centistones(score) => score,
            Score::Mate(moves) => {
                if moves > 0 {
                    100_000 - moves
                } else {
                    -100_000 - moves
                }
            }
        }
    }
}

/// In stones, or moves to the end: `+0.35`, or `-M4` for a loss in four moves.
impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Score::Centistones(score) => write!(f, "{:+.2}", f64::from(score) / 100.0),
            Score::Mate(moves) => write!(f, "{}M{}", if moves > 0 { '+' } else { '-' }, moves.unsigned_abs()),
        }
    }
}

/// The last report of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// Score from the side to move.
    pub score: Option<Score>,
    /// Depth in plies.
    pub depth: Option<u32>,
    /// Nodes.
    pub nodes: Option<u64>,
}

impl Report {
    /// Reads the words of an `info` line, and skips those it does not know.
    pub(super) fn read(&mut self, mut words: SplitWhitespace<'_>) {
        let mut next = *self;
        let mut scored = false;
        while let Some(word) = words.next() {
            match word {
                "string" | "pv" | "currmove" => break,
                "multipv" if words.next() != Some("1") => return,
                "depth" => next.depth = words.next().and_then(|word| word.parse().ok()).or(next.depth),
                "nodes" => next.nodes = words.next().and_then(|word| word.parse().ok()).or(next.nodes),
                "score" => {
                    let kind = words.next();
                    let Some(value) = words.next().and_then(|word| word.parse().ok()) else { continue };
                    next.score = match kind {
                        Some("cp") => Some(Score::Centistones(value)),
                        Some("mate") => Some(Score::Mate(value)),
                        _ => next.score,
                    };
                    scored = true;
                }
                _ => {}
            }
        }
        if scored {
            *self = next;
        }
    }
}

/// A `bestmove`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer {
    /// The move as printed; empty if nothing followed `bestmove`.
    pub best: String,
    /// The last report before it.
    pub report: Report,
    /// Time from `go` to `bestmove`.
    pub elapsed: Duration,
}

impl Answer {
    /// One answer of the two halves of a move: the times and nodes of both, and the later score if there is one.
    pub(super) fn completed(self, rest: Answer) -> Answer {
        // Whatever is no removal remains visible as a word of its own.
        let gap = if rest.best.starts_with('x') { "" } else { " " };
        let report = Report {
            score: rest.report.score.or(self.report.score),
            depth: self.report.depth.max(rest.report.depth),
            nodes: match (self.report.nodes, rest.report.nodes) {
                (Some(first), Some(second)) => Some(first.saturating_add(second)),
                (first, second) => first.or(second),
            },
        };
        Answer { best: format!("{}{gap}{}", self.best, rest.best), report, elapsed: self.elapsed + rest.elapsed }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(lines: &[&str]) -> Report {
        let mut report = Report::default();
        for line in lines {
            report.read(line.split_whitespace());
        }
        report
    }

    #[test]
    fn reports_are_read() {
        let report = read(&[
            "depth 5 score cp 12 nodes 100 pv d6 depth 99",
            "depth 6 multipv 1 score mate -3 nodes 200",
            "depth 6 multipv 2 score cp 500",
            "depth 7 currmove d6",
            "string depth 50 score cp 1",
            "score cp x nodes y",
            "score",
            "",
        ]);
        let expected = Report { score: Some(Score::Mate(-3)), depth: Some(6), nodes: Some(200) };
        assert_eq!(report, expected);
        // The first line only counts if it has a score, and a second line of play not at all.
        assert_eq!(read(&["depth 5 nodes 3"]), Report::default());
        assert_eq!(read(&["nodes 3 multipv 1 score cp -4 depth x"]).nodes, Some(3));
        assert_eq!(read(&["multipv 2 score cp 4"]), Report::default());
        assert_eq!(read(&["score lower 4 depth 2"]).depth, Some(2));
    }

    #[test]
    fn near_wins_are_better_than_far_ones() {
        let scores = [Score::Mate(2), Score::Mate(3), Score::Centistones(9), Score::Mate(-3), Score::Mate(-2)];
        assert_eq!(scores.map(Score::centistones), [99_998, 99_997, 9, -99_997, -99_998]);
        // No move left: lost.
        assert_eq!(Score::Mate(0).centistones(), -100_000);
    }

    #[test]
    fn scores_are_in_stones_or_moves() {
        let shown = [Score::Centistones(-7), Score::Centistones(0), Score::Centistones(123)].map(|s| s.to_string());
        assert_eq!(shown, ["-0.07", "+0.00", "+1.23"]);
        assert_eq!([3, -4, 0].map(|moves| Score::Mate(moves).to_string()), ["+M3", "-M4", "-M0"]);
    }
}
