//! Alpha-beta search of a node, step by step; `docs/search.md` has the reason and the value of each step.

use super::busy::Busy;
use super::move_list::{DEFERRED, HASH_MOVE, Scored, pick};
use super::node_type::{NodeType, Pv, Zero};
use super::worker::{Worker, is_bound};
use super::workspace::NO_EVAL;
use crate::game::{Move, Searchable, Side};
use crate::platform::PREFETCHES;
use crate::search::hash::{Bound, Entry, score_from_hash, score_to_hash};
use crate::search::score::{DRAW, INFINITE, KNOWN_BOUND, is_known, mate_in, mated_in};
use crate::search::tunables;
use std::ops::Range;

/// The treatment of the hash move.
enum Singularity {
    /// It is searched deeper by this number of plies.
    Extension(i32),
    /// It is not searched: the node has this score.
    Cutoff(i32),
}

/// The state of a node before it searches its moves.
struct Node {
    ply: usize,
    depth: i32,
    beta: i32,
    /// Whether the parent expects this node to fail high.
    cut: bool,
    key: u64,
    side: Side,
    hash_move: Move,
    /// Plies by which the hash move is extended.
    extension: i32,
    /// The move excluded, in a singular search.
    excluded: Move,
    threatened: bool,
    improving: bool,
    eval: i32,
    /// Whether pruning is allowed here.
    may_prune: bool,
    /// Whether moves that other threads are searching are deferred.
    deferring: bool,
}

impl Node {
    /// Returns whether the node is searched with all its moves.
    const fn is_whole(&self) -> bool {
        self.excluded.is_none()
    }
}

/// The result of searching the moves.
struct Outcome {
    best: i32,
    best_move: Move,
    bound: Bound,
}

/// The moves of a node, generated as late as possible.
struct Moves {
    /// Their beginning on the stack of moves.
    first: usize,
    /// The index of the next one.
    index: usize,
    /// Whether only the hash move has been generated.
    unlisted: bool,
    /// The number of searched moves, the current one included, and of quiet ones among them.
    number: usize,
    quiets: i32,
}

/// A move about to be searched.
struct Candidate<P> {
    mv: Move,
    tactical: bool,
    /// Its index on the stack of moves.
    index: usize,
    /// The position after it.
    next: P,
    /// The key of that position, whose hash entry is being prefetched.
    key: (u64, u8),
}

