//! Root positions that an oracle knows: the move to play without a search, and the moves to search.
//!
//! Distances to the end ignore the draw rules. A win may need more plies without progress than they allow, counted from
//! the position after the move, and so end in a draw. It ranks and scores below sure wins, and such a loss above sure
//! losses (like the cursed wins and blessed losses of chess tablebases). An oracle that supports the draw counter
//! settles these: the side that wins by it makes progress as soon as possible.
//!
//! Among draws, and in ultra style among equally long losses, some are better than others: a [`TieBreak`] orders them.

use crate::game::value::{Counted, Oracle, Prospect, Value, known_end};
use crate::game::{Move, Notation, Reason, Searchable, Verdict};
use crate::play::Play;
use crate::search::request::Style;
use crate::search::score::{DRAW, TABLEBASE_WIN, mate_in, mated_in};
use std::cell::Cell;
use std::cmp::Reverse;

/// Counts the occurrences of a position in the game, given that a reversible move leads to it.
pub(in crate::search) fn occurrences<G: Notation>(play: &Play<G>, pos: &G::Position) -> usize {
    let key = play.game.key(pos);
    // The key does not include the side to move, but the sides alternate.
    let latest = usize::from(play.game.side(pos) != play.side());
    play.keys().iter().rev().skip(latest).step_by(2).filter(|&&earlier| earlier == key).count()
}

/// The score, less its distance, of a win that may become a draw for lack of progress: ten stones. The score of such a
/// loss is negative.
const UNSURE: i32 = 1_000;
/// The most plies of a line.
const MAX_LINE: usize = 8;

/// The relation of a win or loss to the draw for lack of progress.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Claim {
    /// It comes first.
    Sure,
    /// It may come too late.
    Unsure,
    /// It holds with all the progress that it needs; the plies are those to the next progress.
    Counted,
}

/// The judgement of a root move.
#[derive(Clone, Debug)]
pub(in crate::search) struct Judged {
    pub mv: Move,
    value: Value,
    claim: Claim,
    tie_break: TieBreak,
}

/// The order of moves with the same result and distance, field by field; larger is better.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
struct TieBreak {
    /// The number of replies that hold the draw, negated; only in perfect style, the other fields only in ultra style.
    drawing_replies: i32,
    future: Future,
    /// The key and the plies of the ultra-strong value.
    prospect: (i32, i32),
    /// The number of earlier occurrences of the position, negated.
    occurrences: i32,
    /// The share of replies that give value away.
    erring: i32,
}

/// Whether the game ends after a move.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
enum Future {
    /// It ends at once.
    #[default]
    Over,
    /// The opponent can end it by a repetition.
    Repeatable,
    /// It continues.
    Continues,
}

/// The key of a win that the opponent can turn into a repetition: better than any sector.
const ESCAPES: i32 = 1_000;

impl Judged {
    /// Returns the rank for ordering: larger is better.
    fn rank(&self) -> (i32, i32, TieBreak) {
        let claim = match self.claim {
            Claim::Sure => 3,
            Claim::Counted => 2,
            Claim::Unsure => 1,
        };
        match self.value {
            Value::Win(plies) => (claim, -(plies as i32), TieBreak::default()),
            Value::Draw => (0, 0, self.tie_break),
            Value::Loss(plies) => (-claim, plies as i32, self.tie_break),
        }
    }

    pub(in crate::search) fn score(&self) -> i32 {
        match (self.value, self.claim) {
            (Value::Win(plies), Claim::Sure) => mate_in(plies as usize),
            (Value::Loss(plies), Claim::Sure) => mated_in(plies as usize),
            (Value::Win(plies), Claim::Counted) => TABLEBASE_WIN - plies as i32,
            (Value::Loss(plies), Claim::Counted) => plies as i32 - TABLEBASE_WIN,
            (Value::Win(plies), Claim::Unsure) => UNSURE - plies as i32,
            (Value::Loss(plies), Claim::Unsure) => plies as i32 - UNSURE,
            (Value::Draw, _) => DRAW,
        }
    }

    /// Returns whether the draw counter may stop the win or loss.
    pub(in crate::search) fn is_doubtful(&self) -> bool {
        self.claim == Claim::Unsure
    }

