//! Playing below full strength: how often and among which moves a level errs, how deep it looks, what it still sees.

use crate::common::{ENGINE, setting};
use crate::targets::Printed;
use millbrain::any::AnyGame;
use millbrain::game::{Game, Move, Notation, Placed, Side, Verdict};
use millbrain::play::Play;
use millbrain::protocol::command::Go;
use millbrain::protocol::{Output, Resources, Settings, player};
use millbrain::search::{Control, HashTable, Limits, Pool};
use millbrain::variant::Variant;
use millbrain::with_game;
use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::Arc;

/// Depth of each level in plies, 0 where it only plays at random, and the permille of its moves that are random.
const HANDICAPS: [(u32, usize); 20] = [
    (0, 1000),
    (1, 300),
    (1, 150),
    (1, 60),
    (1, 30),
    (2, 30),
    (2, 20),
    (3, 20),
    (3, 15),
    (4, 15),
    (4, 12),
    (5, 9),
    (5, 6),
    (6, 4),
    (6, 2),
    (7, 0),
    (8, 0),
    (9, 0),
    (10, 0),
    (12, 0),
];

/// A game with an engine that answers `go`.
struct Player {
    game: AnyGame,
    resources: Resources,
    printed: Printed,
    out: Output,
}

impl Player {
    fn new(variant: Variant) -> Player {
        let printed = Printed::default();
        let out = Output::new(Box::new(printed.clone()));
        let hash = Arc::new(HashTable::new(1).expect("a small table"));
        let resources = Resources { hash, pool: Arc::new(Pool::single()) };
        Player { game: AnyGame::new(variant.rules()), resources, printed, out }
    }

    fn at(variant: Variant, fen: &str) -> Player {
        let mut player = Player::new(variant);
        player.game.set_up(Some(fen), []).expect("a valid FEN");
        player
    }

    /// The best move, and the depth of the last report: 0 where no search has been made.
    fn go(&mut self, settings: &Settings, searchmoves: &[String]) -> (String, u32) {
        let limits = Limits { depth: Some(60), ..Limits::default() };
        let go = Go { limits, searchmoves: searchmoves.to_vec(), ..Go::default() };
        let line = player::go(&self.game, &go, settings, &self.resources, &Arc::new(Control::new(false)), &self.out);
        let printed = self.printed.take();
        let info = printed.lines().rfind(|line| line.starts_with("info depth ")).expect("a report");
        let depth = info.split(' ').nth(2).and_then(|word| word.parse().ok()).expect("a depth");
        (line.split(' ').nth(1).expect("a move").to_string(), depth)
    }
}

fn level(skill: usize, seed: u64) -> Settings {
    Settings { skill: skill as u32, seed, ..Settings::default() }
}

/// White wins at once: no search takes long.
const WON: &str = "OO1/3/3/O1X3/1XX/3/3 w 0 0";
/// Nobody wins soon.
const QUIET: &str = "3b3/3n3/7/7/7/7/3N3/3B3 w 0 1";

#[test]
fn levels_err_as_often_as_documented() {
    let mut player = Player::at(Variant::Morris, WON);
    for (skill, &(_, permille)) in HANDICAPS.iter().enumerate() {
        let seeds = if permille > 0 { 2_000 } else { 600 };
        let guesses = (1..=seeds).filter(|&seed| player.go(&level(skill, seed), &[]).1 == 0).count();
        let (chance, seeds) = (permille as f64 / 1000.0, seeds as f64);
        let deviation = (seeds * chance * (1.0 - chance)).sqrt();
        assert!((guesses as f64 - seeds * chance).abs() <= 3.5 * deviation, "level {skill}: {guesses} of {seeds}");
        assert_eq!(guesses > 0, permille > 0, "level {skill}");
    }
}

#[test]
fn errors_are_any_move_with_the_same_chance() {
    let mut player = Player::at(Variant::Morris, WON);
    let moves = player.game.moves();
    let mut counts = vec![0; moves.len()];
    const EACH: usize = 200;
    for seed in 1..=EACH * moves.len() {
        let (mv, _) = player.go(&level(0, seed as u64), &[]);
        counts[moves.iter().position(|other| *other == mv).expect("legal")] += 1;
    }
    assert!(counts.iter().all(|count| (EACH * 7 / 10..=EACH * 13 / 10).contains(count)), "{counts:?}");
}

/// A position that comes back later in the game is not met with the same random move each time.
#[test]
fn random_moves_change_with_the_counter() {
    let at = |counter| Player::at(Variant::Smess, &QUIET.replace("w 0 1", &format!("w {counter} 9")));
    let moves: Vec<String> = (0..20).map(|counter| at(counter).go(&level(0, 7), &[]).0).collect();
    assert!(moves.iter().any(|mv| *mv != moves[0]), "{moves:?}");
}