impl<G: Searchable> Worker<'_, G> {
    /// Searches a position to a nominal depth; the score is exact within the window, otherwise a bound.
    pub(in crate::search) fn node<N: NodeType>(
        &mut self,
        pos: &G::Position,
        ply: usize,
        depth: i32,
        mut alpha: i32,
        mut beta: i32,
        cut: bool,
    ) -> i32 {
        // Step 1. At the horizon only tactical moves are searched.
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
        // Step 2. Scores known without a search, and bounds from the distance to the root.
        if !N::ROOT {
            if let Some(score) = self.immediate_score::<N>(pos, ply) {
                return score;
            }
            (alpha, beta) = (alpha.max(mated_in(ply)), beta.min(mate_in(ply + 1)));
            if alpha >= beta {
                return alpha;
            }
        }
        // Step 3. The transposition table.
        let (key, symmetry) = self.hash_keys[ply];
        let entry = self.shared.hash.probe(key);
        if let Some(entry) = &entry
            && !N::PV
            && self.excluded[ply].is_none()
            && entry.depth >= depth
            && let Some(score) = self.hash_cutoff(entry, ply, alpha, beta)
        {
            return score;
        }
        // A singular search already knows that its position is not among these.
        if !N::ROOT
            && self.excluded[ply].is_none()
            && let Some(score) = self.won_score(pos, ply, depth)
        {
            return score;
        }
        // Step 4. The static evaluation, corrected by the score of the hash table.
        let raw_eval = self.static_eval(pos, entry.as_ref());
        let mut node = self.describe::<N>(pos, ply, depth, (alpha, beta), cut, entry.as_ref(), raw_eval);
        // Step 5. Prune the node as a whole.
        if node.may_prune
            && let Some(score) = self.prune(pos, &node, alpha)
        {
            return score;
        }
        // Step 6. Without a hash move a shallower search soon finds one.
        if node.depth >= tunables::internal_reduction_depth() && node.hash_move.is_none() && !N::ROOT && !self.exact {
            node.depth -= 1;
        }
        // Step 7. Whether the hash move is the only good one.
        if !N::ROOT
            && node.is_whole()
            && node.depth >= tunables::singular_depth()
            && let Some(entry) = &entry
            && !node.hash_move.is_none()
        {
            match self.singularity(pos, &node, entry) {
                Singularity::Extension(plies) => node.extension = plies,
                Singularity::Cutoff(score) => return score,
            }
            if self.stopped {
                return DRAW;
            }
        }
        // Step 8. Search the moves.
        node.deferring = self.shared.busy.active() && node.depth >= tunables::deferring_depth();
        let Some(Outcome { best, best_move, bound }) = self.search_moves::<N>(pos, &node, alpha) else {
            return DRAW;
        };
        if best == -INFINITE {
            // There is no move, or only the excluded one.
            return if N::ROOT || !node.is_whole() { alpha } else { mated_in(ply) };
        }
        // Step 9. Store the result.
        if node.is_whole() && !(N::ROOT && self.first_root_move > 0) {
            let mv = self.game.map_move(best_move, symmetry);
            let entry = Entry { mv, score: score_to_hash(best, ply), eval: raw_eval, depth, bound };
            self.shared.hash.store(key, entry);
        }
        best
    }

    /// Returns the state of a node before it searches its moves.
    #[inline(always)]
    #[expect(clippy::too_many_arguments, reason = "the parameters of the node, and what it has found out so far")]
    fn describe<N: NodeType>(
        &mut self,
        pos: &G::Position,
        ply: usize,
        depth: i32,
        (alpha, beta): (i32, i32),
        cut: bool,
        entry: Option<&Entry>,
        raw_eval: i32,
    ) -> Node {
        let threatened = self.game.is_threatened(pos);
        self.evals[ply] = if threatened { NO_EVAL } else { raw_eval };
        self.history.clear_killers(ply + 1);
        let excluded = self.excluded[ply];
        let (key, symmetry) = self.hash_keys[ply];
        Node {
            ply,
            depth,
            beta,
            cut,
            key,
            side: self.game.side(pos),
            hash_move: entry.map_or(Move::NONE, |entry| self.game.unmap_move(entry.mv, symmetry)),
            extension: 0,
            excluded,
            threatened,
            improving: !threatened && ply >= 2 && raw_eval > self.evals[ply - 2],
            eval: corrected(raw_eval, entry, ply),
            may_prune: excluded.is_none()
                && !N::PV
                && !threatened
                && !self.exact
                && !is_known(beta)
                && !is_known(alpha),
            deferring: false,
        }
    }

    /// Returns the score of a node that need not be searched move by move, or `None` if it must be.
    #[inline(always)]
    fn prune(&mut self, pos: &G::Position, node: &Node, alpha: i32) -> Option<i32> {
        let &Node { ply, depth, beta, cut, eval, .. } = node;
        // Reverse futility: so far ahead that the last plies will not change it.
        let margin = tunables::reverse_futility_margin() * (depth - i32::from(node.improving));
        if depth <= tunables::reverse_futility_depth() && eval - margin >= beta {
            return Some(eval);
        }
        // Razoring: so far behind that only tactics could help.
        if depth <= tunables::razoring_depth()
            && eval + tunables::razoring_margin() + tunables::razoring_margin_per_ply() * depth <= alpha
        {
            let score = self.quiesce::<Zero>(pos, ply, 0, alpha, beta);
            if score <= alpha || self.stopped {
                return Some(score);
            }
        }
        // Null move: so far ahead that even passing would suffice.
        let passed_before = self.previous[ply] == usize::MAX;
        if depth >= tunables::null_move_depth() && eval >= beta && !passed_before && self.game.allows_null(pos) {
            let score = self.null_move(pos, ply, depth, beta, cut);
            if self.stopped {
                return Some(DRAW);
            }
            if score >= beta {
                return Some(if is_known(score) { beta } else { score });
            }
        }
        None
    }

    /// Scores the position after passing the turn, at reduced depth.
    fn null_move(&mut self, pos: &G::Position, ply: usize, depth: i32, beta: i32, cut: bool) -> i32 {
        let passed = self.game.pass(pos);
        let base = self.make_null(&passed, ply);
        let reduction = tunables::null_move_reduction() + depth / tunables::null_move_depth_per_reduction();
        let score = -self.node::<Zero>(&passed, ply + 1, depth - reduction, -beta, -beta + 1, !cut);
        self.unmake(base);
        score
    }

    /// Returns whether the hash move is singular: all others, searched to half the depth, score clearly below its hash
    /// score. (Singular extensions: Anantharaman, Campbell, Hsu 1988.)
    fn singularity(&mut self, pos: &G::Position, node: &Node, entry: &Entry) -> Singularity {
        let &Node { ply, depth, beta, cut, hash_move, .. } = node;
        let score = score_from_hash(entry.score, ply);
        let runaway = ply >= 2 * self.iteration as usize;
        let known = entry.bound != Bound::Upper && entry.depth >= depth - tunables::singular_depth_slack();
        if !known || is_known(score) || runaway || self.exact {
            return Singularity::Extension(0);
        }
        let limit = score - tunables::singular_margin_per_ply() * depth;
        self.excluded[ply] = hash_move;
        let best_other = self.node::<Zero>(pos, ply, (depth - 1) / 2, limit - 1, limit, cut);
        self.excluded[ply] = Move::NONE;
        if best_other < limit {
            Singularity::Extension(1)
        } else if limit >= beta {
            // Several moves fail high.
            Singularity::Cutoff(limit)
        } else {
            Singularity::Extension(if score >= beta { -1 } else { 0 })
        }
    }

    /// Searches the moves of a node, best first, until one fails high; returns `None` when stopped.
    #[inline(always)]
    fn search_moves<N: NodeType>(&mut self, pos: &G::Position, node: &Node, mut alpha: i32) -> Option<Outcome> {
        let mut moves = self.begin_moves::<N>(pos, node);
        let single_reply = !N::ROOT
            && node.is_whole()
            && node.depth >= tunables::single_reply_depth()
            && self.moves.len() - moves.first == 1;
        let mut found = Outcome { best: -INFINITE, best_move: Move::NONE, bound: Bound::Upper };
        let mut ahead = None;
        while let Some(candidate) =
            ahead.take().or_else(|| self.next_candidate::<N>(pos, node, &mut moves, found.best, alpha))
        {
            let Candidate { mv, tactical, .. } = candidate;
            // It was chosen before the last move was searched, which may have raised alpha.
            if !tactical && is_hopeless(node, &moves, found.best, alpha) {
                continue;
            }
            moves.number += 1;
            moves.quiets += i32::from(!tactical);
            // While this one is searched, the hash entry of the next is fetched from memory, which takes as long as a
            // node.
            if PREFETCHES && !node.deferring && moves.index < self.moves.len() {
                ahead = self.next_candidate::<N>(pos, node, &mut moves, found.best, alpha);
            }
            if N::ROOT
                && let Some(tell) = self.on_root_move
            {
                tell(node.depth, mv, self.first_root_move + moves.number);
            }
            let nodes_before = self.nodes;
            let extension = i32::from(single_reply) + if mv == node.hash_move { node.extension } else { 0 };
            let score = self.search_move::<N>(pos, node, &candidate, moves.number, extension, alpha);
            if self.stopped {
                self.moves.truncate(moves.first);
                return None;
            }
            let score = if N::ROOT { self.root_score(mv, score) } else { score };
            if N::ROOT {
                let bound = match score {
                    _ if score >= node.beta => Some(Bound::Lower),
                    _ if score > alpha => Some(Bound::Exact),
                    _ => (moves.number == 1).then_some(Bound::Upper),
                };
                self.note_root_move(mv, score, bound, nodes_before);
            }
            if score <= found.best {
                continue;
            }
            found.best = score;
            if score > alpha {
                found.best_move = mv;
                found.bound = Bound::Exact;
                if N::PV && !N::ROOT {
                    self.save_pv(node.ply, mv);
                }
                if score >= node.beta {
                    found.bound = Bound::Lower;
                    if !tactical {
                        self.learn_cutoff(pos, node, mv, moves.first..candidate.index);
                    }
                    break;
                }
                alpha = score;
            }
        }
        self.moves.truncate(moves.first);
        let Outcome { best, bound, .. } = found;
        debug_assert!(best == -INFINITE || is_bound(bound, best, alpha, node.beta), "{bound:?} {best}");
        Some(found)
    }

    /// Pushes the moves of a node on the stack of moves, or only the hash move: near the leaves it often suffices, and
    /// the others are generated only if it does not.
    #[inline(always)]
    fn begin_moves<N: NodeType>(&mut self, pos: &G::Position, node: &Node) -> Moves {
        let first = self.moves.len();
        let unlisted = !N::ROOT
            && node.is_whole()
            && node.depth < tunables::single_reply_depth()
            && self.game.is_legal(pos, node.hash_move);
        if unlisted {
            self.moves.push(Scored { mv: node.hash_move, score: HASH_MOVE });
        } else {
            self.list_moves::<N>(pos, node.ply, node.hash_move);
        }
        Moves { first, index: first, unlisted, number: 0, quiets: 0 }
    }

    /// Returns the next move to search. One that another thread is searching is deferred: by then its result is often
    /// in the hash table.
    #[inline(always)]
    fn next_move<N: NodeType>(&mut self, pos: &G::Position, node: &Node, moves: &mut Moves) -> Option<Move> {
        loop {
            if moves.index == self.moves.len() {
                if !moves.unlisted {
                    return None;
                }
                moves.unlisted = false;
                self.list_moves::<N>(pos, node.ply, node.hash_move);
                let again = self.moves[moves.index..].iter().position(|scored| scored.mv == node.hash_move);
                if let Some(again) = again {
                    self.moves.swap_remove(moves.index + again);
                }
                continue;
            }
            let Scored { mv, score: rank } = pick(&mut self.moves, moves.index);
            if node.deferring
                && moves.number > 0
                && rank >= DEFERRED
                && self.shared.busy.contains(Busy::key(node.key, mv))
            {
                self.moves[moves.index].score = DEFERRED - moves.index as i32;
                continue;
            }
            moves.index += 1;
            if mv != node.excluded {
                return Some(mv);
            }
        }
    }

    /// Returns the next move that is not hopeless, and prefetches the hash entry of the position after it.
    #[inline(always)]
    fn next_candidate<N: NodeType>(
        &mut self,
        pos: &G::Position,
        node: &Node,
        moves: &mut Moves,
        best: i32,
        alpha: i32,
    ) -> Option<Candidate<G::Position>> {
        loop {
            let mv = self.next_move::<N>(pos, node, moves)?;
            let tactical = self.game.is_tactical(pos, mv);
            if tactical || !is_hopeless(node, moves, best, alpha) {
                let next = self.game.play(pos, mv);
                let key = self.prefetch(&next);
                return Some(Candidate { mv, tactical, index: moves.index - 1, next, key });
            }
            if !node.deferring {
                // The later ones are quiet, too, and no more hopeful.
                moves.index = self.moves.len();
            }
        }
    }

    /// Searches a move. The first of a principal variation has the whole window, the others an empty one. They are
    /// searched less deeply the later they come, and again with more only if they turn out better than expected.
    #[inline(always)]
    fn search_move<N: NodeType>(
        &mut self,
        pos: &G::Position,
        node: &Node,
        candidate: &Candidate<G::Position>,
        number: usize,
        extension: i32,
        alpha: i32,
    ) -> i32 {
        let &Node { ply, depth, beta, cut, .. } = node;
        let &Candidate { mv, tactical, ref next, key, .. } = candidate;
        let index = self.game.history_index(mv);
        self.previous[ply + 1] = index;
        self.hash_keys[ply + 1] = key;
        if N::PV {
            // A search with an empty window leaves no line, and that of an earlier move does not belong here.
            self.pv[ply + 1].clear();
        }
        let base = self.make(pos, mv, next);
        let busy_key = if node.deferring { Busy::key(node.key, mv) } else { 0 };
        if node.deferring {
            self.shared.busy.enter(busy_key);
        }
        let full = depth - 1 + extension;
        let mut score = -INFINITE;
        let mut full_window = N::PV && number == 1;
        if !full_window {
            let reduced = full - self.reduction::<N>(node, (mv, index), number, tactical, full);
            score = -self.node::<Zero>(next, ply + 1, reduced, -alpha - 1, -alpha, true);
            if score > alpha && reduced < full && !self.stopped {
                score = -self.node::<Zero>(next, ply + 1, full, -alpha - 1, -alpha, !cut);
            }
            full_window = N::PV && score > alpha && score < beta && !self.stopped;
        }
        if full_window {
            score = -self.node::<Pv>(next, ply + 1, full, -beta, -alpha, false);
        }
        if node.deferring {
            self.shared.busy.leave(busy_key);
        }
        self.unmake(base);
        score
    }

    /// Returns by how many plies less than `full` a move is first searched.
    #[inline(always)]
    fn reduction<N: NodeType>(
        &self,
        node: &Node,
        (mv, index): (Move, usize),
        number: usize,
        tactical: bool,
        full: i32,
    ) -> i32 {
        let late = node.depth >= tunables::reduction_depth() && number > 1 + usize::from(N::PV);
        if !late || node.threatened || self.exact {
            return 0;
        }
        let row = &self.reductions[node.depth.min(63) as usize];
        let mut reduction = i32::from(row[number.min(63)]);
        if tactical {
            reduction = if number > tunables::tactical_reduction_from() as usize { (reduction + 1) / 2 } else { 0 };
        } else {
            reduction += i32::from(node.cut) + i32::from(!node.improving) - i32::from(N::PV);
            reduction -= i32::from(self.history.is_killer(node.ply, mv));
            reduction -= self.history.of_move(node.side, index) / tunables::history_per_ply();
        }
        reduction.clamp(0, full - 1)
    }

    /// Rewards the quiet move that caused a cutoff, and punishes those tried before it.
    #[inline(always)]
    fn learn_cutoff(&mut self, pos: &G::Position, node: &Node, mv: Move, tried: Range<usize>) {
        let previous = self.previous_index(node.ply);
        let Worker { game, moves, history, .. } = self;
        let tried = moves[tried].iter().map(|tried| tried.mv);
        let tried = tried.filter(|&other| !game.is_tactical(pos, other));
        let tried = tried.map(|other| game.history_index(other));
        history.cutoff(node.side, node.ply, node.depth, (mv, game.history_index(mv)), tried, previous);
    }
}

