//! The move counts in `data/perft.json`, as deep as is fast enough for a test; `scripts/long/perft-full` counts the
//! rest.

use crate::three_men::ThreeMen;
use millbrain_core::game::{Game, Notation};
use millbrain_core::variant::Variant;
use millbrain_core::{perft, with_game};

/// Counts above this are left to the script.
const MAX_COUNT: u64 = 20_000_000;

#[derive(serde::Deserialize)]
struct Case {
    variant: String,
    name: String,
    fen: String,
    perft: Vec<u64>,
}

fn cases() -> Vec<Case> {
    let text = include_str!("../data/perft.json");
    serde_json::from_str(text).expect("perft.json is an array of cases")
}

#[test]
fn counts_agree_with_the_reference() {
    for case in cases() {
        let rules = case.variant.parse::<Variant>().expect("a known variant").rules();
        with_game!(rules, |game| {
            let placed = game.parse_fen(&case.fen).unwrap_or_else(|e| panic!("{} {}: {e}", case.variant, case.name));
            for (depth, &expected) in (1..).zip(&case.perft).filter(|&(_, &count)| count <= MAX_COUNT) {
                let found = perft::count(&game, &placed.position, depth);
                assert_eq!(found, expected, "{} {} depth {depth}", case.variant, case.name);
            }
        });
    }
}

#[test]
fn run_time_switches_count_the_same() {
    use millbrain_core::morris::{CUSTOM, Morris};
    use millbrain_core::variant::Ruleset;
    for case in cases() {
        let Ruleset::Morris(rules) = case.variant.parse::<Variant>().expect("a known variant").rules() else {
            continue;
        };
        let game = Morris::<CUSTOM>::new(rules);
        let position = game.parse_fen(&case.fen).expect("valid").position;
        for (depth, &expected) in (1..).zip(&case.perft).filter(|&(_, &count)| count <= 500_000) {
            assert_eq!(perft::count(&game, &position, depth), expected, "{} {}", case.variant, case.name);
        }
    }
}

/// The rules from outside that `three_men.rs` states are those of `three`.
#[test]
fn three_mens_morris_counts_as_stated_elsewhere() {
    with_game!(Variant::Three.rules(), |game| {
        for depth in 1..=7 {
            assert_eq!(perft::count(&game, &game.start(), depth), perft::count(&ThreeMen, &ThreeMen.start(), depth));
        }
    });
}

#[test]
fn threads_and_memory_do_not_change_the_counts() {
    let stop = std::sync::atomic::AtomicBool::new(false);
    for variant in Variant::ALL {
        with_game!(variant.rules(), |game| {
            let start = game.start();
            let expected = perft::count(&game, &start, 4);
            for (threads, hash_mib) in [(1, 0), (1, 1), (2, 0), (3, 2)] {
                let settings = perft::Settings { threads, hash_mib, stop: &stop };
                let divided = perft::divide(&game, &start, 4, settings);
                assert_eq!(divided.len() as u64, game.count_moves(&start));
                assert_eq!(divided.iter().map(|d| d.1).sum::<u64>(), expected, "{variant} {threads} {hash_mib}");
            }
        });
    }
}
