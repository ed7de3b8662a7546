//! Replays every transcript of `protocol.md` against the built engine, and checks its table of options.

use crate::common::{Client, ENGINE};
use millbrain::protocol::{OPTIONS, Settings};
use std::process::Command;

const DOCUMENT: &str = include_str!("../../protocol.md");

/// Whether a line matches a pattern: `*` stands for one word, a final `**` for the rest of the line.
fn fits(pattern: &str, line: &str) -> bool {
    let mut words = line.split(' ');
    for expected in pattern.split(' ') {
        match (expected, words.next()) {
            ("**", _) => return true,
            (_, None) => return false,
            ("*", Some(_)) => {}
            (expected, Some(word)) if expected == word => {}
            _ => return false,
        }
    }
    words.next().is_none()
}

/// The transcripts: the number of the first line, the arguments of the engine, and the lines.
fn transcripts() -> Vec<(usize, &'static str, Vec<&'static str>)> {
    let mut found = Vec::new();
    let mut lines = DOCUMENT.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        if let Some(arguments) = line.strip_prefix("```transcript") {
            let body = lines.by_ref().map(|(_, line)| line).take_while(|line| *line != "```").collect();
            found.push((number + 2, arguments, body));
        }
    }
    found
}

/// Replays one transcript in a new process.
fn replay(first: usize, arguments: &str, lines: &[&str]) {
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
                let line = client.line().unwrap_or_else(|| panic!("protocol.md:{number}: no line left, {passed:#?}"));
                if fits(pattern.trim_end(), line.trim_end()) {
                    break;
                }
                assert!(skipping, "protocol.md:{number}: expected {pattern:?}, found {line:?}");
                passed.push(line);
            }
            skipping = false;
        }
    }
    let rest = client.finish();
    assert!(skipping || rest.is_empty(), "protocol.md:{first}: lines left over: {rest:#?}");
}

#[test]
fn transcripts_hold() {
    let transcripts = transcripts();
    assert!(transcripts.len() >= 15, "the document has its transcripts");
    for (first, arguments, lines) in transcripts {
        replay(first, arguments, &lines);
    }
}

#[test]
fn every_option_is_documented_with_its_range_and_default() {
    let defaults = Settings::default();
    for option in OPTIONS {
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
    assert!(!fits("a b c", "a b"));
}
