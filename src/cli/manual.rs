//! `millbrain completions` and `millbrain man`: files for packages to install beside the program.

use super::Arguments;
use crate::streams::stdout;
use clap::{Args, CommandFactory};
use clap_complete::Shell;
use std::error::Error;
use std::io::{self, Write};

/// The shell to complete for.
#[derive(Args)]
pub struct Shells {
    /// bash, zsh, fish, elvish or powershell
    shell: Shell,
}

/// Prints a completion script.
///
/// # Errors
/// A closed output.
pub fn completions(shells: &Shells) -> Result<(), Box<dyn Error>> {
    // Written in one piece: the generator panics when the output is closed.
    let mut script = Vec::new();
    clap_complete::generate(shells.shell, &mut Arguments::command(), "millbrain", &mut script);
    stdout().write_all(&script)?;
    Ok(())
}

/// Prints the man page of the program, followed by its subcommands.
///
/// # Errors
/// A closed output.
pub fn man() -> Result<(), Box<dyn Error>> {
    let mut pages = Vec::new();
    let mut command = Arguments::command().disable_help_subcommand(true).long_version(env!("CARGO_PKG_VERSION"));
    command.build();
    render(&command, &mut pages)?;
    stdout().write_all(&pages)?;
    Ok(())
}

fn render(command: &clap::Command, pages: &mut Vec<u8>) -> io::Result<()> {
    clap_mangen::Man::new(command.clone()).render(pages)?;
    command.get_subcommands().try_for_each(|subcommand| render(subcommand, pages))
}
