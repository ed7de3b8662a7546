//! An opponent for an engine: starts the engine, gives it White, and plays Black with random moves or with a search.
//!
//! `cargo run --example opponent -- ENGINE [DEPTH]`, for example `... -- target/debug/millbrain 4`. Without a depth, or
//! with 0, Black plays at random. Any engine that speaks the protocol will do (see `protocol.md`).

use millbrain::any::AnyGame;
use millbrain::search::{Control, HashTable, Limits, Request};
use millbrain::variant::Variant;
use std::error::Error;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;

fn main() -> ExitCode {
    match play() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("opponent: {error}");
            ExitCode::FAILURE
        }
    }
}

fn play() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let program = arguments.next().ok_or("no engine, expected its path")?;
    let depth: u32 =
        arguments.next().map_or(Ok(0), |depth| depth.parse()).map_err(|error| format!("depth: {error}"))?;

    let started = Command::new(&program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut engine = started.map_err(|error| format!("{program}: {error}"))?;
    let mut input = engine.stdin.take().ok_or("the engine takes no input")?;
    let output = engine.stdout.take().ok_or("the engine gives no output")?;
    let mut lines = BufReader::new(output).lines();

    let hash = Arc::new(HashTable::new(16)?);
    let mut game = AnyGame::new(Variant::Morris.rules());
    let mut moves: Vec<String> = Vec::new();
    while game.ending().is_none() {
        let mv = if moves.len().is_multiple_of(2) {
            // The position is the start position and all moves, so that the engine can see repetitions.
            writeln!(input, "position startpos moves {}\ngo movetime 50", moves.join(" "))?;
            // `info` lines come first; whatever the engine does, the game only takes a legal move.
            loop {
                let line = lines.next().ok_or("the engine has gone away")??;
                if let Some(answer) = line.strip_prefix("bestmove ") {
                    break answer.split(' ').next().unwrap_or_default().to_string();
                }
            }
        } else if depth == 0 {
            fastrand::choice(game.moves()).ok_or("no legal move")?
        } else {
            let limits = Limits { depth: Some(depth), ..Limits::default() };
            let control = Arc::new(Control::new(false));
            let answer = game.search(&Request::plain(&limits, &hash, &control), &mut |_| {});
            answer.best.ok_or("no legal move")?
        };
        moves.push(game.push(&mv).map_err(|fault| format!("move {mv:?} {fault}"))?);
    }
    writeln!(input, "quit")?;
    engine.wait()?;

    for (number, pair) in (1..).zip(moves.chunks(2)) {
        println!("{number:3}. {}", pair.join("  "));
    }
    println!("\n{}", game.diagram());
    if let Some(ending) = game.ending() {
        let winner = ending.winner(game.side()).map_or("A draw".to_string(), |side| format!("{side:?} wins"));
        println!("{winner}: {}", ending.reason);
    }
    Ok(())
}