/// Returns the static evaluation, or the score of the hash table if it is more informative.
#[inline(always)]
fn corrected(eval: i32, entry: Option<&Entry>, ply: usize) -> i32 {
    let Some(entry) = entry else { return eval };
    let score = score_from_hash(entry.score, ply);
    let better = match entry.bound {
        Bound::Exact => true,
        Bound::Lower => score > eval,
        Bound::Upper => score < eval,
    };
    if better && !is_known(score) { score } else { eval }
}

/// Returns whether a quiet move need not be searched: it comes late, or even a large gain would not reach the window.
#[inline(always)]
fn is_hopeless(node: &Node, moves: &Moves, best: i32, alpha: i32) -> bool {
    let &Node { depth, eval, .. } = node;
    if !node.may_prune || moves.number == 0 || best <= -KNOWN_BOUND {
        return false;
    }
    let late = tunables::late_moves() + depth * depth * if node.improving { 2 } else { 1 };
    (depth <= tunables::late_move_depth() && moves.quiets > late)
        || (depth <= tunables::futility_depth()
            && eval + tunables::futility_margin() + tunables::futility_margin_per_ply() * depth <= alpha)
}

#[cfg(test)]
mod tests {
    use super::super::workspace::Workspace;
    use super::*;
    use crate::play::Play;
    use crate::search::control::Control;
    use crate::search::driver::team;
    use crate::search::hash::HashTable;
    use crate::search::limits::Limits;
    use crate::search::request::Request;
    use crate::smess::{Rules, Smess};
    use std::sync::Arc;

