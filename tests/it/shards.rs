//! Matches in parts: their merge equals a single run.

use crate::common::{ENGINE, folder, timeless};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Returns the arguments of a match by nodes, which is deterministic.
fn a_match(rounds: u32, max_moves: u32) -> String {
    format!(
        "--engine name=A cmd=@ nodes=1500 --engine name=B cmd=@ nodes=100 --each option.Hash=1 --variant smess \
         --rounds {rounds} --openings plies=4 seed=3 --maxmoves {max_moves}"
    )
}

/// Returns the command `millbrain match` with these arguments; `@` stands for the engine, `%` for the folder.
fn command(folder: &Path, words: &str) -> Command {
    let folder = folder.to_str().expect("a readable path");
    let words = words.split_whitespace().map(|word| word.replace('@', ENGINE).replace('%', folder));
    let mut command = Command::new(ENGINE);
    command.arg("match").args(words);
    command
}

/// Runs it successfully.
fn play(folder: &Path, words: &str) -> Output {
    let output = command(folder, words).output().expect("the runner starts");
    assert!(output.status.success(), "{words}: {output:?}");
    output
}

/// Returns the error of a failed run.
fn refused(folder: &Path, words: &str) -> String {
    let output = command(folder, words).output().expect("the runner starts");
    assert!(!output.status.success() && output.stdout.is_empty(), "{words}: {output:?}");
    String::from_utf8(output.stderr).expect("text")
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("text")
}

/// Returns the last standings of a run.
fn table(output: &Output) -> String {
    let text = stdout(output);
    text[text.rfind("Score of").expect("a table")..].to_string()
}

/// Returns the record without times, and the result, from the files with this name.
fn files(folder: &Path, name: &str) -> (String, String) {
    let read = |kind: &str| fs::read_to_string(folder.join(format!("{name}.{kind}"))).expect("a file");
    (timeless(&read("games")), read("json"))
}

/// Plays all parts of a match. The second is killed, its last game cut short, and resumed.
fn play_parts(dir: &Path, words: &str) {
    for part in [1, 3] {
        play(dir, &format!("{words} --shard {part}/3 --save %/part{part}"));
    }
    let mut child = command(dir, &format!("{words} --shard 2/3 --save %/part2"));
    let mut child = child.stdout(Stdio::piped()).spawn().expect("the runner starts");
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("piped")).read_line(&mut line).expect("a line");
    assert!(line.starts_with("Finished game 3 "), "{line}");
    child.kill().and_then(|()| child.wait()).expect("killed");
    let saved = fs::read(dir.join("part2")).expect("a journal");
    fs::write(dir.join("part2"), &saved[..saved.len() - 20]).expect("written");
    let resumed = stdout(&play(dir, "--resume %/part2"));
    assert!(resumed.starts_with("Resumed after ") && resumed.contains(" of 4 games\n"), "{resumed}");
    assert!(resumed.contains("Games 4:"), "{resumed}");
}

/// Compares the merge of a match in parts with a single run.
fn parts_are_as_one_run(name: &str, words: &str) -> String {
    let dir = folder(name);
    let whole = play(&dir, &format!("{words} --record %/whole.games --json %/whole.json"));
    let side_by_side = play(&dir, &format!("{words} --concurrency 3 --record %/side.games --json %/side.json"));
    let finished = |output: &Output| stdout(output).replace(&table(output), "");
    assert_eq!((finished(&side_by_side), table(&side_by_side)), (finished(&whole), table(&whole)));
    assert_eq!(files(&dir, "side"), files(&dir, "whole"));
    play_parts(&dir, words);
    for (name, parts) in [("merged", "part1 part2 part3"), ("again", "part3 part2 part1 part3")] {
        let parts = parts.replace("part", "%/part");
        let merged = play(&dir, &format!("--merge {parts} --record %/{name}.games --json %/{name}.json"));
        assert_eq!(stdout(&merged), table(&whole));
        assert!(merged.stderr.is_empty(), "{merged:?}");
        assert_eq!(files(&dir, name), files(&dir, "whole"));
    }
    table(&whole)
}

#[test]
fn a_match_in_parts_is_as_one_run() {
    let table = parts_are_as_one_run("parts", &a_match(6, 60));
    assert!(table.contains("Games 12:"), "{table}");
}

#[test]
fn a_sequential_test_of_a_match_in_parts_stops_at_the_same_game() {
    let table =
        parts_are_as_one_run("test", &format!("{} --sprt elo0=0 elo1=400 alpha=0.25 beta=0.25", a_match(6, 60)));
    assert!(table.contains(": passed") && !table.contains("Games 12:"), "{table}");
}

#[test]
fn what_is_missing_can_be_played_after_a_merge() {
    let dir = folder("missing");
    let words = a_match(3, 10);
    let whole = play(&dir, &format!("{words} --record %/whole.games --json %/whole.json"));
    for part in [1, 3] {
        play(&dir, &format!("{words} --shard {part}/3 --save %/part{part}"));
    }
    let merged = stdout(&play(&dir, "--merge %/part3 %/part1 --save %/saved"));
    let (line, table_of_part) = merged.split_once('\n').expect("lines");
    assert_eq!(line, "Merged 4 of 6 games; unfinished shards: 2/3");
    assert!(table_of_part.starts_with("Score of") && table_of_part.contains("Games 4:"), "{merged}");
    let resumed = play(&dir, "--resume %/saved --record %/resumed.games --json %/resumed.json");
    assert_eq!(table(&resumed), table(&whole));
    assert_eq!(files(&dir, "resumed"), files(&dir, "whole"));
    // A merge only reads: the parts stay unchanged.
    assert_eq!(stdout(&play(&dir, "--merge %/part3 %/part1")), merged);
}

