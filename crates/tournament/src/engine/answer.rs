//! An engine's answer: a move, and the last report of its search.

use millbrain_games::score::Score;
use std::str::SplitWhitespace;
use std::time::Duration;

/// The last report of a search.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// Score from the side to move.
    pub score: Option<Score>,
    /// Depth in plies.
    pub depth: Option<u32>,
    /// Nodes.
    pub nodes: Option<u64>,
    /// The best variation, as printed.
    pub pv: Vec<String>,
}

impl Report {
    /// Reads the words of an `info` line and skips unknown ones.
    pub(crate) fn read(&mut self, mut words: SplitWhitespace<'_>) {
        let mut next = Report { pv: Vec::new(), ..self.clone() };
        let mut scored = false;
        while let Some(word) = words.next() {
            match word {
                "string" | "currmove" => break,
                "pv" => {
                    next.pv = words.by_ref().map(String::from).collect();
                }
                "multipv" if words.next() != Some("1") => return,
                "depth" => next.depth = words.next().and_then(|word| word.parse().ok()).or(next.depth),
                "nodes" => next.nodes = words.next().and_then(|word| word.parse().ok()).or(next.nodes),
                "score" => {
                    let kind = words.next();
                    let Some(value) = words.next().and_then(|word| word.parse().ok()) else { continue };
                    next.score = match kind {
                        Some("cp") => Some(Score::Cp(value)),
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

/// The moves of a `bestmove` line, as printed.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Best {
    /// The move; empty if nothing followed `bestmove`.
    pub best: String,
    /// The reply that the engine expects, if any.
    pub ponder: Option<String>,
}

/// The answer to a `go`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer {
    /// The move as printed; empty if nothing followed `bestmove`.
    pub best: String,
    /// The reply that the engine expects, if any.
    pub ponder: Option<String>,
    /// The last report before the answer.
    pub report: Report,
    /// Time from `go` to `bestmove`.
    pub elapsed: Duration,
}

impl Answer {
    /// Combines the answers for the two halves of a move: total time and nodes, and the later score if there is one.
    pub(crate) fn completed(self, rest: Answer) -> Answer {
        // Anything but a removal remains visible as a separate word.
        let gap = if rest.best.starts_with('x') { "" } else { " " };
        let report = Report {
            score: rest.report.score.or(self.report.score),
            depth: self.report.depth.max(rest.report.depth),
            nodes: match (self.report.nodes, rest.report.nodes) {
                (Some(first), Some(second)) => Some(first.saturating_add(second)),
                (first, second) => first.or(second),
            },
            pv: Vec::new(),
        };
        let best = format!("{}{gap}{}", self.best, rest.best);
        Answer { best, ponder: None, report, elapsed: self.elapsed + rest.elapsed }
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
        let (score, depth, nodes) = (Some(Score::Mate(-3)), Some(6), Some(200));
        assert_eq!(report, Report { score, depth, nodes, pv: Vec::new() }, "the last report names no moves");
        assert_eq!(read(&["score cp 1 pv d6 f4", "depth 3"]).pv, ["d6", "f4"]);
        // The first line counts only if it has a score; lines of the second variation never count.
        assert_eq!(read(&["depth 5 nodes 3"]), Report::default());
        assert_eq!(read(&["nodes 3 multipv 1 score cp -4 depth x"]).nodes, Some(3));
        assert_eq!(read(&["multipv 2 score cp 4"]), Report::default());
        assert_eq!(read(&["score lower 4 depth 2"]).depth, Some(2));
    }
}
