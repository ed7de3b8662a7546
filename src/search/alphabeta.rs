//! One thread's search below the root.
//!
//! **Graph history.** A score may depend on the path: a repetition on it is a draw. Draws by repetition and by
//! counter are decided before the table is asked, the game's own history counts, and positions within a few
//! plies of the counter draw have table entries of their own. Beyond that a stored score may carry the history
//! it was found under, as in all engines of this kind; the root, where it matters most, never takes its score
//! from the table.

use super::MAX_PLY;
use super::busy::Busy;
use super::clock::{Budget, Limits};
use super::control::Control;
use super::ordering::{DEFERRED, Memory, Scored, TABLE_MOVE, TACTICAL, pick};
use super::root::{Finished, RootMove};
use super::score::{DRAW, INFINITE, KNOWN_BOUND, MATE, MAX_EVAL, TABLE_WIN, is_known, mate_in, mated_in};
use super::table::{Bound, Entry, Table, score_from_table, score_to_table};
use crate::game::{Ending, HISTORY_SIZE, Move, Searchable, Verdict};
use crate::value::Oracle;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// The counters of a thread, on a cache line of their own.
#[derive(Default)]
#[repr(align(64))]
pub(super) struct Counter {
    pub nodes: AtomicU64,
    /// Positions looked up in tablebases.
    pub table_hits: AtomicU64,
}

/// What all threads of a search share.
pub(super) struct Shared<'a> {
    pub table: &'a Table,
    pub control: &'a Control,
    pub limits: &'a Limits,
    pub budget: Budget,
    pub busy: Busy,
    pub counters: Vec<Counter>,
    /// A limit is reached or the main thread is content: all threads end.
    pub done: AtomicBool,
    /// What the fastest thread has finished.
    pub finished: Finished,
}

impl Shared<'_> {
    /// Whether the search as a whole has to end.
    pub(super) fn is_over(&self) -> bool {
        self.done.load(Relaxed) || self.control.stopped()
    }

    /// Nodes of all threads.
    pub(super) fn nodes(&self) -> u64 {
        self.counters.iter().map(|counter| counter.nodes.load(Relaxed)).sum()
    }

    /// Tablebase hits of all threads.
    pub(super) fn table_hits(&self) -> u64 {
        self.counters.iter().map(|counter| counter.table_hits.load(Relaxed)).sum()
    }
}

/// Kinds of nodes, told apart at compile time.
pub(super) trait NodeType {
    const PV: bool;
    const ROOT: bool;
}
pub(super) struct Root;
pub(super) struct Pv;
pub(super) struct Zero;
impl NodeType for Root {
    const PV: bool = true;
    const ROOT: bool = true;
}
impl NodeType for Pv {
    const PV: bool = true;
    const ROOT: bool = false;
}
impl NodeType for Zero {
    const PV: bool = false;
    const ROOT: bool = false;
}

/// Static evaluations below this count as unknown.
pub(super) const NO_EVAL: i32 = -INFINITE;
/// Nodes between two looks at the clock and the stop flag.
const POLL_INTERVAL: u64 = 256;
/// Single replies are worth a ply more from this depth on.
const SINGLE_REPLY_DEPTH: i32 = 3;
/// From this depth on a move of the table that stands alone is worth a ply more.
const SINGULAR_DEPTH: i32 = 6;
/// Plies before the counter draw from which the table tells positions apart by their counter.
const COUNTER_HORIZON: u16 = 8;

/// What to do about the table's move.
enum Singularity {
    /// Search it so many plies deeper.
    Extension(i32),
    /// Nothing: the node has this score.
    Cutoff(i32),
}

