//! The pack that is part of the program, and a search that follows it.

use millbrain_core::game::Game;
use millbrain_core::game::value::Oracle;
use millbrain_core::morris::rules::MORRIS;
use millbrain_core::morris::{FLYING, Morris, Position};
use millbrain_core::play::Play;
use millbrain_core::search::{Control, HashTable, Limits, Request, search};
use millbrain_core::variant::Variant;
use millbrain_tablebase::{Sources, open};
use std::sync::Arc;

/// Plies in which stones are placed.
const PLACING: usize = 18;

/// Against each reply that the strategy answers, and there always is one, the search plays the answer, however little it sees.
#[test]
fn a_search_follows_the_strategy() {
    let oracle: Arc<dyn Oracle<Position>> =
        open(&Variant::Morris.rules(), &Sources::default()).oracle.expect("tables").of().expect("of the family");
    let hash = Arc::new(HashTable::new(1).expect("1 MiB"));
    let limits = Limits { nodes: Some(20), ..Limits::default() };
    let mut rng = fastrand::Rng::with_seed(1);
    for number in 0..40 {
        let mut play = Play::new(Morris::<FLYING>::new(MORRIS));
        let is_held = |play: &Play<Morris<FLYING>>, mv| oracle.is_held(&play.game.play(play.position(), mv));
        for ply in 0..PLACING {
            let moves = play.game.moves(play.position());
            if ply % 2 == number % 2 {
                let control = Arc::new(Control::new(false));
                let found = search(&play, Some(&oracle), &Request::plain(&limits, &hash, &control), &mut |_| {});
                let best = found.best.expect("the game is not over");
                assert!(is_held(&play, best), "game {number}, ply {}", ply + 1);
                play.push(best);
                continue;
            }
            let is_answered = |&mv: &_| {
                let mut next = play.clone();
                next.push(mv);
                let answers = next.game.moves(next.position());
                !oracle.is_won(next.position()) && answers.into_iter().any(|answer| is_held(&next, answer))
            };
            let answered: Vec<_> = moves.into_iter().filter(is_answered).collect();
            let reply = rng.choice(answered);
            play.push(reply.unwrap_or_else(|| panic!("game {number}: no reply is answered in ply {}", ply + 1)));
        }
    }
}
