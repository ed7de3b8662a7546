//! A closed output, as after `| head`: the program ends quietly and at once. Streams that are not ready: the program
//! waits for them.
#![cfg(unix)]

use crate::common::{ENGINE, folder};
use std::fs;
use std::io::{BufRead, BufReader, PipeWriter, Read, Write, pipe};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

/// A shell's status for a program ended by the signal of a broken pipe.
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

/// Returns the writing end of a pipe without a reader.
fn unread() -> PipeWriter {
    let (_, writer) = pipe().expect("a pipe");
    writer
}

/// Waits for the end of a program whose output is closed; its input stays open.
fn ends_quietly(child: Child, name: &str) {
    let output = child.wait_with_output().expect("an end");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{name}");
    assert_eq!(output.status.code(), Some(BROKEN_PIPE), "{name}");
}

/// Returns the names of all executable subcommands, such as `tablebase build`, from `--help`.
fn subcommands(group: &str) -> Vec<String> {
    let output = Command::new(ENGINE).args(group.split_whitespace()).arg("-h").output().expect("the engine starts");
    let help = String::from_utf8_lossy(&output.stdout).into_owned();
    let (_, list) = help.split_once("\nCommands:\n").unwrap_or_default();
    // Each name follows two spaces; an empty line ends the list.
    let names = list.lines().map_while(|line| line.strip_prefix("  ")).filter(|line| !line.starts_with(' '));
    let names: Vec<String> = names.filter_map(|line| Some(format!("{group} {}", line.split(' ').next()?))).collect();
    if names.is_empty() {
        return vec![group.trim().to_string()];
    }
    names
        .iter()
        .flat_map(|name| if name.ends_with(" help") { vec![name.trim().to_string()] } else { subcommands(name) })
        .collect()
}

/// Arguments with which a subcommand writes to standard output, and its exit status with a closed output. `@` stands
/// for the engine, `%` for a folder, `_` for a space within an argument.
const JOBS: &[(&str, &[&str], i32)] = &[
    ("bench", &["2"], BROKEN_PIPE),
    ("perft", &["3", "2 --variant smess --threads 2"], BROKEN_PIPE),
    ("play", &["--level 0"], BROKEN_PIPE),
    (
        "match",
        &[
            "--engine cmd=@ --engine cmd=@ --each depth=1 --maxmoves 1 --openings plies=0 --save %/journal --record %/games",
            "--engine cmd=@ --engine cmd=@ --each depth=1 --openings plies=0 --plan",
            "--merge %/journal",
            "--replay %/games",
        ],
        BROKEN_PIPE,
    ),
    ("analyse", &["%/positions --depth 1", "%/positions --depth 1 --threads 2 --no-time"], BROKEN_PIPE),
    (
        "annotate",
        &[
            "%/list --depth 1",
            "%/list --depth 1 --format json",
            "%/list --depth 1 --format sgf",
            "%/list --depth 1 --format html",
        ],
        BROKEN_PIPE,
    ),
    ("book build", &["--games 2 --plies 1 --nodes 50 --out %/made"], BROKEN_PIPE),
    ("book show", &["%/book"], BROKEN_PIPE),
    ("book help", &["", "build"], BROKEN_PIPE),
    ("convert", &["%/list --to mif", "%/list --to record"], BROKEN_PIPE),
    ("tablebase build", &["--sectors 3-3 --out %/tables", "--sectors 3-3 --out %/other --json"], BROKEN_PIPE),
    ("tablebase compact", &["--from %/small --out %/small.mbt", "--from %/small --out %/json.mbt --json"], BROKEN_PIPE),
    ("tablebase verify", &["%/tables --sample 100"], BROKEN_PIPE),
    ("tablebase stats", &["%/tables", "%/tables --json"], BROKEN_PIPE),
    ("tablebase summary", &["%/tables"], BROKEN_PIPE),
    ("tablebase probe", &["1O1/3/3/X4O/3/3/XOX_w_0_0_0_1", "1O1/3/3/X4O/3/3/XOX_w_0_0_0_1 --json"], BROKEN_PIPE),
    ("tablebase help", &["", "verify"], BROKEN_PIPE),
    ("completions", &["bash", "elvish", "fish", "powershell", "zsh"], BROKEN_PIPE),
    ("man", &[""], BROKEN_PIPE),
    ("truth bench", &["--games 40 --depth 1", "--games 40 --depth 1 --json"], BROKEN_PIPE),
    // Prints nothing.
    ("truth draw", &["--games 40 --out %/set"], 0),
    ("truth hunt", &["--tables %/small --rules Stones=3 --positions 5 --nodes 20"], BROKEN_PIPE),
    ("truth games", &["--tables %/small --rules Stones=3 --games 2 --nodes 20"], BROKEN_PIPE),
    ("truth pack", &["--finds %/finds --out %/pack"], BROKEN_PIPE),
    ("truth check", &["--pack %/pack"], BROKEN_PIPE),
    ("truth help", &["", "bench"], BROKEN_PIPE),
    ("puzzles", &["--games 200 --count 2"], BROKEN_PIPE),
    // Prints nothing.
    ("tune play", &["--games 1 --nodes 50 --out %/played"], 0),
    ("tune fit", &["--data %/samples --out %/network"], BROKEN_PIPE),
    ("tune wdl", &["--data %/samples"], BROKEN_PIPE),
    #[cfg(feature = "tune")]
    ("tune spsa", &[""], BROKEN_PIPE),
    ("tune help", &["", "fit"], BROKEN_PIPE),
    ("help", &["", "match"], BROKEN_PIPE),
    // Prints nothing, and would serve forever.
    #[cfg(feature = "serve")]
    ("serve", &["--address 127.0.0.1:0 --end-with-input"], 130),
];

