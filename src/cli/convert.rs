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
    /// Records in the format of 'match --record'.
    Record,
    /// Portable Game Notation, for Sanmill and other programs.
    Pgn,
    /// Smart Game Format.
    Sgf,
    /// Move lists in the format that Sanmill copies.
    Sanmill,
    /// Mill Interchange Format: one game per line, with its rules.
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
    /// File to write; standard output if omitted
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

impl Arguments {
    /// Whether the games come from standard input.
    pub fn reads_input(&self) -> bool {
        self.source.reads_input()
    }
}

/// Reads games in any form and writes them in another.
///
/// # Errors
/// Games that cannot be read or expressed in the form; an output that cannot be written.
pub fn run(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    let format = match arguments.to {
        Form::Record => Format::Record,
        Form::Pgn => Format::Pgn,
        Form::Sgf => Format::Sgf,
        Form::Sanmill => Format::Sanmill,
        Form::Mif => Format::Mif,
    };
    let mut text = String::new();
    for (number, game) in (1..).zip(arguments.source.read()?) {
        let written = forms::write(&game, format).map_err(|error| format!("game {number}: {error}"))?;
        written.remarks(format).iter().for_each(|remark| log::warn!("game {number}: {remark}"));
        text += &written.text;
    }
    match &arguments.out {
        Some(path) => write_whole(path, text.as_bytes()).map_err(named(path))?,
        None => stdout().write_all(text.as_bytes())?,
    }
    Ok(())
}