    /// A win although the opponent may move twice is not proved: the score is a bound like any other.
    #[test]
    fn a_win_after_passing_is_no_proof() {
        let game = Smess::new(Rules::default());
        let mut rng = fastrand::Rng::with_seed(5);
        let mut wins = 0;
        for _ in 0..400 {
            let mut board = ['1'; 56];
            for (piece, square) in "BSSb".chars().zip(rng.choose_multiple(0..56, 4)) {
                board[square] = piece;
            }
            let ranks: Vec<String> = board.chunks(7).map(|rank| rank.iter().collect()).collect();
            let fen = format!("{} w", ranks.join("/"));
            let play = Play::set_up(game, Some(&fen), []).unwrap_or_else(|fault| panic!("{fen}: {fault}"));
            let (hash, control) = (Arc::new(HashTable::tiny(64)), Arc::new(Control::new(false)));
            let limits = Limits::default();
            let team = team(&play, None, &Request::plain(&limits, &hash, &control), 1);
            let mut worker = Worker::new(&team, 0, &[], &mut Workspace::default());
            let pos = play.position();
            worker.begin(pos);
            let eval = worker.static_eval(pos, None);
            let node = worker.describe::<Zero>(pos, 0, 8, (eval - 1, eval), true, None, eval);
            if !node.may_prune || game.can_win_now(pos) || worker.null_move(pos, 0, 8, eval, true) < KNOWN_BOUND {
                continue;
            }
            assert_eq!(worker.prune(pos, &node, eval - 1), Some(eval), "{fen}");
            wins += 1;
        }
        assert!(wins >= 5, "{wins}");
    }

