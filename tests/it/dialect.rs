//! Matches against mocks of Sanmill's engines, with all their oddities.
#![cfg(unix)]

use crate::common::{ENGINE, folder};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Runs `millbrain match` with these arguments; `@` stands for the engine, `%` for the folder, `~` for a space.
fn play(folder: &Path, words: &str) -> Output {
    let folder = folder.to_str().expect("a readable path");
    let words = words.split_whitespace().map(|word| word.replace('@', ENGINE).replace('%', folder).replace('~', " "));
    Command::new(ENGINE).arg("match").args(words).output().expect("the runner starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The options of both engines that a match sets.
const OPTIONS: &str = "\
    SkillLevel type spin default 1 min 0 max 30;DeveloperMode type check default true;\
    DrawOnHumanExperience type check default true;MoveTime type spin default 1 min 0 max 60;\
    PiecesCount type spin default 9 min 9 max 12;MayFly type check default true;\
    HasDiagonalLines type check default false;MayMoveInPlacingPhase type check default false;\
    NMoveRule type spin default 100 min 10 max 200;EndgameNMoveRule type spin default 100 min 5 max 200;\
    ThreefoldRepetitionRule type check default true;BoardFullAction type spin default 0 min 0 max 4";
/// Additional options of the newer engine.
const NEWER: &str = ";MoveTimeMs type spin default 1000 min 0 max 60000;IDSEnabled type check default false";

/// Creates an engine that plays the game d6 f4 d7 f2 d5 xf4 g4 from either side, one token at a time. `$1` is the token
/// in `answer`; its whole input goes to a file. It prints an unrequested greeting, its `uci` answer has an empty line,
/// and `readyok` comes at the end of another line.
fn mock(dir: &Path, options: &str, answer: &str, cases: &str) {
    let options = options.replace(';', "\noption name ");
    let script = format!(
        "echo 'Sanmill by its developers'
         answer() {{ set -- d6 f4 d7 f2 d5 xf4 g4; shift $n; {answer}; }}
         while read -r word rest; do echo \"$word $rest\" >>{log}; case $word in {cases}
         uci) echo 'id name mock'; echo; echo 'option name {options}'; echo uciok;;
         isready) printf 'IDS: '; echo readyok;;
         position) case \"$rest\" in *moves*) set -- ${{rest#*moves }};; *) set --;; esac; n=$#;;
         go) answer;;
         quit) exit;; esac; done",
        log = dir.join("log").display()
    );
    fs::write(dir.join("mock"), script).expect("written");
    let plain = "while read -r word rest; do case $word in \
         uci) echo 'option name UCI_Variant type combo default morris'; echo uciok;; \
         isready) echo readyok;; \
         position) case \"$rest\" in *moves*) set -- ${rest#*moves };; *) set --;; esac; n=$#;; \
         go) set -- d6 f4 d7 f2 d5xf4 g4; shift $n; echo bestmove $1;; \
         quit) exit;; esac; done";
    fs::write(dir.join("plain"), plain).expect("written");
}

/// Plays two games of six plies with the mock, first as White, against a player of the same moves in the plain
/// protocol.
fn match_of(dir: &Path, limits: &str, words: &str) -> Output {
    play(
        dir,
        &format!(
            "--engine name=mock dialect=sanmill cmd=/bin/sh args=%/mock {limits} \
             --engine name=plain cmd=/bin/sh args=%/plain depth=1 timemargin=20000 --openings plies=0 \
             --maxmoves 3 --record %/games --save %/saved {words}"
        ),
    )
}

fn read(dir: &Path, name: &str) -> String {
    fs::read_to_string(dir.join(name)).unwrap_or_default()
}

/// Returns the mock's input lines with this prefix.
fn log(dir: &Path, start: &str) -> Vec<String> {
    read(dir, "log").lines().filter(|line| line.starts_with(start)).map(String::from).collect()
}

/// An answer with Sanmill's oddities: other text before and on the line, a misleading capital letter, and a second
/// answer, as when a `stop` comes after the end of the search.
const ODD: &str = "echo 'IDS: Algorithm bestMove = a1'; s=9; [ $1 = xf4 ] && s=100; \
    echo \"5(5) info score $s aimovetype perfect bestmove $1\"; echo 'info score 0 bestmove none'; \
    printf 'Depth: 3\\n\\nWhite to move\\n'";

