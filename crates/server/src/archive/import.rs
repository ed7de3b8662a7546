//! Imports files of games into the archive, game by game.

use super::queries::Saved;
use super::{Archive, ArchiveError, Faulty, Game, Key};
use millbrain_games::forms::{self, Found};
use millbrain_games::game;
use serde::Serialize;
use std::sync::atomic::Ordering::Relaxed;

/// A rejected game of a file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Refusal {
    /// Number of the game, from 1.
    pub game: usize,
    /// Fault of the game.
    pub error: String,
}

/// The result of importing a file.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Import {
    /// Number of new games.
    pub imported: usize,
    /// Number of games that were in the archive before.
    pub known: usize,
    /// The faulty games.
    pub refused: Vec<Refusal>,
}

/// Maximum number of listed refusals.
const MAX_REFUSALS: usize = 1_000;
/// Games per transaction.
const BATCH: usize = 200;

impl Archive {
    /// Imports the games of a text, in any forms. Duplicates are detected by their whole text.
    ///
    /// # Errors
    /// Any error of the database, or the end of the server; earlier games are saved.
    pub fn import(&self, text: &str) -> Result<Import, ArchiveError> {
        let mut import = Import::default();
        let like = game::Game::default();
        let mut found = forms::games(text, &like).peekable();
        while found.peek().is_some() {
            if self.is_closing.load(Relaxed) {
                return Err(ArchiveError::Closing);
            }
            let mut games = Vec::new();
            for Found { number, reading, .. } in found.by_ref().take(BATCH) {
                match reading.map_err(Faulty::from).and_then(|reading| Game::of(reading.game)) {
                    Ok(game) => games.push((Key::of_text(&game.text), game)),
                    Err(fault) if import.refused.len() < MAX_REFUSALS => {
                        import.refused.push(Refusal { game: number, error: fault.to_string() });
                    }
                    Err(_) => {}
                }
            }
            for saved in self.save_all(&games, "import")? {
                match saved {
                    Saved::New(_) => import.imported += 1,
                    Saved::Known(_) => import.known += 1,
                }
            }
        }
        Ok(import)
    }
}
