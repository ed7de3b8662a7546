//! Replays every transcript of `protocol.md` and of the README against the built engine, runs the short examples of
//! `docs/tasks.md`, and checks the table of options.

use crate::common::{Client, ENGINE, folder};
use millbrain::protocol::{OPTIONS, Settings};
use std::path::Path;
use std::process::Command;

const DOCUMENT: &str = include_str!("../../protocol.md");
const README: &str = include_str!("../../README.md");
const TASKS: &str = include_str!("../../docs/tasks.md");

/// Fields with machine-dependent numbers.
const MEASURED: [&str; 2] = ["time", "nps"];

/// Whether a line matches a pattern: `*` matches one word, a final `**` the rest of the line, and any number a measured
/// one.
fn fits(pattern: &str, line: &str) -> bool {
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let mut words = line.split(' ');
    let mut is_measured = false;
    for expected in pattern.split(' ') {
        match (expected, words.next()) {
            ("**", _) => return true,
            (_, None) => return false,
            ("*", Some(_)) => {}
            (expected, Some(word)) if expected == word => {}
            (expected, Some(word)) if is_measured && is_number(expected) && is_number(word) => {}
            _ => return false,
        }
        is_measured = MEASURED.contains(&expected);
    }
    words.next().is_none()
}

/// Returns the transcripts: the number of the first line, the arguments of the engine, and the lines.
fn transcripts(document: &'static str) -> Vec<(usize, &'static str, Vec<&'static str>)> {
    let mut found = Vec::new();
    let mut lines = document.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        if let Some(arguments) = line.strip_prefix("```transcript") {
            let body = lines.by_ref().map(|(_, line)| line).take_while(|line| *line != "```").collect();
            found.push((number + 2, arguments, body));
        }
    }
    found
}

/// Replays one transcript of a file in a new process.
fn replay(file: &str, first: usize, arguments: &str, lines: &[&str]) {
    let mut engine = Command::new(ENGINE);
    engine.args(arguments.split_whitespace());
    let mut client = Client::start(engine);
    let mut skipping = false;
    for (number, &pattern) in (first..).zip(lines) {
        if let Some(command) = pattern.strip_prefix("> ") {
            if std::mem::take(&mut skipping) {
                client.ask("");
            }
            client.send(command);
        } else if pattern == "..." {
            skipping = true;
        } else {
            let mut passed = Vec::new();
            loop {
                let line = client.line().unwrap_or_else(|| panic!("{file}:{number}: no line left, {passed:#?}"));
                // Windows has other path separators.
                if fits(pattern.trim_end(), &line.trim_end().replace('\\', "/")) {
                    break;
                }
                assert!(skipping, "{file}:{number}: expected {pattern:?}, found {line:?}");
                passed.push(line);
            }
            skipping = false;
        }
    }
    let rest = client.finish();
    assert!(skipping || rest.is_empty(), "{file}:{first}: lines left over: {rest:#?}");
}

#[test]
#[cfg_attr(feature = "tune", ignore = "the program has more options than the documents")]
fn transcripts_hold() {
    for (file, document, least) in [("protocol.md", DOCUMENT, 15), ("README.md", README, 1)] {
        let transcripts = transcripts(document);
        assert!(transcripts.len() >= least, "{file} has its transcripts");
        for (first, arguments, lines) in transcripts {
            replay(file, first, arguments, &lines);
        }
    }
}

/// Runs the lines that pipe input into the engine.
#[test]
fn short_examples_run() {
    let here = folder("examples");
    let programs = Path::new(ENGINE).parent().expect("a folder").display();
    let path = format!("{programs}:{}", std::env::var("PATH").expect("a path"));
    let examples: Vec<&str> = TASKS
        .split("\n```sh\n")
        .skip(1)
        .flat_map(|block| block.split("\n```").next().unwrap_or_default().lines())
        .filter(|line| line.starts_with("printf") && line.contains("| millbrain"))
        .collect();
    assert!(examples.len() >= 2, "{examples:#?}");
    for example in examples {
        let output = Command::new("sh").current_dir(&here).env("PATH", &path).args(["-c", example]).output();
        let output = output.expect("a shell");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && output.stderr.is_empty(), "{example}: {output:?}");
        assert!(text.contains("bestmove") && !text.contains("error"), "{example}: {text}");
    }
}

#[test]
#[cfg_attr(feature = "tune", ignore = "the program has more options than the documents")]
fn every_option_is_documented_with_its_range_and_default() {
    let defaults = Settings::default();
    for option in OPTIONS.iter() {
        let row = DOCUMENT
            .lines()
            .find(|line| line.starts_with(&format!("| `{}` |", option.name)))
            .unwrap_or_else(|| panic!("no row for option {}", option.name));
        let line = option.uci_line(&defaults);
        let (_, facts) = line.split_once(" type ").expect("every line has a type");
        assert!(row.contains(&format!("| `{facts}` |")), "row {row:?} should hold `{facts}`");
    }
}

#[test]
fn every_command_is_documented() {
    let mut client = Client::new();
    let help = client.ask("help").join("\n");
    let commands = [
        "uci",
        "debug",
        "isready",
        "setoption",
        "register",
        "ucinewgame",
        "position",
        "go",
        "stop",
        "ponderhit",
        "quit",
        "d",
        "eval",
        "probe",
        "moves",
        "perft",
        "bench",
        "help",
        "rules",
        "random",
        "flip",
        "license",
        "compiler",
    ];
    for command in commands {
        assert!(DOCUMENT.contains(&format!("\n### `{command}")), "no section for {command}");
        assert!(help.contains(command), "help does not mention {command}");
    }
}

#[test]
fn patterns_match_word_by_word() {
    assert!(fits("info nodes * pv **", "info nodes 12 pv a4 d6"));
    assert!(fits("a * c", "a b c"));
    assert!(!fits("a *", "a b c"));
    assert!(fits("info time 7 nps 0 pv a4", "info time 12 nps 9 pv a4"));
    assert!(!fits("info time 7", "info time x") && !fits("info nodes 7", "info nodes 8"));
    assert!(!fits("a b c", "a b"));
}
