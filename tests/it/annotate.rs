//! Annotated games from the command line.

use crate::common::{ENGINE, folder, run_in};
use millbrain::games::forms;
use millbrain::games::game::Game;
use serde_json::Value;
use std::fs;
use std::path::Path;

/// Runs the program with these arguments in a folder; `@` stands for the program.
fn run(folder: &Path, words: &str) -> Result<String, String> {
    run_in(folder, words.split_whitespace().map(|word| word.replace('@', ENGINE)))
}

/// Reads the games of a text.
fn read(text: &str) -> Vec<Game> {
    let readings = forms::read(text, None, &Game::default()).expect(text);
    readings.into_iter().map(|reading| reading.game).collect()
}

/// Creates a file of games from a match with house rules.
fn games(name: &str) -> std::path::PathBuf {
    let dir = folder(name);
    let words = "match --engine name=A cmd=@ depth=2 --engine name=B cmd=@ depth=1 --rounds 2 --maxmoves 12 \
                 --rules Stones=5 --openings plies=3 seed=4 --record games";
    run(&dir, words).expect("played");
    dir
}

#[test]
fn games_of_a_match_are_explained_in_every_form() {
    let dir = games("annotate");
    let text = run(&dir, "annotate games --nodes 300 --explain en").expect("explained");
    assert!(text.starts_with("1. ") && text.contains("morris with Stones=5, "), "{text}");
    assert_eq!(text.matches("black placing ").count(), 4, "{text}");
    assert_eq!(run(&dir, "annotate games --nodes 300 --explain en --threads 1").expect("explained"), text);
    // Every game is an object, with the moves of the record.
    run(&dir, "annotate games --nodes 300 --explain en --format json --out reported").expect("explained");
    let reported = fs::read_to_string(dir.join("reported")).expect("written");
    let objects: Vec<Value> = reported.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let records = fs::read_to_string(dir.join("games")).expect("records");
    let played = read(&records);
    assert_eq!(objects.len(), 4);
    for (object, game) in objects.iter().zip(&played) {
        let moves: Vec<&str> =
            object["moves"].as_array().expect("moves").iter().filter_map(|mv| mv["move"].as_str()).collect();
        assert_eq!(moves, game.main_line().iter().map(|node| node.played.text.as_str()).collect::<Vec<_>>());
        assert_eq!(
            (object["white"].as_str(), object["houseRules"].as_str()),
            (Some(game.white.as_str()), Some("Stones=5"))
        );
        for (mv, next) in object["moves"]
            .as_array()
            .expect("moves")
            .iter()
            .zip(object["moves"].as_array().expect("moves").iter().skip(1))
        {
            assert_eq!(mv["after"]["expected"].as_i64(), next["before"]["expected"].as_i64().map(|after| 1000 - after));
            assert_eq!(
                mv["mark"].as_str().is_some_and(|mark| mark.contains('?')),
                mv["loss"].as_i64() >= Some(50),
                "{mv}"
            );
        }
    }
    let page = run(&dir, "annotate games --nodes 300 --format html").expect("explained");
    assert!(page.starts_with("<!doctype html>") && page.matches("class=\"game\">{").count() == 4);
    // As SGF the games are the same.
    let sgf = run(&dir, "annotate games --nodes 300 --format sgf").expect("explained");
    let again = read(&sgf);
    assert_eq!(again.len(), 4);
    for (again, game) in again.iter().zip(&played) {
        let texts = |game: &Game| game.main_line().iter().map(|node| node.played.text.clone()).collect::<Vec<_>>();
        assert_eq!((texts(again), &again.house_rules), (texts(game), &game.house_rules));
        assert!(again.main_line().iter().all(|node| node.comment.contains(" -> ")));
    }
}

