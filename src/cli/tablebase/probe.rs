//! `millbrain tablebase probe`.

use crate::cli::rules::Rules;
use crate::tablebase::Sources;
use crate::tablebase::probe::probe;
use clap::Args;
use std::error::Error;
use std::io::Write;
use std::path::PathBuf;

/// Look up a position.
#[derive(Args)]
pub struct Arguments {
    /// The position
    fen: String,
    #[command(flatten)]
    rules: Rules,
    /// Folder made by 'tablebase build', file made by 'tablebase compact', pack, or address of a compact file
    /// (https://HOST/morris.mbt) or of a server (http://HOST:PORT); repeatable
    #[arg(long, value_name = "PATH|URL")]
    path: Vec<PathBuf>,
    /// Ignore the built-in tables and packs
    #[arg(long)]
    no_embedded: bool,
    /// Print a JSON object
    #[arg(long)]
    json: bool,
}

/// Prints the answer.
///
/// # Errors
/// An invalid FEN, tables that cannot be used, a position that is in no table, or a closed output.
pub fn run(arguments: Arguments, out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let Arguments { fen, rules, path, no_embedded, json } = arguments;
    let sources = Sources { embedded: !no_embedded, ..Sources::at(path) };
    let answer = probe(rules.named()?.rules, &fen, &sources)?;
    if !answer.faults.is_empty() {
        log::warn!("{}", answer.faults.join("; "));
    }
    if json {
        writeln!(out, "{}", serde_json::to_string(&answer)?)?;
    } else {
        writeln!(out, "{answer}")?;
    }
    Ok(())
}
