//! The packs that are part of the program, and a search that follows them.

use millbrain_core::any::AnyGame;
use millbrain_core::game::value::{Known, Oracle};
use millbrain_core::game::{Game, Verdict};
use millbrain_core::morris::{DIAGONALS, FLYING, Morris, Position};
use millbrain_core::play::Play;
use millbrain_core::search::{Control, HashTable, Limits, Request, search};
use millbrain_core::variant::{Ruleset, Variant};
use millbrain_tablebase::probe::{Bound, ProbeAnswer, ProbedMove, probe};
use millbrain_tablebase::{Sources, open};
use std::sync::Arc;

/// Plays games until this ply in which the search has White or, where both sides have a strategy, either side in turn.
/// After each reply that the strategy answers, and there always is one, the search plays the answer, however small the
/// search.
fn follow<const SWITCHES: u8>(variant: Variant, last: usize, sides: usize) {
    let Ruleset::Morris(rules) = variant.rules() else { unreachable!("a variant of the family") };
    let game = Morris::<SWITCHES>::new(rules);
    let oracle: Arc<dyn Oracle<Position>> =
        open(&variant.rules(), &Sources::default()).oracle.expect("tables").of().expect("of the family");
    let hash = Arc::new(HashTable::new(1).expect("1 MiB"));
    let limits = Limits { nodes: Some(20), ..Limits::default() };
    let mut rng = fastrand::Rng::with_seed(1);
    for number in 0..40 {
        let mut play = Play::new(game);
        let is_held = |play: &Play<Morris<SWITCHES>>, mv| oracle.is_held(&play.game.play(play.position(), mv));
        for ply in 0..last {
            let moves = play.game.moves(play.position());
            if ply % 2 == number % sides {
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

/// The start is drawn: there is a strategy for each side until the last stone is placed.
#[test]
fn a_search_holds_the_draw_of_morris_by_its_strategies() {
    follow::<FLYING>(Variant::Morris, 18, 2);
}

/// The strategies of `mlyn` are closed: they last as long as any game.
#[test]
fn a_search_holds_the_draw_of_mlyn_in_the_moving_phase_too() {
    follow::<0>(Variant::Mlyn, 80, 2);
}

/// Returns the answer of `tablebase probe` for a position.
fn probed(variant: Variant, fen: &str) -> Option<ProbeAnswer> {
    probe(variant.rules(), fen, &Sources::default()).ok()
}

/// A move that is reported not to lose is followed by positions with the same report after every reply, until the
/// strategies end.
#[test]
fn probes_follow_the_strategies() {
    let mut rng = fastrand::Rng::with_seed(2);
    for (variant, last, verdict) in [
        (Variant::Morris, 18, Some(Verdict::Draw)),
        (Variant::Mylos, 18, Some(Verdict::Draw)),
        (Variant::Mlyn, 60, Some(Verdict::Draw)),
        (Variant::Morabaraba, 21, None),
    ] {
        let mut game = AnyGame::new(variant.rules());
        let start = probed(variant, &game.fen()).expect("a pack");
        assert_eq!(start.value.map(Known::verdict), verdict, "{variant}: {start}");
        assert_eq!(start.bound, verdict.is_none().then_some(Bound::NotLost), "{variant}: {start}");
        let mut answers = 0;
        for ply in 0..last {
            let fen = game.fen();
            let found = probed(variant, &fen).unwrap_or_else(|| panic!("{variant}: nothing of {fen} in ply {ply}"));
            let verdict = found.value.map(Known::verdict);
            let is_good = |probed: &&ProbedMove| {
                probed.bound == Some(Bound::NotLost)
                    || probed.value.is_some_and(|value| value.verdict() != Verdict::Loss)
            };
            let text = if ply % 2 == 0 {
                assert!(verdict != Some(Verdict::Loss) && found.bound != Some(Bound::NotWon), "{variant}: {found}");
                answers += 1;
                found.moves.iter().find(is_good).unwrap_or_else(|| panic!("{variant}: {found}")).text.clone()
            } else {
                assert!(verdict != Some(Verdict::Win) && found.bound != Some(Bound::NotLost), "{variant}: {found}");
                // A reply that loses at once leaves the strategy.
                let kept = game.moves().into_iter().filter(|reply| {
                    let after = game.at(Some(&fen), [reply.as_str()]).expect("a legal move");
                    after.ending().is_none()
                        && probed(variant, &after.fen())
                            .is_some_and(|next| next.value.map(Known::verdict) != Some(Verdict::Win))
                });
                let kept: Vec<String> = kept.collect();
                let Some(reply) = rng.choice(kept) else { break };
                reply
            };
            game.push(&text).expect("a legal move");
        }
        assert!(answers > 4, "{variant}: {answers}");
    }
}

/// White wins: there is a strategy for White alone.
#[test]
fn a_search_keeps_the_win_of_morabaraba_by_its_strategy() {
    follow::<{ FLYING | DIAGONALS }>(Variant::Morabaraba, 21, 1);
}
