//! Levels below full strength capture what they can, and play won games to their end.

use millbrain_core::any::{AnyGame, network_name};
use millbrain_core::game::Verdict;
use millbrain_core::search::score::mate_moves;
use millbrain_core::search::strength::{Handicap, handicap};
use millbrain_core::search::{Control, HashTable, Limits, Request, Weakness};
use millbrain_core::variant::Variant;
use std::sync::Arc;

/// The plies after which a running game counts as not finished.
const PATIENCE: usize = 300;

/// The counts of the games of a level.
#[derive(Clone, Copy, Default, Debug)]
struct Counts {
    won: usize,
    lost: usize,
    /// Games drawn, or not over in time.
    unfinished: usize,
    /// Moves that could capture a stone without losing one, and the number of those played.
    chances: usize,
    taken: usize,
    /// Those among them that leave the opponent three stones.
    to_three: usize,
    taken_to_three: usize,
}

/// Returns the stones of both sides, hands included, the mover's first.
fn stones(fen: &str) -> [u32; 2] {
    let fields: Vec<&str> = fen.split(' ').collect();
    let count = |letter: char| fields[0].chars().filter(|&c| c == letter).count() as u32;
    let hand = |i: usize| fields[i].parse::<u32>().unwrap_or(0);
    let both = [count('O') + hand(2), count('X') + hand(3)];
    if fields[1] == "w" { both } else { [both[1], both[0]] }
}

/// Returns whether mills of a variant take stones.
fn takes_stones(variant: Variant) -> bool {
    !matches!(variant, Variant::Smess | Variant::Three)
}

fn takes(mv: &str) -> bool {
    mv.contains('x')
}

/// Returns whether a move captures a stone and allows the opponent no capture.
fn is_free(game: &AnyGame, mv: &str) -> bool {
    let mut next = game.clone();
    next.push(mv).expect("legal");
    takes(mv) && !next.moves().iter().any(|reply| takes(reply))
}

/// Chooses a move at random, for a greedy opponent a capture.
fn simple(game: &AnyGame, is_greedy: bool, rng: &mut fastrand::Rng) -> String {
    let moves = game.moves();
    let taking: Vec<&String> = moves.iter().filter(|mv| is_greedy && takes(mv)).collect();
    rng.choice(taking).or_else(|| rng.choice(&moves)).expect("the game is not over").clone()
}

/// Plays games of a level against random moves, alternating colours.
fn play(variant: Variant, level: u32, is_greedy: bool, games: usize) -> Counts {
    let mut counts = Counts::default();
    let (hash, limits) = (Arc::new(HashTable::new(1).expect("a MiB")), Limits::default());
    let mut rng = fastrand::Rng::with_seed(u64::from(level) << 8 | u64::from(is_greedy));
    for number in 0..games {
        hash.clear();
        let mut game = AnyGame::new(variant.rules());
        let mut plies = 0;
        while game.ending().is_none() && plies < PATIENCE {
            let mv = if plies % 2 == number % 2 {
                let weakness = handicap(level).map(|handicap| Weakness { handicap, seed: rng.u64(..) });
                let control = Arc::new(Control::new(false));
                let request = Request { weakness, ..Request::plain(&limits, &hash, &control) };
                let best = game.search(&request, &mut |_| {}).best.expect("a move");
                if game.moves().iter().any(|mv| is_free(&game, mv)) {
                    let to_three = stones(&game.fen())[1] == 4;
                    counts.chances += 1;
                    counts.taken += usize::from(takes(&best));
                    counts.to_three += usize::from(to_three);
                    counts.taken_to_three += usize::from(to_three && takes(&best));
                }
                best
            } else {
                simple(&game, is_greedy, &mut rng)
            };
            game.push(&mv).expect("legal");
            plies += 1;
        }
        let to_move_is_level = plies % 2 == number % 2;
        match game.ending().map(|ending| ending.verdict) {
            Some(Verdict::Win) => *(if to_move_is_level { &mut counts.won } else { &mut counts.lost }) += 1,
            Some(Verdict::Loss) => *(if to_move_is_level { &mut counts.lost } else { &mut counts.won }) += 1,
            _ => counts.unfinished += 1,
        }
    }
    counts
}

/// A level that is ahead captures what it can and wins, rather than shuffling until the game is drawn. With
/// `MILLBRAIN_GAMES=60` the counts of all levels are printed.
#[test]
fn levels_finish_won_games() {
    let more = std::env::var("MILLBRAIN_GAMES").ok().and_then(|games| games.parse().ok());
    let levels = if more.is_some() { (0..14).collect() } else { vec![3, 6] };
    for variant in Variant::ALL.into_iter().filter(|variant| takes_stones(*variant)) {
        let mut all = [0; 4];
        for (level, is_greedy) in levels.iter().flat_map(|&level| [(level, false), (level, true)]) {
            let counts = play(variant, level, is_greedy, more.unwrap_or(10));
            if more.is_some() {
                println!("{variant} level {level}, greedy {is_greedy}: {counts:?}");
            }
            let Counts { unfinished, chances, taken, to_three, taken_to_three, .. } = counts;
            all[0] += unfinished;
            all[1] += chances - taken;
            all[2] += to_three - taken_to_three;
            all[3] += taken;
        }
        let [unfinished, missed, missed_to_three, taken] = all;
        if more.is_some() {
            println!("{variant}: {unfinished} not finished");
            continue;
        }
        // Without a network fewer games are finished.
        let most = if network_name(variant.rules()).is_some() { 1 } else { 5 };
        assert!(unfinished <= most && missed < taken && missed_to_three * 4 < taken, "{variant}: {all:?}");
    }
}

/// A level of one ply that overlooks nothing captures whatever is free, however much it misjudges.
#[test]
fn what_is_seen_and_costs_nothing_is_taken() {
    let mut rng = fastrand::Rng::with_seed(16);
    let (hash, limits) = (Arc::new(HashTable::new(1).expect("a MiB")), Limits::default());
    let mut chances = 0;
    for variant in Variant::ALL.into_iter().filter(|variant| takes_stones(*variant)).cycle() {
        let mut game = AnyGame::new(variant.rules());
        while game.ending().is_none() {
            if game.moves().iter().any(|mv| is_free(&game, mv)) {
                let handicap = Handicap { depth: 1, overlooks: 0, misjudges: 120 };
                let weakness = Some(Weakness { handicap, seed: rng.u64(..) });
                let control = Arc::new(Control::new(false));
                let request = Request { weakness, ..Request::plain(&limits, &hash, &control) };
                let answer = game.search(&request, &mut |_| {});
                let best = answer.best.expect("a move");
                let is_known = mate_moves(answer.score).is_some();
                assert!(takes(&best) || is_known, "{} {handicap:?}: {best}", game.fen());
                chances += 1;
            }
            let mv = simple(&game, rng.u8(..3) == 0, &mut rng);
            game.push(&mv).expect("legal");
        }
        if chances > 3_000 {
            return;
        }
    }
}
