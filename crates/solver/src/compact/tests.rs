use super::{CompactRequest, SectionReport, VerifyCompact, compact, verify};
use crate::build::{BuildRequest, build};
use crate::tests::{flying, request};
use millbrain_core::any::AnyOracle;
use millbrain_core::game::value::{Known, Oracle};
use millbrain_core::morris::{DIAGONALS, FLYING, NEVER, SLIDES, rules_of};
use millbrain_core::variant::Ruleset;
use millbrain_files::shard::Shard;
use millbrain_tablebase::compact::{Compact, header_bytes};
use millbrain_tablebase::{Endings, MorrisEndings, PositionOf, Sector, SmessEndings, Sources, open};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Builds tables and makes a compact file of them.
fn built(name: &str, rules: Ruleset, sectors: &str) -> (BuildRequest, PathBuf) {
    let request = request(&format!("compact-{name}"), sectors);
    build(rules, &request, &(), &mut |_| Ok(())).expect("built");
    let file = request.folder.join("tables.mbt");
    make(&request.folder, &file, 1);
    (request, file)
}

fn make(from: &Path, out: &Path, threads: u16) {
    let request = CompactRequest { from: from.into(), out: out.into(), threads: Some(threads) };
    compact(&request, &(), &mut |_| Ok(())).expect("made");
}

fn check(file: &Path, against: &Path) -> Result<usize, String> {
    check_part(file, against, Shard::ALL)
}

fn check_part(file: &Path, against: &Path, shard: Shard) -> Result<usize, String> {
    let request = VerifyCompact { file: file.into(), against: Some(against.into()), shard, threads: Some(2) };
    let mut sectors = 0;
    let count = &mut |_: &_| {
        sectors += 1;
        Ok(())
    };
    verify(&request, &(), count).map_err(|fault| fault.to_string())?;
    Ok(sectors)
}

/// Opens the tables at a place, and no others.
fn open_at<E: Endings>(endings: &E, place: &Path) -> Arc<dyn Oracle<PositionOf<E>>> {
    let sources = Sources { folders: vec![place.into()], embedded: false, ..Sources::default() };
    let opened = open(&endings.rules().ruleset(), &sources);
    assert!(opened.refusals.is_empty() && opened.sectors > 0, "{}", place.display());
    opened.oracle.as_ref().and_then(AnyOracle::of).expect("tables")
}

/// Compares probes of a file with those of the folder, of every `step`th slot.
fn probe<E: Endings>(endings: &E, file: &Path, folder: &Path, step: usize) {
    let [compact, tables] = [file, folder].map(|place| open_at(endings, place));
    let mut compared = 0;
    for sector in Compact::open(file, endings).expect("sound").sections().map(|section| section.sector) {
        for slot in (0..endings.slots(sector)).step_by(step) {
            let Some(pos) = endings.position(sector, slot) else { continue };
            let expected = tables.verdict(&pos);
            assert_eq!(compact.known(&pos).map(Known::verdict), expected, "{}", endings.fen(&pos));
            compared += usize::from(expected.is_some());
        }
    }
    assert!(compared > 1_000);
    assert_eq!(compact.new_faults(), Vec::<String>::new());
}

#[test]
fn compact_tables_have_the_results_of_their_folder() {
    for (name, switches, stones, sectors) in [
        ("moving", FLYING, 9, "4-3"),
        ("game", FLYING, 3, "game"),
        ("diagonals", NEVER | DIAGONALS, 3, "game"),
        ("sliding", FLYING | SLIDES, 3, "game"),
    ] {
        let rules = Ruleset::Morris(rules_of(switches, stones));
        let (BuildRequest { folder, .. }, file) = built(name, rules, sectors);
        let sectors = check(&file, &folder).expect("the same results");
        assert!(sectors >= 3, "{name}");
        let endings = MorrisEndings::new(switches, stones).with_placing(true);
        probe(&endings, &file, &folder, 13);
        let bytes = |file: &Path| fs::read(file).expect("readable");
        if name == "game" {
            let parts = (0..5).map(|part| check_part(&file, &folder, Shard::with(part, 5)).expect("the same results"));
            assert_eq!(parts.sum::<usize>(), sectors);
            let again = folder.join("again.mbt");
            make(&folder, &again, 2);
            assert!(bytes(&again) == bytes(&file), "by two threads");
        }
        fs::remove_dir_all(folder).expect("removed");
    }
}

#[test]
fn tables_of_any_game_can_be_compact() {
    let (BuildRequest { folder, .. }, file) = built("smess", SmessEndings.rules().ruleset(), "BS-B");
    assert_eq!(check(&file, &folder), Ok(2));
    probe(&SmessEndings, &file, &folder, 37);
    fs::remove_dir_all(folder).expect("removed");
}

#[test]
fn sectors_that_are_left_out_follow_from_those_that_are_not() {
    for switches in 0..16 {
        let endings = MorrisEndings::new(switches, 10).with_placing(true);
        let (mut left_out, mut all) = (0, 0);
        for sector in endings.sectors() {
            all += 1;
            if endings.is_left_out(sector) {
                left_out += 1;
                let next = endings.successors(sector);
                // A sector is listed as its own partner even where no move leads there.
                let is_stored = |next: &Sector| *next == sector || !endings.is_left_out(*next);
                assert!(next.iter().all(is_stored), "{}", endings.name(sector));
            }
        }
        assert!(5 * left_out > all, "{left_out} of {all}");
    }
}

