//! Proofs: the true value of a position from which every line soon ends where an oracle knows the value.
//!
//! In the placing phase every move is irreversible and the phase is short. So a search without any pruning or reduction
//! reaches positions of the tablebases on every line. Two questions are answered: can the side to move at least draw,
//! and can it win? Each is a boolean search. A position that the oracle does not know counts against the claim, so that
//! every proof is certain.
//!
//! Answers are stored in the hash table under keys of their own. Threads search the same tree with different move
//! orders near the root and share their answers there.

use crate::game::value::Oracle;
use crate::game::{Move, Searchable, Verdict};
use crate::search::MAX_PLY;
use crate::search::hash::{Bound, Entry};
use crate::search::tree::worker::Shared;
use crate::search::tunables;
use std::sync::atomic::Ordering::Relaxed;

/// The nodes between two polls of the stop flag.
const POLL_INTERVAL: u64 = 1024;

/// A question about the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Question {
    /// Whether it at least draws.
    Draws,
    /// Whether it wins.
    Wins,
}

impl Question {
    /// Returns the question about the opponent after a move: the move answers yes if the opponent's answer is no.
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
pub(in crate::search) struct Proved {
    pub verdict: Verdict,
    /// A move that preserves the value, unless it is lost.
    pub best: Option<Move>,
}

/// Returns whether a proof is worth trying: all moves of the position are irreversible, and the oracle knows the
/// position at the end of a line of such moves without captures.
pub(in crate::search) fn is_provable<G: Searchable>(
    game: &G,
    oracle: &dyn Oracle<G::Position>,
    pos: &G::Position,
) -> bool {
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
pub(in crate::search) struct Prover<'a, G: Searchable> {
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
    pub(in crate::search) fn new(
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

    /// Returns the value of the root. Returns `None` if stopped, if the oracle does not know enough, or if the hash
    /// table has lost the move that preserves the value.
    pub(in crate::search) fn prove(&mut self, pos: &G::Position) -> Option<Proved> {
        // A draw if it can draw and cannot win; each answer is searched under the assumption that makes it safe.
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
        // The nodes since the last poll.
        self.shared.counts[self.id].nodes.store(self.nodes, Relaxed);
        (!self.stopped).then_some(answer)
    }

    /// Returns a verdict with the move that has answered a question about the root.
    fn with_kept_move(&self, pos: &G::Position, question: Question, verdict: Verdict) -> Option<Proved> {
        let (key, symmetry) = self.key(pos, question);
        let mv = self.game.unmap_move(self.shared.hash.probe(key)?.mv, symmetry);
        self.game.is_legal(pos, mv).then_some(Proved { verdict, best: Some(mv) })
    }

    /// Returns the hash key of an answer: one for each question and each assumption, and none of them that of the
    /// position.
    #[inline]
    fn key(&self, pos: &G::Position, question: Question) -> (u64, u8) {
        let (key, symmetry) = self.game.hash_key(pos);
        let mark: u64 = match (question, self.unknown_is_loss(pos)) {
            (Question::Draws, false) => 0x8000_0000_0000_0000,
            (Question::Draws, true) => 0xA000_0000_0000_0000,
            (Question::Wins, false) => 0xC000_0000_0000_0000,
            (Question::Wins, true) => 0xE000_0000_0000_0000,
        };
        (key ^ mark, symmetry)
    }

    /// Returns whether the side to move counts as lost where the oracle does not know.
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
        self.shared.control.sleep_while_paused(self.id == 0, self.shared.nodes(), None);
        self.stopped = self.shared.is_over();
    }

    /// Returns the answer that needs no search.
    #[inline]
    fn immediate_answer(&self, pos: &G::Position, question: Question) -> Option<bool> {
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
            // The oracle does not know it, and not every line from here leads to positions that it knows.
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

    /// Returns whether one of the moves from an index on answers yes, and which.
    fn try_moves(&mut self, pos: &G::Position, question: Question, ply: usize, first: usize) -> (bool, Move) {
        let asked = question.of_opponent();
        // Moves answered without a search come first, and the rest is sorted.
        let mut kept = first;
        for i in first..self.moves.len() {
            let mv = self.moves[i].1;
            let next = self.game.play(pos, mv);
            let (key, _) = self.key(&next, asked);
            self.shared.hash.prefetch(key);
            match self.immediate_answer(&next, asked) {
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
        let by_evaluation = ply < tunables::proof_evaluated_plies() as usize;
        for i in first..end {
            let (rank, mv) = self.moves[i];
            if rank == i32::MIN {
                continue;
            }
            let rank = if mv == known {
                i32::MAX
            } else if by_evaluation {
                let noise = if ply < tunables::proof_parting_plies() as usize { noise(self.id, mv) } else { 0 };
                noise - self.game.evaluate(&self.game.play(pos, mv))
            } else {
                let tactical = i32::from(self.game.is_tactical(pos, mv)) * 100_000;
                let history = self.history[side * crate::game::HISTORY_SIZE + self.game.history_index(mv)];
                tactical + self.game.order(pos, &hints, mv) + (history >> 4).min(50_000) as i32
            };
            self.moves[i].0 = rank;
        }
        by_rank(&mut self.moves[first..end]);
    }
}

/// Sorts moves by rank. This is not generic over the game: sorting is much code.
fn by_rank(moves: &mut [(i32, Move)]) {
    moves.sort_unstable_by_key(|&(rank, mv)| (std::cmp::Reverse(rank), mv.bits()));
}

/// Returns an offset in centistones by which the move order of a thread differs from that of the main one.
fn noise(id: usize, mv: Move) -> i32 {
    (mv.bits().wrapping_mul(id as u32 * 7919) >> 8) as i32 % 40
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::value::Value;
    use crate::game::{Game, HISTORY_SIZE, Notation};
    use crate::morris::{FLYING, Morris, Position, Rules, rules};
    use crate::play::Play;
    use crate::search::control::Control;
    use crate::search::driver::team;
    use crate::search::hash::HashTable;
    use crate::search::limits::Limits;
    use crate::search::request::Request;
    use crate::search::tree::worker::Team;
    use crate::smess::{self, Smess};
    use std::collections::HashMap;
    use std::sync::Arc;

    type Flying = Morris<FLYING>;

    fn game(stones: u8) -> Flying {
        Morris::new(Rules { stones, ..rules::MORRIS })
    }

    /// Returns an arbitrary verdict, always the same for a position and those symmetric to it.
    fn any_verdict(pos: &Position, salt: u64) -> Verdict {
        let (key, _) = game(9).hash_key(pos);
        [Verdict::Win, Verdict::Draw, Verdict::Draw, Verdict::Loss][fastrand::Rng::with_seed(key ^ salt).usize(..4)]
    }

    /// An oracle with arbitrary verdicts for the positions in which all stones have been placed.
    struct MadeUp {
        salt: u64,
    }

    impl Oracle<Position> for MadeUp {
        fn verdict(&self, pos: &Position) -> Option<Verdict> {
            (pos.own_hand() + pos.opp_hand() == 0).then(|| any_verdict(pos, self.salt))
        }

        fn value(&self, _: &Position) -> Option<Value> {
            None
        }
    }

    /// Returns the start of a game with a few stones each, after some random placements.
    fn opening(stones: u8, placed: usize, rng: &mut fastrand::Rng) -> Play<Flying> {
        let mut play = Play::new(game(stones));
        for _ in 0..placed {
            let moves = play.game.moves(play.position());
            play.push(*rng.choice(&moves).expect("a point is free"));
        }
        play
    }

    fn team_of(play: &Play<Flying>, threads: usize) -> Arc<Team<Flying>> {
        let (limits, hash) = (Limits::default(), Arc::new(HashTable::new(1).expect("a MiB")));
        let control = Arc::new(Control::new(false));
        team(play, None, &Request::plain(&limits, &hash, &control), threads)
    }

    /// Returns the value by plain minimax down to the positions of the oracle: -1, 0 or 1 for the side to move.
    fn minimax(game: &Flying, oracle: &MadeUp, pos: &Position, memory: &mut HashMap<u64, i32>) -> i32 {
        let verdict = game.decided(pos).map(|ending| ending.verdict).or_else(|| oracle.verdict(pos));
        if let Some(verdict) = verdict {
            return value(verdict);
        }
        let key = game.key(pos);
        if let Some(&value) = memory.get(&key) {
            return value;
        }
        let values = game.moves(pos).into_iter().map(|mv| -minimax(game, oracle, &game.play(pos, mv), memory));
        let value = values.max().expect("a stone can be placed");
        memory.insert(key, value);
        value
    }

    const fn value(verdict: Verdict) -> i32 {
        match verdict {
            Verdict::Loss => -1,
            Verdict::Draw => 0,
            Verdict::Win => 1,
        }
    }

    /// Every thread proves the value of minimax. The order of moves affects only the nodes, and how often which side
    /// had a deciding move.
    #[test]
    fn values_are_those_of_minimax_in_so_many_nodes() {
        let mut totals = Vec::new();
        for id in 0..3 {
            let mut rng = fastrand::Rng::with_seed(17);
            let (mut nodes, mut hits, mut deciding) = (0, 0, [0, 0]);
            for salt in 0..12 {
                let play = opening(4, 4, &mut rng);
                let (pos, oracle) = (play.position(), MadeUp { salt });
                let team = team_of(&play, 3);
                let mut prover = Prover::new(&team.shared, play.game, &oracle, id, pos);
                let proved = prover.prove(pos).expect("all endings are known");
                let mut memory = HashMap::new();
                assert_eq!(value(proved.verdict), minimax(&play.game, &oracle, pos, &mut memory), "{}", play.fen());
                if let Some(best) = proved.best {
                    let next = play.game.play(pos, best);
                    let after = -minimax(&play.game, &oracle, &next, &mut memory);
                    assert_eq!(after, value(proved.verdict), "{} {}", play.fen(), play.game.move_text(best));
                }
                assert_eq!(proved.best.is_none(), proved.verdict == Verdict::Loss);
                assert_eq!(prover.nodes, team.shared.nodes());
                nodes += prover.nodes;
                hits += team.shared.tablebase_hits();
                for (side, count) in deciding.iter_mut().enumerate() {
                    *count += prover.history[side * HISTORY_SIZE..][..HISTORY_SIZE].iter().sum::<u32>();
                }
            }
            totals.push((nodes, hits, deciding));
        }
        assert_eq!(totals, [(8_696, 30_532, [30, 480]), (8_644, 29_944, [30, 480]), (8_662, 30_598, [32, 480])]);
    }

    /// The move found by the search before the proof comes first. Near the root the others are ordered by the
    /// evaluation after them, with a different order for each thread at the top; deeper by kind, static order and
    /// history.
    #[test]
    fn moves_are_sorted_by_what_promises_most() {
        let play = Play::set_up(game(9), Some("O1O/3/3/6/3/3/X1X w 7 7 0 3"), []).expect("a position");
        let (game, pos) = (play.game, play.position());
        let (moves, hints) = (game.moves(pos), game.hints(pos));
        let known = *moves.last().expect("a move");
        let side = game.side(pos) as usize;
        for id in [0, 1] {
            let team = team_of(&play, 2);
            let (key, symmetry) = game.hash_key(pos);
            let entry = Entry { mv: game.map_move(known, symmetry), score: 0, eval: 0, depth: 9, bound: Bound::Lower };
            team.shared.hash.store(key, entry);
            let mut prover = Prover::new(&team.shared, game, &MadeUp { salt: 0 }, id, pos);
            for (i, &mv) in (0..).zip(&moves) {
                prover.history[side * HISTORY_SIZE + game.history_index(mv)] = [0, 15, 160, 8_000, 40_000_000][i % 5];
                // The history of the other side does not count.
                prover.history[(1 - side) * HISTORY_SIZE + game.history_index(mv)] = 1_000_000;
            }
            for ply in [0, 5, 6, 13, 14, 20] {
                let rank = |mv: Move| {
                    if mv == known {
                        i32::MAX
                    } else if ply < 14 {
                        let noise = if ply < 6 { noise(id, mv) } else { 0 };
                        noise - game.evaluate(&game.play(pos, mv))
                    } else {
                        let learned = prover.history[side * HISTORY_SIZE + game.history_index(mv)] / 16;
                        let tactical = if game.is_tactical(pos, mv) { 100_000 } else { 0 };
                        tactical + game.order(pos, &hints, mv) + learned.min(50_000) as i32
                    }
                };
                let mut expected: Vec<(i32, Move)> = moves.iter().map(|&mv| (rank(mv), mv)).collect();
                expected.sort_by_key(|&(rank, mv)| (std::cmp::Reverse(rank), mv.bits()));
                // An answered move remains behind the others, and moves before the range are unchanged.
                let answered = (i32::MIN, moves[0]);
                expected.retain(|&(_, mv)| mv != answered.1);
                expected.push(answered);
                prover.moves = vec![(7, known)];
                prover.moves.extend(moves.iter().map(|&mv| if mv == answered.1 { answered } else { (0, mv) }));
                let end = prover.moves.len();
                prover.sort(pos, ply, 1, end);
                assert_eq!(prover.moves[0], (7, known));
                assert_eq!(prover.moves[1..], expected, "thread {id}, ply {ply}");
            }
        }
        assert!(moves.iter().any(|&mv| game.is_tactical(pos, mv)), "a mill is closed");
    }

    /// Answers that took more nodes outlive others in the hash table.
    #[test]
    fn answers_are_kept_by_what_they_took() {
        let mut rng = fastrand::Rng::with_seed(18);
        for salt in 0..8 {
            let play = opening(4, 4, &mut rng);
            let (pos, oracle) = (play.position(), MadeUp { salt });
            let team = team_of(&play, 1);
            let mut prover = Prover::new(&team.shared, play.game, &oracle, 0, pos);
            for question in [Question::Draws, Question::Wins] {
                let before = prover.nodes;
                let answer = prover.ask(pos, question).expect("not stopped");
                let below = (prover.nodes - before - 1).max(1);
                let entry = team.shared.hash.probe(prover.key(pos, question).0).expect("kept");
                let expected = (i32::from(answer), 4 * below.ilog2() as i32, Bound::Exact);
                assert_eq!((entry.score, entry.depth, entry.bound), expected, "{} {question:?}", play.fen());
            }
        }
    }

    #[test]
    fn only_the_helpers_stray_from_the_order() {
        let of = |id| [1, 77, 600, 1_234, 9_999].map(|bits| noise(id, Move::from_bits(bits)));
        assert_eq!(of(0), [0; 5]);
        // 1 * 7919 / 256 is 30, and so on.
        assert_eq!((of(1), of(2)), ([30, 21, 0, 12, 25], [21, 3, 0, 24, 10]));
        assert!((1..64).all(|id| of(id).iter().all(|noise| (0..40).contains(noise))));
    }

    /// No answer is mistaken for that to another question, or for the entry of a search.
    #[test]
    fn answers_have_keys_of_their_own() {
        struct Silent;
        impl Oracle<crate::smess::Position> for Silent {
            fn verdict(&self, _: &crate::smess::Position) -> Option<Verdict> {
                None
            }

            fn value(&self, _: &crate::smess::Position) -> Option<Value> {
                None
            }
        }
        let mut play = Play::new(Smess::new(smess::Rules::default()));
        let (limits, hash) = (Limits::default(), Arc::new(HashTable::tiny(1)));
        let control = Arc::new(Control::new(false));
        let team = team(&play, None, &Request::plain(&limits, &hash, &control), 1);
        let mut prover = Prover::new(&team.shared, play.game, &Silent, 0, play.position());
        let mut rng = fastrand::Rng::with_seed(4);
        let mut keys = Vec::new();
        while play.ending().is_none() && keys.len() < 100 {
            let pos = play.position();
            keys.push(play.game.hash_key(pos).0);
            for unknown_loses_for_root in [false, true] {
                prover.unknown_loses_for_root = unknown_loses_for_root;
                keys.extend([Question::Draws, Question::Wins].map(|question| prover.key(pos, question).0));
            }
            play.push(*rng.choice(&play.game.moves(pos)).expect("a move"));
        }
        let count = keys.len();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!((keys.len(), count), (100, 100));
    }

    /// Every line from the position has to end where the oracle knows the value, and that cannot be the position
    /// itself.
    #[test]
    fn a_proof_is_tried_only_where_it_can_succeed() {
        struct Knows(Option<Verdict>);
        impl Oracle<Position> for Knows {
            fn verdict(&self, _: &Position) -> Option<Verdict> {
                self.0
            }

            fn value(&self, _: &Position) -> Option<Value> {
                None
            }
        }
        let provable = |fen: Option<&str>, known| {
            let play = Play::set_up(game(4), fen, []).expect("a position");
            is_provable(&play.game, &Knows(known), play.position())
        };
        for verdict in [Verdict::Win, Verdict::Draw, Verdict::Loss] {
            assert!(provable(None, Some(verdict)));
        }
        assert!(!provable(None, None));
        let last_stone = "O1O/3/3/6/X1X/X2/3 w 1 1 0 4";
        assert!(provable(Some(last_stone), Some(Verdict::Draw)));
        for slides in ["O1O/3/3/O2O2/X1X/X2/3 w 0 0 0 5", "OOO/3/3/6/X1X/X1X/3 b 0 0 0 5"] {
            assert!(!provable(Some(slides), Some(Verdict::Draw)), "{slides}");
        }
    }
}
