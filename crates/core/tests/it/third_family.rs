//! A family from outside the crate is a full citizen: counted, played and searched like those inside.

use crate::three_men::{LINE, Position, ThreeMen};
use millbrain_core::any::{AnyGame, Report};
use millbrain_core::game::value::{Oracle, Value};
use millbrain_core::game::{Ending, Game, Notation, Verdict};
use millbrain_core::perft;
use millbrain_core::play::Play;
use millbrain_core::search::score::mate_moves;
use millbrain_core::search::{Control, Found, HashTable, Limits, Pool, Pulse, Request, search};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// The value of every position by plain iteration: who can force a line, in how many plies.
fn solved() -> HashMap<Position, Option<u32>> {
    let plain = |pos: Position| Position { slides: 0, black: false, ..pos };
    let (mut open, mut positions) = (vec![ThreeMen.start()], Vec::new());
    let mut values = HashMap::new();
    while let Some(pos) = open.pop() {
        if values.insert(pos, ThreeMen.decided(&pos).map(|_| 0)).is_none() {
            positions.push(pos);
            open.extend(ThreeMen.moves(&pos).into_iter().map(|mv| plain(ThreeMen.play(&pos, mv))));
        }
    }
    for plies in 1.. {
        let mut found = Vec::new();
        for pos in positions.iter().filter(|pos| values[pos].is_none()) {
            let after: Vec<_> = ThreeMen.moves(pos).iter().map(|&mv| values[&plain(ThreeMen.play(pos, mv))]).collect();
            // Odd is won: some move leads to a loss in one ply less. Even is lost: every move leads to a win.
            let wins = plies % 2 == 1 && after.contains(&Some(plies - 1));
            let loses = plies % 2 == 0 && after.iter().all(|value| value.is_some_and(|value| value % 2 == 1));
            if wins || loses {
                found.push(*pos);
            }
        }
        if found.is_empty() && plies > 30 {
            return values;
        }
        values.extend(found.into_iter().map(|pos| (pos, Some(plies))));
    }
    values
}

fn game() -> AnyGame {
    AnyGame::of(ThreeMen)
}

#[test]
fn it_is_counted() {
    // Eight of nine points, and so on, as long as nobody can have a line.
    let stop = AtomicBool::new(false);
    let settings = |threads, hash_mib| perft::Settings { threads, hash_mib, stop: &stop };
    for (depth, leaves) in [(0, 1), (1, 9), (2, 72), (3, 504), (4, 3_024), (5, 15_120)] {
        for (threads, hash_mib) in [(1, 0), (2, 0), (1, 1)] {
            let divided = game().perft(depth, settings(threads, hash_mib));
            assert_eq!(perft::total(&divided, depth), leaves, "depth {depth}");
        }
    }
}

#[test]
fn it_is_set_up_played_and_taken_back() {
    let mut game = game();
    for text in ["5", "1", "9", "3", "2", "8"] {
        assert_eq!(game.push(text).as_deref(), Ok(text));
    }
    assert_eq!(game.fen(), "XOX/1O1/1XO w");
    assert!(game.push("29").is_err() && game.push("zz").is_err());
    game.push("24").expect_err("no line goes there");
    game.push("54").expect("a slide");
    assert!(game.undo());
    let over = game.at(Some("OOO/X1X/3 b"), []).expect("a position");
    assert_eq!(over.ending(), Some(Ending::new(Verdict::Loss, LINE)));
    assert_eq!(LINE.to_string(), "three in a line");
    assert!(game.set_up(Some("OQ1/3/3 w"), []).is_err_and(|error| error.to_string().contains("character 'Q'")));
    assert_eq!((game.value(), game.terms().len(), game.describe().len()), (None, 1, 1));
}

