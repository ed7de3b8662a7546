//! Queries of the archive.

use super::openings::{insert_steps, uncount_steps};
use super::{Archive, ArchiveError, Game, Key};
use millbrain_games::reason;
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Row, params, params_from_iter};
use serde::Serialize;
use std::time::{SystemTime, UNIX_EPOCH};

/// Maximum games per page of the list.
pub const MAX_LISTED: u32 = 100;
/// Maximum number of games, or players, that counts as few.
const FEW: u32 = 1_000;
/// Maximum number of games waiting for annotation.
const MAX_WAITING: i64 = 1_000;
/// The columns of a game in a list.
const COLUMNS: &str = "id, strftime('%Y-%m-%dT%H:%M:%SZ', date, 'unixepoch'), white, black, variant, result, reason, \
                       plies, source, EXISTS (SELECT 1 FROM annotations WHERE game = id AND plies IS NOT NULL)";

/// A filter of games.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Filter {
    /// Part of the name of either player, in any case.
    pub player: Option<String>,
    /// Name of the variant.
    pub variant: Option<String>,
    /// Result.
    pub result: Option<String>,
    /// Positions of the opening, at least one of which was reached.
    pub positions: Option<Vec<i64>>,
    /// Number of the game before which to list.
    pub before: Option<i64>,
    /// Maximum number of games.
    pub limit: u32,
}

/// A game in a list.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Listed {
    /// Number of the game.
    pub id: i64,
    /// Time of saving, as `2026-01-31T12:00:00Z`.
    pub date: String,
    /// Name of White.
    pub white: String,
    /// Name of Black.
    pub black: String,
    /// Name of the variant.
    pub variant: String,
    /// Result.
    pub result: String,
    /// Description of the ending.
    pub reason: String,
    /// Number of plies.
    pub plies: i64,
    /// Source: `client`, `import` or `people`.
    pub source: String,
    /// Whether the game is annotated.
    pub annotated: bool,
}

/// A page of the list.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Listing {
    /// The games, newest first.
    pub games: Vec<Listed>,
    /// Value of `before` for the next page, if there is one.
    pub next: Option<i64>,
}

/// A game with all its data.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stored {
    /// Its entry in a list.
    pub listed: Listed,
    /// Its text.
    pub record: String,
    /// The annotation: nodes per position, and plies as JSON.
    pub annotation: Option<(i64, String)>,
}

/// The result of saving a game: its number, and whether it was stored before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Saved {
    /// The game is new.
    New(i64),
    /// The game was stored before.
    Known(i64),
}

/// A game to annotate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Task {
    /// Number of the game.
    pub id: i64,
    /// Nodes for each position.
    pub nodes: u64,
    /// Its text.
    pub record: String,
    /// The stored evaluations of its first positions.
    pub done: Vec<String>,
}

impl Saved {
    /// Returns whether the game is new, and its number.
    pub const fn reported(self) -> (bool, i64) {
        match self {
            Saved::New(id) => (true, id),
            Saved::Known(id) => (false, id),
        }
    }
}

/// Returns a placeholder for each of these values.
fn places(values: &[Value]) -> String {
    vec!["?"; values.len()].join(", ")
}

fn listed(row: &Row<'_>) -> rusqlite::Result<Listed> {
    Ok(Listed {
        id: row.get(0)?,
        date: row.get::<_, Option<String>>(1)?.unwrap_or_default(),
        white: row.get(2)?,
        black: row.get(3)?,
        variant: row.get(4)?,
        result: row.get(5)?,
        reason: reason::of_record(row.get(6)?),
        plies: row.get(7)?,
        source: row.get(8)?,
        annotated: row.get(9)?,
    })
}

/// Stores the players of a game; `names` has both, one per line.
fn insert_players(connection: &Connection, game: i64, names: &str) -> rusqlite::Result<()> {
    let mut player = connection.prepare_cached("INSERT OR IGNORE INTO players (name) VALUES (?1)")?;
    let sql = "INSERT OR IGNORE INTO plays (player, game) SELECT id, ?2 FROM players WHERE name = ?1";
    let mut plays = connection.prepare_cached(sql)?;
    for name in names.split('\n') {
        player.execute([name])?;
        plays.execute(params![name, game])?;
    }
    Ok(())
}

/// The strategy for finding games with a property.
enum Found {
    /// There are few games: the other conditions are checked among those that this SQL lists.
    Among(String),
    /// There are many: the property is checked game by game, newest first.
    Check,
}

/// Chooses the strategy by counting the games that SQL lists.
fn found(connection: &Connection, games: String, values: &[Value]) -> rusqlite::Result<Found> {
    let sql = format!("SELECT count(*) FROM ({games} LIMIT {})", FEW + 1);
    let count: u32 = connection.prepare_cached(&sql)?.query_row(params_from_iter(values), |row| row.get(0))?;
    Ok(if count <= FEW { Found::Among(games) } else { Found::Check })
}

