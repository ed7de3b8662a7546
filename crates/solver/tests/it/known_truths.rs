//! Small endings, solved by definition and compared with known figures; then the search and the embedded tables are
//! compared with them.

use super::games::{Part, solve};
use super::plain::Solved;
use millbrain_core::any::{AnyOracle, Family};
use millbrain_core::game::value::Value;
use millbrain_core::game::{Placed, Searchable, Side};
use millbrain_core::morris::{self, CUSTOM, Morris, Rules};
use millbrain_core::play::Play;
use millbrain_core::search::score::mate_moves;
use millbrain_core::search::{Control, HashTable, Limits, Request, search};
use millbrain_core::smess::{self, Smess};
use millbrain_core::variant::Ruleset;
use millbrain_tablebase::{Sources, open};
use std::sync::Arc;

#[derive(Default)]
struct Counts {
    wins: usize,
    losses: usize,
    draws: usize,
    longest_win: u32,
    longest_loss: u32,
}

fn count(values: impl Iterator<Item = Value>) -> Counts {
    let mut counts = Counts::default();
    for value in values {
        match value {
            Value::Draw => counts.draws += 1,
            Value::Win(plies) => {
                counts.wins += 1;
                counts.longest_win = counts.longest_win.max(plies);
            }
            Value::Loss(plies) => {
                counts.losses += 1;
                counts.longest_loss = counts.longest_loss.max(plies);
            }
        }
    }
    counts
}

/// Searches for a mate and returns its distance in moves of the winner.
fn mate_found<G: Searchable>(game: G, position: G::Position, limits: Limits) -> Option<i32> {
    let hash = Arc::new(HashTable::new(4).expect("a small table"));
    let control = Arc::new(Control::new(false));
    let request = Request::plain(&limits, &hash, &control);
    let play = Play::from_placed(game, Placed { position, move_number: 1 });
    mate_moves(search(&play, None, &request, &mut |_| {}).score)
}

/// Checks on a sample of the wanted positions that the search for a mate finds exactly the shortest one.
pub fn check_mates<G: Searchable>(solved: &Solved<G>, is_wanted: fn(&G::Position) -> bool) {
    let game = solved.game;
    let mut rng = fastrand::Rng::with_seed(9);
    let mut checked = 0;
    while checked < 60 {
        let place = rng.usize(..solved.positions.len());
        let pos = solved.positions[place];
        if !is_wanted(&pos) {
            continue;
        }
        let context = || game.fen(&Placed { position: pos, move_number: 1 });
        match solved.value(place) {
            Value::Win(distance @ 1..=7) => {
                let moves = distance.div_ceil(2);
                let limits = |mate| Limits { mate: Some(mate), ..Limits::default() };
                assert_eq!(mate_found(game, pos, limits(moves)), Some(moves as i32), "{}", context());
                if moves > 1 {
                    let sooner = mate_found(game, pos, limits(moves - 1));
                    assert!(sooner.is_none_or(|found| found >= moves as i32), "{}: {sooner:?}", context());
                }
            }
            Value::Loss(distance @ 1..=7) => {
                let moves = distance.div_ceil(2);
                let limits = Limits { mate: Some(moves + 1), ..Limits::default() };
                assert_eq!(mate_found(game, pos, limits), Some(-(moves as i32)), "{}", context());
            }
            _ => continue,
        }
        checked += 1;
    }
}

/// Checks that the embedded tables have the same values, including distances.
fn check_tables<G: Family>(rules: Ruleset, solved: &Solved<G>) {
    let sources = Sources::default();
    let oracle = open(&rules, &sources).oracle.as_ref().and_then(AnyOracle::of).expect("embedded tables");
    for (place, pos) in solved.positions.iter().enumerate().step_by(5) {
        let expected = solved.value(place);
        assert_eq!((oracle.value(pos), oracle.verdict(pos)), (Some(expected), Some(expected.verdict())));
    }
}

fn check_three_against_three(rules: Rules, reduced_counts: [usize; 3], longest: [u32; 2]) {
    let rules = Rules { no_mill_draw: 0, repetition_draw: false, ..rules };
    let solved = solve(rules, Part::Moving(6)).solved;
    assert_eq!(solved.positions.len(), 169_626);
    let counts = count((0..solved.positions.len()).map(|place| solved.value(place)));
    assert_eq!([counts.wins, counts.losses, counts.draws], reduced_counts);
    assert_eq!([counts.longest_win, counts.longest_loss], longest);
    check_tables::<Morris<CUSTOM>>(Ruleset::Morris(rules), &solved);
    check_mates(&solved, |_| true);
}

#[test]
fn three_stones_against_three_flying() {
    check_three_against_three(morris::rules::MORRIS, [140_621, 28_736, 269], [25, 26]);
}

#[test]
fn three_stones_against_three_without_flying() {
    check_three_against_three(morris::rules::MLYN, [90_842, 40_162, 38_622], [39, 38]);
}

/// Returns every position of these pieces of White and Black: a Brain, a Numskull, a Ninny each or none.
fn pieces_placed(game: Smess, pieces: [bool; 2]) -> Vec<smess::Position> {
    let [numskull, ninny] = pieces;
    let mut positions = Vec::new();
    for strong in 0..56 {
        for piece in (0..56).filter(|&square| square != strong) {
            for weak in (0..56).filter(|&square| square != strong && square != piece) {
                for side in [Side::White, Side::Black] {
                    let [numskulls, ninnies] = [numskull, ninny].map(|is_there| u64::from(is_there) << piece);
                    let setup = smess::Setup {
                        pieces: [[1 << strong, numskulls, ninnies], [1 << weak, 0, 0]],
                        side,
                        plies_without_progress: 0,
                        move_number: 1,
                    };
                    positions.extend(game.validate(&setup));
                }
            }
        }
    }
    positions
}

/// Returns the number of a position with three pieces.
fn number(pos: &smess::Position) -> u64 {
    let square = |set: u64| u64::from(set.trailing_zeros());
    let piece = pos.numskulls() | pos.ninnies();
    let is_ninny = u64::from(pos.ninnies() != 0);
    let brains = [pos.brains() & pos.own(), pos.brains() & pos.opp()].map(square);
    [pos.side() as u64, brains[0], brains[1], square(piece)].into_iter().fold(is_ninny, |sum, part| sum << 6 | part)
}

#[test]
fn brain_with_numskull_or_ninny_against_brain() {
    let game = Smess::new(smess::Rules { no_capture_draw: 0, repetition_draw: false });
    let mut solved = Solved::new(game, number);
    // A Ninny may become a Numskull, which comes first.
    for (pieces, wins, longest_win) in [([true, false], 166_102, 21), ([false, true], 165_936, 53)] {
        let places = solved.add(pieces_placed(game, pieces));
        assert_eq!(places.len(), 2 * 166_320);
        let counts = count(places.step_by(2).map(|place| solved.value(place)));
        assert_eq!((counts.wins, counts.longest_win), (wins, longest_win));
    }
    check_tables::<Smess>(Ruleset::Smess(*game.rules()), &solved);
    check_mates(&solved, |_| true);
}
