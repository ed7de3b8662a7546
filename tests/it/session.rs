//! Valid and invalid use of the session: one `bestmove` per `go`, state unchanged after bad input, no hangs.

use crate::common::{Client, ENGINE, without_times};
use millbrain::game::Searchable;
use millbrain::play::Play;
use millbrain::variant::Variant;
use millbrain::with_game;

/// Node total of `bench`. It changes exactly when the search or an evaluation changes; the commit that changes it
/// updates it here.
const BENCH: &str = "821700";

/// Returns a client that has sent these lines.
fn client_with(lines: &[&str]) -> Client {
    let mut client = Client::new();
    for line in lines {
        client.send(line);
    }
    client
}

fn best_moves(lines: &[String]) -> usize {
    lines.iter().filter(|line| line.starts_with("bestmove ")).count()
}

/// Returns the value after a word of an info line.
fn field<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let mut words = line.split(' ').skip_while(|word| *word != name);
    words.next()?;
    words.next()
}

fn last_info(lines: &[String]) -> &String {
    lines.iter().rev().find(|line| line.starts_with("info depth")).expect("an info line")
}

/// The words of `go` are those that the engine lists after an unknown word.
#[test]
fn every_named_limit_is_answered_whatever_its_value() {
    let mut client = Client::new();
    let complaint = client.ask("go banana");
    client.send("stop");
    client.send("d");
    client.until("Fen:");
    let words =
        complaint[0].split_once("expected one of ").and_then(|(_, rest)| rest.split_once("; ")).expect("a list");
    let is_limit = |word: &&str| !["infinite", "ponder", "searchmoves"].contains(word);
    let limits: Vec<&str> = words.0.split(", ").filter(is_limit).collect();
    assert!(limits.len() >= 8, "{complaint:?}");
    for limit in limits {
        for value in ["", "x", "50ms", "NaN", "Infinity", "-1", "2.7", "2.0", "1e0", "-0.1", "+2", "1.5.2", "\u{662}"] {
            let go = format!("go {limit} {value}");
            // In a session that waits forever this would be the first answer.
            client.send(&go);
            client.send("position startpos moves d6");
            client.send("d");
            let answers: Vec<String> = client.until("Fen:");
            let ends = |line: &&String| line.contains("bestmove ") || line.starts_with("Nodes searched: ");
            assert_eq!(answers.iter().filter(ends).count(), 1, "{go}: {answers:#?}");
        }
    }
    client.finish();
}

#[test]
fn every_bounded_go_is_answered_once() {
    let mut client = Client::new();
    let positions = [
        "position startpos",
        "position fen OOO/XXX/3/OX3X/3/3/X2 w 0 0",
        "position fen 3/3/3/6/OOO/3/XXX b 0 0 100 60",
        "position fen 3/3/1OX/1OOX2/XXX/OOO/3 w 0 0",
        "position fen OX1/X2/3/6/3/3/X2 w 2 6",
    ];
    let limits = [
        "depth 0",
        "depth 1",
        "depth 3",
        "nodes 0",
        "nodes 1",
        "nodes 700",
        "movetime 0",
        "movetime 1",
        "movetime -7",
        "mate 1",
        "mate 2",
        "wtime 0 btime 0",
        "wtime 50",
        "btime 50 binc 1",
        "winc 3",
        "wtime 100 btime 100 movestogo 1",
        "searchmoves zz depth 1",
        "searchmoves d7 depth 2",
        "depth 2 nodes 99999999999999999999",
        "depth 1 perhaps",
    ];
    for position in positions {
        client.send(position);
        for limit in limits {
            client.send(&format!("go {limit}"));
            let lines = client.until("bestmove");
            assert!(lines.iter().any(|line| line.starts_with("info depth")), "{position} {limit}: {lines:#?}");
            assert_eq!(best_moves(&client.ask("stop")), 0, "{position} {limit}");
        }
    }
    assert_eq!(client.finish().len(), 0);
}

