//! A game against a person who types lines.

use crate::common::ENGINE;
use std::io::Write;
use std::process::{Command, Output, Stdio};

/// Runs `millbrain play` with these arguments, `_` for a space in an argument, and types the lines.
fn play(words: &str, lines: &str) -> Output {
    let words = words.split_whitespace().map(|word| word.replace('_', " "));
    let mut child = Command::new(ENGINE)
        .arg("play")
        .args(words)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // A program that has quit reads no more.
    let _ = child.stdin.take().expect("an input").write_all(lines.as_bytes());
    child.wait_with_output().expect("an end")
}

fn reported(words: &str, lines: &str) -> String {
    let output = play(words, lines);
    assert!(output.status.success(), "{words}: {output:?}");
    assert!(output.stderr.is_empty(), "{output:?}");
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn a_game_is_played_to_its_end_and_gone_over() {
    // Repeatedly the first move of the list.
    let picks = "moves\n1\n".repeat(400);
    let text = reported("--level 3 --seed 4 --rules Stones=3,No_Mill_Draw=12", &picks);
    assert!(text.starts_with("morris with Stones=3,No Mill Draw=12, level 3. You are white."), "{text}");
    let (_, end) = text.rsplit_once("\nYou have ").or_else(|| text.rsplit_once("\nA draw: ")).expect("a result");
    let lines: Vec<&str> = end.lines().collect();
    assert!(lines[1].starts_with("You  ?! ") && lines[2].starts_with("I    ?! "), "{end}");
    assert_eq!(reported("--level 3 --seed 4 --rules Stones=3,No_Mill_Draw=12", &picks), text, "it can be had again");
    assert!(!text.contains('\x1b'), "no colours in a pipe");
}

#[test]
fn moves_are_typed_or_picked() {
    let last = |lines: &str| {
        let fen = "--fen O1O/1O1/3/2O3/3/XX1/XXO_w_0_0 --level 0 --seed 1";
        reported(fen, lines)
    };
    // A unique prefix of a move, a full move, and a number from the list for an ambiguous prefix.
    for lines in ["c4b", "d6d7xa1", "d6d7xb"] {
        let text = last(&format!("{lines}\n"));
        assert!(text.contains("\nI play "), "{text}");
    }
    let text = last("d6d7\n2\n");
    assert!(text.contains("  1 d6d7xa1") && text.contains("  2 d6d7xb2") && text.contains("\nI play "), "{text}");
    for (line, said) in [
        ("a7g7", "is illegal"),
        ("hello", "; type moves to see yours"),
        ("0", "type moves to see yours"),
        ("99999999999999999999", "type moves to see yours"),
        ("undo", "no move of yours to take back"),
        ("rules xx", "language \"xx\", expected one of en, de, sk"),
        ("rules de", "Zwei Spieler"),
        ("rules", "Two players"),
        ("help", "A move is typed"),
        ("hint", " ("),
    ] {
        let text = last(&format!("{line}\n"));
        assert!(text.contains(said) && !text.contains("I play"), "{line}: {text}");
    }
}

#[test]
fn moves_are_taken_back() {
    let text = reported("--variant smess --level 2 --seed 3", "c2c3\nundo\nundo\nboard\nquit\n");
    let boards: Vec<&str> = text.split("\n\n").skip(1).collect();
    let first = boards[0].split("\nWhite").next();
    assert_eq!(boards.last().and_then(|last| last.split("\nWhite").next()), first, "{text}");
    assert!(text.contains("no move of yours to take back"), "{text}");
    let black = reported("--colour black --level 1 --seed 2", "undo\nresign\n");
    assert!(
        black.contains("You are black") && black.contains("\nI play ") && black.contains("You have lost"),
        "{black}"
    );
    assert!(black.contains("no move of yours to take back"), "{black}");
}

#[test]
fn any_input_ends_or_goes_on() {
    for lines in ["", "\n\n\n", "\0\u{1b}[2J\n", "d6", "quit\nd6\n", &"x".repeat(100_000)] {
        let text = reported("--level 1 --seed 1", lines);
        assert!(text.starts_with("morris, level 1.") && !text.contains('\u{1b}'), "{lines:?}: {text}");
    }
    for (words, said) in [
        ("--level 21", "0..=20"),
        ("--rules Stones=1", "invalid value \"1\" for Stones"),
        ("--fen x", "expected"),
        ("--end-with-input", "--end-with-input unusable"),
    ] {
        let output = play(words, "");
        assert!(
            !output.status.success() && String::from_utf8_lossy(&output.stderr).contains(said),
            "{words}: {output:?}"
        );
    }
}
