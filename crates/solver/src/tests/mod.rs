//! Small sectors, solved and compared with published figures.

mod probe;
mod summary;

use crate::build::built::Built;
use crate::build::count::tally;
use crate::build::{BuildRequest, build, pairs};
use crate::code::{Code, Codes};
use crate::format::write;
use crate::solvable::Solvable;
use crate::solve::Finished;
use millbrain_core::game::value::{Known, Value};
use millbrain_core::game::{Game, Verdict};
use millbrain_core::merels::{self, Points};
use millbrain_core::morris::{DIAGONALS, FLYING, NEVER, Removal, Rules, SLIDES};
use millbrain_core::variant::{Ruleset, Variant};
use millbrain_files::InFile;
use millbrain_tablebase::TablebaseRules;
use millbrain_tablebase::Tally;
use millbrain_tablebase::folder::{Entry, Folder};
use millbrain_tablebase::format::{Fault, Kind, Subject};
use millbrain_tablebase::{Endings, Located, Sector};
use millbrain_tablebase::{MerelsEndings, MorrisEndings, SmessEndings};
use rayon::prelude::*;
use std::collections::{HashMap, HashSet};
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

/// Returns the endings of `morris`; three stones against three are the first.
pub(super) fn flying() -> MorrisEndings {
    MorrisEndings::new(FLYING, 9)
}

