//! Proofs: the true value of a position from which every line soon ends where an oracle knows the value.
//!
//! In the placing phase every move is irreversible and the phase is short, so that a search without any pruning
//! or reduction reaches positions of the tablebases on every line. Two questions are asked: can the side to move
//! at least draw, can it win? Each is a search for true or false. A position that the oracle does not know counts
//! against what is to be proved, so that whatever is proved is certain.
//!
//! Answers are stored in the hash table under keys of their own. Threads search the same tree with different move
//! orders near the root and share their answers there.

use super::MAX_PLY;
use super::hash::{Bound, Entry};
use super::worker::Shared;
use crate::game::value::Oracle;
use crate::game::{Move, Searchable, Verdict};
use std::sync::atomic::Ordering::Relaxed;

/// Marks the hash keys of answers, with two more bits for the question and the assumption made.
const MARK: u64 = 1 << 63;
/// Nodes between two looks at the stop flag.
const POLL_INTERVAL: u64 = 1024;
/// Depth of the search before a proof is tried: its hash entries order the moves of the proof.
pub(super) const AFTER_DEPTH: i32 = 16;
/// Plies from the root on which moves are ordered by evaluation; deeper, the subtrees are not worth it.
const EVALUATED_PLIES: usize = 14;

/// What is asked about the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Question {
    /// Does it at least draw?
    Draws,
    /// Does it win?
    Wins,
}

impl Question {
    /// What is asked about the opponent after a move: the move answers yes if the opponent's answer is no.
    const fn of_opponent(self) -> Question {
        match self {
            Question::Draws => Question::Wins,
            Question::Wins => Question::Draws,
        }
    }

    const fn answer(self, verdict: Verdict) -> bool {
        match self {
            Question::Draws => !matches!(verdict, Verdict::Loss),
            Question::Wins => matches!(verdict, Verdict::Win),
        }
    }
}

/// A proved value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Proved {
    pub verdict: Verdict,
    /// A move that keeps the value, where it is not lost.
    pub best: Option<Move>,
}

/// Whether a proof is worth trying: all moves of the position are irreversible, and the oracle knows the position at
/// the end of a line of such moves without captures.
pub(super) fn is_provable<G: Searchable>(game: &G, oracle: &dyn Oracle<G::Position>, pos: &G::Position) -> bool {
    let mut pos = *pos;
    for ply in 0..MAX_PLY {
        let moves = game.moves(&pos);
        if game.decided(&pos).is_some() || !moves.iter().all(|&mv| game.is_irreversible(&pos, mv)) {
            return ply > 0 && oracle.verdict(&pos).is_some();
        }
        let Some(&next) = moves.iter().find(|&&mv| !game.is_tactical(&pos, mv)) else { return false };
        pos = game.play(&pos, next);
    }
    false
}

/// One thread of a proof.
pub(super) struct Prover<'a, G: Searchable> {
    game: G,
    oracle: &'a dyn Oracle<G::Position>,
    shared: &'a Shared,
    id: usize,
    nodes: u64,
    /// The side that moves at the root; a position unknown to the oracle counts as a loss of this side or of the other.
    root_side: crate::game::Side,
    unknown_loses_for_root: bool,
    stopped: bool,
    moves: Vec<(i32, Move)>,
    history: Vec<u32>,
}

