//! Tests of a build's reports and estimates.

use super::*;
use crate::build::verify::{VerifyError, VerifyRequest, verify};
use crate::code::Code;
use crate::solve::Finished;
use crate::tests::{flying, name_of, request};
use millbrain_core::game::Game;
use millbrain_core::game::value::Oracle;
use millbrain_core::morris::rules::{LASKER, MORRIS};
use millbrain_core::morris::{FLYING, Rules, SLIDES};
use millbrain_files::shard::Shard;
use millbrain_tablebase::Endings;
use millbrain_tablebase::Tablebase;
use millbrain_tablebase::{MorrisEndings, SmessEndings};
use std::path::Path;
use std::sync::Mutex;

/// Checks at every step whether the lock of the manifest is taken.
struct Watch {
    locks: Locks,
    is_locked: Mutex<bool>,
}

impl Progress for Watch {
    fn advance(&self, _: u64) {
        let is_locked = self.locks.try_lock("manifest").expect("a lock").is_none();
        *self.is_locked.lock().expect("sound") = is_locked;
    }
}

/// Builds that share a folder add to one manifest, each to the entries of the others: only one at a time may.
#[test]
fn the_manifest_is_locked_while_a_pair_is_added() {
    let request = request("manifest-lock", "3-3");
    std::fs::create_dir_all(&request.folder).expect("a folder");
    let locks = Locks::in_folder(&request.folder).expect("locks");
    let watch = Watch { locks, is_locked: Mutex::new(false) };
    let mut pairs = 0;
    build(flying().rules().ruleset(), &request, &watch, &mut |_| {
        // The last step of a pair is reported once it is in the manifest.
        assert!(*watch.is_locked.lock().expect("sound"), "locked while it is added");
        assert!(watch.locks.try_lock("manifest").expect("a lock").is_some(), "and free again");
        pairs += 1;
        Ok(())
    })
    .expect("built");
    assert_eq!(pairs, 1);
    std::fs::remove_dir_all(&request.folder).expect("removed");
}

/// The reports, a line each: the steps of a stage are added up, and levels left out.
#[derive(Default)]
struct Reported(Mutex<(Vec<String>, u64)>);

impl Reported {
    fn line(&self, line: String) {
        self.0.lock().expect("sound").0.push(line);
    }

    fn lines(self) -> Vec<String> {
        self.0.into_inner().expect("sound").0
    }
}

impl Progress for Reported {
    fn begin(&self, stage: Stage<'_>, steps: u64) {
        self.line(format!("{stage:?} {steps}"));
        self.0.lock().expect("sound").1 = 0;
    }

    fn advance(&self, steps: u64) {
        self.0.lock().expect("sound").1 += steps;
    }

    fn message(&self, text: &str) {
        if !text.contains("level") {
            self.line(text.to_string());
        }
    }

    fn warn(&self, text: &str) {
        self.line(format!("warning: {text}"));
    }

    fn end(&self) {
        let steps = self.0.lock().expect("sound").1;
        self.line(format!("end {steps}"));
    }
}