/// Returns the players whose name contains this part, if they are few.
fn players(connection: &Connection, part: &str) -> rusqlite::Result<Option<Vec<Value>>> {
    let sql = format!("SELECT id FROM players WHERE instr(name, ?1) LIMIT {}", FEW + 1);
    let mut select = connection.prepare_cached(&sql)?;
    let ids = select.query_map([part], |row| row.get(0))?.collect::<rusqlite::Result<Vec<Value>>>()?;
    Ok((ids.len() <= FEW as usize).then_some(ids))
}

pub(super) fn insert(connection: &Connection, key: &Key, game: &Game, source: &str) -> rusqlite::Result<Saved> {
    let mut known = connection.prepare_cached("SELECT id FROM games WHERE key = ?1")?;
    let known = known.query_row([&key.0], |row| row.get(0)).optional()?;
    if let Some(id) = known {
        return Ok(Saved::Known(id));
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs()) as i64;
    let record = &game.record;
    let mut insert = connection.prepare_cached(
        "INSERT INTO games (key, date, white, black, names, variant, result, reason, plies, source, record)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
    )?;
    insert.execute(params![
        key.0,
        now,
        record.white,
        record.black,
        game.names(),
        record.variant,
        record.outcome.to_string(),
        record.reason,
        record.moves.len() as i64,
        source,
        game.text,
    ])?;
    let id = connection.last_insert_rowid();
    insert_steps(connection, id, &record.outcome.to_string(), &game.positions)?;
    insert_players(connection, id, &game.names())?;
    Ok(Saved::New(id))
}

impl Archive {
    /// Saves a game; it is on disk when this returns. A game with the same key counts as stored.
    ///
    /// # Errors
    /// Any error of the database.
    pub fn save(&self, key: &Key, game: &Game, source: &str) -> Result<Saved, ArchiveError> {
        let saved = self.save_all(&[(key.clone(), game.clone())], source)?;
        saved.first().copied().ok_or(ArchiveError::Full)
    }

