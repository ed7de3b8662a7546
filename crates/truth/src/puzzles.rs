//! Puzzles: positions in which only one move preserves a win or a draw.

use super::hash_tables::HashTables;
use super::measure::MeasureError;
use super::set::{Position, Set};
use millbrain_analysis::annotate::{material, takes};
use millbrain_core::any::{AnyGame, AnyOracle};
use millbrain_core::game::value::{Category, Known};
use millbrain_core::game::{Reason, Verdict};
use millbrain_core::search::{Control, HashTable, Limits, Request};
use millbrain_core::threads::pool;
use millbrain_tablebase::probe::probe_moves;
use rayon::prelude::*;
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The least number of legal moves: with fewer there is little to find.
const LEAST_MOVES: usize = 4;
/// The most moves of a solution, the replies included.
const LONGEST: usize = 11;
/// Returns the searches that try a puzzle, from weak to strong, by depth or nodes; the number that fail is its
/// difficulty.
fn solvers() -> [Limits; 8] {
    let depth = |plies| Limits { depth: Some(plies), ..Limits::default() };
    let nodes = |count| Limits { nodes: Some(count), ..Limits::default() };
    [depth(1), depth(2), depth(3), depth(4), depth(6), nodes(3_000), nodes(30_000), nodes(200_000)]
}

/// A puzzle. As JSON its fields have these names.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Puzzle {
    /// The variant.
    pub variant: &'static str,
    /// House rules; empty for none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub rules: String,
    /// The position.
    pub fen: String,
    /// The value that one move preserves: `win` or `draw`.
    pub goal: &'static str,
    /// Plies to the end of a win, if the distance is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plies: Option<u32>,
    /// The move, and the continuation as long as only one move is right; the replies resist longest.
    pub solution: Vec<String>,
    /// The number of eight searches, from one ply to 200,000 nodes, that choose another move.
    pub difficulty: usize,
    /// The themes of the solution:
    ///
    /// - `take`
    /// - `block`: the opponent would take next
    /// - `threats`: two ways to take next
    /// - `sacrifice`: the opponent may take
    /// - `lock`: the opponent is left without a move
    /// - the phase
    pub themes: Vec<&'static str>,
}

/// Makes puzzles of the positions of a set that have one good move, at most `count`. Each difficulty and goal
/// contributes equally, as far as possible, and the easy ones come first. `progress` is called for every position
/// checked.
///
/// # Errors
/// Fails if there is no memory, or threads cannot be started.
pub fn puzzles(
    set: &Set,
    oracle: &AnyOracle,
    count: usize,
    threads: usize,
    progress: &(dyn Fn() + Sync),
) -> Result<Vec<Puzzle>, MeasureError> {
    let pool = pool(threads)?;
    let hash_tables = HashTables::new(threads, 4)?;
    let mut start = AnyGame::new(set.rules.rules);
    start.set_oracle(Some(oracle));
    let look = |position: &Position| {
        let found = hash_tables.lend(|hash| puzzle(set, &start, position, hash));
        progress();
        found
    };
    let found: Vec<_> = pool.install(|| set.positions.par_iter().with_max_len(1).map(look).collect());
    let mut kinds: BTreeMap<(usize, &str), Vec<Puzzle>> = BTreeMap::new();
    for puzzle in found.into_iter().flatten() {
        kinds.entry((puzzle.difficulty, puzzle.goal)).or_default().push(puzzle);
    }
    let mut chosen = super::draw::in_turn(kinds.into_values().collect());
    chosen.truncate(count);
    chosen.sort_by_key(|puzzle| puzzle.difficulty);
    Ok(chosen)
}

fn puzzle(set: &Set, start: &AnyGame, position: &Position, hash: &Arc<HashTable>) -> Option<Puzzle> {
    let game = start.at(Some(&position.fen), []).ok()?;
    let [only] = position.good.iter().collect::<Vec<_>>()[..] else { return None };
    // Values of positions ignore the draw counter.
    if game.moves().len() < LEAST_MOVES || right_move(&game, position.value).as_ref() != Some(only) {
        return None;
    }
    let alone = game.clone().without_oracle();
    let fails = |limits: &Limits| {
        hash.clear();
        let control = Arc::new(Control::new(false));
        alone.search(&Request::plain(limits, hash, &control), &mut |_| {}).best.as_ref() != Some(only)
    };
    Some(Puzzle {
        variant: set.rules.variant.name(),
        rules: set.rules.list(),
        fen: position.fen.clone(),
        goal: if position.value == Verdict::Win { "win" } else { "draw" },
        plies: game.known().and_then(Known::plies),
        solution: solution(&game, position.value),
        difficulty: solvers().iter().filter(|limits| fails(limits)).count(),
        themes: themes(&game, only),
    })
}

/// Returns the only move that preserves a value with the draw counter where it is, or `None` if there are others, or
/// might be.
fn right_move(game: &AnyGame, value: Verdict) -> Option<String> {
    let moves = probe_moves(&mut game.clone());
    let mut good = moves.iter().filter(|probed| match (value, probed.category) {
        (_, None) => true,
        // A draw that the counter makes of a loss is as good.
        (Verdict::Draw, Some(category)) => category.verdict() != Some(Verdict::Loss),
        (_, Some(category)) => matches!(category, Category::Win | Category::MaybeWin),
    });
    let (Some(only), None) = (good.next(), good.next()) else { return None };
    (only.category?.verdict() == Some(value)).then(|| only.text.clone())
}

