//! The tables of the archive, and the migrations between versions.

use super::ArchiveError;
use rusqlite::{Connection, TransactionBehavior};

/// A step: the version that it needs, the one that it leads to, and its tables. A released step never changes.
type Step = (i64, i64, &'static str);

/// The steps from nothing to the version of this program.
pub(super) const STEPS: [Step; 2] = [
    (
        0,
        5,
        // `names` has both names, one a line; `state` is a game between people in JSON, `record` its archive number.
        "CREATE TABLE games (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            key TEXT NOT NULL UNIQUE,
            date INTEGER NOT NULL,
            white TEXT NOT NULL,
            black TEXT NOT NULL,
            names TEXT NOT NULL,
            variant TEXT NOT NULL,
            result TEXT NOT NULL,
            reason TEXT NOT NULL,
            plies INTEGER NOT NULL,
            source TEXT NOT NULL,
            record TEXT NOT NULL
        ) STRICT;
        CREATE INDEX games_by_variant ON games (variant, id);
        CREATE INDEX games_by_result ON games (result, id);
        CREATE INDEX games_by_variant_and_result ON games (variant, result, id);
        CREATE TABLE positions (
            key INTEGER NOT NULL,
            game INTEGER NOT NULL REFERENCES games ON DELETE CASCADE,
            PRIMARY KEY (key, game)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX positions_by_game ON positions (game);
        CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
        CREATE TABLE annotations (
            game INTEGER PRIMARY KEY REFERENCES games ON DELETE CASCADE,
            nodes INTEGER NOT NULL,
            plies TEXT
        ) STRICT;
        CREATE TABLE evaluations (
            game INTEGER NOT NULL REFERENCES annotations ON DELETE CASCADE,
            ply INTEGER NOT NULL,
            value TEXT NOT NULL,
            PRIMARY KEY (game, ply)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE players (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
        CREATE TABLE plays (
            player INTEGER NOT NULL REFERENCES players,
            game INTEGER NOT NULL REFERENCES games ON DELETE CASCADE,
            PRIMARY KEY (player, game)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX plays_by_game ON plays (game);
        CREATE TABLE people (id TEXT PRIMARY KEY, state TEXT NOT NULL, record INTEGER) STRICT, WITHOUT ROWID;",
    ),
    (
        5,
        7,
        // Counts the continuations of each position, and computes the positions of all games again.
        "CREATE TABLE openings (
            key INTEGER NOT NULL,
            next INTEGER NOT NULL,
            result TEXT NOT NULL,
            games INTEGER NOT NULL,
            PRIMARY KEY (key, next, result)
        ) STRICT, WITHOUT ROWID;
        DELETE FROM facts WHERE name = 'positions';",
    ),
];

/// The version that this program writes.
pub const VERSION: i64 = 7;

/// The step that takes an archive of this version on.
fn step_from(version: i64) -> Option<&'static Step> {
    STEPS.iter().find(|(from, ..)| *from == version)
}

/// Checks that a database is empty or an archive that this program can read.
///
/// # Errors
/// A database of something else, a newer version, and any error of the database.
pub fn check(connection: &Connection) -> Result<(), ArchiveError> {
    let version: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    let is_ours = if version == 0 {
        connection.query_row("SELECT NOT EXISTS (SELECT 1 FROM sqlite_master)", [], |row| row.get(0))?
    } else {
        connection.prepare("SELECT key, variant, result, record FROM games").is_ok()
    };
    match version {
        found if is_ours && found > VERSION => Err(ArchiveError::Newer { found }),
        found if is_ours && (found == VERSION || step_from(found).is_some()) => Ok(()),
        _ => Err(ArchiveError::Foreign),
    }
}

/// Migrates an archive to this program's version, step by step. A kill leaves it at the version before or after a step.
///
/// # Errors
/// A newer version, and any error of the database.
pub fn migrate(connection: &mut Connection) -> Result<(), ArchiveError> {
    loop {
        // Another process may migrate at the same time.
        let step = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let version: i64 = step.query_row("PRAGMA user_version", [], |row| row.get(0))?;
        if version == VERSION {
            return Ok(());
        }
        let (_, next, tables) = step_from(version).ok_or(ArchiveError::Newer { found: version })?;
        step.execute_batch(tables)?;
        step.pragma_update(None, "user_version", next)?;
        step.commit()?;
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::page::digest;
    use super::*;

    /// An archive of a released version has the tables that its steps made then.
    #[test]
    fn released_steps_stay() {
        let digests = STEPS.map(|(.., step)| digest(step.as_bytes())[..8].to_string());
        assert_eq!(digests, ["e5a49de9", "9e0ef728"]);
    }

    #[test]
    fn steps_lead_to_the_newest_version() {
        let last = STEPS.iter().fold(0, |version, &(from, to, _)| if from == version { to } else { -1 });
        assert_eq!(last, VERSION);
        for version in [VERSION + 1, 1, -1] {
            let mut foreign = Connection::open_in_memory().expect("a database");
            foreign.pragma_update(None, "user_version", version).expect("a version");
            let refused = migrate(&mut foreign).expect_err("another program's").to_string();
            assert!(refused.contains(&format!("version {version}")), "{refused}");
        }
    }
}