/// Every stage ends with the announced number of steps, whether its pairs were built or already there.
#[test]
fn a_build_tells_how_far_it_is() {
    let mut request = request("reported", "4-3");
    let reported = |request: &BuildRequest| {
        let reported = Reported::default();
        build(flying().rules().ruleset(), request, &reported, &mut |_| Ok(())).expect("built");
        reported.lines()
    };
    let slots = ["3-3", "4-3", "3-4"].map(|name| flying().slots(name_of(&flying(), name)));
    let (all, first) = (slots.iter().sum::<u64>(), slots[0]);
    let expected =
        format!("Check 2\nend 2\nBuild {all}\n3-3\n3-3 to disk\n4-3 3-4\n4-3 to disk\n3-4 to disk\nend {all}");
    assert_eq!(reported(&request).join("\n"), expected);
    assert_eq!(reported(&request), ["Check 2", "end 2", "Build 0", "end 0"], "nothing is left to do");
    let damaged = request.folder.join("3-3.dtw");
    std::fs::write(&damaged, "").expect("written");
    let mut again = reported(&request);
    let warning = again.remove(1);
    assert!(warning.starts_with("warning: ") && warning.contains("3-3.dtw: 0 bytes long"), "{warning}");
    assert!(warning.ends_with("; building 3-3 again"), "{warning}");
    assert_eq!(again.join("\n"), format!("Check 2\nend 2\nBuild {first}\n3-3\n3-3 to disk\nend {first}"));
    request.sectors = "3-3".parse().expect("a selection");
    assert_eq!(reported(&request), ["Check 1", "end 1", "Build 0", "end 0"]);
    let reported = Reported::default();
    let check = VerifyRequest {
        folder: request.folder.clone(),
        sectors: Some("3-4".parse().expect("a selection")),
        sample: None,
        plain: false,
        shard: Shard::ALL,
        threads: Some(1),
    };
    verify(&check, &reported, &mut |_| Ok(())).expect("sound");
    assert_eq!(reported.lines(), [format!("Verify {{ sector: \"3-4\" }} {}", slots[2]), format!("end {}", slots[2])]);
    std::fs::remove_dir_all(&request.folder).expect("removed");
}

/// The estimates that can reject a build, in bytes; docs/tablebases.md has the parts of those of 9-8 and 8-8.
#[test]
fn memory_is_estimated_as_documented() {
    fn check<E: Solvable>(endings: &E, expected: &[(&str, u64)]) {
        let found: Vec<(&str, u64)> = expected
            .iter()
            .map(|&(name, _)| (name, memory_needed(endings, &endings.pair(name_of(endings, name))) - OVERHEAD))
            .collect();
        assert_eq!(found, expected);
    }
    let whole = MorrisEndings::new(FLYING, 9).with_placing(true);
    check(
        &whole,
        &[
            ("3-3", 1_374_284),
            ("4-3", 8_278_552),
            ("6-5", 486_992_096),
            ("9-8", 3_539_473_280),
            ("8-8", 3_112_671_842),
            ("9-9", 2_996_793_298),
            ("0+9-0+9", 77),
            ("5+4-6+3", 670_479_984),
            ("8+1-8+1", 3_633_301_170),
        ],
    );
    let sliding = MorrisEndings::new(FLYING | SLIDES, 9).with_placing(true);
    check(&sliding, &[("6-5", 486_992_096), ("5+3-4+4", 277_847_974), ("8+1-8+1", 9_895_992_386)]);
    check(&SmessEndings, &[("BN-B", 1_205_968), ("BN-BN", 36_694_432), ("BSS-B", 27_713_280)]);
}

#[test]
fn a_build_that_needs_too_much_memory_is_refused() {
    let mut request = request("memory", "4-3");
    request.memory = Some(Size(OVERHEAD));
    let refused = build(flying().rules().ruleset(), &request, &(), &mut |_| Ok(()));
    assert!(matches!(refused, Err(BuildError::MemoryLimit { allowed: Size(OVERHEAD), .. })), "{refused:?}");
    std::fs::remove_dir_all(&request.folder).expect("removed");
}

/// Returns the whole game of three stones with results only.
fn three_stones(name: &str, placing_sliding: bool) -> (Ruleset, BuildRequest) {
    let rules = if placing_sliding { LASKER } else { MORRIS };
    let request = BuildRequest { results: true, ..request(name, "game") };
    (Ruleset::Morris(Rules { stones: 3, ..rules }), request)
}

fn checked(folder: &Path, plain: bool) -> Result<(), VerifyError> {
    let folder = folder.to_path_buf();
    let request = VerifyRequest { folder, sectors: None, sample: None, plain, shard: Shard::ALL, threads: None };
    verify(&request, &(), &mut |_| Ok(()))
}

