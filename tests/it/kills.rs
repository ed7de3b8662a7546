//! Jobs killed at random moments and resumed: the results equal those of an undisturbed job. `scripts/long/kills` kills
//! each job fifty times.

use crate::common::{ENGINE, folder, setting, timeless};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Kills of each job in the short form.
const KILLS: u32 = 6;

/// Returns the command for the engine with these arguments in a folder.
fn engine(dir: &Path, words: &str) -> Command {
    let mut command = Command::new(ENGINE);
    command.current_dir(dir).args(words.split_whitespace().map(|word| word.replace('@', ENGINE)));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// Runs a job undisturbed for its result. Then runs it repeatedly in other folders, killed at random moments and
/// restarted by `command`, until it has been killed often enough. Each completed run must have the same result.
fn survives_kills<T: PartialEq>(name: &str, command: impl Fn(&Path) -> Command, result: impl Fn(&Path) -> T) {
    let whole = folder(&format!("{name}-whole"));
    let begun = Instant::now();
    assert!(command(&whole).status().expect("the engine starts").success());
    let longest = begun.elapsed().as_micros() as u64;
    let expected = result(&whole);
    let mut rng = fastrand::Rng::with_seed(7);
    let (mut killed, mut finished) = (0, 0);
    let wanted = setting("MILLBRAIN_KILLS").unwrap_or(KILLS);
    while killed < wanted || finished == 0 {
        let dir = folder(name);
        for attempt in 0.. {
            let mut running = command(&dir).spawn().expect("the engine starts");
            // Increasingly late, so that it ends at some point.
            std::thread::sleep(Duration::from_micros(rng.u64(0..longest / 2 + attempt * longest / 20)));
            if let Some(status) = running.try_wait().expect("a child") {
                assert!(status.success(), "{name} was not resumed after {killed} kills: {status}");
                break;
            }
            killed += 1;
            running.kill().expect("a child");
            running.wait().expect("a child");
        }
        finished += 1;
        assert!(result(&dir) == expected, "{name}: another result after {killed} kills");
    }
    println!("{name}: {killed} kills, {finished} times resumed to the same result");
}

#[test]
fn tablebase_builds() {
    let files = |dir: &Path| {
        let mut files: Vec<_> = fs::read_dir(dir.join("tables"))
            .expect("a folder")
            .map(|entry| entry.expect("readable").path())
            .filter(|path| path.extension().is_some_and(|kind| kind == "wdl" || kind == "dtw" || kind == "json"))
            .map(|path| (path.file_name().map(|name| name.to_owned()), fs::read(path).expect("readable")))
            .collect();
        files.sort();
        assert_eq!(files.len(), 11);
        files
    };
    survives_kills("build", |dir| engine(dir, "tablebase build --sectors 4-4,5-3 --threads 2 --out tables"), files);
}

#[test]
fn matches() {
    const MATCH: &str = "match --engine name=A cmd=@ depth=2 --engine name=B cmd=@ depth=1 --rounds 12 --variant smess \
                         --openings plies=3 seed=2 --save save --record games --json result.json";
    let command = |dir: &Path| {
        let begun = fs::metadata(dir.join("save")).is_ok_and(|file| file.len() > 0);
        engine(dir, if begun { "match --resume save --record games --json result.json" } else { MATCH })
    };
    let result = |dir: &Path| {
        let games = fs::read_to_string(dir.join("games")).expect("a record");
        let games = timeless(&games);
        assert_eq!(games.matches("[Event ").count(), 24);
        (games, fs::read_to_string(dir.join("result.json")).expect("a result"))
    };
    survives_kills("match", command, result);
}

#[test]
fn batch_analyses() {
    let positions: Vec<serde_json::Value> =
        serde_json::from_str(include_str!("../../crates/core/tests/data/perft.json")).expect("a list");
    let line = |position: &serde_json::Value| {
        serde_json::json!({ "variant": position["variant"], "fen": position["fen"] }).to_string() + "\n"
    };
    let lines: String = positions.iter().map(line).collect();
    let command = |dir: &Path| {
        fs::write(dir.join("in"), &lines).expect("written");
        let resume = if dir.join("out").exists() { "--resume" } else { "" };
        engine(dir, &format!("analyse in --nodes 40000 --threads 2 --hash 1 --no-time --out out {resume}"))
    };
    survives_kills("analyse", command, |dir| fs::read(dir.join("out")).expect("a result"));
}
