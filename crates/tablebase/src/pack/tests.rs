use super::*;
use crate::MorrisEndings;
use millbrain_core::game::Notation;
use millbrain_core::variant::{Ruleset, Variant};
use std::fs;
use std::path::PathBuf;

fn rules(list: &str) -> Ruleset {
    let mut rules = Variant::Morris.rules();
    rules.set_all(list).expect("rules");
    rules
}

fn endings(rules: &Ruleset) -> MorrisEndings {
    let Ruleset::Morris(rules) = rules else { panic!("of the family") };
    MorrisEndings::of(rules).expect("tables")
}

/// Returns positions of some placing and moving sectors. Whether they are won does not matter here.
fn drawn(rules: &Ruleset, seed: u64) -> Vec<String> {
    let endings = endings(rules);
    let sectors = endings.sectors();
    let mut rng = fastrand::Rng::with_seed(seed);
    let sectors: Vec<Sector> = (0..12).filter_map(|_| rng.choice(&sectors).copied()).collect();
    let slots = sectors.into_iter().flat_map(|sector| (0..40).map(move |_| sector));
    let positions = slots.filter_map(|sector| endings.position(sector, rng.u64(..endings.slots(sector))));
    positions.map(|pos| endings.fen(&pos)).collect()
}

/// Returns a pack of these positions as won ones, the first of them also as one of a strategy.
fn contents(rules: &Ruleset, fens: &[String]) -> Contents {
    let mut contents = Contents::new(*rules);
    fens.iter().for_each(|fen| contents.add_won(fen).expect("a position"));
    contents.extend(Said::Held, &fens.first().map(|fen| place(rules, fen)).into_iter().collect::<Vec<_>>());
    contents
}

fn pack(rules: &Ruleset, fens: &[String]) -> Vec<u8> {
    contents(rules, fens).pack().expect("tables")
}

/// Returns the place of a position.
fn place(rules: &Ruleset, fen: &str) -> (Sector, u64) {
    let endings = endings(rules);
    let pos = endings.game().parse_fen(fen).expect("a position").position;
    (endings.sector(&pos).expect("in a sector"), endings.slot(&pos))
}

fn reported(bytes: &[u8], rules: &Ruleset) -> Option<String> {
    Pack::read(bytes.to_vec().into(), &endings(rules)).err().map(|fault| fault.to_string())
}

/// Sets the checksum of bytes that have been changed on purpose.
fn summed(mut bytes: Vec<u8>) -> Vec<u8> {
    let sum = checksum(&bytes).to_le_bytes();
    bytes[SUM..HEADER].copy_from_slice(&sum);
    bytes
}

fn file(name: &str, bytes: &[u8]) -> PathBuf {
    let path = std::env::temp_dir().join(format!("millbrain-{}-{name}.pack", std::process::id()));
    fs::write(&path, bytes).expect("written");
    path
}

#[test]
fn what_is_written_is_found_and_nothing_else() {
    let rules = rules("");
    let (inside, outside) = (drawn(&rules, 1), drawn(&rules, 2));
    let whole = contents(&rules, &inside);
    let bytes = whole.pack().expect("tables");
    let mut twice = whole.clone();
    inside.iter().rev().for_each(|fen| twice.add_won(fen).expect("a position"));
    assert_eq!(twice.pack().expect("tables"), bytes, "the order makes no difference, nor does more of the same");
    let endings = endings(&rules);
    let found = Pack::read(bytes.clone().into(), &endings).expect("sound");
    let position = |fen: &str| endings.game().parse_fen(fen).expect("a position").position;
    let places: BTreeSet<_> = inside.iter().map(|fen| place(&rules, fen)).collect();
    assert_eq!([Said::Won, Said::Held].map(|said| whole.count(said)), [places.len(), 1]);
    assert_eq!(found.len(), places.len() as u64 + 1);
    for fen in inside.iter().chain(&outside) {
        let (pos, place) = (position(fen), place(&rules, fen));
        assert_eq!(found.contains(Said::Won, &pos, u32::MAX), places.contains(&place), "{fen}");
        let is_first = place == self::place(&rules, &inside[0]);
        assert_eq!(found.contains(Said::Held, &pos, u32::MAX), is_first, "{fen}");
        assert!(!found.contains(Said::Won, &pos, endings.pieces(place.0) - 1), "over the limit");
    }
    // With more and more lookups it answers the same, images included.
    for fen in inside.iter().chain(&outside).cycle().take(40 * inside.len()) {
        let (pos, is_inside) = (position(fen), places.contains(&place(&rules, fen)));
        let turned = endings.position(place(&rules, fen).0, place(&rules, fen).1).expect("a position");
        for pos in [pos, turned] {
            assert_eq!(found.contains_quickly(Said::Won, &pos, u32::MAX), is_inside, "{fen}");
            assert!(!found.contains_quickly(Said::Won, &pos, 0), "over the limit");
        }
    }
    let filtered = found.sets[Said::Won as usize].values().filter(|set| set.filter.get().is_some()).count();
    assert_eq!(filtered, found.sets[Said::Won as usize].len());
    // The file gives the same positions, up to symmetry, and these give the same pack.
    let path = file("whole", &bytes);
    let again = Contents::read(&rules, &path).expect("sound");
    assert_eq!(again, whole);
    assert_eq!(again.pack().expect("tables"), bytes);
    fs::remove_file(path).expect("removed");
    let none = pack(&rules, &[]);
    assert_eq!((none.len(), reported(&none, &rules)), (HEADER + END, None));
}

