//! Searches a position and prints each line as the search finds it.
//!
//! `cargo run --example analyse -- [FEN [DEPTH]]`; the FEN is one of Nine Men's Morris, in quotes.

use millbrain::any::{AnyGame, Line, Report};
use millbrain::search::score::mate_moves;
use millbrain::search::{Control, HashTable, Limits, Request};
use millbrain::variant::Variant;
use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;

fn main() -> ExitCode {
    match analyse() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("analyse: {error}");
            ExitCode::FAILURE
        }
    }
}

fn analyse() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let fen = arguments.next();
    let depth = arguments.next().map_or(Ok(14), |depth| depth.parse()).map_err(|error| format!("depth: {error}"))?;
    // Without a FEN, the start position.
    let game = AnyGame::new(Variant::Morris.rules()).at(fen.as_deref(), [])?;
    println!("{}", game.diagram());

    let limits = Limits { depth: Some(depth), ..Limits::default() };
    // Searches share the hash table; the control stops this one from another thread.
    let hash = Arc::new(HashTable::new(16)?);
    let control = Arc::new(Control::new(false));
    // Three variations instead of one.
    let request = Request { multipv: 3, ..Request::plain(&limits, &hash, &control) };
    let answer = game.search(&request, &mut |report| match report {
        Report::Line(line) => print_line(line),
        Report::Note(note) => println!("{note}"),
        Report::CurrentMove { .. } => {}
    });

    match answer.best {
        Some(best) => println!("\nbest move: {best}, after {} nodes", answer.nodes),
        None => println!("\nThe game is over."),
    }
    Ok(())
}

fn print_line(line: &Line) {
    // A stone is 100; near the ends of the range are proved wins and losses.
    let score = match mate_moves(line.score) {
        Some(moves) => format!("mate {moves}"),
        None => format!("{:+.2}", f64::from(line.score) / 100.0),
    };
    println!("depth {:2}  line {}  {score:>8}  {}", line.depth, line.multipv, line.pv.join(" "));
}