/// A seed gives the same moves on every machine and in every version.
#[test]
fn the_moves_of_a_seed_stay_the_same() {
    let moves = |variant: Variant, moves: &[&str], seeds: std::ops::RangeInclusive<u64>| {
        let game = AnyGame::new(variant.rules()).at(None, moves.iter().copied()).expect("legal moves");
        seeds.map(|seed| player::random_move(&game, seed).expect("a move")).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(moves(Variant::Morris, &[], 1..=8), "e4 a7 e5 d7 a7 d3 c4 f2");
    assert_eq!(moves(Variant::Morris, &["d6"], 1..=8), "a4 e3 a1 b2 d3 f6 f4 c5");
    assert_eq!(moves(Variant::Smess, &[], 1..=4), "e2e3 f1g1 g2g1 b2b3");
}

#[test]
fn levels_look_as_deep_as_documented() {
    let mut player = Player::at(Variant::Smess, QUIET);
    for (skill, &(depth, permille)) in HANDICAPS.iter().enumerate() {
        let seen: Vec<u32> = (1..=4).map(|seed| player.go(&level(skill, seed), &[]).1).collect();
        assert!(seen.iter().all(|&seen| seen == depth || (seen == 0 && permille > 0)), "level {skill}: {seen:?}");
        assert!(seen.contains(&depth), "level {skill}: {seen:?}");
    }
}

#[test]
fn a_lower_depth_asked_for_counts() {
    let player = Player::at(Variant::Smess, QUIET);
    for (asked, seen) in [(2, 2), (3, 3), (9, 3)] {
        let go = Go { limits: Limits { depth: Some(asked), ..Limits::default() }, ..Go::default() };
        let settings = level(8, 1);
        player::go(&player.game, &go, &settings, &player.resources, &Arc::new(Control::new(false)), &player.out);
        let printed = player.printed.take();
        assert!(printed.lines().last().expect("a report").starts_with(&format!("info depth {seen} ")), "{printed}");
    }
}

#[test]
fn of_two_limits_on_strength_the_weaker_counts() {
    let limited = |skill, elo| Settings { skill, elo, limit_strength: true, ..Settings::default() };
    for (settings, expected) in [
        (limited(20, 750), 0),
        (limited(3, 2500), 3),
        (limited(20, 2500), 20),
        (limited(0, 2500), 0),
        (Settings { limit_strength: false, ..limited(20, 750) }, 20),
        (Settings { limit_strength: false, ..limited(7, 750) }, 7),
        (Settings { analyse: true, ..limited(3, 750) }, 20),
    ] {
        assert_eq!(settings.level(), expected, "{settings:?}");
    }
    // And the search goes by it.
    let mut player = Player::at(Variant::Smess, QUIET);
    let depth = |player: &mut Player, settings: Settings| player.go(&Settings { seed: 1, ..settings }, &[]).1;
    assert_eq!(depth(&mut player, limited(15, 2500)), 7);
    assert_eq!(depth(&mut player, limited(20, 750)), 0);
    assert_eq!(depth(&mut player, Settings { limit_strength: false, ..limited(15, 750) }), 7);
}

#[test]
fn weak_levels_keep_to_searchmoves() {
    let mut player = Player::at(Variant::Morris, WON);
    let moves = player.game.moves();
    let wins = |text: &String| text.contains('x');
    let allowed: Vec<String> = moves.iter().filter(|text| !wins(text)).take(2).cloned().collect();
    assert!(allowed.len() == 2 && moves.iter().any(wins), "the best move is not among those allowed");
    for skill in 0..HANDICAPS.len() {
        let mut guessed = [false; 2];
        for seed in 1..=if skill < 9 { 120 } else { 10 } {
            let (mv, depth) = player.go(&level(skill, seed), &allowed);
            assert!(allowed.contains(&mv), "level {skill}, seed {seed}: {mv}");
            guessed[usize::from(depth == 0)] = true;
        }
        if (1..=3).contains(&skill) {
            assert_eq!(guessed, [true, true], "level {skill} both searches and errs");
        }
    }
}

/// However a client writes the moves, the answer is in the form of `moves`.
#[test]
fn guesses_are_written_as_the_engine_writes_them() {
    let mut player = Player::at(Variant::Morris, WON);
    let moves = player.game.moves();
    let shouted: Vec<String> = moves.iter().map(|text| text.to_uppercase()).collect();
    for seed in 1..=5 {
        let (mv, depth) = player.go(&level(0, seed), &shouted);
        assert!(depth == 0 && moves.contains(&mv), "{mv} at depth {depth}");
    }
}

/// The overhead is taken off the time of every move; the time itself need not pass for that to be seen.
#[test]
fn move_overhead_is_kept_in_reserve() {
    let budget = |overhead: u32, go: &str| {
        let mut command = Command::new(ENGINE);
        command.env("RUST_LOG", "debug").stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the engine starts");
        let lines = format!("setoption name Move Overhead value {overhead}\ngo {go} depth 1\n");
        child.stdin.take().expect("piped").write_all(lines.as_bytes()).expect("the engine reads");
        let told = String::from_utf8(child.wait_with_output().expect("it ends").stderr).expect("text");
        let line = told.lines().find_map(|line| line.split_once("time for this move: ")).expect("a budget");
        line.1.to_string()
    };
    assert_eq!(budget(0, "movetime 60000"), "optimum None, maximum Some(60s)");
    assert_eq!(budget(1000, "movetime 60000"), "optimum None, maximum Some(59s)");
    assert_eq!(budget(0, "wtime 28000"), "optimum Some(1s), maximum Some(4s)");
    assert_eq!(budget(5000, "wtime 33000"), "optimum Some(1s), maximum Some(4s)");
}

/// Material of a side by the letters of the FEN; a Brain is worth more than all else.
fn material<G: Notation>(game: &G, position: &G::Position, side: Side) -> i32 {
    let fen = game.fen(&Placed { position: *position, move_number: 1 });
    let worth = |letter: char| match (letter, side) {
        ('O', Side::White) | ('X', Side::Black) | ('N', Side::White) | ('n', Side::Black) => 1,
        ('S', Side::White) | ('s', Side::Black) => 3,
        ('B', Side::White) | ('b', Side::Black) => 100,
        _ => 0,
    };
    fen.split(' ').next().unwrap_or_default().chars().map(worth).sum()
}

/// What a simple opponent looks at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Simple {
    /// What a move takes.
    Greedy,
    /// What a move takes, less the most that the reply can take.
    Careful,
}

