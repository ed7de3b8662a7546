//! Absurd sizes, numbers and lengths: handled as far as possible, or rejected in one line.

use crate::common::{Client, ENGINE, folder};
use std::fs;
use std::process::Command;

/// Returns the nodes of the last report of a search.
fn nodes_of(client: &mut Client, go: &str) -> u64 {
    client.send(go);
    let lines = client.until("bestmove");
    let last = lines.iter().rev().find_map(|line| line.split_once(" nodes ")).expect("a report");
    last.1.split(' ').next().and_then(|nodes| nodes.parse().ok()).expect("a number")
}

/// Returns the only answer to a line.
fn answer(client: &mut Client, line: &str) -> String {
    let answer = client.ask(line);
    assert_eq!(answer.len(), 1, "{line}: {answer:#?}");
    answer[0].clone()
}

/// Starts an engine limited to this many KiB of memory.
#[cfg(target_os = "linux")]
fn confined(kib: u32) -> Client {
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("ulimit -v {kib}; exec \"$0\""), ENGINE]);
    Client::start(shell)
}

#[test]
#[cfg(target_os = "linux")]
fn a_table_without_memory_is_refused_and_the_old_one_kept() {
    let mut client = confined(600_000);
    client.send("setoption name Hash value 8");
    client.send("setoption name UCI_Variant value smess");
    let first = nodes_of(&mut client, "go depth 14");
    for size in [1_000, 65_536] {
        let refusal = answer(&mut client, &format!("setoption name Hash value {size}"));
        let expected = format!("info string setoption refused: no memory for a hash table of {size} MiB, expected ");
        let amount =
            refusal.strip_prefix(&expected).and_then(|rest| rest.strip_prefix("at most ")?.strip_suffix(" MiB"));
        let amount: u32 = amount.and_then(|amount| amount.parse().ok()).expect(&refusal);
        assert!(amount < 600_000 / 1024, "what is free beyond the limit is not to be had: {refusal}");
        let again = nodes_of(&mut client, "go depth 14");
        assert!(again * 2 < first, "what was searched is still known: {again} nodes after {first}");
    }
    client.send("setoption name Hash value 16");
    assert!(nodes_of(&mut client, "go depth 14") > first / 2, "a new table is empty");
    client.finish();
}

#[test]
#[cfg(target_os = "linux")]
fn threads_without_memory_are_refused() {
    let mut client = confined(3_000_000);
    let refusal = answer(&mut client, "setoption name Threads value 512");
    assert_eq!(refusal, "info string setoption refused: no memory for 512 threads, expected fewer");
    assert!(client.ask("setoption name Threads value 64").is_empty());
    for go in ["go depth 6", "go movetime 30", "go nodes 5000"] {
        client.send(go);
        client.until("bestmove");
    }
    client.send("go infinite");
    assert!(client.ask("").iter().all(|line| !line.starts_with("bestmove")));
    client.send("stop");
    client.until("bestmove");
    assert!(client.ask("perft 4").iter().all(|line| !line.contains("failed")));
    client.finish();
}

/// Parallel jobs report a lack of memory for their threads before any thread fails.
#[cfg(target_os = "linux")]
#[test]
fn jobs_without_memory_for_threads_are_refused() {
    let dir = folder("limits-threads");
    fs::write(dir.join("set"), "millbrain truth 1 morris\n1X1/3/1OX/O1OOX1/3/1XO/1X1 w 4 4;won;b4xd1 b4xd2\n")
        .expect("written");
    for job in ["tablebase build --sectors 3-3 --out tables", "truth bench --positions set --nodes 10"] {
        let words = format!("ulimit -v 950000; exec \"$0\" {job} --threads 400");
        let output = Command::new("sh").current_dir(&dir).args(["-c", &words, ENGINE]).output().expect("an answer");
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{job}: {error}");
        assert!(
            error.starts_with("millbrain: no 400 threads (") && error.contains("fewer --threads"),
            "{job}: {error}"
        );
    }
}

#[test]
fn absurd_values_are_refused_or_survived() {
    let mut client = Client::new();
    let huge = "9".repeat(60);
    for name in ["Hash", "Threads", "MultiPV", "Move Overhead", "Stones", "Skill Level", "UCI_Elo", "Random Seed"] {
        for value in [&huge, "-1", "18446744073709551616", "1e3", "0x10", ""] {
            let refusal = answer(&mut client, &format!("setoption name {name} value {value}"));
            assert!(
                refusal.starts_with("info string setoption refused: ") && refusal.contains("expected"),
                "{refusal}"
            );
        }
    }
    client.send("setoption name MultiPV value 500");
    client.send("go depth 2");
    let variations = client.until("bestmove").iter().filter(|line| line.contains("info depth 2 ")).count();
    assert_eq!(variations, 24, "as many as there are moves");
    client.send("setoption name MultiPV value 1");
    client.send("setoption name Threads value 512");
    client.send("go depth 4");
    client.until("bestmove");
    client.send("setoption name Threads value 1");
    for go in [
        format!("go wtime -{huge} btime -{huge}"),
        format!("go wtime {huge} btime {huge} winc {huge} binc {huge} movestogo {huge} depth 3"),
        format!("go movetime -{huge}"),
        format!("go movetime {huge} depth 2"),
        format!("go nodes {huge} depth 2"),
        format!("go depth {huge} nodes 100"),
        format!("go mate {huge} nodes 100"),
        "go wtime 1 winc -9223372036854775808 btime 0".to_string(),
        "go movestogo 0 wtime 20 btime 20".to_string(),
    ] {
        client.send(&go);
        client.until("bestmove");
        assert!(client.ask("").is_empty(), "{go} is answered once");
    }
    client.finish();
}

