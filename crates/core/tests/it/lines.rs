//! What the lines of a search hold.

use millbrain_core::any::{AnyGame, Report};
use millbrain_core::game::Verdict;
use millbrain_core::search::score::mate_moves;
use millbrain_core::search::{Control, HashTable, Limits, Request};
use millbrain_core::variant::Variant;
use std::sync::Arc;

/// The line of a certain win ends with the move that wins.
#[test]
fn lines_of_wins_are_played_to_the_end() {
    let limits = Limits { depth: Some(4), ..Limits::default() };
    let mut rng = fastrand::Rng::with_seed(8);
    for variant in [Variant::Morris, Variant::Smess] {
        let (mut complete, mut cut) = (0, 0);
        while complete < 20 {
            let mut game = AnyGame::new(variant.rules());
            while game.ending().is_none()
                && let Some(mv) = rng.choice(game.moves())
            {
                game.push(&mv).expect("legal");
                let hash = Arc::new(HashTable::new(1).expect("a MiB"));
                let control = Arc::new(Control::new(false));
                let mut line = Vec::new();
                let answer = game.search(&Request::plain(&limits, &hash, &control), &mut |report| {
                    if let Report::Line(told) = report {
                        line.clone_from(&told.pv);
                    }
                });
                let Some(moves) = mate_moves(answer.score).filter(|&moves| moves == 2) else { continue };
                if line.len() < 2 * moves as usize - 1 {
                    cut += 1;
                    continue;
                }
                let mut end = game.clone();
                line.iter().for_each(|mv| drop(end.push(mv).expect("a line of legal moves")));
                assert!(end.ending().is_some_and(|end| end.verdict == Verdict::Loss), "{} {line:?}", game.fen());
                complete += 1;
            }
        }
        assert!(cut * 10 < complete, "{variant}: {cut} of {complete} lines are cut");
    }
}
