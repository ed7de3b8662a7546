//! The use of tablebases by the search: shortest wins, longest defences, draw rules, proofs.

use millbrain::any::{AnyGame, AnyOracle};
use millbrain::game::{Game, Move, Notation, Placed, Verdict};
use millbrain::morris::{FLYING, Morris, Position, Rules, rules};
use millbrain::play::Play;
use millbrain::search::score::mate_moves;
use millbrain::search::{Control, Found, HashTable, Info, Limits, Line, Pool, Request, Style, search};
use millbrain::solver::build::{BuildRequest, build};
use millbrain::tablebase::probe::category;
use millbrain::tablebase::{self, Endings, MorrisEndings, Sources};
use millbrain::value::{Category, Oracle, Value, known_end};
use millbrain::variant::Ruleset;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

type Known = Arc<dyn Oracle<Position>>;
type Flying = Morris<FLYING>;

fn tables(game: Flying) -> Known {
    let sources = Sources::default();
    let opened = tablebase::open(&Ruleset::Morris(*game.rules()), &sources);
    opened.oracle.as_ref().and_then(AnyOracle::of).expect("embedded tables")
}

fn find(play: &Play<Flying>, oracle: &Known, limits: &Limits) -> Found {
    find_lines(play, oracle, limits, 1, &[]).0
}

/// Returns the result, and the lines reported during the search.
fn find_lines(
    play: &Play<Flying>,
    oracle: &Known,
    limits: &Limits,
    multipv: usize,
    searchmoves: &[Move],
) -> (Found, Vec<Line>) {
    let (hash, control) = (Arc::new(HashTable::new(1).expect("a small table")), Arc::new(Control::new(false)));
    let request = Request { multipv, searchmoves, ..Request::plain(limits, &hash, &control) };
    let mut lines = Vec::new();
    let found = search(play, Some(oracle), &request, &mut |info| {
        if let Info::Line(line) = info {
            lines.push(line.clone());
        }
    });
    (found, lines)
}

fn one_ply() -> Limits {
    Limits { depth: Some(1), ..Limits::default() }
}

/// Returns a game from a FEN with another draw rule.
fn play_from(fen: &str, no_mill_draw: u16) -> Play<Flying> {
    let game = Morris::new(Rules { no_mill_draw, ..rules::MORRIS });
    Play::set_up(game, Some(fen), []).expect("a valid FEN")
}

const LONGEST_WIN: &str = "XOO/3/3/X4X/3/3/2O w 0 0 0 1";

#[test]
fn the_longest_win_takes_as_long_as_known() {
    let mut play = play_from(LONGEST_WIN, 100);
    let oracle = tables(play.game);
    let mut plies = 0;
    while play.ending().is_none() {
        let found = find(&play, &oracle, &one_ply());
        let left = 25 - plies;
        let expected = if left % 2 == 1 { (left + 1) / 2 } else { -left / 2 };
        assert_eq!((mate_moves(found.score), found.nodes), (Some(expected), 0), "{}", play.fen());
        play.push(found.best.expect("a move"));
        plies += 1;
    }
    assert_eq!(plies, 25);
    assert_eq!(play.ending().map(|ending| ending.verdict), Some(Verdict::Loss));
}

#[test]
fn a_win_that_the_counter_may_stop_is_no_mate() {
    let oracle = tables(play_from(LONGEST_WIN, 100).game);
    let score = |counter: u32, limit: u16| {
        let fen = LONGEST_WIN.replace("w 0 0 0 1", &format!("w 0 0 {counter} 60"));
        find(&play_from(&fen, limit), &oracle, &one_ply()).score
    };
    assert_eq!(mate_moves(score(75, 100)), Some(13), "over with the last ply allowed");
    assert_eq!(score(76, 100), 1000 - 25);
    assert_eq!(mate_moves(score(76, 0)), Some(13), "without the rule there is no such thing");
    assert_eq!(score(0, 20), 1000 - 25);
    let lost = play_from("1O1/3/3/X4O/3/3/XOX w 0 0 90 60", 100);
    assert_eq!(find(&lost, &oracle, &one_ply()).score, 26 - 1000);
    // The next ply fills the counter: every move draws at once, for the loser too.
    assert_eq!(score(99, 100), 0);
    let saved = play_from("1O1/3/3/X4O/3/3/XOX w 0 0 99 60", 100);
    assert_eq!(find(&saved, &oracle, &one_ply()).score, 0);
}

