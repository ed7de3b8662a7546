//! A whole search: root moves, threads, time, and the reports of the main thread.

use super::busy::Busy;
use super::clock::{Budget, Limits, budget};
use super::control::Control;
use super::known::{Judge, Judged, occurrences};
use super::node::reductions;
use super::pool::{Pool, Workspace};
use super::proof::{AFTER_DEPTH, Proved, Prover, is_provable};
use super::root::{Finished, Observer, RootMove};
use super::score::{DRAW, TABLE_WIN, is_mate, mate_moves};
use super::table::{Bound, Table};
use super::worker::{Counter, Shared, Team, Worker};
use crate::game::value::Oracle;
use crate::game::{Move, Searchable, Verdict};
use crate::play::Play;
use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Evaluation from which on a side is ahead and avoids positions that have already occurred: one stone.
const AHEAD: i32 = 100;
/// Current moves are reported only after this long.
const CURRENT_MOVE_AFTER: Duration = Duration::from_secs(3);
/// Scores that are only bounds are reported only after this long.
const BOUNDS_AFTER: Duration = Duration::from_secs(1);

/// What to search, with what.
pub struct Request<'a> {
    /// When to end.
    pub limits: &'a Limits,
    /// The transposition table.
    pub table: &'a Arc<Table>,
    /// Stop, ponder, clock.
    pub control: &'a Arc<Control>,
    /// The threads; `None` for the calling one alone.
    pub pool: Option<&'a Pool>,
    /// Variations to find, at least 1.
    pub multipv: usize,
    /// Time lost between the engine and the clock per move.
    pub overhead: Duration,
}

impl<'a> Request<'a> {
    /// One thread, one variation, no time lost: for callers that play on no clock.
    pub const fn plain(limits: &'a Limits, table: &'a Arc<Table>, control: &'a Arc<Control>) -> Request<'a> {
        Request { limits, table, control, pool: None, multipv: 1, overhead: Duration::ZERO }
    }
}

/// One report of the search.
#[derive(Clone, Debug)]
pub enum Info<'a> {
    /// A variation.
    Variation {
        /// Nominal depth in plies.
        depth: i32,
        /// Deepest ply reached.
        seldepth: usize,
        /// Rank of the variation, from 1.
        multipv: usize,
        /// Score from the side to move.
        score: i32,
        /// Whether the score is exact.
        bound: Bound,
        /// Nodes of all threads.
        nodes: u64,
        /// Fill of the table in permille.
        hashfull: u32,
        /// Positions looked up in tablebases by all threads.
        table_hits: u64,
        /// Time since the start of the search.
        time: Duration,
        /// The line.
        pv: &'a [Move],
    },
    /// Something to tell the user.
    Note(&'a str),
    /// The root move being searched.
    CurrentMove {
        /// Nominal depth in plies.
        depth: i32,
        /// The move.
        mv: Move,
        /// Its number, from 1.
        number: usize,
    },
}

impl<'a> Info<'a> {
    /// The same report with an exact score of another kind.
    fn with_score(&self, exact: i32) -> Info<'a> {
        let mut info = self.clone();
        if let Info::Variation { score, bound, .. } = &mut info {
            (*score, *bound) = (exact, Bound::Exact);
        }
        info
    }

    /// The report of a move, or of a finished game, that no search stands behind.
    pub fn unsearched(score: i32, pv: &'a [Move], table: &Table, control: &Control) -> Info<'a> {
        Info::Variation {
            depth: 0,
            seldepth: 0,
            multipv: 1,
            score,
            bound: Bound::Exact,
            nodes: 0,
            hashfull: table.hashfull(),
            table_hits: 0,
            time: control.elapsed(),
            pv,
        }
    }
}

/// The result of a search.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Found {
    /// The best move; `None` where there is no legal move.
    pub best: Option<Move>,
    /// The reply expected.
    pub ponder: Option<Move>,
    /// Score of the best move from the side to move.
    pub score: i32,
    /// Depth of the last completed iteration.
    pub depth: i32,
    /// Nodes of all threads.
    pub nodes: u64,
}

/// The main thread's observer: reports, and decides when to end.
struct Main<'a, 'r> {
    shared: &'a Shared,
    report: &'a RefCell<&'r mut (dyn FnMut(&Info<'_>) + 'r)>,
    /// There is nothing to choose: one legal move, on the clock.
    forced: bool,
    /// The depth after which the search pauses for a proof.
    pause: Option<i32>,
    completed: i32,
    best: Move,
    /// Iterations for which the best move has stayed the same.
    stable: u32,
}

impl Observer for Main<'_, '_> {
    fn variation(&mut self, depth: i32, multipv: usize, root: &RootMove, score: i32, bound: Bound) {
        if bound == Bound::Exact || self.shared.control.elapsed() >= BOUNDS_AFTER {
            self.report(depth, multipv, root, score, bound);
        }
    }

