//! Puzzles: positions in which only one move preserves a win or a draw, for a reason that can be seen.

use super::draw::{Draw, DrawError, draw_suiting, in_turn};
use super::hash_tables::HashTables;
use super::measure::MeasureError;
use super::set::{Position, Set};
use millbrain_analysis::annotate::{Fact, Kind, material, takes};
use millbrain_core::any::{AnyGame, AnyOracle};
use millbrain_core::game::value::{Category, Known};
use millbrain_core::game::{Reason, Verdict};
use millbrain_core::search::strength::handicap;
use millbrain_core::search::{Control, HashTable, Limits, Request, Weakness};
use millbrain_core::threads::pool;
use millbrain_tablebase::probe::{ProbedMove, probe_moves};
use rayon::prelude::*;
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The least number of legal moves: with fewer there is little to find.
const LEAST_MOVES: usize = 4;
/// The most plies of a win.
const LONGEST_WIN: u32 = 11;
/// The most plies of a win of which the solution must reach the end.
const SHORT_WIN: u32 = 5;
/// The most plies of the solution of a draw.
const LONGEST_DRAW: usize = 5;
/// The levels that try a puzzle, from 0, and the tries of each.
const LEVELS: u32 = 13;
const TRIES: usize = 5;
/// The most other moves that are compared with the right one for the themes, and the most that are listed.
const COMPARED: usize = 8;
const LISTED: usize = 4;
/// The number of positions that are tried for each puzzle.
const TRIED: usize = 10;
/// The themes in which the opponent threatens something.
const THREATS: [&str; 5] = ["block", "guard", "brain", "escape", "prevent"];

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
    /// Plies to the end of a win.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plies: Option<u32>,
    /// The moves to find and the replies between them, which hold out longest. Each move is the only right one; only
    /// the last move of a win may be one of several that end the game.
    pub solution: Vec<String>,
    /// The moves after the solution to the end of a win.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rest: Vec<String>,
    /// The wrong moves that the levels choose most often, with the best replies.
    pub wrong: BTreeMap<String, String>,
    /// The number of levels from 0 to 12 that fail in most of five tries.
    pub difficulty: usize,
    /// The themes. Facts prove them for most of the other moves:
    ///
    /// - `mill`, `take`, `promotion`, `gain`: the move does that, `gain` within a few moves
    /// - `double-mill`, `fork`: it threatens two mills
    /// - `block`, `guard`, `brain`, `escape`, `prevent`: it stops a mill, a loss of material, the capture of the Brain,
    ///   a lock, two threats
    ///
    /// and the rules prove these:
    ///
    /// - `sacrifice`: the opponent may take after the move
    /// - `lock`: it leaves the opponent without a move
    /// - the phase
    pub themes: Vec<&'static str>,
}

/// Draws positions that may be puzzles: one move preserves the value, and a win is short. `request.count` is the number
/// of puzzles to make of them. `progress` is called for every game played.
///
/// # Errors
/// Fails if there is no memory, threads cannot be started, or the tables know nothing of these games.
pub fn draw_for_puzzles(request: &Draw, progress: &(dyn Fn() + Sync)) -> Result<Set, DrawError> {
    let request = Draw { count: request.count.saturating_mul(TRIED), oracle: request.oracle.clone(), ..*request };
    draw_suiting(&request, &is_suitable, progress)
}

/// Makes puzzles of the positions of a set that are suitable, at most `count`. Each difficulty and goal contributes
/// equally, as far as possible, and the easy ones come first. `progress` is called for every position checked.
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
    let hash_tables = HashTables::new(threads, 1)?;
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
    let mut chosen = in_turn(kinds.into_values().collect());
    chosen.truncate(count);
    chosen.sort_by_key(|puzzle| puzzle.difficulty);
    Ok(chosen)
}

/// Returns whether a position has one good move and others enough, and a win is short. Only a lock may win at once: a
/// capture that does is no puzzle.
fn is_suitable(start: &AnyGame, position: &Position) -> bool {
    let Ok(game) = start.at(Some(&position.fen), []) else { return false };
    let [only] = position.good.iter().collect::<Vec<_>>()[..] else { return false };
    let is_short = match (position.value, game.known().and_then(Known::plies)) {
        (Verdict::Win, Some(1)) => is_lock(&after(&game, only)),
        (Verdict::Win, plies) => plies.is_some_and(|plies| plies <= LONGEST_WIN),
        _ => true,
    };
    // Values of positions ignore the draw counter.
    is_short
        && game.moves().len() >= LEAST_MOVES
        && matches!(right_moves(&game, position.value).as_deref(), Some([right]) if right.text == *only)
}