/// After a kill at any point the rest is added, but only to an output of the same games and settings.
#[test]
fn a_broken_off_run_goes_on() {
    let dir = games("annotate-resume");
    let words = "annotate games --nodes 300 --explain de --format json";
    let whole = run(&dir, words).expect("explained");
    let second = whole.match_indices('\n').nth(1).expect("four lines").0 + 1;
    for left in [0, 10, second, second + 40, whole.len()] {
        fs::write(dir.join("reported"), &whole[..left]).expect("written");
        run(&dir, &format!("{words} --out reported --resume")).expect("explained");
        assert!(fs::read_to_string(dir.join("reported")).expect("written") == whole, "after {left} bytes");
    }
    fs::remove_file(dir.join("reported")).expect("removed");
    run(&dir, &format!("{words} --out reported --resume")).expect("explained");
    assert!(fs::read_to_string(dir.join("reported")).expect("written") == whole);
    for (words, reported) in [
        (
            "annotate games --nodes 2000 --explain de --format json --out reported --resume",
            "game 4 comes out otherwise now",
        ),
        ("annotate list --nodes 300 --format json --out reported --resume", "line 1 is not about game 1 of these"),
        ("annotate games --nodes 300 --out reported --resume", "--resume unusable with this --format, expected json"),
        ("annotate games --nodes 300 --format json --resume", "--out"),
    ] {
        fs::write(dir.join("list"), "d6 f4 d2").expect("written");
        let error = run(&dir, words).expect_err(words);
        assert!(error.contains(reported), "{words}: {error}");
        assert!(fs::read_to_string(dir.join("reported")).expect("written") == whole, "left as it was");
    }
}

#[test]
fn what_cannot_be_explained_is_reported() {
    let dir = games("annotate-faults");
    fs::write(dir.join("illegal"), "d6 d6").expect("written");
    fs::write(dir.join("empty"), "").expect("written");
    fs::write(dir.join("list"), "d6 f4 d2").expect("written");
    fs::write(dir.join("there"), "").expect("written");
    for (words, reported) in [
        ("games", "no limit, expected --nodes, --depth or --movetime"),
        ("none --nodes 1", "none"),
        ("illegal --nodes 1", "illegal: "),
        ("empty --nodes 1", "empty: the text holds no moves"),
        ("list --nodes 1 --variant smess", "list: "),
        ("list --nodes 1 --rules Stones=2", "invalid value \"2\" for Stones"),
        ("list --nodes 1 --explain fr", "possible values: en, de, sk"),
        ("list --nodes 1 --tables none", "none"),
        ("list --nodes 1 --out there", "there: "),
        ("--nodes 1 --end-with-input", "--end-with-input unusable"),
    ] {
        let error = run(&dir, &format!("annotate {words}")).expect_err(words);
        assert!(error.contains(reported), "{words}: {error}");
    }
    assert!(
        run(&dir, "annotate list --nodes 50 --variant mlyn --rules Stones=4")
            .expect("explained")
            .contains("mlyn with Stones=4")
    );
}

