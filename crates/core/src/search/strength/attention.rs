//! The search of a player below full strength, which overlooks moves and misjudges others.
//!
//! A move is overlooked for the whole search, whatever is played before it. A player that does not see that a mill can
//! be closed does not see it after any of its own moves either. A move is easier to see the nearer it ends to the last
//! move of the game. The lower levels look one to three moves ahead and then at exchanges. Higher ones use the
//! [`search`], and overlook only their own moves.

use super::Weakness;
use crate::game::{Move, Searchable};
use crate::layout::Described;
use crate::play::Play;
use crate::search::Limits;
use crate::search::budget::budget;
use crate::search::driver::{root_moves, search};
use crate::search::report::{Found, Info, Line};
use crate::search::request::Request;
use crate::search::root::root_move::{RootMove, best_first, in_static_order};
use crate::search::score::{DRAW, INFINITE, is_known};
use crate::search::tree::worker::Worker;
use crate::splitmix::splitmix;
use std::cmp::Reverse;
use std::time::Duration;

/// The deepest search that also overlooks moves of the opponent.
const OWN_DEPTH: u32 = 3;
/// The plies for which exchanges are followed after the last ply.
const EXCHANGES: usize = 6;
/// The least value of a piece captured for nothing, in centistones.
const STONE: i32 = 100;
/// The nodes between two polls of the clock.
const POLL_INTERVAL: u64 = 64;

/// Searches as a player below full strength: without an oracle, to the depth of the player and within the limits. There
/// is a best move whenever there is a legal one.
///
/// ```
/// use millbrain_core::morris::{FLYING, Morris, rules};
/// use millbrain_core::play::Play;
/// use millbrain_core::search::strength::handicap;
/// use millbrain_core::search::{Control, HashTable, Limits, Request, Weakness, search_below_strength};
/// use std::sync::Arc;
///
/// // White can close a mill. A beginner sees it now and then.
/// let play = Play::set_up(Morris::<FLYING>::new(rules::MORRIS), None, ["a7", "d2", "d7", "f4"]).expect("legal moves");
/// let (limits, hash) = (Limits::default(), Arc::new(HashTable::new(1).expect("1 MiB")));
/// let control = Arc::new(Control::new(false));
/// control.stop();
/// let request = Request::plain(&limits, &hash, &control);
/// let handicap = handicap(0).expect("below full strength");
/// let seen = (0..100).filter(|&seed| {
///     let found = search_below_strength(&play, Weakness { handicap, seed }, &request, &mut |_| {});
///     play.game.parts(found.best.expect("a move")).to == 2
/// });
/// # use millbrain_core::layout::Described;
/// assert!((20..80).contains(&seen.count()));
/// ```
pub fn search_below_strength<G: Searchable + Described>(
    play: &Play<G>,
    weakness: Weakness,
    request: &Request<'_>,
    report: &mut dyn FnMut(&Info<'_>),
) -> Found {
    let depth = weakness.handicap.depth;
    let depth = request.limits.depth.map_or(depth, |limit| limit.min(depth));
    let attention = Attention::new(play, weakness);
    let mut moves = root_moves(play, request.searchmoves);
    let all = moves.len();
    attention.keep_seen(&mut moves);
    if weakness.handicap.depth <= OWN_DEPTH && !moves.is_empty() {
        return Player::new(play, attention, request).choose(moves, depth, report);
    }
    let limits = Limits { depth: Some(depth), ..request.limits.clone() };
    let seen: Vec<Move> = moves.iter().map(|root| root.mv).collect();
    let searchmoves = if seen.len() < all { &seen } else { request.searchmoves };
    search(play, None, &Request { limits: &limits, searchmoves, ..*request }, report)
}

/// A player's view of one position.
struct Attention<G> {
    game: G,
    weakness: Weakness,
    /// Column and row of each point.
    points: Vec<[u8; 2]>,
    /// The end of the last move.
    last: Option<usize>,
    /// The longest distance on the board.
    span: u32,
}

impl<G: Searchable + Described> Attention<G> {
    fn new(play: &Play<G>, weakness: Weakness) -> Attention<G> {
        let game = play.game;
        let points: Vec<[u8; 2]> = game.layout().points.iter().map(|point| [point.x, point.y]).collect();
        let span = points.iter().flatten().copied().max().unwrap_or_default().into();
        let last = play.last_move().map(|mv| game.parts(mv).to);
        Attention { game, weakness, points, last, span }
    }

    /// Returns a number below a bound, drawn from the seed.
    fn draw(&self, what: [u64; 3], below: u32) -> u32 {
        let mixed = what.iter().fold(self.weakness.seed, |seed, &part| splitmix(seed ^ part));
        (((mixed >> 32) * u64::from(below)) >> 32) as u32
    }

    /// Returns how well a move to this point is hidden, in permille of the average: from 250 next to the last move to
    /// 1,750 at the other end of the board.
    fn hidden(&self, to: usize) -> u32 {
        let place = |at: usize| self.points.get(at);
        let (Some(last), Some(to)) = (self.last.and_then(place), place(to)) else { return 1_000 };
        let distance = last.iter().zip(to).map(|(a, b)| u32::from(a.abs_diff(*b))).max().unwrap_or_default();
        250 + 1_500 * distance / self.span.max(1)
    }

    /// Returns how far a move at this ply is from being overlooked: it is if this is negative. Moves that differ only
    /// in what they capture are one.
    fn clarity(&self, ply: usize, mv: Move) -> i64 {
        let parts = self.game.parts(mv);
        let from = parts.from.map_or(0, |from| from as u64 + 1);
        let drawn = self.draw([ply as u64, from, parts.to as u64], 1_000);
        i64::from(drawn) - i64::from(self.weakness.handicap.overlooks * self.hidden(parts.to) / 1_000)
    }

    fn sees(&self, ply: usize, mv: Move) -> bool {
        self.weakness.handicap.overlooks == 0 || self.clarity(ply, mv) >= 0
    }

    /// Retains the moves that are seen, or the clearest if there are none.
    fn keep_seen(&self, moves: &mut Vec<RootMove>) {
        if self.weakness.handicap.overlooks == 0 {
            return;
        }
        let clearest = moves.iter().map(|root| self.clarity(0, root.mv)).max().unwrap_or_default();
        moves.retain(|root| self.clarity(0, root.mv) >= clearest.min(0));
    }

    /// Returns the error in judging a move in centistones: small errors are more frequent than large ones.
    fn misjudged(&self, mv: Move) -> i32 {
        let most = self.weakness.handicap.misjudges;
        let half = |salt| self.draw([salt, u64::MAX, mv.bits().into()], most + 1) as i32;
        half(0) - half(1)
    }
}

/// A search that overlooks moves.
struct Player<'a, G: Searchable> {
    play: &'a Play<G>,
    attention: Attention<G>,
    request: &'a Request<'a>,
    maximum: Option<Duration>,
    nodes: u64,
    seldepth: usize,
    stopped: bool,
}