fn puzzle(set: &Set, start: &AnyGame, position: &Position, hash: &Arc<HashTable>) -> Option<Puzzle> {
    if !is_suitable(start, position) {
        return None;
    }
    let game = start.at(Some(&position.fen), []).ok()?;
    let is_won = position.value == Verdict::Win;
    let [solution, rest] = line(&game, position.value);
    let plies = game.known().and_then(Known::plies);
    if !rest.is_empty() && plies.is_some_and(|plies| plies <= SHORT_WIN) {
        return None;
    }
    let themes = themes(&game, solution.first()?);
    let has_point = |theme: &&str| if is_won { *theme != game.phase() } else { THREATS.contains(theme) };
    if !themes.iter().any(has_point) {
        return None;
    }
    let (difficulty, tried) = tries(&game, &solution, hash);
    Some(Puzzle {
        variant: set.rules.variant.name(),
        rules: set.rules.list(),
        fen: position.fen.clone(),
        goal: if is_won { "win" } else { "draw" },
        plies,
        wrong: tried.into_iter().filter_map(|mv| Some((mv.clone(), best_reply(&after(&game, &mv))?))).collect(),
        solution,
        rest,
        difficulty,
        themes,
    })
}

/// Returns the game after a legal move.
fn after(game: &AnyGame, mv: &str) -> AnyGame {
    let mut game = game.clone();
    let _ = game.push(mv);
    game
}

fn is_lock(game: &AnyGame) -> bool {
    game.ending().is_some_and(|ending| ending.reason == Reason::NoMoves)
}

/// Returns the moves that preserve a value with the draw counter where it is, best first, or `None` if others might.
fn right_moves(game: &AnyGame, value: Verdict) -> Option<Vec<ProbedMove>> {
    let right = probe_moves(&mut game.clone()).into_iter().filter(|probed| match (value, probed.category) {
        (_, None) => true,
        // A draw that the counter makes of a loss is as good.
        (Verdict::Draw, Some(category)) => category.verdict() != Some(Verdict::Loss),
        (_, Some(category)) => matches!(category, Category::Win | Category::MaybeWin),
    });
    let right: Vec<_> = right.collect();
    right.iter().all(|probed| probed.category.and_then(Category::verdict) == Some(value)).then_some(right)
}

/// Returns the reply that holds out longest; among equal ones one after which a single move is right.
fn reply(game: &AnyGame, value: Verdict) -> Option<String> {
    let replies = probe_moves(&mut game.clone());
    let rank = |probed: &ProbedMove| probed.value.map(Known::rank);
    let best = replies.iter().map(rank).max()?;
    let mut best: Vec<&ProbedMove> = replies.iter().filter(|probed| rank(probed) == best).collect();
    best.sort_by(|a, b| a.text.cmp(&b.text));
    let leaves_one =
        |probed: &&&ProbedMove| right_moves(&after(game, &probed.text), value).is_some_and(|right| right.len() == 1);
    best.iter().find(leaves_one).or(best.first()).map(|probed| probed.text.clone())
}

/// Returns the best reply to a wrong move, or `None` if the game is over.
fn best_reply(game: &AnyGame) -> Option<String> {
    probe_moves(&mut game.clone()).into_iter().next().map(|best| best.text)
}

