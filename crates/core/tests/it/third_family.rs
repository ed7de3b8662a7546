//! Families from outside the crate are counted, played and searched like those inside.

use crate::dao::Dao;
use crate::three_men::{LINE, Position, ThreeMen};
use millbrain_core::any::{AnyGame, Report};
use millbrain_core::game::value::{Oracle, Value, known_end};
use millbrain_core::game::{Ending, Game, Move, Notation, Searchable, Verdict};
use millbrain_core::network::Learned;
use millbrain_core::perft;
use millbrain_core::play::Play;
use millbrain_core::search::score::mate_moves;
use millbrain_core::search::{Bound, Control, Found, HashTable, Info, Limits, Line, Pool, Pulse, Request, search};
use serde_json::json;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::{env, fs};

/// Solves every position by plain iteration: whether a line can be forced, and in how many plies.
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
            // An odd distance is a win: some move leads to a loss in one ply less. An even one is a loss: every move
            // leads to a win.
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
fn they_are_counted() {
    // Eight of nine points, and so on, as long as no side can have a line; the numbers of Dao are from another program.
    let stop = AtomicBool::new(false);
    let settings = |threads, hash_mib| perft::Settings { threads, hash_mib, stop: &stop };
    for (game, counts) in
        [(game(), &[1, 9, 72, 504, 3_024, 15_120][..]), (AnyGame::of(Dao), &[1, 12, 140, 1_688, 19_888])]
    {
        for (depth, &leaves) in (0..).zip(counts) {
            for (threads, hash_mib) in [(1, 0), (2, 0), (1, 1)] {
                let divided = game.perft(depth, settings(threads, hash_mib));
                assert_eq!(perft::total(&divided, depth), leaves, "{} to depth {depth}", game.family());
            }
        }
    }
}

