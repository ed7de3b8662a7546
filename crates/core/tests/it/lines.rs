//! The contents of a search's lines.

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
                    if let Report::Line(reported) = report {
                        line.clone_from(&reported.pv);
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

/// Plays a random game of a variant up to some ply before its end. The draw counter may be short.
fn random_game(rng: &mut fastrand::Rng) -> AnyGame {
    let mut rules = rng.choice(Variant::ALL).expect("a variant").rules();
    if rng.bool() {
        rules.set_all("No Mill Draw=8").or_else(|_| rules.set_all("No Capture Draw=8")).expect("a counter");
    }
    let mut game = AnyGame::new(rules);
    for _ in 0..rng.usize(..60) {
        let moves = game.moves();
        let mv = rng.choice(&moves).expect("the game is not over");
        let before = game.clone();
        game.push(mv).expect("legal");
        if game.ending().is_some() {
            return before;
        }
    }
    game
}

/// However a search ends, its lines can be played and do not pass the end of the game. Its expected reply is that of
/// the line reported last.
#[test]
fn lines_of_searches_cut_short_can_be_played() {
    let mut rng = fastrand::Rng::with_seed(52);
    let hash = Arc::new(HashTable::tiny(1 << 10));
    let (mut lines, mut replies) = (0, 0);
    for _ in 0..4_000 {
        let game = random_game(&mut rng);
        if rng.u8(..4) > 0 {
            hash.clear();
        }
        let limits = Limits { nodes: Some(rng.u64(1..1_500)), ..Limits::default() };
        let (control, multipv) = (Arc::new(Control::new(false)), [1, 1, 1, 3][rng.usize(..4)]);
        let mut last = Vec::new();
        let request = Request { multipv, ..Request::plain(&limits, &hash, &control) };
        let answer = game.search(&request, &mut |report| {
            let Report::Line(line) = report else { return };
            let mut end = game.clone();
            for mv in &line.pv {
                let context = || format!("{} {:?} {limits:?}: {line:?}", game.fen(), game.draw_rules());
                assert!(end.ending().is_none(), "past the end: {}", context());
                end.push(mv).unwrap_or_else(|fault| panic!("{mv} {fault}: {}", context()));
            }
            lines += 1;
            if line.multipv == 1 {
                last.clone_from(&line.pv);
            }
        });
        let context = format!("{} {limits:?}: {last:?}", game.fen());
        assert_eq!((answer.best.as_ref(), answer.ponder.as_ref()), (last.first(), last.get(1)), "{context}");
        replies += usize::from(answer.ponder.is_some());
    }
    assert!(lines > 20_000 && replies > 2_500, "{lines} {replies}");
}