/// One thread of a search.
pub(super) struct Worker<'a, G: Searchable> {
    pub shared: &'a Shared<'a>,
    pub game: G,
    oracle: Option<&'a dyn Oracle<G::Position>>,
    /// 0 is the main thread.
    pub id: usize,
    pub nodes: u64,
    /// Deepest ply of the current iteration.
    pub seldepth: usize,
    /// The iteration ends here: the search is over, or another thread has finished this depth.
    pub stopped: bool,
    /// Depth of the current iteration.
    pub iteration: i32,
    pub root_moves: Vec<RootMove>,
    /// Root moves before this index belong to better variations already found.
    pub first_root_move: usize,
    pub(super) pv: Vec<Vec<Move>>,
    pub(super) moves: Vec<Scored>,
    pub(super) memory: Memory,
    /// Keys of the game since the last irreversible move, then of the path.
    keys: Vec<u64>,
    /// Index of the first key that the current position could repeat.
    base: usize,
    root_index: usize,
    evals: Vec<i32>,
    /// The move that is left out at each ply, while the others are searched without it.
    excluded: Vec<Move>,
    /// Table keys of the positions of the path, computed when their table entry is prefetched.
    pub(super) table_keys: Vec<(u64, u8)>,
    /// History index of the move that led to each ply.
    previous: Vec<usize>,
    reductions: &'a [[u8; 64]; 64],
    /// Called with depth, move and number before each root move is searched.
    pub(super) on_root_move: Option<&'a dyn Fn(i32, Move, usize)>,
    /// Nothing may be pruned: the search is for a mate.
    pub(super) exact: bool,
    /// No line goes further.
    last_ply: usize,
    /// The search ends at this count; exact with one thread.
    node_limit: u64,
}

/// Base reductions by depth and move number.
pub(super) fn reduction_table() -> Box<[[u8; 64]; 64]> {
    let mut table = Box::new([[0; 64]; 64]);
    for (depth, row) in table.iter_mut().enumerate().skip(1) {
        for (number, reduction) in row.iter_mut().enumerate().skip(1) {
            *reduction = (0.6 + (depth as f64).ln() * (number as f64).ln() / 2.1) as u8;
        }
    }
    table
}

/// Whether a score that is known as a bound answers the question that a window asks.
#[inline(always)]
const fn settles(bound: Bound, score: i32, alpha: i32, beta: i32) -> bool {
    match bound {
        Bound::Exact => true,
        Bound::Lower => score >= beta,
        Bound::Upper => score <= alpha,
    }
}

/// Whether the best score of a node is what its bound says, given the window left at the end.
pub(super) const fn is_bound(bound: Bound, best: i32, alpha: i32, beta: i32) -> bool {
    match bound {
        Bound::Exact => best == alpha && best < beta,
        Bound::Lower => best >= beta,
        Bound::Upper => best <= alpha,
    }
}

