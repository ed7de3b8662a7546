//! From self-play to a network, on a small scale.

use crate::common::{ENGINE, folder, run_in};
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn tune(folder: &Path, words: &str) -> Output {
    let mut command = Command::new(ENGINE);
    command.current_dir(folder).arg("tune").args(words.split_whitespace()).output().expect("the engine starts")
}

#[test]
fn positions_and_networks_depend_on_the_seed_alone() {
    let folder = folder("whole");
    let read = |name: &str| fs::read_to_string(folder.join(name)).expect("written");
    let play = "play --variant smess --games 8 --nodes 200 --seed 5";
    assert!(tune(&folder, &format!("{play} --out one")).status.success());
    assert!(tune(&folder, &format!("{play} --out two --threads 2")).status.success());
    assert!(read("one") == read("two") && read("one").lines().count() > 100);
    // Positions are written to a temporary file first, which is gone.
    let names = || fs::read_dir(&folder).expect("readable").map(|entry| entry.expect("readable").file_name());
    assert_eq!(names().count(), 2, "{:?}", names().collect::<Vec<_>>());
    for shard in ["1-3/8", "4-8/8"] {
        assert!(tune(&folder, &format!("{play} --threads 2 --shard {shard} --out {}", &shard[..2])).status.success());
    }
    assert!(read("1-") + &read("4-") == read("one"));
    // Tables of endings that the games do not reach do not change the positions; invalid tables are rejected.
    let build = "tablebase build --variant smess --sectors 3 --out tables";
    run_in(&folder, build.split_whitespace()).expect("built");
    assert!(tune(&folder, &format!("{play} --tables tables --out known")).status.success());
    let columns = |name: &str, place: usize| {
        let text = read(name);
        text.lines().map(|line| line.split(';').nth(place).expect("a column").to_string()).collect::<Vec<_>>()
    };
    assert!(columns("known", 0) == columns("one", 0) && columns("known", 1) == columns("one", 1));
    for name in ["tables", "known"] {
        let path = folder.join(name);
        if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }.expect("removed");
    }
    let missing = tune(&folder, &format!("{play} --tables none --out four"));
    assert!(!missing.status.success() && String::from_utf8_lossy(&missing.stderr).contains("none"), "{missing:?}");
    let nowhere = tune(&folder, &format!("{play} --out none/three"));
    let error = String::from_utf8_lossy(&nowhere.stderr);
    assert!(!nowhere.status.success() && error.contains("none/three: "), "{error}");

    let fit = "fit --variant smess --data one --epochs 3";
    let output = tune(&folder, &format!("{fit} --out a.net"));
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(
        (text.lines().count(), text.matches("held out: loss of").count(), text.matches("epoch ").count()),
        (7, 3, 3)
    );
    assert!(tune(&folder, &format!("{fit} --out b.net --threads 2")).status.success());
    assert_eq!(fs::read(folder.join("a.net")).expect("written"), fs::read(folder.join("b.net")).expect("written"));
    assert!(tune(&folder, &format!("{fit} --from a.net --out c.net")).status.success());
    let headless = fs::read(folder.join("a.net")).expect("written").split_off(16);
    fs::write(folder.join("old.net"), headless).expect("written");
    fs::copy("crates/core/src/morris/morris.net", folder.join("morris.net")).expect("copied");

    let output = tune(&folder, "wdl --variant smess --data one one");
    let text = String::from_utf8_lossy(&output.stdout);
    let positions = format!("{} positions", 2 * read("one").lines().count());
    assert!(output.status.success() && text.starts_with(&positions) && text.lines().count() == 3, "{output:?}");
    // A model fitted to these positions predicts them better than one fitted to others.
    let losses: Vec<f64> = text.lines().filter_map(|line| line.split("loss ").nth(1)?.parse().ok()).collect();
    assert!(losses.len() == 2 && losses[0] < losses[1], "{text}");

    fs::write(folder.join("bad"), "nonsense;1;0\n").expect("written");
    fs::write(
        folder.join("certain"),
        read("one").lines().next().expect("a line").split(';').next().expect("a FEN").to_string() + ";31990;1\n",
    )
    .expect("written");
    for (data, reported) in
        [("bad", "bad:1:"), ("none", "none"), ("certain", "no position with a score that is not certain")]
    {
        let output = tune(&folder, &format!("wdl --variant smess --data {data}"));
        assert!(!output.status.success() && String::from_utf8_lossy(&output.stderr).contains(reported), "{output:?}");
    }
    for (words, reported) in [
        ("--data bad", "bad:1:"),
        ("--data none", "none"),
        ("--data one --from bad", "bad: not a network, expected"),
        ("--data one --from old.net", "old.net: a network without a header, as versions up to 0.2 wrote it"),
        ("--data one --from morris.net", "morris.net: a network for another game or version: layout "),
    ] {
        let output = tune(&folder, &format!("fit --variant smess {words} --out d.net"));
        assert!(!output.status.success() && String::from_utf8_lossy(&output.stderr).contains(reported), "{output:?}");
    }
}

#[test]
fn unusable_outputs_are_refused_before_the_work() {
    let dir = folder("outputs");
    fs::create_dir(dir.join("folder")).expect("a folder");
    let positions = "3/3/3/6/3/3/3 w 9 9 0 1;0;0\n".repeat(501);
    fs::write(dir.join("data"), &positions).expect("written");
    // More games and passes than any run completes.
    let (play, fit) = ("play --games 1000000000", "fit --data data --epochs 1000000");
    for (words, reported) in [
        (format!("{play} --out folder"), "folder: not a regular file, expected a file to write"),
        (format!("{play} --out none/out"), "none/out: "),
        (format!("{fit} --out folder"), "folder: not a regular file, expected a file to write"),
        (format!("{fit} --out none/out"), "none/out: "),
        (format!("{fit} --out ./data"), "./data: also named by another argument, expected a file of its own for --out"),
    ] {
        let output = tune(&dir, &words);
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(1) && output.stdout.is_empty(), "{words}: {output:?}");
        assert!(
            error.starts_with(&format!("millbrain: {reported}")) && error.trim_end().lines().count() == 1,
            "{error}"
        );
    }
    assert_eq!(fs::read_to_string(dir.join("data")).expect("there"), positions);
    assert_eq!(fs::read_dir(&dir).expect("readable").count(), 2);
}

/// Openings get a share of the nodes, at least one.
#[test]
fn a_node_is_enough_to_play() {
    let dir = folder("node");
    assert!(tune(&dir, "play --games 1 --nodes 1 --out out").status.success());
}
