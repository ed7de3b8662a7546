//! Games between people that are played, beside those that have been.

use super::queries::insert;
use super::{Archive, ArchiveError, Game, Key};
use crate::people;
use rusqlite::params;

/// A game between people as it is kept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Played {
    /// Its name.
    pub id: String,
    /// All of it, in JSON.
    pub state: String,
    /// Its number among the finished games.
    pub record: Option<i64>,
}

impl Archive {
    /// The games that are kept.
    ///
    /// # Errors
    /// Whatever the database says.
    pub(crate) fn played(&self) -> Result<Vec<Played>, ArchiveError> {
        let writer = self.writer();
        let mut select = writer.prepare_cached("SELECT id, state, record FROM people")?;
        let games =
            select.query_map([], |row| Ok(Played { id: row.get(0)?, state: row.get(1)?, record: row.get(2)? }))?;
        Ok(games.collect::<rusqlite::Result<_>>()?)
    }

    /// Keeps games as they are now, all of them or none, and forgets those of which there is only the name. Those that have
    /// ended are saved among the others; their numbers are returned. What was kept is on disk.
    ///
    /// # Errors
    /// Whatever the database says.
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
                    // Not to be refused by the archive is what `Game` sees to.
                    match Game::new(record) {
                        Ok(finished) => {
                            let key = Key(format!("people:{id}"));
                            let saved = insert(transaction, &key, &finished, "people")?;
                            records.push(((*id).to_string(), saved.told().1));
                            number = Some(saved.told().1);
                        }
                        Err(fault) => log::error!("game {id} between people: {fault}"),
                    }
                }
                // What is made of strings and numbers can always be written.
                let state = serde_json::to_string(game.kept()).unwrap_or_default();
                let sql = "INSERT OR REPLACE INTO people (id, state, record) VALUES (?1, ?2, ?3)";
                transaction.prepare_cached(sql)?.execute(params![id, state, number])?;
            }
            Ok(records)
        })
    }
}