fn mocked(name: &str, options: &str, answer: &str, cases: &str) -> PathBuf {
    let dir = folder(name);
    mock(&dir, options, answer, cases);
    dir
}

#[test]
fn the_older_engine_is_understood() {
    let dir = mocked("older", OPTIONS, ODD, "");
    let output = match_of(&dir, "depth=3 timemargin=20000", "");
    assert!(output.status.success(), "{output:?}");
    let games = read(&dir, "games");
    assert!(text(&play(&dir, "--replay %/games").stdout).contains("2 games, 0 faulty"), "{games}");
    // White's view: nine fifths of a stone for White. The answer for a single removable stone is not a score.
    for reported in ["1. d6 {+1.80 ", "3. d5xf4 {+1.80 ", "f4 {-1.80 ", "g4 {-1.80 "] {
        assert!(games.contains(reported), "{reported}: {games}");
    }
    // Options alone set the level as the depth, and disable the time.
    for set in ["DeveloperMode value false", "DrawOnHumanExperience value false", "SkillLevel value 3"] {
        assert!(!log(&dir, &format!("setoption name {set}")).is_empty(), "{set}: {}", read(&dir, "log"));
    }
    assert_eq!(log(&dir, "setoption name MoveTime"), ["setoption name MoveTime value 0"]);
    assert!(log(&dir, "go").iter().all(|go| go.trim() == "go") && !log(&dir, "go").is_empty());
    // The rules are sent by the dialect's own names, the moves by token.
    assert_eq!(log(&dir, "setoption name UCI_Variant"), [""; 0]);
    assert_eq!(log(&dir, "setoption name EndgameNMoveRule"), ["setoption name EndgameNMoveRule value 100"]);
    let start = "position fen ********/********/******** w p p 0 9 0 9 0 0 0 0 0 0 0 0 1";
    let expected = ["", " moves d6 f4", " moves d6 f4 d7 f2", " moves d6 f4 d7 f2 d5"];
    let black = [" moves d6", " moves d6 f4 d7", " moves d6 f4 d7 f2 d5 xf4"];
    let expected: Vec<_> = expected.iter().chain(&black).map(|moves| format!("{start}{moves}")).collect();
    assert_eq!(log(&dir, "position"), expected);
}

/// A move that closes two mills is three searches.
#[test]
fn each_stone_of_several_mills_is_a_token() {
    let dir = mocked("mills", &format!("{OPTIONS};MayRemoveMultiple type check default false"), ODD, "");
    for (name, usual, last) in
        [("mock", "d6 f4 d7 f2 d5 xf4 g4", "g7 xb6 xb2"), ("plain", "d6 f4 d7 f2 d5xf4 g4", "g7xb6xb2")]
    {
        let script = read(&dir, name).replace(usual, &format!("a7 b6 d7 b2 g4 f2 g1 d1 {last}"));
        let rule = "default morris'; echo 'option name Removals type combo default one var one var each mill'";
        fs::write(dir.join(name), script.replace("default morris'", rule)).expect("written");
    }
    let output = play(
        &dir,
        "--engine name=mock dialect=sanmill cmd=/bin/sh args=%/mock depth=3 timemargin=20000 \
         --engine name=plain cmd=/bin/sh args=%/plain depth=1 timemargin=20000 --openings plies=0 \
         --rules Removals=each~mill --games 1 --maxmoves 5 --record %/games.pgn",
    );
    let games = read(&dir, "games.pgn");
    assert!(output.status.success() && games.contains("5. g7xb6xb2"), "{output:?}{games}");
    assert!(text(&play(&dir, "--replay %/games.pgn").stdout).contains("1 games, 0 faulty"), "{games}");
    assert_eq!(log(&dir, "setoption name MayRemoveMultiple"), ["setoption name MayRemoveMultiple value true"]);
    let positions = log(&dir, "position");
    let last: Vec<_> = positions.iter().rev().take(3).map(|line| line.split_once("d1").map(|(_, rest)| rest)).collect();
    assert_eq!(last, [Some(" g7 xb6"), Some(" g7"), Some("")]);
}

