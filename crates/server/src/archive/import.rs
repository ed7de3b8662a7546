//! Files of games taken into the archive, game by game.

use super::queries::Saved;
use super::{Archive, ArchiveError, Faulty, Game, Key};
use millbrain_games::forms::{self, Found};
use millbrain_games::game;
use serde::Serialize;
use std::sync::atomic::Ordering::Relaxed;

/// A game of a file that was not taken.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Refusal {
    /// Which, from 1.
    pub game: usize,
    /// What is wrong with it.
    pub error: String,
}

/// What has become of the games of a file.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Import {
    /// Games that are new.
    pub imported: usize,
    /// Games that were there before.
    pub known: usize,
    /// Games that are faulty.
    pub refused: Vec<Refusal>,
}

/// Most refusals that are told one by one.
const MAX_REFUSALS: usize = 1_000;
/// Games that are saved at once.
const BATCH: usize = 200;

impl Archive {
    /// Takes in the games of a text, in whichever forms they are. Those that are there already are known by their whole
    /// text.
    ///
    /// # Errors
    /// Whatever the database says, or the end of the server; the games before are saved.
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
