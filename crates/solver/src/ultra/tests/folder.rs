//! Folders with ultra-strong values: built, resumed, repaired, verified and probed.

use crate::build::progress::Progress;
use crate::build::verify::{VerifyRequest, verify};
use crate::build::{BuildRequest, PairReport, build};
use crate::format::{digits, write_prospects};
use crate::prospects::Prospects;
use crate::solvable::Solvable;
use crate::tests::{flying, request};
use crate::ultra::built::UltraBuilt;
use millbrain_core::game::value::Oracle;
use millbrain_core::game::{Game, Verdict};
use millbrain_core::variant::Variant;
use millbrain_files::shard::Shard;
use millbrain_tablebase::MorrisEndings;
use millbrain_tablebase::Tablebase;
use millbrain_tablebase::folder::Folder;
use millbrain_tablebase::format::{Kind, Subject};
use millbrain_tablebase::ultra::Ranked;
use millbrain_tablebase::{Endings, PositionOf, Sector};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// The smallest sector in which some positions lead to a better one and some to a worse.
const FOURS: Sector = Sector::new(4, 4);
const THREE: Sector = Sector::new(3, 4);

/// The warnings of a build.
#[derive(Default)]
struct Warned(Mutex<Vec<String>>);

impl Progress for Warned {
    fn warn(&self, text: &str) {
        self.0.lock().expect("sound").push(text.to_string());
    }
}

fn ultra(name: &str, sectors: &str, threads: u16) -> BuildRequest {
    BuildRequest { ultra: true, threads: Some(threads), ..request(name, sectors) }
}

/// Builds a folder; returns the reports and the warnings.
fn built(request: &BuildRequest) -> (Vec<PairReport>, Vec<String>) {
    let (mut reports, warned) = (Vec::new(), Warned::default());
    build(flying().rules().ruleset(), request, &warned, &mut |report| {
        reports.push(report.clone());
        Ok(())
    })
    .expect("built");
    (reports, warned.0.into_inner().expect("sound"))
}

/// Returns the sectors whose ultra-strong values were built.
fn of_ultra(reports: &[PairReport]) -> Vec<String> {
    reports.iter().filter(|report| report.ultra.is_some()).map(|report| report.sectors.join(" ")).collect()
}

/// Verifies these sectors, or all that exist for an empty text. Returns the names of the checked sectors.
fn verified(folder: &Path, sectors: &str, sample: Option<u64>) -> Result<Vec<String>, String> {
    let request = VerifyRequest {
        folder: folder.to_path_buf(),
        sectors: (!sectors.is_empty()).then(|| sectors.parse().expect("a selection")),
        sample,
        plain: false,
        shard: Shard::ALL,
        threads: None,
    };
    let mut names = Vec::new();
    let checked = verify(&request, &(), &mut |report| {
        names.push(report.sector.clone());
        Ok(())
    });
    checked.map(|()| names).map_err(|fault| fault.to_string())
}

/// Returns all files of a folder except locks.
fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|path| path.is_file());
    files.sort();
    let name = |path: &Path| PathBuf::from(path.file_name().expect("a name"));
    files.into_iter().map(|path| (name(&path), std::fs::read(&path).expect("readable"))).collect()
}

/// Reads the values of a sector from a folder, and writes them changed; all checksums are right.
fn change(folder: &Path, sector: Sector, change: impl FnOnce(&mut Prospects)) {
    let endings = flying();
    let mut folder = Folder::open(folder, &endings).expect("a folder");
    let ranks = folder.manifest.ultra.as_ref().expect("values").ranks.clone();
    let results = digits(&folder.table(&endings, sector, Kind::Wdl).expect("a table")).expect("sound");
    let of_folder = UltraBuilt::of(&endings, endings.ultra().expect("a solver"), &folder, &ranks);
    let mut prospects = of_folder.stored(sector, &results).expect("sound");
    change(&mut prospects);
    let path = folder.file(&endings, sector, Kind::Ultra);
    let subject = Subject::of(&endings, sector, Kind::Ultra);
    let file = write_prospects(&path, &subject, &prospects, &results).expect("written");
    folder.add_ultra(&ranks, endings.name(sector), file.into()).expect("written");
}

