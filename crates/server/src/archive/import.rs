//! Files of games taken into the archive, game by game.

use super::queries::Saved;
use super::{Archive, ArchiveError, Game, Key};
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

/// The texts of the games of a file: each begins with the first tag after moves.
fn split(text: &str) -> Vec<&str> {
    let mut starts = Vec::new();
    let (mut at, mut after_tag) = (0, false);
    for line in text.split_inclusive('\n') {
        let is_tag = line.starts_with('[');
        if is_tag && !after_tag {
            starts.push(at);
        } else if starts.is_empty() && !line.trim().is_empty() {
            // Not a tag at all: a game that will be refused.
            starts.push(at);
        }
        if !line.trim().is_empty() {
            after_tag = is_tag;
        }
        at += line.len();
    }
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    starts.iter().zip(ends).filter_map(|(&start, end)| text.get(start..end)).collect()
}

impl Archive {
    /// Takes in the games of a text. Those that are there already are known by their whole text.
    ///
    /// # Errors
    /// Whatever the database says, or the end of the server; the games before are saved.
    pub fn import(&self, text: &str) -> Result<Import, ArchiveError> {
        let mut import = Import::default();
        let texts = split(text.trim_start_matches('\u{feff}'));
        for (batch, texts) in texts.chunks(BATCH).enumerate() {
            if self.is_closing.load(Relaxed) {
                return Err(ArchiveError::Closing);
            }
            let mut games = Vec::new();
            for (i, text) in texts.iter().enumerate() {
                match Game::read(text) {
                    Ok(game) => games.push((Key::of_text(&game.text), game)),
                    Err(fault) if import.refused.len() < MAX_REFUSALS => {
                        import.refused.push(Refusal { game: batch * BATCH + i + 1, error: fault.to_string() });
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

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn a_file_is_split_at_its_games() {
        let text = "\n[A \"1\"]\n\n[B \"2\"]\n\n1. d6\n\n[A \"3\"]\n1. f4\n";
        assert_eq!(split(text), ["[A \"1\"]\n\n[B \"2\"]\n\n1. d6\n\n", "[A \"3\"]\n1. f4\n"]);
        assert_eq!(split(""), [""; 0]);
        assert_eq!(split(" \nx\n[A]"), ["x\n", "[A]"]);
    }
}
