//! Marks of good and bad moves, from an engine's evaluation of every position.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing))]

use crate::position::Analysis;
use millbrain_core::game::Side;
use millbrain_games::score::Score;
use serde::{Deserialize, Serialize};

/// The cap of losses in centistones: a mate does not make a lost win worse.
const MOST: i32 = 1_000;

/// The losses of expected score, in permille, from which a move is marked.
pub const MARKS: [(i32, &str); 3] = [(200, "??"), (100, "?"), (50, "?!")];

/// Returns a score in centistones, with wins and losses at the limits.
fn clamped(score: Score) -> i32 {
    score.centistones().clamp(-MOST, MOST)
}

/// Returns the expected score, in permille, from the chances to win, draw and lose.
pub(crate) const fn expected(wdl: [u32; 3]) -> i32 {
    let [win, draw, _] = wdl;
    (win + draw / 2) as i32
}

/// An engine's evaluation of a position.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Evaluation {
    /// The best move; `None` if the game is over.
    pub best: Option<String>,
    /// Score from the side to move.
    pub score: Score,
    /// Chances to win, draw and lose in permille.
    pub wdl: [u32; 3],
    /// The best variation.
    pub pv: Vec<String>,
}

impl From<Analysis> for Evaluation {
    fn from(analysis: Analysis) -> Evaluation {
        Evaluation {
            best: analysis.best_move,
            score: analysis.best.score,
            wdl: analysis.best.wdl,
            pv: analysis.best.pv,
        }
    }
}

impl Evaluation {
    /// Returns the evaluation of a finished game, from the side to move.
    pub fn over(winner: Option<Side>, side: Side) -> Evaluation {
        let (score, wdl) = match winner {
            None => (Score::Cp(0), [0, 1000, 0]),
            Some(winner) if winner == side => (Score::Mate(0), [1000, 0, 0]),
            Some(_) => (Score::Mate(0), [0, 0, 1000]),
        };
        Evaluation { best: None, score, wdl, pv: Vec::new() }
    }

    /// Returns the expected score of the side to move, in permille.
    const fn expected(&self) -> i32 {
        expected(self.wdl)
    }

    /// Returns the score in centistones; a finished game has a mate of 0 for the winner.
    fn centistones(&self) -> i32 {
        match self.wdl {
            [1000, 0, 0] => MOST,
            [0, 0, 1000] => -MOST,
            _ => clamped(self.score),
        }
    }
}

/// A move with its mark.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Annotated<'a> {
    /// The ply, from 1.
    pub ply: usize,
    /// The move.
    pub played: &'a str,
    /// The best move instead.
    pub best: Option<&'a str>,
    /// Score before it, from the side that moves.
    pub score: Score,
    /// Its loss in centistones.
    pub loss: i32,
    /// Its mark; empty for none.
    pub mark: &'static str,
    /// The best variation instead.
    pub pv: &'a [String],
}

/// Returns the mark of a move with this loss of expected score, in permille; empty for none.
pub fn mark(loss: i32) -> &'static str {
    MARKS.iter().find(|(least, _)| loss >= *least).map_or("", |(_, mark)| mark)
}

/// Returns the moves of a game with their marks; there is an evaluation for each position, the last one included.
pub fn annotated<'a>(moves: impl IntoIterator<Item = &'a str>, evaluations: &'a [Evaluation]) -> Vec<Annotated<'a>> {
    let pairs = evaluations.iter().zip(evaluations.iter().skip(1));
    let plies = moves.into_iter().zip(pairs).enumerate();
    let annotated = plies.map(|(i, (played, (before, after)))| {
        // Another search of the same move gives another score: the best move has lost nothing.
        let is_best = before.best.as_deref() == Some(played);
        let lost = |before: i32, after: i32| if is_best { 0 } else { (before - after).max(0) };
        let chance = lost(before.expected(), 1000 - after.expected());
        Annotated {
            ply: i + 1,
            played,
            best: before.best.as_deref(),
            score: before.score,
            loss: lost(before.centistones(), -after.centistones()),
            mark: mark(chance),
            pv: &before.pv,
        }
    });
    annotated.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evaluation(best: &str, score: i32) -> Evaluation {
        let wdl = millbrain_core::search::score::WdlModel::default().wdl(score);
        Evaluation { best: Some(best.to_string()), score: Score::Cp(score), wdl, pv: vec![best.to_string()] }
    }

    #[test]
    fn marks_go_by_the_chances_lost() {
        let moves = ["d6", "f4", "d2", "b4", "a1"];
        let evaluations = [
            evaluation("d6", 20),
            // The played move was best, whatever the next search finds.
            evaluation("f2", 40),
            // Black was at +40 and is now at -60.
            evaluation("d2", 60),
            evaluation("b4", -500),
            evaluation("a4", 500),
            Evaluation::over(Some(Side::Black), Side::Black),
        ];
        let annotated = annotated(moves, &evaluations);
        let marks: Vec<_> = annotated.iter().map(|ply| (ply.ply, ply.loss, ply.mark)).collect();
        assert_eq!(marks, [(1, 0, ""), (2, 100, "?"), (3, 0, ""), (4, 0, ""), (5, 1_500, "??")]);
        let json = serde_json::to_string(&annotated[1]).expect("data");
        let reported = r#"{"ply":2,"played":"f4","best":"f2","score":{"cp":40},"loss":100,"mark":"?","pv":["f2"]}"#;
        assert_eq!(json, reported);
    }

    #[test]
    fn games_that_are_over_count_fully() {
        assert_eq!(Evaluation::over(Some(Side::White), Side::Black).centistones(), -MOST);
        assert_eq!(Evaluation::over(Some(Side::White), Side::White).expected(), 1000);
        assert_eq!(Evaluation::over(None, Side::White).expected(), 500);
        assert_eq!(clamped(Score::Mate(-3)), -MOST);
        let kept = serde_json::to_string(&evaluation("d6", 7)).expect("data");
        assert_eq!(serde_json::from_str::<Evaluation>(&kept).expect("data"), evaluation("d6", 7));
    }
}
