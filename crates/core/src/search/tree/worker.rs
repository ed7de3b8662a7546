//! One thread of a search: its state, making and unmaking moves, and the first checks of every node.
//!
//! **Graph history.** A score may depend on the path: a repetition on it is a draw. Draws by repetition and for lack of
//! progress are decided before the hash table is probed, and the game's own history counts. Positions within a few
//! plies of a draw for lack of progress have hash entries of their own. Beyond that a stored score may depend on the
//! history that it was found with, as in all engines of this kind. The root, where it matters most, never takes its
//! score from the hash table.

use super::busy::Busy;
use super::history::History;
use super::move_list::Scored;
use super::node_type::NodeType;
use super::reductions::Reductions;
use super::workspace::Workspace;
use crate::game::value::{Oracle, Value};
use crate::game::{Ending, HISTORY_SIZE, Move, Searchable, Verdict};
use crate::play::Play;
use crate::search::MAX_PLY;
use crate::search::budget::Budget;
use crate::search::control::Control;
use crate::search::hash::{Bound, Entry, HashTable, score_from_hash};
use crate::search::limits::Limits;
use crate::search::root::root_move::{Finished, RootMove};
use crate::search::score::{DRAW, INFINITE, MAX_EVAL, TABLEBASE_WIN, is_known, is_mate, mate_in, mated_in};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// The counts of a thread, on a cache line of their own.
#[derive(Default)]
#[repr(align(64))]
pub(in crate::search) struct ThreadCounts {
    pub nodes: AtomicU64,
    /// Positions found in tablebases.
    pub tablebase_hits: AtomicU64,
}

/// The state that all threads of a search share.
pub(in crate::search) struct Shared {
    pub hash: Arc<HashTable>,
    pub control: Arc<Control>,
    pub limits: Limits,
    pub budget: Budget,
    pub busy: Busy,
    pub counts: Vec<ThreadCounts>,
    /// Nodes not yet granted to any thread, if they are limited.
    pub nodes_left: AtomicU64,
    /// Whether a limit is reached or the main thread is done: all threads end.
    pub done: AtomicBool,
    /// The deepest iteration of the fastest thread.
    pub finished: Finished,
    /// Whether wins and losses that the draw counter may stop are searched.
    pub searches_doubtful: bool,
}

impl Shared {
    /// Returns whether the search as a whole has to end.
    pub(in crate::search) fn is_over(&self) -> bool {
        self.done.load(Relaxed) || self.control.stopped()
    }

    /// Returns whether the time is up. Every thread checks: with more threads than processors, the main thread may be
    /// the last to get one.
    pub(in crate::search) fn is_out_of_time(&self) -> bool {
        self.control.is_past(self.budget.maximum) && self.control.is_enough(self.nodes())
    }

    /// Grants a thread a number of nodes until it checks the limits again. Together the threads get no more than the
    /// limit of nodes: the fewer are left, the smaller are their shares.
    fn grant(&self) -> u64 {
        if self.limits.nodes.is_none() {
            return POLL_INTERVAL;
        }
        let share = |left: u64| (left / self.counts.len() as u64).clamp(1, POLL_INTERVAL).min(left);
        let granted = self.nodes_left.fetch_update(Relaxed, Relaxed, |left| Some(left - share(left)));
        granted.map_or(0, share)
    }

    /// Returns the nodes of all threads.
    pub(in crate::search) fn nodes(&self) -> u64 {
        self.counts.iter().map(|thread| thread.nodes.load(Relaxed)).sum()
    }

    /// Returns the tablebase hits of all threads.
    pub(in crate::search) fn tablebase_hits(&self) -> u64 {
        self.counts.iter().map(|thread| thread.tablebase_hits.load(Relaxed)).sum()
    }
}

/// The common input of a search's threads. A helper may hold it a little longer than the search lasts.
pub(in crate::search) struct Team<G: Searchable> {
    pub play: Play<G>,
    pub oracle: Option<Arc<dyn Oracle<G::Position>>>,
    pub shared: Shared,
    pub reductions: Box<Reductions>,
    pub multipv: usize,
}