#[test]
fn journals_of_different_matches_are_not_merged() {
    let dir = folder("mixture");
    let words = a_match(2, 2);
    play(&dir, &format!("{words} --shard 1/2 --save %/one"));
    play(&dir, &format!("{words} --shard 2/2 --save %/other").replace("Hash=1", "Hash=2"));
    let path = |name: &str| dir.join(name).display().to_string();
    let reported =
        format!("millbrain: {}: engines.0.options.0.1 is \"2\", expected \"1\" as in {}\n", path("other"), path("one"));
    assert_eq!(refused(&dir, "--merge %/one %/other --json %/result"), reported);
    assert!(!dir.join("result").exists());
    let seed = format!("{words} --shard 2/2 --save %/seed").replace("seed=3", "seed=4");
    play(&dir, &seed);
    let reported = refused(&dir, "--merge %/one %/seed");
    assert!(reported.starts_with(&format!("millbrain: {}: openings.0.moves.0 is ", path("seed"))), "{reported}");
    fs::write(dir.join("empty"), "").expect("written");
    let reported = format!("millbrain: {}:1: no match, expected a file written by --save\n", path("empty"));
    assert_eq!(refused(&dir, "--merge %/one %/empty"), reported);
    let reported = |name: &str| {
        format!("millbrain: {}: also named by another argument, expected a file of its own for --json\n", path(name))
    };
    assert_eq!(refused(&dir, "--merge %/other %/one --json %/one"), reported("one"));
    // Also under another name.
    assert_eq!(refused(&dir, "--merge %/other %/one --json %/./one"), reported("./one"));
    for words in ["--merge %/one --resume %/one", "--merge %/one --engine cmd=@", "--merge %/one --shard 1/2"] {
        assert!(refused(&dir, words).contains("cannot be used with"), "{words}");
    }
}

#[test]
fn of_two_records_of_a_game_the_same_one_counts() {
    let dir = folder("contradiction");
    play(&dir, &format!("{} --save %/one", a_match(2, 2)));
    let text = fs::read_to_string(dir.join("one")).expect("a journal");
    assert!(text.contains(r#""outcome":"Draw""#), "{text}");
    fs::write(dir.join("other"), text.replacen(r#""outcome":"Draw""#, r#""outcome":"BlackWins""#, 1)).expect("written");
    let merges = ["%/one %/other", "%/other %/one"].map(|files| play(&dir, &format!("--merge {files}")));
    assert_eq!(stdout(&merges[0]), stdout(&merges[1]));
    assert!(stdout(&merges[0]).contains("Games 4: white 0, draws 3, black 1"), "{merges:?}");
    for merge in &merges {
        let reported = String::from_utf8_lossy(&merge.stderr);
        assert!(reported.contains("game 1 went otherwise in another file; one of the two counts"), "{reported}");
    }
}

#[test]
fn a_match_is_planned_as_it_is_played() {
    let dir = folder("planned");
    let words = a_match(2, 6);
    let planned = |words: &str| serde_json::from_slice::<Value>(&play(&dir, words).stdout).expect("a plan");
    let plan = planned(&format!("{words} --plan"));
    let mut part = plan["settings"].clone();
    part["shard"] = "2/2".into();
    fs::write(dir.join("part"), format!("{part}\n")).expect("written");
    play(&dir, "--resume %/part");
    play(&dir, &format!("{words} --save %/whole"));
    let lines = |name: &str| fs::read_to_string(dir.join(name)).expect("a journal");
    let settings: Value = serde_json::from_str(lines("whole").lines().next().expect("settings")).expect("JSON");
    assert_eq!((&plan["settings"], &plan["left"], &plan["is_over"]), (&settings, &json!([[0, 2]]), &json!(false)));
    let before = lines("whole");
    let rest = planned("--resume %/whole --plan");
    assert_eq!((&rest["left"], &rest["is_over"], &rest["games"]), (&json!([]), &json!(true), &rest["played"]));
    assert_eq!(lines("whole"), before, "only read");
    assert_eq!(timeless(&lines("part")).lines().count(), 3);
    assert!(lines("part").lines().skip(1).all(|game| game.contains(r#""round":2"#)));
}

#[test]
fn outputs_of_a_match_are_checked_before_it_is_played() {
    let dir = folder("outputs");
    fs::create_dir(dir.join("folder")).expect("a folder");
    let words = a_match(1_000, 300);
    for (outputs, reported) in [
        ("--json %/folder", "folder: not a regular file, expected a file to write"),
        ("--json %/none/result", "none/result: "),
        ("--save %/a --record %/a", "a: also named by another argument, expected a file of its own for --record"),
        ("--save %/a --json %/./a", "./a: also named by another argument, expected a file of its own for --json"),
        (
            "--record %/folder/../a --json %/a",
            "a: also named by another argument, expected a file of its own for --json",
        ),
    ] {
        let refused = refused(&dir, &format!("{words} {outputs}"));
        assert!(refused.contains(&format!("/{reported}")) && refused.lines().count() == 1, "{outputs}: {refused}");
    }
    assert_eq!(fs::read_dir(&dir).expect("readable").count(), 1, "nothing is written");
}
