//! The search against exhaustive minimax by the rules alone, on thousands of small positions: forced wins and losses
//! with their distances, draws by counter and by repetition. Tables are so small that positions replace each other, and
//! threads share them.

use crate::endings::smess_ending;
use millbrain_core::game::value::Value;
use millbrain_core::game::{Ending, Move, Notation, Placed, Searchable, Side, Verdict};
use millbrain_core::morris::{CUSTOM, Morris, Position, Rules, Setup, rules};
use millbrain_core::play::Play;
use millbrain_core::search::hash::{Bound, Entry};
use millbrain_core::search::score::{MATE, is_mate, mate_moves};
use millbrain_core::search::{Control, Found, HashTable, Info, Limits, Line, Pool, Request, search};
use millbrain_core::smess::{self, Smess};
use std::sync::Arc;

type AnyMorris = Morris<CUSTOM>;

/// Returns what the side to move can force within this number of plies: every line is played out by the rules, history
/// included. A draw represents everything else.
fn minimax<G: Notation>(play: &Play<G>, plies: u32) -> Value {
    match play.ending() {
        Some(Ending { verdict: Verdict::Loss, .. }) => return Value::Loss(0),
        Some(_) => return Value::Draw,
        None if plies == 0 => return Value::Draw,
        None => {}
    }
    let moves = play.game.moves(play.position());
    let mut values = Vec::with_capacity(moves.len());
    for mv in moves {
        let mut next = play.clone();
        next.push(mv);
        let value = minimax(&next, plies - 1);
        if value == Value::Loss(0) {
            return Value::Win(1);
        }
        values.push(value);
    }
    Value::from_successors(values)
}

/// Returns the value that a score expresses, or `None` if it is neither a forced win or loss nor an even score.
fn value_of(score: i32) -> Option<Value> {
    match score {
        0 => Some(Value::Draw),
        score if is_mate(score) && score > 0 => Some(Value::Win((MATE - score) as u32)),
        score if is_mate(score) => Some(Value::Loss((MATE + score) as u32)),
        _ => None,
    }
}

/// A combination of table and threads that searches are tested with.
struct Engine {
    hash: Arc<HashTable>,
    pool: Pool,
}

fn engines() -> Vec<Engine> {
    let engine = |hash, threads| Engine { hash: Arc::new(hash), pool: Pool::new(threads).expect("a few threads") };
    let tiny = |buckets, threads| engine(HashTable::tiny(buckets), threads);
    let small = engine(HashTable::new(1).expect("a small table"), 1);
    vec![small, tiny(1, 1), tiny(8, 1), tiny(3, 3)]
}

impl Engine {
    /// Searches on an empty table; returns the result and the deepest ply reported.
    fn find<G: Searchable>(&self, play: &Play<G>, limits: &Limits) -> (Found, usize) {
        self.pool.settle();
        self.hash.clear();
        self.find_on(play, limits)
    }

    /// Does the same on the current table.
    fn find_on<G: Searchable>(&self, play: &Play<G>, limits: &Limits) -> (Found, usize) {
        let control = Arc::new(Control::new(false));
        let request = Request { pool: Some(&self.pool), ..Request::plain(limits, &self.hash, &control) };
        let mut deepest = 0;
        let found = search(play, None, &request, &mut |info| {
            if let Info::Line(Line { seldepth, .. }) = info {
                deepest = deepest.max(*seldepth);
            }
        });
        (found, deepest)
    }
}

fn for_depth(depth: u32) -> Limits {
    Limits { depth: Some(depth), ..Limits::default() }
}

fn for_mate(moves: u32) -> Limits {
    Limits { mate: Some(moves), ..Limits::default() }
}

/// Returns a position with White to move: `O` and `X` are stones, everything else is free; `None` if the rules do not
/// allow it.
fn morris_position<const S: u8>(game: &Morris<S>, cells: &[char; 24], counter: u16) -> Option<Position> {
    let stones = |letter| (0..24).filter(|&i| cells[i as usize] == letter).map(|i| 1 << i).sum();
    let setup = Setup {
        stones: [stones('O'), stones('X')],
        hands: [0, 0],
        side: Side::White,
        plies_without_progress: counter.into(),
        move_number: 1,
        formed_lines: [0, 0],
    };
    game.validate(&setup).ok()
}