    /// Moves that another thread is searching come after the others, in the same order, and are searched nevertheless.
    #[test]
    fn moves_of_other_threads_come_last() {
        let play = Play::new(Smess::new(Rules::default()));
        let (hash, control) = (Arc::new(HashTable::tiny(64)), Arc::new(Control::new(false)));
        let limits = Limits::default();
        let team = team(&play, None, &Request::plain(&limits, &hash, &control), 2);
        let mut worker = Worker::new(&team, 0, &[], &mut Workspace::default());
        let pos = play.position();
        worker.begin(pos);
        let eval = worker.static_eval(pos, None);
        let mut order = |deferring| {
            let mut node = worker.describe::<Zero>(pos, 0, 8, (eval - 1, eval), true, None, eval);
            node.deferring = deferring;
            let mut moves = worker.begin_moves::<Zero>(pos, &node);
            let mut order = Vec::new();
            while let Some(mv) = worker.next_move::<Zero>(pos, &node, &mut moves) {
                moves.number += 1;
                order.push(mv);
            }
            worker.moves.truncate(moves.first);
            (order, node.key)
        };
        let (plain, key) = order(true);
        assert!(plain.len() > 8);
        // The first move is searched even if others search it.
        for index in [0, 1, 2, 5] {
            team.shared.busy.enter(Busy::key(key, plain[index]));
        }
        let mut expected = plain.clone();
        for index in [5, 2, 1] {
            expected.remove(index);
        }
        expected.extend([1, 2, 5].map(|index| plain[index]));
        assert_eq!(order(true).0, expected);
        assert_eq!(order(false).0, plain);
    }
}
