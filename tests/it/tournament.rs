//! Matches from the command line: totals, records, resuming, and engines that misbehave in every way.

use crate::common::{ENGINE, folder};
use millbrain::any::AnyGame;
use millbrain::game::{Ending, Reason};
use millbrain::tablebase::Sources;
use millbrain::tablebase::probe::probe;
use millbrain::tournament::record::{Outcome, read_games};
use millbrain::variant::Variant;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

/// Runs `millbrain match` with these arguments; `@` stands for the engine, `%` for the folder.
fn play(folder: &Path, words: &str) -> Output {
    let folder = folder.to_str().expect("a readable path");
    let words = words.split_whitespace().map(|word| word.replace('@', ENGINE).replace('%', folder));
    Command::new(ENGINE).arg("match").args(words).output().expect("the runner starts")
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Returns the last standings printed, without the lines of single games.
fn table(output: &Output) -> String {
    let text = stdout(output);
    let start = text.rfind("Score of").or_else(|| text.rfind("Rank")).unwrap_or(0);
    text[start..].to_string()
}

const TWO: &str = "--engine name=A cmd=@ depth=3 --engine name=B cmd=@ depth=1 option.Hash=1";

#[test]
fn a_match_is_recorded_verified_and_summed_up() {
    let dir = folder("plain");
    let output = play(
        &dir,
        &format!("{TWO} --variant smess --rounds 3 --openings plies=4 seed=3 --record %/games --json %/result.json"),
    );
    assert!(output.status.success(), "{output:?}");
    assert!(table(&output).contains("Games 6:"), "{}", stdout(&output));
    let result = fs::read_to_string(dir.join("result.json")).expect("a result");
    let result: serde_json::Value = serde_json::from_str(&result).expect("JSON");
    assert_eq!(result["games"], 6);
    let pairs: u64 =
        result["pairings"][0]["pentanomial"].as_array().expect("counts").iter().flat_map(|n| n.as_u64()).sum();
    assert_eq!(pairs, 3);

    assert!(stdout(&play(&dir, "--replay %/games")).contains("6 games, 0 faulty"));
    let games = fs::read_to_string(dir.join("games")).expect("a record");
    let forged = games.replace("[Result \"1-0\"]", "[Result \"x\"]").replace("[Result \"0-1\"]", "[Result \"1-0\"]");
    fs::write(dir.join("forged"), forged).expect("written");
    let replayed = play(&dir, "--replay %/forged");
    assert!(!replayed.status.success());
    let again = play(&dir, &format!("{TWO} --record %/games"));
    assert!(!again.status.success(), "an existing record is not overwritten");
    assert_eq!(games, fs::read_to_string(dir.join("games")).expect("a record"));
}

#[test]
fn everyone_plays_everyone() {
    let dir = folder("round-robin");
    let output = play(
        &dir,
        "--engine name=one cmd=@ --engine name=two cmd=@ depth=2 --engine name=three cmd=@ depth=2 --each depth=1 \
         --rounds 2 --maxmoves 20 --concurrency 2",
    );
    assert!(output.status.success(), "{output:?}");
    let text = stdout(&output);
    assert!(text.contains("Rank") && text.contains("Games 12:"), "{text}");
    let gauntlet = play(
        &dir,
        "--engine name=one cmd=@ --engine name=two cmd=@ --engine name=three cmd=@ --each depth=1 \
         --tournament gauntlet --maxmoves 5",
    );
    assert!(stdout(&gauntlet).contains("Games 4:"), "{}", stdout(&gauntlet));
}

#[test]
fn a_broken_off_match_ends_with_the_same_totals() {
    let dir = folder("resume");
    let words = format!("{TWO} --variant smess --rounds 4 --openings plies=3");
    let whole = play(&dir, &format!("{words} --save %/whole"));
    assert!(whole.status.success(), "{whole:?}");
    let journal = fs::read(dir.join("whole")).expect("a journal");
    // As if killed while writing: after a game, within a game, after the settings.
    let ends: Vec<usize> = (0..journal.len()).filter(|&i| journal[i] == b'\n').map(|i| i + 1).collect();
    for cut in [ends[0], ends[3], ends[5] - 20, ends[7] - 1, journal.len()] {
        fs::write(dir.join("cut"), &journal[..cut]).expect("written");
        let _ = fs::remove_file(dir.join("games"));
        let resumed = play(&dir, "--resume %/cut --record %/games");
        assert!(resumed.status.success(), "{resumed:?}");
        assert_eq!(table(&resumed), table(&whole));
        assert!(stdout(&play(&dir, "--replay %/games")).contains("8 games, 0 faulty"));
    }
    fs::write(dir.join("bad"), "{}\n").expect("written");
    let bad = play(&dir, "--resume %/bad");
    assert!(!bad.status.success() && String::from_utf8_lossy(&bad.stderr).contains("bad:1:"), "{bad:?}");
}

#[test]
fn a_sequential_test_ends_the_match() {
    let dir = folder("sprt");
    let output = play(
        &dir,
        "--engine name=A cmd=@ depth=4 --engine name=B cmd=@ depth=1 --each option.Hash=1 --variant smess \
         --rounds 500 --openings plies=4 --sprt elo0=0 elo1=200",
    );
    assert!(output.status.success(), "{output:?}");
    let text = table(&output);
    assert!(text.contains("passed"), "{text}");
    assert!(!text.contains("Games 1000:"), "{text}");
}

#[test]
fn faulty_settings_are_refused() {
    let dir = folder("faulty");
    fs::write(dir.join("empty"), "").expect("written");
    for (words, reported) in [
        ("--engine cmd=@ depth=1", "expected two"),
        ("--engine cmd=@ depth=1 --engine cmd=@ tc=x", "unusable for tc"),
        ("--engine cmd=/no/such/program depth=1 --engine cmd=@ depth=1", "cannot run"),
        ("--engine cmd=@ option.Colour=red depth=1 --engine cmd=@ depth=1", "no option"),
        ("--engine cmd=@ option.Hash=99999999 depth=1 --engine cmd=@ depth=1", "expected a whole number in 1..=65536"),
        ("--engine cmd=@ option.Ponder=yes depth=1 --engine cmd=@ depth=1", "expected true or false"),
        (
            "--engine cmd=@ option.Flying=false depth=1 --engine cmd=@ depth=1",
            "engine engine1: option.Flying chooses the rules",
        ),
        (
            "--engine cmd=@ --engine cmd=@ --each depth=1 option.Stones=7",
            "option.Stones chooses the rules, expected those of",
        ),
        (
            "--engine cmd=@ --engine cmd=@ --each depth=1 option.uci_variant=smess --plan",
            "option.uci_variant chooses the rules",
        ),
        (
            "--engine cmd=@ depth=1 --engine cmd=@ dialect=sanmill depth=1 option.PiecesCount=12",
            "engine engine2: option.PiecesCount chooses the rules",
        ),
        ("--engine cmd=@ depth=1 --engine name=B cmd=@ option.TablebasePath=%/none depth=1", "engine B complains"),
        ("--engine cmd=@ depth=1 --engine cmd=@ depth=1 --openings file=%/none", "none"),
        (
            "--engine cmd=@ depth=1 --engine cmd=@ depth=1 --openings balance=-5",
            "\"-5\" unusable for balance, expected centistones",
        ),
        ("--engine cmd=@ depth=1 --engine cmd=@ depth=1 --sprt elo0=3 elo1=1", "--sprt"),
        ("--resume %/none", "none"),
        ("--replay %/none", "none"),
        ("--replay %/empty", "empty: no games, expected records that 'match --record' has written"),
    ] {
        let output = play(&dir, words);
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && error.contains(reported), "{words}: {error}");
        assert!(!stdout(&output).contains("Finished game"), "{words}");
    }
}

