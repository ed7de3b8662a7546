//! A whole search, in three steps. It is settled where the position or an oracle gives the result, proved where a
//! search into the tablebases can, and deepened otherwise.

use super::budget::{Budget, budget};
use super::hash::{Bound, HashTable};
use super::pool::Pool;
use super::report::{Found, Info, Line};
use super::request::Request;
use super::root::known::{Judge, Judged, occurrences};
use super::root::orbits::Orbits;
use super::root::proof::is_provable;
use super::root::reporter::Reporter;
use super::root::root_move::{Finished, RootMove, in_static_order};
use super::score::{DRAW, mate_in};
use super::tree::busy::Busy;
use super::tree::reductions::reductions;
use super::tree::worker::{Shared, Team, ThreadCounts, Worker};
use super::tunables;
use crate::game::value::Oracle;
use crate::game::{Move, Searchable, Side, Verdict};
use crate::play::Play;
use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::time::Duration;

/// The evaluation from which a side is ahead and avoids positions that have already occurred: one stone.
const AHEAD: i32 = 100;
/// The longest wait for a slow oracle.
const PATIENCE: Duration = Duration::from_secs(2);

/// Searches the current position of a game and reports progress. Returns when a limit is reached or the search is
/// stopped; an infinite or pondering search only when stopped or released.
///
/// If an oracle knows all positions that the moves lead to, a win or loss is not searched at all. In a draw only the
/// drawing moves that leave the opponent the fewest drawing replies are considered. They are searched if one of them
/// makes no progress.
///
/// ```
/// use millbrain_core::game::Notation;
/// use millbrain_core::play::Play;
/// use millbrain_core::search::{Control, HashTable, Info, Limits, Request, score, search};
/// use millbrain_core::smess::{Rules, Smess};
/// use std::sync::Arc;
///
/// let play = Play::new(Smess::new(Rules::default()));
/// let limits = Limits { depth: Some(5), ..Limits::default() };
/// let hash = Arc::new(HashTable::new(1).expect("1 MiB"));
/// let control = Arc::new(Control::new(false));
/// let mut depths = Vec::new();
/// let found = search(&play, None, &Request::plain(&limits, &hash, &control), &mut |info| {
///     if let Info::Line(line) = info {
///         depths.push(line.depth);
///     }
/// });
/// assert_eq!(depths, [1, 2, 3, 4, 5]);
/// let best = found.best.expect("the game is not over");
/// assert!(play.find_move(&play.game.move_text(best)).is_ok());
/// assert_eq!(score::mate_moves(found.score), None, "nobody wins yet");
/// ```
pub fn search<G: Searchable>(
    play: &Play<G>,
    oracle: Option<&Arc<dyn Oracle<G::Position>>>,
    request: &Request<'_>,
    report: &mut dyn FnMut(&Info<'_>),
) -> Found {
    let mut reply = None;
    let found = find(play, oracle, request, &mut |info| {
        if let Info::Line(line) = info
            && line.multipv == 1
        {
            reply = line.pv.get(1).copied();
        }
        report(info);
    });
    Found { ponder: reply, ..found }
}

/// Runs the search itself. The expected reply is that of the last line reported.
fn find<G: Searchable>(
    play: &Play<G>,
    oracle: Option<&Arc<dyn Oracle<G::Position>>>,
    request: &Request<'_>,
    report: &mut dyn FnMut(&Info<'_>),
) -> Found {
    let asked = oracle.and_then(|oracle| oracle.ask(play.position(), &|| has_time_to_ask(play.side(), request)));
    let known = asked.as_deref().or_else(|| oracle.map(|oracle| &**oracle));
    let (mut moves, draw) = match settle(play, known, request, report) {
        Settled::Found(found) => return found,
        Settled::Open { moves, draw } => (moves, draw),
    };
    if let Some(oracle) = oracle {
        let after = |root: &RootMove| play.game.play(play.position(), root.mv);
        if oracle.knows_wins() {
            keep_if(|root| !oracle.is_won(&after(root)), request.multipv, &mut moves);
        }
        // A side that has better than the strategy does not follow it.
        if !oracle.is_won(play.position()) {
            keep_if(|root| oracle.is_held(&after(root)), request.multipv, &mut moves);
        }
    }
    let is_draw = draw.is_some();
    let orbits = Orbits::fold(play, &mut moves);
    let mut report = |info: &Info<'_>| {
        let Info::Line(line) = info else { return report(info) };
        let line = draw.as_ref().map_or_else(|| line.clone(), |judge| drawn(line, judge));
        let images = orbits.images(&line.pv).collect::<Vec<_>>();
        let numbers = line.multipv + 1..=request.multipv;
        report(&Info::Line(line.clone()));
        for (multipv, pv) in numbers.zip(images) {
            report(&Info::Line(Line { multipv, pv, ..line.clone() }));
        }
    };

    request.hash.age();
    let alone;
    let pool = match request.pool {
        Some(pool) => pool,
        None => {
            alone = Pool::single();
            &alone
        }
    };
    let team = team(play, oracle, request, pool.threads());
    let report: RefCell<&mut dyn FnMut(&Info<'_>)> = RefCell::new(&mut report);
    let forced = moves.len() == 1 && request.searchmoves.is_empty();
    let mut reporter = Reporter::new(&team.shared, &report, forced);
    let moves = match prove(&team, pool, request, moves, is_draw, &mut reporter) {
        Attempt::Proved(found) => return found,
        Attempt::Open(moves) => moves,
    };
    let mut found = deepen(&team, pool, &moves, &mut reporter);
    if is_draw {
        found.score = DRAW;
    }
    found
}

/// Returns whether a slow oracle may still be waited for: a quarter of the time for the move at most.
fn has_time_to_ask(side: Side, request: &Request<'_>) -> bool {
    let maximum = budget(request.limits, side, request.overhead).maximum;
    let patience = maximum.map_or(PATIENCE, |maximum| PATIENCE.min(maximum / 4));
    !request.control.stopped() && request.control.elapsed() < patience
}

/// Returns a line of the search as reported where the judge knows that the position is a draw.
fn drawn<G: Searchable>(line: &Line, judge: &Judge<'_, G>) -> Line {
    let pv = judge.drawing_part(&line.pv).to_vec();
    let tablebase_hits = line.tablebase_hits + judge.hits();
    Line { score: DRAW, bound: Bound::Exact, pv, tablebase_hits, ..line.clone() }
}

/// The result of the first step.
enum Settled<'a, G: Searchable> {
    /// The result without a search.
    Found(Found),
    /// The moves to search, in this order.
    Open {
        moves: Vec<RootMove>,
        /// The judge that knows that the position is a draw, and so is each of the moves.
        draw: Option<Judge<'a, G>>,
    },
}

/// Settles positions that need no search: finished games and those that an oracle knows.
fn settle<'a, G: Searchable>(
    play: &'a Play<G>,
    oracle: Option<&'a dyn Oracle<G::Position>>,
    request: &Request<'_>,
    report: &mut dyn FnMut(&Info<'_>),
) -> Settled<'a, G> {
    let (game, pos) = (play.game, play.position());
    let mut moves = root_moves(play, request.searchmoves);
    if moves.is_empty() {
        let found = finished(play, request, report);
        request.control.wait_until_released(!request.limits.is_bounded());
        return Settled::Found(found);
    }
    in_static_order(&mut moves);
    let Some(oracle) = oracle else { return Settled::Open { moves, draw: None } };
    let all: Vec<Move> = moves.iter().map(|root| root.mv).collect();
    let judge = Judge::new(play, oracle, request.style);
    let mut judged = judge.judge(pos, &all).unwrap_or_default();
    if request.searches_doubtful {
        judged.truncate(judged.iter().take_while(|judged| !judged.is_doubtful()).count());
    }
    if judged.is_empty() {
        if let Some(best) = judge.best_verdicts(pos, &all) {
            moves.retain(|root| best.contains(&root.mv));
        }
        return Settled::Open { moves, draw: None };
    }
    moves.retain(|root| judged.iter().any(|known| known.mv == root.mv && known.equals(&judged[0])));
    // The search probes the tables just after progress: it can distinguish only other moves.
    let is_open = |root: &RootMove| game.plies_without_progress(&game.play(pos, root.mv)) > 0;
    if judged[0].is_draw() && request.multipv <= 1 && moves.iter().any(is_open) {
        return Settled::Open { moves, draw: Some(judge) };
    }
    Settled::Found(reported(&judge, &judged, request, report))
}

