//! Stores games between people in progress, in addition to finished games.

use super::queries::insert;
use super::{Archive, ArchiveError, Game, Key};
use crate::people;
use rusqlite::params;

/// A stored game between people.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Played {
    /// ID of the game.
    pub id: String,
    /// The whole game, as JSON.
    pub state: String,
    /// Number among the finished games.
    pub record: Option<i64>,
}

impl Archive {
    /// Returns the stored games.
    ///
    /// # Errors
    /// Any error of the database.
    pub(crate) fn played(&self) -> Result<Vec<Played>, ArchiveError> {
        let writer = self.writer();
        let mut select = writer.prepare_cached("SELECT id, state, record FROM people")?;
        let games =
            select.query_map([], |row| Ok(Played { id: row.get(0)?, state: row.get(1)?, record: row.get(2)? }))?;
        Ok(games.collect::<rusqlite::Result<_>>()?)
    }

    /// Stores games in their current state, all or none, and deletes those of which only the name is given. Finished
    /// games are also saved in the archive; returns their numbers. Stored games are on disk.
    ///
    /// # Errors
    /// Any error of the database.
    pub(crate) fn keep_played(
        &self,
        games: &[(&str, Option<&people::Game>)],
    ) -> Result<Vec<(String, i64)>, ArchiveError> {
        self.write(|transaction| {
            let mut records = Vec::new();
            for (id, game) in games {
                let Some(game) = game else {
                    transaction.execute("DELETE FROM people WHERE id = ?1", [id])?;
                    continue;
                };
                let mut number = game.record;
                if let Some(record) = game.to_record().filter(|_| number.is_none()) {
                    // `Game` ensures that the archive accepts its records.
                    match Game::new(record) {
                        Ok(finished) => {
                            let key = Key(format!("people:{id}"));
                            let saved = insert(transaction, &key, &finished, "people")?;
                            records.push(((*id).to_string(), saved.reported().1));
                            number = Some(saved.reported().1);
                        }
                        Err(fault) => log::error!("game {id} between people: {fault}"),
                    }
                }
                // Strings and numbers can always be serialised.
                let state = serde_json::to_string(game.kept()).unwrap_or_default();
                let sql = "INSERT OR REPLACE INTO people (id, state, record) VALUES (?1, ?2, ?3)";
                transaction.prepare_cached(sql)?.execute(params![id, state, number])?;
            }
            Ok(records)
        })
    }
}
