//! `millbrain tablebase probe`.

use crate::cli::VARIANTS;
use crate::tablebase::probe::{ProbeAnswer, ProbedMove, probe};
use crate::tablebase::{DEFAULT_CACHE, Sources};
use crate::value::Value;
use crate::variant::Variant;
use clap::Args;
use serde::Serialize;
use std::error::Error;
use std::io::Write;
use std::path::PathBuf;

/// Look a position up.
#[derive(Args)]
pub struct Arguments {
    /// The position
    fen: String,
    #[arg(long, default_value = "morris", help = VARIANTS)]
    variant: Variant,
    /// Folder made by 'tablebase build'; may be given several times
    #[arg(long, value_name = "DIR")]
    path: Vec<PathBuf>,
    /// Leave out the tables that are part of the program
    #[arg(long)]
    no_embedded: bool,
    /// Print a JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Answer {
    fen: String,
    #[serde(flatten)]
    value: Shown,
    moves: Vec<MoveAnswer>,
}

#[derive(Serialize)]
struct MoveAnswer {
    #[serde(rename = "move")]
    text: String,
    #[serde(flatten)]
    value: Shown,
}

/// A value for the side to move, in words and plies.
#[derive(Serialize)]
struct Shown {
    value: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    plies: Option<u32>,
}

impl Shown {
    const fn of(value: Option<Value>) -> Shown {
        match value {
            None => Shown { value: "unknown", plies: None },
            Some(Value::Draw) => Shown { value: "draw", plies: None },
            Some(Value::Win(plies)) => Shown { value: "win", plies: Some(plies) },
            Some(Value::Loss(plies)) => Shown { value: "loss", plies: Some(plies) },
        }
    }

    fn text(&self) -> String {
        self.plies.map_or_else(|| self.value.to_string(), |plies| format!("{} in {plies}", self.value))
    }
}

/// Prints the answer.
///
/// # Errors
/// A bad FEN, tables that cannot be used, a position that is in no table, or a closed output.
pub fn run(arguments: Arguments, out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let Arguments { fen, variant, path, no_embedded, json } = arguments;
    let sources = Sources { folders: path, embedded: !no_embedded, limit: u32::MAX, cache: DEFAULT_CACHE };
    let ProbeAnswer { fen, value, moves, faults } = probe(variant.rules(), &fen, &sources)?;
    if !faults.is_empty() {
        log::warn!("{}", faults.join("; "));
    }
    let shown = |ProbedMove { text, value }| MoveAnswer { text, value: Shown::of(value) };
    let answer = Answer { fen, value: Shown::of(Some(value)), moves: moves.into_iter().map(shown).collect() };
    if json {
        writeln!(out, "{}", serde_json::to_string(&answer)?)?;
    } else {
        writeln!(out, "{}\n{}", answer.fen, answer.value.text())?;
        for MoveAnswer { text, value } in &answer.moves {
            writeln!(out, "{text:8} {}", value.text())?;
        }
    }
    Ok(())
}
