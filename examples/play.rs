//! Plays a game of random moves with the library, and prints the board and the result.
//!
//! `cargo run --example play -- [VARIANT [SEED]]`, for example `cargo run --example play -- smess 7`.

use millbrain::any::AnyGame;
use millbrain::variant::Variant;
use std::error::Error;
use std::process::ExitCode;

fn main() -> ExitCode {
    match play() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("play: {error}");
            ExitCode::FAILURE
        }
    }
}

fn play() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let variant: Variant = arguments.next().as_deref().unwrap_or("morris").parse()?;
    let seed = arguments.next().map_or(Ok(1), |seed| seed.parse()).map_err(|error| format!("seed: {error}"))?;

    let mut rng = fastrand::Rng::with_seed(seed);
    let mut game = AnyGame::new(variant.rules());
    let mut played = Vec::new();
    // The draw rules end every game.
    let ending = loop {
        if let Some(ending) = game.ending() {
            break ending;
        }
        let mv = rng.choice(game.moves()).ok_or("no legal move")?;
        played.push(game.push(&mv)?);
    };

    println!("{}\n", played.join(" "));
    println!("{}", game.diagram());
    println!("FEN: {}", game.fen());
    match ending.winner(game.side()) {
        Some(side) => println!("{side:?} wins after {} plies: {}", played.len(), ending.reason),
        None => println!("A draw after {} plies: {}", played.len(), ending.reason),
    }
    Ok(())
}
