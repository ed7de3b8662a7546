//! A family from outside, refereed in a match and analysed through the same doors as those inside.

use crate::three_men::ThreeMen;
use millbrain::analysis;
use millbrain::any::AnyGame;
use millbrain::games::score::Score;
use millbrain::search::score::mate_moves;
use millbrain::search::{Control, HashTable, Limits, Request};
use millbrain::tournament::client::{Answer, Failure, Report};
use millbrain::tournament::config::{EngineConfig, Thinking};
use millbrain::tournament::dialect::Question;
use millbrain::tournament::openings::Opening;
use millbrain::tournament::record::{Outcome, Termination};
use millbrain::tournament::referee::{House, Thinker, play_game};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// A player that searches so many plies deep.
struct Player {
    start: AnyGame,
    depth: u32,
}

impl Thinker for Player {
    fn think(&self, question: &Question<'_>) -> Result<Answer, Failure> {
        let game = self.start.at(Some(question.fen), question.moves.iter().copied()).expect("legal moves");
        assert_eq!(game.fen(), question.game.fen());
        let (limits, control) =
            (Limits { depth: Some(self.depth), ..Limits::default() }, Arc::new(Control::new(false)));
        let hash = Arc::new(HashTable::new(1).expect("a MiB"));
        let answer = game.search(&Request::plain(&limits, &hash, &control), &mut |_| {});
        let score = mate_moves(answer.score).map_or(Score::Cp(answer.score), Score::Mate);
        let report = Report { score: Some(score), depth: Some(self.depth), nodes: Some(answer.nodes) };
        Ok(Answer { best: answer.best.unwrap_or_default(), report, elapsed: Duration::from_millis(1) })
    }
}

#[test]
fn it_is_played_in_a_match() {
    let start = AnyGame::of(ThreeMen);
    let config = |name: &str| EngineConfig {
        name: name.to_string(),
        thinking: Thinking { depth: Some(1), ..Thinking::default() },
        ..EngineConfig::default()
    };
    let house = House { draw: None, resign: None, max_moves: 0, stall: Duration::from_secs(60) };
    // Who opens in the centre wins; who sees but one ply ahead loses from either side.
    for (depths, outcome) in [([12, 1], Outcome::WhiteWins), ([1, 12], Outcome::BlackWins)] {
        let players = depths.map(|depth| Player { start: start.clone(), depth });
        let configs = [config("white"), config("black")];
        let engines: [(&dyn Thinker, _); 2] = [(&players[0], &configs[0]), (&players[1], &configs[1])];
        let opening = Opening { fen: None, moves: vec!["1".to_string(), "5".to_string()] };
        let opening = if outcome == Outcome::WhiteWins { Opening::default() } else { opening };
        let course = play_game(&start, &opening, engines, &house, &AtomicBool::new(false));
        let course = course.expect("an opening").expect("not interrupted");
        let reason = "three in a line";
        assert_eq!((course.outcome, course.termination), (outcome, Termination::Normal), "{}", course.reason);
        assert!(course.reason.contains(reason), "{}", course.reason);
    }
}

#[test]
fn it_is_analysed() {
    let game = AnyGame::of(ThreeMen).at(Some("OO1/XX1/3 w"), []).expect("a position");
    let limits = Limits { depth: Some(8), ..Limits::default() };
    let hash = Arc::new(HashTable::new(1).expect("a MiB"));
    let analysis = analysis::analyse(&game, &limits, 3, &hash);
    assert_eq!((analysis.best.score, analysis.best_move.as_deref()), (Score::Mate(1), Some("3")));
    assert_eq!((analysis.best.pv.as_slice(), analysis.others.len()), (&["3".to_string()][..], 2));
    assert!(analysis.faults.is_empty());
}