/// One thread and three threads write the same bytes, at once or one after the other. Lost or damaged files are built
/// again; wrong values are found.
#[test]
fn values_are_built_kept_repaired_and_verified() {
    let first = ultra("ultra-first", "4-4", 1);
    let (reports, warned) = built(&first);
    assert_eq!((of_ultra(&reports), warned.len()), (["3-3", "4-3 3-4", "4-4"].map(String::from).to_vec(), 0));
    let report = reports.last().and_then(|report| report.ultra).expect("values");
    let folder = Folder::open(&first.folder, &flying()).expect("a folder");
    assert_eq!(Some(report.drawn), folder.entry(&flying(), FOURS).map(|entry| entry.tally.reduced.draws));
    assert_eq!((report.better, report.worse), (1_411, 258));
    assert!(report.bytes < report.drawn * 6 / 8, "{report:?}");
    let names = ["3-3", "4-3", "3-4", "4-4", "3-3 ultra", "4-3 ultra", "4-4 ultra"];
    assert_eq!(verified(&first.folder, "", None), Ok(names.map(String::from).to_vec()));
    let whole = files(&first.folder);

    // Another folder, in two steps: plain tables first, then the values.
    let second = BuildRequest { threads: Some(3), ..request("ultra-second", "4-4") };
    assert_eq!(of_ultra(&built(&second).0), [""; 0]);
    let second = BuildRequest { ultra: true, ..second };
    assert_eq!(of_ultra(&built(&second).0).len(), 3);
    assert!(files(&second.folder) == whole, "the same files");
    assert_eq!(built(&second).0.len(), 0, "all is there");

    // A lost file and a damaged one.
    let file = second.folder.join("4-3.ultra");
    std::fs::remove_file(&file).expect("there");
    let (reports, warned) = built(&second);
    assert_eq!(of_ultra(&reports), ["4-3 3-4"]);
    assert!(warned[0].contains("4-3.ultra") && warned[0].ends_with("building 4-3 and 3-4 again"), "{warned:?}");
    let mut bytes = std::fs::read(&file).expect("readable");
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    std::fs::write(&file, bytes).expect("written");
    assert!(verified(&second.folder, "4-3", Some(9)).is_err_and(|fault| fault.contains("4-3.ultra")));
    assert_eq!(of_ultra(&built(&second).0), ["4-3 3-4"]);
    assert!(files(&second.folder) == whole, "the same files again");
    asked(&second.folder);

    // Different ranks: the manifest does not fit these tables.
    let manifest = second.folder.join(millbrain_tablebase::folder::FILE_NAME);
    let text = std::fs::read_to_string(&manifest).expect("readable");
    assert!(text.contains("\"4-3\": -1,"), "with three stones one flies");
    std::fs::write(&manifest, text.replace("\"4-3\": -1,", "\"4-3\": -2,")).expect("written");
    assert!(verified(&second.folder, "3-3", Some(9)).is_err_and(|fault| fault.contains("the ranks in the manifest")));
    std::fs::write(&manifest, text).expect("written");

    // A wrong distance.
    change(&second.folder, FOURS, |prospects| {
        let slot = prospects.keys.iter().position(|&key| key > 0).expect("a better one");
        prospects.plies[slot] += 2;
    });
    let fault = verified(&second.folder, "4-4", None).expect_err("wrong");
    assert!(fault.contains("4-4 ultra: ") && fault.contains("the table says +"), "{fault}");
    for folder in [first.folder, second.folder] {
        std::fs::remove_dir_all(folder).expect("removed");
    }
}

/// Checks that the probed value of a move follows from the values of the sectors, whether or not these are in a file.
fn asked(path: &Path) {
    let endings = flying();
    let folder = Folder::open(path, &endings).expect("a folder");
    let ranks = &folder.manifest.ultra.as_ref().expect("values").ranks;
    let of_folder = UltraBuilt::of(&endings, endings.ultra().expect("a solver"), &folder, ranks);
    let mut tables = Tablebase::none(endings);
    assert!(tables.add_folder(path).is_empty());
    let game = endings.game();
    let mut rng = fastrand::Rng::with_seed(3);
    let mut seen = [0; 3];
    for from in [FOURS, THREE] {
        let loaded = of_folder.loaded(from).expect("sound");
        let next = of_folder.loaded(from.partner()).expect("sound");
        let moving = (0..endings.slots(from)).filter(|&slot| loaded.value(slot).is_some_and(|value| value.key != 0));
        let random = std::iter::repeat_with(|| rng.u64(..endings.slots(from))).take(2_000);
        for slot in moving.step_by(3).chain(random).collect::<Vec<_>>() {
            let Some(pos) = endings.position(from, slot) else { continue };
            let drawn = tables.verdict(&pos) == Some(Verdict::Draw);
            let Some(own) = loaded.value(slot).filter(|_| drawn) else { continue };
            let after: Vec<PositionOf<MorrisEndings>> =
                game.moves(&pos).into_iter().map(|mv| game.play(&pos, mv)).collect();
            let reported = after.iter().filter_map(|after| tables.prospect(&pos, after));
            assert_eq!(reported.clone().max_by_key(|reported| reported.rank()), Some(own), "{}", endings.fen(&pos));
            for after in after.iter().filter(|after| endings.sector(after) == Some(from.partner())) {
                let value = next.value(endings.slot(after)).filter(|_| tables.verdict(after) == Some(Verdict::Draw));
                let of = |sector| Ranked { sector, rank: ranks[&endings.name(sector)] };
                let expected = value.map(|value| of(from).before(of(from.partner()), value));
                assert_eq!(tables.prospect(&pos, after), expected, "{}", endings.fen(after));
            }
            seen[(1 - own.key.signum()) as usize] += 1;
        }
    }
    assert!(seen.iter().all(|&count| count > 0), "{seen:?}");
    assert!(tables.new_faults().is_empty());
}

/// The ranks depend on all sectors: with more of them all values are built again.
#[test]
fn more_sectors_have_other_ranks() {
    let small = ultra("ultra-ranks", "3-3", 1);
    assert_eq!(of_ultra(&built(&small).0), ["3-3"]);
    let more = BuildRequest { sectors: "4-3".parse().expect("a selection"), ..small };
    let (reports, warned) = built(&more);
    assert_eq!(of_ultra(&reports), ["3-3", "4-3 3-4"]);
    assert!(warned.iter().any(|text| text.contains("their ranks have changed")), "{warned:?}");
    std::fs::remove_dir_all(more.folder).expect("removed");
}

#[test]
fn some_tables_have_no_ultra_strong_values() {
    let [smess, morris] = [Variant::Smess, Variant::Morris].map(Variant::rules);
    let counting = BuildRequest { draw_counter: true, ..ultra("ultra-none", "3-3", 1) };
    for (rules, request) in [(smess, ultra("ultra-none", "BS-B", 1)), (morris, counting)] {
        let refused = build(rules, &request, &(), &mut |_| Ok(())).expect_err("none");
        assert!(refused.to_string().starts_with("no ultra-strong values"), "{refused}");
    }
}
