//! Compares the engine's rules with the slow reference in random games of every variant: same moves, same endings, same
//! FENs. `MILLBRAIN_POSITIONS=1000000 cargo test --release --test it differential::` checks a million positions of
//! each.

use crate::common::setting;
use crate::reference::Reference;
use crate::reference::morris::{NINE, Rules, SEVENTEEN, SIXTEEN};
use millbrain::game::{Game, Verdict};
use millbrain::morris::Removals;
use millbrain::perft;
use millbrain::play::Play;
use millbrain::variant::{Ruleset, Variant};
use millbrain::with_game;

/// Positions of each variant in the short form.
const POSITIONS: usize = 4_000;

/// How the moves of a random game are chosen; together these reach all kinds of endings.
#[derive(Clone, Copy)]
enum Manner {
    Any,
    /// Captures if possible.
    Eager,
    /// No captures if there are other moves.
    Shy,
    /// Back and forth if possible.
    Shuffling,
}

impl Manner {
    fn choose<'a>(self, moves: &'a [String], own_last: &str, rng: &mut fastrand::Rng) -> &'a str {
        let back = if own_last.len() == 4 { format!("{}{}", &own_last[2..], &own_last[..2]) } else { String::new() };
        let wanted: Vec<&String> = moves
            .iter()
            .filter(|text| match self {
                Manner::Any => true,
                Manner::Eager => text.contains('x'),
                Manner::Shy => !text.contains('x'),
                Manner::Shuffling => **text == back,
            })
            .collect();
        rng.choice(&wanted).copied().unwrap_or_else(|| rng.choice(moves).expect("a move"))
    }
}

/// Compares random games from this seed.
fn compare(seed: u64, rules: Ruleset, start: &impl Reference) {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut left = setting("MILLBRAIN_POSITIONS").unwrap_or(POSITIONS);
    let mut endings = std::collections::BTreeMap::new();
    while left > 0 {
        let mut slow = start.clone();
        let manner = *rng.choice(&[Manner::Any, Manner::Eager, Manner::Shy, Manner::Shuffling]).expect("four");
        let mut last = [String::new(), String::new()];
        with_game!(rules, |game| {
            let mut fast = Play::new(game);
            loop {
                assert_eq!(fast.fen(), slow.fen(), "{rules:?}");
                let texts = fast.game.moves(fast.position()).into_iter().map(|mv| move_text(&fast, mv));
                let mut moves: Vec<String> = texts.collect();
                let mut expected = slow.moves();
                moves.sort_unstable();
                expected.sort_unstable();
                assert_eq!(moves, expected, "{rules:?} {}", slow.fen());
                assert_eq!(fast.game.count_moves(fast.position()), expected.len() as u64, "{rules:?} {}", slow.fen());
                let ending = fast.ending().map(|ending| {
                    let verdict = match ending.verdict {
                        Verdict::Win => "win",
                        Verdict::Loss => "loss",
                        Verdict::Draw => "draw",
                    };
                    (verdict.to_string(), ending.reason.to_string())
                });
                let expected_ending = slow.ending().map(|(verdict, why)| (verdict.to_string(), why.to_string()));
                assert_eq!(ending, expected_ending, "{rules:?} {}", slow.fen());
                left = left.saturating_sub(1);
                if let Some((_, reason)) = ending {
                    *endings.entry(reason).or_insert(0) += 1;
                    break;
                }
                if left == 0 {
                    break;
                }
                let text = manner.choose(&expected, &last[0], &mut rng);
                let mv = fast.find_move(text).expect("legal");
                last = [std::mem::take(&mut last[1]), text.to_string()];
                fast.push(mv);
                slow.play(text);
            }
        });
    }
    println!("{rules:?}: {endings:?}");
    assert!(endings.len() >= 3, "games end in several ways: {endings:?}");
}

fn move_text<G: millbrain::game::Notation>(play: &Play<G>, mv: millbrain::game::Move) -> String {
    play.game.move_text(mv)
}

const MORRIS: Rules = Rules {
    stones: 9,
    flying: true,
    never_when_all_in_mills: false,
    one_for_each_mill: false,
    diagonals: false,
    slides_while_placing: false,
    no_mill_draw: 100,
    first_mill_wins: false,
};

#[test]
fn morris_agrees() {
    compare(0, Variant::Morris.rules(), &crate::reference::morris::Game::new(MORRIS));
}

