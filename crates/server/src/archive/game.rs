//! A game on its way into the archive: read, checked, and its opening.

use super::super::page::digest;
use super::openings::{Step, steps};
use millbrain_games::forms::{self, Format};
use millbrain_games::game::{self, NotationError};
use millbrain_games::record::{GameRecord, VerifyError, read_games};

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
    /// The text is no game, or the game cannot have been played.
    #[error(transparent)]
    Text(#[from] NotationError),
    /// The text is not quite as its form has it.
    #[error("{0}")]
    Note(String),
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
    /// Reads a game in any form, exactly as the form and the rules have it, and plays it.
    ///
    /// # Errors
    /// Whatever is wrong with it.
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

    /// Takes a game of a match.
    pub(super) fn new(record: GameRecord) -> Result<Game, Faulty> {
        record.verify()?;
        Game::of(record.into())
    }

    /// Takes a game with all that it has.
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
        // As this program writes it, whatever spaces it came with.
        let text = forms::write(&game, Format::Record)?.text;
        game.settle()?;
        let record = GameRecord::from(game);
        let positions = steps(&record).map_err(VerifyError::from)?;
        Ok(Game { text, positions, record })
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
