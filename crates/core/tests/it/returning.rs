//! Searches that return to earlier positions, or avoid them.

use crate::endings::smess_ending;
use millbrain_core::game::{Move, Placed, Searchable};
use millbrain_core::play::Play;
use millbrain_core::search::score::{is_known, mate_in};
use millbrain_core::search::{Control, Found, HashTable, Limits, Request, search};
use millbrain_core::smess::{self, Smess};
use millbrain_core::variant::Variant;
use millbrain_core::with_game;
use std::sync::Arc;

fn find<G: Searchable>(play: &Play<G>, limits: &Limits) -> Found {
    let hash = Arc::new(HashTable::new(1).expect("a small table"));
    search(play, None, &Request::plain(limits, &hash, &Arc::new(Control::new(false))), &mut |_| {})
}

/// Returns a game in which a position has occurred twice: both sides have moved back and forth, the side to move by
/// `mv`.
fn with_detour<G: Searchable>(game: G, start: G::Position, mv: Move, rng: &mut fastrand::Rng) -> Option<Play<G>> {
    let mut play = Play::from_placed(game, Placed { position: start, move_number: 1 });
    let there = game.move_text(mv);
    let after = game.play(&start, mv);
    let reply = game.move_text(rng.choice(game.moves(&after))?);
    if there.len() != 4 || reply.len() != 4 {
        return None;
    }
    let back = |text: &str| format!("{}{}", &text[2..], &text[..2]);
    for text in [&there, &reply, &back(&there), &back(&reply)] {
        let mv = play.find_move(text).ok()?;
        play.push(mv);
    }
    (play.occurrences() == 2 && play.ending().is_none()).then_some(play)
}

/// Returns positions of random games.
fn positions<G: Searchable>(game: G, seed: u64) -> impl Iterator<Item = G::Position> {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut play = Play::new(game);
    std::iter::repeat_with(move || {
        while play.ending().is_some() || rng.u32(..200) == 0 {
            play = Play::new(game);
        }
        let mv = rng.choice(game.moves(play.position())).expect("not over");
        play.push(mv);
        *play.position()
    })
}

/// Returns whether the best move leads to a position that has occurred.
fn goes_back<G: Searchable>(play: &Play<G>, found: &Found) -> bool {
    let mut next = play.clone();
    next.push(found.best.expect("a move"));
    next.occurrences() > 1
}

fn check_returning<G: Searchable>(game: G, seed: u64) {
    let mut rng = fastrand::Rng::with_seed(seed);
    let [mut ahead, mut not_ahead] = [0; 2];
    let depth = |depth| Limits { depth: Some(depth), ..Limits::default() };
    let nodes = |nodes| Limits { nodes: Some(nodes), ..Limits::default() };
    for position in positions(game, seed).filter(|pos| game.ending(pos).is_none()).take(60_000) {
        if ahead >= 40 && not_ahead >= 40 {
            break;
        }
        let limits = [depth(1), depth(2), depth(3), nodes(1), nodes(30), nodes(300)][rng.usize(..6)].clone();
        let fresh = Play::from_placed(game, Placed { position, move_number: 1 });
        let first = find(&fresh, &limits);
        let Some(play) = with_detour(game, position, first.best.expect("a move"), &mut rng) else { continue };
        let again = find(&play, &limits);
        let context = || format!("{} {limits:?} {first:?} {again:?}", fresh.fen());
        let limit = game.draw_rules().progress_limit;
        if limit > 0 && game.plies_without_progress(&position) + 10 > limit {
            continue;
        }
        if is_known(first.score) {
            continue;
        }
        if game.evaluate(&position) >= 100 {
            assert!(!goes_back(&play, &again) || again.score <= 0, "{}", context());
            ahead += 1;
        } else if limits.depth == Some(1) {
            assert_eq!((again.best, again.score), (first.best, first.score), "{}", context());
            not_ahead += 1;
        }
    }
    assert!(ahead >= 40 && not_ahead >= 40, "{ahead} {not_ahead}");
}

/// A shallow search that is ahead does not return to earlier positions; one that is not ahead plays as without a
/// history.
#[test]
fn whoever_is_ahead_does_not_go_back() {
    // Without captures nobody is ahead.
    for variant in Variant::ALL.into_iter().filter(|&variant| variant != Variant::Three) {
        with_game!(variant.rules(), |game| check_returning(game, 3 + variant as u64));
    }
}

/// If the only way to a sure win leads through an earlier position, it is taken.
#[test]
fn a_win_is_taken_even_where_it_goes_back() {
    let game = Smess::new(smess::Rules::default());
    let mut rng = fastrand::Rng::with_seed(1);
    let mut found = 0;
    for _ in 0..4_000 {
        let play = smess_ending(game, [[1, 0], [0, 0]], 0, &mut rng);
        let position = *play.position();
        let limits = Limits { mate: Some(4), ..Limits::default() };
        if play.ending().is_some() || game.evaluate(&position) < 100 {
            continue;
        }
        let first = find(&play, &limits);
        if !is_known(first.score) || first.score == mate_in(1) {
            continue;
        }
        let Some(play) = with_detour(game, position, first.best.expect("a move"), &mut rng) else { continue };
        let again = find(&play, &limits);
        assert_eq!(again.score, first.score, "{}", play.fen());
        found += usize::from(goes_back(&play, &again));
        if found >= 10 {
            return;
        }
    }
    panic!("too few of these wins: {found}");
}
