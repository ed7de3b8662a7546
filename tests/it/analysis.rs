//! Batch analysis as used by scripts.

use crate::common::{ENGINE, run_in};
use serde_json::Value;
use std::fs;
use std::io::{Write, pipe};
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

/// Creates a folder that contains `INPUT`.
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

/// Line endings change neither results nor line numbers, in a file and in a pipe.
#[test]
fn lines_end_as_other_systems_end_them() {
    let dir = folder("ends");
    let all = |words: &str| analyse(&dir, &format!("{words} --nodes 500 --no-time --hash 1"));
    let expected: Vec<_> = ["in", "in --shard 2/3"].iter().map(|words| lines(&all(words))).collect();
    for (end, name) in [("\r", "cr"), ("\r\n", "crlf")] {
        let path = dir.join(name);
        fs::write(&path, INPUT.replace('\n', end)).expect("written");
        assert_eq!(lines(&all(name)), expected[0], "{name}");
        assert_eq!(lines(&all(&format!("{name} --shard 2/3"))), expected[1], "{name}");
        let piped = Command::new(ENGINE)
            .args(["analyse", "--nodes", "500", "--no-time", "--hash", "1"])
            .stdin(fs::File::open(&path).expect("there"))
            .output();
        assert_eq!(lines(&piped.expect("the engine starts")), expected[0], "{name}");
        let plan = |file: &str| {
            let out = analyse(&dir, &format!("{file} --nodes 500 --no-time --plan --out {file}.out"));
            assert!(out.status.success(), "{out:?}");
            out.stdout
        };
        assert_eq!(plan(name), plan("in"), "as many lines: {name}");
        fs::remove_file(dir.join("in.out")).expect("removed");
        fs::remove_file(dir.join("in.out.settings")).expect("removed");
    }
}

#[test]
fn a_piece_of_a_file_gives_the_lines_of_the_whole() {
    let dir = folder("piece");
    let whole = analyse(&dir, "in --nodes 1000 --no-time --hash 1");
    assert!(whole.status.success(), "{whole:?}");
    let whole = String::from_utf8_lossy(&whole.stdout);
    let piece: Vec<_> = INPUT.split_inclusive('\n').skip(4).collect();
    fs::write(dir.join("piece"), piece.concat()).expect("written");
    let found = analyse(&dir, "piece --first-line 5 --nodes 1000 --no-time --hash 1");
    let expected: Vec<_> = whole.split_inclusive('\n').skip(2).collect();
    assert_eq!(String::from_utf8_lossy(&found.stdout), expected.concat());
    let refused = analyse(&dir, "piece --first-line 0 --nodes 1000");
    assert!(
        !refused.status.success() && String::from_utf8_lossy(&refused.stderr).contains("--first-line"),
        "{refused:?}"
    );
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
        .args(["analyse", "-", "--nodes", "5000", "--multipv", "3", "--no-time"])
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
    let refused = refusal(&refused);
    assert!(refused.contains("whole: exists already") && refused.contains("--resume"), "{refused}");
    assert_eq!(fs::read(dir.join("whole")).expect("written"), whole);
    let foreign = analyse(&dir, "in --nodes 1000 --out in --resume");
    assert!(!foreign.status.success());
    assert_eq!(fs::read_to_string(dir.join("in")).expect("still there"), INPUT);
}

/// Returns the sorted names of the files in a folder.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("readable").file_name());
    let mut names: Vec<_> = entries.map(|name| name.into_string().expect("text")).collect();
    names.sort();
    names
}