/// Results are the same without distances, whether or not sectors with stones in hand have cycles. The distances can be
/// added later.
#[test]
fn results_alone_are_those_of_a_build_with_distances() {
    for sliding in [false, true] {
        let (rules, alone) = three_stones(&format!("results-{sliding}"), sliding);
        let build = |request: &BuildRequest| {
            let mut built = 0;
            build(rules, request, &(), &mut |_| {
                built += 1;
                Ok(())
            })
            .map(|()| built)
        };
        let whole = BuildRequest { results: false, ..request(&format!("distances-{sliding}"), "game") };
        let pairs = build(&whole).expect("built");
        assert_eq!(build(&alone).expect("built"), pairs);
        let read = |request: &BuildRequest, name: &str| std::fs::read(request.folder.join(name)).ok();
        let files =
            || std::fs::read_dir(&whole.folder).expect("a folder").map(|file| file.expect("a file").file_name());
        let mut in_hand = 0;
        for name in files().filter_map(|name| name.into_string().ok()) {
            if name.ends_with("wdl") || name.ends_with("dtw") && !name.contains('+') {
                assert_eq!(read(&alone, &name), read(&whole, &name), "{name}");
            } else if name.ends_with("dtw") {
                assert_eq!(read(&alone, &name), None, "{name}");
                in_hand += 1;
            }
        }
        assert!(in_hand > 0, "sectors with stones in hand");
        for plain in [false, true] {
            checked(&alone.folder, plain).expect("without a fault");
        }
        // The search gets results, but no distances.
        with_endings!(rules, |endings| {
            let mut tables = Tablebase::none(endings);
            assert!(tables.add_folder(&alone.folder).is_empty(), "nothing is missing");
            let start = Game::start(&endings.game());
            assert!(tables.verdict(&start).is_some() && tables.value(&start).is_none());
        }, else panic!("no tables"));
        assert_eq!(build(&alone).expect("finished"), 0);
        assert_eq!(build(&whole).expect("finished"), 0);
        let completed = BuildRequest { results: false, ..alone.clone() };
        assert!(build(&completed).expect("built") >= in_hand / 2, "what has no distances yet");
        assert_eq!(read(&completed, FILE_NAME), read(&whole, FILE_NAME), "the same files");
        assert_eq!(build(&alone).expect("finished"), 0, "more than is asked for");
        for request in [alone, whole] {
            std::fs::remove_dir_all(request.folder).expect("removed");
        }
    }
}

/// A wrong result is found even without a distance to compare.
#[test]
fn wrong_results_alone_are_found() {
    let (rules, alone) = three_stones("wrong-results", false);
    build(rules, &alone, &(), &mut |_| Ok(())).expect("built");
    let endings = MorrisEndings::new(FLYING, 3).with_placing(true);
    let mut folder = Folder::open(&alone.folder, &endings).expect("a folder");
    let sector = endings.sectors().into_iter().find(|&sector| endings.name(sector) == "2+1-2+1").expect("a sector");
    let Codes::Bytes(mut codes) = Built::of(&endings, &folder).codes(sector).expect("sound") else {
        panic!("too long")
    };
    let slot = codes.iter().position(|code| *code == Code(1)).expect("a win");
    codes[slot] = Code(0);
    let written = write(
        &folder.file(&endings, sector, Kind::Wdl),
        &Subject::of(&endings, sector, Kind::Wdl),
        &Codes::Bytes(codes),
    );
    let entry = folder.entry(&endings, sector).expect("built").clone();
    let entry = Entry { wdl: written.expect("written").into(), ..entry };
    folder.add(&endings, vec![(sector, entry)]).expect("written");
    for plain in [false, true] {
        let fault = checked(&alone.folder, plain).expect_err("one result is wrong").to_string();
        assert!(fault.starts_with("2+1-2+1") && fault.contains("the WDL table loss, the moves win"), "{fault}");
    }
    std::fs::remove_dir_all(alone.folder).expect("removed");
}