    /// Saves games, all or none.
    pub(super) fn save_all(&self, games: &[(Key, Game)], source: &str) -> Result<Vec<Saved>, ArchiveError> {
        self.write(|transaction| {
            let saved = games.iter().map(|(key, game)| insert(transaction, key, game, source));
            Ok(saved.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Lists the newest games that match a filter.
    ///
    /// # Errors
    /// Any error of the database.
    pub fn list(&self, filter: &Filter) -> Result<Listing, ArchiveError> {
        let reader = self.reader()?;
        let (mut wanted, mut values) = (vec!["TRUE".to_string()], Vec::new());
        let mut want = |condition: String, more: Vec<Value>| {
            wanted.push(condition);
            values.extend(more);
        };
        if let Some(player) = filter.player.as_ref().map(|player| player.to_lowercase()) {
            let ids = players(&reader, &player)?;
            let found = match &ids {
                Some(ids) => found(&reader, format!("SELECT game FROM plays WHERE player IN ({})", places(ids)), ids)?,
                None => Found::Check,
            };
            match found {
                Found::Among(games) => want(format!("id IN ({games})"), ids.unwrap_or_default()),
                Found::Check => want("instr(names, ?)".to_string(), vec![player.into()]),
            }
        }
        if let Some(variant) = &filter.variant {
            want("variant = ?".to_string(), vec![variant.clone().into()]);
        }
        if let Some(result) = &filter.result {
            want("result = ?".to_string(), vec![result.clone().into()]);
        }
        if let Some(before) = filter.before {
            want("id < ?".to_string(), vec![before.into()]);
        }
        if let Some(keys) = &filter.positions {
            let keys: Vec<Value> = keys.iter().map(|&key| key.into()).collect();
            let games = format!("SELECT game FROM positions WHERE key IN ({})", places(&keys));
            match found(&reader, games, &keys)? {
                Found::Among(games) => want(format!("id IN ({games})"), keys),
                Found::Check => {
                    let is_among = format!("key IN ({})", places(&keys));
                    want(format!("EXISTS (SELECT 1 FROM positions WHERE game = games.id AND {is_among})"), keys);
                }
            }
        }
        let limit = filter.limit.clamp(1, MAX_LISTED) as usize;
        let wanted = wanted.join(" AND ");
        // One extra game shows whether there is a next page.
        let sql = format!("SELECT {COLUMNS} FROM games WHERE {wanted} ORDER BY id DESC LIMIT {}", limit + 1);
        let mut select = reader.prepare_cached(&sql)?;
        let games = select.query_map(params_from_iter(values), listed)?;
        let mut games = games.collect::<rusqlite::Result<Vec<_>>>()?;
        let more = games.len() > limit;
        games.truncate(limit);
        let next = games.last().filter(|_| more).map(|game| game.id);
        Ok(Listing { games, next })
    }

    /// Returns the game with this number.
    ///
    /// # Errors
    /// Any error of the database.
    pub fn game(&self, id: i64) -> Result<Option<Stored>, ArchiveError> {
        let sql = format!(
            "SELECT {COLUMNS}, record, (SELECT nodes FROM annotations WHERE game = id), \
             (SELECT plies FROM annotations WHERE game = id) FROM games WHERE id = ?1"
        );
        let reader = self.reader()?;
        let stored = |row: &Row<'_>| {
            let (nodes, plies): (Option<i64>, Option<String>) = (row.get(11)?, row.get(12)?);
            Ok(Stored { listed: listed(row)?, record: row.get(10)?, annotation: nodes.zip(plies) })
        };
        Ok(reader.prepare_cached(&sql)?.query_row([id], stored).optional()?)
    }

    /// Deletes a game; returns `false` if there is none with this number.
    ///
    /// # Errors
    /// Any error of the database.
    pub fn delete(&self, id: i64) -> Result<bool, ArchiveError> {
        self.write(|transaction| {
            let game = transaction
                .query_row("SELECT result, record FROM games WHERE id = ?1", [id], |row| Ok((row.get(0)?, row.get(1)?)))
                .optional()?;
            let Some::<(String, String)>((result, text)) = game else { return Ok(false) };
            uncount_steps(transaction, &result, &text)?;
            let players = transaction
                .prepare_cached("SELECT player FROM plays WHERE game = ?1")?
                .query_map([id], |row| row.get(0))?
                .collect::<rusqlite::Result<Vec<i64>>>()?;
            transaction.execute("DELETE FROM games WHERE id = ?1", [id])?;
            for player in players {
                let sql = "DELETE FROM players WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM plays WHERE player = ?1)";
                transaction.execute(sql, [player])?;
            }
            Ok(true)
        })
    }

    /// Requests the annotation of a game with `nodes` nodes per position; returns `false` if there is no such game.
    /// Work already done with the same nodes is kept.
    ///
    /// # Errors
    /// When too many games wait already, and any error of the database.
    pub fn want_annotation(&self, id: i64, nodes: u64) -> Result<bool, ArchiveError> {
        let nodes = i64::try_from(nodes).unwrap_or(i64::MAX);
        self.write(|transaction| {
            let game = transaction.query_row("SELECT 1 FROM games WHERE id = ?1", [id], |_| Ok(())).optional()?;
            if game.is_some() {
                let waiting = "SELECT count(*) FROM annotations WHERE plies IS NULL AND game <> ?1";
                let waiting: i64 = transaction.query_row(waiting, [id], |row| row.get(0))?;
                if waiting >= MAX_WAITING {
                    return Err(ArchiveError::Busy(waiting));
                }
                transaction.execute("DELETE FROM annotations WHERE game = ?1 AND nodes <> ?2", [id, nodes])?;
                transaction.execute("INSERT OR IGNORE INTO annotations (game, nodes) VALUES (?1, ?2)", [id, nodes])?;
            }
            Ok(game.is_some())
        })
    }

    /// Returns a game to annotate, if there is one.
    ///
    /// # Errors
    /// Any error of the database.
    pub fn next_annotation(&self) -> Result<Option<Task>, ArchiveError> {
        let reader = self.reader()?;
        let sql = "SELECT game, nodes, record FROM annotations JOIN games ON id = game WHERE annotations.plies IS NULL \
                   ORDER BY game LIMIT 1";
        let task = |row: &Row<'_>| {
            let nodes = u64::try_from(row.get::<_, i64>(1)?).unwrap_or(1);
            Ok(Task { id: row.get(0)?, nodes, record: row.get(2)?, done: Vec::new() })
        };
        let Some(mut task) = reader.prepare_cached(sql)?.query_row([], task).optional()? else { return Ok(None) };
        let mut select = reader.prepare_cached("SELECT value FROM evaluations WHERE game = ?1 ORDER BY ply")?;
        task.done = select.query_map([task.id], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
        Ok(Some(task))
    }

    /// Stores the evaluation of a position during an annotation; returns `false` if the annotation is no longer wanted.
    ///
    /// # Errors
    /// Any error of the database.
    pub fn add_evaluation(&self, game: i64, ply: usize, value: &str) -> Result<bool, ArchiveError> {
        let sql = "INSERT OR REPLACE INTO evaluations (game, ply, value) SELECT game, ?2, ?3 FROM annotations WHERE game = ?1";
        self.write(|transaction| Ok(transaction.execute(sql, params![game, ply as i64, value])? > 0))
    }

    /// Stores the finished annotation of a game.
    ///
    /// # Errors
    /// Any error of the database.
    pub fn finish_annotation(&self, game: i64, plies: &str) -> Result<(), ArchiveError> {
        self.write(|transaction| {
            transaction.execute("UPDATE annotations SET plies = ?2 WHERE game = ?1", params![game, plies])?;
            transaction.execute("DELETE FROM evaluations WHERE game = ?1", [game])?;
            Ok(())
        })
    }
}
