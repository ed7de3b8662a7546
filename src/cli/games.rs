//! The games of a job, from a file or standard input.

use super::rules::Rules;
use crate::files::named;
use crate::games::game::Game;
use crate::games::{house_rules, import};
use crate::lines::read_text;
use crate::streams::stdin;
use clap::Args;
use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};

/// Where the games of a job come from.
#[derive(Debug, Args)]
pub struct Source {
    /// File of games: records of 'match --record', SGF, MIF, or lists of moves; standard input if it is left out or -
    file: Option<PathBuf>,
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

    /// The games.
    ///
    /// # Errors
    /// House rules that do not exist, a file that cannot be read, or a fault in it.
    pub fn read(&self) -> Result<Vec<Game>, Box<dyn Error>> {
        let rules = self.rules.named()?;
        let (text, name) = match self.input() {
            Some(path) => (read_text(path)?, path),
            None => (io::read_to_string(stdin())?, Path::new("standard input")),
        };
        let variant = rules.variant.to_string();
        let like = Game { variant, house_rules: house_rules::text(&rules), ..Game::default() };
        let (_, games) = import::import(&text, &like).map_err(named(name))?;
        Ok(games)
    }
}