impl Simple {
    fn worth<G: Game + Notation>(self, game: &G, next: &G::Position, mover: Side) -> i32 {
        let lost = |pos: &G::Position| game.ending(pos).is_some_and(|ending| ending.verdict == Verdict::Loss);
        let lead = |pos: &G::Position| material(game, pos, mover) - material(game, pos, mover.other());
        if lost(next) {
            return 1_000;
        }
        if self == Simple::Greedy {
            return lead(next);
        }
        let replies = game.moves(next).into_iter().map(|mv| game.play(next, mv));
        replies.map(|after| if lost(&after) { -1_000 } else { lead(&after) }).min().unwrap_or(0)
    }

    /// One of the moves that look best.
    fn choose<G: Game + Notation>(self, play: &Play<G>, rng: &mut fastrand::Rng) -> Move {
        let (game, pos) = (play.game, play.position());
        let moves = game.moves(pos);
        let worth: Vec<i32> = moves.iter().map(|&mv| self.worth(&game, &game.play(pos, mv), play.side())).collect();
        let best = worth.iter().max();
        let good: Vec<Move> =
            moves.iter().zip(&worth).filter(|(_, worth)| Some(*worth) == best).map(|(&mv, _)| mv).collect();
        *rng.choice(&good).expect("a move")
    }
}

/// Points of a level in games against a simple opponent, colours changing, each from four random plies.
fn points(variant: Variant, skill: usize, opponent: Simple, games: usize) -> f64 {
    let mut rng = fastrand::Rng::with_seed(11);
    let mut points = 0.0;
    let mut player = Player::new(variant);
    for number in 0..games {
        let own = if number % 2 == 0 { Side::White } else { Side::Black };
        player.resources.hash.clear();
        with_game!(variant.rules(), |game| {
            let mut play = Play::new(game);
            let mut texts = Vec::new();
            while play.ending().is_none() && texts.len() < 200 {
                let mv = if texts.len() < 4 {
                    rng.choice(game.moves(play.position())).expect("a move")
                } else if play.side() == own {
                    player.game.set_up(None, texts.iter().map(String::as_str)).expect("legal moves");
                    let (text, _) = player.go(&level(skill, 1 + number as u64), &[]);
                    play.find_move(&text).expect("legal")
                } else {
                    opponent.choose(&play, &mut rng)
                };
                texts.push(game.move_text(mv));
                play.push(mv);
            }
            points += match play.ending().map(|ending| ending.winner(play.side())) {
                Some(Some(winner)) => f64::from(u8::from(winner == own)),
                _ => 0.5,
            };
        });
    }
    points
}

/// "Poor" is a beginner who takes what hangs and sees what is threatened: an opponent that only takes loses nearly
/// every game, one that also looks at the reply most. `MILLBRAIN_GAMES=1000` plays more games.
#[test]
fn the_poor_level_beats_simple_opponents() {
    let games = setting("MILLBRAIN_GAMES").unwrap_or(20);
    for variant in Variant::ALL {
        let greedy = points(variant, 3, Simple::Greedy, games) / games as f64;
        let careful = points(variant, 3, Simple::Careful, games) / games as f64;
        println!("{variant}: {greedy:.3} against greedy, {careful:.3} against careful play");
        assert!(greedy >= 0.9 && careful >= 0.75, "{variant}: {greedy} {careful}");
    }
}

/// The opponent of this test must be no straw man either.
#[test]
fn random_moves_lose_to_simple_opponents() {
    for variant in [Variant::Morris, Variant::Smess] {
        assert!(points(variant, 0, Simple::Greedy, 8) <= 0.5, "{variant}");
    }
}