#[test]
fn a_match_may_be_played_in_spite_of_complaints() {
    let dir = folder("lenient");
    let words = "--engine cmd=@ option.TablebasePath=%/none --engine cmd=@ --each depth=1 --maxmoves 2 --lenient";
    let output = play(&dir, words);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && error.contains("engine engine1 complains") && error.contains("not used"),
        "{error}"
    );
    assert!(stdout(&output).contains("Games 2:"), "{}", stdout(&output));
    // The note about tables in use is not a complaint.
    let words = "--engine cmd=@ option.TablebaseEmbedded=true --engine cmd=@ --each depth=1 --maxmoves 2";
    assert!(play(&dir, words).status.success());
}

/// An engine killed in mid-game, once or at each `go`: the game is lost or, on request, replayed.
#[cfg(unix)]
#[test]
fn games_of_killed_engines_are_lost_or_played_again() {
    let dir = folder("killed");
    let engine = |signal: u32, times: &str| {
        let mock = format!(
            "if {times}; then while read -r line; do case $line in go*) kill -{signal} $$; exit;; *) echo \"$line\";; esac; done \
             | {ENGINE}; else exec {ENGINE}; fi\n"
        );
        let _ = fs::remove_dir(dir.join("once"));
        fs::write(dir.join("mock"), mock.replace('%', dir.to_str().expect("readable"))).expect("written");
    };
    let run = |more: &str| {
        let _ = fs::remove_file(dir.join("games"));
        let words =
            "--engine name=A cmd=sh args=%/mock --engine name=B cmd=@ --each depth=1 --openings plies=0 --maxmoves 4";
        let output = play(&dir, &format!("{words} --record %/games {more}"));
        let games = fs::read_to_string(dir.join("games")).unwrap_or_default();
        let ends = |end: &str| games.matches(&format!("[Termination \"{end}\"]")).count();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.success(), [ends("crash"), ends("adjudication")], error)
    };
    // Signals of a system short of memory, of a cluster that ends a job, and of an engine's own fault.
    for (signal, is_outside) in [(9, true), (15, true), (11, false), (6, false)] {
        let lost = [1, 1];
        engine(signal, "mkdir %/once 2> /dev/null");
        assert_eq!(run("").1, lost, "{signal}");
        engine(signal, "mkdir %/once 2> /dev/null");
        let (is_done, ends, error) = run("--replay-killed");
        assert_eq!((is_done, ends), (true, if is_outside { [0, 2] } else { lost }), "{signal}: {error}");
        assert_eq!(error.contains("game 1 is played again: its engine was killed"), is_outside, "{error}");
    }
    engine(9, "true");
    let (is_done, _, error) = run("--replay-killed");
    assert!(!is_done && error.contains("the match ends after 3 failures of A in a row"), "{error}");
}

