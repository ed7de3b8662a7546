//! Output that nobody reads any more, as after `| head`: the program ends, quietly and at once.
#![cfg(unix)]

use crate::common::ENGINE;
use std::io::{BufRead, BufReader, PipeWriter, Write, pipe};
use std::process::{Child, Command, Stdio};

/// What a shell shows for a program ended by the signal of a broken pipe.
const BROKEN_PIPE: i32 = 141;

fn start(arguments: &str, output: impl Into<Stdio>) -> Child {
    Command::new(ENGINE)
        .args(arguments.split_whitespace())
        .stdin(Stdio::piped())
        .stdout(output)
        .stderr(Stdio::piped())
        .spawn()
        .expect("the engine starts")
}

/// The writing end of a pipe that nobody reads.
fn unread() -> PipeWriter {
    let (_, writer) = pipe().expect("a pipe");
    writer
}

/// Waits for the end of a program whose output has been closed; its input stays open.
fn ends_quietly(child: Child, name: &str) {
    let output = child.wait_with_output().expect("an end");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{name}");
    assert_eq!(output.status.code(), Some(BROKEN_PIPE), "{name}");
}

#[test]
fn jobs_end_quietly() {
    for arguments in ["perft 3", "perft 2 --variant smess --threads 2", "bench --depth 4"] {
        let child = start(arguments, unread());
        // Jobs say their time on standard error; nobody is to miss that.
        let output = child.wait_with_output().expect("an end");
        let complaints = String::from_utf8_lossy(&output.stderr);
        assert!(!complaints.contains("panicked") && !complaints.contains("millbrain:"), "{arguments}: {complaints}");
        assert_eq!(output.status.code(), Some(BROKEN_PIPE), "{arguments}");
    }
}

#[test]
fn the_session_ends_when_its_next_line_finds_no_reader() {
    let mut child = start("", unread());
    let mut input = child.stdin.take().expect("piped");
    // It may have gone already.
    let _ = input.write_all(b"isready\n");
    ends_quietly(child, "isready");
    drop(input);
}

/// A search that has nothing to say any more would never find out by writing.
#[test]
#[cfg(target_os = "linux")]
fn silent_searches_end_too() {
    for position in ["fen OOO/XXX/3/OX3X/3/3/X2 w 0 0", "startpos"] {
        let mut child = start("", Stdio::piped());
        let mut input = child.stdin.take().expect("piped");
        let mut output = BufReader::new(child.stdout.take().expect("piped"));
        input.write_all(format!("position {position}\ngo infinite\nisready\n").as_bytes()).expect("it reads");
        let mut line = String::new();
        while !line.starts_with("readyok") {
            line.clear();
            assert!(output.read_line(&mut line).expect("text") > 0);
        }
        drop(output);
        ends_quietly(child, position);
        drop(input);
    }
}

#[test]
fn jobs_can_end_with_their_input() {
    let start = |words: &str| {
        let mut command = Command::new(ENGINE);
        command.args(words.split_whitespace()).args(["--end-with-input"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the engine starts")
    };
    // Far too deep to be counted, but for the input that ends.
    let mut endless = start("perft 30");
    assert!(endless.try_wait().expect("a child").is_none());
    drop(endless.stdin.take());
    assert_eq!(endless.wait().expect("a child").code(), Some(130));
    let mut short = start("perft 2");
    let input = short.stdin.take();
    assert!(short.wait().expect("a child").success());
    drop(input);
    for reader in ["", "analyse --depth 1", "analyse - --depth 1"] {
        let output = start(reader).wait_with_output().expect("it ends");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(1) && said.contains("--end-with-input unusable"), "{said}");
    }
}