#[test]
fn counters_at_their_end_stay_there() {
    let mut client = Client::new();
    client.send("setoption name No Mill Draw value 0");
    client.send("setoption name Repetition Draw value false");
    let fen = "O2/1O1/2O/O2X2/3/XX1/2X w 0 0 65535 4294967295";
    let shuffle = "a7d7 g1g4 d7a7 g4g1 ".repeat(25_000);
    client.send(&format!("position fen {fen} moves {shuffle}"));
    let shown = client.ask("d");
    assert!(shown.contains(&format!("Fen: {fen}")), "{shown:#?}");
    client.send("go depth 4");
    client.until("bestmove");
    for (field, fen) in [
        ("counter", "O2/1O1/2O/O2X2/3/XX1/2X w 0 0 65536 1"),
        ("counter", "O2/1O1/2O/O2X2/3/XX1/2X w 0 0 -1 1"),
        ("move number", "O2/1O1/2O/O2X2/3/XX1/2X w 0 0 0 4294967296"),
        ("white's hand", "O2/1O1/2O/O2X2/3/XX1/2X w 99999999999 0 0 1"),
    ] {
        let refusal = answer(&mut client, &format!("position fen {fen}"));
        assert!(refusal.contains(field) && refusal.contains("expected a number from"), "{refusal}");
    }
    client.send("setoption name UCI_Variant value smess");
    let fen = "1ssbss1/nnnnnnn/7/7/7/7/NNNNNNN/1SSBSS1 w 65535 4294967295";
    client.send("setoption name No Capture Draw value 0");
    client.send(&format!("position fen {fen}"));
    assert!(client.ask("d").contains(&format!("Fen: {fen}")));
    client.send("go depth 4");
    client.until("bestmove");
    client.finish();
}

#[test]
fn long_lines_and_long_games_are_read() {
    let mut client = Client::new();
    let line = "d6 ".repeat(350_000);
    let refusal = answer(&mut client, &format!("position startpos moves {line}"));
    assert!(refusal.contains("move 2"), "{refusal}");
    assert!(answer(&mut client, &"x".repeat(1 << 20)).contains("unknown command"));
    assert!(answer(&mut client, &format!("setoption name {}", "y ".repeat(1 << 19))).contains("unknown option"));
    let refusal = answer(&mut client, &format!("position fen {} w 0 0", "O/".repeat(1 << 19)));
    assert!(refusal.len() < 2_000, "a short answer to a long line: {}", refusal.len());
    let game = "a7d7 g1g4 d7a7 g4g1 ".repeat(50_000);
    client.send(&format!("position fen O2/1O1/2O/O2X2/3/XX1/2X w 0 0 0 1 moves {game}"));
    assert!(client.ask("d").iter().any(|line| line == "Occurrences: 50001"));
    client.send("go nodes 1000");
    client.until("bestmove");
    client.finish();
}

/// Neither creating an unused large table nor clearing it touches its memory.
#[test]
#[cfg(target_os = "linux")]
fn large_tables_cost_nothing_before_they_are_used() {
    const MIB: u64 = 1024;
    let mut client = Client::new();
    client.until_ready();
    let before = client.resident_kib().expect("known here");
    assert!(client.ask(&format!("setoption name Hash value {MIB}")).is_empty());
    assert!(client.ask("ucinewgame").is_empty());
    let after = client.resident_kib().expect("known here");
    assert!(after < before + MIB * 1024 / 8, "{before} KiB before, {after} KiB after");
    client.finish();
}

/// Packs are opened without numbering the sets of points, which would take 30 MiB and more for all sizes.
#[test]
#[cfg(target_os = "linux")]
fn packs_that_nobody_asks_cost_little() {
    let mut client = Client::new();
    client.until_ready();
    let before = client.resident_kib().expect("known here");
    for variant in ["mylos", "mlyn", "morabaraba"] {
        assert!(client.ask(&format!("setoption name UCI_Variant value {variant}")).is_empty());
    }
    let after = client.resident_kib().expect("known here");
    assert!(after < before + 25 * 1024, "{before} KiB before, {after} KiB after");
    client.finish();
}