/// In the dialogues of pondering engines, every search ends before the next command, and expected replies are hits.
#[test]
fn engines_ponder_on_request() {
    let dir = folder("ponder");
    let words = "--engine name=A cmd=@ ponder=true tc=10+0.02 option.Hash=1 --engine name=B cmd=@ ponder=true nodes=400 \
                 --engine name=C cmd=@ depth=2 --maxmoves 25 --openings plies=2 --log %/log --record %/games --save %/saved";
    let output = play(&dir, words);
    assert!(output.status.success(), "{output:?}");
    let games = fs::read_to_string(dir.join("games")).expect("a record");
    for ending in games.lines().filter(|line| line.starts_with("[Termination")) {
        assert!(ending.contains("normal") || ending.contains("adjudication"), "{games}");
    }
    let mut counts = [0; 2];
    for name in ["A", "B", "C"] {
        let log = fs::read_to_string(dir.join(format!("log/{name}-1.log"))).expect("a log");
        let words = |line: &str| line.get(11..).map(String::from).unwrap_or_default();
        let (mut position, mut pondered, mut clock) = (String::new(), None, String::new());
        for line in log.lines().map(words) {
            if let Some(sent) = line.strip_prefix(">> ") {
                match sent.split(' ').next().unwrap_or_default() {
                    "position" => {
                        assert_eq!(pondered, None, "{name}: {sent}");
                        position = sent.to_string();
                    }
                    "go" if sent.starts_with("go ponder") => {
                        pondered = Some(position.clone());
                        clock = sent.replace("go ponder", "go");
                    }
                    "go" => assert_eq!(pondered, None, "{name}: {sent}"),
                    "ponderhit" => counts[0] += usize::from(pondered.is_some()),
                    "stop" => counts[1] += usize::from(pondered.is_some()),
                    "setoption" | "uci" | "ucinewgame" | "isready" | "quit" => {}
                    other => panic!("{name}: {other}"),
                }
            } else if line.starts_with("<< bestmove") {
                pondered = None;
            }
        }
        assert_eq!(clock.starts_with("go wtime") || clock.starts_with("go btime"), name == "A", "{name}: {clock}");
        assert_eq!(log.contains("setoption name Ponder value true"), name != "C", "{name}");
        assert_eq!(clock.is_empty(), name == "C", "{name}");
    }
    assert!(counts[0] > 5 && counts[1] > 5, "hits and misses: {counts:?}");
    assert!(stdout(&play(&dir, "--replay %/games")).contains("6 games, 0 faulty"));
    assert!(play(&dir, "--resume %/saved").status.success());
    for (words, reported) in [
        (
            "--engine cmd=@ ponder=yes depth=1 --engine cmd=@ depth=1",
            "\"yes\" unusable for ponder, expected true or false",
        ),
        (
            "--engine cmd=@ ponder=true dialect=sanmill depth=1 --engine cmd=@ depth=1",
            "engine engine1: ponder=true unusable with dialect=sanmill",
        ),
    ] {
        let error = String::from_utf8_lossy(&play(&dir, words).stderr).into_owned();
        assert!(error.contains(reported), "{error}");
    }
}