    fn iteration_done(&mut self, depth: i32, moves: &[RootMove]) -> bool {
        self.completed = depth;
        let Some(best) = moves.first() else { return true };
        self.stable = if best.mv == self.best { self.stable + 1 } else { 0 };
        self.best = best.mv;
        if self.pause.is_some_and(|pause| depth >= pause) {
            return true;
        }
        let limits = &self.shared.limits;
        if let Some(wanted) = limits.mate
            && mate_moves(best.score).is_some_and(|moves| moves > 0 && moves as u32 <= wanted)
        {
            return true;
        }
        let Some(optimum) = self.shared.budget.optimum else { return false };
        let Some(elapsed) = self.shared.control.on_clock() else { return false };
        if self.forced || (is_mate(best.score) && depth > 2 * mate_moves(best.score).unwrap_or(0).abs() + 2) {
            return true;
        }
        // The next iteration takes longer than all before it: begin it only well within the optimum, later
        // while the best move keeps changing.
        let patience = [1.5, 1.1, 0.9, 0.75, 0.65][self.stable.min(4) as usize];
        let total: u64 = moves.iter().map(|root| root.nodes).sum();
        let effort = best.nodes as f64 / total.max(1) as f64;
        elapsed.as_secs_f64() >= optimum.as_secs_f64() * patience * (1.35 - 0.7 * effort) * 0.6
    }
}

/// Helpers report to nobody and end when told to.
struct Helper;

impl Observer for Helper {
    fn variation(&mut self, _: i32, _: usize, _: &RootMove, _: i32, _: Bound) {}

    fn iteration_done(&mut self, _: i32, _: &[RootMove]) -> bool {
        false
    }
}

/// The result where there is nothing to search: a finished game.
fn finished<G: Searchable>(play: &Play<G>, request: &Request<'_>, report: &mut dyn FnMut(&Info<'_>)) -> Found {
    let score = match play.game.ending(play.position()) {
        // Mate in 0 is the loser's; the winner's nearest distance is 1.
        Some(ending) if ending.verdict == Verdict::Win => super::score::mate_in(1),
        Some(ending) => Worker::<G>::ending_score(ending, 0),
        None => DRAW,
    };
    report(&Info::unsearched(score, &[], request.table, request.control));
    Found { score, ..Found::default() }
}

