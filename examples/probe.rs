//! Probes the built-in tables for a position and the positions after its moves.
//!
//! `cargo run --example probe -- [FEN [VARIANT]]`. These tables have up to eight stones on the board, or three pieces
//! of Smess.

use millbrain::any::AnyGame;
use millbrain::tablebase::{Sources, open};
use millbrain::value::Known;
use millbrain::variant::Variant;
use std::cmp::Reverse;
use std::error::Error;
use std::process::ExitCode;

fn main() -> ExitCode {
    match probe() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("probe: {error}");
            ExitCode::FAILURE
        }
    }
}

fn probe() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let fen = arguments.next().unwrap_or_else(|| "O2/1O1/OO1/X2X2/3/1X1/3 w 0 0".to_string());
    let variant: Variant = arguments.next().as_deref().unwrap_or("morris").parse()?;

    // `folders` accepts folders made by `millbrain tablebase build`.
    let sources = Sources::default();
    let opened = open(&variant.rules(), &sources);
    let mut game = AnyGame::new(variant.rules()).at(Some(&fen), [])?;
    game.set_oracle(opened.oracle.as_ref());

    println!("{}", game.diagram());
    let Some(value) = game.known() else {
        return Err(format!("no table has this position, expected one in {} small sectors", opened.sectors).into());
    };
    println!("{value}\n");

    // A good result for the opponent after a move is bad for the mover.
    let mut moves = Vec::new();
    for text in game.moves() {
        game.push(&text)?;
        moves.push((text, game.known().map(Known::before)));
        game.undo();
    }
    moves.sort_by_key(|&(_, value)| Reverse(value.map(Known::rank)));
    for (text, value) in moves {
        println!("{text:8} {}", value.map_or("unknown".to_string(), |value| value.to_string()));
    }
    Ok(())
}