/// A game adjudicated by tables has their result of its last position.
#[test]
fn tables_end_games_on_request() {
    let dir = folder("adjudicate");
    let openings =
        "1O1/3/3/X2O1X/1O1/3/XOX w 0 0\nOO1/1X1/2O/2XX1O/3/O1X/3 b 0 0\n1O1/3/2O/X1X2O/1O1/3/X1X w 0 0 60 50\n";
    fs::write(dir.join("openings"), openings).expect("written");
    let built =
        Command::new(ENGINE).args(["tablebase", "build", "--sectors", "4-4", "--out"]).arg(dir.join("tables")).output();
    assert!(built.expect("an end").status.success());
    let words = format!("{TWO} --each depth=2 --rounds 3 --openings file=%/openings --record %/games --save %/saved");
    let output = play(&dir, &format!("{words} --adjudicate tables=%/tables"));
    assert!(output.status.success(), "{output:?}");
    let games = fs::read_to_string(dir.join("games")).expect("a record");
    let known = games.matches("[Reason \"known by tables\"]").count();
    assert!(known >= 4, "{games}");
    assert_eq!(games.matches("[Termination \"adjudication\"]").count(), known, "{games}");
    assert!(stdout(&play(&dir, "--replay %/games")).contains("6 games, 0 faulty"));
    for game in read_games(&games).expect("games").iter().filter(|game| game.reason == "known by tables") {
        let moves = game.moves.iter().map(|mv| mv.text.as_str());
        let last = AnyGame::new(Variant::Morris.rules()).at(Some(&game.fen), moves).expect("legal moves");
        let found = probe(Variant::Morris.rules(), &last.fen(), &Sources::default()).expect("known");
        let (value, side) = (found.value.expect("a value"), last.side());
        let winner = Ending::new(value.verdict(), Reason::NoMoves).winner(side);
        assert_eq!(game.outcome, Outcome::of(winner), "{}", last.fen());
        let plies = u32::from(last.plies_without_progress()) + value.plies().unwrap_or_default();
        assert!(plies <= 100, "the counter lets it happen: {}", last.fen());
    }
    let resumed = play(&dir, "--resume %/saved");
    assert!(resumed.status.success() && table(&resumed) == table(&output), "{resumed:?}");
    for (words, reported) in [
        ("--adjudicate tables=%/none", "--adjudicate: "),
        ("--adjudicate table=%/tables", "expected tables=DIR"),
        ("--adjudicate tables=", "expected a folder of tables"),
    ] {
        let output = play(&dir, &format!("{TWO} {words}"));
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && error.contains(reported), "{words}: {error}");
    }
}