#[test]
fn it_is_searched_to_the_value_of_every_opening() {
    let values = solved();
    assert!(values.len() > 1_000 && values.values().any(Option::is_none), "{}", values.len());
    let (hash, pool) = (Arc::new(HashTable::new(1).expect("a MiB")), Pool::new(2).expect("two threads"));
    let mut rng = fastrand::Rng::with_seed(3);
    let mut won = 0;
    for _ in 0..60 {
        let (mut game, mut pos) = (game(), ThreeMen.start());
        for _ in 0..rng.usize(..9) {
            let Some(mv) = rng.choice(ThreeMen.moves(&pos)) else { break };
            game.push(&ThreeMen.move_text(mv)).expect("legal");
            pos = ThreeMen.play(&pos, mv);
        }
        let expected = values[&Position { slides: 0, black: false, ..pos }];
        // A search for a mate prunes nothing and misses none; any other may overlook one, but claims none that is not there.
        let near = expected.filter(|&plies| plies <= 9);
        let mate = near.map(|plies| plies.div_ceil(2).max(1));
        let limits = Limits { mate, depth: if near.is_none() { Some(14) } else { None }, ..Limits::default() };
        let control = Arc::new(Control::new(false));
        let request = Request { pool: Some(&pool), ..Request::plain(&limits, &hash, &control) };
        let mut lines = 0;
        let answer = game.search(&request, &mut |report| lines += u32::from(matches!(report, Report::Line(_))));
        let mate = mate_moves(answer.score);
        if let Some(plies) = near {
            let moves = plies.div_ceil(2) as i32;
            assert_eq!(mate, Some(if plies % 2 == 1 { moves } else { -moves }), "{} in {plies}", game.fen());
            won += 1;
        } else if expected.is_none() {
            assert_eq!(mate, None, "{} is drawn", game.fen());
        }
        assert!(lines > 0 && (answer.best.is_some() || expected == Some(0)));
    }
    assert!(won > 10, "{won}");
}

/// Knows the positions in which all stones have been placed.
struct Endings(HashMap<Position, Option<u32>>);

impl Endings {
    fn any_value(&self, pos: &Position) -> Value {
        match self.0[&Position { slides: 0, black: false, ..*pos }] {
            None => Value::Draw,
            Some(plies) if plies % 2 == 1 => Value::Win(plies),
            Some(plies) => Value::Loss(plies),
        }
    }
}

impl Oracle<Position> for Endings {
    fn verdict(&self, pos: &Position) -> Option<Verdict> {
        self.value(pos).map(Value::verdict)
    }

    fn value(&self, pos: &Position) -> Option<Value> {
        (pos.placed == 6).then(|| self.any_value(pos))
    }
}

/// Searches on one thread without a limit, until the search itself has nothing more to do.
fn search_to_the_end(play: &Play<ThreeMen>, oracle: &Arc<dyn Oracle<Position>>) -> (Found, u32) {
    let (limits, hash) = (Limits::default(), Arc::new(HashTable::new(1).expect("a MiB")));
    let control = Arc::new(Control::new(false));
    let (weak, pulses) = (Arc::downgrade(&control), Arc::new(AtomicU32::new(0)));
    let seen = Arc::clone(&pulses);
    control.on_pulse(move |doing| {
        if doing == Pulse::Waiting {
            weak.upgrade().expect("it searches").stop();
        }
        seen.fetch_add(1, Ordering::Relaxed);
    });
    let found = search(play, Some(oracle), &Request::plain(&limits, &hash, &control), &mut |_| {});
    (found, pulses.load(Ordering::Relaxed))
}

#[test]
fn values_are_proved_by_a_search_into_an_oracle() {
    let endings = Arc::new(Endings(solved()));
    let oracle: Arc<dyn Oracle<Position>> = endings.clone();
    let mut rng = fastrand::Rng::with_seed(11);
    let (mut nodes, mut pulses, mut values) = (0, 0, [0; 3]);
    for _ in 0..40 {
        let mut play = Play::new(ThreeMen);
        for _ in 0..rng.usize(..5) {
            let mv = rng.choice(ThreeMen.moves(play.position())).expect("nobody has won");
            play.push(mv);
        }
        let value = endings.any_value(play.position());
        let (found, pulsed) = search_to_the_end(&play, &oracle);
        let (sign, count) = match value.verdict() {
            Verdict::Win => (1, 0),
            Verdict::Draw => (0, 1),
            Verdict::Loss => (-1, 2),
        };
        values[count] += 1;
        assert_eq!(found.score.signum(), sign, "{} is {value}", play.fen());
        let best = found.best.expect("a move");
        let after = endings.any_value(&ThreeMen.play(play.position(), best));
        assert_eq!(after.before().verdict(), value.verdict(), "{} after {}", play.fen(), ThreeMen.move_text(best));
        nodes += found.nodes;
        pulses += pulsed;
    }
    assert!(values.iter().all(|&count| count > 1), "{values:?}");
    // What is proved does not depend on the order of moves; how many positions it takes does.
    assert_eq!(nodes, 85_983);
    assert!(u64::from(pulses) > nodes / 512, "{pulses} pulses");
}