/// Builds tables of up to four stones against three whose wins come before this many plies without progress, and
/// includes the built-in ones if `embedded`.
fn counting(game: Flying, name: &str, embedded: bool) -> Known {
    let folder = crate::common::folder(&format!("counting-{name}-{embedded}"));
    let rules = Ruleset::Morris(*game.rules());
    let request = BuildRequest {
        sectors: "4-3".parse().expect("a selection"),
        placing: false,
        results: false,
        draw_counter: true,
        ultra: false,
        folder: folder.to_path_buf(),
        memory: None,
        threads: Some(1),
    };
    build(rules, &request, &(), &mut |_| Ok(())).expect("built");
    let sources = Sources { embedded, ..Sources::at([folder.to_path_buf()]) };
    let opened = tablebase::open(&rules, &sources);
    assert!(opened.refusals.is_empty(), "{:?}", opened.refusals);
    opened.oracle.as_ref().and_then(AnyOracle::of).expect("tables")
}

/// Tables without the counter never contradict those with it. They settle all positions of three stones against three.
#[test]
fn categories_claim_only_what_the_draw_counter_allows() {
    const LIMIT: u16 = 12;
    let rules = Rules { no_mill_draw: LIMIT, ..rules::MORRIS };
    let game: Flying = Morris::new(rules);
    let endings = MorrisEndings::new(FLYING, 9);
    let counting = counting(game, "categories", true);
    let [plain, exact] = [tables(game), counting].map(|oracle| {
        let mut start = AnyGame::new(Ruleset::Morris(rules));
        assert!(start.set_oracle(Some(&AnyOracle::new(&game, oracle))));
        start
    });
    let mut rng = fastrand::Rng::with_seed(3);
    let mut seen: HashMap<(&str, bool), u32> = HashMap::new();
    for _ in 0..4_000 {
        let sector = *rng.choice(&endings.sectors()[..3]).expect("three sectors");
        let Some(pos) = endings.position(sector, rng.u64(..endings.slots(sector))) else { continue };
        let counter = rng.u16(..=LIMIT);
        let fen = game.fen(&Placed { position: pos, move_number: 60 }).replace(" 0 60", &format!(" {counter} 60"));
        let [plain, exact] = [&plain, &exact].map(|start| start.at(Some(&fen), []).expect("a valid FEN"));
        let truth = exact.category().and_then(Category::verdict).expect("settled by the counter");
        let plainly = plain.known().expect("in the tables").verdict();
        for category in [plain.category(), category(&plain)].map(|category| category.expect("in the tables")) {
            let is_even = endings.name(sector) == "3-3";
            assert!(category.verdict().map_or(!is_even, |verdict| verdict == truth), "{fen}: {category:?}, {truth:?}");
            assert!(category.verdict().is_some() || category == Category::of(plainly, None), "{fen}: {category:?}");
            assert_eq!(category.before().before(), category);
            *seen.entry((category.name(), is_even)).or_default() += 1;
        }
    }
    for name in ["win", "cursed-win", "blessed-loss", "loss"] {
        assert!(seen.contains_key(&(name, true)), "{name}: {seen:?}");
    }
    for name in ["maybe-win", "draw", "maybe-loss"] {
        assert!(seen.contains_key(&(name, false)), "{name}: {seen:?}");
    }
}