#[test]
fn only_a_run_of_the_same_settings_goes_on_with_an_output() {
    let dir = folder("settings");
    for (name, variant) in [("tables", "morris"), ("other", "mlyn")] {
        let words = format!("tablebase build --sectors 3-3 --variant {variant} --out {name}");
        run_in(&dir, words.split(' ')).expect("built");
    }
    let first = "in --nodes 300 --shard 1/3 --no-time --tablebase tables --out out";
    assert!(analyse(&dir, first).status.success());
    let saved = || (fs::read(dir.join("out")).expect("there"), fs::read(dir.join("out.settings")).expect("there"));
    let before = saved();
    for (from, to, reported) in [
        ("--nodes 300", "--nodes 900", "nodes is 900, expected 300"),
        ("--nodes 300", "--depth 3", "depth is 3, expected null"),
        ("--nodes 300", "--nodes 300 --mate 2", "mate is 2, expected null"),
        ("--nodes 300", "--nodes 300 --movetime 5", "movetime is 5, expected null"),
        ("--shard 1/3", "--shard 2/3", "shard is \"2/3\", expected \"1/3\""),
        ("--no-time", "", "time is true, expected false"),
        ("in ", "in --hash 1 ", "hash is 1, expected 16"),
        ("in ", "in --multipv 2 ", "multipv is 2, expected 1"),
        ("in ", "in --variant mlyn ", "variant is \"mlyn\", expected \"morris\""),
        ("tables", "other", "tablebase.0 is \""),
        ("--tablebase tables", "", "tablebase.0 is null, expected \""),
    ] {
        let words = first.replacen(from, to, 1);
        assert_ne!(words, first);
        let refused = refusal(&analyse(&dir, &format!("{words} --resume")));
        assert!(refused.starts_with(&format!("millbrain: out: {reported}")), "{words}: {refused}");
        assert!(refused.ends_with(" as in out.settings\n"), "{refused}");
    }
    // An input with one letter changed, and a longer one.
    for (input, reported) in
        [(INPUT.replace("won", "one"), "input.digest is "), (format!("{INPUT}\n"), "input.bytes is ")]
    {
        fs::write(dir.join("in"), input).expect("written");
        let refused = refusal(&analyse(&dir, &format!("{first} --resume")));
        assert!(refused.starts_with(&format!("millbrain: out: {reported}")), "{refused}");
    }
    fs::write(dir.join("in"), INPUT).expect("written");
    // Settings that do not affect the objects may change.
    assert!(analyse(&dir, &format!("{first} --resume --threads 2")).status.success());
    assert!(saved() == before);
    // Settings of another version; a different kind of file; no file.
    let other = String::from_utf8_lossy(&before.1).replace("millbrain ", "millbrain 9");
    for (settings, reported) in [
        (other.as_str(), "millbrain: out: engine is \"millbrain "),
        ("[1]", "millbrain: out.settings: not the settings of an analysis, expected "),
        ("\0", "millbrain: out.settings: not the settings of an analysis, expected "),
    ] {
        fs::write(dir.join("out.settings"), settings).expect("written");
        let refused = refusal(&analyse(&dir, &format!("{first} --resume")));
        assert!(refused.starts_with(reported), "{refused}");
    }
    fs::remove_file(dir.join("out.settings")).expect("there");
    let refused = refusal(&analyse(&dir, &format!("{first} --resume")));
    assert_eq!(
        refused,
        "millbrain: out: made by unknown settings, expected out.settings beside it, or the name of a new file\n"
    );
    assert!(fs::read(dir.join("out")).expect("there") == before.0);
    assert_eq!(names(&dir), ["in", "other", "out", "tables"]);
}

#[test]
fn settings_of_a_new_output_take_no_file_away() {
    let dir = folder("new-settings");
    fs::write(dir.join("out.settings"), "my own notes").expect("written");
    for resume in ["", "--resume"] {
        let refused = refusal(&analyse(&dir, &format!("in --depth 1 --out out {resume}")));
        assert!(refused.starts_with("millbrain: out.settings: not the settings of an analysis"), "{refused}");
    }
    assert_eq!(fs::read_to_string(dir.join("out.settings")).expect("there"), "my own notes");
    assert_eq!(names(&dir), ["in", "out.settings"]);
    // A run may be killed before its first write, and its output removed while the settings remain.
    fs::remove_file(dir.join("out.settings")).expect("there");
    fs::write(dir.join("out"), "").expect("written");
    assert!(analyse(&dir, "in --depth 2 --no-time --out out --resume").status.success());
    let whole = fs::read(dir.join("out")).expect("there");
    fs::remove_file(dir.join("out")).expect("there");
    assert!(analyse(&dir, "in --depth 1 --no-time --out out").status.success());
    assert!(refusal(&analyse(&dir, "in --depth 2 --no-time --out out --resume")).contains("depth is 2, expected 1"));
    // A file without a final line ending is not a torn output of this program.
    fs::write(dir.join("mine"), "my own notes").expect("written");
    assert!(refusal(&analyse(&dir, "in --depth 1 --out mine --resume")).contains("mine: made by unknown settings"));
    assert_eq!(fs::read_to_string(dir.join("mine")).expect("there"), "my own notes");
    assert!(!whole.is_empty());
}