impl<'a, G: Searchable + Described> Player<'a, G> {
    fn new(play: &'a Play<G>, attention: Attention<G>, request: &'a Request<'a>) -> Player<'a, G> {
        let maximum = budget(request.limits, play.side(), request.overhead).maximum;
        Player { play, attention, request, maximum, nodes: 0, seldepth: 0, stopped: false }
    }

    /// Deepens ply by ply. A stop and the clock allow it to finish the first ply, which takes no time.
    fn choose(&mut self, mut moves: Vec<RootMove>, depth: u32, report: &mut dyn FnMut(&Info<'_>)) -> Found {
        let depth = self.request.limits.mate.map_or(depth, |mate| depth.min(mate.saturating_mul(2)));
        let mut found = None;
        for depth in 1..=depth as i32 {
            if !self.judge(&mut moves, depth) {
                break;
            }
            for (line, root) in moves.iter().take(self.request.multipv.max(1)).enumerate() {
                report(&Info::Line(Line {
                    depth,
                    seldepth: self.seldepth.max(depth as usize),
                    multipv: line + 1,
                    nodes: self.nodes,
                    ..Line::unsearched(root.score, root.pv.clone(), self.request.hash, self.request.control)
                }));
            }
            let best = &moves[0];
            found = Some(Found { best: Some(best.mv), ponder: None, score: best.score, depth, nodes: self.nodes });
        }
        let found = found.unwrap_or_else(|| self.by_look(moves, report));
        self.request.control.wait_until_released(self.request.limits.infinite);
        found
    }

    /// Returns the first of the seen moves, by their static order, where the limits leave no ply to search.
    fn by_look(&self, mut moves: Vec<RootMove>, report: &mut dyn FnMut(&Info<'_>)) -> Found {
        in_static_order(&mut moves);
        let (best, nodes) = (moves[0].mv, self.nodes);
        let score = self.play.game.evaluate(self.play.position());
        let line = Line::unsearched(score, vec![best], self.request.hash, self.request.control);
        report(&Info::Line(Line { nodes, ..line }));
        Found { best: Some(best), ponder: None, score, depth: 0, nodes }
    }

    /// Gives each move its score at this depth, and sorts the moves. Returns `false` if the search has to end first.
    fn judge(&mut self, moves: &mut [RootMove], depth: i32) -> bool {
        let (game, pos) = (self.play.game, *self.play.position());
        let mut scores = Vec::with_capacity(moves.len());
        for root in moves.iter() {
            if self.is_out_of_nodes() || (self.stopped && depth > 1) {
                return false;
            }
            let next = game.play(&pos, root.mv);
            let score = if root.returns { DRAW } else { -self.value(&next, depth - 1, 1, -INFINITE, INFINITE) };
            scores.push(if is_known(score) { score } else { score + self.attention.misjudged(root.mv) });
        }
        if self.is_out_of_nodes() || (self.stopped && depth > 1) {
            return false;
        }
        for (root, score) in moves.iter_mut().zip(scores) {
            root.score = score;
        }
        if self.attention.weakness.handicap.depth == 1 {
            self.count_gains(moves);
        }
        best_first(moves);
        true
    }

    /// Counts a piece captured for nothing as a stone more than the best quiet move that is not known to win.
    ///
    /// The evaluation of a position with three stones is lower for the side ahead than of one with four, since three
    /// stones fly. A player that looks one ply ahead would shuffle.
    fn count_gains(&self, moves: &mut [RootMove]) {
        let (game, pos) = (self.play.game, self.play.position());
        let quiet = moves.iter().filter(|root| !game.is_tactical(pos, root.mv) && !is_known(root.score));
        let Some(best) = quiet.map(|root| root.score).max() else { return };
        for root in moves.iter_mut().filter(|root| !is_known(root.score) && self.gains(root.mv)) {
            root.score = root.score.max(best + STONE);
        }
    }

    /// Returns whether a move captures or promotes, and the player sees no reply that does.
    fn gains(&self, mv: Move) -> bool {
        let (game, pos) = (self.play.game, self.play.position());
        let next = game.play(pos, mv);
        let mut is_answered = false;
        game.generate_tactical(&next, |reply| is_answered |= self.attention.sees(1, reply));
        game.is_tactical(pos, mv) && !is_answered
    }

    /// Returns whether the node limit is reached.
    fn is_out_of_nodes(&self) -> bool {
        let Request { control, limits, .. } = self.request;
        limits.nodes.is_some_and(|most| self.nodes >= most) && !control.pondering()
    }

    /// Returns the value of a position for the side to move, by alpha-beta over the seen moves.
    fn value(&mut self, pos: &G::Position, depth: i32, ply: usize, mut alpha: i32, beta: i32) -> i32 {
        let game = self.play.game;
        self.count();
        self.seldepth = self.seldepth.max(ply);
        if let Some(ending) = game.ending(pos) {
            return Worker::<G>::ending_score(ending, ply);
        }
        let mut best = -INFINITE;
        let mut moves = Vec::new();
        if depth > 0 {
            game.generate(pos, |mv| moves.push(mv));
        } else {
            best = game.evaluate(pos);
            if best >= beta || depth <= -(EXCHANGES as i32) {
                return best;
            }
            alpha = alpha.max(best);
            game.generate_tactical(pos, |mv| moves.push(mv));
        }
        let hints = game.hints(pos);
        moves.sort_by_cached_key(|&mv| Reverse((game.is_tactical(pos, mv), game.order(pos, &hints, mv))));
        for mv in moves {
            if self.stopped {
                break;
            }
            if !self.attention.sees(ply, mv) {
                continue;
            }
            let score = -self.value(&game.play(pos, mv), depth - 1, ply + 1, -beta, -alpha);
            best = best.max(score);
            alpha = alpha.max(score);
            if alpha >= beta {
                break;
            }
        }
        // A player that sees no move uses the static evaluation.
        if best == -INFINITE { game.evaluate(pos) } else { best }
    }

    /// Counts a node, and polls the clock and the other limits at intervals.
    fn count(&mut self) {
        self.nodes += 1;
        let control = self.request.control;
        if self.nodes.is_multiple_of(POLL_INTERVAL) {
            control.pulse();
            control.sleep_while_paused(true, self.nodes, self.maximum);
            self.stopped |= control.stopped() || control.is_past(self.maximum) && control.is_enough(self.nodes);
        }
        self.stopped |= self.is_out_of_nodes();
    }
}