/// A pack holds where its rules do, whatever the draw counter is.
#[test]
fn a_pack_speaks_for_its_own_rules() {
    let own = rules("");
    let bytes = pack(&own, &drawn(&own, 3));
    let other = Some("a pack of other rules".to_string());
    for (list, fault) in [
        ("", None),
        ("Stones=8", other.clone()),
        ("Repetition Draw=false", None),
        ("No Mill Draw=0", None),
        ("No Mill Draw=20", None),
        ("Flying=false", other.clone()),
        ("Moves While Placing=true", other.clone()),
    ] {
        assert_eq!(reported(&bytes, &rules(list)), fault, "{list}");
    }
    let smess = Contents::new(Variant::Smess.rules()).pack().expect("an empty pack");
    assert_eq!(reported(&smess, &own), other);
}

#[test]
fn damage_is_reported_in_a_line() {
    let rules = rules("");
    let bytes = pack(&rules, &drawn(&rules, 4));
    let length = bytes.len();
    let changed = |at: usize, to: u8| {
        let mut bytes = bytes.clone();
        bytes[at] ^= to;
        bytes
    };
    let foreign = "no pack, expected a file made by 'truth pack'";
    for (bytes, fault) in [
        (Vec::new(), foreign.to_string()),
        (b"MILLTBLW".to_vec(), foreign.to_string()),
        (changed(0, 1), foreign.to_string()),
        (bytes[..5].to_vec(), "5 bytes long, expected 48".to_string()),
        (bytes[..40].to_vec(), "40 bytes long, expected 48".to_string()),
        (changed(8, 3), "format version 2, expected 1".to_string()),
        (bytes[..length - 1].to_vec(), format!("{} bytes long, expected {length}", length - 1)),
        ([bytes.clone(), vec![0]].concat(), format!("{} bytes long, expected {length}", length + 1)),
        (changed(length - 20, 1), "damaged: its checksum is wrong".to_string()),
        (changed(30, 1), "damaged: its checksum is wrong".to_string()),
    ] {
        assert_eq!(reported(&bytes, &rules), Some(fault));
    }
    for missing in ["no-such", "folder"] {
        let path = if missing == "folder" { std::env::temp_dir() } else { PathBuf::from(missing) };
        assert!(matches!(Contents::read(&rules, &path), Err(PackFault::Io(_))));
    }
}

/// A forged file with the right checksum ends in a fault or in a usable pack, never in a panic or in much memory.
#[test]
fn made_up_files_are_survived() {
    let rules = rules("");
    let fens = drawn(&rules, 5);
    let bytes = pack(&rules, &fens);
    let endings = endings(&rules);
    let mut rng = fastrand::Rng::with_seed(5);
    let mut refused = 0;
    for _ in 0..400 {
        let mut made_up = bytes.clone();
        for _ in 0..rng.usize(1..5) {
            let place = if rng.bool() { rng.usize(..HEADER + 100) } else { rng.usize(..bytes.len()) };
            made_up[place] = rng.u8(..);
        }
        match Pack::read(summed(made_up).into(), &endings) {
            Err(_) => refused += 1,
            Ok(found) => {
                for fen in &fens {
                    let pos = endings.game().parse_fen(fen).expect("a position").position;
                    for said in Said::ALL {
                        found.contains(said, &pos, u32::MAX);
                    }
                }
                found.contents(&rules);
            }
        }
    }
    assert!((10..400).contains(&refused), "{refused}");
}

#[test]
fn what_cannot_be_packed_is_reported() {
    let reported = |list, fen| Contents::new(rules(list)).add_won(fen).expect_err("refused").to_string();
    assert!(reported("", "nonsense").starts_with("nonsense: "), "{}", reported("", "nonsense"));
    let over = "OO1/3/3/6/3/3/XXX w 0 0";
    assert_eq!(reported("", over), format!("{over}: in no table, expected an undecided position"));
    assert_eq!(reported("Removals=each mill", over), crate::NoEndings.to_string());
}