impl<'a, G: Searchable> Prover<'a, G> {
    pub(super) fn new(
        shared: &'a Shared,
        game: G,
        oracle: &'a dyn Oracle<G::Position>,
        id: usize,
        pos: &G::Position,
    ) -> Prover<'a, G> {
        Prover {
            game,
            oracle,
            shared,
            id,
            nodes: shared.counts[id].nodes.load(Relaxed),
            root_side: game.side(pos),
            unknown_loses_for_root: true,
            stopped: false,
            moves: Vec::new(),
            history: vec![0; 2 * crate::game::HISTORY_SIZE],
        }
    }

    /// The value of the root; `None` if stopped, if the oracle does not know enough, or if the hash table has lost the
    /// move that keeps the value.
    pub(super) fn prove(&mut self, pos: &G::Position) -> Option<Proved> {
        // Draws if it can and cannot win; each answer is looked for under the assumption that makes it safe.
        self.unknown_loses_for_root = true;
        let draws = self.ask(pos, Question::Draws)?;
        if draws {
            self.unknown_loses_for_root = false;
            let wins = self.ask(pos, Question::Wins)?;
            if !wins {
                self.unknown_loses_for_root = true;
                return self.with_kept_move(pos, Question::Draws, Verdict::Draw);
            }
            self.unknown_loses_for_root = true;
            let wins = self.ask(pos, Question::Wins)?;
            return if wins { self.with_kept_move(pos, Question::Wins, Verdict::Win) } else { None };
        }
        self.unknown_loses_for_root = false;
        let draws = self.ask(pos, Question::Draws)?;
        (!draws).then_some(Proved { verdict: Verdict::Loss, best: None })
    }

    fn ask(&mut self, pos: &G::Position, question: Question) -> Option<bool> {
        let answer = self.node(pos, question, 0);
        // Those since the last look at the clock.
        self.shared.counts[self.id].nodes.store(self.nodes, Relaxed);
        (!self.stopped).then_some(answer)
    }

    /// A verdict with the move that has answered a question about the root.
    fn with_kept_move(&self, pos: &G::Position, question: Question, verdict: Verdict) -> Option<Proved> {
        let (key, symmetry) = self.key(pos, question);
        let mv = self.game.unmap_move(self.shared.hash.probe(key)?.mv, symmetry);
        self.game.is_legal(pos, mv).then_some(Proved { verdict, best: Some(mv) })
    }

    /// Hash key of an answer.
    #[inline]
    fn key(&self, pos: &G::Position, question: Question) -> (u64, u8) {
        let (key, symmetry) = self.game.hash_key(pos);
        let wins = u64::from(question == Question::Wins) << 62;
        let own_loss = u64::from(self.unknown_is_loss(pos)) << 61;
        (key ^ (MARK | wins | own_loss), symmetry)
    }

    /// Whether the side to move counts as lost where the oracle does not know.
    #[inline]
    fn unknown_is_loss(&self, pos: &G::Position) -> bool {
        (self.game.side(pos) == self.root_side) == self.unknown_loses_for_root
    }

    #[cold]
    fn poll(&mut self) {
        self.shared.counts[self.id].nodes.store(self.nodes, Relaxed);
        if self.id == 0 {
            self.shared.control.pulse();
        }
        self.stopped = self.shared.is_over();
    }

    /// The answer that needs no search.
    #[inline]
    fn at_once(&self, pos: &G::Position, question: Question) -> Option<bool> {
        if let Some(ending) = self.game.decided(pos) {
            return Some(question.answer(ending.verdict));
        }
        if let Some(verdict) = self.oracle.verdict(pos) {
            let hits = &self.shared.counts[self.id].tablebase_hits;
            hits.store(hits.load(Relaxed) + 1, Relaxed);
            return Some(question.answer(verdict));
        }
        None
    }

    fn node(&mut self, pos: &G::Position, question: Question, ply: usize) -> bool {
        self.nodes += 1;
        if self.nodes.is_multiple_of(POLL_INTERVAL) {
            self.poll();
        }
        if self.stopped {
            return false;
        }
        let (key, symmetry) = self.key(pos, question);
        let entry = self.shared.hash.probe(key);
        if let Some(entry) = entry.filter(|entry| entry.bound == Bound::Exact) {
            return entry.score > 0;
        }
        let nodes_before = self.nodes;
        let first = self.moves.len();
        let mut reversible = false;
        let Prover { game, moves, .. } = self;
        game.generate(pos, |mv| {
            reversible |= !game.is_irreversible(pos, mv);
            moves.push((0, mv));
        });
        if reversible {
            // The oracle does not know it, and not every line from here leads to positions it knows.
            self.moves.truncate(first);
            return !self.unknown_is_loss(pos);
        }
        let (answer, best) = self.try_moves(pos, question, ply, first);
        self.moves.truncate(first);
        if !self.stopped {
            let effort = (self.nodes - nodes_before).max(1).ilog2() as i32;
            let mv = self.game.map_move(best, symmetry);
            let score = i32::from(answer);
            self.shared.hash.store(key, Entry { mv, score, eval: 0, depth: 4 * effort, bound: Bound::Exact });
        }
        answer
    }

    /// Whether one of the moves from an index on answers yes, and which.
    fn try_moves(&mut self, pos: &G::Position, question: Question, ply: usize, first: usize) -> (bool, Move) {
        let asked = question.of_opponent();
        // What needs no search comes first, and the rest is sorted.
        let mut kept = first;
        for i in first..self.moves.len() {
            let mv = self.moves[i].1;
            let next = self.game.play(pos, mv);
            let (key, _) = self.key(&next, asked);
            self.shared.hash.prefetch(key);
            match self.at_once(&next, asked) {
                Some(false) => return (true, mv),
                Some(true) => {}
                None => {
                    self.moves[kept].1 = mv;
                    kept += 1;
                }
            }
        }
        self.moves.truncate(kept);
        let mut large = false;
        for i in first..kept {
            let next = self.game.play(pos, self.moves[i].1);
            let (key, _) = self.key(&next, asked);
            if let Some(entry) = self.shared.hash.probe(key).filter(|entry| entry.bound == Bound::Exact) {
                if entry.score == 0 {
                    return (true, self.moves[i].1);
                }
                self.moves[i].0 = i32::MIN;
            } else {
                large = true;
            }
        }
        if large {
            self.sort(pos, ply, first, kept);
        }
        for i in first..kept {
            let (rank, mv) = self.moves[i];
            if rank == i32::MIN {
                break;
            }
            let next = self.game.play(pos, mv);
            if !self.node(&next, asked, ply + 1) && !self.stopped {
                let side = self.game.side(pos) as usize;
                self.history[side * crate::game::HISTORY_SIZE + self.game.history_index(mv)] += 1;
                return (true, mv);
            }
            if self.stopped {
                break;
            }
        }
        (false, Move::NONE)
    }

    /// Sorts the moves not yet answered, most promising first.
    fn sort(&mut self, pos: &G::Position, ply: usize, first: usize, end: usize) {
        let hints = self.game.hints(pos);
        let (key, symmetry) = self.game.hash_key(pos);
        let known = self.shared.hash.probe(key).map_or(Move::NONE, |entry| self.game.unmap_move(entry.mv, symmetry));
        let side = self.game.side(pos) as usize;
        let by_evaluation = ply < EVALUATED_PLIES;
        for i in first..end {
            let (rank, mv) = self.moves[i];
            if rank == i32::MIN {
                continue;
            }
            let rank = if mv == known {
                i32::MAX
            } else if by_evaluation {
                // Threads part ways at the top of the tree.
                let noise = if ply < 6 { (mv.bits().wrapping_mul(self.id as u32 * 7919) >> 8) as i32 % 40 } else { 0 };
                noise - self.game.evaluate(&self.game.play(pos, mv))
            } else {
                let tactical = i32::from(self.game.is_tactical(pos, mv)) * 100_000;
                let history = self.history[side * crate::game::HISTORY_SIZE + self.game.history_index(mv)];
                tactical + self.game.order(pos, &hints, mv) + (history >> 4).min(50_000) as i32
            };
            self.moves[i].0 = rank;
        }
        self.moves[first..end].sort_unstable_by_key(|&(rank, mv)| (std::cmp::Reverse(rank), mv.bits()));
    }
}
