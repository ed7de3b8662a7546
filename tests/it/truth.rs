//! How often the search errs, as a user measures it.

use crate::common::{ENGINE, folder};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Runs `millbrain truth` with these words in a folder; `_` stands for a space in a word.
fn truth(folder: &Path, words: &str) -> Result<String, String> {
    let words = words.split_whitespace().map(|word| word.replace('_', " "));
    let output =
        Command::new(ENGINE).current_dir(folder).arg("truth").args(words).output().expect("the program starts");
    let [out, err] = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    if output.status.success() { Ok(out) } else { Err(err) }
}

#[test]
fn what_is_drawn_is_measured() {
    let dir = folder("truth");
    truth(&dir, "draw morris --games 60 --count 25 --out set").expect("drawn");
    truth(&dir, "draw morris --games 60 --count 25 --threads 1 --out again").expect("drawn");
    let set = fs::read_to_string(dir.join("set")).expect("a set");
    assert_eq!(fs::read_to_string(dir.join("again")).expect("a set"), set);
    assert!(set.starts_with("millbrain truth 1 morris\n") && set.contains(";won;"), "{set}");
    let measured = |words: &str| {
        let text = truth(&dir, &format!("bench {words} --json")).expect("measured");
        serde_json::from_str::<Value>(&text).expect("JSON")
    };
    let report = measured("--positions set --nodes 500");
    assert_eq!(report["total"]["positions"], set.lines().count() - 1);
    // The search knows the tables that the positions are from. The other moves of the set do lose value.
    assert_eq!((&report["total"]["spoiled"], &report["mistakes"]), (&0.into(), &Value::Array(vec![])));
    assert!(report["total"]["random"].as_f64().is_some_and(|random| random > 1.0), "{report}");
    assert_eq!(measured("--positions set --nodes 500 --threads 1"), report);
    assert_eq!(measured("morris --games 60 --count 25 --nodes 500"), report);
    let table = truth(&dir, "bench --positions set --depth 1").expect("measured");
    assert!(table.lines().last().is_some_and(|line| line.starts_with("all ")) && table.contains("won "), "{table}");
}

#[test]
fn mistakes_are_named() {
    let dir = folder("truth-mistakes");
    // A move closes a mill and wins; the set calls another one right.
    let set = "millbrain truth 1 morris Stones=9\nOO1/3/3/O1X3/1XX/3/3 w 0 0;won;d7d6\n";
    fs::write(dir.join("set"), set).expect("written");
    let text = truth(&dir, "bench --positions set --nodes 100 --json").expect("measured");
    let report: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!((&report["total"]["positions"], &report["total"]["spoiled"]), (&1.into(), &1.into()));
    assert_eq!(report["mistakes"][0]["fen"], "OO1/3/3/O1X3/1XX/3/3 w 0 0");
    assert_eq!(report["rows"]["won"]["flying"]["spoiled"], 1, "{report}");
}

/// Without a limit a level searches as it does in a game; lower levels spoil more.
#[test]
fn levels_are_measured() {
    let dir = folder("truth-levels");
    truth(&dir, "draw morris --games 60 --count 60 --out set").expect("drawn");
    let spoiled = |words: &str| {
        let text = truth(&dir, &format!("bench --positions set --json {words}")).expect("measured");
        serde_json::from_str::<Value>(&text).expect("JSON")["total"]["spoiled"].as_u64().expect("a count")
    };
    let (beginner, better, full) = (spoiled("--level 0"), spoiled("--level 8"), spoiled("--level 20 --depth 8"));
    assert!(beginner > better && better > full, "{beginner} {better} {full}");
    assert_eq!(spoiled("--level 0 --threads 1"), beginner);
    assert_eq!(spoiled("--level 8 --nodes 1000000"), better, "a limit that is not reached changes nothing");
}

#[test]
fn what_cannot_be_measured_is_told() {
    let dir = folder("truth-faults");
    fs::write(dir.join("bad"), "millbrain truth 1 morris\n3/3/3/6/3/3/3 w 9 9;drawn;a2\n").expect("written");
    for (words, told) in [
        ("bench", "no limit, expected --nodes, --depth or --movetime"),
        ("bench --level 20", "no limit, expected --nodes, --depth or --movetime"),
        ("bench --level 21", "21 is not in 0..=20"),
        ("bench chess --nodes 1", "unknown variant \"chess\""),
        ("bench --nodes 1 --tables none", "none"),
        ("bench --nodes 1 --rules Stones=2", "invalid value \"2\" for Stones"),
        ("bench --nodes 1 --rules Once_Per_Line_Mills=true", "no tables for morris with Once Per Line Mills=true"),
        ("bench --nodes 1 --games 0", "0 games of morris have no position"),
        ("bench --nodes 1 --positions none", "none"),
        ("bench --nodes 1 --positions bad", "bad: line 2: "),
        ("bench --nodes 1 --positions bad --seed 2", "cannot be used with"),
        ("draw --games 9 --out none/set", "none/set"),
    ] {
        let error = truth(&dir, words).expect_err(words);
        assert!(error.contains(told), "{words}: {error}");
    }
}

#[test]
fn puzzles_are_made_by_one_command() {
    let dir = folder("puzzles");
    let run = |words: &str| {
        let words = words.split_whitespace();
        Command::new(ENGINE).current_dir(&dir).arg("puzzles").args(words).output().expect("the program starts")
    };
    let output = run("--games 200 --count 6");
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).expect("text");
    let made: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert!((2..=6).contains(&made.len()), "{text}");
    for puzzle in &made {
        assert!(puzzle["variant"] == "morris" && (puzzle["goal"] == "win" || puzzle["goal"] == "draw"), "{puzzle}");
        assert!(puzzle["solution"][0].is_string() && puzzle["difficulty"].as_u64() <= Some(8), "{puzzle}");
        assert!(puzzle["themes"].as_array().is_some_and(|themes| !themes.is_empty()), "{puzzle}");
    }
    assert!(run("--games 200 --count 6 --threads 1 --out file").status.success());
    assert_eq!(fs::read_to_string(dir.join("file")).expect("written"), text);
    let faulty = run("--games 0");
    assert!(
        !faulty.status.success() && String::from_utf8_lossy(&faulty.stderr).contains("no position with a known value")
    );
}