#[test]
fn two_draws_have_no_signed_zero() {
    let dir = folder("draws");
    let output = play(&dir, &format!("{TWO} --maxmoves 2 --json %/result"));
    assert!(table(&output).contains("\nElo 0.0 +/- -, nElo -, LOS 50.0 %"), "{}", stdout(&output));
    let result: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(dir.join("result")).expect("a result")).expect("JSON");
    let pairing = &result["pairings"][0];
    assert_eq!((pairing["elo"].as_f64(), pairing["elo_error"].is_null()), (Some(0.0), true));
    assert!(result["engines"][0]["elo_error"].is_null());
}

#[test]
fn a_closed_output_ends_the_match_and_leaves_the_journal_whole() {
    let dir = folder("closed");
    let words = format!("{TWO} --maxmoves 5 --rounds 10000 --openings plies=0 --save %/saved");
    let words =
        words.split_whitespace().map(|word| word.replace('@', ENGINE).replace('%', dir.to_str().expect("readable")));
    let mut child = Command::new(ENGINE)
        .arg("match")
        .args(words)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the runner starts");
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("piped")).read_line(&mut line).expect("a line");
    assert!(line.starts_with("Finished game 1 "), "{line}");
    // From here on the output is closed.
    let output = child.wait_with_output().expect("an end");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(141) && !error.contains("panicked"), "{error}");
    assert!(!error.contains("millbrain: "), "{error}");
    let saved = fs::read_to_string(dir.join("saved")).expect("a journal");
    assert!(saved.ends_with('\n') && saved.lines().count() >= 2);
    assert!(saved.lines().all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok()));
}

/// Shell scripts as broken engines.
#[cfg(unix)]
mod misbehaviour {
    use super::*;
    use std::os::unix::process::CommandExt as _;

    /// Returns an engine that answers correctly up to `go`, then runs `on_go`.
    fn mock(on_go: &str) -> String {
        format!(
            "while read -r word rest; do case $word in \
             uci) echo 'option name UCI_Variant type combo default morris'; echo uciok;; \
             isready) echo readyok;; \
             go) {on_go};; \
             quit) exit;; \
             esac; done"
        )
    }

    /// Plays a match of a mock against the engine.
    fn match_with(name: &str, script: &str, words: &str) -> (Output, PathBuf) {
        let dir = folder(name);
        fs::write(dir.join("mock"), script).expect("written");
        let output = play(
            &dir,
            &format!(
                "--engine name=mock cmd=/bin/sh args=%/mock --engine name=real cmd=@ timemargin=20000 --each depth=1 --stall 2 \
                 --json %/result --record %/games {words}"
            ),
        );
        (output, dir)
    }

    /// Plays a match in which the mock loses every game in this way, and which continues.
    fn always_loses_by(name: &str, script: &str, termination: &str) {
        loses_by(name, script, 2, termination);
    }

    /// Plays a match of this many games, each of which the mock loses in this way.
    fn loses_by(name: &str, script: &str, games: u32, termination: &str) {
        let (output, dir) = match_with(name, script, &format!("--games {games}"));
        assert!(output.status.success(), "{name}: {output:?}");
        let text = table(&output);
        assert!(text.contains(&format!("Score of mock vs real: 0 - {games} - 0")), "{name}: {text}");
        assert!(text.contains(&format!("mock lost {games} by {termination}")), "{name}: {text}");
        assert!(stdout(&play(&dir, "--replay %/games")).contains(&format!("{games} games, 0 faulty")), "{name}");
    }

    #[test]
    fn crashes_on_go() {
        always_loses_by("crash", &mock("exit 3"), "crash");
        always_loses_by("closed", &mock("exec >&-; sleep 5; exit"), "crash");
        for (name, words, games, reported) in [
            ("crash-three", "--rounds 5", 3, "after 3 failures of mock in a row"),
            ("crash-recover", "--rounds 5 --recover", 3, "after 3 failures of mock in a row"),
            ("crash-first", "--rounds 5 --no-recover", 1, "at the first failure of an engine (--no-recover)"),
        ] {
            let (output, _) = match_with(name, &mock("exit 3"), words);
            let error = String::from_utf8_lossy(&output.stderr).into_owned();
            let reported = format!("game {games}: mock ended (exit status: 3); the match ends {reported}");
            assert!(!output.status.success() && error.contains(&reported), "{error}");
            assert!(stdout(&output).contains(&format!("Games {games}:")), "{}", stdout(&output));
        }
    }

