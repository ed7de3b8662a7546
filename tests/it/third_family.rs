//! Families from outside, refereed in matches, recorded and analysed through the same interfaces as the built-in ones.

use crate::dao::Dao;
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
use millbrain::tournament::record::{GameRecord, Outcome, Termination, read_games};
use millbrain::tournament::referee::{Adjudication, Engine, Scoresheet, play_game};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// A player that searches to a fixed depth.
struct Player {
    start: AnyGame,
    depth: u32,
}

impl Engine for Player {
    fn think(&self, question: &Question<'_>) -> Result<Answer, Failure> {
        let game = self.start.at(Some(question.fen), question.moves.iter().copied()).expect("legal moves");
        assert_eq!(game.fen(), question.game.fen());
        let (limits, control) =
            (Limits { depth: Some(self.depth), ..Limits::default() }, Arc::new(Control::new(false)));
        let hash = Arc::new(HashTable::new(1).expect("a MiB"));
        let answer = game.search(&Request::plain(&limits, &hash, &control), &mut |_| {});
        let score = mate_moves(answer.score).map_or(Score::Cp(answer.score), Score::Mate);
        let report = Report { score: Some(score), depth: Some(self.depth), nodes: Some(answer.nodes), pv: Vec::new() };
        Ok(Answer { best: answer.best.unwrap_or_default(), ponder: None, report, elapsed: Duration::from_millis(1) })
    }
}

/// Plays a game between engines with these depths in plies.
fn play(start: &AnyGame, opening: &[&str], depths: [u32; 2]) -> Scoresheet {
    let config = |name: &str| EngineConfig {
        name: name.to_string(),
        thinking: Thinking { depth: Some(1), ..Thinking::default() },
        ..EngineConfig::default()
    };
    let adjudication = Adjudication { draw: None, resign: None, max_moves: 0, stall: Duration::from_secs(60) };
    let players = depths.map(|depth| Player { start: start.clone(), depth });
    let configs = [config("white"), config("black")];
    let engines: [(&dyn Engine, _); 2] = [(&players[0], &configs[0]), (&players[1], &configs[1])];
    let opening = Opening { fen: None, moves: opening.iter().map(ToString::to_string).collect() };
    let sheet = play_game(start, &opening, engines, &adjudication, &AtomicBool::new(false));
    sheet.expect("an opening").expect("not interrupted")
}

#[test]
fn they_are_played_in_matches_and_recorded() {
    let [three_men, dao] = [AnyGame::of(ThreeMen), AnyGame::of(Dao)];
    for (start, opening, depths, outcome, reason) in [
        // The side that opens in the centre wins; a player with one ply of foresight loses from either side.
        (&three_men, &[][..], [12, 1], Outcome::WhiteWins, "three in a line"),
        (&three_men, &["1", "5"], [1, 12], Outcome::BlackWins, "three in a line"),
        (&dao, &["b2b1", "c2c1"], [4, 1], Outcome::WhiteWins, "four in a figure"),
        (&dao, &[], [1, 4], Outcome::Draw, "repetition"),
    ] {
        let sheet = play(start, opening, depths);
        assert_eq!((sheet.outcome, sheet.termination), (outcome, Termination::Normal), "{}", sheet.reason);
        assert!(sheet.reason.contains(reason), "{}", sheet.reason);
        let record = GameRecord {
            index: 0,
            round: 1,
            white: "white".to_string(),
            black: "black".to_string(),
            variant: start.family().to_string(),
            house_rules: String::new(),
            thinking: Default::default(),
            fen: sheet.fen,
            moves: sheet.moves,
            late_move: sheet.late_move,
            outcome: sheet.outcome,
            termination: sheet.termination,
            reason: sheet.reason,
        };
        let read = read_games(&record.text()).expect("its own text");
        assert_eq!(read, [record]);
        read[0].verify_by(&**start).expect("the same game");
        let unfinished = GameRecord { moves: read[0].moves[1..].to_vec(), ..read[0].clone() };
        assert!(unfinished.verify_by(&**start).is_err());
    }
}

#[test]
fn they_are_analysed() {
    for (game, best) in [
        (AnyGame::of(ThreeMen).at(Some("OO1/XX1/3 w"), []), "3"),
        (AnyGame::of(Dao).at(Some("OOO1/XX2/X1X1/3O w"), []), "d1d4"),
    ] {
        let limits = Limits { depth: Some(8), ..Limits::default() };
        let hash = Arc::new(HashTable::new(1).expect("a MiB"));
        let analysis = analysis::analyse(&game.expect("a position"), &limits, 3, &hash);
        assert_eq!((analysis.best.score, analysis.best_move.as_deref()), (Score::Mate(1), Some(best)));
        assert_eq!((analysis.best.pv.as_slice(), analysis.others.len()), (&[best.to_string()][..], 2));
        assert!(analysis.faults.is_empty());
    }
}
