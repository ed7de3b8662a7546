//! Measuring the error rate of the search from the command line.

use crate::common::{ENGINE, folder, run_in};
use millbrain::any::AnyGame;
use millbrain::game::Verdict;
use millbrain::tablebase::Sources;
use millbrain::variant::{NamedRules, Variant};
use serde_json::Value;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Runs `millbrain truth` with these arguments in a folder; `_` stands for a space in an argument.
fn truth(folder: &Path, words: &str) -> Result<String, String> {
    run_in(folder, format!("truth {words}").split_whitespace().map(|word| word.replace('_', " ")))
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
    // The search uses the tables that the positions come from. The other moves of the set do lose value.
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
    // A move closes a mill and wins; the set marks another one as right.
    let set = "millbrain truth 1 morris Stones=9\nOO1/3/3/O1X3/1XX/3/3 w 0 0;won;d7d6\n";
    fs::write(dir.join("set"), set).expect("written");
    let text = truth(&dir, "bench --positions set --nodes 100 --json").expect("measured");
    let report: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!((&report["total"]["positions"], &report["total"]["spoiled"]), (&1.into(), &1.into()));
    assert_eq!(report["mistakes"][0]["fen"], "OO1/3/3/O1X3/1XX/3/3 w 0 0");
    assert_eq!(report["rows"]["won"]["flying"]["spoiled"], 1, "{report}");
}

/// Without a limit a level searches as in a game; lower levels make more errors.
#[test]
fn levels_are_measured() {
    let dir = folder("truth-levels");
    truth(&dir, "draw morris --games 200 --count 200 --out set").expect("drawn");
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
fn what_cannot_be_measured_is_reported() {
    let dir = folder("truth-faults");
    fs::write(dir.join("bad"), "millbrain truth 1 morris\n3/3/3/6/3/3/3 w 9 9;drawn;a2\n").expect("written");
    for (words, reported) in [
        ("bench", "no limit, expected --nodes, --depth or --movetime"),
        ("bench --level 20", "no limit, expected --nodes, --depth or --movetime"),
        ("bench --level 21", "21 is not in 0..=20"),
        ("bench chess --nodes 1", "invalid value 'chess'"),
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
        assert!(error.contains(reported), "{words}: {error}");
    }
}

#[test]
fn puzzles_are_made_by_one_command() {
    let dir = folder("puzzles");
    let run = |words: &str| {
        let words = words.split_whitespace();
        Command::new(ENGINE).current_dir(&dir).arg("puzzles").args(words).output().expect("the program starts")
    };
    let output = run("--games 400 --count 6");
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).expect("text");
    let made: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert!((2..=6).contains(&made.len()), "{text}");
    for puzzle in &made {
        assert!(puzzle["variant"] == "morris" && (puzzle["goal"] == "win" || puzzle["goal"] == "draw"), "{puzzle}");
        assert!(puzzle["solution"][0].is_string() && puzzle["difficulty"].as_u64() <= Some(13), "{puzzle}");
        assert!(puzzle["themes"].as_array().is_some_and(|themes| !themes.is_empty()), "{puzzle}");
    }
    assert!(run("--games 400 --count 6 --threads 1 --out file").status.success());
    assert_eq!(fs::read_to_string(dir.join("file")).expect("written"), text);
    let faulty = run("--games 0");
    assert!(
        !faulty.status.success() && String::from_utf8_lossy(&faulty.stderr).contains("no position with a known value")
    );
}

/// For the small game with four stones: its tables, and few enough nodes that the search loses it.
const SMALL: &str = "--rules Stones=4,Flying=false --tables tables --nodes 10 --no-pack";

/// Creates a small game, with the tables of all its positions in the folder `tables`.
fn small_game(name: &str, stones: u8) -> PathBuf {
    let dir = folder(name);
    let words = format!(
        "tablebase build --rules Stones={stones},Flying=false --sectors game --results --threads 2 --out tables"
    );
    run_in(&dir, words.split_whitespace()).expect("built");
    dir
}

fn json(dir: &Path, words: &str) -> Value {
    serde_json::from_str(&truth(dir, &format!("{words} --json")).expect("done")).expect("JSON")
}