/// Returns a request to build these sectors of `morris` in an empty folder of its own.
pub(super) fn request(name: &str, sectors: &str) -> BuildRequest {
    let folder = std::env::temp_dir().join(format!("millbrain-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    BuildRequest {
        sectors: sectors.parse().expect("a selection"),
        placing: false,
        results: false,
        draw_counter: false,
        ultra: false,
        folder,
        memory: None,
        threads: Some(1),
    }
}

/// Builds a folder with the tables of three stones against three.
pub(super) fn three_against_three(name: &str) -> PathBuf {
    let request = request(name, "3-3");
    build(flying().rules().ruleset(), &request, &(), &mut |_| Ok(())).expect("built");
    request.folder
}

/// Falsifies a win in five in one of the tables of three stones against three: its result becomes a loss, or its
/// distance seven. All checksums are right, and the manifest lists the file. Returns the slot.
pub(super) fn falsify(folder: &Path, kind: Kind) -> u64 {
    let mut folder = Folder::open(folder, &flying()).expect("a folder");
    let sector = flying().sectors()[0];
    let Codes::Bytes(mut codes) = Built::of(&flying(), &folder).codes(sector).expect("sound") else {
        panic!("too long")
    };
    let slot = codes.iter().position(|code| matches!(code.value(), Value::Win(5))).expect("a win in five");
    codes[slot] = match kind {
        Kind::Wdl => Code(4),
        Kind::Distance | Kind::Ultra => Code(7),
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

/// Returns the sector of this name.
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

/// The size from which only every third slot of a sector is checked; the proofs of `tests/it` check all.
const MANY_SLOTS: u64 = 100_000;

/// Checks that every value follows from those of the positions that plain move generation leads to.
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
    // In 3+0-0+3 a slide may close a mill when there is nothing to remove.
    check_forward(&MorrisEndings::new(SLIDES, 3).with_placing(true), "0+3-0+3");
}

/// Checks that every sector follows from those one ply on, and unstored sectors from stored ones.
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

/// Computes the results of a pair of sectors with every counter, by definition. With a full counter the side to move
/// cannot win if it has a move; before that its best move counts. `exits` has the results of the sectors that captures
/// lead to.
fn by_definition(
    endings: &MorrisEndings,
    pair: &[Sector],
    limit: u16,
    exits: &HashMap<Sector, Vec<Verdict>>,
) -> HashMap<Sector, Vec<Vec<Verdict>>> {
    let game = endings.game();
    let rank = |verdict: &Verdict| match verdict {
        Verdict::Loss => 0,
        Verdict::Draw => 1,
        Verdict::Win => 2,
    };
    let mut by_counter: HashMap<Sector, Vec<Vec<Verdict>>> = pair.iter().map(|&sector| (sector, Vec::new())).collect();
    // From a full counter down to none.
    for left in 0..=usize::from(limit) {
        for &sector in pair {
            let result = |slot| {
                let Some(pos) = endings.position(sector, slot) else { return Verdict::Draw };
                let mut best: Option<Verdict> = None;
                game.generate(&pos, |mv| {
                    let next = game.play(&pos, mv);
                    let after = match endings.locate(&next) {
                        Located::Over(value) => value.verdict(),
                        Located::Slot(next, slot) if next == sector.partner() && !game.is_irreversible(&pos, mv) => {
                            // With no ply left this is never read.
                            by_counter[&next].get(left.wrapping_sub(1)).map_or(Verdict::Draw, |all| all[slot as usize])
                        }
                        Located::Slot(next, slot) => exits[&next][slot as usize],
                        Located::Nowhere => panic!("solved before"),
                    };
                    best = best.into_iter().chain([Known::Verdict(after).before().verdict()]).max_by_key(rank);
                });
                match best {
                    None => Verdict::Loss,
                    Some(_) if left == 0 => Verdict::Draw,
                    Some(best) => best,
                }
            };
            let all: Vec<Verdict> = (0..endings.slots(sector)).into_par_iter().map(result).collect();
            by_counter.get_mut(&sector).expect("of the pair").push(all);
        }
    }
    by_counter
}

fn check_counted(endings: &MorrisEndings, limit: u16, names: &[&str]) {
    let rules = TablebaseRules::Morris {
        flying: endings.game().rules().flying,
        removal: Removal::IfAll,
        diagonals: false,
        sliding: false,
        no_mill_draw: limit,
    };
    let counting = endings.with_counter(&rules.ruleset()).expect("a counter");
    assert_eq!(counting.rules(), rules);
    let wanted: Vec<Sector> = names.iter().map(|name| name_of(endings, name)).collect();
    let plain = solve_in_memory(endings, &wanted);
    let solved = solve_in_memory(&counting, &wanted);
    let mut exits: HashMap<Sector, Vec<Verdict>> = HashMap::new();
    // Results by the counter; wins that it takes away; decided positions with more than one ply to progress.
    let mut seen = [0; 3];
    for pair in pairs(endings, endings.with_dependencies(&wanted)) {
        let expected = by_definition(endings, &pair, limit, &exits);
        for (sector, by_counter) in expected {
            for slot in 0..endings.slots(sector) {
                let Some(pos) = endings.position(sector, slot) else { continue };
                let value = solved[&sector].value(slot as usize);
                for (left, all) in by_counter.iter().enumerate() {
                    let counter = limit - left as u16;
                    let counted = counting.metric().counted(value, counter);
                    let text = || format!("{} after {counter} of {limit} plies", endings.fen(&pos));
                    assert_eq!(counted.verdict, all[slot as usize], "{}", text());
                    seen[2] += u32::from(counted.plies > 1);
                }
                let at_first = value.verdict();
                seen[0] += u32::from(at_first != Verdict::Draw);
                seen[1] += u32::from(plain[&sector].value(slot as usize).verdict() != at_first);
            }
            exits.insert(sector, by_counter.into_iter().next_back().expect("no plies"));
        }
    }
    assert!(seen.iter().all(|&count| count > 0), "{seen:?}");
    let derived = Loaded(solved);
    for &sector in derived.0.keys() {
        let again = counting.derive(sector, &derived, &()).expect("short distances");
        assert!(again == derived.0[&sector], "{}", counting.name(sector));
    }
}

/// A distance is right if it gives the right result with every counter, with and without flying.
#[test]
fn results_with_a_draw_counter_are_right_for_every_counter() {
    check_counted(&MorrisEndings::new(FLYING, 9), 3, &["4-3"]);
    check_counted(&MorrisEndings::new(0, 9), 6, &["3-3"]);
}

/// The limit decides whether distances are solved in bytes.
#[test]
fn draw_counters_of_both_widths_give_the_same() {
    let endings = MorrisEndings::new(0, 9);
    let solved = [126, 127].map(|no_mill_draw| {
        let rules = Ruleset::Morris(Rules { no_mill_draw, ..*endings.game().rules() });
        let counting = endings.with_counter(&rules).expect("a counter");
        solve_in_memory(&counting, &[name_of(&counting, "4-3")])
    });
    assert!(solved[0] == solved[1], "no distance is as long as either");
}

#[test]
fn a_draw_counter_needs_mills_that_take_a_stone() {
    let rules = |endings: &MorrisEndings| Ruleset::Morris(*endings.game().rules());
    for (endings, is_known) in [
        (MorrisEndings::new(FLYING, 9).with_placing(true), true),
        (MorrisEndings::new(FLYING | DIAGONALS, 9), true),
        (MorrisEndings::new(FLYING | SLIDES, 9), true),
        (MorrisEndings::new(FLYING | SLIDES, 9).with_placing(true), false),
        (MorrisEndings::new(FLYING | NEVER, 9), false),
    ] {
        assert_eq!(endings.with_counter(&rules(&endings)).is_some(), is_known, "{}", endings.rules());
    }
    let endings = MorrisEndings::new(FLYING, 9);
    for (no_mill_draw, is_known) in [(0, false), (1, true), (1000, true), (u16::MAX, false)] {
        let rules = Ruleset::Morris(Rules { no_mill_draw, ..*endings.game().rules() });
        assert_eq!(endings.with_counter(&rules).is_some(), is_known, "{no_mill_draw}");
    }
    assert!(SmessEndings.with_counter(&Ruleset::Smess(millbrain_core::smess::Rules::default())).is_none());
}

/// In the placing phase every move is progress, and results are those of the moves.
#[test]
fn results_with_stones_in_hand_follow_from_those_with_the_counter() {
    let endings = MorrisEndings::new(FLYING, 3).with_placing(true);
    let rules = Ruleset::Morris(Rules { no_mill_draw: 4, ..*endings.game().rules() });
    let counting = endings.with_counter(&rules).expect("a counter");
    let game = counting.game();
    let wanted = name_of(&counting, "0+3-0+3");
    let solved = solve_in_memory(&counting, &[wanted]);
    let mut seen = [0; 3];
    for (&sector, codes) in solved.iter().filter(|(sector, _)| counting.in_hand(**sector)) {
        for slot in 0..counting.slots(sector) {
            let Some(pos) = counting.position(sector, slot) else { continue };
            let mut values = Vec::new();
            game.generate(&pos, |mv| {
                values.push(match counting.locate(&game.play(&pos, mv)) {
                    Located::Over(value) => value,
                    Located::Slot(next, slot) => solved[&next].value(slot as usize),
                    Located::Nowhere => panic!("solved before"),
                });
            });
            let expected = Value::from_successors(values).verdict();
            let found = counting.metric().counted(codes.value(slot as usize), 0);
            assert_eq!(found.verdict, expected, "{}", counting.fen(&pos));
            assert_eq!(found.plies, u32::from(expected != Verdict::Draw));
            seen[expected as usize] += 1;
        }
    }
    assert!(seen.iter().all(|&count| count > 0), "{seen:?}");
}

/// Every value of small games of the merels family is the best of those one move on, distances included, which proves
/// them.
#[test]
fn values_of_small_boards_follow_from_those_one_move_on() {
    let (three, six) = (merels::rules::THREE, merels::rules::SIX);
    for (rules, start) in [
        (three, Some(Verdict::Win)),
        (merels::Rules { flying: true, ..three }, None),
        (merels::Rules { points: Points::Nine, stones: 4, ..six }, None),
        (merels::Rules { stones: 3, flying: true, ..six }, None),
        (merels::Rules { points: Points::Nine, stones: 3, slides_while_placing: true, ..six }, None),
        (merels::Rules { points: Points::Seventeen, stones: 3, removal: Removal::Never, ..six }, None),
    ] {
        let endings = MerelsEndings::of(&rules).expect("tables");
        let game = endings.game();
        let solved = solve_in_memory(&endings, &[endings.start().expect("a start")]);
        let value = |located| match located {
            Located::Over(value) => value,
            Located::Slot(sector, slot) => solved[&sector].value(slot as usize),
            Located::Nowhere => panic!("all positions have tables"),
        };
        for (&sector, codes) in &solved {
            let mut counted = [0, 0];
            for slot in 0..endings.slots(sector) {
                let Some(pos) = endings.position(sector, slot) else { continue };
                let after = game.moves(&pos).into_iter().map(|mv| value(endings.locate(&game.play(&pos, mv))));
                assert_eq!(codes.value(slot as usize), Value::from_successors(after), "{}", endings.fen(&pos));
                counted[0] += 1;
                counted[1] += u64::from(endings.images(sector, slot));
            }
            let extent = endings.extent(sector);
            assert_eq!(counted, [extent.reduced, extent.unreduced], "{}", endings.name(sector));
        }
        let of_start = value(endings.locate(&game.start())).verdict();
        assert!(start.is_none_or(|expected| of_start == expected), "{of_start}");
    }
}

/// Counts the positions that games reach from the start, each with its side to move: up to symmetry, with all images,
/// and those with all images in which the game is over.
fn reached(endings: &MerelsEndings) -> [usize; 3] {
    let game = endings.game();
    let board = game.rules().points.board();
    let mut seen: HashMap<Sector, Vec<[bool; 2]>> = HashMap::new();
    let mut over = HashSet::new();
    let (mut open, mut counts) = (vec![game.start()], [0, 0]);
    while let Some(pos) = open.pop() {
        let Located::Slot(sector, slot) = endings.locate(&pos) else {
            let image = |s| (pos.stones().map(|set| board.image(s, set)), pos.hands(), pos.side());
            over.extend((0..board.symmetries.len()).map(image));
            continue;
        };
        let slots = seen.entry(sector).or_insert_with(|| vec![[false; 2]; endings.slots(sector) as usize]);
        if !std::mem::replace(&mut slots[slot as usize][pos.side() as usize], true) {
            counts[0] += 1;
            counts[1] += endings.images(sector, slot) as usize;
            open.extend(game.moves(&pos).into_iter().map(|mv| game.play(&pos, mv)));
        }
    }
    [counts[0], counts[1], over.len()]
}

/// `MILLBRAIN_REACHED=six` counts those of another variant.
#[test]
fn games_of_three_stones_reach_4974_positions() {
    let variant = std::env::var("MILLBRAIN_REACHED").unwrap_or_else(|_| "three".to_string());
    let Ruleset::Merels(rules) = variant.parse::<Variant>().expect("a variant").rules() else { panic!("{variant}") };
    let counts = reached(&MerelsEndings::of(&rules).expect("tables"));
    println!("{variant}: {counts:?}");
    assert!(variant != "three" || counts[1] == 4974, "{counts:?}");
}
