//! Search results as `info` and `bestmove` lines.

use crate::any::{Answer, Line, Report};
use crate::bench::nodes_per_second;
use crate::search::Bound;
use crate::search::score::{WdlModel, mate_moves};
use std::fmt::Write;

/// Formats a score as `cp N` or `mate N`.
pub fn score_text(score: i32) -> String {
    mate_moves(score).map_or_else(|| format!("cp {score}"), |moves| format!("mate {moves}"))
}

/// Formats an `info` line, with chances if there is a model for them.
pub fn info_line(report: &Report<'_>, model: Option<WdlModel>) -> String {
    let line = match report {
        Report::Note(text) => return format!("info string {text}"),
        Report::CurrentMove { depth, mv, number } => {
            return format!("info depth {depth} currmove {mv} currmovenumber {number}");
        }
        Report::Line(line) => line,
    };
    let Line { depth, seldepth, multipv, score, bound, nodes, hashfull, tablebase_hits, time, pv } = line;
    let mut text = format!("info depth {depth} seldepth {seldepth} multipv {multipv} score {}", score_text(*score));
    text.push_str(match bound {
        Bound::Exact => "",
        Bound::Lower => " lowerbound",
        Bound::Upper => " upperbound",
    });
    if let Some(model) = model {
        let [win, draw, loss] = model.wdl(*score);
        let _ = write!(text, " wdl {win} {draw} {loss}");
    }
    let nps = nodes_per_second(*nodes, *time);
    let ms = time.as_millis();
    let _ = write!(text, " nodes {nodes} nps {nps} hashfull {hashfull} tbhits {tablebase_hits} time {ms}");
    if !pv.is_empty() {
        text.push_str(" pv ");
        text.push_str(&pv.join(" "));
    }
    text
}

/// Formats a `bestmove` line.
pub fn best_move_line(answer: &Answer) -> String {
    match (&answer.best, &answer.ponder) {
        (None, _) => "bestmove (none)".to_string(),
        (Some(best), None) => format!("bestmove {best}"),
        (Some(best), Some(ponder)) => format!("bestmove {best} ponder {ponder}"),
    }
}