#[test]
fn unbounded_searches_end_when_reported() {
    let mut client = Client::new();
    for position in ["startpos", "fen OOO/XXX/3/OX3X/3/3/X2 w 0 0", "fen OO1/3/3/O1X3/1XX/3/3 w 0 0"] {
        client.send(&format!("position {position}"));
        for (go, end) in [
            ("go infinite", "stop"),
            ("go", "stop"),
            ("go infinite depth 1", "stop"),
            ("go ponder movetime 5", "stop"),
            ("go ponder movetime 5", "ponderhit"),
            ("go ponder depth 1", "ponderhit"),
            ("go ponder wtime 30 btime 30", "ponderhit"),
        ] {
            client.send(go);
            let before = client.until_ready();
            assert_eq!(best_moves(&before), 0, "{position} {go}: not before {end}");
            client.send(end);
            client.until("bestmove");
        }
    }
}

#[test]
fn commands_wait_their_turn() {
    let mut client = Client::new();
    for line in [
        "go nodes 30000",
        "setoption name UCI_Variant value smess",
        "go depth 2",
        "position startpos moves f2g1",
        "go depth 2",
        "d",
    ] {
        client.send(line);
    }
    let first = client.until("bestmove");
    let second = client.until("bestmove");
    let third = client.until("bestmove");
    assert!(!last_info(&first).contains("f2g1"));
    assert!(field(last_info(&second), "pv").is_some_and(|mv| mv.ends_with(char::is_numeric) && mv.len() == 4));
    assert!(!third.is_empty());
    assert!(client.ask("").iter().any(|line| line.starts_with("Fen: 1ssbss1/nnnnnnn/7/7/7/7/NNNNN1N/1SSBSSN b")));
}

#[test]
fn quit_and_end_of_input_leave_no_go_unanswered() {
    for (lines, answers) in [
        ("go infinite\nquit\n", 1),
        ("go infinite\n", 1),
        ("go movetime 50\n", 1),
        ("go movetime 50", 1),
        ("go depth 3\ngo depth 3\ngo nodes 10\n", 3),
        ("go depth 3\ngo infinite\ngo depth 60\nquit\n", 3),
        ("go infinite\ngo infinite\n", 2),
        ("go ponder\n", 1),
        ("go ponder\nponderhit\n", 1),
        ("go ponder infinite depth 1\nponderhit\n", 1),
        ("position fen OOO/XXX/3/OX3X/3/3/X2 w 0 0\ngo ponder\nponderhit\n", 1),
        ("go ponder depth 2\nponderhit\n", 1),
        ("perft 40\nquit\n", 0),
        ("bench 90\nquit\n", 0),
        ("", 0),
    ] {
        let mut client = Client::new();
        client.send_bytes(lines.as_bytes());
        let printed = client.finish();
        assert_eq!(best_moves(&printed), answers, "{lines:?}: {printed:#?}");
    }
}

#[test]
fn refused_commands_change_nothing() {
    let mut client = Client::new();
    client.send("position startpos moves d6 f4 d2");
    let before = client.ask("d");
    for line in [
        "position",
        "position fen",
        "position startpos moves d6 d6",
        "position startpos moves",
        "position fen x",
        "position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "setoption name Hash value 0",
        "setoption name UCI_Variant value chess",
        "setoption name Stones value 13",
        "setoption name",
        "xyzzy",
        "go_",
        "setoption name Threads value 513",
        "setoption name Hash value 999999999",
        "setoption name Log File value /no/such/x",
    ] {
        let answer = client.ask(line);
        if line != "position startpos moves" {
            assert_eq!(answer.len(), 1, "{line}: {answer:#?}");
            assert!(answer[0].starts_with("info string "), "{line}: {answer:#?}");
            assert!(answer[0].contains("expected"), "{line}: {answer:#?}");
            assert_eq!(client.ask("d"), before, "{line}");
        } else {
            client.send("position startpos moves d6 f4 d2");
        }
    }
    client.send("go depth 3");
    client.until("bestmove");
}