    /// Returns the lines of a log without their times.
    fn logged(path: &Path) -> Vec<String> {
        let text = fs::read_to_string(path).unwrap_or_default();
        let line = |line: &str| {
            let (time, rest) = line.trim_start().split_once(' ').expect("a time");
            assert!(time.parse::<f64>().is_ok_and(|time| (0.0..1e6).contains(&time)), "{line}");
            rest.to_string()
        };
        text.lines().map(line).collect()
    }

    /// Returns the index of the first line with this prefix, from `from` on.
    fn find(lines: &[String], from: usize, start: &str) -> usize {
        let found = lines[from..].iter().position(|line| line.starts_with(start));
        from + found.unwrap_or_else(|| panic!("no {start:?} after line {from} of {lines:#?}"))
    }

    #[test]
    fn a_crash_is_reported_with_the_last_words_of_the_engine_and_logged() {
        let script = mock("echo out of luck; printf 'first\\nsecond \\007word\\n' >&2; exit 3");
        let (output, dir) =
            match_with("last-words", &script, "--log %/logs/deep --concurrency 2 --rounds 2 --no-recover");
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        let reported =
            r#"mock ended (exit status: 3), last on standard error: "first", "second word"; the match ends at"#;
        assert!(!output.status.success() && error.contains(reported), "{error}");
        let record = fs::read_to_string(dir.join("games")).expect("a record");
        assert!(record.contains("[Reason \"mock ended\"]"), "the same wherever it is played: {record}");
        let logs = dir.join("logs/deep");
        let mut names: Vec<_> =
            fs::read_dir(&logs).expect("a folder").map(|file| file.expect("a file").file_name()).collect();
        names.sort();
        let known = ["mock-1.log", "mock-2.log", "real-1.log", "real-2.log"];
        assert!(names.len() >= 2 && names.iter().all(|name| known.iter().any(|known| name == known)), "{names:?}");
        // The other process was killed in the middle of its game.
        let crashed = |lines: &Vec<String>| lines.iter().any(|line| line == "== ended (exit status: 3)");
        let lines = names.iter().map(|name| logged(&logs.join(name))).find(crashed).expect("one has crashed");
        assert!(lines[0].starts_with("== process ") && lines[0].contains("/bin/sh"), "{lines:#?}");
        let dialogue =
            ["uci", "setoption name UCI_Variant value morris", "isready", "ucinewgame", "position fen ", "go depth 1"];
        let dialogue = dialogue.map(|sent| format!(">> {sent}"));
        let go = dialogue.iter().fold(0, |from, sent| find(&lines, from, sent));
        assert!(find(&lines, 0, "<< uciok") < find(&lines, 0, "<< readyok"));
        for said in ["<< out of luck", "!! first", "!! second \u{7}word", "== ended (exit status: 3)"] {
            assert!(find(&lines, go, said) > go, "{said}");
        }
    }

    #[test]
    fn failures_that_are_forgiven_are_reported() {
        let (output, _) = match_with("forgiven", &mock("echo oh no >&2; exit 3"), "");
        let error = String::from_utf8_lossy(&output.stderr);
        let reported = r#"game 2: mock ended (exit status: 3), last on standard error: "oh no"; it is started again"#;
        assert!(output.status.success() && error.contains(reported), "{error}");
    }