#[test]
fn the_older_engine_is_stopped_in_time() {
    // It answers only to `stop`; its option counts whole seconds.
    let dir = mocked(
        "stopped",
        OPTIONS,
        ":",
        "stop) set -- d6 f4 d7 f2 d5 xf4 g4; shift $n; echo info score 1 bestmove $1;;",
    );
    let output = match_of(&dir, "movetime=400 timemargin=20000", "--games 1");
    assert!(output.status.success(), "{output:?}");
    let games = read(&dir, "games");
    assert!(games.contains("3. d5xf4 {+0.20 "), "{games}");
    assert_eq!(log(&dir, "stop").len(), 4);
    assert!(log(&dir, "setoption name MoveTime").iter().all(|line| line.ends_with(" value 1")));
    // The two searches of the last move share its time.
    let saved = read(&dir, "saved");
    let game: serde_json::Value = serde_json::from_str(saved.lines().nth(1).expect("a game")).expect("JSON");
    let times: Vec<u64> = [0, 2, 4].iter().map(|&ply| game["moves"][ply]["time"].as_u64().expect("a time")).collect();
    assert!(times.iter().all(|&time| time >= 380), "{times:?}");
}

#[test]
fn the_newer_engine_gets_its_limits() {
    let answer = "sleep 0.2; echo info depth 7 score cp 3 nodes 40 bestmove $1";
    let dir = mocked("newer", &format!("{OPTIONS}{NEWER}"), answer, "");
    let output = match_of(&dir, "movetime=3000 nodes=900 depth=8 timemargin=20000", "");
    assert!(output.status.success(), "{output:?}");
    let games = read(&dir, "games");
    assert!(games.contains("d5xf4 {+0.60/7") && games.contains("f4 {-0.60/7"), "{games}");
    assert_eq!(log(&dir, "setoption name IDSEnabled"), ["setoption name IDSEnabled value true"]);
    // If no stone can be taken, one search gets all the time; otherwise a third is reserved for the removal.
    let mut times = log(&dir, "setoption name MoveTimeMs").into_iter();
    let mut time = || times.next().and_then(|line| line.split(' ').next_back()?.parse::<u64>().ok());
    assert_eq!([time(), time(), time()], [Some(2_980), Some(2_980), Some(1_986)]);
    assert!(time().is_some_and(|rest| rest <= 2_780), "what the first search has left");
    let go = log(&dir, "go ");
    assert_eq!(
        go[..4],
        ["go depth 8 nodes 900", "go depth 8 nodes 900", "go depth 8 nodes 600", "go depth 8 nodes 860"]
    );
    assert_eq!(log(&dir, "stop"), [""; 0]);
    // Both searches count.
    let saved = read(&dir, "saved");
    let game: serde_json::Value = serde_json::from_str(saved.lines().nth(1).expect("a game")).expect("JSON");
    assert!(game["moves"][4]["time"].as_u64().is_some_and(|time| time >= 400), "{saved}");
}

#[test]
fn the_time_of_both_halves_can_be_too_long() {
    let dir = mocked("late", OPTIONS, "[ $n -gt 3 ] && sleep 1.1; echo info score 0 bestmove $1", "");
    let output = match_of(&dir, "movetime=2000", "--games 1");
    let games = read(&dir, "games");
    assert!(output.status.success() && games.contains("[Termination \"time forfeit\"]"), "{games}");
    assert!(games.contains("[LateMove \"d5xf4 {"), "{games}");
}