/// Returns the solution, and the moves after it to the end of a win.
fn line(game: &AnyGame, value: Verdict) -> [Vec<String>; 2] {
    let mut game = game.clone();
    let (mut solution, mut rest) = (Vec::new(), Vec::new());
    let longest = if value == Verdict::Win { LONGEST_WIN as usize } else { LONGEST_DRAW };
    while solution.len() + rest.len() < longest {
        let moves = probe_moves(&mut game);
        let Some(best) = moves.first() else { break };
        let right = right_moves(&game, value).map_or(0, |right| right.len());
        let is_only = right == 1 || best.value.and_then(Known::plies) == Some(1);
        if value == Verdict::Draw && !is_only {
            break;
        }
        let line = if is_only && rest.is_empty() { &mut solution } else { &mut rest };
        // Legal: they are moves of the game.
        let _ = game.push(&best.text);
        line.push(best.text.clone());
        let Some(reply) = reply(&game, value) else { break };
        let _ = game.push(&reply);
        line.push(reply);
    }
    // A solution ends with a move of the solver.
    if solution.len() % 2 == 0
        && let Some(reply) = solution.pop()
        && value == Verdict::Win
    {
        rest.insert(0, reply);
    }
    [solution, rest]
}

/// Returns the number of levels that fail in most of their tries, and the wrong first moves chosen most often.
fn tries(game: &AnyGame, solution: &[String], hash: &Arc<HashTable>) -> (usize, Vec<String>) {
    let mut positions = vec![game.clone().without_oracle()];
    for (i, mv) in solution.iter().enumerate() {
        positions.push(after(&positions[i], mv));
    }
    let is_end = positions.last().is_some_and(|game| game.ending().is_some());
    let is_right = |i: usize, mv: &str| {
        mv == solution[i] || is_end && i + 1 == solution.len() && after(&positions[i], mv).ending().is_some()
    };
    let (limits, control) = (Limits::default(), Arc::new(Control::new(false)));
    let mut wrong: BTreeMap<String, usize> = BTreeMap::new();
    let mut succeeds = |level: u32, seed: usize| {
        let weakness = handicap(level).map(|handicap| Weakness { handicap, seed: seed as u64 });
        (0..solution.len()).step_by(2).all(|i| {
            let request = Request { weakness, ..Request::plain(&limits, hash, &control) };
            let Some(mv) = positions[i].search(&request, &mut |_| {}).best else { return false };
            let is_right = is_right(i, &mv);
            if i == 0 && !is_right {
                *wrong.entry(mv).or_default() += 1;
            }
            is_right
        })
    };
    let failing = (0..LEVELS).filter(|&level| {
        let solved = (0..TRIES).filter(|&seed| succeeds(level, seed)).count();
        solved * 2 < TRIES
    });
    let difficulty = failing.count();
    let mut wrong: Vec<(String, usize)> = wrong.into_iter().collect();
    wrong.sort_by_key(|(_, count)| Reverse(*count));
    (difficulty, wrong.into_iter().take(LISTED).map(|(mv, _)| mv).collect())
}

/// Returns the theme of a move that is better than another one for this reason.
const fn theme(kind: Kind) -> Option<&'static str> {
    Some(match kind {
        Kind::MissedMill => "mill",
        Kind::MissedTake => "take",
        Kind::MissedPromotion => "promotion",
        Kind::MissedStone | Kind::MissedTwoStones | Kind::MissedMaterial => "gain",
        Kind::MissedDoubleMill => "double-mill",
        Kind::MissedFork => "fork",
        Kind::AllowsMill | Kind::LeavesMill => "block",
        Kind::AllowsTake | Kind::AllowsPromotion | Kind::AllowsWinAtOnce => "guard",
        Kind::AllowsStone | Kind::AllowsTwoStones | Kind::AllowsMaterial => "guard",
        Kind::AllowsBrain => "brain",
        Kind::AllowsLock => "escape",
        Kind::AllowsDoubleMill | Kind::AllowsFork => "prevent",
        _ => return None,
    })
}