/// Returns the right moves as long as there is only one, and the replies between them.
fn solution(game: &AnyGame, value: Verdict) -> Vec<String> {
    let mut game = game.clone();
    let mut line = Vec::new();
    while line.len() < LONGEST && game.ending().is_none() {
        let Some(only) = right_move(&game, value) else { break };
        // Legal: it is one of the moves.
        let _ = game.push(&only);
        line.push(only);
        let replies = probe_moves(&mut game);
        let Some(reply) = replies.iter().max_by_key(|probed| (probed.value.map(Known::rank), Reverse(&probed.text)))
        else {
            break;
        };
        line.push(reply.text.clone());
        let _ = game.push(&reply.text);
    }
    // It ends with a move of the solver.
    if line.len() % 2 == 0 {
        line.pop();
    }
    line
}

/// Returns the same position with the other side to move, if there is such a position.
fn passed(game: &AnyGame) -> Option<AnyGame> {
    let fen = game.fen();
    let mut words: Vec<&str> = fen.split(' ').collect();
    let side = words.get_mut(1)?;
    *side = if *side == "w" { "b" } else { "w" };
    game.at(Some(&words.join(" ")), []).ok()
}

fn themes(game: &AnyGame, only: &str) -> Vec<&'static str> {
    let mut after = game.clone();
    // Legal: it is one of the moves.
    let _ = after.push(only);
    let is_take = material(&*after) < material(&**game);
    let threatened = passed(game).is_some_and(|game| takes(&*game).next().is_some());
    let may_take = takes(&*after).next().is_some();
    let targets = |game: &AnyGame| {
        let to = takes(&**game).filter_map(|mv| game.parts_of(&mv).ok()).map(|parts| parts.to);
        to.collect::<BTreeSet<_>>().len()
    };
    let has = [
        ("take", is_take),
        ("block", threatened && !may_take && !is_take),
        ("threats", passed(&after).is_some_and(|game| targets(&game) > 1)),
        ("sacrifice", may_take && !is_take),
        ("lock", after.ending().is_some_and(|ending| ending.reason == Reason::NoMoves)),
    ];
    has.into_iter().filter(|(_, holds)| *holds).map(|(name, _)| name).chain([game.phase()]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::{Draw, draw};
    use millbrain_core::variant::Variant;
    use millbrain_tablebase::probe::category;
    use millbrain_tablebase::{Sources, open};

    fn made(variant: Variant, threads: usize) -> Vec<Puzzle> {
        let oracle = open(&variant.rules(), &Sources::default()).oracle.expect("tables of the program");
        let request = Draw { rules: variant.into(), oracle: oracle.clone(), count: 60, games: 200, seed: 2, threads };
        let set = draw(&request, &|| {}).expect("positions");
        puzzles(&set, &oracle, 12, threads, &|| {}).expect("made")
    }

    #[test]
    fn the_first_move_alone_is_right() {
        // Without tables with its counter of 20 plies little is proved by the rules of `muehle`.
        for (variant, least) in [(Variant::Morris, 3), (Variant::Muehle, 1)] {
            let made = made(variant, 2);
            assert!(made.len() >= least, "{made:?}");
            check(variant, &made);
        }
    }

    /// Checks all moves of the solutions by the values with the draw counter.
    fn check(variant: Variant, made: &[Puzzle]) {
        assert!(made.is_sorted_by_key(|puzzle| puzzle.difficulty), "{made:?}");
        let oracle = open(&variant.rules(), &Sources::default()).oracle;
        let mut start = AnyGame::new(variant.rules());
        start.set_oracle(oracle.as_ref());
        let limit = u32::from(start.draw_rules().progress_limit);
        for puzzle in made {
            assert!(puzzle.plies.is_none_or(|plies| plies <= limit), "{puzzle:?}");
            let mut game = start.at(Some(&puzzle.fen), []).expect("a position");
            for (i, mv) in puzzle.solution.iter().enumerate() {
                let value = category(&game).and_then(Category::verdict).expect("settled");
                let keeps = |mv: &String| {
                    let mut after = game.clone();
                    after.push(mv).expect("legal");
                    match after.category().expect("known").before() {
                        Category::MaybeWin => value != Verdict::Loss,
                        Category::MaybeLoss => value != Verdict::Win,
                        after => after.verdict() == Some(value),
                    }
                };
                let good: Vec<_> = game.moves().into_iter().filter(keeps).collect();
                assert!(good.contains(mv), "{puzzle:?}");
                if i % 2 == 0 {
                    assert_eq!(&good[..], std::slice::from_ref(mv), "{puzzle:?}");
                    assert_eq!(value, if puzzle.goal == "win" { Verdict::Win } else { Verdict::Draw });
                }
                game.push(mv).expect("legal");
            }
            assert!(puzzle.solution.len() % 2 == 1 && puzzle.difficulty <= 8);
        }
    }

    #[test]
    fn threads_change_nothing() {
        assert_eq!(made(Variant::Morris, 1), made(Variant::Morris, 3));
    }

    #[test]
    fn themes_are_what_happens() {
        let themes = |fen: &str, mv: &str| {
            let game = AnyGame::new(Variant::Morris.rules()).at(Some(fen), []).expect("a position");
            themes(&game, mv)
        };
        assert_eq!(themes("OO1/3/3/6/3/X1X/1X1 w 6 6", "g7xb2"), ["take", "placing"]);
        assert_eq!(themes("XX1/3/3/6/3/O1O/3 w 7 7", "g7"), ["block", "placing"]);
        assert_eq!(themes("O2/3/3/2X3/3/1X1/2O w 7 7", "g7"), ["threats", "placing"]);
        assert_eq!(themes("XX1/3/3/6/3/O2/3 w 8 7", "b4"), ["sacrifice", "placing"]);
    }
}
