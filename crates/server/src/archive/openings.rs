//! Openings: the first positions of games, the moves played from them, and the results.

use super::{Archive, ArchiveError};
use millbrain_core::any::AnyGame;
use millbrain_core::game::Side;
use millbrain_core::play::PlayError;
use millbrain_core::variant::Variant;
use millbrain_games::record::{GameRecord, Outcome};
use rusqlite::{Connection, OptionalExtension, params};
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::ops::AddAssign;

/// Number of plies with stored positions.
pub(super) const OPENING_PLIES: usize = 24;

/// The key of a position of an opening, and of the position after the move played; its own key after the last move.
pub(super) type Step = (i64, i64);

/// Counts of results. Games without a result are excluded.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub(crate) struct Results {
    /// Number of games.
    pub games: u64,
    /// Won by White.
    pub white: u64,
    /// Drawn.
    pub draws: u64,
    /// Won by Black.
    pub black: u64,
}

impl Results {
    /// Returns the counts for `games` games with this result; an unknown result counts only as games.
    fn of(result: &str, games: u64) -> Results {
        let with = |outcome: Outcome| if result == outcome.to_string() { games } else { 0 };
        Results { games, white: with(Outcome::WhiteWins), draws: with(Outcome::Draw), black: with(Outcome::BlackWins) }
    }
}

impl AddAssign for Results {
    fn add_assign(&mut self, other: Results) {
        self.games += other.games;
        self.white += other.white;
        self.draws += other.draws;
        self.black += other.black;
    }
}

/// A move, and the results of the games that played it or a symmetric one.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub(crate) struct Continuation {
    /// Text of the move.
    #[serde(rename = "move")]
    pub text: String,
    /// Results of the games.
    #[serde(flatten)]
    pub results: Results,
}

/// The statistics of a position.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub(crate) struct Explored {
    /// The position.
    pub fen: String,
    /// Results of the games that reached it.
    #[serde(flatten)]
    pub results: Results,
    /// The legal moves, one per symmetry class; the most played first.
    pub moves: Vec<Continuation>,
}

/// Returns the first positions of a checked game.
///
/// # Errors
/// An invalid position or move.
pub(super) fn steps(record: &GameRecord) -> Result<Vec<Step>, PlayError> {
    let Ok(variant) = record.variant.parse::<Variant>() else { return Ok(Vec::new()) };
    let Ok(rules) = record.rules() else { return Ok(Vec::new()) };
    let mut game = AnyGame::new(rules).at(Some(&record.fen), [])?;
    let mut keys = vec![position_key(variant, &game)];
    for played in record.moves.iter().take(OPENING_PLIES + 1) {
        if game.push(&played.text).is_err() {
            break;
        }
        keys.push(position_key(variant, &game));
    }
    let next = keys.iter().skip(1).chain(keys.last()).copied();
    let mut steps: Vec<Step> = keys.iter().copied().zip(next).take(OPENING_PLIES + 1).collect();
    // A repeated position counts once, with the move that was played first.
    let mut seen = HashSet::new();
    steps.retain(|(key, _)| seen.insert(*key));
    Ok(steps)
}

/// Returns the key of a position: shared by all symmetric positions with the same side to move and rules.
fn position_key(variant: Variant, game: &AnyGame) -> i64 {
    sided(variant, game.side(), game.canonical_key())
}

/// Combines variant and side with a key that ignores colours.
fn sided(variant: Variant, side: Side, canonical: u64) -> i64 {
    let rules = variant.name().bytes().fold(u64::from(side == Side::Black), |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(17)
    });
    (canonical ^ rules) as i64
}

/// Returns the keys of the position after these moves, from a FEN or from the start. The position may be of this
/// variant or of every variant in which it is reachable.
///
/// # Errors
/// When no variant can reach it.
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