#[test]
fn positions_of_a_pipe_cannot_be_gone_on_with() {
    let dir = folder("stream");
    let run = |words: &str, input: Stdio| {
        let words = words.split_whitespace();
        Command::new(ENGINE).current_dir(&dir).arg("analyse").args(words).stdin(input).output().expect("an answer")
    };
    let piped = || {
        let (reader, mut writer) = pipe().expect("a pipe");
        writer.write_all(INPUT.as_bytes()).expect("room in the pipe");
        Stdio::from(reader)
    };
    let file = || Stdio::from(fs::File::open(dir.join("in")).expect("there"));
    let refused = refusal(&run("--depth 1 --out out --resume", piped()));
    assert!(
        refused.starts_with("millbrain: --resume unusable with positions from a pipe, expected a file"),
        "{refused}"
    );
    assert_eq!(names(&dir), ["in"]);
    assert!(run("--depth 1 --no-time --out out", piped()).status.success());
    let refused = refusal(&run("--depth 1 --no-time --out out --resume", file()));
    assert!(refused.starts_with("millbrain: out: input is {") && refused.contains("expected null"), "{refused}");
    // Standard input may be a file.
    for resume in ["", "--resume"] {
        assert!(run(&format!("--depth 1 --no-time --out other {resume}"), file()).status.success());
    }
    let [out, other] = ["out", "other"].map(|name| fs::read(dir.join(name)).expect("there"));
    assert!(out == other && !out.is_empty());
}

#[test]
fn two_runs_do_not_write_to_one_output() {
    let dir = folder("busy");
    assert!(analyse(&dir, "in --depth 1 --out out").status.success());
    let held = fs::File::open(dir.join("out")).expect("there");
    held.lock().expect("a lock");
    let refused = refusal(&analyse(&dir, "in --depth 1 --out out --resume"));
    assert_eq!(refused, "millbrain: out: another run writes to it, expected one at a time\n");
    // Closing the file is not enough: a child of another test may have inherited it and not yet started its program.
    held.unlock().expect("a lock");
    assert!(analyse(&dir, "in --depth 1 --out out --resume").status.success());
}

#[cfg(target_os = "linux")]
#[test]
fn threads_without_memory_are_refused() {
    let dir = folder("threads");
    let words = "ulimit -v 900000; exec \"$0\" analyse in --depth 1 --hash 1 --threads 400";
    let output = Command::new("sh").current_dir(&dir).args(["-c", words, ENGINE]).output().expect("an answer");
    let refused = refusal(&output);
    assert!(
        refused.starts_with("millbrain: no thread to analyse on (") && refused.contains("fewer --threads"),
        "{refused}"
    );
}

#[test]
fn objects_name_the_engine_and_errors_their_ids() {
    let dir = folder("named");
    fs::write(dir.join("in"), "startpos\n{\"id\":\"y\",\"fen\":5}\n{\"id\":7,\"variant\":\"chess\"}\n")
        .expect("written");
    let found = lines(&analyse(&dir, "in --depth 1"));
    assert_eq!(found[0]["engine"], concat!("millbrain ", env!("CARGO_PKG_VERSION")));
    assert_eq!((&found[1]["id"], &found[2]["id"]), (&"y".into(), &7.into()));
    assert!(found[1]["error"].as_str().is_some_and(|error| error.contains("expected a string")), "{}", found[1]);
    assert!(found[2]["error"].as_str().is_some_and(|error| error.contains("expected one of")), "{}", found[2]);
}

#[test]
fn a_line_without_end_fills_no_memory() {
    let dir = folder("long");
    let long = "x".repeat((16 << 20) + 1);
    fs::write(dir.join("in"), format!("{long}\n{{\"id\":1}}\n#{long}\n\0\n")).expect("written");
    let found = lines(&analyse(&dir, "in --depth 1"));
    assert_eq!(found.len(), 3);
    assert_eq!(found[0]["error"], "a line of more than 16 MiB, expected FEN, VARIANT;FEN;MOVES;RULES or JSON");
    assert!(found[1]["bestmove"].is_string());
    assert_eq!((&found[2]["line"], found[2]["error"].is_string()), (&4.into(), true));
}