/// In ultra style a drawn position leads to a better sector in as many plies as the tables give, against the longest
/// delay; neither side goes round in circles.
#[test]
fn better_sectors_are_reached() {
    let folder = crate::common::folder("ultra-style");
    let rules = Rules { no_mill_draw: 0, ..rules::MORRIS };
    let request = BuildRequest {
        sectors: "4-4".parse().expect("a selection"),
        placing: false,
        results: false,
        draw_counter: false,
        ultra: true,
        folder: folder.to_path_buf(),
        memory: None,
        threads: Some(1),
    };
    build(Ruleset::Morris(rules), &request, &(), &mut |_| Ok(())).expect("built");
    let opened = tablebase::open(&Ruleset::Morris(rules), &Sources::at([folder.to_path_buf()]));
    let oracle: Known = opened.oracle.as_ref().and_then(AnyOracle::of).expect("tables");
    let game = Flying::new(rules);
    let endings = MorrisEndings::new(FLYING, 9);
    let fours = endings.sectors().into_iter().find(|&sector| endings.name(sector) == "4-4").expect("a sector");
    let (hash, control) = (Arc::new(HashTable::new(1).expect("a small table")), Arc::new(Control::new(false)));
    let (limits, mut rng) = (one_ply(), fastrand::Rng::with_seed(7));
    let (mut games, mut longest) = ([0; 2], 0);
    while games.iter().any(|&games| games < 4) {
        let Some(pos) = endings.position(fours, rng.u64(..endings.slots(fours))) else { continue };
        if oracle.verdict(&pos) != Some(Verdict::Draw) {
            continue;
        }
        let prospects = game.moves(&pos).into_iter().filter_map(|mv| oracle.prospect(&pos, &game.play(&pos, mv)));
        let best = prospects.max_by_key(|prospect| prospect.rank()).expect("a move that keeps the draw");
        if best.key == 0 {
            continue;
        }
        let mut play = Play::set_up(game, Some(&endings.fen(&pos)), []).expect("a position");
        for ply in 1..=best.plies {
            let request = Request { style: Style::Ultra, ..Request::plain(&limits, &hash, &control) };
            let mv = search(&play, Some(&oracle), &request, &mut |_| {}).best.expect("a move");
            let leaves = game.is_irreversible(play.position(), mv);
            assert_eq!(leaves, ply == best.plies, "ply {ply} of {best} from {}", endings.fen(&pos));
            play.push(mv);
        }
        games[usize::from(best.key > 0)] += 1;
        longest = longest.max(best.plies);
    }
    assert!(longest > 4, "not all within sight: {longest}");
}

/// With a short counter many wins are draws. A win in the tables is a win on the board for any state of the counter; a
/// draw in the tables is a draw.
#[test]
fn wins_by_the_draw_counter_are_won() {
    const LIMIT: u16 = 12;
    let game: Flying = Morris::new(Rules { no_mill_draw: LIMIT, ..rules::MORRIS });
    let endings = MorrisEndings::new(FLYING, 9);
    for embedded in [false, true] {
        let oracle = counting(game, "won", embedded);
        let mut rng = fastrand::Rng::with_seed(12);
        let mut seen = [0; 3];
        // Wins in plain tables that are draws here; wins that need progress on the way.
        let (mut taken, mut with_progress) = (0, 0);
        while seen.iter().any(|&count| count < 12) || embedded && taken < 4 || with_progress < 4 {
            let sector = *rng.choice(&endings.sectors()[..3]).expect("three sectors");
            let Some(pos) = endings.position(sector, rng.u64(..endings.slots(sector))) else { continue };
            let counter = rng.u16(..LIMIT);
            let fen = game.fen(&Placed { position: pos, move_number: 60 }).replace(" 0 60", &format!(" {counter} 60"));
            let mut play = Play::set_up(game, Some(&fen), []).expect("a valid FEN");
            let Some(counted) = oracle.counted(play.position()).filter(|_| play.ending().is_none()) else { continue };
            assert_eq!(oracle.verdict(play.position()), Some(counted.verdict));
            assert_eq!(oracle.known(play.position()).map(|known| known.verdict()), Some(counted.verdict));
            let is_taken = counted.verdict == Verdict::Draw && oracle.value(&pos).is_some_and(|v| v != Value::Draw);
            // Most positions are draws.
            if counted.verdict == Verdict::Draw && seen[Verdict::Draw as usize] >= 12 && !is_taken {
                continue;
            }
            let sign = match counted.verdict {
                Verdict::Win => 1,
                Verdict::Draw => 0,
                Verdict::Loss => -1,
            };
            let side = play.side();
            let mut progress = 0;
            while play.ending().is_none() {
                let (found, lines) = find_lines(&play, &oracle, &one_ply(), 1, &[]);
                let expected = if play.side() == side { sign } else { -sign };
                assert_eq!(found.score.signum(), expected, "{fen}, now {}", play.fen());
                let pv = &lines.last().expect("a line").pv;
                assert!(sign == 0 || pv.len() >= (found.depth as usize).min(8), "{} {}", play.fen(), pv.len());
                play.push(found.best.expect("a move"));
                progress += u32::from(game.plies_without_progress(play.position()) == 0);
            }
            let end = play.ending().expect("over").verdict;
            let lost = if play.side() == side { Verdict::Loss } else { Verdict::Win };
            assert_eq!(end == Verdict::Loss && lost == counted.verdict, sign != 0, "{fen}");
            seen[counted.verdict as usize] += 1;
            taken += u32::from(is_taken);
            with_progress += u32::from(counted.verdict != Verdict::Draw && progress > 1);
        }
        assert!(embedded || taken == 0, "nothing else is known");
    }
}

