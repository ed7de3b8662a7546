//! Batch analysis as scripts use it.

use crate::common::ENGINE;
use serde_json::Value;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const INPUT: &str = r#"3/3/3/6/3/3/3 w 9 9 0 1
# a comment, then an empty line

smess;;f2g1 e7e6
{"id": "won", "fen": "OO1/3/3/O1X3/1XX/3/3 w 0 0"}
nonsense
{"id": 7, "variant": "lasker", "moves": ["d6", "d6"]}
mlyn;OO1/3/3/O5/1XX/3/3 b 0 0
{"variant": "morabaraba", "moves": "d6 f4"}
"#;

/// A folder with `INPUT` in it.
fn folder(name: &str) -> PathBuf {
    let path = crate::common::folder(name);
    fs::write(path.join("in"), INPUT).expect("written");
    path
}

fn analyse(folder: &Path, words: &str) -> Output {
    let words = words.split_whitespace();
    Command::new(ENGINE).current_dir(folder).arg("analyse").args(words).output().expect("the engine starts")
}

fn lines(output: &Output) -> Vec<Value> {
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().map(|line| serde_json::from_str(line).expect("an object a line")).collect()
}

#[test]
fn every_line_gets_its_object_in_order() {
    let dir = folder("order");
    let output = analyse(&dir, "in --nodes 2000 --threads 3 --hash 1");
    let found = lines(&output);
    let numbers: Vec<_> = found.iter().map(|object| object["line"].as_u64().expect("a number")).collect();
    assert_eq!(numbers, [1, 4, 5, 6, 7, 8, 9]);
    assert_eq!((&found[0]["variant"], &found[0]["id"]), (&"morris".into(), &1.into()));
    assert!(found[0]["bestmove"].is_string() && found[0]["score"]["cp"].is_i64() && found[0]["time"].is_u64());
    assert_eq!(found[0]["wdl"].as_array().map(Vec::len), Some(3));
    assert_eq!((&found[2]["id"], &found[2]["score"]["mate"]), (&"won".into(), &1.into()));
    assert_eq!(found[2]["pv"][0], found[2]["bestmove"]);
    assert!(found[3]["error"].as_str().is_some_and(|error| error.contains("FEN")));
    assert_eq!(found[4]["id"], 7);
    assert!(found[4]["error"].as_str().is_some_and(|error| error.contains("move 2")));
    assert!(found[5]["bestmove"].is_null() && found[5]["score"]["mate"] == 0, "a finished game");
    assert_eq!(found[6]["variant"], "morabaraba");
}

#[test]
fn equal_runs_give_equal_bytes() {
    let dir = folder("equal");
    let one = analyse(&dir, "in --nodes 5000 --multipv 3 --no-time");
    let two = analyse(&dir, "in --nodes 5000 --multipv 3 --no-time --threads 2");
    assert_eq!(one.stdout, two.stdout);
    assert!(lines(&one).iter().flat_map(|object| object["nodes"].as_u64()).all(|nodes| nodes <= 5_000));
    assert_eq!(lines(&one)[0]["others"].as_array().map(Vec::len), Some(2));
    let mut child = Command::new(ENGINE)
        .args(["analyse", "--nodes", "5000", "--multipv", "3", "--no-time"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the engine starts");
    child.stdin.take().expect("piped").write_all(INPUT.as_bytes()).expect("read");
    assert_eq!(child.wait_with_output().expect("ended").stdout, one.stdout);
}

#[test]
fn a_broken_off_run_is_resumed() {
    let dir = folder("resume");
    assert!(analyse(&dir, "in --nodes 1000 --no-time --out whole").status.success());
    let whole = fs::read(dir.join("whole")).expect("written");
    let second = whole.iter().position(|&byte| byte == b'\n').expect("lines") + 1;
    for cut in [0, second, second + 30, whole.len() - 1, whole.len()] {
        fs::write(dir.join("cut"), &whole[..cut]).expect("written");
        assert!(analyse(&dir, "in --nodes 1000 --no-time --out cut --resume").status.success());
        assert_eq!(fs::read(dir.join("cut")).expect("written"), whole);
    }
    let refused = analyse(&dir, "in --nodes 1000 --out whole");
    assert!(!refused.status.success() && String::from_utf8_lossy(&refused.stderr).contains("--resume"));
    assert_eq!(fs::read(dir.join("whole")).expect("written"), whole);
    let foreign = analyse(&dir, "in --nodes 1000 --out in --resume");
    assert!(!foreign.status.success());
    assert_eq!(fs::read_to_string(dir.join("in")).expect("still there"), INPUT);
}

#[test]
fn shards_make_up_the_whole() {
    let dir = folder("shards");
    let whole = lines(&analyse(&dir, "in --nodes 1000 --no-time"));
    let mut parts: Vec<Value> =
        (1..=3).flat_map(|i| lines(&analyse(&dir, &format!("in --nodes 1000 --no-time --shard {i}/3")))).collect();
    parts.sort_by_key(|object| object["line"].as_u64());
    assert_eq!(parts, whole);
}

#[test]
fn faulty_arguments_are_refused() {
    let dir = folder("faulty");
    for words in ["in", "none --depth 1", "in --depth 0", "in --depth 1 --shard 3/2", "in --depth 1 --resume"] {
        let output = analyse(&dir, words);
        assert!(!output.status.success() && !output.stderr.is_empty() && output.stdout.is_empty(), "{words}");
    }
}