#[test]
fn shards_make_up_the_whole() {
    let dir = folder("shards");
    let whole = lines(&analyse(&dir, "in --nodes 1000 --no-time"));
    let mut parts = Vec::new();
    for (shard, expected) in [("1/3", &[1, 4, 7][..]), ("2/3", &[5, 8]), ("3/3", &[6, 9])] {
        let part = lines(&analyse(&dir, &format!("in --nodes 1000 --no-time --shard {shard}")));
        let numbers: Vec<_> = part.iter().map(|object| object["line"].as_u64().expect("a number")).collect();
        assert_eq!(numbers, expected, "{shard}");
        parts.extend(part);
    }
    parts.sort_by_key(|object| object["line"].as_u64());
    assert_eq!(parts, whole);
}

#[test]
fn parts_are_put_together_as_one_run_writes_them() {
    let dir = folder("merge");
    let words = "in --nodes 1000 --no-time";
    let read = |name: &str| fs::read(dir.join(name)).expect("there");
    assert!(analyse(&dir, &format!("{words} --out whole")).status.success());
    for part in [1, 2, 3] {
        assert!(analyse(&dir, &format!("{words} --shard {part}/3 --out part{part}")).status.success());
    }
    let merged = |words: &str| {
        let done = analyse(&dir, &format!("--merge {words}"));
        assert!(done.status.success() && done.stdout.is_empty() && done.stderr.is_empty(), "{done:?}");
    };
    merged("part3 part1 part2 part1 --out merged");
    assert!(read("merged") == read("whole") && read("merged.settings") == read("whole.settings"));
    // With missing parts, the existing lines are in order; the rest is analysed or merged later.
    merged("part3 part1 --out some");
    assert_eq!(analyse(&dir, &format!("{words} --out some --resume --plan")).stdout, b"5/9\n8/9\n");
    fs::copy(dir.join("some"), dir.join("other")).expect("a copy");
    fs::copy(dir.join("some.settings"), dir.join("other.settings")).expect("a copy");
    assert!(analyse(&dir, &format!("{words} --out some --resume")).status.success());
    assert!(read("some").len() == read("whole").len() && read("some") != read("whole"));
    merged("some --out some");
    merged("part2 --out other");
    assert!(read("some") == read("whole") && read("other") == read("whole"));
    // An output with a torn last line, and one with unknown settings.
    fs::write(dir.join("part2"), &read("part2")[..read("part2").len() - 1]).expect("written");
    merged("part1 part2 part3 --out torn");
    assert_eq!(analyse(&dir, &format!("{words} --out torn --resume --plan")).stdout, b"8/9\n");
    for (given, reported) in [
        ("part1 --out in", "in: made by unknown settings, expected in.settings beside it, or the name of a new file\n"),
        ("part1 none --out new", "none: "),
    ] {
        let refused = refusal(&analyse(&dir, &format!("--merge {given}")));
        assert!(refused.starts_with(&format!("millbrain: {reported}")), "{refused}");
    }
    assert!(analyse(&dir, "in --nodes 300 --no-time --shard 2/3 --out slow").status.success());
    let reported = "millbrain: slow: nodes is 300, expected 1000 as in part1.settings\n";
    assert_eq!(refusal(&analyse(&dir, "--merge part1 slow --out new")), reported);
    assert!(!dir.join("new").exists() && !dir.join("new.settings").exists());
    for words in ["--merge part1", "in --merge part1 --out new", "--merge part1 --out new --resume"] {
        assert_eq!(analyse(&dir, words).status.code(), Some(2), "{words}");
    }
}