/// Drops the other moves, if there are enough of these to be reported.
fn keep_if(keep: impl Fn(&RootMove) -> bool, multipv: usize, moves: &mut Vec<RootMove>) {
    let kept = moves.iter().filter(|root| keep(root)).count();
    if (multipv.max(1)..moves.len()).contains(&kept) {
        moves.retain(keep);
    }
}

/// Returns the moves to choose from.
pub(super) fn root_moves<G: Searchable>(play: &Play<G>, searchmoves: &[Move]) -> Vec<RootMove> {
    let (game, pos) = (play.game, play.position());
    let ahead = game.draw_rules().repetition && game.evaluate(pos) >= AHEAD;
    let returns = |mv| ahead && !game.is_irreversible(pos, mv) && occurrences(play, &game.play(pos, mv)) > 0;
    let hints = game.hints(pos);
    let root = |mv| RootMove { order: game.order(pos, &hints, mv), ..RootMove::new(mv, returns(mv)) };
    let mut moves: Vec<RootMove> = game.moves(pos).into_iter().map(root).collect();
    if !searchmoves.is_empty() {
        moves.retain(|root| searchmoves.contains(&root.mv));
    }
    moves
}

/// Returns the result where there is nothing to search: a finished game.
fn finished<G: Searchable>(play: &Play<G>, request: &Request<'_>, report: &mut dyn FnMut(&Info<'_>)) -> Found {
    let score = match play.game.ending(play.position()) {
        // Mate in 0 is the loser's; the winner's nearest distance is 1.
        Some(ending) if ending.verdict == Verdict::Win => mate_in(1),
        Some(ending) => Worker::<G>::ending_score(ending, 0),
        None => DRAW,
    };
    report(&Info::Line(Line::unsearched(score, Vec::new(), request.hash, request.control)));
    Found { score, ..Found::default() }
}

