//! `millbrain tablebase summary`.

use crate::cli::rules::Rules;
use crate::tablebase::summary::summary;
use clap::Args;
use std::error::Error;
use std::io::Write;
use std::path::PathBuf;

/// Summarise the tables of a game.
#[derive(Args)]
pub struct Arguments {
    /// Folder made by 'tablebase build'
    dir: PathBuf,
    #[command(flatten)]
    rules: Rules,
}

/// Prints a JSON object.
///
/// # Errors
/// Tables that cannot be used, or a closed output.
pub fn run(arguments: &Arguments, out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let summary = summary(&arguments.rules.named()?.rules, &arguments.dir)?;
    writeln!(out, "{}", serde_json::to_string(&summary)?)?;
    Ok(())
}