/// Places random stones, with none in hand.
fn morris_ending<const S: u8>(
    game: Morris<S>,
    stones: [usize; 2],
    counter: u16,
    rng: &mut fastrand::Rng,
) -> Play<Morris<S>> {
    loop {
        let mut cells = ['.'; 24];
        for (i, point) in rng.choose_multiple(0..24, stones[0] + stones[1]).into_iter().enumerate() {
            cells[point] = if i < stones[0] { 'O' } else { 'X' };
        }
        if let Some(position) = morris_position(&game, &cells, counter) {
            return Play::from_placed(game, Placed { position, move_number: 1 });
        }
    }
}

fn context<G: Notation>(play: &Play<G>) -> String {
    format!("{} after {} positions", play.fen(), play.keys().len())
}

/// Checks that a search for a mate finds exactly what minimax of as many plies does, and searches no further.
fn check_mate<G: Searchable>(play: &Play<G>, moves: u32, engines: &[Engine]) -> Value {
    let value = minimax(play, 2 * moves);
    let expected = match value {
        Value::Win(plies) => Some(plies.div_ceil(2) as i32),
        Value::Loss(plies) => Some(-(plies.div_ceil(2) as i32)),
        Value::Draw => None,
    };
    for engine in engines {
        let (found, deepest) = engine.find(play, &for_mate(moves));
        assert_eq!(
            mate_moves(found.score),
            expected,
            "mate {moves}, {} threads: {}",
            engine.pool.threads(),
            context(play)
        );
        assert!(found.depth <= 2 * moves as i32 && deepest <= 2 * moves as usize, "{found:?} {deepest}");
        if let Value::Win(plies) = value {
            let mut next = play.clone();
            next.push(found.best.expect("a move"));
            assert_eq!(minimax(&next, plies - 1), Value::Loss(plies - 1), "the move wins: {}", context(play));
        }
    }
    value
}

/// Checks that a mate reported by any kind of search is a real one.
fn check_claims<G: Searchable>(play: &Play<G>, depth: u32, deepest: u32, engines: &[Engine]) {
    for engine in engines {
        let (found, _) = engine.find(play, &for_depth(depth));
        match value_of(found.score) {
            Some(Value::Win(plies)) if plies <= deepest => {
                let sooner = |value| matches!(value, Value::Win(sooner) if sooner <= plies);
                assert!(sooner(minimax(play, plies)), "{plies} plies: {}", context(play));
            }
            Some(Value::Loss(plies)) if plies <= deepest => {
                let sooner = |value| matches!(value, Value::Loss(sooner) if sooner <= plies);
                assert!(sooner(minimax(play, plies)), "{plies} plies: {}", context(play));
            }
            _ => {}
        }
    }
}

/// Counts of the wins, draws and losses found.
#[derive(Default, Debug)]
struct Seen {
    wins: usize,
    later_wins: usize,
    draws: usize,
    losses: usize,
}

impl Seen {
    fn note(&mut self, value: Value) {
        match value {
            Value::Win(plies) => {
                self.wins += 1;
                self.later_wins += usize::from(plies > 1);
            }
            Value::Draw => self.draws += 1,
            Value::Loss(_) => self.losses += 1,
        }
    }

    fn all(&self, least: usize) -> bool {
        self.later_wins >= least && self.draws >= least && self.losses >= least
    }
}

/// Returns endings without many moves: rules, stones, the moves to search for a mate in, and the number of positions.
fn morris_endings() -> Vec<(Rules, [usize; 2], u32, usize)> {
    vec![
        (rules::MLYN, [3, 3], 3, 40),
        (rules::MLYN, [3, 3], 2, 300),
        (rules::MLYN, [4, 4], 2, 200),
        (rules::MLYN, [5, 3], 2, 150),
        (rules::MORABARABA, [4, 4], 2, 100),
        (Rules { flying: false, ..rules::MYLOS }, [5, 4], 2, 100),
        (Rules { flying: false, ..rules::MUEHLE }, [6, 6], 2, 60),
        (Rules { once_per_line: true, flying: false, ..rules::LASKER }, [4, 3], 2, 200),
        (rules::MORRIS, [3, 3], 1, 100),
        (rules::MORRIS, [4, 3], 1, 100),
    ]
}