#[test]
fn any_bytes_are_survived() {
    let mut client = Client::new();
    let mut rng = fastrand::Rng::with_seed(5);
    client.send_bytes(b"\xff\xfe\x00go\x00\n\r\n\n   \n\tisready\r\n");
    client.until("readyok");
    client.send_bytes(&[&vec![b'a'; 1 << 20][..], b"\n"].concat());
    client.send_bytes(&[b"position fen ", &vec![b'O'; 1 << 20][..], b" w 0 0\n"].concat());
    client.send_bytes(&[b"go depth 1 ", &b"x ".repeat(1 << 19)[..], b"\n"].concat());
    client.until("bestmove");
    client.send_bytes(&vec![b'z'; (16 << 20) + 77]);
    client.send_bytes(b"\nisready\n");
    assert!(client.until("readyok").iter().any(|line| line.contains("line skipped")));
    for _ in 0..300 {
        let line: Vec<u8> = (0..rng.usize(..200)).map(|_| rng.u8(..)).filter(|&byte| byte != b'\n').collect();
        client.send_bytes(&[&line[..], b"\n"].concat());
        let words =
            ["position", "fen", "startpos", "moves", "setoption", "name", "value", "depth", "d6", "3/3", "-1", "xd6"];
        let line: Vec<&str> = (0..rng.usize(..9)).map(|_| words[rng.usize(..words.len())]).collect();
        client.send(&line.join(" "));
    }
    client.ask("ucinewgame");
    client.send("go depth 2");
    assert_eq!(best_moves(&client.until("bestmove")), 1);
}

#[test]
fn a_flood_during_a_search_is_survived() {
    let mut client = Client::new();
    client.send("go infinite");
    for i in 0..500 {
        client.send(
            ["isready", "position startpos moves d6", "setoption name MultiPV value 2", "uci", "ucinewgame", "d"]
                [i % 6],
        );
    }
    client.send("stop");
    client.send("go depth 1");
    client.send("isready");
    client.until("bestmove");
    client.until("bestmove");
    assert_eq!(best_moves(&client.ask("moves")), 0);
}

#[test]
fn a_search_without_limit_shows_as_many_lines_as_the_option_says() {
    fn reads(client: &mut Client, part: &str) {
        loop {
            let line = client.line().expect("the engine lives");
            assert!(!line.starts_with("bestmove"), "{line:?} before {part:?}");
            if line.contains(part) {
                return;
            }
        }
    }
    let mut client = client_with(&["position startpos moves d6 f4"]);
    for go in ["go infinite", "go", "go ponder depth 9"] {
        client.send("setoption name MultiPV value 1");
        client.send(go);
        reads(&mut client, " depth 6 ");
        for lines in ["3", "2", "3", "2"] {
            client.send(&format!("setoption name MultiPV value {lines}"));
            reads(&mut client, &format!(" depth 1 seldepth 1 multipv {lines} "));
        }
        client.send("setoption name MultiPV value 0");
        reads(&mut client, "info string setoption");
        client.send("stop");
        assert_eq!(best_moves(&client.until("bestmove")), 1);
        assert_eq!(best_moves(&client.ask("moves")), 0, "{go}");
    }
    // The position waits, and was sent before the option.
    for line in
        ["setoption name MultiPV value 1", "go infinite", "position startpos", "setoption name MultiPV value 2", "stop"]
    {
        client.send(line);
    }
    assert!(client.until("bestmove").iter().all(|line| !line.contains(" multipv 2 ")));
}

#[test]
fn long_histories_are_played() {
    let mut client = Client::new();
    let shuffle = "a7d7 g1g4 d7a7 g4g1 ".repeat(25_000);
    client.send(&format!("position fen O2/1O1/2O/O2X2/3/XX1/2X w 0 0 0 1 moves {shuffle}"));
    let shown = client.ask("d");
    assert!(shown.iter().any(|line| line == "Occurrences: 25001"), "{shown:#?}");
    assert!(shown.iter().any(|line| line.starts_with("Result: draw")), "{shown:#?}");
    client.send("go depth 2");
    client.until("bestmove");
}

#[test]
fn searches_repeat_exactly() {
    let run = |client: &mut Client, go: &str| -> Vec<String> {
        client.send("ucinewgame");
        client.send("position startpos moves");
        client.send(go);
        without_times(client.until("bestmove"))
    };
    let mut client = Client::new();
    for variant in Variant::ALL {
        client.send(&format!("setoption name UCI_Variant value {variant}"));
        for go in ["go depth 9", "go nodes 12345"] {
            let first = run(&mut client, go);
            assert_eq!(first, run(&mut client, go), "{variant} {go}");
            assert_eq!(first, run(&mut client_with(&[&format!("setoption name UCI_Variant value {variant}")]), go));
        }
        let nodes: u64 =
            field(last_info(&run(&mut client, "go nodes 12345")), "nodes").expect("nodes").parse().expect("a number");
        assert!(nodes <= 12_345);
    }
}

