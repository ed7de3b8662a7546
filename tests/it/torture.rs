//! Clients that do not wait: floods of commands during searches, and the latency of `isready` and `stop` with all cores
//! busy. `scripts/long/torture` runs the long form and checks the latencies against a limit.

use crate::common::{Client, setting};
use millbrain::variant::Variant;
use std::time::{Duration, Instant};

/// Returns a random kind of `go`.
fn some_go(rng: &mut fastrand::Rng) -> String {
    let number = rng.u32(..40);
    match rng.u32(..9) {
        0 => "go infinite".to_string(),
        1 => "go".to_string(),
        2 => format!("go ponder movetime {number}"),
        3 => format!("go movetime {number}"),
        4 => format!("go depth {number}"),
        5 => format!("go nodes {}", 100 * number),
        6 => format!("go wtime {number} btime {number} winc 1 binc 1"),
        7 => format!("go mate {number} infinite"),
        _ => format!("go ponder depth {number} searchmoves d6 f2g1"),
    }
}

fn some_command(rng: &mut fastrand::Rng) -> String {
    let variant = rng.choice(Variant::ALL).expect("several");
    let number = rng.u32(..9);
    match rng.u32(..16) {
        0 | 1 => "stop".to_string(),
        2 | 3 => "isready".to_string(),
        4 => "ucinewgame".to_string(),
        5 => "position startpos moves d6 f4".to_string(),
        6 => "position fen OO1/3/3/O1X3/1XX/3/3 w 0 0".to_string(),
        7 => format!("setoption name UCI_Variant value {variant}"),
        8 => format!("setoption name MultiPV value {number}"),
        9 => format!("setoption name Threads value {}", number % 3),
        10 => format!("setoption name Hash value {number}"),
        11 => "ponderhit".to_string(),
        12 => ["d", "eval", "moves", "probe", "uci", "flip", "random", "setoption name Clear Hash"]
            [number as usize % 8]
            .to_string(),
        13 => format!("perft {}", number % 5),
        14 => format!("setoption name Skill Level value {}", 2 * number),
        _ => some_go(rng),
    }
}

#[test]
fn every_go_of_a_flood_is_answered_once() {
    let rounds = setting("MILLBRAIN_FLOODS").unwrap_or(40);
    let mut rng = fastrand::Rng::with_seed(1);
    let mut client = Client::new();
    let (mut sent, mut searches) = (0, 0);
    for round in 0..rounds {
        let quits = round % 8 == 7;
        let mut asked = 1;
        let mut text = some_go(&mut rng) + "\n";
        for _ in 0..rng.usize(1..200) {
            let command = some_command(&mut rng);
            asked += usize::from(command.starts_with("go"));
            sent += 1;
            text.push_str(&command);
            text.push('\n');
            if rng.u32(..20) == 0 {
                // At times the engine gets time to start some of them.
                client.send_bytes(text.as_bytes());
                text.clear();
                std::thread::sleep(Duration::from_micros(rng.u64(..3_000)));
            }
        }
        client.send_bytes(text.as_bytes());
        searches += asked;
        let best = |lines: &[String]| lines.iter().filter(|line| line.starts_with("bestmove ")).count();
        let mut answered = 0;
        if quits {
            client.send("quit");
            let old = std::mem::replace(&mut client, Client::new());
            answered += best(&old.finish());
        } else {
            let begun = Instant::now();
            while answered < asked {
                answered += best(&client.ask("stop"));
                assert!(begun.elapsed() < Duration::from_secs(120), "{answered} of {asked} answers");
            }
            answered += best(&client.ask("stop"));
        }
        assert_eq!(answered, asked, "round {round}");
    }
    println!("{rounds} floods of {sent} commands, {searches} searches, each answered once");
    client.finish();
}

/// Returns the time at a permille of a sorted list, in milliseconds.
fn at(times: &[Duration], permille: usize) -> f64 {
    let index = (times.len() * permille / 1000).min(times.len() - 1);
    times[index].as_secs_f64() * 1e3
}

#[test]
fn answers_come_while_all_cores_are_busy() {
    let samples = setting("MILLBRAIN_LATENCIES").unwrap_or(30);
    let limit: Option<f64> = setting("MILLBRAIN_LATENCY_LIMIT_MS");
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut rng = fastrand::Rng::with_seed(2);
    let mut client = Client::new();
    client.send(&format!("setoption name Threads value {threads}"));
    client.send("setoption name Hash value 64");
    let (mut ready, mut stop) = (Vec::new(), Vec::new());
    for i in 0..samples {
        client.send(&format!("setoption name UCI_Variant value {}", Variant::ALL[i % Variant::ALL.len()]));
        client.ask("ucinewgame");
        client.send("go infinite");
        let mut time = |client: &mut Client, command: &str, answer: &str, times: &mut Vec<Duration>| {
            std::thread::sleep(Duration::from_micros(rng.u64(500..40_000)));
            let begun = Instant::now();
            client.send(command);
            client.until(answer);
            times.push(begun.elapsed());
        };
        time(&mut client, "isready", "readyok", &mut ready);
        time(&mut client, "stop", "bestmove", &mut stop);
    }
    for (name, mut times) in [("isready", ready), ("stop", stop)] {
        times.sort();
        let (median, late, worst) = (at(&times, 500), at(&times, 990), at(&times, 1000));
        println!(
            "{name}: {samples} times with {threads} threads at work: p50 {median:.2} p99 {late:.2} max {worst:.2} ms"
        );
        if let Some(limit) = limit {
            assert!(late <= limit, "p99 of {name}: {late:.2} ms, expected at most {limit}");
        }
    }
    client.finish();
}
