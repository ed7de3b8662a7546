//! Positions from varied games, balanced over phases and numbers of pieces.

use super::set::{Position, Set};
use super::setup::{Setup, SetupError};
use millbrain_core::any::{AnyGame, AnyOracle};
use millbrain_core::game::{Side, Verdict};
use millbrain_core::search::{Control, HashTable, Limits, Request};
use millbrain_core::variant::NamedRules;
use millbrain_tablebase::probe::probe_moves;
use rayon::prelude::*;
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

/// The ply at which a game ends.
const MAX_PLIES: usize = 200;
/// The shares of random moves, in percent; each game has one of them.
const RANDOM: [u32; 6] = [5, 10, 20, 40, 70, 100];
/// The nodes of the searches for the other moves; each has one of these numbers.
const NODES: [u64; 3] = [20, 200, 1_000];
/// Positions are grouped by stones in hand, this many counts to a group.
const IN_HAND: u32 = 3;

/// A request to draw positions. Game N depends only on the seed and N.
pub struct Draw {
    /// The rules.
    pub rules: NamedRules,
    /// The source of values.
    pub oracle: AnyOracle,
    /// The most positions of each value.
    pub count: usize,
    /// Number of games to draw them from.
    pub games: usize,
    /// Seed of the games.
    pub seed: u64,
    /// Threads, from 1.
    pub threads: usize,
}

/// The reason why no positions can be drawn.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DrawError {
    /// There is no memory, threads cannot be started, or the tables are for other rules.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// No position is suitable.
    #[error(
        "{games} games of {rules} have no position with a known value and a move that loses it, expected tables that know more, or more games"
    )]
    Nothing {
        /// Number of games played.
        games: usize,
        /// The rules.
        rules: NamedRules,
    },
}

