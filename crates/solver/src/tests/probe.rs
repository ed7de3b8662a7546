//! Tables that have been built, as they are probed.

use super::{falsify, flying, solve_in_memory, three_against_three};
use crate::solvable::Solvable;
use millbrain_core::game::Verdict;
use millbrain_core::game::value::Oracle;
use millbrain_core::morris::{DIAGONALS, FLYING, NEVER};
use millbrain_tablebase::format::Kind;
use millbrain_tablebase::{Endings, MorrisEndings, Sector, SmessEndings, Tablebase};
use std::path::PathBuf;

/// The results of the folder named first take precedence; later folders only add distances.
#[test]
fn folders_named_first_take_precedence() {
    let [right, wrong] = ["first", "second"].map(|name| three_against_three(&format!("precedence-{name}")));
    let slot = falsify(&wrong, Kind::Wdl);
    let pos = flying().position(flying().sectors()[0], slot).expect("in use");
    let verdict = |folders: &[&PathBuf]| {
        let mut tables = Tablebase::none(flying());
        folders.iter().for_each(|folder| drop(tables.add_folder(folder)));
        tables.verdict(&pos)
    };
    assert_eq!(verdict(&[&right, &wrong]), Some(Verdict::Win));
    assert_eq!(verdict(&[&wrong, &right]), Some(Verdict::Loss));
    std::fs::remove_file(wrong.join("3-3.dtw")).expect("there");
    for folders in [[&right, &wrong], [&wrong, &right]] {
        assert_eq!(verdict(&folders), Some(Verdict::Win), "{folders:?}");
    }
    assert_eq!(verdict(&[&wrong]), Some(Verdict::Loss));
    for folder in [right, wrong] {
        std::fs::remove_dir_all(folder).expect("removed");
    }
}

fn check<E: Solvable>(endings: &E, sectors: usize, solved_again: &[&str]) {
    let tables = Tablebase::embedded(endings.clone());
    let found = tables.sectors();
    assert_eq!(found.len(), sectors, "all of them are sound");
    let again: Vec<Sector> =
        found.into_iter().filter(|&sector| solved_again.contains(&endings.name(sector).as_str())).collect();
    assert_eq!(again.len(), solved_again.len());
    for (sector, codes) in solve_in_memory(endings, &again) {
        // Values that follow from those of other positions take longer to find.
        let step = if endings.is_derived(sector) { 101 } else { 1 };
        for slot in (0..codes.len()).step_by(step) {
            let Some(pos) = endings.position(sector, slot as u64) else { continue };
            let expected = codes.value(slot);
            assert_eq!(tables.verdict(&pos), Some(expected.verdict()), "{}", endings.fen(&pos));
            assert_eq!(tables.value(&pos), Some(expected), "{}", endings.fen(&pos));
        }
    }
}

#[test]
fn embedded_tables_are_what_the_solver_finds() {
    check(&MorrisEndings::new(FLYING, 9), 6, &["5-3", "4-4"]);
    check(&MorrisEndings::new(FLYING | NEVER, 9), 6, &["4-3"]);
    check(&MorrisEndings::new(0, 9), 6, &["4-3"]);
    check(&MorrisEndings::new(FLYING | DIAGONALS, 12), 6, &["4-3"]);
    check(&SmessEndings, 4, &["BN-B"]);
}