/// Returns the result where an oracle has judged all moves: nothing is searched.
fn reported<G: Searchable>(
    judge: &Judge<'_, G>,
    judged: &[Judged],
    request: &Request<'_>,
    report: &mut dyn FnMut(&Info<'_>),
) -> Found {
    let lines: Vec<Vec<Move>> = judged.iter().take(request.multipv.max(1)).map(|judged| judge.line(judged)).collect();
    for (i, (judged, pv)) in judged.iter().zip(&lines).enumerate() {
        report(&Info::Line(Line {
            depth: judged.plies(),
            seldepth: judged.plies() as usize,
            multipv: i + 1,
            tablebase_hits: judge.hits(),
            ..Line::unsearched(judged.score(), pv.clone(), request.hash, request.control)
        }));
    }
    request.control.wait_until_released(!request.limits.is_bounded());
    let best = &judged[0];
    Found { best: Some(best.mv), ponder: None, score: best.score(), depth: best.plies(), nodes: 0 }
}

/// Creates the shared state of a search's threads.
pub(super) fn team<G: Searchable>(
    play: &Play<G>,
    oracle: Option<&Arc<dyn Oracle<G::Position>>>,
    request: &Request<'_>,
    threads: usize,
) -> Arc<Team<G>> {
    let shared = Shared {
        hash: Arc::clone(request.hash),
        control: Arc::clone(request.control),
        limits: request.limits.clone(),
        budget: budget(request.limits, play.side(), request.overhead),
        busy: Busy::new(threads),
        nodes_left: AtomicU64::new(request.limits.nodes.unwrap_or(u64::MAX)),
        counts: (0..threads).map(|_| ThreadCounts::default()).collect(),
        done: AtomicBool::new(false),
        finished: Finished::default(),
        searches_doubtful: request.searches_doubtful,
    };
    let Budget { optimum, maximum } = shared.budget;
    log::debug!("time for this move: optimum {optimum:?}, maximum {maximum:?}");
    Arc::new(Team {
        play: play.clone(),
        oracle: oracle.cloned(),
        shared,
        reductions: reductions(),
        multipv: request.multipv.max(1),
    })
}

/// The result of the second step.
enum Attempt {
    Proved(Found),
    /// The root moves, better ordered if a proof has been tried.
    Open(Vec<RootMove>),
}

/// Tries to prove the value, if the search has no limit and the tablebases are near. A proof is about the position, not
/// about some of its moves.
fn prove<G: Searchable>(
    team: &Arc<Team<G>>,
    pool: &Pool,
    request: &Request<'_>,
    moves: Vec<RootMove>,
    is_draw: bool,
    reporter: &mut Reporter<'_, '_>,
) -> Attempt {
    let wanted = !request.limits.is_bounded() && request.searchmoves.is_empty() && !is_draw;
    let provable = |oracle: &&Arc<_>| wanted && is_provable(&team.play.game, &***oracle, team.play.position());
    let Some(oracle) = team.oracle.as_ref().filter(provable) else { return Attempt::Open(moves) };
    reporter.pause = Some(tunables::proof_depth());
    let moves = team.deepen(pool, &moves, reporter);
    reporter.pause = None;
    team.begin_again(pool);
    if !request.control.stopped() {
        (reporter.report.borrow_mut())(&Info::Note("trying to prove the value by a search into the tablebases"));
        if let Some(proved) = team.prove(pool, oracle) {
            let found = reporter.tell_proof(proved, &moves);
            request.control.wait_until_released(true);
            return Attempt::Proved(found);
        }
        team.begin_again(pool);
    }
    Attempt::Open(moves)
}

/// Runs the third step: deepens until a limit is reached.
fn deepen<G: Searchable>(
    team: &Arc<Team<G>>,
    pool: &Pool,
    moves: &[RootMove],
    reporter: &mut Reporter<'_, '_>,
) -> Found {
    let play = &team.play;
    let ranking = team.deepen(pool, moves, reporter);
    let best = &ranking[0];
    let (score, bound) = best.known.unwrap_or((play.game.evaluate(play.position()), Bound::Exact));
    // An iteration cut short by the stop is reported if the best move is not the one last reported.
    if best.mv != reporter.best {
        let depth = if best.known.is_some() { reporter.completed + 1 } else { reporter.completed };
        let mut best = best.clone();
        if best.pv.len() == 1 {
            best.pv.extend(expected_reply(play, best.mv, &team.shared.hash));
        }
        reporter.report(depth, 1, &best, score, bound);
    }
    Found { best: Some(best.mv), ponder: None, score, depth: reporter.completed, nodes: team.shared.nodes() }
}

/// Returns the hash move after the best move, if it is legal and the game continues.
fn expected_reply<G: Searchable>(play: &Play<G>, best: Move, hash: &HashTable) -> Option<Move> {
    let mut next = play.clone();
    next.push(best);
    let (game, pos) = (play.game, next.position());
    let (key, symmetry) = game.hash_key(pos);
    let reply = game.unmap_move(hash.probe(key)?.mv, symmetry);
    (next.ending().is_none() && game.is_legal(pos, reply)).then_some(reply)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Game, Notation};
    use crate::morris::{FLYING, Morris, rules};
    use crate::search::{Control, Limits};
    use std::time::Duration;

    fn returning(moves: &[&str], rules: crate::morris::Rules, fen: &str) -> Vec<String> {
        let game = Morris::<FLYING>::new(rules);
        let play = Play::set_up(game, Some(fen), moves.iter().copied()).expect("legal moves");
        let roots = root_moves(&play, &[]);
        assert_eq!(roots.len(), game.moves(play.position()).len());
        roots.iter().filter(|root| root.returns).map(|root| game.move_text(root.mv)).collect()
    }

    /// Moves back to a position of the game are marked for the side that is ahead.
    #[test]
    fn moves_back_are_marked_when_ahead() {
        let ahead = "O1O/O1O/O1O/1OO1O1/3/X1X/X1X w 0 0 0 1";
        let circle = ["a7d7", "a1d1", "d7a7", "d1a1"];
        assert_eq!(returning(&circle[..0], rules::MORRIS, ahead), [""; 0]);
        assert_eq!(
            returning(&circle[..2], rules::MORRIS, ahead),
            [""; 0],
            "black is to move in the position at the start"
        );
        assert_eq!(returning(&circle, rules::MORRIS, ahead), ["a7d7"]);
        assert_eq!(returning(&circle[..3], rules::MORRIS, ahead), [""; 0], "who is behind may go back");
        let without = crate::morris::Rules { repetition_draw: false, ..rules::MORRIS };
        assert_eq!(returning(&circle, without, ahead), [""; 0], "no repetition, no harm");
    }

    /// Returns the depths reported in a search with an hour on the clock or without a clock.
    fn depths_reported(fen: &str, searchmoves: &[&str], has_clock: bool, depth: u32) -> Vec<i32> {
        let game = Morris::<FLYING>::new(rules::MORRIS);
        let play = Play::set_up(game, Some(fen), []).expect("a position");
        let searchmoves: Vec<Move> = searchmoves.iter().map(|text| play.find_move(text).expect("legal")).collect();
        let hour = Duration::from_secs(3600);
        let limits = Limits { time: [has_clock.then_some(hour); 2], depth: Some(depth), ..Limits::default() };
        let (hash, control) = (Arc::new(HashTable::new(1).expect("a MiB")), Arc::new(Control::new(false)));
        let mut depths = Vec::new();
        let request = Request { searchmoves: &searchmoves, ..Request::plain(&limits, &hash, &control) };
        search(&play, None, &request, &mut |info| {
            if let Info::Line(line) = info {
                depths.push(line.depth);
            }
        });
        depths
    }

    /// The only move is searched only on request, or if it costs no time.
    #[test]
    fn the_only_move_takes_no_time() {
        let forced = "OOO/1X1/3/OX3X/2X/3/3 w 0 0";
        let choice = "OOO/1X1/3/OX1X2/2X/3/3 w 0 0";
        assert_eq!(depths_reported(forced, &[], true, 3), [1]);
        assert_eq!(depths_reported(forced, &[], false, 3), [1, 2, 3]);
        assert_eq!(depths_reported(forced, &["a4a1"], true, 3), [1, 2, 3]);
        assert_eq!(depths_reported(choice, &[], true, 3), [1, 2, 3]);
    }

    /// A mate is searched a little deeper, in case there is a shorter one, but not for an hour.
    #[test]
    fn a_mate_ends_a_search_on_the_clock() {
        let mate_in_1 = "OO1/3/3/O1X3/1XX/3/3 w 0 0";
        assert_eq!(depths_reported(mate_in_1, &[], true, 9).last(), Some(&5));
        assert_eq!(depths_reported(mate_in_1, &[], false, 9).last(), Some(&9));
    }
}