#[test]
fn a_third_occurrence_is_no_win() {
    let game: Flying = Morris::new(rules::MORRIS);
    let oracle = tables(game);
    let endings = MorrisEndings::new(FLYING, 9);
    let sector = endings.sectors()[0];
    let mut rng = fastrand::Rng::with_seed(6);
    let mut checked = 0;
    while checked < 20 {
        let Some(pos) = endings.position(sector, rng.u64(..endings.slots(sector))) else { continue };
        let best = find(&Play::from_placed(game, Placed { position: pos, move_number: 1 }), &oracle, &one_ply());
        let Some(best_move) = best.best.filter(|_| mate_moves(best.score).is_some_and(|moves| moves > 2)) else {
            continue;
        };
        let text = game.move_text(best_move);
        let after = game.play(&pos, best_move);
        let reply = *rng.choice(&game.moves(&after)).expect("flying stones can move");
        let reply = game.move_text(reply);
        if reply.len() > 4 {
            continue;
        }
        let back = |text: &str| format!("{}{}", &text[2..4], &text[..2]);
        // The position after the best move occurs at the start and once more, the one before it twice.
        let cycle = [reply.clone(), back(&text), back(&reply), text.clone()];
        let moves: Vec<&str> = cycle.iter().chain(&cycle[..3]).map(String::as_str).collect();
        let fen = game.fen(&Placed { position: after, move_number: 1 });
        let Ok(play) = Play::set_up(game, Some(&fen), moves) else { continue };
        if play.ending().is_some() || game.key(play.position()) != game.key(&pos) {
            continue;
        }
        let found = find(&play, &oracle, &one_ply());
        assert_ne!(found.best, Some(best_move), "{fen}");
        let next = game.play(play.position(), found.best.expect("a move"));
        let value = oracle.value(&next).expect("in the tables");
        assert!(matches!(value, Value::Loss(_)) || found.score == 0, "{fen} {value}");
        checked += 1;
    }
}

#[test]
fn draws_are_kept_and_scored_as_draws() {
    let game: Flying = Morris::new(rules::MORRIS);
    let oracle = tables(game);
    let endings = MorrisEndings::new(FLYING, 9);
    let mut rng = fastrand::Rng::with_seed(8);
    let sectors = endings.sectors();
    let mut checked = 0;
    while checked < 40 {
        let sector = sectors[rng.usize(..6)];
        let Some(position) = endings.position(sector, rng.u64(..endings.slots(sector))) else { continue };
        if oracle.value(&position) != Some(Value::Draw) {
            continue;
        }
        let play = Play::from_placed(game, Placed { position, move_number: 1 });
        let (found, _) = drawing_lines(&play, &oracle, &Limits { nodes: Some(500), ..Limits::default() });
        let next = game.play(&position, found.best.expect("a move"));
        let drawing = |pos: &Position| {
            game.moves(pos).iter().filter(|&&mv| value_of(&game, &oracle, &game.play(pos, mv)) != 1).count()
        };
        assert_eq!((found.score, value_of(&game, &oracle, &next)), (0, 0));
        let fewest = game
            .moves(&position)
            .into_iter()
            .map(|mv| game.play(&position, mv))
            .filter(|next| value_of(&game, &oracle, next) == 0)
            .map(|next| drawing(&next))
            .min();
        assert_eq!(fewest, Some(drawing(&next)), "{}", play.fen());
        checked += 1;
    }
}