/// The most nodes between two polls of the clock and the stop flag.
const POLL_INTERVAL: u64 = 256;
/// The least depth of nodes that are looked up among single won positions: shallower ones are most of all nodes, and a
/// lookup takes a tenth of the time of one.
const WON_DEPTH: i32 = 2;
/// The plies before a draw for lack of progress within which the hash key includes them.
const NO_PROGRESS_HORIZON: u16 = 8;

/// One thread of a search.
pub(in crate::search) struct Worker<'a, G: Searchable> {
    pub shared: &'a Shared,
    pub game: G,
    oracle: Option<&'a dyn Oracle<G::Position>>,
    /// The same oracle, if it knows single won positions.
    wins: Option<&'a dyn Oracle<G::Position>>,
    /// The number of the thread; 0 is the main one.
    pub id: usize,
    pub nodes: u64,
    /// Deepest ply of the current iteration.
    pub seldepth: usize,
    /// Whether the iteration ends here: the search is over, or another thread has finished this depth.
    pub stopped: bool,
    /// Depth of the current iteration.
    pub iteration: i32,
    pub root_moves: Vec<RootMove>,
    /// The index before which root moves belong to better variations already found.
    pub first_root_move: usize,
    pub(in crate::search) pv: Vec<Vec<Move>>,
    pub(in crate::search) moves: Vec<Scored>,
    pub(in crate::search) history: History,
    /// Keys of the game since the last irreversible move, then of the path.
    keys: Vec<u64>,
    /// Index of the first key that the current position could repeat.
    base: usize,
    root_index: usize,
    pub(in crate::search) evals: Vec<i32>,
    /// The move excluded at each ply, in a singular search.
    pub(in crate::search) excluded: Vec<Move>,
    /// Hash keys of the positions of the path, computed when their hash entry is prefetched.
    pub(in crate::search) hash_keys: Vec<(u64, u8)>,
    /// History index of the move that led to each ply.
    pub(in crate::search) previous: Vec<usize>,
    pub(in crate::search) reductions: &'a Reductions,
    /// Receives depth, move and number before each root move is searched.
    pub(in crate::search) on_root_move: Option<&'a dyn Fn(i32, Move, usize)>,
    /// Whether this is a search for a mate, which prunes nothing.
    pub(in crate::search) exact: bool,
    /// The ply at which lines end.
    last_ply: usize,
    /// The count of nodes at which to check the limits.
    next_poll: u64,
}

/// Returns whether a bound on a score is enough for a window.
#[inline(always)]
const fn causes_cutoff(bound: Bound, score: i32, alpha: i32, beta: i32) -> bool {
    match bound {
        Bound::Exact => true,
        Bound::Lower => score >= beta,
        Bound::Upper => score <= alpha,
    }
}

/// Returns whether the best score of a node fits its bound, given the final window.
pub(in crate::search) const fn is_bound(bound: Bound, best: i32, alpha: i32, beta: i32) -> bool {
    match bound {
        Bound::Exact => best == alpha && best < beta,
        Bound::Lower => best >= beta,
        Bound::Upper => best <= alpha,
    }
}