#[test]
fn what_is_left_is_reported() {
    let dir = folder("left");
    let plan = |words: &str| {
        let planned = analyse(&dir, &format!("in --depth 1 --plan {words}"));
        assert!(planned.status.success(), "{planned:?}");
        String::from_utf8(planned.stdout).expect("text")
    };
    // Empty lines and comments remain only between positions.
    assert_eq!(plan("--out out"), "1-9/9\n");
    assert_eq!(names(&dir), ["in", "out", "out.settings"]);
    for (done, left) in
        [(&[4][..], "1/9\n5-9/9\n"), (&[1, 9], "4-8/9\n"), (&[1, 4, 5, 6, 7, 8], "9/9\n"), (&[9, 8, 7, 6, 5, 4, 1], "")]
    {
        let objects: String = done.iter().map(|line| format!("{{\"line\":{line}}}\n")).collect();
        fs::write(dir.join("out"), objects + "{\"line\":").expect("written");
        assert_eq!(plan("--out out --resume"), left);
        assert!(fs::read_to_string(dir.join("out")).expect("there").ends_with("}\n"), "a torn line is cut off");
    }
    assert!(refusal(&analyse(&dir, "in --depth 2 --out out --resume --plan")).contains("depth is 2, expected 1"));
    for words in ["in --depth 1 --plan", "in --depth 1 --plan --out new --shard 1/2"] {
        assert_eq!(analyse(&dir, words).status.code(), Some(2), "{words}");
    }
    let (reader, writer) = pipe().expect("a pipe");
    drop(writer);
    let words = ["analyse", "--depth", "1", "--plan", "--out", "new"];
    let piped = Command::new(ENGINE).current_dir(&dir).args(words).stdin(reader).output().expect("an answer");
    assert!(refusal(&piped).starts_with("millbrain: --plan unusable with positions from a pipe"));
    assert!(!dir.join("new").exists());
}

/// Returns the error line of a failed run.
fn refusal(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(1) && output.stdout.is_empty(), "{output:?}");
    assert!(text.starts_with("millbrain: ") && text.trim_end().lines().count() == 1, "{text}");
    text
}

#[test]
fn faulty_arguments_are_refused() {
    let dir = folder("faulty");
    for words in ["in --depth 0", "in --depth 1 --shard 3/2", "in --depth 1 --resume"] {
        let output = analyse(&dir, words);
        assert!(output.status.code() == Some(2) && !output.stderr.is_empty() && output.stdout.is_empty(), "{words}");
    }
    assert!(refusal(&analyse(&dir, "in")).contains("no limit"));
    assert!(refusal(&analyse(&dir, "none --depth 1")).contains("none: "));
    assert!(refusal(&analyse(&dir, ". --depth 1")).contains("expected a file of positions"));
    let typo = refusal(&analyse(&dir, "in --depth 1 --tablebase typo --out out"));
    assert!(typo.contains("typo") && typo.contains("expected a folder made by 'tablebase build'"), "{typo}");
    assert!(!dir.join("out").exists());
    fs::write(dir.join("manifest.json"), r#"{"format":2,"ruleset":{"family":"chess"},"sectors":{}}"#).expect("written");
    let unknown = refusal(&analyse(&dir, "in --depth 1 --tablebase ."));
    assert!(unknown.contains("tables of {\"family\":\"chess\"}, expected rules that this program knows"), "{unknown}");
    let stdin = fs::File::open(&dir).expect("a folder");
    let output = Command::new(ENGINE).args(["analyse", "--depth", "1"]).stdin(stdin).output().expect("an answer");
    assert!(refusal(&output).contains("input: "));
}

#[test]
fn every_limit_is_kept() {
    let dir = folder("limits");
    fs::write(dir.join("in"), "startpos\n").expect("written");
    let one = |words: &str| lines(&analyse(&dir, &format!("in --hash 1 --no-time {words}"))).remove(0);
    let deep = one("--depth 7");
    assert_eq!(deep["depth"], 7);
    assert!(deep["pv"].as_array().is_some_and(|pv| pv.len() > 2), "{deep}");
    assert!(one("--nodes 300")["nodes"].as_u64().is_some_and(|nodes| nodes <= 300));
    assert!(one("--movetime 1")["bestmove"].is_string());
    fs::write(dir.join("in"), "OO1/3/3/O1X3/1XX/3/3 w 0 0 0 1\n").expect("written");
    assert_eq!(one("--mate 1")["score"]["mate"], 1);
}

#[test]
fn objects_say_what_was_found() {
    let dir = folder("objects");
    let input = "smess;;f2g1\n{\"id\":12345678901234567890123456789.50,\"fen\":\"x\"}\n\
                 {\"id\":12345678901234567890123456789.50}\n";
    fs::write(dir.join("in"), format!("\u{feff}{input}")).expect("written");
    let output = analyse(&dir, "in --depth 4 --multipv 3 --threads 2");
    let found = lines(&output);
    assert_eq!(found.len(), 3);
    let first = &found[0];
    assert_eq!((&first["variant"], &first["depth"]), (&"smess".into(), &4.into()), "{first}");
    assert!(first["fen"].as_str().is_some_and(|fen| fen.ends_with(" b 1 1")), "{first}");
    assert_eq!((&first["pv"][0], first["time"].is_u64()), (&first["bestmove"], true));
    assert!(first["nodes"].as_u64().is_some_and(|nodes| nodes > 100));
    let others = first["others"].as_array().expect("two more");
    assert_eq!(others.len(), 2);
    let scores: Vec<i64> = [first].into_iter().chain(others).filter_map(|line| line["score"]["cp"].as_i64()).collect();
    assert!(scores.len() == 3 && scores.is_sorted_by(|a, b| a >= b), "{first}");
    for line in [first].into_iter().chain(others) {
        let chances: u64 = line["wdl"].as_array().expect("three").iter().filter_map(Value::as_u64).sum();
        assert_eq!((chances, line["depth"].as_u64()), (1000, Some(4)), "{line}");
    }
    let kept = "\"id\":12345678901234567890123456789.50,";
    assert_eq!(String::from_utf8_lossy(&output.stdout).matches(kept).count(), 2, "{output:?}");
    assert!(found[1]["error"].is_string() && found[2]["bestmove"].is_string());
}

#[test]
fn tablebases_are_used_and_their_faults_named() {
    let dir = folder("tables");
    let build = |words: &str| {
        let words = format!("tablebase build {words}");
        run_in(&dir, words.split(' ')).expect("built");
    };
    build("--sectors 3-3 --out morris");
    build("--variant mlyn --sectors 5-4 --out mlyn");
    // No built-in table has the stones of the last position.
    fs::write(dir.join("in"), "XOO/3/3/X4X/3/3/2O w 0 0 0 1\nmlyn;XOO/1O1/3/XX3O/3/3/XO1 w 0 0 0 1\n")
        .expect("written");
    let alone = lines(&analyse(&dir, "in --depth 1"));
    assert_eq!((&alone[0]["score"]["mate"], &alone[0]["nodes"]), (&13.into(), &0.into()));
    assert_ne!(alone[1]["nodes"], 0);
    let output = analyse(&dir, "in --depth 1 --tablebase morris --tablebase mlyn");
    let both = lines(&output);
    assert_eq!(both[0]["nodes"], 0);
    assert!(both[1]["nodes"] == 0 || both[1]["score"]["cp"] == 0, "{}", both[1]);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "folders for other rules are no fault");
    fs::write(dir.join("mlyn/5-4.dtw"), "").expect("written");
    let output = analyse(&dir, "in --depth 1 --tablebase morris --tablebase mlyn");
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(complaint.contains("mlyn/5-4.dtw: 0 bytes long") && complaint.trim().lines().count() == 1, "{complaint}");
}

