//! A game on its way into the archive: read, checked, and its opening.

use super::super::page::digest;
use super::openings::{Step, steps};
use millbrain_games::record::{GameRecord, RecordError, VerifyError, read_games};

/// Most plies of a game.
const MAX_PLIES: usize = 5_000;
/// Longest name, in characters.
const MAX_NAME: usize = 200;
/// Longest key of a client, in characters.
const MAX_KEY: usize = 100;

/// Why a game is not taken.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Faulty {
    /// The text is no record.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// There is not one game in it.
    #[error("{0} games, expected one")]
    Count(usize),
    /// The game cannot have been played.
    #[error(transparent)]
    Game(#[from] VerifyError),
    /// The game is too long.
    #[error("{0} plies, expected at most {MAX_PLIES}")]
    Plies(usize),
    /// A name is too long.
    #[error("a name of {0} characters, expected at most {MAX_NAME}")]
    Name(usize),
    /// There is a character that no text has.
    #[error("the control character U+{0:04X}, expected text")]
    Control(u32),
    /// The key cannot be used.
    #[error("key, expected 1 to {MAX_KEY} letters, digits and marks of ASCII")]
    Key,
}

/// What tells a game from all others: made by the client, or the digest of the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Key(pub(super) String);

impl Key {
    /// A key that a client has made.
    ///
    /// # Errors
    /// One that is empty, too long, or not plain.
    pub fn of_client(text: &str) -> Result<Key, Faulty> {
        let plain = text.chars().all(|c| c.is_ascii_graphic());
        if plain && (1..=MAX_KEY).contains(&text.len()) { Ok(Key(format!("client:{text}"))) } else { Err(Faulty::Key) }
    }

    /// The key of a text.
    pub(super) fn of_text(text: &str) -> Key {
        Key(format!("text:{}", digest(text.as_bytes())))
    }
}

/// A game that can be played from its first move to its last.
#[derive(Clone, Debug)]
pub struct Game {
    /// The game.
    pub record: GameRecord,
    /// The same as text.
    pub text: String,
    /// Its first positions.
    pub(super) positions: Vec<Step>,
}

impl Game {
    /// Reads a game and plays it.
    ///
    /// # Errors
    /// Whatever is wrong with it.
    pub fn read(text: &str) -> Result<Game, Faulty> {
        if let Some(control) = text.chars().find(|c| c.is_control() && !c.is_whitespace()) {
            return Err(Faulty::Control(control.into()));
        }
        let mut games = read_games(text)?;
        let count = games.len();
        games.pop().filter(|_| count == 1).map_or(Err(Faulty::Count(count)), Game::new)
    }

    pub(super) fn new(record: GameRecord) -> Result<Game, Faulty> {
        if record.moves.len() > MAX_PLIES {
            return Err(Faulty::Plies(record.moves.len()));
        }
        for text in [&record.white, &record.black, &record.reason] {
            let length = text.chars().count();
            if length > MAX_NAME {
                return Err(Faulty::Name(length));
            }
        }
        record.verify()?;
        let positions = steps(&record).map_err(VerifyError::from)?;
        // As this program writes it, whatever spaces it came with.
        Ok(Game { text: record.text(), positions, record })
    }

    /// Both names in lower case, as they are searched.
    pub(super) fn names(&self) -> String {
        format!("{}\n{}", self.record.white, self.record.black).to_lowercase()
    }
}

/// The game of a record that the archive has kept; `None` if it is damaged.
pub fn stored(text: &str) -> Option<GameRecord> {
    read_games(text).ok()?.pop()
}