#[test]
fn mates_in_morris_are_those_of_minimax() {
    let engines = engines();
    let mut rng = fastrand::Rng::with_seed(21);
    let mut seen = Seen::default();
    for (rules, stones, moves, positions) in morris_endings() {
        let game = AnyMorris::new(rules);
        for _ in 0..positions {
            let play = morris_ending(game, stones, 0, &mut rng);
            seen.note(check_mate(&play, moves, &engines));
            check_claims(&play, 1 + rng.u32(..6), if rules.flying { 2 } else { 4 }, &engines);
        }
    }
    assert!(seen.all(30), "{seen:?}");
}

#[test]
fn mates_in_smess_are_those_of_minimax() {
    let engines = engines();
    let mut rng = fastrand::Rng::with_seed(22);
    let mut seen = Seen::default();
    let game = Smess::new(smess::Rules::default());
    for (pieces, moves) in [([[1, 0], [0, 0]], 3), ([[1, 1], [0, 2]], 2), ([[0, 2], [0, 2]], 2), ([[1, 1], [1, 1]], 1)]
    {
        for _ in 0..200 {
            let play = smess_ending(game, pieces, 0, &mut rng);
            seen.note(check_mate(&play, moves, &engines));
            check_claims(&play, 1 + rng.u32(..6), 4, &engines);
        }
    }
    assert!(seen.all(30), "{seen:?}");
}

/// Checks that where every line ends within a few plies, a deep search has the exact value, draws included.
fn check_value<G: Searchable>(play: &Play<G>, plies: u32, engines: &[Engine]) -> Value {
    let value = minimax(play, plies);
    for engine in engines {
        for limits in [for_depth(16), for_mate(plies.div_ceil(2))] {
            let (found, _) = engine.find(play, &limits);
            assert_eq!(
                value_of(found.score),
                Some(value),
                "{limits:?}, {} threads: {}",
                engine.pool.threads(),
                context(play)
            );
        }
    }
    value
}

/// Returns rules by which three stones against three end within a few plies: by a mill or by the counter.
fn short_games() -> Vec<(Rules, u32)> {
    let mut all = Vec::new();
    for plies in [1, 2, 3, 4, 5] {
        all.push((Rules { no_mill_draw: 100, ..rules::MLYN }, plies));
        all.push((Rules { flying: false, ..rules::MUEHLE }, plies));
        all.push((Rules { flying: false, ..rules::MORABARABA }, plies));
    }
    all.extend([(rules::MORRIS, 1), (rules::MUEHLE, 2)]);
    all
}

#[test]
fn the_counter_draws_when_it_is_full() {
    let engines = engines();
    let mut rng = fastrand::Rng::with_seed(23);
    let [mut seen, mut stopped] = [Seen::default(), Seen::default()];
    for (rules, plies) in short_games() {
        let game = AnyMorris::new(rules);
        let free = AnyMorris::new(Rules { no_mill_draw: 0, ..rules });
        for _ in 0..45 {
            let play = morris_ending(game, [3, 3], rules.no_mill_draw - plies as u16, &mut rng);
            let value = check_value(&play, plies, &engines);
            seen.note(value);
            // The next ply would have decided it.
            if value == Value::Draw && !rules.flying {
                let play = Play::from_placed(free, Placed { position: *play.position(), move_number: 1 });
                stopped.note(minimax(&play, plies + 1));
            }
        }
    }
    assert!(seen.all(8) && stopped.wins >= 20, "{seen:?} {stopped:?}");
    let game = Smess::new(smess::Rules::default());
    let mut seen = Seen::default();
    for plies in 1..=5 {
        for _ in 0..60 {
            let play = smess_ending(game, [[1, 0], [0, 0]], 100 - plies as u16, &mut rng);
            seen.note(check_value(&play, plies, &engines));
        }
    }
    assert!(seen.later_wins >= 8 && seen.draws >= 20, "{seen:?}");
}

/// Returns the reverse of a slide.
fn back(text: &str) -> Option<String> {
    (text.len() == 4).then(|| format!("{}{}", &text[2..], &text[..2]))
}

