//! An opponent for an engine: gives the engine White and plays Black at random, by the rules of the library.
//!
//! `cargo run --example opponent -- ENGINE`, where ENGINE is any program that speaks the protocol (`protocol.md`).

use millbrain::any::AnyGame;
use millbrain::variant::Variant;
use std::error::Error;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

fn main() -> Result<(), Box<dyn Error>> {
    let program = std::env::args().nth(1).ok_or("no engine, expected its path")?;
    let mut engine = Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let mut input = engine.stdin.take().ok_or("the engine takes no input")?;
    let mut lines = BufReader::new(engine.stdout.take().ok_or("the engine gives no output")?).lines();

    let mut game = AnyGame::new(Variant::Morris.rules());
    let mut moves: Vec<String> = Vec::new();
    while game.ending().is_none() {
        let text = if moves.len().is_multiple_of(2) {
            // The start and all moves, so that the engine can see repetitions.
            writeln!(input, "position startpos moves {}\ngo movetime 50", moves.join(" "))?;
            // `info` lines come first.
            loop {
                let line = lines.next().ok_or("the engine has gone away")??;
                if let Some(answer) = line.strip_prefix("bestmove ") {
                    break answer.split(' ').next().unwrap_or_default().to_string();
                }
            }
        } else {
            fastrand::choice(game.moves()).ok_or("no legal move")?
        };
        // The game accepts only legal moves, whatever the engine prints.
        moves.push(game.push(&text).map_err(|fault| format!("{text} {fault}"))?);
    }
    writeln!(input, "quit")?;
    engine.wait()?;
    println!("{}\n\n{}", moves.join(" "), game.diagram());
    if let Some(ending) = game.ending() {
        let winner = ending.winner(game.side()).map_or("nobody".to_string(), |side| side.to_string());
        println!("{winner} wins: {}", ending.reason);
    }
    Ok(())
}
