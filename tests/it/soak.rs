//! Many fast games in the same processes: all variants, random openings, node limits and clocks, one thread and two,
//! with options that change between games. `scripts/long/soak` plays ten thousand.

use crate::common::{Client, setting};
use millbrain::any::AnyGame;
use millbrain::game::Side;
use millbrain::variant::Variant;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Games of the short form: every variant with node limits and clocks, with one thread and two.
const GAMES: usize = 56;
/// Games after which each process has played most variants.
const WARM: usize = 28;
/// Lateness attributed to the machine, not to the engine.
const MARGIN: Duration = Duration::from_millis(10);
const BASE: Duration = Duration::from_millis(100);
const INCREMENT: Duration = Duration::from_millis(5);
/// Games in parallel.
const WORKERS: usize = 2;

/// Results of the games.
#[derive(Default)]
struct Tally {
    games: usize,
    moves: usize,
    clock_moves: usize,
    /// Losses beyond the margin.
    time_losses: Vec<String>,
    illegal: Vec<String>,
    latest: Duration,
    outcomes: [usize; 3],
    /// Memory in KiB of each engine over the games.
    resident: Vec<Vec<u64>>,
}

/// Sets options at random.
fn change_options(client: &mut Client, variant: Variant, threads: usize, rng: &mut fastrand::Rng) {
    let flag = |rng: &mut fastrand::Rng| if rng.bool() { "true" } else { "false" };
    let skill = if rng.u32(..8) == 0 { rng.u32(..20) } else { 20 };
    for (name, value) in [
        ("UCI_Variant", variant.name().to_string()),
        ("Threads", threads.to_string()),
        ("Hash", rng.choice([1, 2, 8, 16, 33]).unwrap_or(16).to_string()),
        ("MultiPV", if rng.u32(..6) == 0 { "3".to_string() } else { "1".to_string() }),
        ("Skill Level", skill.to_string()),
        ("UCI_ShowWDL", flag(rng).to_string()),
        ("TablebaseEmbedded", flag(rng).to_string()),
        ("Random Seed", rng.u32(..).to_string()),
    ] {
        client.send(&format!("setoption name {name} value {value}"));
    }
}

/// Returns the command that sets up the position after these moves.
fn position(moves: &str) -> String {
    format!("position startpos{}{moves}", if moves.is_empty() { "" } else { " moves" })
}

/// Plays a game and records every fault.
fn play(number: usize, clients: &mut [Client; 2], tally: &Mutex<Tally>) {
    let mut rng = fastrand::Rng::with_seed(number as u64);
    let variant = Variant::ALL[number % Variant::ALL.len()];
    let (by_clock, threads) = (number / 7 % 2 == 1, 1 + number / 14 % 2);
    for client in clients.iter_mut() {
        change_options(client, variant, threads, &mut rng);
        client.ask("ucinewgame");
    }
    let mut play = AnyGame::new(variant.rules());
    let mut moves = String::new();
    for _ in 0..rng.usize(..9) {
        clients[0].send(&position(&moves));
        let answer = clients[0].ask("random");
        let text = answer.last().expect("an answer");
        if text == "(none)" {
            break;
        }
        play.push(text).expect("a legal move");
        moves = format!("{moves} {text}");
    }
    let mut clock = [BASE; 2];
    while play.ending().is_none() {
        let side = play.side();
        let client = &mut clients[side as usize];
        client.ask(&position(&moves));
        let ms = INCREMENT.as_millis();
        let go = if by_clock {
            format!("go wtime {} btime {} winc {ms} binc {ms}", clock[0].as_millis(), clock[1].as_millis())
        } else {
            format!("go nodes {}", rng.u32(1..600))
        };
        let begun = Instant::now();
        client.send(&go);
        let lines = client.until("bestmove");
        let taken = begun.elapsed();
        let best = lines.last().and_then(|line| line.split(' ').nth(1)).unwrap_or_default();
        let mut tally = tally.lock().expect("no other worker has failed");
        tally.moves += 1;
        if by_clock {
            let left = &mut clock[side as usize];
            tally.clock_moves += 1;
            let late = taken.saturating_sub(*left);
            tally.latest = tally.latest.max(late);
            if late > MARGIN {
                tally
                    .time_losses
                    .push(format!("game {number} ({variant}, {threads} threads): {late:?} late after {go}"));
            }
            *left = left.saturating_sub(taken) + INCREMENT;
        }
        match play.push(best) {
            Ok(text) => moves = format!("{moves} {text}"),
            Err(fault) => {
                tally.illegal.push(format!("game {number} ({variant}):{moves}: {best:?} {fault}"));
                return;
            }
        }
    }
    let mut tally = tally.lock().expect("no other worker has failed");
    tally.games += 1;
    let winner = play.ending().and_then(|ending| ending.winner(play.side()));
    tally.outcomes[winner.map_or(1, |side| if side == Side::White { 0 } else { 2 })] += 1;
    if tally.games.is_multiple_of(500) {
        println!("{} games, {} moves", tally.games, tally.moves);
    }
}

#[test]
fn fast_games_go_well_and_memory_stays_flat() {
    let games = setting("MILLBRAIN_GAMES").unwrap_or(GAMES);
    let tally = Mutex::new(Tally::default());
    let next = std::sync::atomic::AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                let mut clients = [Client::new(), Client::new()];
                let mut resident = vec![Vec::new(); 2];
                loop {
                    let number = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    if number >= games {
                        break;
                    }
                    play(number, &mut clients, &tally);
                    // With equal table sizes and the files of most variants in memory, so that figures are comparable.
                    if number % 100 / WORKERS == WARM / WORKERS || number + WORKERS >= games {
                        for (client, resident) in clients.iter_mut().zip(&mut resident) {
                            client.ask("setoption name Hash value 16");
                            resident.extend(client.resident_kib());
                        }
                    }
                }
                tally.lock().expect("no other worker has failed").resident.extend(resident);
                clients.into_iter().for_each(|client| drop(client.finish()));
            });
        }
    });
    let tally = tally.into_inner().expect("no worker has failed");
    let [white, draws, black] = tally.outcomes;
    println!(
        "{} games (+{white} ={draws} -{black}), {} moves, {} of them by the clock",
        tally.games, tally.moves, tally.clock_moves
    );
    println!(
        "time losses beyond {MARGIN:?}: {}, latest move {:?} over its clock",
        tally.time_losses.len(),
        tally.latest
    );
    println!("illegal moves: {}", tally.illegal.len());
    for resident in &tally.resident {
        if let (Some(first), Some(last)) = (resident.first(), resident.last()) {
            println!("resident first {first} KiB, last {last} KiB, most {} KiB", resident.iter().max().unwrap_or(last));
            assert!(*last < 2 * first + 65_536, "memory grows: {resident:?}");
        }
    }
    assert!(tally.illegal.is_empty(), "{:#?}", tally.illegal);
    assert_eq!(tally.games, games);
    // Times also depend on the machine: they are checked only in the long form, on an idle machine.
    if std::env::var_os("MILLBRAIN_GAMES").is_some() {
        assert!(tally.time_losses.is_empty(), "{:#?}", tally.time_losses);
    }
}