#[test]
fn it_is_set_up_played_and_taken_back() {
    let mut game = game();
    for text in ["5", "1", "9", "3", "2", "8"] {
        assert_eq!(game.push(text).as_deref(), Ok(text));
    }
    assert_eq!(game.fen(), "XOX/1O1/1XO w 0 4");
    assert!(game.push("29").is_err());
    assert_eq!(game.push("zz").unwrap_err().to_string(), "cannot be read, expected a move such as 5 or 59");
    game.push("24").expect_err("no line goes there");
    game.push("54").expect("a slide");
    assert!(game.undo());
    let over = game.at(Some("OOO/X1X/3 b"), []).expect("a position");
    assert_eq!(over.ending(), Some(Ending::new(Verdict::Loss, LINE)));
    assert_eq!(LINE.to_string(), "three in a line");
    assert!(game.set_up(Some("OQ1/3/3 w"), []).is_err_and(|error| error.to_string().contains("character 'Q'")));
    assert_eq!((game.known(), game.terms().len(), game.describe().len()), (None, 1, 1));
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
        // A search for a mate prunes nothing and misses none; any other may overlook one, but reports no false one.
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

#[test]
fn a_family_needs_no_network() {
    assert!(Dao.network_slot().is_none());
    assert_eq!(Dao.correction(&Dao.start()), 0);
}

#[test]
fn a_side_of_dao_wins_by_four_or_in_a_corner() {
    let dao = AnyGame::of(Dao);
    assert_eq!(dao.fen(), "X2O/1XO1/1OX1/O2X w 1");
    for (fen, mv, end) in [
        ("OOO1/XX2/X1X1/3O w", "d1d4", Some((Verdict::Loss, "four in a figure"))),
        ("O1X1/O1X1/O1X1/1O1X w", "b1a1", Some((Verdict::Loss, "four in a figure"))),
        ("XX2/X1OO/3O/XO2 w", "b1c2", Some((Verdict::Loss, "four in a figure"))),
        ("O2O/X1X1/XX2/O1O1 w", "c1d1", Some((Verdict::Loss, "four in a figure"))),
        ("XO2/1OX1/3X/O1XO w", "a1b1", None),
        // A side that shuts a stone in has lost.
        ("XO2/1OX1/3X/O1XO w", "a1a3", Some((Verdict::Win, "shut in a corner"))),
    ] {
        let mut game = dao.at(Some(fen), []).unwrap_or_else(|error| panic!("{fen}: {error}"));
        assert_eq!(game.push(mv).as_deref(), Ok(mv), "{fen}");
        let ending = game.ending().map(|ending| (ending.verdict, ending.reason.id()));
        assert_eq!(ending, end, "{fen}");
    }
    for (fen, reported) in [
        ("4/4/4 w", "bad FEN: 3 rows, expected 4"),
        (
            "OOO1/X3/4/4 w x",
            "bad FEN: white has 3 stones, expected 4; black has 1 stone, expected 4; move number is \"x\"",
        ),
    ] {
        let refused = dao.at(Some(fen), []).map(|_| ()).unwrap_err().to_string();
        assert!(refused.starts_with(reported), "{refused}");
    }
    let unreadable = dao.at(None, ["a1"]).map(|_| ()).unwrap_err().to_string();
    assert_eq!(unreadable, "move 1 (a1) cannot be read, expected a move such as a1a3");
}

/// Returns what the page receives of a position.
fn reported_to_the_page(game: &AnyGame) -> serde_json::Value {
    json!({
        "fen": game.fen(),
        "side": game.side(),
        "pieces": game.pieces(),
        "hands": game.hands().unwrap_or_default(),
        "lost": game.lost(),
        "phase": game.phase(),
        "moves": game.move_parts(),
        "ending": game.ending().map(|ending| {
            json!({ "winner": ending.winner(game.side()), "id": ending.reason.id(), "reason": ending.reason.to_string() })
        }),
    })
}

/// This is all that the page receives of a game; its own tests (`web/page/tests/third.test.ts`) read it from the file.
/// `MILLBRAIN_WRITE=1` rewrites it.
#[test]
fn they_are_described_to_the_page() {
    let corners = &["b2a2", "a4a3", "c3d2", "a3b4", "a2a4", "d1b1", "d2d1"];
    let families = [
        (AnyGame::of(ThreeMen), [&[][..], &["5", "2", "1"], &["5", "2", "1", "3", "9"]]),
        (AnyGame::of(Dao), [&[], corners, &["a1a3", "a4c4", "c3b4", "b3a4", "b2b3"]]),
    ]
    .map(|(start, lines)| {
        let states =
            lines.map(|moves| reported_to_the_page(&start.at(None, moves.iter().copied()).expect("legal moves")));
        json!({ "family": start.family(), "layout": start.layout(), "states": states }).to_string()
    });
    let reported = format!("[\n{}\n]\n", families.join(",\n"));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/families.json");
    if env::var_os("MILLBRAIN_WRITE").is_some() {
        fs::write(&path, &reported).expect("written");
    }
    assert_eq!(fs::read_to_string(&path).expect("there"), reported, "{}", path.display());
}

/// Returns the value of a position as far as this number of plies shows it, otherwise a draw.
fn plain<G: Game>(game: &G, pos: &G::Position, plies: u32) -> Value {
    known_end(game, pos).unwrap_or_else(|| match plies {
        0 => Value::Draw,
        _ => Value::from_successors(game.moves(pos).into_iter().map(|mv| plain(game, &game.play(pos, mv), plies - 1))),
    })
}

#[test]
fn dao_is_searched_to_every_near_win() {
    let (hash, control) = (Arc::new(HashTable::new(1).expect("a MiB")), Arc::new(Control::new(false)));
    let mut rng = fastrand::Rng::with_seed(4);
    let mut found = [0; 3];
    for _ in 0..400 {
        let mut play = Play::new(Dao);
        for _ in 0..rng.usize(4..20) {
            let safe = |mv: &Move| Dao.decided(&Dao.play(play.position(), *mv)).is_none();
            let moves: Vec<Move> = Dao.moves(play.position()).into_iter().filter(safe).collect();
            let Some(mv) = rng.choice(moves) else { break };
            play.push(mv);
        }
        let limits = Limits { mate: Some(2), ..Limits::default() };
        let mate = mate_moves(search(&play, None, &Request::plain(&limits, &hash, &control), &mut |_| {}).score);
        let (value, is_right) = match plain(&Dao, play.position(), 3) {
            Value::Win(plies) => (0, mate == Some(plies.div_ceil(2) as i32)),
            Value::Loss(plies) => (1, mate == Some(-(plies as i32 / 2))),
            // A loss in two moves takes four plies.
            Value::Draw => (2, mate.is_none_or(|moves| moves <= -2)),
        };
        found[value] += 1;
        assert!(is_right, "{}: {mate:?}", play.fen());
    }
    assert!(found.iter().all(|&count| count > 1), "{found:?}");
}

/// An oracle for the positions in which all stones have been placed.
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

/// A line of a search.
type Reported = Line<Move>;

/// Searches, and returns the lines too.
fn reported(
    play: &Play<ThreeMen>,
    oracle: Option<&Arc<dyn Oracle<Position>>>,
    request: &Request<'_>,
) -> (Found, Vec<Reported>) {
    let mut lines = Vec::new();
    let found = search(play, oracle, request, &mut |info| {
        if let Info::Line(line) = info {
            lines.push(line.clone());
        }
    });
    (found, lines)
}

/// Searches on one thread without a limit, until the search itself has nothing more to do.
fn search_to_the_end(play: &Play<ThreeMen>, oracle: &Arc<dyn Oracle<Position>>) -> (Found, u32, Vec<Reported>) {
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
    let (found, lines) = reported(play, Some(oracle), &Request::plain(&limits, &hash, &control));
    (found, pulses.load(Ordering::Relaxed), lines)
}

/// Returns the start of a random game, with at most this number of moves.
fn opening(rng: &mut fastrand::Rng, most: usize) -> Play<ThreeMen> {
    let mut play = Play::new(ThreeMen);
    for _ in 0..rng.usize(..=most) {
        let Some(mv) = rng.choice(ThreeMen.moves(play.position())) else { break };
        play.push(mv);
    }
    play
}

#[test]
fn values_are_proved_by_a_search_into_an_oracle() {
    let endings = Arc::new(Endings(solved()));
    let oracle: Arc<dyn Oracle<Position>> = endings.clone();
    let mut rng = fastrand::Rng::with_seed(11);
    let (mut nodes, mut pulses, mut hits, mut values) = (0, 0, 0, [0; 3]);
    for _ in 0..40 {
        let play = opening(&mut rng, 4);
        let value = endings.any_value(play.position());
        let (found, pulsed, lines) = search_to_the_end(&play, &oracle);
        let last = lines.last().expect("a line");
        assert_eq!((last.depth, last.nodes), (found.depth, found.nodes), "{}", play.fen());
        assert!(last.depth == 0 || last.seldepth > 0, "{last:?}");
        hits += last.tablebase_hits;
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
    // A proved value does not depend on the order of moves; the number of positions does.
    assert_eq!((nodes, hits), (88_662, 19_206));
    assert!(u64::from(pulses) > nodes / 512, "{pulses} pulses");
}

/// An oracle for only some of these positions.
struct SomeEndings(Arc<Endings>, u64);

impl Oracle<Position> for SomeEndings {
    fn verdict(&self, pos: &Position) -> Option<Verdict> {
        self.value(pos).map(Value::verdict)
    }

    fn value(&self, pos: &Position) -> Option<Value> {
        let (key, _) = ThreeMen.hash_key(pos);
        self.0.value(pos).filter(|_| fastrand::Rng::with_seed(key ^ self.1).u32(..3) > 0)
    }
}

/// A side that would gain by an unknown position does not get the benefit: every proof is true.
#[test]
fn what_is_not_known_proves_nothing() {
    let endings = Arc::new(Endings(solved()));
    let mut rng = fastrand::Rng::with_seed(3);
    let (mut proved, mut open) = ([0; 3], 0);
    for salt in 0..120 {
        let play = opening(&mut rng, 5);
        let oracle: Arc<dyn Oracle<Position>> = Arc::new(SomeEndings(Arc::clone(&endings), salt));
        let (limits, hash) = (Limits::default(), Arc::new(HashTable::new(1).expect("a MiB")));
        let control = Arc::new(Control::new(false));
        let weak = Arc::downgrade(&control);
        control.on_pulse(move |doing| {
            if doing == Pulse::Waiting {
                weak.upgrade().expect("it searches").stop();
            }
        });
        let (mut tried, mut verdict) = (false, None);
        search(&play, Some(&oracle), &Request::plain(&limits, &hash, &control), &mut |info| match info {
            Info::Note(note) if note.starts_with("trying to prove") => tried = true,
            Info::Note(note) => verdict = note.strip_prefix("proved: ").and_then(|text| text.chars().next()),
            // There is no proof to try, or it has failed, and the search continues without end.
            Info::Line(line) if verdict.is_none() && (tried || line.depth > 16) => control.stop(),
            _ => {}
        });
        let Some(verdict) = verdict else {
            open += u32::from(tried);
            continue;
        };
        let (expected, count) = match endings.any_value(play.position()).verdict() {
            Verdict::Win => ('w', 0),
            Verdict::Draw => ('d', 1),
            Verdict::Loss => ('l', 2),
        };
        assert_eq!(verdict, expected, "{} with oracle {salt}", play.fen());
        proved[count] += 1;
    }
    assert!(proved.iter().all(|&count| count > 0) && open > 3, "{proved:?}, {open} open");
}

/// Searches to a depth, and returns the lines too.
fn lines_of(
    play: &Play<ThreeMen>,
    oracle: Option<&Arc<dyn Oracle<Position>>>,
    depth: u32,
    multipv: usize,
) -> (Found, Vec<Reported>) {
    let (limits, hash) =
        (Limits { depth: Some(depth), ..Limits::default() }, Arc::new(HashTable::new(1).expect("a MiB")));
    let control = Arc::new(Control::new(false));
    reported(play, oracle, &Request { multipv, ..Request::plain(&limits, &hash, &control) })
}

#[test]
fn lines_tell_what_was_searched() {
    let (found, lines) = lines_of(&Play::new(ThreeMen), None, 5, 3);
    let numbers: Vec<_> = lines.iter().map(|line| (line.depth, line.multipv)).collect();
    let expected: Vec<_> = (1..=5).flat_map(|depth| (1..=3).map(move |multipv| (depth, multipv))).collect();
    assert_eq!(numbers, expected);
    assert!(lines.is_sorted_by_key(|line| line.nodes) && lines[0].nodes > 0);
    assert!(lines.iter().all(|line| line.bound == Bound::Exact && line.tablebase_hits == 0));
    let last = lines.last().expect("a line");
    assert_eq!(last.nodes, found.nodes);
    assert!(last.seldepth >= 5 && last.pv.len() <= last.seldepth, "{last:?}");
}

#[test]
fn lines_tell_what_an_oracle_knows() {
    let endings = Arc::new(Endings(solved()));
    let oracle: Arc<dyn Oracle<Position>> = endings.clone();
    let mut rng = fastrand::Rng::with_seed(5);
    let (mut draws, mut decided) = (0, 0);
    while draws < 10 || decided < 10 {
        let mut play = opening(&mut rng, 5);
        while play.position().placed < 6
            && let Some(mv) = rng.choice(ThreeMen.moves(play.position()))
        {
            play.push(mv);
        }
        let moves = ThreeMen.moves(play.position());
        if moves.len() < 2 {
            continue;
        }
        // All values are known: nothing is searched.
        let (found, lines) = lines_of(&play, Some(&oracle), 4, 2);
        let after = |line: &Reported| endings.any_value(&ThreeMen.play(play.position(), line.pv[0])).before();
        assert_eq!((lines.len(), found.nodes), (2, 0));
        for (multipv, line) in (1..).zip(&lines) {
            let plies = match after(line) {
                Value::Win(plies) | Value::Loss(plies) => plies as i32,
                Value::Draw => 1,
            };
            assert_eq!((line.multipv, line.depth, line.seldepth), (multipv, plies, plies as usize), "{}", play.fen());
            assert!(line.tablebase_hits >= moves.len() as u64 - ended(&play), "{}", play.fen());
        }
        // One line of a draw is searched, for the move that is hardest to answer; the score is known.
        if after(&lines[0]) == Value::Draw {
            draws += 1;
            let (found, lines) = lines_of(&play, Some(&oracle), 4, 1);
            assert!(lines.iter().all(|line| line.score == 0 && line.bound == Bound::Exact), "{}", play.fen());
            assert!(found.nodes > 0 || lines.len() == 1, "{}", play.fen());
        } else {
            decided += 1;
        }
    }
}

/// All reports where an oracle knows the values are pinned: the lines of wins and of draws, and the number of lookups.
#[test]
fn what_is_reported_of_known_positions_is_pinned() {
    let oracle: Arc<dyn Oracle<Position>> = Arc::new(Endings(solved()));
    let mut rng = fastrand::Rng::with_seed(6);
    let mut sums = Vec::new();
    for (depth, multipv) in [(3, 1), (6, 1), (3, 3), (1, 9)] {
        let mut sum = [0; 6];
        for _ in 0..60 {
            let mut play = opening(&mut rng, 5);
            while play.position().placed < 6 && play.ending().is_none() {
                play.push(rng.choice(ThreeMen.moves(play.position())).expect("a point is free"));
            }
            for _ in 0..rng.usize(..6) {
                let Some(mv) = rng.choice(ThreeMen.moves(play.position())) else { break };
                play.push(mv);
            }
            let (found, lines) = lines_of(&play, Some(&oracle), depth, multipv);
            sum[0] += found.nodes;
            for line in lines {
                // The plies of a line weigh more the later they come.
                let moves: u64 = line.pv.iter().zip(1..).map(|(mv, weight)| weight * u64::from(mv.bits())).sum();
                let parts = [line.tablebase_hits, line.seldepth as u64, line.score.unsigned_abs().into(), moves, 1];
                sum[1..].iter_mut().zip(parts).for_each(|(sum, part)| *sum += part);
            }
        }
        sums.push(sum);
    }
    // Nodes, hits, depths, scores, moves and lines.
    let expected = [
        [361, 389, 161, 1_535_911, 32_249, 84],
        [2_340, 730, 311, 1_567_920, 46_108, 115],
        [0, 2_152, 288, 3_231_741, 142_873, 130],
        [0, 4_266, 497, 4_639_543, 227_172, 185],
    ];
    assert_eq!(sums, expected);
}

/// Counts the moves that end the game: the oracle is not needed for them.
fn ended(play: &Play<ThreeMen>) -> u64 {
    let ends = |mv: &Move| ThreeMen.ending(&ThreeMen.play(play.position(), *mv)).is_some();
    ThreeMen.moves(play.position()).iter().filter(|mv| ends(mv)).count() as u64
}