    #[test]
    fn a_killed_runner_leaves_what_was_said() {
        let dir = folder("log-killed");
        fs::write(dir.join("mock"), mock("echo thinking; echo hard >&2; cat")).expect("written");
        let words =
            "match --engine name=mock cmd=/bin/sh args=%/mock --engine name=real cmd=@ --each depth=1 --log %/logs";
        let words = words
            .split_whitespace()
            .map(|word| word.replace('@', ENGINE).replace('%', dir.to_str().expect("readable")));
        let mut child = Command::new(ENGINE).args(words).stdout(Stdio::null()).spawn().expect("the runner starts");
        let path = dir.join("logs/mock-1.log");
        let said =
            |lines: &[String]| ["<< thinking", "!! hard"].iter().all(|said| lines.iter().any(|line| line == said));
        while !said(&logged(&path)) {
            assert!(child.try_wait().expect("a child").is_none(), "{:?}", logged(&path));
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        child.kill().expect("a child");
        child.wait().expect("ended");
        assert!(logged(&path).iter().any(|line| line == ">> go depth 1") && said(&logged(&path)));
    }

    #[test]
    fn floods_standard_error() {
        let script = mock("yes word | head -c 600000 >&2; echo bestmove a1a1");
        let (output, dir) = match_with("flood-error", &script, "--each movetime=60000 --log %/logs");
        assert!(table(&output).contains("mock lost 2 by illegal move"), "{}", stdout(&output));
        // Each game logs the maximum between two commands.
        let log = fs::metadata(dir.join("logs/mock-1.log")).expect("a log").len();
        assert!((1 << 20..4 << 20).contains(&log), "{log}");
        let lines = logged(&dir.join("logs/mock-1.log"));
        assert!(
            lines.iter().any(|line| line.starts_with("== ") && line.ends_with(" lines left out")),
            "{}",
            lines.len()
        );
    }

    #[test]
    fn never_answers() {
        always_loses_by("silent", &mock(":"), "stall");
        always_loses_by("deaf", &mock("while :; do sleep 1; done"), "stall");
    }

    #[test]
    fn plays_nonsense() {
        always_loses_by("illegal", &mock("echo bestmove a1a1"), "illegal move");
        always_loses_by("occupied", &mock("echo bestmove a7a4"), "illegal move");
        always_loses_by("empty", &mock("echo bestmove"), "illegal move");
        always_loses_by("binary", &mock(r"printf 'info score cp\nbestmove \377\376\001\n'"), "illegal move");
    }

    #[test]
    fn prints_without_end() {
        // One game each, since they use a whole processor.
        loses_by("flood", &mock("while :; do echo info depth 1 score cp 5; done"), 1, "stall");
        loses_by("one-line", &mock("cat /dev/zero"), 1, "stall");
    }

    #[test]
    fn is_late() {
        for (name, limit) in [("slow", "movetime=100"), ("clock", "tc=0.2+0.01")] {
            let (output, dir) =
                match_with(name, &mock("sleep 0.5; echo bestmove d6"), &format!("--each {limit} --save %/saved"));
            assert!(table(&output).contains("mock lost 2 by time forfeit"), "{}", stdout(&output));
            assert!(stdout(&play(&dir, "--replay %/games")).contains("2 games, 0 faulty"), "{name}");
            // The late move, with its time and its lateness.
            let saved = fs::read_to_string(dir.join("saved")).expect("a journal");
            for (game, line) in saved.lines().skip(1).enumerate() {
                let game_record: serde_json::Value = serde_json::from_str(line).expect("JSON");
                let late = &game_record["late_move"];
                let (time, over) = (late["time"].as_u64().expect("a time"), late["late"].as_u64().expect("a lateness"));
                assert_eq!(late["move"], "d6", "game {game}");
                assert!(time >= 500 && (time - over).abs_diff(if name == "slow" { 100 } else { 200 }) <= 1, "{late}");
                let record = fs::read_to_string(dir.join("games")).expect("a record");
                assert!(record.contains(&format!("[LateMove \"d6 {{{time}ms {over}ms late}}\"]")), "{record}");
            }
        }
    }

    #[test]
    fn never_starts() {
        for (name, script) in [("exits", "exit 1"), ("not-uci", "while read -r line; do echo what; exit; done")] {
            let (output, _) = match_with(name, script, "");
            let error = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(!output.status.success() && error.contains("before 'uciok'"), "{name}: {error}");
        }
    }

    /// Interrupts like a terminal: the whole process group that the child leads.
    fn interrupt(child: &Child) {
        let killed = Command::new("kill").args(["-INT", "--", &format!("-{}", child.id())]).status().expect("kill");
        assert!(killed.success());
    }

    /// Too many openings to finish before the test's timeout.
    #[test]
    fn an_interrupt_ends_the_making_of_openings() {
        let dir = folder("interrupt-openings");
        let journal = dir.join("saved");
        let mut child = Command::new(ENGINE)
            .args(["match", "--engine", "cmd=none", "--engine", "cmd=none", "--each", "nodes=1", "--rounds", "1000000"])
            .args(["--openings", "plies=8", "balance=0", "--save"])
            .arg(&journal)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()
            .expect("the runner starts");
        let mut reported = BufReader::new(child.stderr.take().expect("piped"));
        let mut text = String::new();
        reported.read_line(&mut text).expect("text");
        assert!(text.ends_with(" of 1000000 openings made\n"), "how far it is: {text}");
        interrupt(&child);
        reported.read_to_string(&mut text).expect("text");
        let (_, last) = text.trim_end().rsplit_once('\n').expect("a last line");
        assert!(last.starts_with("millbrain: interrupted after ") && last.ends_with(" of 1000000 openings"), "{text}");
        let output = child.wait_with_output().expect("ended");
        assert_eq!((output.status.code(), stdout(&output).as_str()), (Some(130), ""));
        assert!(!journal.exists());
    }

    /// Interrupts a match with two finished games, this many times; returns its output, and the number of games that
    /// had begun.
    fn interrupted(name: &str, times: usize, words: &str) -> (String, usize) {
        let dir = folder(name);
        let folder = dir.to_str().expect("readable");
        let words = format!("{words} --rounds 20 --games 1000 --openings plies=0 --save %/saved --log %/log");
        let words = words.split_whitespace().map(|word| word.replace('@', ENGINE).replace('%', folder));
        let mut runner = Command::new(ENGINE);
        runner.arg("match").args(words).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        let mut child = runner.spawn().expect("the runner starts");
        let mut output = BufReader::new(child.stdout.take().expect("piped"));
        let mut errors = BufReader::new(child.stderr.take().expect("piped"));
        let mut text = String::new();
        while !text.contains("Finished game 2 ") {
            assert!(output.read_line(&mut text).expect("text") > 0, "{text}");
        }
        interrupt(&child);
        let mut line = String::new();
        while !line.contains("the match ends after the games that are being played") {
            line.clear();
            assert!(errors.read_line(&mut line).expect("text") > 0, "{text}");
        }
        (1..times).for_each(|_| interrupt(&child));
        output.read_to_string(&mut text).expect("text");
        assert!(child.wait().expect("ended").success());
        let finished = text.matches("Finished game").count();
        assert!(text.contains(&format!("Interrupted after {finished} of 20000 games\n")), "{text}");
        assert!(!text.contains(" ended}"), "no engine has lost by it: {text}");
        let saved = fs::read_to_string(dir.join("saved")).expect("a journal");
        assert_eq!(saved.lines().count(), 1 + finished);
        let logs = fs::read_dir(dir.join("log"))
            .expect("a folder")
            .map(|file| fs::read_to_string(file.expect("a file").path()));
        let begun: usize = logs.map(|log| log.expect("a log").matches(">> ucinewgame").count()).sum();
        // Both engines of a game log its start.
        (text, begun / 2)
    }

    #[test]
    fn an_interrupt_lets_running_games_end() {
        let (text, begun) = interrupted("interrupt", 1, &format!("{TWO} --maxmoves 30 --concurrency 3"));
        assert_eq!(text.matches("Finished game").count(), begun, "{text}");
    }

    /// In the third game an engine never answers.
    #[test]
    fn two_interrupts_end_a_match_at_once() {
        let mute = folder("mute").join("mock");
        let script = format!(
            "n=0; while read -r line; do case $line in ucinewgame) n=$((n+1));; esac; \
             case $n,$line in 3,go*) ;; *) echo \"$line\";; esac; done | {ENGINE}\n"
        );
        fs::write(&mute, script).expect("written");
        let words = format!("--engine name=A cmd=@ --engine name=B cmd=sh args={} --each depth=1", mute.display());
        let (text, begun) = interrupted("interrupts", 2, &format!("{words} --maxmoves 4 --stall 1000000"));
        assert_eq!((text.matches("Finished game").count(), begun), (2, 3), "{text}");
    }
}