#[test]
fn words_that_are_no_moves_lose() {
    for (name, words, reported) in [
        ("draw", "draw", r#"mock played "draw", which cannot be read"#),
        ("none", "none", r#"mock played "none", which cannot be read"#),
        ("silent", "", r#"mock played "", which cannot be read"#),
        ("taken", "xd6", r#"mock played "xd6", which cannot be read"#),
    ] {
        let dir = mocked(name, OPTIONS, &format!("echo info score 0 bestmove {words}"), "");
        let output = match_of(&dir, "depth=1 timemargin=20000", "--games 1");
        let games = read(&dir, "games");
        assert!(output.status.success() && games.contains("[Termination \"illegal move\"]"), "{name}: {games}");
        assert!(games.replace('\\', "").contains(reported), "{name}: {games}");
    }
    // A step that closes a mill requires a removal.
    let answer = "[ $n = 5 ] && set -- draw; echo info score 0 bestmove $1";
    let dir = mocked("half", OPTIONS, answer, "");
    match_of(&dir, "depth=1 timemargin=20000", "--games 1");
    let games = read(&dir, "games");
    assert!(games.contains("[Termination \"illegal move\"]") && games.contains("d5 draw"), "{games}");
}

#[test]
fn failures_are_those_of_any_engine() {
    for (name, answer, termination) in [
        ("crash", "exit 3", "crash"),
        ("crash-half", "[ $n = 5 ] && exit 3; echo info score 0 bestmove $1", "crash"),
        ("stall-half", "[ $n = 5 ] || echo info score 0 bestmove $1", "stall"),
    ] {
        let dir = mocked(name, OPTIONS, answer, "");
        let output = match_of(&dir, "depth=1 timemargin=20000", "--games 1 --stall 1");
        let games = read(&dir, "games");
        assert!(output.status.success(), "{name}: {output:?}");
        assert!(games.contains(&format!("[Termination \"{termination}\"]")), "{name}: {games}");
    }
}

#[test]
fn house_rules_are_set_by_options() {
    let dir = mocked("rules", OPTIONS, "echo info score 0 bestmove $1", "");
    let mock = "--engine name=mock dialect=sanmill cmd=/bin/sh args=%/mock";
    let output = play(&dir, &format!("{mock} --engine cmd=@ --each depth=1 --games 1 --rules Flying=false,Stones=10"));
    assert!(output.status.success(), "{output:?}");
    assert_eq!(log(&dir, "setoption name PiecesCount"), ["setoption name PiecesCount value 10"]);
    assert_eq!(log(&dir, "setoption name MayFly"), ["setoption name MayFly value false"]);
}

#[test]
fn settings_that_an_engine_lacks_are_refused() {
    let dir = mocked("refused", OPTIONS, ODD, "");
    let mock = "cmd=/bin/sh args=%/mock depth=1";
    for (words, reported) in [
        ("cmd=@ depth=1 dialect=uci", "unknown dialect \"uci\", expected millbrain or sanmill"),
        ("cmd=@ depth=1 dialect=sanmill", "it has no option \"PiecesCount\""),
        (mock, "it has no option \"UCI_Variant\""),
        (&format!("{mock} dialect=sanmill option.MoveTime=61"), "expected a whole number in 0..=60"),
        (
            &format!("{mock} dialect=sanmill --variant mylos"),
            "its dialect has no rules of mylos, expected one of morris, muehle, mlyn, lasker, morabaraba",
        ),
        (&format!("{mock} dialect=sanmill --variant smess"), "its dialect has no rules of smess"),
    ] {
        let output = play(&dir, &format!("--engine cmd=@ depth=1 --engine name=B {words}"));
        let error = text(&output.stderr);
        assert!(!output.status.success() && error.contains(reported), "{words}: {error}");
        assert!(!text(&output.stdout).contains("Finished game"), "{words}");
    }
}

#[test]
fn limits_that_cannot_be_kept_are_refused() {
    for (limits, reported) in [
        ("nodes=500", "it does not take the limit nodes=500, expected tc=, movetime= or depth="),
        ("depth=31", "it does not take the limit depth=31, expected a depth of 1 to 30"),
        ("depth=0", "it does not take the limit depth=0, expected a depth of 1 to 30"),
    ] {
        let dir = mocked("limits", OPTIONS, ODD, "");
        let output = match_of(&dir, limits, "");
        assert!(!output.status.success() && text(&output.stderr).contains(reported), "{limits}: {output:?}");
        assert!(log(&dir, "setoption").is_empty() && !dir.join("saved").exists(), "{limits}");
    }
}