    pub(in crate::search) const fn is_draw(&self) -> bool {
        matches!(self.value, Value::Draw)
    }

    /// Returns the plies to the end, or to the progress that a win or loss needs; 1 for a draw.
    pub(in crate::search) const fn plies(&self) -> i32 {
        match self.value {
            Value::Win(plies) | Value::Loss(plies) => plies as i32,
            Value::Draw => 1,
        }
    }

    /// Returns whether another move is equally good as far as is known.
    pub(in crate::search) fn equals(&self, other: &Judged) -> bool {
        self.rank() == other.rank()
    }
}

/// Returns a result by the draw counter as a value whose plies are those to the next progress.
const fn by_counter(counted: Counted) -> Value {
    match counted.verdict {
        Verdict::Win => Value::Win(counted.plies),
        Verdict::Draw => Value::Draw,
        Verdict::Loss => Value::Loss(counted.plies),
    }
}

// Not generic over the game: sorting is much code.

fn best_first(judged: &mut [Judged]) {
    judged.sort_by_key(|judged| Reverse(judged.rank()));
}

/// Sorts moves by their static order.
fn in_order(moves: &mut [(i32, Move)]) {
    moves.sort_by_key(|&(order, _)| Reverse(order));
}

/// A game and an oracle.
pub(in crate::search) struct Judge<'a, G: Searchable> {
    play: &'a Play<G>,
    oracle: &'a dyn Oracle<G::Position>,
    style: Style,
    hits: Cell<u64>,
}

