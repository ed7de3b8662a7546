//! The tablebases of small games against values by definition: every position, value and distance, by the moves of the
//! plain move generator. The long form is `scripts/long/proof`.

use super::board::{Board, board, maps_of_lines};
use super::games::{Part, Sector, Solution, solve};
use super::known_truths::check_mates;
use millbrain_core::any::AnyOracle;
use millbrain_core::game::value::Value;
use millbrain_core::game::{Notation, Placed};
use millbrain_core::morris::rules::LASKER;
use millbrain_core::morris::{DIAGONALS, FLYING, NEVER, Rules, rules_of};
use millbrain_core::variant::Ruleset;
use millbrain_solver::build::{BuildRequest, build};
use millbrain_tablebase::stats::{NamedEntry, stats};
use millbrain_tablebase::{Counts, Longest, Sources, Tally, open};
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Builds some sectors, and all that they depend on, in a folder of this name.
pub fn built(rules: Rules, sectors: &str, name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("proof-{name}-{sectors}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    let sectors = sectors.parse().expect("any text");
    let request = BuildRequest {
        sectors,
        placing: true,
        results: false,
        draw_counter: false,
        ultra: false,
        folder: folder.clone(),
        memory: None,
        threads: Some(1),
    };
    build(Ruleset::Morris(rules), &request, &(), &mut |_| Ok(())).expect("tables");
    folder
}

/// Counts the positions of a sector as tablebases do.
fn tally(solution: &Solution, sector: &Sector) -> [Counts; 2] {
    let mut counts = [Counts::default(); 2];
    for place in sector.places.clone() {
        let images = board().image_count(&solution.solved.positions[place]);
        for (counts, positions) in counts.iter_mut().zip([1, images]) {
            match solution.solved.value(place) {
                Value::Win(_) => counts.wins += positions,
                Value::Loss(_) => counts.losses += positions,
                Value::Draw => counts.draws += positions,
            }
        }
    }
    counts
}

fn longest_plies(solution: &Solution, sector: &Sector) -> [Option<u32>; 2] {
    let values = || sector.places.clone().map(|place| solution.solved.value(place));
    let win = values().filter_map(|value| if let Value::Win(plies) = value { Some(plies) } else { None }).max();
    let loss = values().filter_map(|value| if let Value::Loss(plies) = value { Some(plies) } else { None }).max();
    [win, loss]
}

/// Compares tables with values by definition: these sectors, and all that they depend on. Returns the number of these
/// sectors, and of their positions up to symmetry.
fn compare(rules: Rules, part: Part, sectors: &str, name: &str) -> (usize, usize) {
    let folder = built(rules, sectors, name);
    let solution = solve(rules, part);
    let sources = Sources { folders: vec![folder.clone()], embedded: false, ..Sources::default() };
    let opened = open(&Ruleset::Morris(rules), &sources);
    let tables = opened.oracle.as_ref().and_then(AnyOracle::of).expect("tables");
    let tallies = stats(&folder).expect("a folder of tables").sectors;
    let mut compared = 0;
    for NamedEntry { name, entry } in &tallies {
        // Tables may have partners of sectors that play does not lead to.
        let Some(sector) = solution.sectors.iter().find(|sector| sector.name() == *name) else { continue };
        compared += 1;
        for place in sector.places.clone() {
            let pos = &solution.solved.positions[place];
            let expected = solution.solved.value(place);
            let found = (tables.value(pos), tables.verdict(pos));
            let fen = || solution.solved.game.fen(&Placed { position: *pos, move_number: 1 });
            assert_eq!(found, (Some(expected), Some(expected.verdict())), "{}", fen());
        }
        let Tally { reduced, unreduced, longest_win, longest_loss } = &entry.tally;
        assert_eq!([*reduced, *unreduced], tally(&solution, sector), "{name}");
        let longest = [longest_win, longest_loss].map(|longest| longest.as_ref().map(|Longest { plies, .. }| *plies));
        assert_eq!(longest, longest_plies(&solution, sector), "{name}");
    }
    (compared, solution.solved.positions.len())
}

/// Tests for each rule set, by its switches. The numbers of positions are sums of numbers of orbits, by Burnside's
/// lemma.
macro_rules! rule_sets {
    ($($name:ident: $switches:expr;)*) => {
        $(mod $name {
            use super::*;

            const NAME: &str = stringify!($name);

            #[test]
            fn moving_phase_with_six_stones() {
                assert_eq!(compare(rules_of($switches, 9), Part::Moving(6), "3-3", NAME), (1, 169_626));
            }

            #[test]
            #[ignore = "takes seconds each: scripts/long/proof"]
            fn moving_phase_with_seven_stones() {
                assert_eq!(compare(rules_of($switches, 9), Part::Moving(7), "4-3", NAME), (3, 1_690_422));
            }

            #[test]
            fn games_of_three_stones() {
                assert_eq!(compare(rules_of($switches, 3), Part::Whole, "0+3-0+3", NAME), (7, 201_403));
            }

            #[test]
            #[ignore = "takes a minute: scripts/long/proof"]
            fn games_of_four_stones() {
                assert_eq!(compare(rules_of($switches, 4), Part::Whole, "0+4-0+4", NAME), (28, 6_268_912));
            }

            #[test]
            #[ignore = "takes a minute: scripts/long/proof"]
            fn moving_phase_with_eight_stones() {
                assert_eq!(compare(rules_of($switches, 9), Part::Moving(8), "4-4,5-3", NAME), (6, 10_076_799));
            }
        })*
    };
}

rule_sets! {
    plain: 0;
    flying: FLYING;
    never: NEVER;
    flying_never: FLYING | NEVER;
    diagonals: DIAGONALS;
    flying_diagonals: FLYING | DIAGONALS;
    never_diagonals: NEVER | DIAGONALS;
    flying_never_diagonals: FLYING | NEVER | DIAGONALS;
}

#[test]
fn moving_phase_with_seven_stones_and_all_switches() {
    let rules = rules_of(FLYING | NEVER | DIAGONALS, 9);
    assert_eq!(compare(rules, Part::Moving(7), "4-3", "all-seven"), (3, 1_690_422));
}

/// Checks games with sliding while placing. The values must also follow from one another, and a search without them
/// find the same.
fn check_lasker(stones: u8, counts: (usize, usize)) {
    let rules = Rules { stones, ..LASKER };
    let Solution { solved, .. } = solve(rules, Part::Whole);
    for place in 0..solved.positions.len() {
        assert_eq!(solved.value(place), solved.value_from_next(place));
    }
    check_mates(&solved, |pos| pos.own_hand() + pos.opp_hand() > 0);
    assert_eq!(compare(rules, Part::Whole, "game", &format!("lasker-{stones}")), counts);
}

#[test]
fn a_game_of_lasker_with_three_stones_is_solved_right() {
    check_lasker(3, (11, 234_509));
}

#[test]
#[ignore = "takes a minute: scripts/long/proof"]
fn a_game_of_lasker_with_four_stones_is_solved_right() {
    check_lasker(4, (58, 7_771_111));
}

/// Where stones fly only lines matter, and 48 maps of the points keep the lines.
#[test]
fn three_flying_stones_have_more_symmetries() {
    let solution = solve(rules_of(FLYING, 3), Part::Moving(6));
    let maps = maps_of_lines();
    assert_eq!(maps.len(), 48);
    let solved = &solution.solved;
    let more = Board::new(&maps);
    let mut values = HashMap::new();
    for (place, pos) in solved.positions.iter().enumerate() {
        let value = solved.value(place);
        assert_eq!(*values.entry(more.id(pos)).or_insert(value), value);
    }
    assert!(values.len() < solved.positions.len() / 2);
}
