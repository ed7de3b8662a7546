//! Small sectors, solved and compared with published figures.

use super::{MorrisEndings, SmessEndings};
use crate::build::built::Built;
use crate::build::count::tally;
use crate::build::{BuildRequest, build, pairs};
use crate::code::{Code, Codes};
use crate::endings::{Endings, Sector};
use crate::files::InFile;
use crate::folder::{Entry, Folder};
use crate::format::{Fault, Kind, Subject, write};
use crate::solve::{Finished, Solvable};
use crate::tally::Tally;
use millbrain_core::game::Game;
use millbrain_core::game::value::Value;
use millbrain_core::morris::{DIAGONALS, FLYING, NEVER, SLIDES};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The sectors solved so far.
pub(super) struct Loaded(pub HashMap<Sector, Codes>);

impl Finished for Loaded {
    fn codes(&self, sector: Sector) -> Result<Codes, InFile<Fault>> {
        Ok(self.0[&sector].clone())
    }
}

/// Solves sectors in memory, with all that they depend on.
pub(super) fn solve_in_memory<E: Solvable>(endings: &E, sectors: &[Sector]) -> HashMap<Sector, Codes> {
    let mut loaded = Loaded(HashMap::new());
    for pair in pairs(endings, endings.with_dependencies(sectors)) {
        let solved = endings.solve(&pair, &loaded, &()).expect("short distances");
        loaded.0.extend(pair.into_iter().zip(solved.sectors));
    }
    loaded.0
}

/// The endings of `morris`; three stones against three are the first.
pub(super) fn flying() -> MorrisEndings {
    MorrisEndings::new(FLYING, 9)
}