impl<'a, G: Searchable> Worker<'a, G> {
    pub(super) fn new(
        shared: &'a Shared<'a>,
        game: G,
        oracle: Option<&'a dyn Oracle<G::Position>>,
        id: usize,
        history: &[u64],
        root_moves: Vec<RootMove>,
        reductions: &'a [[u8; 64]; 64],
    ) -> Worker<'a, G> {
        let mut keys = Vec::with_capacity(history.len() + MAX_PLY + 2);
        keys.extend_from_slice(history);
        Worker {
            shared,
            game,
            oracle,
            id,
            nodes: 0,
            seldepth: 0,
            stopped: false,
            iteration: 1,
            root_moves,
            first_root_move: 0,
            pv: (0..MAX_PLY + 2).map(|_| Vec::with_capacity(32)).collect(),
            moves: Vec::with_capacity(8192),
            memory: Memory::new(),
            root_index: keys.len().saturating_sub(1),
            keys,
            base: 0,
            evals: vec![NO_EVAL; MAX_PLY + 2],
            excluded: vec![Move::NONE; MAX_PLY + 2],
            table_keys: vec![(0, 0); MAX_PLY + 2],
            previous: vec![0; MAX_PLY + 2],
            reductions,
            on_root_move: None,
            exact: shared.limits.mate.is_some(),
            last_ply: shared.limits.mate.map_or(MAX_PLY, |moves| MAX_PLY.min(2 * moves as usize)),
            node_limit: shared.limits.nodes.unwrap_or(u64::MAX),
        }
    }

    /// Counts a node and from time to time checks whether the search is over.
    #[inline(always)]
    pub(super) fn count_node(&mut self) {
        self.nodes += 1;
        self.shared.counters[self.id].nodes.store(self.nodes, Relaxed);
        if self.nodes.is_multiple_of(POLL_INTERVAL) || self.nodes >= self.node_limit {
            self.poll();
        }
    }

    #[cold]
    #[inline(never)]
    fn poll(&mut self) {
        let control = self.shared.control;
        let out_of_time = self.id == 0
            && self
                .shared
                .budget
                .maximum
                .is_some_and(|maximum| control.on_clock().is_some_and(|elapsed| elapsed >= maximum));
        let out_of_nodes = self.node_limit != u64::MAX && self.shared.nodes() >= self.node_limit;
        if out_of_time || (out_of_nodes && !control.pondering()) {
            self.shared.done.store(true, Relaxed);
        }
        self.stopped = self.shared.is_over() || self.shared.finished.depth() >= self.iteration;
    }

    /// Score of a finished position.
    pub(super) fn ending_score(ending: Ending, ply: usize) -> i32 {
        match ending.verdict {
            Verdict::Win => mate_in(ply),
            Verdict::Loss => mated_in(ply),
            Verdict::Draw => DRAW,
        }
    }

    /// Whether the current position repeats one of the path, or for the third time one of the game.
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

    fn is_counter_draw(&self, pos: &G::Position) -> bool {
        let limit = self.game.draw_rules().counter;
        limit > 0 && self.game.counter(pos) >= limit && self.game.has_moves(pos)
    }

    /// Computes the table key of the position at a ply and prefetches its entry.
    #[inline(always)]
    pub(super) fn announce(&mut self, pos: &G::Position, ply: usize) {
        let key = self.table_key(pos);
        self.shared.table.prefetch(key.0);
        self.table_keys[ply] = key;
    }

    /// Key for the table, and the symmetry of its moves.
    #[inline(always)]
    fn table_key(&self, pos: &G::Position) -> (u64, u8) {
        let (key, symmetry) = self.game.table_key(pos);
        let limit = self.game.draw_rules().counter;
        let left = limit.saturating_sub(self.game.counter(pos));
        let near = if limit > 0 && left < COUNTER_HORIZON { u64::from(left) + 1 } else { 0 };
        (key ^ near << 56, symmetry)
    }

    /// Plays a move: the new position, and what `unmake` needs.
    #[inline(always)]
    pub(super) fn make(&mut self, pos: &G::Position, mv: Move) -> (G::Position, usize) {
        let next = self.game.play(pos, mv);
        let base = self.base;
        if self.game.is_irreversible(pos, mv) {
            self.base = self.keys.len();
        }
        self.keys.push(self.game.key(&next));
        (next, base)
    }

    #[inline(always)]
    pub(super) fn unmake(&mut self, base: usize) {
        self.keys.pop();
        self.base = base;
    }

    /// Where counter moves to the move that led to a ply are filed; passing shares the last place.
    pub(super) fn previous_index(&self, ply: usize) -> usize {
        self.previous[ply].min(HISTORY_SIZE - 1)
    }

    pub(super) fn save_pv(&mut self, ply: usize, mv: Move) {
        let (line, rest) = self.pv[ply..].split_at_mut(1);
        line[0].clear();
        line[0].push(mv);
        line[0].extend_from_slice(&rest[0]);
    }

    /// A move that wins at once, in a position where there is one.
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

    /// The score of a table entry if it settles the question that the window asks.
    #[inline(always)]
    pub(super) fn decisive(&self, entry: &Entry, ply: usize, alpha: i32, beta: i32) -> Option<i32> {
        let score = score_from_table(entry.score, ply);
        // A search for a mate is not interested in a longer one.
        (settles(entry.bound, score, alpha, beta) && (!self.exact || MATE - score.abs() <= self.last_ply as i32))
            .then_some(score)
    }

    /// The evaluation, from the table if it is there.
    #[inline(always)]
    pub(super) fn static_eval(&self, pos: &G::Position, entry: Option<&Entry>) -> i32 {
        entry.map_or_else(|| self.game.evaluate(pos).clamp(-MAX_EVAL, MAX_EVAL), |entry| entry.eval)
    }

    /// The score of a position that needs no search; the first step of every node.
    #[inline(always)]
    pub(super) fn at_once<N: NodeType>(&mut self, pos: &G::Position, ply: usize) -> Option<i32> {
        if N::PV {
            self.seldepth = self.seldepth.max(ply);
        }
        if let Some(ending) = self.game.decided(pos) {
            return Some(Self::ending_score(ending, ply));
        }
        if self.is_repetition() || self.is_counter_draw(pos) {
            return Some(DRAW);
        }
        if let Some(score) = self.table_score(pos, ply) {
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

    /// The score of a position that a tablebase knows. Only positions just after progress are looked up: the draw
    /// counter starts afresh there, and any line into the tables passes one. A search for mates wants distances.
    #[inline(always)]
    fn table_score(&self, pos: &G::Position, ply: usize) -> Option<i32> {
        let oracle = self.oracle?;
        if self.game.counter(pos) != 0 || self.exact {
            return None;
        }
        let verdict = oracle.verdict(pos)?;
        let hits = &self.shared.counters[self.id].table_hits;
        hits.store(hits.load(Relaxed) + 1, Relaxed);
        Some(match verdict {
            Verdict::Win => TABLE_WIN - ply as i32,
            Verdict::Draw => DRAW,
            Verdict::Loss => ply as i32 - TABLE_WIN,
        })
    }

    /// Searches a position to a nominal depth; the score is exact within the window, else a bound.
    pub(super) fn node<N: NodeType>(
        &mut self,
        pos: &G::Position,
        ply: usize,
        mut depth: i32,
        mut alpha: i32,
        mut beta: i32,
        cut: bool,
    ) -> i32 {
        if !N::ROOT && depth <= 0 {
            return self.quiesce::<N>(pos, ply, 0, alpha, beta);
        }
        if N::PV {
            self.pv[ply].clear();
        }
        self.count_node();
        if self.stopped {
            return DRAW;
        }
        if !N::ROOT {
            if let Some(score) = self.at_once::<N>(pos, ply) {
                return score;
            }
            alpha = alpha.max(mated_in(ply));
            beta = beta.min(mate_in(ply + 1));
            if alpha >= beta {
                return alpha;
            }
        }
        let depth_asked = depth;

        let (key, symmetry) = self.table_keys[ply];
        let entry = self.shared.table.probe(key);
        let table_move = entry.map_or(Move::NONE, |entry| self.game.unmap_move(entry.mv, symmetry));
        let excluded = self.excluded[ply];
        let whole = excluded.is_none();
        if let Some(entry) = &entry
            && !N::PV
            && whole
            && entry.depth >= depth
            && let Some(score) = self.decisive(entry, ply, alpha, beta)
        {
            return score;
        }

        let threatened = self.game.is_threatened(pos);
        let raw_eval = self.static_eval(pos, entry.as_ref());
        self.evals[ply] = if threatened { NO_EVAL } else { raw_eval };
        let improving = !threatened && ply >= 2 && raw_eval > self.evals[ply - 2];
        let mut eval = raw_eval;
        if let Some(entry) = entry {
            let score = score_from_table(entry.score, ply);
            let better = match entry.bound {
                Bound::Exact => true,
                Bound::Lower => score > eval,
                Bound::Upper => score < eval,
            };
            if better && !is_known(score) {
                eval = score;
            }
        }
        self.memory.clear_killers(ply + 1);

        let may_prune = whole && !N::PV && !threatened && !self.exact && !is_known(beta) && !is_known(alpha);
        if may_prune {
            // Reverse futility: so far ahead that the last plies will not change it.
            if depth <= 6 && eval - 55 * (depth - i32::from(improving)) >= beta {
                return eval;
            }
            // Razoring: so far behind that only tactics could help.
            if depth <= 2 && eval + 120 + 120 * depth <= alpha {
                let score = self.quiesce::<Zero>(pos, ply, 0, alpha, beta);
                if score <= alpha || self.stopped {
                    return score;
                }
            }
            if depth >= 3 && eval >= beta && self.previous[ply] != usize::MAX && self.game.allows_null(pos) {
                let score = self.null_move(pos, ply, depth, beta, cut);
                if self.stopped {
                    return DRAW;
                }
                if score >= beta {
                    return if is_known(score) { beta } else { score };
                }
            }
        }
        // Without a table move a shallower search finds one soon enough.
        if depth >= 4 && table_move.is_none() && !N::ROOT && !self.exact {
            depth -= 1;
        }

        let mut table_extension = 0;
        if !N::ROOT
            && whole
            && depth >= SINGULAR_DEPTH
            && let Some(entry) = &entry
            && !table_move.is_none()
        {
            match self.singularity(pos, ply, depth, beta, cut, entry, table_move) {
                Singularity::Extension(plies) => table_extension = plies,
                Singularity::Cutoff(score) => return score,
            }
            if self.stopped {
                return DRAW;
            }
        }

        let first = self.moves.len();
        // Near the leaves the table's move is tried before the others are even listed: it often suffices.
        let mut unlisted = !N::ROOT && whole && depth < SINGLE_REPLY_DEPTH && self.game.is_legal(pos, table_move);
        if unlisted {
            self.moves.push(Scored { mv: table_move, score: TABLE_MOVE });
        } else {
            self.list_moves::<N>(pos, ply, table_move);
        }
        let total = self.moves.len() - first;
        if total == 0 {
            // Excluded root moves aside, a side without a move has lost.
            return if N::ROOT { alpha } else { mated_in(ply) };
        }
        let single_reply = whole && total == 1 && !N::ROOT && depth >= SINGLE_REPLY_DEPTH;

        let side = self.game.side(pos);
        let deferring = self.shared.busy.active() && depth >= Busy::LEAST_DEPTH;
        let mut best = -INFINITE;
        let mut best_move = Move::NONE;
        let mut bound = Bound::Upper;
        let mut number = 0usize;
        let mut quiets = 0;
        let mut index = first;
        loop {
            if index == self.moves.len() {
                if !unlisted {
                    break;
                }
                unlisted = false;
                self.list_moves::<N>(pos, ply, table_move);
                let listed_again = self.moves[index..].iter().position(|scored| scored.mv == table_move);
                if let Some(again) = listed_again {
                    self.moves.swap_remove(index + again);
                }
                continue;
            }
            let Scored { mv, score: rank } = pick(&mut self.moves, index);
            let busy_name = if deferring { Busy::name(key, mv) } else { 0 };
            if deferring && number > 0 && rank > DEFERRED + TACTICAL && self.shared.busy.contains(busy_name) {
                self.moves[index].score = DEFERRED - index as i32;
                continue;
            }
            index += 1;
            if mv == excluded {
                continue;
            }
            let tactical = self.game.is_tactical(pos, mv);
            if may_prune && best > -KNOWN_BOUND && number > 0 && !tactical {
                let late = 4 + depth * depth * if improving { 2 } else { 1 };
                if depth <= 4 && quiets > late {
                    continue;
                }
                if depth <= 3 && eval + 70 + 60 * depth <= alpha {
                    continue;
                }
            }
            number += 1;
            if N::ROOT
                && let Some(tell) = self.on_root_move
            {
                tell(depth, mv, self.first_root_move + number);
            }
            quiets += i32::from(!tactical);

            let history_index = self.game.history_index(mv);
            self.previous[ply + 1] = history_index;
            let new_depth = depth - 1 + i32::from(single_reply) + if mv == table_move { table_extension } else { 0 };
            let nodes_before = self.nodes;
            let (next, base) = self.make(pos, mv);
            self.announce(&next, ply + 1);
            if deferring {
                self.shared.busy.enter(busy_name);
            }
            let mut score = -INFINITE;
            let mut full_window = N::PV && number == 1;
            if !full_window {
                let mut reduced = new_depth;
                if depth >= 3 && number > 1 + usize::from(N::PV) && !threatened && !self.exact {
                    let table = &self.reductions[depth.min(63) as usize];
                    let mut reduction = i32::from(table[number.min(63)]);
                    if tactical {
                        reduction = if number > 4 { (reduction + 1) / 2 } else { 0 };
                    } else {
                        reduction += i32::from(cut) + i32::from(!improving) - i32::from(N::PV);
                        reduction -= i32::from(self.memory.is_killer(ply, mv));
                        reduction -= self.memory.history(side, history_index) / 6_000;
                    }
                    reduced = new_depth - reduction.clamp(0, new_depth - 1);
                }
                score = -self.node::<Zero>(&next, ply + 1, reduced, -alpha - 1, -alpha, true);
                if score > alpha && reduced < new_depth && !self.stopped {
                    score = -self.node::<Zero>(&next, ply + 1, new_depth, -alpha - 1, -alpha, !cut);
                }
                full_window = N::PV && score > alpha && score < beta && !self.stopped;
            }
            if full_window {
                score = -self.node::<Pv>(&next, ply + 1, new_depth, -beta, -alpha, false);
            }
            if deferring {
                self.shared.busy.leave(busy_name);
            }
            self.unmake(base);
            if self.stopped {
                self.moves.truncate(first);
                return DRAW;
            }
            if N::ROOT {
                score = self.root_score(mv, score);
                let bound = match score {
                    _ if score >= beta => Some(Bound::Lower),
                    _ if score > alpha => Some(Bound::Exact),
                    _ => (number == 1).then_some(Bound::Upper),
                };
                self.note_root_move(mv, score, bound, nodes_before);
            }
            if score > best {
                best = score;
                if score > alpha {
                    best_move = mv;
                    bound = Bound::Exact;
                    if N::PV && !N::ROOT {
                        self.save_pv(ply, mv);
                    }
                    if score >= beta {
                        bound = Bound::Lower;
                        if !tactical {
                            let previous = self.previous_index(ply);
                            let Worker { game, moves, memory, .. } = self;
                            let tried = moves[first..index - 1].iter().map(|tried| tried.mv);
                            let tried = tried.filter(|&other| !game.is_tactical(pos, other));
                            let tried = tried.map(|other| game.history_index(other));
                            memory.cutoff(side, ply, depth, (mv, history_index), tried, previous);
                        }
                        break;
                    }
                    alpha = score;
                }
            }
        }
        self.moves.truncate(first);

        if best == -INFINITE {
            // There was no other move but the excluded one.
            return alpha;
        }
        debug_assert!(is_bound(bound, best, alpha, beta), "{bound:?} {best} in {alpha}..{beta}");
        if whole && !(N::ROOT && self.first_root_move > 0) {
            self.shared.table.store(
                key,
                Entry {
                    mv: self.game.map_move(best_move, symmetry),
                    score: score_to_table(best, ply),
                    eval: raw_eval,
                    depth: depth_asked,
                    bound,
                },
            );
        }
        best
    }

    /// Asks whether the table's move stands alone: are all others, searched to half the depth, clearly worse than
    /// what the table says of it? (Singular extensions: Anantharaman, Campbell, Hsu 1988.)
    #[expect(clippy::too_many_arguments, reason = "all that the node knows")]
    fn singularity(
        &mut self,
        pos: &G::Position,
        ply: usize,
        depth: i32,
        beta: i32,
        cut: bool,
        entry: &Entry,
        table_move: Move,
    ) -> Singularity {
        let score = score_from_table(entry.score, ply);
        let runaway = ply >= 2 * self.iteration as usize;
        let known = entry.bound != Bound::Upper && entry.depth >= depth - 3;
        if !known || is_known(score) || runaway || self.exact {
            return Singularity::Extension(0);
        }
        let limit = score - 2 * depth;
        self.excluded[ply] = table_move;
        let best_other = self.node::<Zero>(pos, ply, (depth - 1) / 2, limit - 1, limit, cut);
        self.excluded[ply] = Move::NONE;
        if best_other < limit {
            Singularity::Extension(1)
        } else if limit >= beta {
            // Several moves are too good.
            Singularity::Cutoff(limit)
        } else {
            Singularity::Extension(if score >= beta { -1 } else { 0 })
        }
    }

    /// Scores the position after passing the turn, at reduced depth.
    fn null_move(&mut self, pos: &G::Position, ply: usize, depth: i32, beta: i32, cut: bool) -> i32 {
        let passed = self.game.pass(pos);
        let base = self.base;
        self.base = self.keys.len();
        self.keys.push(self.game.key(&passed));
        self.announce(&passed, ply + 1);
        self.previous[ply + 1] = usize::MAX;
        let reduction = 3 + depth / 4;
        let score = -self.node::<Zero>(&passed, ply + 1, depth - reduction, -beta, -beta + 1, !cut);
        self.unmake(base);
        score
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_settle_only_what_lies_beyond_them() {
        for (score, lower, upper) in [(9, false, true), (10, false, true), (15, false, false), (20, true, false)] {
            assert!(settles(Bound::Exact, score, 10, 20), "{score}");
            assert_eq!(settles(Bound::Lower, score, 10, 20), lower, "at least {score}");
            assert_eq!(settles(Bound::Upper, score, 10, 20), upper, "at most {score}");
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

    #[test]
    fn late_moves_are_reduced_more_and_more() {
        let table = reduction_table();
        assert!(table[0].iter().chain(table.iter().map(|row| &row[0])).all(|&reduction| reduction == 0));
        for depth in 1..64 {
            assert_eq!(table[depth][1], 0, "the first move at depth {depth}");
            assert!(table[depth].is_sorted() && (0..63).all(|i| table[i][depth] <= table[i + 1][depth]));
        }
        assert_eq!((table[3][3], table[8][8], table[63][63]), (1, 2, 8));
    }
}
