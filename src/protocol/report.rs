//! Search results as `info` and `bestmove` lines.

use crate::game::{Move, Notation};
use crate::search::score::{mate_moves, wdl};
use crate::search::table::Bound;
use crate::search::{Found, Info};
use std::fmt::Write;

/// Nodes per second; the time counts as at least a microsecond.
pub fn nodes_per_second(nodes: u64, time: std::time::Duration) -> u64 {
    let micros = time.as_micros().max(1);
    (u128::from(nodes) * 1_000_000 / micros) as u64
}

/// `cp N` or `mate N`.
pub fn score_text(score: i32) -> String {
    mate_moves(score).map_or_else(|| format!("cp {score}"), |moves| format!("mate {moves}"))
}

/// An `info` line.
pub fn info_line<G: Notation>(game: &G, info: &Info<'_>, show_wdl: bool) -> String {
    match info {
        Info::Note(text) => format!("info string {text}"),
        Info::CurrentMove { depth, mv, number } => {
            format!("info depth {depth} currmove {} currmovenumber {number}", game.move_text(*mv))
        }
        Info::Variation { depth, seldepth, multipv, score, bound, nodes, hashfull, table_hits, time, pv } => {
            let mut line =
                format!("info depth {depth} seldepth {seldepth} multipv {multipv} score {}", score_text(*score));
            line.push_str(match bound {
                Bound::Exact => "",
                Bound::Lower => " lowerbound",
                Bound::Upper => " upperbound",
            });
            if show_wdl {
                let [win, draw, loss] = wdl(*score);
                let _ = write!(line, " wdl {win} {draw} {loss}");
            }
            let nps = nodes_per_second(*nodes, *time);
            let ms = time.as_millis();
            let _ = write!(line, " nodes {nodes} nps {nps} hashfull {hashfull} tbhits {table_hits} time {ms}");
            if !pv.is_empty() {
                line.push_str(" pv");
            }
            for mv in *pv {
                line.push(' ');
                line.push_str(&game.move_text(*mv));
            }
            line
        }
    }
}

/// A `bestmove` line.
pub fn best_move_line<G: Notation>(game: &G, found: &Found) -> String {
    let text = |mv: Move| game.move_text(mv);
    match (found.best, found.ponder) {
        (None, _) => "bestmove (none)".to_string(),
        (Some(best), None) => format!("bestmove {}", text(best)),
        (Some(best), Some(ponder)) => format!("bestmove {} ponder {}", text(best), text(ponder)),
    }
}
