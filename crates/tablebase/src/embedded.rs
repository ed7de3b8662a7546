//! The small tables that are part of the program, so that it plays these endings perfectly without any files.
//!
//! They are copies of the distance files that `scripts/embedded-tables` builds.

use super::endings::{Endings, RulesTag, Sector};
use super::format::{Kind, Subject, TableFile};
use super::pair::Pair;
use ahash::AHashMap;
use std::sync::Arc;

/// Names of sectors and the bytes of their distance files.
type Files = &'static [(&'static str, &'static [u8])];

#[cfg(feature = "embedded")]
macro_rules! files {
    ($folder:literal: $($name:literal)*) => {
        &[$(($name, include_bytes!(concat!("embedded/", $folder, "/", $name, ".dtw")))),*]
    };
}

#[cfg(not(feature = "embedded"))]
const EMBEDDED: &[(RulesTag, Files)] = &[];

/// The tables by the tag of their rules. These take a few kilobytes each; the next larger sectors would take as much as
/// all of these together.
#[cfg(feature = "embedded")]
const EMBEDDED: &[(RulesTag, Files)] = &[
    (*b"M\x01\0\0\0\0\0\0", files!("morris": "3-3" "4-3" "3-4" "4-4" "5-3" "3-5")),
    (*b"M\x03\0\0\0\0\0\0", files!("mylos": "3-3" "4-3" "3-4" "4-4" "5-3" "3-5")),
    (*b"M\x00\0\0\0\0\0\0", files!("mlyn": "3-3" "4-3" "3-4" "4-4" "5-3" "3-5")),
    (*b"M\x05\0\0\0\0\0\0", files!("morabaraba": "3-3" "4-3" "3-4" "4-4" "5-3" "3-5")),
    (*b"S\x00\0\0\0\0\0\0", files!("smess": "BS-B" "B-BS" "BN-B" "B-BN")),
];

/// The tables of these endings.
pub(super) fn pairs<E: Endings>(endings: &E) -> AHashMap<Sector, Arc<Pair>> {
    let tag = endings.tag();
    let files = EMBEDDED.iter().filter(|(of, _)| *of == tag).flat_map(|(_, files)| *files);
    let sectors = endings.sectors();
    files
        .filter_map(|&(name, bytes)| {
            let sector = *sectors.iter().find(|&&sector| endings.name(sector) == name)?;
            let subject = Subject { kind: Kind::Distance, tag, sector, slots: endings.slots(sector) };
            match TableFile::embedded(bytes, subject) {
                Ok(table) => Some((sector, Arc::new(Pair::of(None, Some(table))))),
                Err(fault) => {
                    log::error!("embedded table {name}: {fault}");
                    None
                }
            }
        })
        .collect()
}

#[cfg(all(test, feature = "build", feature = "embedded"))]
mod tests {
    use super::*;
    use crate::tests::solve_in_memory;
    use crate::{MorrisEndings, SmessEndings, Solvable};
    use millbrain_core::morris::{DIAGONALS, FLYING, NEVER};

    fn check<E: Solvable>(endings: &E, sectors: usize, solved_again: &[&str]) {
        let pairs = pairs(endings);
        assert_eq!(pairs.len(), sectors, "all of them are sound");
        let again: Vec<Sector> =
            pairs.keys().copied().filter(|&sector| solved_again.contains(&endings.name(sector).as_str())).collect();
        assert_eq!(again.len(), solved_again.len());
        for (sector, codes) in solve_in_memory(endings, &again) {
            let embedded = pairs[&sector].distance.as_ref().expect("embedded").codes().expect("sound");
            for (slot, (embedded, solved)) in (0..).zip(embedded.iter().zip(&codes)) {
                if endings.images(sector, slot) > 0 {
                    assert_eq!(embedded, solved, "{} slot {slot}", endings.name(sector));
                }
            }
        }
    }

    #[test]
    fn they_are_what_the_solver_finds() {
        check(&MorrisEndings::<FLYING>::new(9), 6, &["5-3", "4-4"]);
        check(&MorrisEndings::<{ FLYING | NEVER }>::new(9), 6, &["4-3"]);
        check(&MorrisEndings::<0>::new(9), 6, &["4-3"]);
        check(&MorrisEndings::<{ FLYING | DIAGONALS }>::new(12), 6, &["4-3"]);
        check(&SmessEndings, 4, &["BN-B"]);
    }
}
