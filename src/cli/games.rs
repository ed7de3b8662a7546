//! The games of a job, from a file or standard input.

use super::rules::Rules;
use crate::files::named;
use crate::games::forms::{self, Found, Reading};
use crate::games::game::{Game, NotationError};
use crate::lines::read_text;
use crate::streams::stdin;
use clap::Args;
use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};

/// The source of a job's games.
#[derive(Debug, Args)]
pub struct Source {
    /// File of games in any form of docs/formats.md; standard input if omitted or -
    file: Option<PathBuf>,
    /// Stop at the first game with a fault or a deviation from its form
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    rules: Rules,
}

impl Source {
    fn input(&self) -> Option<&Path> {
        self.file.as_deref().filter(|path| *path != Path::new("-"))
    }

    /// Whether the games come from standard input.
    pub fn reads_input(&self) -> bool {
        self.input().is_none()
    }

    /// Returns the games, and warns of skipped games and tolerated faults; with `--strict` these are errors.
    ///
    /// # Errors
    /// Unknown house rules, a file that cannot be read, or a file without a readable game.
    pub fn read(&self) -> Result<Vec<Game>, Box<dyn Error>> {
        let rules = self.rules.named()?;
        let (text, name) = match self.input() {
            Some(path) => (read_text(path)?, path),
            None => (io::read_to_string(stdin())?, Path::new("standard input")),
        };
        games_of(&text, name, &Game::by(rules), self.strict)
    }
}

/// Returns the games of a text as [`Source::read`] does; `name` is that of its file.
///
/// # Errors
/// None of its games is valid, or with `strict` not all are.
pub fn games_of(text: &str, name: &Path, like: &Game, strict: bool) -> Result<Vec<Game>, Box<dyn Error>> {
    let (mut games, mut first_fault) = (Vec::new(), None);
    for Found { number, line, reading } in forms::games(text, like) {
        let at = format!("{}: game {number} in line {line}", name.display());
        let (notes, fault) = match reading {
            Ok(Reading { game, notes, .. }) => {
                games.push(game);
                (notes, None)
            }
            Err(fault) => (vec![format!("{fault}; left out")], Some(fault)),
        };
        if strict && let Some(note) = notes.first() {
            let fault = fault.map_or_else(|| note.clone(), |fault| fault.to_string());
            return Err(format!("{at}: {fault}").into());
        }
        first_fault = first_fault.or(fault);
        notes.iter().for_each(|note| log::warn!("{at}: {note}"));
    }
    if games.is_empty() {
        return Err(named(name)(first_fault.unwrap_or(NotationError::NoMoves)).into());
    }
    Ok(games)
}