/// What builds these sectors of `morris` in an empty folder of its own.
pub(super) fn request(name: &str, sectors: &str) -> BuildRequest {
    let folder = std::env::temp_dir().join(format!("millbrain-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    BuildRequest {
        sectors: sectors.parse().expect("a selection"),
        placing: false,
        results: false,
        folder,
        memory: None,
        threads: Some(1),
    }
}

/// A folder with the tables of three stones against three.
pub(super) fn three_against_three(name: &str) -> PathBuf {
    let request = request(name, "3-3");
    build(flying().rules().ruleset(), &request, &(), &mut |_| Ok(())).expect("built");
    request.folder
}

/// Falsifies a win in five in one of the tables of three stones against three: its result becomes a loss, or its distance
/// seven. All checksums are right, and the manifest knows the file. Returns the slot.
pub(super) fn falsify(folder: &Path, kind: Kind) -> u64 {
    let mut folder = Folder::open(folder, &flying()).expect("a folder");
    let sector = flying().sectors()[0];
    let Codes::Bytes(mut codes) = Built::of(&flying(), &folder).codes(sector).expect("sound") else {
        panic!("too long")
    };
    let slot = codes.iter().position(|code| matches!(code.value(), Value::Win(5))).expect("a win in five");
    codes[slot] = match kind {
        Kind::Wdl => Code(4),
        Kind::Distance => Code(7),
    };
    let subject = Subject::of(&flying(), sector, kind);
    let file =
        Some(write(&folder.file(&flying(), sector, kind), &subject, &Codes::Bytes(codes)).expect("written").into());
    let entry = folder.entry(&flying(), sector).expect("built").clone();
    let entry = match (kind, file) {
        (Kind::Wdl, Some(wdl)) => Entry { wdl, ..entry },
        (_, dtw) => Entry { dtw, ..entry },
    };
    folder.add(&flying(), vec![(sector, entry)]).expect("written");
    slot as u64
}

/// The sector of this name.
pub(super) fn name_of<E: Solvable>(endings: &E, name: &str) -> Sector {
    endings.sectors().into_iter().find(|&sector| endings.name(sector) == name).expect("a sector")
}

/// Positions reduced, wins, losses and draws reduced and unreduced, longest win and loss.
type Row = (&'static str, [u64; 3], [u64; 3], [Option<u32>; 2]);

fn check<E: Solvable>(endings: &E, rows: &[Row]) {
    let sectors: Vec<Sector> = rows.iter().map(|row| name_of(endings, row.0)).collect();
    let solved = solve_in_memory(endings, &sectors);
    for (&(name, reduced, unreduced, longest), sector) in rows.iter().zip(sectors) {
        let codes = &solved[&sector];
        let Tally { reduced: r, unreduced: u, longest_win, longest_loss } = tally(endings, sector, codes);
        assert_eq!([r.wins, r.losses, r.draws], reduced, "{name} reduced");
        assert_eq!([u.wins, u.losses, u.draws], unreduced, "{name} unreduced");
        assert_eq!([longest_win.map(|l| l.plies), longest_loss.map(|l| l.plies)], longest, "{name} longest");
    }
}

#[test]
fn sectors_of_morris_are_as_known() {
    check(
        &MorrisEndings::new(FLYING, 9),
        &[
            ("3-3", [140_621, 28_736, 269], [2_232_160, 455_648, 4_112], [Some(25), Some(26)]),
            ("4-3", [75_397, 3_095, 681_906], [1_201_560, 48_720, 10_863_360], [Some(1), Some(32)]),
            ("3-4", [102_281, 0, 658_117], [1_629_336, 0, 10_484_304], [Some(33), None]),
            ("4-4", [159, 29, 3_225_409], [2_456, 339, 51_480_175], [Some(9), Some(8)]),
            ("5-3", [580_660, 0, 1_999_730], [9_271_288, 0, 31_915_088], [Some(3), None]),
        ],
    );
}

#[test]
fn sectors_of_other_rules_are_as_known() {
    check(
        &MorrisEndings::new(FLYING | NEVER, 9),
        &[("4-3", [74_649, 3_095, 682_654], [1_189_992, 48_720, 10_874_928], [Some(1), Some(32)])],
    );
    check(
        &MorrisEndings::new(0, 9),
        &[("3-3", [90_842, 40_162, 38_622], [1_442_092, 635_704, 614_124], [Some(39), Some(38)])],
    );
}

#[test]
fn brain_and_numskull_beat_brain_as_known() {
    let sector = name_of(&SmessEndings, "BS-B");
    let codes = &solve_in_memory(&SmessEndings, &[sector])[&sector];
    let found = tally(&SmessEndings, sector, codes);
    assert_eq!((found.reduced.wins, found.reduced.total()), (166_102, 166_320));
    assert_eq!(found.longest_win.map(|longest| longest.plies), Some(21));
}

/// Sectors with more slots are looked at in every third of them; the proofs of `tests/it` look at all.
const MANY_SLOTS: u64 = 100_000;

/// Every value follows from those of the positions that plain move generation leads to.
fn check_forward<E: Solvable>(endings: &E, wanted: &str) {
    let game = endings.game();
    let wanted = name_of(endings, wanted);
    let solved = solve_in_memory(endings, &[wanted]);
    for (&sector, codes) in &solved {
        let slots = endings.slots(sector);
        for slot in (0..slots).step_by(if slots > MANY_SLOTS { 3 } else { 1 }) {
            let Some(pos) = endings.position(sector, slot) else { continue };
            let mut next = Vec::new();
            game.generate(&pos, |mv| {
                let after = game.play(&pos, mv);
                next.push(match game.ending(&after) {
                    Some(ending) if ending.verdict == millbrain_core::game::Verdict::Draw => Value::Draw,
                    Some(_) => Value::Loss(0),
                    None => {
                        let sector = endings.sector(&after).expect("solved before");
                        solved[&sector].value(endings.slot(&after) as usize)
                    }
                });
            });
            let full_board = next.is_empty() && game.decided(&pos).is_some();
            let expected = if full_board { Value::Draw } else { Value::from_successors(next) };
            assert_eq!(codes.value(slot as usize), expected, "{} {}", endings.name(sector), endings.fen(&pos));
        }
    }
}

#[test]
fn values_agree_with_those_one_ply_on() {
    check_forward(&MorrisEndings::new(FLYING | NEVER, 9), "4-3");
    check_forward(&MorrisEndings::new(FLYING | DIAGONALS, 12), "4-3");
    check_forward(&MorrisEndings::new(NEVER, 9), "3-3");
    check_forward(&SmessEndings, "BN-B");
}

#[test]
fn values_with_stones_in_hand_agree_with_those_one_ply_on() {
    check_forward(&MorrisEndings::new(FLYING, 4).with_placing(true), "3+1-3+1");
    check_forward(&MorrisEndings::new(FLYING | NEVER, 3).with_placing(true), "0+3-0+3");
    check_forward(&MorrisEndings::new(FLYING | DIAGONALS, 3).with_placing(true), "0+3-0+3");
    check_forward(&MorrisEndings::new(FLYING | SLIDES, 4).with_placing(true), "3+1-3+1");
    check_forward(&MorrisEndings::new(FLYING | SLIDES, 3).with_placing(true), "0+3-0+3");
    check_forward(&MorrisEndings::new(NEVER | SLIDES, 3).with_placing(true), "0+3-0+3");
}

/// Every sector follows from those one ply on; those that are not stored from stored ones.
fn check_derived<E: Solvable>(endings: &E, wanted: &str) {
    let wanted = name_of(endings, wanted);
    let solved = Loaded(solve_in_memory(endings, &[wanted]));
    for &sector in solved.0.keys() {
        assert!(endings.derive(sector, &solved, &()).expect("short distances") == solved.0[&sector]);
        let next = endings.exits(sector).into_iter().chain([sector.partner()]);
        let derived = next.filter(|&next| endings.is_derived(next)).count();
        assert!(derived == 0 || !endings.is_derived(sector), "one ply on there are distances");
    }
    assert!(solved.0.keys().any(|&sector| endings.is_derived(sector)));
}

#[test]
fn sectors_follow_from_those_one_ply_on() {
    check_derived(&MorrisEndings::new(FLYING, 9), "5-3");
    check_derived(&MorrisEndings::new(FLYING | NEVER, 9), "4-3");
    check_derived(&MorrisEndings::new(FLYING | DIAGONALS, 12), "4-3");
    check_derived(&MorrisEndings::new(NEVER, 9), "4-3");
    check_derived(&MorrisEndings::new(FLYING, 4).with_placing(true), "2+2-3+1");
    check_derived(&MorrisEndings::new(FLYING | SLIDES, 4).with_placing(true), "2+2-3+1");
}
