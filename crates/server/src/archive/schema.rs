//! The tables of the archive, and the migrations between versions.

use super::ArchiveError;
use rusqlite::{Connection, TransactionBehavior};

/// The migrations: number N takes an archive from version N to version N + 1. A released migration never changes.
pub(super) const STEPS: [&str; 7] = [
    // The games.
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
    CREATE INDEX games_by_variant ON games (variant, id);",
    // The positions of their openings.
    "CREATE TABLE positions (
        key INTEGER NOT NULL,
        game INTEGER NOT NULL REFERENCES games ON DELETE CASCADE,
        PRIMARY KEY (key, game)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX positions_by_game ON positions (game);
    CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;",
    // The engine's annotations.
    "CREATE TABLE annotations (
        game INTEGER PRIMARY KEY REFERENCES games ON DELETE CASCADE,
        nodes INTEGER NOT NULL,
        plies TEXT
    ) STRICT;
    CREATE TABLE evaluations (
        game INTEGER NOT NULL REFERENCES annotations ON DELETE CASCADE,
        ply INTEGER NOT NULL,
        value TEXT NOT NULL,
        PRIMARY KEY (game, ply)
    ) STRICT, WITHOUT ROWID;",
    // The players, so that a search by name does not scan every game; `names` has both, one per line.
    "CREATE TABLE players (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
    CREATE TABLE plays (
        player INTEGER NOT NULL REFERENCES players,
        game INTEGER NOT NULL REFERENCES games ON DELETE CASCADE,
        PRIMARY KEY (player, game)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX plays_by_game ON plays (game);
    CREATE TEMP TABLE named (game INTEGER, name TEXT);
    INSERT INTO named SELECT id, substr(names, 1, instr(names || char(10), char(10)) - 1) FROM games;
    INSERT INTO named SELECT id, substr(names, instr(names || char(10), char(10)) + 1) FROM games;
    INSERT OR IGNORE INTO players (name) SELECT name FROM named;
    INSERT OR IGNORE INTO plays (player, game) SELECT id, game FROM named JOIN players USING (name);
    DROP TABLE named;
    CREATE INDEX games_by_result ON games (result, id);
    CREATE INDEX games_by_variant_and_result ON games (variant, result, id);",
    // Games between people, in progress or recent; `state` has the whole game as JSON, `record` its number once it is
    // over.
    "CREATE TABLE people (id TEXT PRIMARY KEY, state TEXT NOT NULL, record INTEGER) STRICT, WITHOUT ROWID;",
    // The moves played from positions and the results, so that all data of a position is together. The rows are rebuilt
    // from the records.
    "DROP TABLE positions;
    CREATE TABLE positions (
        key INTEGER NOT NULL,
        game INTEGER NOT NULL REFERENCES games ON DELETE CASCADE,
        next INTEGER,
        result TEXT NOT NULL,
        PRIMARY KEY (key, game)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX positions_by_game ON positions (game);
    DELETE FROM facts WHERE name = 'positions';",
    // Counted continuations, so that popular positions need no scan of their games. A game's share of the counts
    // follows from its record.
    "DROP TABLE positions;
    CREATE TABLE positions (
        key INTEGER NOT NULL,
        game INTEGER NOT NULL REFERENCES games ON DELETE CASCADE,
        PRIMARY KEY (key, game)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX positions_by_game ON positions (game);
    CREATE TABLE openings (
        key INTEGER NOT NULL,
        next INTEGER NOT NULL,
        result TEXT NOT NULL,
        games INTEGER NOT NULL,
        PRIMARY KEY (key, next, result)
    ) STRICT, WITHOUT ROWID;
    DELETE FROM facts WHERE name = 'positions';",
];

/// The version that this program writes.
pub const VERSION: i64 = STEPS.len() as i64;

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
        _ if !is_ours => Err(ArchiveError::Foreign),
        0..=VERSION => Ok(()),
        found => Err(ArchiveError::Newer { found }),
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
        let tables = usize::try_from(version).ok().and_then(|version| STEPS.get(version));
        let tables = tables.ok_or(ArchiveError::Newer { found: version })?;
        step.execute_batch(tables)?;
        step.pragma_update(None, "user_version", version + 1)?;
        step.commit()?;
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::page::digest;
    use super::*;

    /// Archives of a released version contain the migrations as they were then.
    #[test]
    fn released_steps_stay() {
        let digests = STEPS.map(|step| digest(step.as_bytes())[..8].to_string());
        assert_eq!(digests, ["4270db2e", "84431e41", "16a7553f", "a80f1885", "34363d79", "03930a5e", "b1a5b71d"]);
    }

    #[test]
    fn every_version_leads_to_the_newest() {
        let tables = |connection: &Connection| {
            let sql = "SELECT group_concat(sql, ';') FROM (SELECT sql FROM sqlite_master ORDER BY name)";
            connection.query_row(sql, [], |row| row.get::<_, String>(0)).expect("tables")
        };
        let mut newest = Connection::open_in_memory().expect("a database");
        migrate(&mut newest).expect("migrated");
        for version in 0..=VERSION {
            let mut old = Connection::open_in_memory().expect("a database");
            for step in &STEPS[..version as usize] {
                old.execute_batch(step).expect("a step");
            }
            old.pragma_update(None, "user_version", version).expect("a version");
            migrate(&mut old).expect("migrated");
            assert_eq!(tables(&old), tables(&newest));
        }
        for version in [VERSION + 1, -1] {
            let mut foreign = Connection::open_in_memory().expect("a database");
            foreign.pragma_update(None, "user_version", version).expect("a version");
            let refused = migrate(&mut foreign).expect_err("another program's").to_string();
            assert!(refused.contains(&format!("version {version}")), "{refused}");
        }
    }
}