#[test]
fn games_go_from_form_to_form() {
    let dir = games("convert");
    let games_of = |name: &str| {
        let games = read(&fs::read_to_string(dir.join(name)).expect("written"));
        let line = |game: &Game| game.main_line().iter().map(|node| node.played.text.clone()).collect::<Vec<_>>();
        games.iter().map(|game| (game.house_rules.clone(), line(game), game.end.clone())).collect::<Vec<_>>()
    };
    let played = games_of("games");
    for form in ["record", "pgn", "sgf", "mif"] {
        assert_eq!(run(&dir, &format!("convert games --to {form} --out {form}")), Ok(String::new()));
        assert_eq!(games_of(form), played, "{form}");
    }
    let lists = run(&dir, "convert games --to sanmill").expect("lists");
    assert_eq!(lists.lines().filter(|row| row.starts_with("1. ")).count(), 4, "{lists}");
    // Games written in MIF are readable by the other commands.
    let reported = run(&dir, "annotate mif --nodes 50 --format json").expect("explained");
    assert_eq!(reported.lines().count(), 4);
    let values = run(&dir, "analyse mif --nodes 50 --no-time").expect("analysed");
    assert_eq!(values.lines().count(), 4);
    assert!(values.lines().all(|line| line.contains(r#""rules":"Stones=5""#) && !line.contains("error")), "{values}");
    fs::write(dir.join("list"), "1. d6 f4").expect("written");
    let reported = "millbrain: game 1: MIF: no manifest can tell the rule Removal=never, expected a game without it\n";
    assert_eq!(run(&dir, "convert list --variant mylos --to mif"), Err(reported.to_string()));
    // A faulty game does not lose the others, except with `--strict`.
    fs::write(dir.join("mixed"), "1. d6 f4 *\n1. d6 d6 *\n(;GM[5];W[d6])\n1. d6 f4 3. d2 *\n").expect("written");
    let records = run(&dir, "convert mixed --to record").expect("three games");
    assert_eq!(records.matches("[Result \"*\"]").count(), 3, "{records}");
    let error = run(&dir, "convert mixed --to record --strict").expect_err("a faulty game");
    assert!(error.contains("mixed: game 2 in line 2: move 2 (d6) is illegal"), "{error}");
    fs::write(dir.join("mixed"), "1. d6 f4 3. d2 *\n").expect("written");
    let error = run(&dir, "convert mixed --to record --strict").expect_err("a wrong number");
    assert!(error.contains("mixed: game 1 in line 1: move number 3., expected 2."), "{error}");
}

/// Another engine judges by its scores. What it gets wrong ends the run with one line.
#[cfg(unix)]
#[test]
fn another_engine_judges() {
    let dir = games("annotate-engine");
    fs::write(dir.join("list"), "d6 f4 d2").expect("written");
    let mock = |go: &str| {
        let script = format!(
            "n=0\nwhile read -r word rest; do case $word in\n\
             uci) echo 'option name UCI_Variant type combo'; echo 'option name Hash type spin min 1 max 8'; echo uciok;;\n\
             isready) echo readyok;; quit) exit;; go) n=$((n+1)); {go};;\nesac; done\n"
        );
        fs::write(dir.join("mock.sh"), script).expect("written");
    };
    let words = "--movetime 100 --threads 1 --engine name=Mock cmd=/bin/sh args=mock.sh option.Hash=2";
    let explained = |more: &str| run(&dir, &format!("annotate list {more} {words}"));
    // White is ahead, Black does not see it, White has given it away: the second move of White is bad.
    let scores = "case $n in 1) echo info depth 7 score cp 30 pv d6 f4; echo bestmove d6;; \
                  2) echo info score cp -40; echo bestmove b4;; \
                  3) echo info score mate 3 pv f2 b4; echo bestmove f2;; \
                  4) echo info score cp 0; echo bestmove b4;; esac";
    mock(scores);
    let reported = explained("--format json --explain en").expect("explained");
    let reported: serde_json::Value = serde_json::from_str(&reported).expect("a game");
    let moves = reported["moves"].as_array().expect("moves");
    assert_eq!(
        (&moves[0]["before"]["depth"], &moves[0]["before"]["score"]["cp"]),
        (&7.into(), &30.into()),
        "{reported}"
    );
    assert_eq!((&moves[0]["loss"], &moves[0]["mark"]), (&0.into(), &"".into()), "its best move: {reported}");
    let bad = &moves[2];
    assert_eq!((&bad["mark"], &bad["before"]["expected"]), (&"??".into(), &1000.into()), "{reported}");
    assert_eq!(bad["better"], serde_json::json!(["f2", "b4"]), "{reported}");
    assert!(bad["before"].get("value").is_none(), "nothing is proved: {reported}");
    assert_eq!(bad["fact"], serde_json::json!({"kind": "missedWin", "better": "f2", "plies": 5}), "{reported}");
    for (go, expected) in [
        ("exit 7", "game 1: engine Mock: ended (exit status: 7)"),
        (":", "game 1: engine Mock: did not answer"),
        ("echo bestmove d6", "game 1: engine Mock: no score before its bestmove"),
        (
            "echo info score cp 1; echo bestmove d8",
            "game 1: engine Mock: illegal move \"d8\" in its bestmove in 3/3/3/6/3/3/3",
        ),
        ("echo info score cp 1 pv d6 d6; echo bestmove d6", "game 1: engine Mock: illegal move \"d6\" in its pv in "),
    ] {
        mock(go);
        let error = explained("").expect_err(go);
        assert!(error.contains(expected) && error.lines().count() == 1, "{go}: {error}");
    }
    for (words, expected) in [
        ("--nodes 1 --engine cmd=none", "engine engine1: cannot run \"none\""),
        (
            "--nodes 1 --engine cmd=a nodes=3",
            "nodes= unusable for an engine that analyses, expected the limits of the command",
        ),
        ("--nodes 1 --engine name=a", "no command, expected cmd=PROGRAM"),
        ("--nodes 1 --engine cmd=a option.Flying=false", "option.Flying unusable"),
        ("--nodes 1 --tables none --engine cmd=a", "cannot be used with"),
        ("--engine cmd=a", "no limit, expected --nodes, --depth or --movetime"),
    ] {
        let error = run(&dir, &format!("annotate list {words}")).expect_err(words);
        assert!(error.contains(expected), "{words}: {error}");
    }
}
