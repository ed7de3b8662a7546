//! A game on its way into the archive: read, checked, and the keys of its opening.

use super::super::page::digest;
use millbrain_core::any::AnyGame;
use millbrain_core::game::Side;
use millbrain_core::play::PlayError;
use millbrain_core::variant::Variant;
use millbrain_games::record::{GameRecord, RecordError, VerifyError, read_games};

/// Plies of which the positions are kept.
const OPENING_PLIES: usize = 24;
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
    /// Keys of its first positions.
    pub positions: Vec<i64>,
}

impl Game {
    /// Reads a game and plays it.
    ///
    /// # Errors
    /// Whatever is wrong with it.
    pub fn read(text: &str) -> Result<Game, Faulty> {
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
        let positions = positions(&record).map_err(VerifyError::from)?;
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

/// The keys of the first positions of a game that has been checked.
pub(super) fn positions(record: &GameRecord) -> Result<Vec<i64>, PlayError> {
    let Ok(variant) = record.variant.parse::<Variant>() else { return Ok(Vec::new()) };
    let Ok(rules) = record.rules() else { return Ok(Vec::new()) };
    let mut game = AnyGame::new(rules).at(Some(&record.fen), [])?;
    let mut keys = vec![position_key(variant, &game)];
    for played in record.moves.iter().take(OPENING_PLIES) {
        if game.push(&played.text).is_err() {
            break;
        }
        keys.push(position_key(variant, &game));
    }
    keys.sort_unstable();
    keys.dedup();
    Ok(keys)
}

/// The key of a position: that of all positions symmetric to it with the same side to move, by these rules.
fn position_key(variant: Variant, game: &AnyGame) -> i64 {
    let rules = variant.name().bytes().fold(u64::from(game.side() == Side::Black), |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(17)
    });
    (game.symmetric_key() ^ rules) as i64
}

/// The keys of the position after these moves, from a FEN or from the start, for this variant or for every one in
/// which it can be reached.
///
/// # Errors
/// When it can be reached in none.
pub fn opening_keys(variant: Option<Variant>, fen: Option<&str>, moves: &str) -> Result<Vec<i64>, PlayError> {
    let one = variant.map(|variant| [variant]);
    let variants = one.as_ref().map_or(&Variant::ALL[..], |one| &one[..]);
    let mut keys = Vec::new();
    let mut fault = None;
    for &variant in variants {
        match AnyGame::new(variant.rules()).at(fen, moves.split_whitespace()) {
            Ok(game) => keys.push(position_key(variant, &game)),
            Err(error) => fault = fault.or(Some(error)),
        }
    }
    fault.filter(|_| keys.is_empty()).map_or(Ok(keys), Err)
}

/// Tells whether the keys of positions are still those of the archive: another version of the engine may have others.
pub(super) fn fingerprint() -> String {
    let key = |variant: Variant| {
        let mut game = AnyGame::new(variant.rules());
        // Some positions on the way, so that a change of any part of the keys shows.
        for _ in 0..6 {
            let next = game.moves().into_iter().next();
            if next.is_none_or(|text| game.push(&text).is_err()) {
                break;
            }
        }
        position_key(variant, &game)
    };
    let text: String = Variant::ALL.into_iter().map(|variant| format!("{:x} ", key(variant))).collect();
    format!("{OPENING_PLIES} {text}")
}