/// A byte that has changed is found, or makes no difference.
#[test]
fn damage_never_gives_a_wrong_result() {
    let (BuildRequest { folder, .. }, file) = built("damage", flying().rules().ruleset(), "3-3");
    let sound = fs::read(&file).expect("readable");
    let sector = Sector::new(3, 3);
    let expected = |slot| {
        let tables = open_at(&flying(), &folder);
        flying().position(sector, slot).and_then(|pos| Some((pos, tables.verdict(&pos)?)))
    };
    let mut rng = fastrand::Rng::with_seed(5);
    let positions: Vec<_> = (0..30).filter_map(|_| expected(rng.u64(..flying().slots(sector)))).collect();
    let (mut refused, mut unknown) = (0, 0);
    for _ in 0..60 {
        let mut bytes = sound.clone();
        let at = if rng.bool() { rng.usize(..header_bytes(1) as usize) } else { rng.usize(..sound.len()) };
        bytes[at] ^= 1 << rng.u32(..8);
        let damaged = folder.join("damaged.mbt");
        fs::write(&damaged, bytes).expect("written");
        match Compact::open(&damaged, &flying()) {
            Err(_) => refused += 1,
            Ok(_) => {
                let tables = open_at(&flying(), &damaged);
                let mut lost = 0;
                for (pos, expected) in &positions {
                    let found = tables.known(pos).map(Known::verdict);
                    assert!(found.is_none_or(|found| found == *expected), "byte {at}");
                    lost += usize::from(found.is_none());
                }
                assert_eq!(lost > 0, !tables.new_faults().is_empty(), "byte {at}");
                assert!(lost == 0 || check(&damaged, &folder).is_err(), "byte {at}");
                unknown += lost;
            }
        }
    }
    assert!(refused > 10 && unknown > 10, "{refused} refused, {unknown} unknown");
    fs::remove_dir_all(folder).expect("removed");
}

#[test]
fn files_that_are_not_used_are_named_with_the_reason() {
    let (BuildRequest { folder, .. }, file) = built("faults", flying().rules().ruleset(), "3-3");
    let sound = fs::read(&file).expect("readable");
    let wrong = folder.join("wrong.mbt");
    let reason = |bytes: &[u8]| {
        fs::write(&wrong, bytes).expect("written");
        Compact::open(&wrong, &flying()).err().map(|fault| fault.to_string()).unwrap_or_default()
    };
    let changed = |at: usize| [&sound[..at], &[sound[at] + 1], &sound[at + 1..]].concat();
    assert_eq!(reason(&sound), "");
    assert_eq!(reason(&sound[..3]), "3 bytes long, expected 40");
    let foreign = "no table of this kind, expected a file made by 'tablebase build' or 'tablebase compact'";
    assert_eq!(reason(&changed(0)), foreign);
    assert_eq!(reason(&changed(8)), "format version 2, expected 1");
    assert_eq!(reason(&changed(17)), "a table of other rules");
    assert_eq!(reason(&changed(40)), "damaged header: its checksum is wrong");
    assert_eq!(reason(&sound[..sound.len() - 1]), format!("{} bytes long, expected {}", sound.len() - 1, sound.len()));
    fs::remove_dir_all(folder).expect("removed");
}

#[test]
fn a_run_that_was_stopped_continues() {
    let (BuildRequest { folder, .. }, file) = built("resume", flying().rules().ruleset(), "4-3");
    let undisturbed = fs::read(&file).expect("readable");
    let request = CompactRequest { from: folder.clone(), out: folder.join("stopped.mbt"), threads: Some(1) };
    let stop = &mut |_: &SectionReport| Err(io::Error::other("stopped"));
    assert_eq!(compact(&request, &(), stop).expect_err("stopped").to_string(), "stopped");
    assert!(!request.out.exists());
    let mut seconds = Vec::new();
    let note = &mut |section: &SectionReport| {
        seconds.push(section.seconds);
        Ok(())
    };
    compact(&request, &(), note).expect("made");
    assert!(seconds[0] == 0.0 && seconds[1] > 0.0, "{seconds:?}");
    assert!(fs::read(&request.out).expect("readable") == undisturbed);
    assert!(!folder.join("stopped.mbt.parts").exists());
    fs::remove_dir_all(folder).expect("removed");
}

#[test]
fn a_folder_without_what_others_follow_from_is_refused() {
    let (BuildRequest { folder, .. }, _) = built("missing", flying().rules().ruleset(), "4-3");
    let manifest = folder.join("manifest.json");
    let text = fs::read_to_string(&manifest).expect("readable").replace("\"4-3\":", "\"9-9\":");
    fs::write(&manifest, text).expect("written");
    let request = CompactRequest { from: folder.clone(), out: folder.join("new.mbt"), threads: Some(1) };
    let fault = compact(&request, &(), &mut |_| Ok(())).expect_err("4-3 is missing").to_string();
    assert_eq!(fault, "3-4: its results follow from 4-3, which is not built yet");
    fs::remove_dir_all(folder).expect("removed");
}