/// Returns a fingerprint of the engine's position keys, which may differ between versions.
fn fingerprint() -> String {
    let key = |variant: Variant| {
        let mut game = AnyGame::new(variant.rules());
        // Several positions on the way, so that a change in any part of the keys is detected.
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

/// Returns the first positions of a stored game. A damaged game has none: its opening is not searchable, but it remains
/// readable.
fn stored_steps(text: &str) -> Vec<Step> {
    super::stored(text).and_then(|record| steps(&record).ok()).unwrap_or_default()
}

/// Whether a game with this result is counted.
fn counts(result: &str) -> bool {
    result != Outcome::Open.to_string()
}

/// Stores the positions of a game's opening, and counts the game there if it has a result.
pub(super) fn insert_steps(connection: &Connection, game: i64, result: &str, steps: &[Step]) -> rusqlite::Result<()> {
    let mut insert = connection.prepare_cached("INSERT INTO positions (key, game) VALUES (?1, ?2)")?;
    let sql = "INSERT INTO openings (key, next, result, games) VALUES (?1, ?2, ?3, 1)
               ON CONFLICT DO UPDATE SET games = games + 1";
    let mut count = connection.prepare_cached(sql)?;
    steps.iter().try_for_each(|(key, next)| {
        insert.execute(params![key, game])?;
        if counts(result) { count.execute(params![key, next, result]).map(drop) } else { Ok(()) }
    })
}

/// Reverts the counts that [`insert_steps`] has made for a game, from its record.
pub(super) fn uncount_steps(connection: &Connection, result: &str, text: &str) -> rusqlite::Result<()> {
    if !counts(result) {
        return Ok(());
    }
    let one = "WHERE key = ?1 AND next = ?2 AND result = ?3";
    let mut less = connection.prepare_cached(&format!("UPDATE openings SET games = games - 1 {one}"))?;
    let mut none = connection.prepare_cached(&format!("DELETE FROM openings {one} AND games = 0"))?;
    stored_steps(text).iter().try_for_each(|(key, next)| {
        less.execute(params![key, next, result])?;
        none.execute(params![key, next, result]).map(drop)
    })
}

impl Archive {
    /// Returns the results of games that reached a position in the opening, in total and by the move played there.
    ///
    /// # Errors
    /// Any error of the database.
    pub(crate) fn explore(&self, variant: Variant, game: &AnyGame) -> Result<Explored, ArchiveError> {
        let reader = self.reader()?;
        let here = position_key(variant, game);
        let mut select = reader.prepare_cached("SELECT next, result, games FROM openings WHERE key = ?1")?;
        let mut rows = select.query([here])?;
        let mut results = Results::default();
        let mut by_next: HashMap<i64, Results> = HashMap::new();
        while let Some(row) = rows.next()? {
            let found = Results::of(&row.get::<_, String>(1)?, row.get(2)?);
            results += found;
            let next = row.get(0)?;
            if next != here {
                *by_next.entry(next).or_default() += found;
            }
        }
        let mut moves = Vec::new();
        let mut seen = HashSet::new();
        for (text, canonical) in game.moves_by_key() {
            let key = sided(variant, game.side().other(), canonical);
            if seen.insert(key) {
                moves.push(Continuation { text, results: by_next.get(&key).copied().unwrap_or_default() });
            }
        }
        moves.sort_by_key(|found| Reverse(found.results.games));
        Ok(Explored { fen: game.fen(), results, moves })
    }

    /// Recomputes the keys of all positions if those of the archive are missing or from another version.
    pub(super) fn renew_positions(&self) -> Result<(), ArchiveError> {
        let ours = fingerprint();
        self.write(|transaction| {
            let theirs: Option<String> = transaction
                .query_row("SELECT value FROM facts WHERE name = 'positions'", [], |row| row.get(0))
                .optional()?;
            if theirs.as_ref() == Some(&ours) {
                return Ok(());
            }
            transaction.execute_batch("DELETE FROM positions; DELETE FROM openings")?;
            let mut select = transaction.prepare("SELECT id, result, record FROM games")?;
            let mut rows = select.query([])?;
            while let Some(row) = rows.next()? {
                let (id, result, text): (i64, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
                insert_steps(transaction, id, &result, &stored_steps(&text))?;
            }
            transaction.execute("INSERT OR REPLACE INTO facts (name, value) VALUES ('positions', ?1)", [&ours])?;
            Ok(())
        })
    }
}