/// Returns the lines of a search in a drawn position, each of which keeps the draw.
fn drawing_lines(play: &Play<Flying>, oracle: &Known, limits: &Limits) -> (Found, Vec<Line>) {
    let (found, lines) = find_lines(play, oracle, limits, 1, &[]);
    for line in &lines {
        assert_eq!(line.score, 0);
        assert!(line.tablebase_hits > 0, "{}", play.fen());
        let mut play = play.clone();
        for &mv in &line.pv {
            assert!(play.ending().is_none() && play.game.is_legal(play.position(), mv), "{}", play.fen());
            play.push(mv);
            let kept = play.ending().map(|ending| ending.verdict) == Some(Verdict::Draw);
            assert!(kept || value_of(&play.game, oracle, play.position()) == 0, "{}", play.fen());
        }
    }
    assert_eq!(found.best, lines.last().map(|line| line.pv[0]));
    (found, lines)
}

/// A search has nothing to add about placements: every position after one is in the tables.
#[test]
fn drawing_placements_are_reported_at_once() {
    let game: Flying = Morris::new(Rules { stones: 3, ..rules::MORRIS });
    let oracle = tables(game);
    let mut rng = fastrand::Rng::with_seed(3);
    let mut checked = 0;
    while checked < 20 {
        let mut play = Play::new(game);
        for _ in 0..5 {
            play.push(*rng.choice(&game.moves(play.position())).expect("a move"));
        }
        let values = game.moves(play.position()).into_iter().map(|mv| game.play(play.position(), mv));
        if play.position().own_hand() != 1 || values.map(|next| -value_of(&game, &oracle, &next)).max() != Some(0) {
            continue;
        }
        let (found, lines) = drawing_lines(&play, &oracle, &Limits { depth: Some(200), ..Limits::default() });
        assert_eq!((found.nodes, lines.len(), lines[0].pv.len()), (0, 1, 8), "{}", play.fen());
        assert_eq!(found.ponder, Some(lines[0].pv[1]));
        checked += 1;
    }
}

/// The third occurrence of a position saves Black, and no move follows it.
#[test]
fn lines_of_draws_end_with_the_game() {
    let game: Flying = Morris::new(rules::MORRIS);
    let oracle = tables(game);
    let circle = ["g1f2", "g4f4", "f2g1", "f4g4"];
    let play = Play::set_up(game, Some(LONGEST_WIN), circle.into_iter().chain(circle).take(7)).expect("legal moves");
    let repeating = play.find_move("f4g4").expect("legal");
    let (found, lines) = find_lines(&play, &oracle, &one_ply(), 2, &[repeating]);
    let lines: Vec<_> = lines.into_iter().map(|line| (line.score, line.pv)).collect();
    assert_eq!(lines, [(0, vec![repeating])]);
    assert_eq!((found.best, found.ponder), (Some(repeating), None));
}

/// An oracle that counts its distance probes.
struct Counting(Known, AtomicUsize);

impl Oracle<Position> for Counting {
    fn verdict(&self, pos: &Position) -> Option<Verdict> {
        self.0.verdict(pos)
    }

    fn value(&self, pos: &Position) -> Option<Value> {
        self.1.fetch_add(1, Relaxed);
        self.0.value(pos)
    }
}

#[test]
fn lines_of_known_positions_are_perfect_play() {
    let game: Flying = Morris::new(rules::MORRIS);
    let counting = Arc::new(Counting(tables(game), AtomicUsize::new(0)));
    let oracle: Known = counting.clone();
    let value = |pos: &Position| known_end(&game, pos).or_else(|| counting.0.value(pos)).expect("in the tables");
    let endings = MorrisEndings::new(FLYING, 9);
    let mut rng = fastrand::Rng::with_seed(11);
    let sectors = endings.sectors();
    // Distances needed if all moves of all positions on the lines were probed.
    let mut all = 0;
    for _ in 0..60 {
        let position = (0..).find_map(|_| {
            let sector = sectors[rng.usize(..6)];
            let position = endings.position(sector, rng.u64(..endings.slots(sector)))?;
            matches!(value(&position), Value::Win(3..) | Value::Loss(2..)).then_some(position)
        });
        let play = Play::from_placed(game, Placed { position: position.expect("one"), move_number: 1 });
        let (_, lines) = find_lines(&play, &oracle, &one_ply(), 500, &[]);
        assert_eq!(lines.len(), game.moves(play.position()).len());
        all += lines.len();
        for Line { pv: line, .. } in lines {
            let mut pos = game.play(play.position(), line[0]);
            let expected = match value(&pos) {
                _ if game.decided(&pos).is_some() => 1,
                Value::Draw => 8,
                Value::Win(plies) | Value::Loss(plies) => 8.min(1 + plies as usize),
            };
            assert_eq!(line.len(), expected, "{}", play.fen());
            for &mv in &line[1..] {
                all += game.moves(&pos).len();
                let next = game.play(&pos, mv);
                assert_eq!(value(&next).before(), value(&pos), "{}", play.fen());
                pos = next;
            }
        }
    }
    let asked = counting.1.load(Relaxed);
    assert!(asked * 3 < all, "{asked} of {all}");
}

