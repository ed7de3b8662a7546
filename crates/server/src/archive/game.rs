//! A game for the archive: read, checked, and with its opening.

use super::super::page::digest;
use super::openings::{Step, steps};
use millbrain_games::forms::{self, Format};
use millbrain_games::game::{self, NotationError};
use millbrain_games::record::{GameRecord, VerifyError, read_games};

/// Maximum plies of a game.
const MAX_PLIES: usize = 5_000;
/// Maximum characters of a name.
const MAX_NAME: usize = 200;
/// Maximum characters of a client's key.
const MAX_KEY: usize = 100;

/// Why a game is rejected.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Faulty {
    /// The text is not a game, or the game breaks the rules.
    #[error(transparent)]
    Text(#[from] NotationError),
    /// The text deviates from its form.
    #[error("{0}")]
    Note(String),
    /// The text does not contain exactly one game.
    #[error("{0} games, expected one")]
    Count(usize),
    /// The game breaks the rules.
    #[error(transparent)]
    Game(#[from] VerifyError),
    /// The game is too long.
    #[error("{0} plies, expected at most {MAX_PLIES}")]
    Plies(usize),
    /// A name is too long.
    #[error("a name of {0} characters, expected at most {MAX_NAME}")]
    Name(usize),
    /// A character that is not allowed in text.
    #[error("the control character U+{0:04X}, expected text")]
    Control(u32),
    /// The key is invalid.
    #[error("key, expected 1 to {MAX_KEY} letters, digits and marks of ASCII")]
    Key,
}

/// The unique key of a game: made by the client, or the digest of the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Key(pub(super) String);

impl Key {
    /// Creates a key from a client's text.
    ///
    /// # Errors
    /// An empty, too long or invalid key.
    pub fn of_client(text: &str) -> Result<Key, Faulty> {
        let plain = text.chars().all(|c| c.is_ascii_graphic());
        if plain && (1..=MAX_KEY).contains(&text.len()) { Ok(Key(format!("client:{text}"))) } else { Err(Faulty::Key) }
    }

    /// Returns the key of a text.
    pub(super) fn of_text(text: &str) -> Key {
        Key(format!("text:{}", digest(text.as_bytes())))
    }
}

/// A game that can be replayed from its first move to its last.
#[derive(Clone, Debug)]
pub struct Game {
    /// The game.
    pub record: GameRecord,
    /// The game as text.
    pub text: String,
    /// Its first positions.
    pub(super) positions: Vec<Step>,
}

impl Game {
    /// Reads a game in any form, with no deviation from the form and the rules, and replays it.
    ///
    /// # Errors
    /// Any fault of the game.
    pub fn read(text: &str) -> Result<Game, Faulty> {
        if let Some(control) = text.chars().find(|c| c.is_control() && !c.is_whitespace()) {
            return Err(Faulty::Control(control.into()));
        }
        let mut games = forms::read(text, None, &game::Game::default())?;
        let count = games.len();
        let reading = games.pop().filter(|_| count == 1).ok_or(Faulty::Count(count))?;
        reading.notes.first().map_or(Ok(()), |note| Err(Faulty::Note(note.clone())))?;
        Game::of(reading.game)
    }

    /// Converts a game of a match.
    pub(super) fn new(record: GameRecord) -> Result<Game, Faulty> {
        record.verify()?;
        Game::of(record.into())
    }

    /// Converts a game with all its data.
    pub(super) fn of(mut game: game::Game) -> Result<Game, Faulty> {
        let plies = game.main_line().len();
        if plies > MAX_PLIES {
            return Err(Faulty::Plies(plies));
        }
        let reason = game.end.as_ref().map(|end| &end.reason);
        for text in [&game.white, &game.black].into_iter().chain(reason) {
            let length = text.chars().count();
            if length > MAX_NAME {
                return Err(Faulty::Name(length));
            }
        }
        // Normalised to this program's format, with its spacing.
        let text = forms::write(&game, Format::Record)?.text;
        game.settle()?;
        let record = GameRecord::from(game);
        let positions = steps(&record).map_err(VerifyError::from)?;
        Ok(Game { text, positions, record })
    }

    /// Returns both names in lower case, for the search.
    pub(super) fn names(&self) -> String {
        format!("{}\n{}", self.record.white, self.record.black).to_lowercase()
    }
}

/// Reads a stored record; `None` if it is damaged.
pub fn stored(text: &str) -> Option<GameRecord> {
    read_games(text).ok()?.pop()
}