/// The adversary finds where the search loses; a pack of these finds leaves it little to find.
#[test]
fn a_pack_leaves_less_to_find() {
    let dir = small_game("pack", 4);
    let hunt = format!("hunt {SMALL} --positions 1200");
    let games = format!("games {SMALL} --games 60");
    let (hunted, played) = (json(&dir, &format!("{hunt} --out finds")), json(&dir, &format!("{games} --out finds")));
    assert!(hunted["won_to_lost"].as_u64().is_some_and(|finds| finds > 0), "{hunted}");
    assert!(played["lost"].as_u64().is_some_and(|lost| lost > 0), "{played}");
    for words in [&hunt, &games] {
        assert_eq!(json(&dir, &format!("{words} --threads 1")), json(&dir, &format!("{words} --threads 3")), "{words}");
        assert_ne!(json(&dir, &format!("{words} --seed 1")), json(&dir, &format!("{words} --seed 2")), "{words}");
    }
    // The tables confirm each find: the move loses, and so do the other named moves.
    let finds = fs::read_to_string(dir.join("finds")).expect("finds");
    let rules = NamedRules::read(Variant::Morris, "Stones=4,Flying=false").expect("rules").rules;
    let sources = Sources::at([dir.join("tables")]);
    let mut judge = AnyGame::new(rules);
    let opened = millbrain::tablebase::open(&rules, &sources);
    judge.set_oracle(opened.oracle.as_ref());
    for line in finds.lines().skip(1) {
        let fields: Vec<&str> = line.split(';').collect();
        let result = |moves: Option<&str>| judge.at(Some(fields[0]), moves).expect("legal").verdict().expect("known");
        assert_eq!(result(None), if fields[1] == "won" { Verdict::Win } else { Verdict::Draw }, "{line}");
        assert_eq!(result(Some(fields[3])), if fields[2] == "lost" { Verdict::Win } else { Verdict::Draw }, "{line}");
        assert!(fields[5].split(' ').filter(|mv| !mv.is_empty()).all(|mv| result(Some(mv)) == Verdict::Win), "{line}");
    }
    // A kill may have cut the last line short.
    fs::write(dir.join("finds"), finds.clone() + "3/3/3/6").expect("written");
    truth(&dir, "pack --rules Stones=4,Flying=false --finds finds --out small.pack").expect("packed");
    let again = json(&dir, &format!("{hunt} --pack small.pack"));
    let to_lost = |hunted: &Value| hunted["won_to_lost"].as_u64().zip(hunted["drawn_to_lost"].as_u64());
    let sum = |hunted| to_lost(hunted).map_or(0, |(won, drawn)| won + drawn);
    assert!(4 * sum(&again) < sum(&hunted), "{hunted} {again}");
    // A game that continues after a loss may be lost again later; these finds are added too, until games find nothing.
    let pack_again = "pack --rules Stones=4,Flying=false --finds finds --out small.pack";
    let mut lost = Vec::new();
    for _ in 0..4 {
        lost.push(json(&dir, &format!("{games} --pack small.pack --out finds"))["lost"].as_u64().expect("a number"));
        truth(&dir, pack_again).expect("packed");
    }
    assert!(played["lost"].as_u64() >= Some(3 * lost[0]) && lost[3] == 0, "{played} {lost:?}");
    // The pack contains what was packed, and the same finds give the same pack.
    let before = fs::read(dir.join("small.pack")).expect("a pack");
    truth(&dir, pack_again).expect("packed");
    assert_eq!(fs::read(dir.join("small.pack")).expect("a pack"), before);
    // The protocol finds it in a folder, among others for other rules.
    fs::create_dir(dir.join("packs")).expect("made");
    fs::copy(dir.join("small.pack"), dir.join("packs/small.pack")).expect("copied");
    for (rules, reported) in [("4", " positions in packs"), ("5", "0 sectors")] {
        for path in ["packs", "small.pack"] {
            let lines = format!(
                "setoption name Stones value {rules}\nsetoption name Flying value false\nsetoption name TablebaseEmbedded value false\n\
                setoption name TablebasePath value {path}\nquit\n"
            );
            let text = protocol(&dir, &lines);
            assert!(text.contains(reported), "{text}");
            assert_eq!(
                text.contains("small.pack: a pack of other rules"),
                rules == "5" && path == "small.pack",
                "{text}"
            );
        }
    }
    let mut damaged = before;
    damaged[60] ^= 1;
    fs::write(dir.join("packs/small.pack"), damaged).expect("written");
    let text = protocol(
        &dir,
        "setoption name Stones value 4\nsetoption name Flying value false\nsetoption name TablebasePath value packs\nquit\n",
    );
    assert!(text.contains("small.pack: damaged: its checksum is wrong"), "{text}");
}