/// Creates a folder with the files for JOBS.
fn files_of_jobs(dir: PathBuf) -> PathBuf {
    let start_position = "3/3/3/6/3/3/3 w 9 9 0 1";
    fs::write(dir.join("positions"), format!("{start_position}\n").repeat(3)).expect("written");
    fs::write(dir.join("list"), "d6 f4 d2 b4").expect("written");
    fs::write(dir.join("book"), include_str!("../data/small.book")).expect("written");
    fs::write(dir.join("samples"), format!("{start_position};0;0\n").repeat(501)).expect("written");
    fs::write(dir.join("finds"), "").expect("written");
    let small = dir.join("small");
    let words = "tablebase build --rules Stones=3 --sectors game --results --out";
    let built = Command::new(ENGINE).args(words.split(' ')).arg(small).output().expect("an end");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    dir
}

/// Returns the command with a name and arguments of JOBS.
fn job(name: &str, arguments: &str, dir: &Path) -> Command {
    let word = |word: &str| word.replace('_', " ").replace('@', ENGINE).replace('%', &dir.to_string_lossy());
    let mut command = Command::new(ENGINE);
    command.args(name.split_whitespace().chain(arguments.split_whitespace()).map(word)).stdin(Stdio::null());
    command
}

#[test]
fn every_subcommand_ends_quietly() {
    let dir = files_of_jobs(folder("jobs"));
    let known: Vec<&str> = JOBS.iter().map(|(name, ..)| *name).collect();
    let mut listed = subcommands("");
    listed.sort();
    let mut expected = known.clone();
    expected.sort_unstable();
    assert_eq!(listed, expected, "every subcommand has its line in JOBS");
    for (name, variations, status) in JOBS {
        for arguments in *variations {
            let words = format!("{name} {arguments}");
            let output = job(name, arguments, &dir).stdout(unread()).output().expect("an end");
            // Jobs print their times on standard error, which stays open.
            let complaints = String::from_utf8_lossy(&output.stderr);
            assert!(!complaints.contains("panicked") && !complaints.contains("millbrain:"), "{words}: {complaints}");
            assert_eq!(output.status.code(), Some(*status), "{words}: {complaints}");
        }
    }
}

/// Returns a full non-blocking socket as an output, and its reading end with the number of bytes before the output.
fn clogged() -> (UnixStream, UnixStream, usize) {
    let (reader, writer) = UnixStream::pair().expect("a socket");
    writer.set_nonblocking(true).expect("a socket");
    let mut filled = 0;
    for size in [4096, 1] {
        while let Ok(written) = (&writer).write(&vec![0; size]) {
            filled += written;
        }
    }
    (writer, reader, filled)
}