impl<'a, G: Searchable> Worker<'a, G> {
    /// Creates a thread of a search; 0 is the main one. It takes its memory from `workspace`.
    pub(in crate::search) fn new(
        team: &'a Team<G>,
        id: usize,
        root_moves: &[RootMove],
        workspace: &mut Workspace,
    ) -> Worker<'a, G> {
        let Team { play, oracle, shared, reductions, .. } = team;
        let played = play.keys();
        let mut workspace = std::mem::take(workspace);
        workspace.reset();
        let Workspace { pv, moves, history, mut keys, evals, excluded, hash_keys, previous } = workspace;
        keys.reserve(played.len() + MAX_PLY + 2);
        keys.extend_from_slice(played);
        Worker {
            shared,
            game: play.game,
            oracle: oracle.as_deref(),
            wins: oracle.as_deref().filter(|oracle| oracle.knows_wins() && shared.limits.mate.is_none()),
            id,
            nodes: 0,
            seldepth: 0,
            stopped: false,
            iteration: 1,
            root_moves: root_moves.to_vec(),
            first_root_move: 0,
            pv,
            moves,
            history,
            root_index: keys.len().saturating_sub(1),
            keys,
            base: 0,
            evals,
            excluded,
            hash_keys,
            previous,
            reductions,
            on_root_move: None,
            exact: shared.limits.mate.is_some(),
            last_ply: shared.limits.mate.map_or(MAX_PLY, |moves| MAX_PLY.min((moves as usize).saturating_mul(2))),
            next_poll: shared.grant(),
        }
    }

    /// Returns the memory for the next search.
    pub(in crate::search) fn into_workspace(self) -> Workspace {
        let Worker { pv, moves, history, keys, evals, excluded, hash_keys, previous, .. } = self;
        Workspace { pv, moves, history, keys, evals, excluded, hash_keys, previous }
    }

    /// Returns whether it has been granted any nodes.
    pub(in crate::search) const fn may_search(&self) -> bool {
        self.next_poll > 0
    }

    /// Counts a node and periodically checks whether the search is over.
    #[inline(always)]
    pub(in crate::search) fn count_node(&mut self) {
        self.nodes += 1;
        self.shared.counts[self.id].nodes.store(self.nodes, Relaxed);
        if self.nodes >= self.next_poll {
            self.poll();
        }
    }

    #[cold]
    #[inline(never)]
    fn poll(&mut self) {
        let control = &self.shared.control;
        if self.id == 0 {
            control.pulse();
        }
        control.sleep_while_paused(self.id == 0, self.shared.nodes(), self.shared.budget.maximum);
        let granted = match self.shared.grant() {
            // Nodes while pondering do not count.
            0 if control.pondering() => POLL_INTERVAL,
            granted => granted,
        };
        self.next_poll += granted;
        if self.shared.is_out_of_time() || granted == 0 {
            self.shared.done.store(true, Relaxed);
        }
        self.stopped = self.shared.is_over() || self.shared.finished.depth() >= self.iteration;
    }

    /// Returns the score of a finished position.
    pub(in crate::search) fn ending_score(ending: Ending, ply: usize) -> i32 {
        match ending.verdict {
            Verdict::Win => mate_in(ply),
            Verdict::Loss => mated_in(ply),
            Verdict::Draw => DRAW,
        }
    }

    /// Returns whether the current position repeats one of the path, or for the third time one of the game.
    fn is_repetition(&self) -> bool {
        if !self.game.draw_rules().repetition {
            return false;
        }
        let current = self.keys.len() - 1;
        let key = self.keys[current];
        let mut earlier = 0;
        let mut index = current;
        while index >= self.base + 2 {
            index -= 2;
            if self.keys[index] == key {
                earlier += 1;
                if index >= self.root_index || earlier == 2 {
                    return true;
                }
            }
        }
        false
    }

    fn is_no_progress_draw(&self, pos: &G::Position) -> bool {
        let limit = self.game.draw_rules().progress_limit;
        limit > 0 && self.game.plies_without_progress(pos) >= limit && self.game.has_moves(pos)
    }

    /// Computes the hash key of a position and prefetches its entry.
    #[inline(always)]
    pub(in crate::search) fn prefetch(&self, pos: &G::Position) -> (u64, u8) {
        let key = self.hash_key(pos);
        self.shared.hash.prefetch(key.0);
        key
    }

    /// Begins at the position of the root.
    pub(in crate::search) fn begin(&mut self, pos: &G::Position) {
        self.hash_keys[0] = self.prefetch(pos);
    }

    /// Returns the key for the hash table, and the symmetry of its moves.
    #[inline(always)]
    fn hash_key(&self, pos: &G::Position) -> (u64, u8) {
        let (key, symmetry) = self.game.hash_key(pos);
        let limit = self.game.draw_rules().progress_limit;
        let left = limit.saturating_sub(self.game.plies_without_progress(pos));
        let near = if limit > 0 && left < NO_PROGRESS_HORIZON { u64::from(left) + 1 } else { 0 };
        (key ^ near << 56, symmetry)
    }

    /// Makes a move; returns the value that `unmake` needs.
    #[inline(always)]
    pub(in crate::search) fn make(&mut self, pos: &G::Position, mv: Move, next: &G::Position) -> usize {
        let base = self.base;
        if self.game.is_irreversible(pos, mv) {
            self.base = self.keys.len();
        }
        self.keys.push(self.game.key(next));
        base
    }

    /// Passes the turn; `unmake` undoes it.
    pub(in crate::search) fn make_null(&mut self, passed: &G::Position, ply: usize) -> usize {
        let base = self.base;
        self.base = self.keys.len();
        self.keys.push(self.game.key(passed));
        self.hash_keys[ply + 1] = self.prefetch(passed);
        self.previous[ply + 1] = usize::MAX;
        base
    }

    #[inline(always)]
    pub(in crate::search) fn unmake(&mut self, base: usize) {
        self.keys.pop();
        self.base = base;
    }

    /// Returns the index of the move that led to a ply, for countermoves and replies; a null move shares the last one.
    pub(in crate::search) fn previous_index(&self, ply: usize) -> usize {
        self.previous[ply].min(HISTORY_SIZE - 1)
    }

    pub(in crate::search) fn save_pv(&mut self, ply: usize, mv: Move) {
        let (line, rest) = self.pv[ply..].split_at_mut(1);
        line[0].clear();
        line[0].push(mv);
        line[0].extend_from_slice(&rest[0]);
    }

    /// Returns a move that wins at once, in a position where there is one.
    fn winning_move(&self, pos: &G::Position) -> Option<Move> {
        let mut winner = None;
        self.game.generate_tactical(pos, |mv| {
            if winner.is_none() {
                let ending = self.game.decided(&self.game.play(pos, mv));
                winner = ending.filter(|ending| ending.verdict == Verdict::Loss).map(|_| mv);
            }
        });
        winner
    }

    /// Returns the score of a hash entry if it is enough for the window.
    #[inline(always)]
    pub(in crate::search) fn hash_cutoff(&self, entry: &Entry, ply: usize, alpha: i32, beta: i32) -> Option<i32> {
        let score = score_from_hash(entry.score, ply);
        (causes_cutoff(entry.bound, score, alpha, beta) && (!self.exact || is_mate(score))).then_some(score)
    }

    /// Returns the evaluation, from the hash table if it is there.
    #[inline(always)]
    pub(in crate::search) fn static_eval(&self, pos: &G::Position, entry: Option<&Entry>) -> i32 {
        entry.map_or_else(|| self.game.evaluate(pos).clamp(-MAX_EVAL, MAX_EVAL), |entry| entry.eval)
    }

    /// Returns the score of a position that needs no search; the first step of every node.
    #[inline(always)]
    pub(in crate::search) fn immediate_score<N: NodeType>(&mut self, pos: &G::Position, ply: usize) -> Option<i32> {
        if N::PV {
            self.seldepth = self.seldepth.max(ply);
        }
        if let Some(ending) = self.game.decided(pos) {
            return Some(Self::ending_score(ending, ply));
        }
        if self.is_repetition() || self.is_no_progress_draw(pos) {
            return Some(DRAW);
        }
        if let Some(score) = self.tablebase_score(pos, ply) {
            return Some(score);
        }
        if ply >= self.last_ply {
            return Some(if self.game.has_moves(pos) { self.game.evaluate(pos) } else { mated_in(ply) });
        }
        if self.game.can_win_now(pos) {
            if N::PV
                && let Some(mv) = self.winning_move(pos)
            {
                self.pv[ply].clear();
                self.pv[ply].push(mv);
            }
            return Some(mate_in(ply + 1));
        }
        None
    }

    /// Returns the score of a position that a tablebase knows. Only positions just after progress are probed: they are
    /// far from a draw for lack of progress, and any line into the tablebases passes one. A search for mates needs
    /// distances.
    #[inline(always)]
    fn tablebase_score(&self, pos: &G::Position, ply: usize) -> Option<i32> {
        let oracle = self.oracle?;
        if self.game.plies_without_progress(pos) != 0 || self.exact {
            return None;
        }
        let verdict = oracle.verdict(pos)?;
        if self.shared.searches_doubtful && self.is_too_long(oracle, pos, verdict) {
            return None;
        }
        self.count_tablebase_hit();
        Some(match verdict {
            Verdict::Win => TABLEBASE_WIN - ply as i32,
            Verdict::Draw => DRAW,
            Verdict::Loss => ply as i32 - TABLEBASE_WIN,
        })
    }

    /// Returns whether a position just after progress has a win or loss that takes longer than the draw counter allows
    /// without more progress.
    fn is_too_long(&self, oracle: &dyn Oracle<G::Position>, pos: &G::Position, verdict: Verdict) -> bool {
        let limit = u32::from(self.game.draw_rules().progress_limit);
        let plies = || oracle.value(pos).and_then(Value::plies);
        limit > 0
            && verdict != Verdict::Draw
            && oracle.counted(pos).is_none()
            && plies().is_some_and(|plies| plies > limit)
    }

    /// Returns the score of a position that is known to be won, though its neighbours may not be. As with tablebases
    /// the draw counter has to be at its start, except after a move of the root. There even a win that may come too
    /// late is reason enough for another move.
    #[inline(always)]
    pub(in crate::search) fn won_score(&self, pos: &G::Position, ply: usize, depth: i32) -> Option<i32> {
        let wins = self.wins?;
        let is_asked = ply <= 1 || (depth >= WON_DEPTH && self.game.plies_without_progress(pos) == 0);
        if !is_asked || !wins.is_won(pos) {
            return None;
        }
        self.count_tablebase_hit();
        Some(TABLEBASE_WIN - ply as i32)
    }

    fn count_tablebase_hit(&self) {
        let hits = &self.shared.counts[self.id].tablebase_hits;
        hits.store(hits.load(Relaxed) + 1, Relaxed);
    }

    /// Returns the score that counts for a root move. A side that is ahead and returns to a position of the game makes
    /// no progress: that is a draw, unless a certain win begins there. A shallow search would otherwise prefer the same
    /// position every time, until it occurs for the third time.
    pub(in crate::search) fn root_score(&self, mv: Move, score: i32) -> i32 {
        let returns = self.root_moves.iter().any(|root| root.mv == mv && root.returns);
        if is_known(score) || !returns { score } else { score.min(DRAW) }
    }

    /// Records the result of a root move; without a bound it is only known to be no better than the best.
    pub(in crate::search) fn note_root_move(&mut self, mv: Move, score: i32, bound: Option<Bound>, nodes_before: u64) {
        let nodes = self.nodes - nodes_before;
        let seldepth = self.seldepth;
        let Some(root) = self.root_moves.iter_mut().find(|root| root.mv == mv) else { return };
        root.nodes += nodes;
        root.score = -INFINITE;
        if let Some(bound) = bound {
            root.score = score;
            root.known = Some((score, bound));
            root.seldepth = seldepth;
            let replies = &self.pv[1];
            // A bound found without a line preserves the last line of the move.
            if bound == Bound::Exact || !replies.is_empty() {
                root.pv.clear();
                root.pv.push(mv);
                root.pv.extend(replies.iter().take(MAX_PLY));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Notation;
    use crate::morris::{FLYING, Morris, Rules, rules};
    use crate::search::driver::team;
    use crate::search::request::Request;
    use crate::smess::{self, Smess};

    #[test]
    fn bounds_settle_only_what_lies_beyond_them() {
        for (score, lower, upper) in [(9, false, true), (10, false, true), (15, false, false), (20, true, false)] {
            assert!(causes_cutoff(Bound::Exact, score, 10, 20), "{score}");
            assert_eq!(causes_cutoff(Bound::Lower, score, 10, 20), lower, "at least {score}");
            assert_eq!(causes_cutoff(Bound::Upper, score, 10, 20), upper, "at most {score}");
        }
    }

    #[test]
    fn bounds_say_where_the_best_lies() {
        for (best, upper, exact, lower) in
            [(9, true, false, false), (10, true, true, false), (15, false, false, false), (20, false, false, true)]
        {
            assert_eq!(is_bound(Bound::Upper, best, 10, 20), upper, "{best}");
            assert_eq!(is_bound(Bound::Exact, best, 10, 20), exact, "{best}");
            assert_eq!(is_bound(Bound::Lower, best, 10, 20), lower, "{best}");
        }
    }

    /// Near the end of the draw counter, and only there, a position has a separate key for each number of plies left: a
    /// score with more plies left would be wrong.
    #[test]
    fn keys_tell_how_near_the_end_of_the_counter_is() {
        let keys = |no_mill_draw| -> Vec<u64> {
            let game = Morris::<FLYING>::new(Rules { no_mill_draw, ..rules::MORRIS });
            let key = |counter: u32| {
                let fen = format!("O1O/3/3/O1O3/3/X1X/X1X w 0 0 {counter} 60");
                let play = Play::set_up(game, Some(&fen), []).expect("a position");
                let (hash, control) = (Arc::new(HashTable::tiny(1)), Arc::new(Control::new(false)));
                let limits = Limits::default();
                let team = team(&play, None, &Request::plain(&limits, &hash, &control), 1);
                Worker::new(&team, 0, &[], &mut Workspace::default()).hash_key(play.position()).0
            };
            (80..100).map(key).collect()
        };
        let (free, mut keys) = (keys(0), keys(100));
        assert!(free.iter().chain(&keys[..=12]).all(|key| *key == free[0]));
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), 1 + 7, "with seven plies left or fewer");
    }

    /// The plies left distinguish keys in which any bit may be set.
    #[test]
    fn keys_near_the_end_of_the_counter_are_those_of_one_position() {
        let game = Smess::new(smess::Rules::default());
        let (hash, control) = (Arc::new(HashTable::tiny(1)), Arc::new(Control::new(false)));
        let limits = Limits::default();
        let mut keys = Vec::new();
        for files in 1..=5 {
            for counter in 92..100 {
                let fen = format!("{files}b{}/7/7/7/7/7/7/3B3 w {counter} 90", 6 - files);
                let play = Play::set_up(game, Some(&fen), []).expect("a position");
                let team = team(&play, None, &Request::plain(&limits, &hash, &control), 1);
                keys.push(Worker::new(&team, 0, &[], &mut Workspace::default()).hash_key(play.position()).0);
            }
        }
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), 5 * 8);
    }

    /// For the side ahead, returning to an earlier position is no progress, unless that wins for certain.
    #[test]
    fn moves_back_are_draws_for_who_is_ahead() {
        let game = Morris::<FLYING>::new(rules::MORRIS);
        let moves = ["a7d7", "a1d1", "d7a7", "d1a1"];
        let play = Play::set_up(game, Some("O1O/O1O/O1O/6/3/X1X/X1X w 0 0 0 1"), moves).expect("legal moves");
        let (hash, control) = (Arc::new(HashTable::tiny(1)), Arc::new(Control::new(false)));
        let limits = Limits::default();
        let team = team(&play, None, &Request::plain(&limits, &hash, &control), 1);
        let [back, on] = ["a7d7", "g7d7"].map(|text| play.find_move(text).expect("a legal move"));
        let roots = [RootMove::new(back, true), RootMove::new(on, false)];
        let worker = Worker::new(&team, 0, &roots, &mut Workspace::default());
        for (mv, score, counts) in [(back, 30, DRAW), (back, -30, -30), (back, mate_in(5), mate_in(5)), (on, 30, 30)] {
            assert_eq!(worker.root_score(mv, score), counts, "{} at {score}", game.move_text(mv));
        }
    }
}