/// A position has the same key under all rules of a family: results of a search under other rules must not count.
#[test]
fn rules_that_change_leave_nothing_in_the_hash_table() {
    let searched = |client: &mut Client| -> Vec<String> {
        client.send("go depth 6");
        without_times(client.until("bestmove"))
    };
    let options = [
        "setoption name UCI_Variant value mlyn",
        "setoption name Flying value true",
        "setoption name Stones value 8",
        "setoption name Removal value never",
        "setoption name No Mill Draw value 6",
        "setoption name Repetition Draw value false",
        "setoption name UCI_Variant value morris",
    ];
    let mut client = Client::new();
    searched(&mut client);
    for count in 1..=options.len() {
        client.send(options[count - 1]);
        assert_eq!(searched(&mut client), searched(&mut client_with(&options[..count])), "{}", options[count - 1]);
    }
}

#[test]
fn bench_total_is_pinned() {
    let run = || {
        let output = std::process::Command::new(ENGINE).arg("bench").output().expect("bench runs");
        String::from_utf8(output.stdout).expect("text")
    };
    let printed = run();
    let last: Vec<&str> = printed.lines().last().expect("a last line").split(' ').collect();
    assert!(matches!(last[..], [_, "nodes", speed, "nps"] if speed.parse::<u64>().is_ok()), "{last:?}");
    assert_eq!(last[0], BENCH);
}

#[test]
fn bench_takes_a_depth() {
    let run = |words: &[&str]| {
        let output = std::process::Command::new(ENGINE).arg("bench").args(words).output().expect("bench runs");
        let text = String::from_utf8(output.stdout).expect("text");
        let nodes = text.lines().last().and_then(|line| line.split(' ').next()).unwrap_or_default();
        (output.status.code(), nodes.to_string())
    };
    assert_eq!(run(&["2"]).0, Some(0));
    assert_ne!(run(&["2"]), run(&["1"]));
    for words in [&["0"][..], &["101"], &["x"], &["--depth", "2"]] {
        assert_eq!(run(words), (Some(2), String::new()), "{words:?}");
    }
}

/// Checks that every variation of a search is legal.
fn check_variations<G: Searchable>(game: G, lines: &[String]) {
    for line in lines.iter().filter(|line| line.starts_with("info depth")) {
        let moves = line.split_once(" pv ").map_or("", |(_, pv)| pv);
        if let Err(error) = Play::set_up(game, None, moves.split_whitespace()) {
            panic!("{line}: {error}");
        }
    }
    let best = lines.last().expect("a bestmove line");
    let words: Vec<&str> = best.split(' ').filter(|word| !["bestmove", "ponder"].contains(word)).collect();
    assert!(Play::set_up(game, None, words).is_ok(), "{best}");
}

#[test]
fn variations_are_legal_and_ordered() {
    // Without tables, which know the small boards; in Three Men's Morris there are mates.
    for variant in Variant::ALL.into_iter().filter(|&variant| variant != Variant::Three) {
        let mut client = client_with(&[
            &format!("setoption name UCI_Variant value {variant}"),
            "setoption name MultiPV value 3",
            "setoption name TablebaseEmbedded value false",
        ]);
        for setting in ["setoption name Threads value 1", "setoption name Threads value 2"] {
            client.send(setting);
            client.send("go depth 8");
            let lines = client.until("bestmove");
            with_game!(variant.rules(), |game| check_variations(game, &lines));
            let last: Vec<&String> = lines.iter().filter(|line| field(line, "depth") == Some("8")).collect();
            let firsts: std::collections::HashSet<_> = last.iter().map(|line| field(line, "pv")).collect();
            assert_eq!((last.len(), firsts.len()), (3, 3), "{variant}: {last:#?}");
            let scores =
                last.iter().map(|line| field(line, "cp").expect("no mates here").parse::<i32>().expect("a number"));
            assert!(scores.clone().is_sorted_by(|a, b| a >= b), "{variant}: {last:#?}");
        }
    }
}

#[test]
fn searchmoves_are_kept_to() {
    let mut client = Client::new();
    client.send("go searchmoves a7 g1 depth 6");
    let lines = client.until("bestmove");
    let firsts: Vec<_> = lines.iter().filter_map(|line| field(line, "pv")).collect();
    assert!(!firsts.is_empty() && firsts.iter().all(|mv| ["a7", "g1"].contains(mv)), "{lines:#?}");
    client.send("position fen OO1/3/3/O1X3/1XX/3/3 w 0 0");
    client.send("go searchmoves a4-b4 depth 4");
    assert_eq!(
        client.until("bestmove").last().and_then(|line| field(line, "bestmove")).map(str::to_string),
        Some("a4b4".into())
    );
}