/// Returns the output of a command whose reader is late, with its status.
fn read_late(command: &mut Command) -> (String, Option<i32>) {
    let (writer, mut reader, filled) = clogged();
    let mut child = command.stdout(OwnedFd::from(writer)).stderr(Stdio::null()).spawn().expect("the engine starts");
    // The command holds the writing end, too.
    command.stdout(Stdio::null());
    // By then a program that does not wait has lost its output; one that waits passes at any speed.
    let mut pauses = 0..30;
    while pauses.next().is_some() && child.try_wait().expect("a child").is_none() {
        sleep(Duration::from_millis(10));
    }
    let mut text = Vec::new();
    reader.read_to_end(&mut text).expect("an output");
    let text = String::from_utf8(text.split_off(filled)).expect("text");
    (text, child.wait().expect("a child").code())
}

#[test]
fn every_subcommand_waits_for_its_reader() {
    let [plain, late] = ["plain", "late"].map(|name| files_of_jobs(folder(name)));
    for (name, variations, _) in JOBS {
        for arguments in *variations {
            let expected = job(name, arguments, &plain).output().expect("an end");
            let (text, status) = read_late(&mut job(name, arguments, &late));
            assert_eq!(status, expected.status.code(), "{name} {arguments}");
            // Times differ.
            let lines = String::from_utf8_lossy(&expected.stdout).lines().count();
            assert_eq!(text.lines().count(), lines, "{name} {arguments}: {text}");
            assert!(text.is_empty() || text.ends_with('\n'), "{name} {arguments}: {text}");
        }
    }
}

/// Every job that reads standard input waits for it, and for the reader of its answers.
#[test]
fn every_job_waits_for_its_input() {
    let dir = folder("input");
    let position = "3/3/3/6/3/3/3 w 9 9 0 1\n";
    for (words, input) in [
        ("", "help\n".repeat(900)),
        ("analyse --depth 1", position.repeat(100)),
        ("analyse --depth 1 -", position.repeat(100)),
        ("annotate --depth 1", "1. d6 f4 2. d2 b4\n".to_string()),
        ("convert --to mif", "1. d6 f4 2. d2 b4\n".to_string()),
        ("play --level 0 --seed 1", "d6\nhelp\nmoves\nundo\n".repeat(50)),
    ] {
        let file = dir.join("input");
        fs::write(&file, &input).expect("written");
        let command = || {
            let mut command = Command::new(ENGINE);
            command.args(words.split_whitespace());
            command
        };
        let expected = command().stdin(fs::File::open(&file).expect("a file")).output().expect("an end");
        let (theirs, mut ours) = UnixStream::pair().expect("a socket");
        theirs.set_nonblocking(true).expect("a socket");
        let feeder = std::thread::spawn(move || {
            for piece in input.as_bytes().chunks(700) {
                sleep(Duration::from_millis(1));
                ours.write_all(piece).expect("it reads");
            }
        });
        let (text, status) = read_late(command().stdin(OwnedFd::from(theirs)));
        assert_eq!(status, expected.status.code(), "{words}: {text}");
        let lines = String::from_utf8_lossy(&expected.stdout).lines().count();
        assert_eq!(text.lines().count(), lines, "{words}");
        feeder.join().expect("no panic");
    }
}

#[test]
fn the_session_ends_when_its_next_line_finds_no_reader() {
    let mut child = start("", unread());
    let mut input = child.stdin.take().expect("piped");
    // The engine may have ended already.
    let _ = input.write_all(b"isready\n");
    ends_quietly(child, "isready");
    drop(input);
}

/// A search without further output would never notice a closed output by writing.
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
    // Too deep to finish; only the end of the input ends it.
    let mut endless = start("perft 30");
    assert!(endless.try_wait().expect("a child").is_none());
    drop(endless.stdin.take());
    assert_eq!(endless.wait().expect("a child").code(), Some(130));
    let mut short = start("perft 2");
    let input = short.stdin.take();
    assert!(short.wait().expect("a child").success());
    drop(input);
    // An input without data yet has not ended.
    let (theirs, ours) = UnixStream::pair().expect("a socket");
    theirs.set_nonblocking(true).expect("a socket");
    let mut patient = Command::new(ENGINE);
    patient.args(["perft", "5", "--end-with-input"]).stdin(OwnedFd::from(theirs));
    assert!(patient.output().expect("an end").status.success());
    drop(ours);
    for reader in ["", "analyse --depth 1", "analyse - --depth 1"] {
        let output = start(reader).wait_with_output().expect("it ends");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(1) && said.contains("--end-with-input unusable"), "{said}");
    }
}
