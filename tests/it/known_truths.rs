//! Small endings are solved by plain iteration and compared with known figures; then the search and the embedded
//! tables are compared with them.

use millbrain::any::Family;
use millbrain::game::{Game, Placed, Verdict};
use millbrain::morris::{self, Morris, Position, Rules, board::ALL, symmetry::canonical};
use millbrain::play::Play;
use millbrain::search::score::mate_moves;
use millbrain::search::{Control, HashTable, Limits, Request, search};
use millbrain::smess::Smess;
use millbrain::tablebase::{self, Sources};
use millbrain::value::Value;
use millbrain::variant::{Ruleset, Variant};
use std::collections::HashMap;
use std::sync::Arc;

/// Value of a position: plies to the end, even for a loss (0 has lost), odd for a win; `None` for a draw.
type Distance = Option<u32>;

/// Solves a set of positions that is closed under moves, except those that end the game. Positions with the same
/// `id` share a value.
fn solve<G: Game>(game: &G, positions: &[G::Position], id: impl Fn(&G::Position) -> u64) -> Vec<Distance> {
    let index: HashMap<u64, u32> = positions.iter().zip(0..).map(|(pos, i)| (id(pos), i)).collect();
    assert_eq!(index.len(), positions.len(), "positions are distinct");
    let mut values: Vec<Distance> = vec![None; positions.len()];
    let mut successors: Vec<Vec<u32>> = Vec::with_capacity(positions.len());
    for (pos, value) in positions.iter().zip(&mut values) {
        let mut next = Vec::new();
        if let Some(ending) = game.decided(pos) {
            *value = (ending.verdict == Verdict::Loss).then_some(0);
        } else if !game.has_moves(pos) {
            *value = Some(0);
        } else {
            game.generate(pos, |mv| {
                let after = game.play(pos, mv);
                match game.decided(&after).map(|ending| ending.verdict) {
                    Some(Verdict::Loss) => *value = Some(1),
                    Some(_) => next.push(u32::MAX),
                    None => next.push(index[&id(&after)]),
                }
            });
        }
        successors.push(next);
    }
    for distance in 1.. {
        let mut changed = false;
        for i in 0..positions.len() {
            if values[i].is_some() || successors[i].is_empty() {
                continue;
            }
            let mut of_next = successors[i].iter().map(|&s| values.get(s as usize).copied().flatten());
            let reached = if distance % 2 == 1 {
                of_next.any(|value| value == Some(distance - 1))
            } else {
                of_next.all(|value| value.is_some_and(|value| value % 2 == 1 && value < distance))
            };
            if reached {
                values[i] = Some(distance);
                changed = true;
            }
        }
        if !changed && distance > 40 {
            return values;
        }
    }
    unreachable!("the loop ends by itself")
}

struct Counts {
    wins: usize,
    losses: usize,
    draws: usize,
    longest_win: u32,
    longest_loss: u32,
}

fn count(values: &[Distance]) -> Counts {
    let wins = values.iter().flatten().filter(|&&d| d % 2 == 1);
    let losses = values.iter().flatten().filter(|&&d| d % 2 == 0);
    Counts {
        longest_win: wins.clone().copied().max().unwrap_or(0),
        longest_loss: losses.clone().copied().max().unwrap_or(0),
        wins: wins.count(),
        losses: losses.count(),
        draws: values.iter().filter(|value| value.is_none()).count(),
    }
}

fn packed(pos: &Position) -> u64 {
    u64::from(pos.own()) | u64::from(pos.opp()) << 24
}

fn reduced(pos: &Position) -> u64 {
    canonical(packed(pos)).0
}

/// Every position of three stones against three, once per symmetry.
fn three_against_three<const S: u8>(game: &Morris<S>) -> Vec<Position> {
    let triples: Vec<u32> = (0..1u32 << 24).filter(|set| set.count_ones() == 3).collect();
    let mut positions = Vec::new();
    for &white in &triples {
        for &black in triples.iter().filter(|&&black| black & white == 0) {
            let key = u64::from(white) | u64::from(black) << 24;
            if canonical(key).0 == key {
                let setup = morris::Setup {
                    stones: [white & ALL, black & ALL],
                    hands: [0, 0],
                    side: millbrain::game::Side::White,
                    plies_without_progress: 0,
                    move_number: 1,
                    formed_lines: [0, 0],
                };
                positions.push(game.validate(&setup).expect("three stones each"));
            }
        }
    }
    positions
}

/// Searches for a mate and returns its distance in moves of the winner.
fn mate_found<G: millbrain::game::Searchable>(game: G, position: G::Position, limits: Limits) -> Option<i32> {
    let hash = Arc::new(HashTable::new(4).expect("a small table"));
    let control = Arc::new(Control::new(false));
    let request = Request::plain(&limits, &hash, &control);
    let play = Play::from_placed(game, Placed { position, move_number: 1 });
    mate_moves(search(&play, None, &request, &mut |_| {}).score)
}