impl<'a, G: Searchable> Judge<'a, G> {
    pub(in crate::search) const fn new(
        play: &'a Play<G>,
        oracle: &'a dyn Oracle<G::Position>,
        style: Style,
    ) -> Judge<'a, G> {
        Judge { play, oracle, style, hits: Cell::new(0) }
    }

    /// Counts the oracle's lookups.
    pub(in crate::search) const fn hits(&self) -> u64 {
        self.hits.get()
    }

    /// Judges moves, best first; returns `None` if any value is unknown.
    pub(in crate::search) fn judge(&self, pos: &G::Position, moves: &[Move]) -> Option<Vec<Judged>> {
        let mut judged = moves.iter().map(|&mv| self.judge_move(pos, mv)).collect::<Option<Vec<_>>>()?;
        if self.style == Style::Ultra {
            self.add_prospects(pos, &mut judged);
        }
        best_first(&mut judged);
        Some(judged)
    }

    fn judge_move(&self, pos: &G::Position, mv: Move) -> Option<Judged> {
        let game = self.play.game;
        let next = game.play(pos, mv);
        let limit = game.draw_rules().progress_limit;
        let reason = game.ending(&next).map(|ending| ending.reason);
        let reversible = !game.is_irreversible(pos, mv);
        let counted = self.counted(&next).map(|counted| counted.before(!reversible));
        let value = if reason == Some(Reason::NoMoves) { Some(Value::Loss(0)) } else { self.value(&next) };
        let (value, claim) = match value.map(Value::before) {
            Some(value) if counted.is_none_or(|counted| counted.verdict == value.verdict()) => {
                let sure = value.plies().is_none_or(|plies| {
                    limit == 0 || u32::from(game.plies_without_progress(&next)) + plies <= u32::from(limit) + 1
                });
                match counted {
                    _ if sure => (value, Claim::Sure),
                    Some(counted) => (by_counter(counted), Claim::Counted),
                    None => (value, Claim::Unsure),
                }
            }
            _ => (by_counter(counted?), Claim::Counted),
        };
        let (value, claim) = match value {
            _ if reason == Some(Reason::NoProgress) || (reversible && self.repeats(&next)) => {
                (Value::Draw, Claim::Sure)
            }
            Value::Win(_) if reversible && self.can_repeat(&next) => (Value::Draw, Claim::Sure),
            Value::Draw => (Value::Draw, Claim::Sure),
            value => (value, claim),
        };
        let tie_break = match (self.style, value) {
            (_, Value::Win(_)) | (Style::Perfect, Value::Loss(_)) => TieBreak::default(),
            (Style::Perfect, Value::Draw) => {
                TieBreak { drawing_replies: -(self.drawing_replies(&next) as i32), ..TieBreak::default() }
            }
            (Style::Ultra, _) => {
                let is_won = self.verdict(&next) == Some(Verdict::Loss);
                let future = if reason.is_some() || reversible && self.repeats(&next) {
                    Future::Over
                } else if !is_won && reversible && self.can_repeat(&next) {
                    Future::Repeatable
                } else {
                    Future::Continues
                };
                let seen = if reversible { occurrences(self.play, &next) } else { 0 };
                let erring = self.erring(&next, value.verdict());
                TieBreak { future, occurrences: -(seen as i32), erring, ..TieBreak::default() }
            }
        };
        Some(Judged { mv, value, claim, tie_break })
    }

    /// Adds the ultra-strong values of draws in which the game continues, if all are known.
    fn add_prospects(&self, pos: &G::Position, judged: &mut [Judged]) {
        let game = self.play.game;
        let continues = |judged: &&mut Judged| judged.is_draw() && judged.tie_break.future != Future::Over;
        let prospect = |judged: &mut Judged| {
            let next = game.play(pos, judged.mv);
            match self.verdict(&next)? {
                Verdict::Loss => Some((ESCAPES, 0)),
                _ => self.oracle.prospect(pos, &next).map(Prospect::rank),
            }
        };
        let prospects = judged.iter_mut().filter(continues).map(prospect).collect::<Option<Vec<_>>>();
        for (judged, prospect) in judged.iter_mut().filter(continues).zip(prospects.into_iter().flatten()) {
            judged.tie_break.prospect = prospect;
        }
    }

    /// Returns the share of replies, of 65,536, that improve a game with this result for the side that has moved.
    fn erring(&self, pos: &G::Position, result: Verdict) -> i32 {
        let game = self.play.game;
        let (mut erring, mut all) = (0, 0);
        game.generate(pos, |reply| {
            let better = match self.verdict(&game.play(pos, reply)) {
                Some(Verdict::Win) => result != Verdict::Win,
                Some(Verdict::Draw) => result == Verdict::Loss,
                Some(Verdict::Loss) | None => false,
            };
            erring += i32::from(better);
            all += 1;
        });
        (erring << 16) / all.max(1)
    }

    fn value(&self, pos: &G::Position) -> Option<Value> {
        known_end(&self.play.game, pos).or_else(|| {
            self.hits.set(self.hits.get() + 1);
            self.oracle.value(pos)
        })
    }

    /// Returns the result by the draw counter, unless the position is an end.
    fn counted(&self, pos: &G::Position) -> Option<Counted> {
        if self.play.game.decided(pos).is_some() { None } else { self.oracle.counted(pos) }
    }

    fn verdict(&self, pos: &G::Position) -> Option<Verdict> {
        let ending = self.play.game.decided(pos);
        ending.map_or_else(|| self.oracle.verdict(pos), |ending| Some(ending.verdict))
    }

    /// Returns whether a position occurs for the third time, given that a reversible move leads to it.
    fn repeats(&self, pos: &G::Position) -> bool {
        self.play.game.draw_rules().repetition && occurrences(self.play, pos) >= 2
    }

    /// Returns whether the side to move can repeat a position for the third time.
    fn can_repeat(&self, pos: &G::Position) -> bool {
        let game = self.play.game;
        self.play.keys().len() >= 4
            && game.moves(pos).into_iter().any(|mv| !game.is_irreversible(pos, mv) && self.repeats(&game.play(pos, mv)))
    }

    fn drawing_replies(&self, pos: &G::Position) -> u32 {
        let game = self.play.game;
        let mut count = 0;
        game.generate(pos, |reply| {
            let next = game.play(pos, reply);
            count += u32::from(self.verdict(&next) != Some(Verdict::Win));
        });
        count
    }

    /// Returns the first plies of perfect play after a move of the current position, up to the end of the game by its
    /// draw rules.
    pub(in crate::search) fn line(&self, first: &Judged) -> Vec<Move> {
        let mut line = match (first.value, first.claim) {
            (Value::Draw, _) => self.drawing_line(first.mv),
            (_, Claim::Counted) => self.counted_line(first.mv),
            _ => self.shortest_line(first.mv),
        };
        let mut play = self.play.clone();
        let played = line.iter().take_while(|&&mv| {
            play.push(mv);
            play.ending().is_none()
        });
        line.truncate(1 + played.count());
        line
    }

    /// Returns a line in which the winner makes progress as soon as possible, the loser as late as possible.
    fn counted_line(&self, first: Move) -> Vec<Move> {
        let game = self.play.game;
        let mut line = vec![first];
        let mut pos = game.play(self.play.position(), first);
        while line.len() < MAX_LINE {
            let Some(expected) = self.counted(&pos) else { break };
            let best = game.moves(&pos).into_iter().find(|&mv| {
                let next = game.play(&pos, mv);
                let end = game.ending(&next).map(|ending| Counted { verdict: ending.verdict, plies: 0 });
                let before = |counted: Counted| counted.before(game.is_irreversible(&pos, mv));
                end.or_else(|| self.counted(&next)).map(before) == Some(expected)
            });
            let Some(mv) = best else { break };
            line.push(mv);
            pos = game.play(&pos, mv);
        }
        line
    }

    /// Returns a line in which both sides play for the distance.
    fn shortest_line(&self, first: Move) -> Vec<Move> {
        let game = self.play.game;
        let mut line = vec![first];
        let mut pos = game.play(self.play.position(), first);
        let mut value = self.value(&pos);
        while let Some(expected) = value.filter(|_| line.len() < MAX_LINE) {
            // The distance identifies a best move, so the search for one can stop there; results are cheaper to probe.
            let best = game.moves(&pos).into_iter().rev().find_map(|mv| {
                let next = game.play(&pos, mv);
                if matches!(expected, Value::Win(_)) && self.verdict(&next) != Some(Verdict::Loss) {
                    return None;
                }
                let value = self.value(&next)?;
                (value.before() == expected).then_some((mv, next, value))
            });
            let Some((mv, next, after)) = best else { break };
            line.push(mv);
            (pos, value) = (next, Some(after));
        }
        line
    }

    /// Returns a line in which both sides hold the draw, each with the first move in the static order that does.
    fn drawing_line(&self, first: Move) -> Vec<Move> {
        let mut play = self.play.clone();
        play.push(first);
        let mut line = vec![first];
        while line.len() < MAX_LINE {
            let (game, pos) = (play.game, play.position());
            let hints = game.hints(pos);
            let mut moves: Vec<_> = game.moves(pos).into_iter().map(|mv| (game.order(pos, &hints, mv), mv)).collect();
            in_order(&mut moves);
            let Some((_, mv)) = moves.into_iter().find(|&(_, mv)| self.push_drawing(&mut play, mv)) else { break };
            line.push(mv);
        }
        line
    }

    /// Returns the part of a line, from a drawing move on, that holds the draw.
    pub(in crate::search) fn drawing_part<'l>(&self, line: &'l [Move]) -> &'l [Move] {
        let Some((&first, rest)) = line.split_first() else { return line };
        let mut play = self.play.clone();
        play.push(first);
        let kept = rest.iter().take_while(|&&mv| self.push_drawing(&mut play, mv)).count();
        &line[..1 + kept]
    }

    /// Plays a legal move if the game is not over, and is drawn after it.
    fn push_drawing(&self, play: &mut Play<G>, mv: Move) -> bool {
        if play.ending().is_some() {
            return false;
        }
        let undo = play.push_undoable(mv);
        let ending = play.ending().map(|ending| ending.verdict);
        let verdict = ending.or_else(|| {
            self.hits.set(self.hits.get() + 1);
            self.oracle.verdict(play.position())
        });
        let draws = verdict == Some(Verdict::Draw);
        if !draws {
            play.undo(undo);
        }
        draws
    }

    /// Returns the moves with the best result, judged without distances. In ultra style these are the ones after which
    /// most replies give value away. Returns `None` if a result is unknown.
    pub(in crate::search) fn best_verdicts(&self, pos: &G::Position, moves: &[Move]) -> Option<Vec<Move>> {
        let mut best = (0, Vec::new());
        for &mv in moves {
            let rank = match self.verdict(&self.play.game.play(pos, mv))? {
                Verdict::Loss => 2,
                Verdict::Draw => 1,
                Verdict::Win => 0,
            };
            if rank > best.0 {
                best = (rank, Vec::new());
            }
            if rank == best.0 {
                best.1.push(mv);
            }
        }
        let (rank, mut best) = best;
        if self.style == Style::Ultra && rank < 2 {
            let result = if rank == 1 { Verdict::Draw } else { Verdict::Loss };
            let erring: Vec<i32> = best.iter().map(|&mv| self.erring(&self.play.game.play(pos, mv), result)).collect();
            let most = erring.iter().max().copied();
            let mut erring = erring.into_iter();
            best.retain(|_| erring.next() == most);
        }
        (!best.is_empty()).then_some(best)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Game;

    /// An oracle with results, but no distances: by the point of the first stone.
    struct Results;

    impl Oracle<crate::morris::Position> for Results {
        fn verdict(&self, pos: &crate::morris::Position) -> Option<Verdict> {
            match pos.opp().trailing_zeros() {
                0 | 5 => Some(Verdict::Loss),
                1..=9 => Some(Verdict::Draw),
                10..=20 => Some(Verdict::Win),
                _ => None,
            }
        }

        fn value(&self, _: &crate::morris::Position) -> Option<Value> {
            None
        }
    }

    #[test]
    fn the_best_results_are_kept() {
        let game = crate::morris::Morris::<{ crate::morris::FLYING }>::new(crate::morris::rules::MORRIS);
        let play = Play::new(game);
        let judge = Judge::new(&play, &Results, Style::Perfect);
        let to = |points: &[u32]| -> Vec<Move> {
            let placed = |mv: &Move| game.play(play.position(), *mv).opp().trailing_zeros();
            game.moves(play.position()).into_iter().filter(|mv| points.contains(&placed(mv))).collect()
        };
        let best = |points: &[u32]| judge.best_verdicts(play.position(), &to(points));
        assert_eq!(best(&[0, 1, 5, 12]), Some(to(&[0, 5])));
        assert_eq!(best(&[1, 2, 12]), Some(to(&[1, 2])));
        assert_eq!(best(&[12, 13]), Some(to(&[12, 13])), "all lose");
        assert_eq!(best(&[0, 22]), None, "one is not known");
        assert!(judge.judge(play.position(), &to(&[0])).is_none() && judge.hits() > 0);
    }

    /// An oracle with one value for all positions.
    struct Always(Value);

    impl Oracle<crate::morris::Position> for Always {
        fn verdict(&self, _: &crate::morris::Position) -> Option<Verdict> {
            Some(self.0.verdict())
        }

        fn value(&self, _: &crate::morris::Position) -> Option<Value> {
            Some(self.0)
        }
    }

    /// A win in five plies is sure if it comes no later than the ply that fills the counter.
    #[test]
    fn a_win_is_sure_before_the_counter_is_full() {
        let game = crate::morris::Morris::<{ crate::morris::FLYING }>::new(crate::morris::rules::MUEHLE);
        let found = |oracle: &Always, plies: u32| {
            let fen = format!("O1O/3/3/O1O3/3/X1X/X1X w 0 0 {plies} 20");
            let play = Play::set_up(game, Some(&fen), []).expect("a position");
            let slide = play.find_move("a7d7").expect("a slide");
            let replies = game.moves(&game.play(play.position(), slide)).len() as i32;
            let judge = Judge::new(&play, oracle, Style::Perfect);
            let judged = judge.judge(play.position(), &[slide]).expect("known").remove(0);
            assert_eq!(judge.hits(), 1);
            (judged.rank(), judged.score(), replies)
        };
        for plies in [0, 14, 15] {
            let (_, score, _) = found(&Always(Value::Loss(4)), plies);
            assert_eq!(score, mate_in(5), "after {plies} plies");
        }
        for plies in [16, 17, 18] {
            let (_, score, _) = found(&Always(Value::Loss(4)), plies);
            assert_eq!(score, UNSURE - 5, "after {plies} plies");
        }
        let (rank, score, replies) = found(&Always(Value::Draw), 0);
        let tie_break = TieBreak { drawing_replies: -replies, ..TieBreak::default() };
        assert_eq!((rank, score), ((0, 0, tie_break), 0), "every reply keeps the draw");
    }

    /// Returns the value of a slide of White after these moves, when every position that it leads to is a loss.
    fn judged_after(moves: &[&str], slide: &str, repetition_draw: bool) -> Value {
        let rules = crate::morris::Rules { repetition_draw, ..crate::morris::rules::MORRIS };
        let game = crate::morris::Morris::<{ crate::morris::FLYING }>::new(rules);
        let fen = Some("O1O/O1O/O1O/6/3/X1X/X1X w 0 0 0 20");
        let play = Play::set_up(game, fen, moves.iter().copied()).expect("legal moves");
        let slide = play.find_move(slide).expect("a slide");
        let oracle = Always(Value::Loss(4));
        let judge = Judge::new(&play, &oracle, Style::Perfect);
        judge.judge(play.position(), &[slide]).expect("known").remove(0).value
    }

    /// A move that leads to a position for the third time wins nothing, nor does one after which the opponent can do
    /// so.
    #[test]
    fn wins_end_with_a_repetition() {
        // After four plies of these, and after eight, the position is the same as before.
        let circle = ["a7d7", "a1d1", "d7a7", "d1a1"].repeat(2);
        let from_black = [vec!["g7g4"], ["a1d1", "a7d7", "d1a1", "d7a7"].repeat(2)].concat();
        for (moves, slide, draws) in [
            (&circle[..2], "d7a7", false),
            (&circle[..4], "a7d7", false),
            (&circle[..6], "d7a7", true),
            (&circle[..6], "g7g4", false),
            (&from_black[..4], "d7a7", false),
            (&from_black[..8], "d7a7", true),
            (&from_black[..8], "g4g7", false),
        ] {
            let value = if draws { Value::Draw } else { Value::Win(5) };
            assert_eq!(judged_after(moves, slide, true), value, "{slide} after {moves:?}");
            assert_eq!(judged_after(moves, slide, false), Value::Win(5), "{slide} after {moves:?}, repetition allowed");
        }
    }

    /// An oracle of draws, except for some won positions, with these ultra-strong values of moves to positions.
    #[derive(Default)]
    struct Draws {
        prospects: Vec<(crate::morris::Position, Prospect)>,
        won: Vec<crate::morris::Position>,
    }

    impl Oracle<crate::morris::Position> for Draws {
        fn verdict(&self, pos: &crate::morris::Position) -> Option<Verdict> {
            Some(if self.won.contains(pos) { Verdict::Win } else { Verdict::Draw })
        }

        fn value(&self, pos: &crate::morris::Position) -> Option<Value> {
            Some(if self.won.contains(pos) { Value::Win(9) } else { Value::Draw })
        }

        fn prospect(&self, _: &crate::morris::Position, next: &crate::morris::Position) -> Option<Prospect> {
            self.prospects.iter().find(|(pos, _)| pos == next).map(|&(_, prospect)| prospect)
        }
    }

    /// In ultra style the better sector ranks first when soon, the worse when late; then new positions; then erring
    /// replies.
    #[test]
    fn draws_are_ranked_by_what_a_fallible_opponent_gets_wrong() {
        let game = crate::morris::Morris::<{ crate::morris::FLYING }>::new(crate::morris::rules::MORRIS);
        let circle = ["a7d7", "a1d1", "d7a7", "d1a1"];
        let play = Play::set_up(game, Some("O1O/O1O/O1O/6/3/X1X/X1X w 0 0 0 20"), circle).expect("legal moves");
        let pos = *play.position();
        let moves = ["a7d7", "g7d7", "a7a4", "g7g4"].map(|text| play.find_move(text).expect("a slide"));
        let after = moves.map(|mv| game.play(&pos, mv));
        let ranked = |oracle: &Draws, style| {
            let judged = Judge::new(&play, oracle, style).judge(&pos, &moves).expect("known");
            let best = judged.iter().filter(|other| other.equals(&judged[0])).count();
            let place = |mv| moves.iter().position(|&other| other == mv).expect("one of them");
            (judged.iter().map(|judged| place(judged.mv)).collect::<Vec<_>>(), best)
        };
        let with = |keys: [(i32, u32); 4]| Draws {
            prospects: after.into_iter().zip(keys.map(|(key, plies)| Prospect { key, plies })).collect(),
            won: Vec::new(),
        };
        let better_soon = with([(1, 5), (1, 3), (0, 0), (-2, 9)]);
        assert_eq!(ranked(&better_soon, Style::Ultra), (vec![1, 0, 2, 3], 1));
        assert_eq!(
            ranked(&with([(-2, 4), (-1, 3), (-1, 8), (-2, 9)]), Style::Ultra),
            (vec![2, 1, 3, 0], 1),
            "worse late"
        );
        let perfect = ranked(&Draws::default(), Style::Perfect);
        assert_eq!(ranked(&better_soon, Style::Perfect), perfect, "by the replies alone");
        let all_but_one = Draws { prospects: better_soon.prospects[1..].to_vec(), ..Draws::default() };
        assert_eq!(ranked(&all_but_one, Style::Ultra), (vec![1, 2, 3, 0], 3), "one is not known, one has been there");
        // All replies to the third move lose, and half of those to the last.
        let mut erring = Draws::default();
        for (next, step) in [(2, 1), (3, 2)] {
            let replies = game.moves(&after[next]);
            erring.won.extend(replies.into_iter().step_by(step).map(|reply| game.play(&after[next], reply)));
        }
        assert_eq!(ranked(&erring, Style::Ultra), (vec![2, 3, 1, 0], 1));
        let judge = |style| Judge::new(&play, &erring, style).best_verdicts(&pos, &moves);
        assert_eq!((judge(Style::Ultra), judge(Style::Perfect)), (Some(vec![moves[2]]), Some(moves.to_vec())));
        erring.prospects = better_soon.prospects;
        assert_eq!(ranked(&erring, Style::Ultra).0, [1, 0, 2, 3], "the sector comes first");
    }

    fn judged(value: Value, claim: Claim, drawing_replies: i32) -> Judged {
        let tie_break = TieBreak { drawing_replies: -drawing_replies, ..TieBreak::default() };
        Judged { mv: Move::from_bits(1), value, claim, tie_break }
    }

    /// Moves are ranked, best first, and scored; losses have the reverse order:
    ///
    /// 1. sure wins, short ones first
    /// 2. wins that take progress soon
    /// 3. wins that may become draws for lack of progress
    /// 4. draws in which the opponent can err
    #[test]
    fn moves_are_ranked_and_scored() {
        let all = [
            (judged(Value::Win(3), Claim::Sure, 0), mate_in(3), 3),
            (judged(Value::Win(5), Claim::Sure, 0), mate_in(5), 5),
            (judged(Value::Win(2), Claim::Counted, 0), 29_998, 2),
            (judged(Value::Win(9), Claim::Counted, 0), 29_991, 9),
            (judged(Value::Win(1), Claim::Unsure, 0), 999, 1),
            (judged(Value::Win(41), Claim::Unsure, 0), 959, 41),
            (judged(Value::Draw, Claim::Sure, 1), 0, 1),
            (judged(Value::Draw, Claim::Sure, 9), 0, 1),
            (judged(Value::Loss(60), Claim::Unsure, 0), -940, 60),
            (judged(Value::Loss(50), Claim::Unsure, 0), -950, 50),
            (judged(Value::Loss(3), Claim::Counted, 0), -29_997, 3),
            (judged(Value::Loss(90), Claim::Sure, 0), mated_in(90), 90),
            (judged(Value::Loss(2), Claim::Sure, 0), mated_in(2), 2),
        ];
        for pair in all.windows(2) {
            assert!(pair[0].0.rank() > pair[1].0.rank(), "{pair:?}");
            assert!(!pair[0].0.equals(&pair[1].0), "{pair:?}");
        }
        for (judged, score, plies) in all {
            assert_eq!((judged.score(), judged.plies()), (score, plies), "{judged:?}");
            assert_eq!(judged.is_draw(), judged.value == Value::Draw);
            assert!(judged.equals(&Judged { mv: Move::NONE, ..judged.clone() }));
        }
    }
}