/// The key by which the positions of a phase are balanced: the phase, then the pieces of the side to move and of the
/// other side, or the stones in hand.
type Stage = (&'static str, u32, u32);

fn stage(game: &AnyGame) -> Stage {
    let in_hand = game.hands().map_or(0, |hands| hands.iter().sum::<u32>());
    if in_hand > 0 {
        return (game.phase(), in_hand.div_ceil(IN_HAND), 0);
    }
    let pieces = game.pieces();
    let of = |side: Side| pieces.iter().filter(|piece| piece.side == side).count() as u32;
    (game.phase(), of(game.side()), of(game.side().other()))
}

/// The positions of a game by stage.
type Stages = BTreeMap<Stage, Vec<String>>;

/// A position of a game that may be drawn.
struct Candidate {
    stage: Stage,
    key: u64,
    position: Position,
}

/// Draws positions: at most `count` won ones and as many drawn ones, no two alike up to symmetry. Each phase
/// contributes equally, as far as possible, and so do the numbers of pieces in a phase. `progress` is called for every
/// game played.
///
/// # Errors
/// Fails if there is no memory, threads cannot be started, or the tables know nothing of these games.
pub fn draw(request: &Draw, progress: &(dyn Fn() + Sync)) -> Result<Set, DrawError> {
    let choose = |stages: Stages, start: &AnyGame, rng: &mut fastrand::Rng| {
        let chosen = stages.into_iter().filter_map(|(stage, fens)| Some((stage, rng.choice(fens)?)));
        chosen.filter_map(|(stage, fen)| candidate(start, stage, &fen)).collect()
    };
    draw_with(request, &choose, progress)
}

/// Draws positions that suit, like [`draw`]: of each game one won and one drawn position of each stage, if possible.
pub fn draw_suiting(
    request: &Draw,
    suits: &(dyn Fn(&AnyGame, &Position) -> bool + Sync),
    progress: &(dyn Fn() + Sync),
) -> Result<Set, DrawError> {
    let choose = |stages: Stages, start: &AnyGame, rng: &mut fastrand::Rng| {
        let of_stage = |(stage, mut fens): (Stage, Vec<String>)| {
            rng.shuffle(&mut fens);
            let candidates = fens.iter().filter_map(|fen| candidate(start, stage, fen));
            let suiting = candidates.filter(|candidate| suits(start, &candidate.position));
            let (won, drawn): (Vec<_>, Vec<_>) = suiting.partition(|found| found.position.value == Verdict::Win);
            [won, drawn].into_iter().filter_map(|found| found.into_iter().next())
        };
        stages.into_iter().flat_map(of_stage).collect()
    };
    draw_with(request, &choose, progress)
}

/// Draws positions that a function chooses from those of each game.
fn draw_with(
    request: &Draw,
    choose: &(dyn Fn(Stages, &AnyGame, &mut fastrand::Rng) -> Vec<Candidate> + Sync),
    progress: &(dyn Fn() + Sync),
) -> Result<Set, DrawError> {
    let Setup { pool, start, hash_tables } = Setup::new(request.rules, Some(&request.oracle), request.threads, 1)?;
    let game = |number: usize| {
        let mut rng = fastrand::Rng::with_seed(request.seed << 32 ^ number as u64);
        let found = hash_tables.lend(|hash| Some(play(&start, &mut rng, hash)));
        let found = found.map(|stages| choose(stages, &start, &mut rng));
        progress();
        found.unwrap_or_default()
    };
    let games: Vec<Vec<Candidate>> = pool.install(|| (0..request.games).into_par_iter().map(game).collect());
    let mut seen = HashSet::new();
    let mut phases: [BTreeMap<&str, BTreeMap<Stage, Vec<Position>>>; 2] = Default::default();
    for Candidate { stage, key, position } in games.into_iter().flatten() {
        if seen.insert(key) {
            let [won, drawn] = &mut phases;
            let phases = if position.value == Verdict::Draw { drawn } else { won };
            phases.entry(stage.0).or_default().entry(stage).or_default().push(position);
        }
    }
    let all = phases.into_iter().flat_map(|phases| {
        let phases = phases.into_values().map(|stages| in_turn(stages.into_values().collect()));
        in_turn(phases.collect()).into_iter().take(request.count)
    });
    let positions: Vec<Position> = all.collect();
    if positions.is_empty() {
        return Err(DrawError::Nothing { games: request.games, rules: request.rules });
    }
    Ok(Set { rules: request.rules, positions })
}

/// Returns the position as if it had just been reached by a mill or a capture: no draw by counters is near.
pub fn without_counters(fen: &str) -> String {
    let words: Vec<&str> = fen.split(' ').collect();
    words.get(..words.len().saturating_sub(2)).unwrap_or_default().join(" ")
}

/// Returns the first of each list, then the second of each that has one, and so on.
pub fn in_turn<T>(lists: Vec<Vec<T>>) -> Vec<T> {
    let mut lists: Vec<_> = lists.into_iter().map(Vec::into_iter).collect();
    let longest = lists.iter().map(ExactSizeIterator::len).max().unwrap_or(0);
    (0..longest).flat_map(|_| lists.iter_mut().filter_map(Iterator::next).collect::<Vec<_>>()).collect()
}

/// Plays a game, and returns its positions by stage.
fn play(start: &AnyGame, rng: &mut fastrand::Rng, hash: &Arc<HashTable>) -> Stages {
    hash.clear();
    let random = rng.choice(RANDOM).unwrap_or(100);
    let limits = Limits { nodes: rng.choice(NODES), ..Limits::default() };
    let mut game = start.clone().without_oracle();
    let mut stages = Stages::new();
    for _ in 0..MAX_PLIES {
        if game.ending().is_some() {
            break;
        }
        stages.entry(stage(&game)).or_default().push(without_counters(&game.fen()));
        let best = if rng.u32(..100) < random {
            rng.choice(game.moves())
        } else {
            let control = Arc::new(Control::new(false));
            game.search(&Request::plain(&limits, hash, &control), &mut |_| {}).best
        };
        let Some(mv) = best else { break };
        // Legal: it is one of the moves.
        let _ = game.push(&mv);
    }
    stages
}

/// Returns the position as a candidate, if it is not lost, its value is known, and some move loses it.
fn candidate(start: &AnyGame, stage: Stage, fen: &str) -> Option<Candidate> {
    let mut game = start.at(Some(fen), []).ok()?;
    let value = game.known()?.verdict();
    if value == Verdict::Loss {
        return None;
    }
    let (key, fen) = (game.symmetric_key(), game.fen());
    let moves = probe_moves(&mut game);
    let values = moves.into_iter().map(|probed| Some((probed.text, probed.value?.verdict())));
    let values: Vec<_> = values.collect::<Option<_>>()?;
    let legal = values.len();
    let good = values.into_iter().filter(|(_, after)| *after == value).map(|(text, _)| text);
    let position = Position { fen, value, good: good.collect() };
    (!position.good.is_empty() && position.good.len() < legal).then_some(Candidate { stage, key, position })
}

#[cfg(test)]
mod tests {
    use super::*;
    use millbrain_core::variant::Variant;
    use millbrain_tablebase::{Sources, open};

    fn oracle(variant: Variant) -> AnyOracle {
        open(&variant.rules(), &Sources::default()).oracle.expect("tables that are part of the program")
    }

    fn drawn(variant: Variant, threads: usize, seed: u64) -> Result<Set, DrawError> {
        let request = Draw { rules: variant.into(), oracle: oracle(variant), count: 40, games: 30, seed, threads };
        draw(&request, &|| {})
    }

    #[test]
    fn lists_take_turns() {
        assert_eq!(in_turn(vec![vec![1, 2, 3], vec![], vec![4], vec![5, 6]]), [1, 4, 5, 2, 6, 3]);
        assert!(in_turn::<u8>(vec![]).is_empty());
    }

    #[test]
    fn what_is_drawn_depends_on_the_seed_alone() {
        for variant in [Variant::Morris, Variant::Lasker] {
            let set = drawn(variant, 1, 1).expect("positions");
            assert_eq!(drawn(variant, 2, 1).expect("positions"), set);
            assert_ne!(drawn(variant, 2, 2).expect("positions"), set);
            assert_eq!(set.to_string().parse::<Set>().expect("a set"), set);
        }
    }

    #[test]
    fn the_moves_that_keep_the_value_are_named() {
        for variant in [Variant::Morris, Variant::Lasker] {
            let set = drawn(variant, 2, 3).expect("positions");
            let mut start = AnyGame::new(variant.rules());
            start.set_oracle(Some(&oracle(variant)));
            let mut keys = HashSet::new();
            for position in &set.positions {
                let mut game = start.at(Some(&position.fen), []).expect("a position");
                assert!(keys.insert(game.symmetric_key()), "{}", position.fen);
                assert_eq!(game.known().map(|known| known.verdict()), Some(position.value), "{}", position.fen);
                let all = game.moves();
                let mut keeps = |mv: &str| {
                    game.push(mv).expect("legal");
                    let after = game.known().map(|known| known.before().verdict());
                    game.undo();
                    after == Some(position.value)
                };
                let good: std::collections::BTreeSet<String> = all.iter().filter(|mv| keeps(mv)).cloned().collect();
                assert_eq!(good, position.good, "{}", position.fen);
                assert!(good.len() < all.len());
            }
        }
    }

    #[test]
    fn tables_that_know_nothing_are_reported() {
        let none = Draw { games: 0, ..request_of(Variant::Morris) };
        let error = draw(&none, &|| {}).expect_err("no games").to_string();
        assert!(error.starts_with("0 games of morris have no position"), "{error}");
        let other = Draw { oracle: oracle(Variant::Smess), ..request_of(Variant::Morris) };
        let error = draw(&other, &|| {}).expect_err("of another family").to_string();
        assert!(error.starts_with("the tables know nothing of morris"), "{error}");
    }

    fn request_of(variant: Variant) -> Draw {
        Draw { rules: variant.into(), oracle: oracle(variant), count: 1, games: 1, seed: 1, threads: 1 }
    }
}