fn themes(game: &AnyGame, only: &str) -> Vec<&'static str> {
    let others: Vec<String> = game.moves().into_iter().filter(|mv| mv != only).collect();
    let compared: Vec<&String> = others.iter().step_by(others.len().div_ceil(COMPARED).max(1)).collect();
    let mut proved: BTreeMap<&str, usize> = BTreeMap::new();
    for other in &compared {
        let facts = Fact::all(&**game, other, only, [None, None]);
        let themes: BTreeSet<&str> = facts.iter().filter_map(|fact| theme(fact.kind)).collect();
        for theme in themes {
            *proved.entry(theme).or_default() += 1;
        }
    }
    let reached = after(game, only);
    let is_take = material(&*reached) < material(&**game);
    let has = [("sacrifice", !is_take && takes(&*reached).next().is_some()), ("lock", is_lock(&reached))];
    let proved = proved.into_iter().filter(|(_, count)| count * 2 > compared.len()).map(|(theme, _)| theme);
    proved.chain(has.into_iter().filter(|(_, holds)| *holds).map(|(name, _)| name)).chain([game.phase()]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use millbrain_core::variant::Variant;
    use millbrain_tablebase::probe::category;
    use millbrain_tablebase::{Sources, open};

    fn made(variant: Variant, threads: usize) -> Vec<Puzzle> {
        let oracle = open(&variant.rules(), &Sources::default()).oracle.expect("tables of the program");
        let request = Draw { rules: variant.into(), oracle: oracle.clone(), count: 12, games: 200, seed: 2, threads };
        let set = draw_for_puzzles(&request, &|| {}).expect("positions");
        puzzles(&set, &oracle, 12, threads, &|| {}).expect("made")
    }

    #[test]
    fn one_move_is_right_at_each_step() {
        for (variant, least) in [(Variant::Morris, 3), (Variant::Muehle, 1), (Variant::Mlyn, 1)] {
            let made = made(variant, 2);
            assert!(made.len() >= least, "{made:?}");
            assert!(made.is_sorted_by_key(|puzzle| puzzle.difficulty), "{made:?}");
            made.iter().for_each(|puzzle| check(variant, puzzle));
        }
    }

    /// Checks all moves of a puzzle by the values with the draw counter.
    fn check(variant: Variant, puzzle: &Puzzle) {
        let oracle = open(&variant.rules(), &Sources::default()).oracle;
        let mut start = AnyGame::new(variant.rules());
        start.set_oracle(oracle.as_ref());
        let Puzzle { solution, rest, wrong, .. } = puzzle;
        let is_won = puzzle.goal == "win";
        let wanted = if is_won { Verdict::Win } else { Verdict::Draw };
        let mut game = start.at(Some(&puzzle.fen), []).expect("a position");
        let value = |game: &AnyGame| category(game).and_then(Category::verdict).expect("settled");
        for (mv, reply) in wrong {
            assert_ne!(*mv, solution[0], "{puzzle:?}");
            let after = after(&game, mv);
            assert_ne!(value(&after).opposite(), wanted, "{puzzle:?}");
            assert!(after.moves().contains(reply), "{puzzle:?}");
        }
        for (i, mv) in solution.iter().enumerate().step_by(2) {
            assert_eq!(value(&game), wanted, "{puzzle:?}");
            let keeps = |mv: &String| match after(&game, mv).category().expect("known").before() {
                Category::MaybeWin => true,
                Category::MaybeLoss => !is_won,
                after => after.verdict() == Some(wanted),
            };
            let good: Vec<String> = game.moves().into_iter().filter(keeps).collect();
            let ends = is_won && i + 1 == solution.len() && after(&game, mv).ending().is_some();
            assert!(good.contains(mv) && (good.len() == 1 || ends), "{puzzle:?}");
            game.push(mv).expect("legal");
            if let Some(reply) = solution.get(i + 1) {
                game.push(reply).expect("legal");
            }
        }
        for mv in rest {
            game.push(mv).expect("legal");
        }
        assert_eq!(game.ending().is_some(), is_won, "{puzzle:?}");
        let plies = puzzle.plies.unwrap_or(0);
        assert!(plies <= LONGEST_WIN && (plies == 0) != is_won, "{puzzle:?}");
        assert!(!is_won || plies as usize == solution.len() + rest.len(), "{puzzle:?}");
        assert!(plies > SHORT_WIN || rest.is_empty(), "{puzzle:?}");
        assert!(solution.len() % 2 == 1 && puzzle.difficulty <= LEVELS as usize, "{puzzle:?}");
        assert!(is_won || puzzle.themes.iter().any(|theme| THREATS.contains(theme)), "{puzzle:?}");
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
        assert_eq!(themes("OO1/3/3/6/3/X1X/1X1 w 6 6", "g7xb2"), ["mill", "placing"]);
        assert_eq!(themes("XX1/3/3/6/3/O1O/3 w 7 7", "g7"), ["block", "placing"]);
        assert_eq!(themes("O2/3/3/2X3/3/1X1/2O w 7 7", "g7"), ["fork", "placing"]);
    }
}
