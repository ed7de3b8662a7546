//! `millbrain convert`.

use super::games::Source;
use crate::files::{named, write_whole};
use crate::games::forms::{self, Format};
use crate::streams::stdout;
use clap::{Args, ValueEnum};
use std::error::Error;
use std::io::Write;
use std::path::PathBuf;

/// The form of the output.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Form {
    /// Records as 'match --record' writes them.
    Record,
    /// The smart game format.
    Sgf,
    /// A list of moves as Sanmill writes it; it holds one game.
    Sanmill,
    /// The Mill Interchange Format: a game a line, with its rules.
    Mif,
}

/// Write games in another form.
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    source: Source,
    /// Form of the output
    #[arg(long, value_enum)]
    to: Form,
    /// File to write; standard output if it is left out
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

impl Arguments {
    /// Whether the games come from standard input.
    pub fn reads_input(&self) -> bool {
        self.source.reads_input()
    }
}

/// Reads the games, whatever their form, and writes them in another.
///
/// # Errors
/// Games that cannot be read, or that the form has no place for; an output that cannot be written.
pub fn run(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    let format = match arguments.to {
        Form::Record => Format::Record,
        Form::Sgf => Format::Sgf,
        Form::Sanmill => Format::Sanmill,
        Form::Mif => Format::Mif,
    };
    let games = arguments.source.read()?;
    if format == Format::Sanmill && games.len() > 1 {
        return Err(format!("{} games unusable for --to sanmill, expected one: a list has no end", games.len()).into());
    }
    let text: String = games.iter().map(|game| forms::write(game, format)).collect::<Result<_, _>>()?;
    match &arguments.out {
        Some(path) => write_whole(path, text.as_bytes()).map_err(named(path))?,
        None => stdout().write_all(text.as_bytes())?,
    }
    Ok(())
}