/// Returns -1, 0 or 1 for the side to move.
fn value_of(game: &Flying, oracle: &Known, pos: &Position) -> i32 {
    match game.decided(pos).map(|ending| ending.verdict).or_else(|| oracle.verdict(pos)).expect("known") {
        Verdict::Loss => -1,
        Verdict::Draw => 0,
        Verdict::Win => 1,
    }
}

/// Returns the value of a position with stones in hand, by plain minimax down to the tables.
fn minimax(game: &Flying, oracle: &Known, pos: &Position, memory: &mut HashMap<u64, i32>) -> i32 {
    if game.decided(pos).is_some() || pos.own_hand() + pos.opp_hand() == 0 {
        return value_of(game, oracle, pos);
    }
    if let Some(&value) = memory.get(&game.key(pos)) {
        return value;
    }
    let value = game
        .moves(pos)
        .into_iter()
        .map(|mv| -minimax(game, oracle, &game.play(pos, mv), memory))
        .max()
        .expect("a side with stones in hand can place one");
    memory.insert(game.key(pos), value);
    value
}

/// Returns the proof of a search without limits, and its move; the search is stopped then, or when it continues without
/// a proof.
fn proved(play: &Play<Flying>, oracle: &Known, searchmoves: Vec<Move>) -> (Option<String>, Option<Move>) {
    let hash = Arc::new(HashTable::new(4).expect("a small table"));
    let pool = Pool::new(2).expect("two threads");
    // With some of the moves nothing can be proved.
    let mut tried = !searchmoves.is_empty();
    let (limits, control) = (Limits::default(), Arc::new(Control::new(false)));
    let mut text = None;
    let found = search(
        play,
        Some(oracle),
        &Request { pool: Some(&pool), searchmoves: &searchmoves, ..Request::plain(&limits, &hash, &control) },
        &mut |info| match info {
            Info::Note(note) => {
                tried |= note.starts_with("trying to prove");
                if let Some(rest) = note.strip_prefix("proved: ") {
                    text = rest.split(' ').next().map(str::to_string);
                    control.stop();
                }
            }
            Info::Line(Line { depth, .. }) if tried && *depth > 16 => control.stop(),
            _ => {}
        },
    );
    (text, found.best)
}

#[test]
fn proofs_agree_with_minimax() {
    let mut rng = fastrand::Rng::with_seed(2);
    let mut found = HashMap::new();
    for round in 0..24 {
        let stones = 3 + round % 2;
        let game: Flying = Morris::new(Rules { stones, ..rules::MORRIS });
        let oracle = tables(game);
        let mut play = Play::new(game);
        for _ in 0..2 * stones - 4 + round % 3 {
            play.push(*rng.choice(&game.moves(play.position())).expect("a move"));
        }
        let mut memory = HashMap::new();
        let expected = minimax(&game, &oracle, play.position(), &mut memory);
        let (text, best) = proved(&play, &oracle, Vec::new());
        let word = ["loss", "draw", "win"][(expected + 1) as usize];
        assert_eq!(text.as_deref(), Some(word), "{}", play.fen());
        let next = game.play(play.position(), best.expect("a move"));
        assert_eq!(-minimax(&game, &oracle, &next, &mut memory), expected, "the move keeps the value");
        let other = *rng.choice(&game.moves(play.position())).expect("a move");
        assert_eq!(proved(&play, &oracle, vec![other]), (None, Some(other)), "nothing is proved of some moves");
        *found.entry(word).or_insert(0) += 1;
    }
    assert_eq!(found.len(), 3, "{found:?}");
}
