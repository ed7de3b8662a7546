//! The analysis of one position.

use crate::any::{self, Answer, AnyGame, Report};
use crate::search::score::{mate_moves, wdl};
use crate::search::{Bound, Control, HashTable, Limits, Request};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// Centistones, or the distance to the end of the game in own moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Score {
    /// Centistones from the side to move.
    Cp(i32),
    /// Own moves to the end, negative when losing.
    Mate(i32),
}

impl Score {
    fn of(score: i32) -> Score {
        mate_moves(score).map_or(Score::Cp(score), Score::Mate)
    }
}

/// A variation.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Line {
    /// Score from the side to move.
    pub score: Score,
    /// Chances to win, draw and lose in permille.
    pub wdl: [u32; 3],
    /// Nominal depth in plies.
    pub depth: i32,
    /// The moves.
    pub pv: Vec<String>,
}

impl From<any::Line> for Line {
    fn from(line: any::Line) -> Line {
        Line { score: Score::of(line.score), wdl: wdl(line.score), depth: line.depth, pv: line.pv }
    }
}

/// The variations that a search has reported so far: of each rank the last one whose score is exact.
#[derive(Clone, Debug, Default)]
pub struct Lines(BTreeMap<usize, any::Line>);

impl Lines {
    /// Takes a report.
    pub fn take(&mut self, report: &Report<'_>) {
        if let Report::Line(line) = report
            && line.bound == Bound::Exact
        {
            self.0.insert(line.multipv, line.clone());
        }
    }

    /// The best variation and the others, best first, once the search has given its answer. The last result counts, even
    /// if the search ended before it could report it as exact.
    pub fn finish(mut self, answer: &Answer, hash: &HashTable, control: &Control) -> (any::Line, Vec<any::Line>) {
        let best = self.0.remove(&1).filter(|line| line.pv.first() == answer.best.as_ref());
        let best = best.unwrap_or_else(|| {
            let pv: Vec<String> = answer.best.iter().chain(&answer.ponder).cloned().collect();
            // What was the best so far may have been the second before.
            self.0.retain(|_, line| line.pv.first() != pv.first());
            let line = any::Line::unsearched(answer.score, pv, hash, control);
            any::Line { depth: answer.depth, nodes: answer.nodes, ..line }
        });
        (best, self.0.into_values().collect())
    }
}

/// What a search has found out about a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Analysis {
    /// The best move; `None` if the game is over.
    pub best_move: Option<String>,
    /// The best variation.
    pub best: Line,
    /// The other variations, best first.
    pub others: Vec<Line>,
    /// Nodes of the search.
    pub nodes: u64,
    /// Time of the search.
    pub time: Duration,
    /// What the tablebases were found to be damaged in, a line each.
    pub faults: Vec<String>,
}

/// Searches a position on the calling thread with an empty hash table, which is cleared before.
pub fn analyse(game: &AnyGame, limits: &Limits, multipv: usize, hash: &Arc<HashTable>) -> Analysis {
    analyse_under(&Arc::new(Control::new(false)), game, limits, multipv, hash)
}

/// Searches a position as [`analyse`] does, under a control by which it can be stopped.
pub fn analyse_under(
    control: &Arc<Control>,
    game: &AnyGame,
    limits: &Limits,
    multipv: usize,
    hash: &Arc<HashTable>,
) -> Analysis {
    hash.clear();
    let request = Request { multipv, ..Request::plain(limits, hash, control) };
    let mut lines = Lines::default();
    let answer = game.search(&request, &mut |report| lines.take(report));
    let (best, others) = lines.finish(&answer, hash, control);
    Analysis {
        best_move: answer.best,
        best: best.into(),
        others: others.into_iter().map(Line::from).collect(),
        nodes: answer.nodes,
        time: control.elapsed(),
        faults: game.new_faults(),
    }
}