#[test]
fn a_closed_output_ends_the_run() {
    let dir = folder("closed");
    // More positions than any machine analyses in time, and an input that never ends.
    fs::write(dir.join("in"), "startpos\n".repeat(100_000)).expect("written");
    let (unwritten, forever) = pipe().expect("a pipe");
    (&forever).write_all(b"startpos\n").expect("room in the pipe");
    for (words, input) in [("in --movetime 20 --threads 2", Stdio::null()), ("--depth 1", Stdio::from(unwritten))] {
        let (reader, writer) = pipe().expect("a pipe");
        drop(reader);
        let mut command = Command::new(ENGINE);
        command.current_dir(&dir).arg("analyse").args(words.split(' ')).args(["--hash", "1"]);
        let child = command.stdin(input).stdout(writer).stderr(Stdio::piped()).spawn().expect("the engine starts");
        drop(command);
        let output = child.wait_with_output().expect("an end");
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() != Some(101) && !complaint.contains("panicked"), "{output:?}");
    }
    drop(forever);
}

#[cfg(target_os = "linux")]
#[test]
fn input_may_be_a_pipe_that_has_a_name() {
    let dir = folder("pipe");
    let mut child = Command::new(ENGINE)
        .args(["analyse", "/dev/stdin", "--nodes", "1000", "--no-time"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the engine starts");
    child.stdin.take().expect("piped").write_all(INPUT.as_bytes()).expect("read");
    let output = child.wait_with_output().expect("an end");
    assert_eq!(output.stdout, analyse(&dir, "in --nodes 1000 --no-time").stdout);
    assert_eq!(lines(&output).len(), 7);
    let refused = refusal(&analyse(&dir, "in --depth 1 --resume --out /dev/null"));
    assert!(refused.contains("/dev/null: not a regular file"), "{refused}");
}