#[test]
fn muehle_agrees() {
    compare(1, Variant::Muehle.rules(), &crate::reference::morris::Game::new(Rules { no_mill_draw: 20, ..MORRIS }));
}

#[test]
fn mylos_agrees() {
    compare(
        2,
        Variant::Mylos.rules(),
        &crate::reference::morris::Game::new(Rules { never_when_all_in_mills: true, ..MORRIS }),
    );
}

#[test]
fn mlyn_agrees() {
    compare(3, Variant::Mlyn.rules(), &crate::reference::morris::Game::new(Rules { flying: false, ..MORRIS }));
}

#[test]
fn lasker_agrees() {
    let rules = Rules { stones: 10, slides_while_placing: true, ..MORRIS };
    compare(4, Variant::Lasker.rules(), &crate::reference::morris::Game::new(rules));
}

#[test]
fn morabaraba_agrees() {
    compare(
        5,
        Variant::Morabaraba.rules(),
        &crate::reference::morris::Game::new(Rules { stones: 12, diagonals: true, ..MORRIS }),
    );
}

#[test]
fn a_stone_for_each_mill_agrees() {
    let rules = |variant: Variant| match variant.rules() {
        Ruleset::Morris(rules) => Ruleset::Morris(millbrain::morris::Rules { removals: Removals::EachMill, ..rules }),
        _ => unreachable!("no morris"),
    };
    let reference = Rules { one_for_each_mill: true, ..MORRIS };
    compare(7, rules(Variant::Morris), &crate::reference::morris::Game::new(reference));
    let mylos = Rules { never_when_all_in_mills: true, ..reference };
    compare(9, rules(Variant::Mylos), &crate::reference::morris::Game::new(mylos));
    let morabaraba = Rules { stones: 12, diagonals: true, ..reference };
    compare(12, rules(Variant::Morabaraba), &crate::reference::morris::Game::new(morabaraba));
}

#[test]
fn merels_agrees() {
    const THREE: &str = "Points=9,Stones=3,First Mill Wins=true,No Mill Draw=12";
    let small = Rules { stones: 6, flying: false, ..MORRIS };
    for (seed, list, board, rules) in [
        (20, "", SIXTEEN, small),
        (21, "Stones=5,Flying=true", SIXTEEN, Rules { stones: 5, flying: true, ..small }),
        (22, "Points=17,Stones=7", SEVENTEEN, Rules { stones: 7, ..small }),
        (23, "Points=17,Moves While Placing=true", SEVENTEEN, Rules { slides_while_placing: true, ..small }),
        (24, THREE, NINE, Rules { stones: 3, first_mill_wins: true, no_mill_draw: 12, ..small }),
        (26, "Removals=each mill", SIXTEEN, Rules { one_for_each_mill: true, ..small }),
        (25, "Points=9,Stones=4,Removal=never", NINE, Rules { stones: 4, never_when_all_in_mills: true, ..small }),
    ] {
        let mut ruleset = Variant::Six.rules();
        ruleset.set_all(list).expect("rules");
        compare(seed, ruleset, &crate::reference::morris::Game::on(&board, rules));
    }
}

/// Counts the leaves of all games of this length.
fn leaves(game: &impl Reference, plies: u32) -> u64 {
    if plies == 0 {
        return 1;
    }
    let after = |text: &String| {
        let mut next = game.clone();
        next.play(text);
        leaves(&next, plies - 1)
    };
    game.moves().iter().map(after).sum()
}

#[test]
fn merels_counts_agree() {
    let six = Rules { stones: 6, flying: false, ..MORRIS };
    for (variant, plies, board, rules) in [
        (Variant::Three, 6, NINE, Rules { stones: 3, first_mill_wins: true, ..six }),
        (Variant::Five, 4, SIXTEEN, Rules { stones: 5, ..six }),
        (Variant::Six, 4, SIXTEEN, six),
        (Variant::Seven, 4, SEVENTEEN, Rules { stones: 7, ..six }),
    ] {
        let expected = leaves(&crate::reference::morris::Game::on(&board, rules), plies);
        with_game!(variant.rules(), |game| assert_eq!(perft::count(&game, &game.start(), plies), expected));
    }
}

#[test]
fn smess_agrees() {
    compare(6, Variant::Smess.rules(), &crate::reference::smess::Game::new());
}