/// Returns a game that has twice reached the position after this move, and is again before it; one ply may be random.
fn with_history<G: Searchable>(game: G, start: &Play<G>, mv: Move, rng: &mut fastrand::Rng) -> Option<Play<G>> {
    let there = game.move_text(mv);
    let position = game.play(start.position(), mv);
    let reply = game.move_text(rng.choice(game.moves(&position))?);
    let mut play = Play::from_placed(game, Placed { position, move_number: 1 });
    let cycle = [reply.clone(), back(&there)?, back(&reply)?, there];
    for text in cycle.iter().chain(&cycle[..3]) {
        let mv = play.find_move(text).ok()?;
        play.push(mv);
    }
    (play.occurrences() == 2 && play.ending().is_none()).then_some(play)
}

/// Wins that lead through a third occurrence do not count: all lines end within a few plies by mill, counter or
/// repetition, and the search has the value of minimax on the whole game.
#[test]
fn repetitions_of_the_game_are_draws() {
    let engines = engines();
    let mut rng = fastrand::Rng::with_seed(24);
    let mut checked = 0;
    let [mut changed, mut longer, mut lost] = [0; 3];
    for (base, plies) in [(rules::MLYN, 3u32), (rules::MLYN, 4), (rules::MORABARABA, 3)] {
        let limit = 7 + plies as u16;
        let game = AnyMorris::new(Rules { no_mill_draw: limit, flying: false, ..base });
        let free = AnyMorris::new(Rules { no_mill_draw: limit, flying: false, repetition_draw: false, ..base });
        let mut left = 30_000;
        let goal = checked + 150;
        while left > 0 && checked < goal {
            left -= 1;
            let start = morris_ending(game, [3, 3], 0, &mut rng);
            if start.ending().is_some() {
                continue;
            }
            let deep = engines[0].find(&start, &for_mate(plies.div_ceil(2))).0;
            if value_of(deep.score).is_none_or(|value| value == Value::Draw) && rng.u32(..20) > 0 {
                continue;
            }
            let Some(play) = with_history(game, &start, deep.best.expect("a move"), &mut rng) else { continue };
            let value = check_value(&play, plies, &engines);
            let forgetful = Play::from_placed(free, Placed { position: *play.position(), move_number: 1 });
            let without = minimax(&forgetful, plies);
            match (without, value) {
                (Value::Win(_), Value::Draw) => changed += 1,
                (Value::Win(sooner), Value::Win(later)) if later > sooner => longer += 1,
                (Value::Win(_) | Value::Draw, Value::Loss(_)) => lost += 1,
                (Value::Loss(_), Value::Draw) => changed += 1,
                _ => {}
            }
            checked += 1;
        }
    }
    assert!(changed >= 20, "{changed} {longer} {lost} of {checked}");
}

/// A table with entries of other searches, deeper ones and ordinary ones, does not affect a search for a mate.
#[test]
fn what_the_table_knows_already_changes_no_mate() {
    let engines = engines();
    let mut rng = fastrand::Rng::with_seed(25);
    let game = AnyMorris::new(rules::MLYN);
    let mut beyond = 0;
    for _ in 0..80 {
        let play = morris_ending(game, [3, 3], 0, &mut rng);
        let expected = minimax(&play, 4);
        for engine in &engines {
            let (deep, _) = engine.find_on(&play, &for_depth(12));
            let (found, _) = engine.find_on(&play, &for_mate(2));
            let value = value_of(found.score).unwrap_or(Value::Draw);
            assert_eq!(value, expected, "{}", context(&play));
            beyond += usize::from(expected == Value::Draw && is_mate(deep.score));
        }
    }
    assert!(beyond >= 20, "longer mates were in the table: {beyond}");
}

/// The table returns every kind of bound as it was stored.
#[test]
fn bounds_are_kept_apart() {
    for hash in [HashTable::tiny(1), HashTable::new(1).expect("a small table")] {
        for (key, bound) in [(5, Bound::Upper), (6, Bound::Lower), (7, Bound::Exact)] {
            let entry = Entry { mv: Move::from_bits(9), score: -31_990, eval: 12, depth: 3, bound };
            hash.store(key, entry);
            assert_eq!(hash.probe(key), Some(entry));
        }
        assert_eq!(hash.probe(5).map(|entry| entry.bound), Some(Bound::Upper));
    }
}