/// A player that follows a strategy does not lose during the placements, however little it searches.
#[test]
fn a_strategy_holds_until_all_stones_are_placed() {
    let dir = small_game("strategy", 3);
    let rules = "--rules Stones=3,Flying=false";
    let games = format!("games {rules} --tables tables --nodes 1 --no-pack --games 200 --openings 2");
    let placing = |played: &Value| {
        let lost_at = played["lost_at"].as_object().expect("plies").iter();
        lost_at.filter(|(ply, _)| ply.parse::<u32>().expect("a ply") <= 6).count()
    };
    assert!(placing(&json(&dir, &games)) > 0);
    let reported =
        truth(&dir, &format!("pack {rules} --tables tables --strategy 2 --until 6 --out a.pack")).expect("packed");
    assert!(reported.starts_with("ply 3: ") && reported.contains(" of strategies, "), "{reported}");
    let played = json(&dir, &format!("{games} --pack a.pack"));
    assert_eq!(placing(&played), 0, "{played}");
}

/// A pack that answers every reply is a proof that is checked without tables.
#[test]
fn a_pack_proves_a_draw() {
    let dir = small_game("proof", 3);
    let rules = "--rules Stones=3,Flying=false";
    let pack = format!("pack {rules} --tables tables --strategy 0 --until 1000");
    let reported = truth(&dir, &format!("{pack} --out kept.pack")).expect("packed");
    assert!(reported.contains("closed: every reply that keeps the value is answered"), "{reported}");
    let reported = truth(&dir, &format!("{pack} --every-reply --out all.pack")).expect("packed");
    assert!(reported.contains("closed: every reply is answered, however long the game"), "{reported}");
    fs::remove_dir_all(dir.join("tables")).expect("removed");
    let reported = truth(&dir, &format!("check {rules} --pack all.pack")).expect("a proof");
    assert!(reported.contains(" replies, 0 without an answer\nproved: "), "{reported}");
    assert!(reported.ends_with("is drawn\n"), "{reported}");
    let reported = truth(&dir, &format!("check {rules} --pack kept.pack")).expect_err("no proof");
    assert!(reported.contains("kept.pack: no proof, there is no answer at "), "{reported}");
    let reported = truth(&dir, "check --pack all.pack").expect_err("other rules");
    assert!(reported.contains("all.pack: a pack of other rules"), "{reported}");
    fs::write(dir.join("finds"), "").expect("written");
    truth(&dir, &format!("pack {rules} --finds finds --out empty.pack")).expect("packed");
    let reported = truth(&dir, &format!("check {rules} --pack empty.pack")).expect_err("no proof");
    assert!(reported.contains("empty.pack: no proof, the game does not begin in it"), "{reported}");
}

#[test]
fn what_a_trial_cannot_use_is_reported() {
    let dir = folder("trial");
    let reported = |words: &str| truth(&dir, words).expect_err(words);
    assert!(reported("hunt").contains("the tables do not know the start of morris"), "{}", reported("hunt"));
    assert!(reported("games --tables nowhere").contains("nowhere"));
    fs::write(dir.join("finds"), "millbrain finds 1 mlyn\n").expect("written");
    let foreign = reported("pack --finds finds --out some.pack");
    assert!(
        foreign.contains("begins with \"millbrain finds 1 mlyn\", expected \"millbrain finds 1 morris\""),
        "{foreign}"
    );
    fs::write(dir.join("finds"), "millbrain finds 1 morris\n3/3/3;drawn\n").expect("written");
    let damaged = reported("pack --finds finds --out some.pack");
    assert!(damaged.contains("line 2: \"3/3/3;drawn\", expected FEN;VALUE;AFTER;MOVE;NODES;MOVES"), "{damaged}");
    fs::write(dir.join("some.pack"), "no pack").expect("written");
    fs::write(dir.join("finds"), "").expect("written");
    assert!(
        reported("pack --finds finds --out some.pack")
            .contains("some.pack: no pack, expected a file made by 'truth pack'")
    );
    assert!(reported("hunt --pack some.pack").contains("some.pack: no pack"));
}

/// Returns the program's output for these lines.
fn protocol(dir: &Path, lines: &str) -> String {
    let mut child = Command::new(ENGINE)
        .current_dir(dir)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    child.stdin.take().expect("open").write_all(lines.as_bytes()).expect("written");
    String::from_utf8_lossy(&child.wait_with_output().expect("an end").stdout).into_owned()
}