/// The result where an oracle has judged all moves: nothing is searched.
fn told<G: Searchable>(
    play: &Play<G>,
    judge: &Judge<'_, G>,
    judged: &[Judged],
    request: &Request<'_>,
    report: &mut dyn FnMut(&Info<'_>),
) -> Found {
    let pos = play.position();
    let lines: Vec<Vec<Move>> =
        judged.iter().take(request.multipv.max(1)).map(|judged| judge.line(pos, judged)).collect();
    for (i, (judged, pv)) in judged.iter().zip(&lines).enumerate() {
        report(&Info::Variation {
            depth: judged.plies(),
            seldepth: judged.plies() as usize,
            multipv: i + 1,
            score: judged.score(),
            bound: Bound::Exact,
            nodes: 0,
            hashfull: request.table.hashfull(),
            table_hits: judge.hits(),
            time: request.control.elapsed(),
            pv,
        });
    }
    request.control.wait_until_released(!request.limits.is_bounded());
    let best = &judged[0];
    Found { best: Some(best.mv), ponder: lines[0].get(1).copied(), score: best.score(), depth: best.plies(), nodes: 0 }
}

/// Searches the current position of a game and reports on the way. Returns when a limit is reached or the
/// search is stopped; an infinite or pondering search only when stopped or released.
///
/// Where an oracle knows all positions that the moves lead to, a win or loss is not searched at all, and in a draw
/// only the drawing moves that leave the opponent the fewest drawing replies are searched.
pub fn search<G: Searchable>(
    play: &Play<G>,
    oracle: Option<&Arc<dyn Oracle<G::Position>>>,
    request: &Request<'_>,
    report: &mut dyn FnMut(&Info<'_>),
) -> Found {
    let game = play.game;
    let pos = play.position();
    let limits = request.limits;
    let ahead = game.draw_rules().repetition && game.evaluate(pos) >= AHEAD;
    let returns = |mv| ahead && !game.is_irreversible(pos, mv) && occurrences(play, &game.play(pos, mv)) > 0;
    let mut root_moves: Vec<RootMove> = game.moves(pos).into_iter().map(|mv| RootMove::new(mv, returns(mv))).collect();
    if !limits.searchmoves.is_empty() {
        root_moves.retain(|root| limits.searchmoves.contains(&root.mv));
    }
    if root_moves.is_empty() {
        let found = finished(play, request, report);
        request.control.wait_until_released(!limits.is_bounded());
        return found;
    }
    let mut known_draw = false;
    if let Some(oracle) = oracle {
        let moves: Vec<Move> = root_moves.iter().map(|root| root.mv).collect();
        let judge = Judge::new(play, &**oracle);
        if let Some(judged) = judge.judge(pos, &moves) {
            if !judged[0].is_draw() || request.multipv > 1 {
                return told(play, &judge, &judged, request, report);
            }
            known_draw = true;
            root_moves.retain(|root| {
                judged.iter().any(|judged_move| judged_move.mv == root.mv && judged_move.equals(&judged[0]))
            });
        } else if let Some(best) = judge.best_verdicts(pos, &moves) {
            root_moves.retain(|root| best.contains(&root.mv));
        }
    }
    let mut report_draw = |info: &Info<'_>| match info {
        Info::Variation { .. } => report(&info.with_score(DRAW)),
        _ => report(info),
    };
    let report: &mut dyn FnMut(&Info<'_>) = if known_draw { &mut report_draw } else { report };
    // Without an iteration to go by, the static order decides.
    let hints = game.hints(pos);
    root_moves.sort_by_key(|root| (root.returns, std::cmp::Reverse(game.order(pos, &hints, root.mv))));

    request.table.age();
    let alone;
    let pool = match request.pool {
        Some(pool) => pool,
        None => {
            alone = Pool::single();
            &alone
        }
    };
    let threads = pool.threads();
    let shared = Shared {
        table: Arc::clone(request.table),
        control: Arc::clone(request.control),
        limits: limits.clone(),
        budget: budget(limits, play.side(), request.overhead),
        busy: Busy::new(threads),
        counters: (0..threads).map(|_| Counter::default()).collect(),
        done: AtomicBool::new(false),
        finished: Finished::default(),
    };
    let team = Arc::new(Team {
        play: play.clone(),
        oracle: oracle.cloned(),
        shared,
        reductions: reductions(),
        multipv: request.multipv.max(1),
    });
    let shared = &team.shared;
    let Budget { optimum, maximum } = shared.budget;
    log::debug!("time for this move: optimum {optimum:?}, maximum {maximum:?}");
    let forced = root_moves.len() == 1 && limits.searchmoves.is_empty();
    let report = RefCell::new(report);
    let mut main = Main { shared, report: &report, forced, pause: None, completed: 0, best: Move::NONE, stable: 0 };

    // A proof is about the position, not about some of its moves.
    let wants_proof = !limits.is_bounded() && limits.searchmoves.is_empty() && !known_draw;
    let provable = oracle.filter(|oracle| wants_proof && is_provable(&game, &***oracle, pos));
    if let Some(oracle) = provable {
        main.pause = Some(AFTER_DEPTH);
        root_moves = team.deepen(pool, &root_moves, &mut main);
        main.pause = None;
        team.begin_again(pool);
        if !request.control.stopped() {
            (report.borrow_mut())(&Info::Note("trying to prove the value by a search into the tablebases"));
            if let Some(proved) = team.prove(pool, oracle) {
                let found = main.tell_proof(proved, &root_moves);
                request.control.wait_until_released(true);
                return found;
            }
            team.begin_again(pool);
        }
    }
    let ranking = team.deepen(pool, &root_moves, &mut main);

    let best = &ranking[0];
    let (score, bound) = best.known.unwrap_or((game.evaluate(pos), Bound::Exact));
    let score = if known_draw { DRAW } else { score };
    // What the stop has cut short is reported all the same if the best move is not the one last reported.
    if best.mv != main.best {
        let depth = if best.known.is_some() { main.completed + 1 } else { main.completed };
        main.report(depth, 1, best, score, bound);
    }
    Found {
        best: Some(best.mv),
        ponder: best.pv.get(1).copied().or_else(|| expected_reply(play, best.mv, request.table)),
        score,
        depth: main.completed,
        nodes: shared.nodes(),
    }
}

impl<G: Searchable> Team<G> {
    /// Gives each helper its part of the work. One that comes to it only after the end of the search does nothing.
    fn start_helpers(
        self: &Arc<Self>,
        pool: &Pool,
        work: impl Fn(&Team<G>, usize, &mut Workspace) + Clone + Send + 'static,
    ) {
        pool.start(|id| {
            let (team, work) = (Arc::clone(self), work.clone());
            Box::new(move |workspace| {
                if !team.shared.is_over() && !team.shared.is_out_of_time() {
                    work(&team, id, workspace);
                }
            })
        });
    }

    /// Deepens until the main thread is content and, unless it only pauses, released. Returns the root moves, best
    /// first.
    fn deepen(self: &Arc<Self>, pool: &Pool, root_moves: &[RootMove], main: &mut Main<'_, '_>) -> Vec<RootMove> {
        let helpers_moves = root_moves.to_vec();
        self.start_helpers(pool, move |team, id, workspace| {
            let mut worker = Worker::new(team, id, &helpers_moves, workspace);
            worker.deepen(team.play.position(), team.multipv, &mut Helper);
            *workspace = worker.into_workspace();
        });
        let control = &self.shared.control;
        let report = main.report;
        let tell = move |depth, mv, number| {
            if control.elapsed() >= CURRENT_MOVE_AFTER {
                (report.borrow_mut())(&Info::CurrentMove { depth, mv, number });
            }
        };
        let mut workspace = pool.main_workspace();
        let mut worker = Worker::new(self, 0, root_moves, &mut workspace);
        worker.on_root_move = Some(&tell);
        worker.deepen(self.play.position(), self.multipv, main);
        if main.pause.is_none() {
            control.wait_until_released(!self.shared.limits.is_bounded());
        }
        self.shared.done.store(true, Ordering::Relaxed);
        let ranking = std::mem::take(&mut worker.root_moves);
        *workspace = worker.into_workspace();
        ranking
    }

    /// Makes ready for another part of the same search: nobody works on the last one any more.
    fn begin_again(&self, pool: &Pool) {
        pool.settle();
        self.shared.done.store(false, Ordering::Relaxed);
    }

    /// Tries to prove the value of the position with all threads, until stopped.
    fn prove(self: &Arc<Self>, pool: &Pool, oracle: &Arc<dyn Oracle<G::Position>>) -> Option<Proved> {
        let proved = Arc::new(Mutex::new(None));
        let (result, oracle) = (Arc::clone(&proved), Arc::clone(oracle));
        let work = move |team: &Team<G>, id: usize, _: &mut Workspace| {
            let pos = team.play.position();
            if let Some(found) = Prover::new(&team.shared, team.play.game, &*oracle, id, pos).prove(pos) {
                result.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(found);
            }
            // The first thread to come to an end, with a proof or without, ends it for all.
            team.shared.done.store(true, Ordering::Relaxed);
        };
        self.start_helpers(pool, work.clone());
        work(self, 0, &mut pool.main_workspace());
        *proved.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Main<'_, '_> {
    /// Reports a proved value.
    fn tell_proof(&self, proved: Proved, ranking: &[RootMove]) -> Found {
        let best = proved.best.unwrap_or(ranking[0].mv);
        let (score, text) = match proved.verdict {
            Verdict::Draw => (DRAW, "draw"),
            Verdict::Win => (TABLE_WIN, "win"),
            Verdict::Loss => (-TABLE_WIN, "loss"),
        };
        let time = self.shared.control.elapsed();
        let note =
            format!("proved: {text} for the side to move ({} nodes, {:.1} s)", self.shared.nodes(), time.as_secs_f64());
        let pv = [best];
        let mut report = self.report.borrow_mut();
        report(&Info::Note(&note));
        report(&Info::Variation {
            depth: self.completed,
            seldepth: self.completed as usize,
            multipv: 1,
            score,
            bound: Bound::Exact,
            nodes: self.shared.nodes(),
            hashfull: self.shared.table.hashfull(),
            table_hits: self.shared.table_hits(),
            time,
            pv: &pv,
        });
        Found { best: Some(best), ponder: None, score, depth: self.completed, nodes: self.shared.nodes() }
    }

    fn report(&self, depth: i32, multipv: usize, root: &RootMove, score: i32, bound: Bound) {
        (self.report.borrow_mut())(&Info::Variation {
            depth,
            seldepth: root.seldepth.max(1),
            multipv,
            score,
            bound,
            nodes: self.shared.nodes(),
            hashfull: self.shared.table.hashfull(),
            table_hits: self.shared.table_hits(),
            time: self.shared.control.elapsed(),
            pv: &root.pv,
        });
    }
}

/// The table's move after the best move, if it is legal.
fn expected_reply<G: Searchable>(play: &Play<G>, best: Move, table: &Table) -> Option<Move> {
    let game = play.game;
    let next = game.play(play.position(), best);
    let (key, symmetry) = game.table_key(&next);
    let reply = game.unmap_move(table.probe(key)?.mv, symmetry);
    game.is_legal(&next, reply).then_some(reply)
}