/// On a sample of solved positions the search for a mate finds exactly the shortest one.
fn check_mates<G: millbrain::game::Searchable>(game: G, positions: &[G::Position], values: &[Distance]) {
    let mut rng = fastrand::Rng::with_seed(9);
    let mut checked = 0;
    while checked < 60 {
        let i = rng.usize(..positions.len());
        let Some(distance) = values[i].filter(|d| (1..=7).contains(d)) else { continue };
        let moves = distance.div_ceil(2);
        let context = || game.fen(&Placed { position: positions[i], move_number: 1 });
        if distance % 2 == 1 {
            let limits = |mate| Limits { mate: Some(mate), ..Limits::default() };
            assert_eq!(mate_found(game, positions[i], limits(moves)), Some(moves as i32), "{}", context());
            if moves > 1 {
                let sooner = mate_found(game, positions[i], limits(moves - 1));
                assert!(sooner.is_none_or(|found| found >= moves as i32), "{}: {sooner:?}", context());
            }
        } else {
            let limits = Limits { mate: Some(moves + 1), ..Limits::default() };
            assert_eq!(mate_found(game, positions[i], limits), Some(-(moves as i32)), "{}", context());
        }
        checked += 1;
    }
}

/// The embedded tables hold the same values, including distances.
fn check_tables<G: Family>(rules: Ruleset, positions: &[G::Position], values: &[Distance]) {
    let sources = Sources { folders: Vec::new(), embedded: true, limit: 24, cache: tablebase::DEFAULT_CACHE };
    let oracle = tablebase::open(&rules, &sources).oracle.as_ref().and_then(G::oracle).expect("embedded tables");
    for (pos, value) in positions.iter().zip(values).step_by(5) {
        let known = oracle.value(pos).expect("in the tables");
        let expected = match *value {
            None => Value::Draw,
            Some(plies) if plies % 2 == 1 => Value::Win(plies),
            Some(plies) => Value::Loss(plies),
        };
        assert_eq!((known, oracle.verdict(pos)), (expected, Some(expected.verdict())));
    }
}

fn check_three_against_three(rules: Rules, reduced_counts: [usize; 3], longest: [u32; 2]) {
    let game = Morris::<{ morris::CUSTOM }>::new(Rules { no_mill_draw: 0, repetition_draw: false, ..rules });
    let positions = three_against_three(&game);
    assert_eq!(positions.len(), 169_626);
    let values = solve(&game, &positions, reduced);
    let counts = count(&values);
    assert_eq!([counts.wins, counts.losses, counts.draws], reduced_counts);
    assert_eq!([counts.longest_win, counts.longest_loss], longest);
    check_tables::<Morris<{ morris::CUSTOM }>>(Ruleset::Morris(*game.rules()), &positions, &values);
    check_mates(game, &positions, &values);
}

#[test]
fn three_stones_against_three_flying() {
    check_three_against_three(morris::rules::MORRIS, [140_621, 28_736, 269], [25, 26]);
}

#[test]
fn three_stones_against_three_without_flying() {
    check_three_against_three(morris::rules::MLYN, [90_842, 40_162, 38_622], [39, 38]);
}

#[test]
fn brain_and_numskull_against_brain() {
    let game = Smess::new(millbrain::smess::Rules { no_capture_draw: 0, repetition_draw: false });
    let mut positions = Vec::new();
    let mut strong_to_move = 0;
    for strong in 0..56 {
        for numskull in (0..56).filter(|&s| s != strong) {
            for weak in (0..56).filter(|&s| s != strong && s != numskull) {
                for side in [millbrain::game::Side::White, millbrain::game::Side::Black] {
                    let setup = millbrain::smess::Setup {
                        pieces: [[1 << strong, 1 << numskull, 0], [1 << weak, 0, 0]],
                        side,
                        plies_without_progress: 0,
                        move_number: 1,
                    };
                    strong_to_move += usize::from(side == millbrain::game::Side::White);
                    positions.push(game.validate(&setup).expect("three pieces"));
                }
            }
        }
    }
    assert_eq!(strong_to_move, 166_320);
    let identity = |pos: &millbrain::smess::Position| game.key(pos) ^ pos.side() as u64;
    let values = solve(&game, &positions, identity);
    let of_strong: Vec<_> = values.iter().copied().step_by(2).collect();
    let wins: Vec<_> = of_strong.iter().flatten().filter(|&&d| d % 2 == 1).collect();
    assert_eq!(wins.len(), 166_102);
    assert_eq!(wins.into_iter().max(), Some(&21));
    check_tables::<Smess>(Variant::Smess.rules(), &positions, &values);
    check_mates(game, &positions, &values);
}