#[test]
fn mates_have_the_right_sign_and_distance() {
    let mut client = Client::new();
    let mut mate = |variant: &str, fen: &str, go: &str| {
        client.send(&format!("setoption name UCI_Variant value {variant}"));
        client.send(&format!("position fen {fen}"));
        client.send(go);
        let lines = client.until("bestmove");
        field(last_info(&lines), "mate").map(|mate| mate.parse::<i32>().expect("a number"))
    };
    // White closes a mill and leaves Black with two stones.
    assert_eq!(mate("morris", "OO1/3/3/O1X3/1XX/3/3 w 0 0", "go depth 4"), Some(1));
    assert_eq!(mate("mlyn", "OO1/3/3/6/OOO/2O/XXX b 0 0", "go depth 1"), None);
    // A Brain that can be captured.
    assert_eq!(mate("smess", "7/7/7/3b3/3S3/7/7/3B3 w", "go depth 3"), Some(1));
    // A double threat cannot be parried.
    assert_eq!(mate("morris", "OO1/X2/3/O3X1/2X/3/3 b 0 0", "go depth 4"), Some(-1));
}

#[test]
fn weak_levels_play_legal_moves_and_repeat_with_a_seed() {
    let game_of = |seed: u32| -> Vec<String> {
        let seed = format!("setoption name Random Seed value {seed}");
        let mut client = client_with(&["setoption name Skill Level value 0", &seed]);
        let mut moves: Vec<String> = Vec::new();
        for _ in 0..30 {
            client.send(&format!("position startpos moves {}", moves.join(" ")));
            client.send("go movetime 1000");
            let lines = client.until("bestmove");
            match field(lines.last().expect("a line"), "bestmove") {
                Some("(none)") | None => break,
                Some(mv) => moves.push(mv.to_string()),
            }
        }
        let texts = moves.iter().map(String::as_str);
        with_game!(Variant::Morris.rules(), |game| assert!(Play::set_up(game, None, texts).is_ok(), "{moves:?}"));
        moves
    };
    assert_eq!(game_of(1), game_of(1));
    assert_ne!(game_of(1), game_of(2));
}

#[test]
fn the_log_file_holds_both_sides_of_the_dialogue() {
    let path = std::env::temp_dir().join(format!("millbrain-test-{}.log", std::process::id()));
    let mut client = client_with(&[&format!("setoption name Log File value {}", path.display())]);
    client.ask("moves");
    client.ask("setoption name Log File value <empty>");
    client.ask("eval");
    let log = std::fs::read_to_string(&path).expect("the log is there");
    std::fs::remove_file(&path).expect("the log can go");
    assert!(log.contains(">> moves") && log.contains("<< readyok") && !log.contains(">> eval"), "{log}");
}

#[test]
fn a_byte_order_mark_is_no_part_of_the_first_command() {
    let mut client = Client::new();
    client.send_bytes("\u{feff}isready\n".as_bytes());
    assert_eq!(client.line().as_deref(), Some("readyok"));
    // Elsewhere it is not skipped.
    client.send_bytes("\u{feff}isready\n".as_bytes());
    assert!(client.line().is_some_and(|line| line.contains("unknown command")));
    client.finish();
}

/// A line is executed at its line ending, whichever it is.
#[test]
fn lines_may_end_with_a_carriage_return() {
    let mut client = Client::new();
    for end in ["\r", "\r\n", "\n", "\r"] {
        client.send_bytes(format!("isready{end}").as_bytes());
        assert_eq!(client.line().as_deref(), Some("readyok"));
    }
    assert_eq!(client.finish(), [""; 0]);
}

#[cfg(unix)]
#[test]
fn an_input_that_cannot_be_read_is_reported() {
    let folder = std::fs::File::open("/").expect("a folder");
    let output = std::process::Command::new(crate::common::ENGINE).stdin(folder).output().expect("an answer");
    let reported = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(reported.starts_with("millbrain: input: ") && reported.trim_end().lines().count() == 1, "{reported}");
    assert!(reported.contains("expected lines of commands"), "{reported}");
}
