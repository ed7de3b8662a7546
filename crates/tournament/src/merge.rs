//! Merges the journals of a match: of its parts, or of several attempts.

use super::error::MatchError;
use super::journal::{self, JournalError, MatchConfig, new_file, write_new};
use super::record::GameRecord;
use super::runner::{texts, write_json};
use super::schedule::Schedule;
use super::scoreboard::Scoreboard;
use millbrain_files::difference::OtherSetting;
use millbrain_files::shard::Shard;
use millbrain_files::{InFile, named};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Why journals cannot be merged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MergeError {
    /// There are no journals.
    #[error("no journal, expected files written by --save")]
    NoFile,
    /// A journal cannot be read.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A journal belongs to another match.
    #[error(transparent)]
    OtherMatch(#[from] Box<InFile<OtherSetting>>),
    /// The settings cannot be compared.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
}

/// The games of several journals of one match, independent of the order of the journals.
pub struct Merged {
    /// Settings of the whole match.
    config: MatchConfig,
    /// The file with these settings.
    origin: PathBuf,
    /// The numbers of parts into which the match was split.
    cuts: BTreeSet<usize>,
    games: BTreeMap<usize, GameRecord>,
}

impl Merged {
    /// Reads journals, possibly still being written.
    ///
    /// # Errors
    /// An unreadable file, or one of another match: only shards and concurrency may differ.
    pub fn of(paths: &[PathBuf]) -> Result<Merged, MergeError> {
        let mut merged = None;
        for path in paths {
            let (config, games) = journal::read(path)?;
            merged.get_or_insert_with(|| Merged::begin(path, &config)).add(path, config, games)?;
        }
        merged.ok_or(MergeError::NoFile)
    }

    fn begin(path: &Path, config: &MatchConfig) -> Merged {
        let config = MatchConfig { shard: Shard::ALL, ..config.clone() };
        Merged { config, origin: path.to_path_buf(), cuts: BTreeSet::new(), games: BTreeMap::new() }
    }

    /// Adds a journal.
    fn add(&mut self, path: &Path, config: MatchConfig, games: Vec<GameRecord>) -> Result<(), MergeError> {
        self.cuts.insert(config.shard.parts());
        self.config.concurrency = self.config.concurrency.max(config.concurrency);
        let whole = MatchConfig { shard: Shard::ALL, concurrency: self.config.concurrency, ..config };
        if let Some(other) = difference(&whole, &self.config, &self.origin)? {
            return Err(Box::new(named(path)(other)).into());
        }
        for game in games {
            match self.games.entry(game.index) {
                Entry::Vacant(place) => drop(place.insert(game)),
                Entry::Occupied(mut kept) => {
                    let [found, known] = [&game, kept.get()].map(GameRecord::without_times);
                    if found != known {
                        let (path, number) = (path.display(), game.index + 1);
                        log::warn!("{path}: game {number} went otherwise in another file; one of the two counts");
                    }
                    // Chosen independently of the order of files.
                    if (&found, &game) < (&known, kept.get()) {
                        kept.insert(game);
                    }
                }
            }
        }
        Ok(())
    }

    /// Returns settings of the whole match.
    pub const fn config(&self) -> &MatchConfig {
        &self.config
    }

    /// Returns number of games.
    pub fn games(&self) -> usize {
        self.games.len()
    }

    /// Returns the parts that lack games; empty if the match was not split, or was split in several ways.
    pub fn unfinished(&self) -> BTreeSet<Shard> {
        let mut cuts = self.cuts.iter().filter(|&&parts| parts > 1);
        let (Some(&parts), None) = (cuts.next(), cuts.next()) else { return BTreeSet::new() };
        let missing = self.config.games().filter(|game| !self.games.contains_key(game));
        missing.map(|game| Shard::with(self.config.schedule.meeting(game), parts)).collect()
    }

    /// Counts the games as the match itself would, including games after a gap, and writes its files: a new journal of
    /// all games, a new text file of the counted ones, and the result.
    ///
    /// # Errors
    /// Files that are not new, or cannot be written.
    pub fn count(
        self,
        save: Option<&Path>,
        record: Option<&Path>,
        json: Option<&Path>,
    ) -> Result<Scoreboard, MatchError> {
        // Both files must be writable before either is written.
        for path in save.into_iter().chain(record) {
            drop(new_file(path)?);
        }
        if let Some(path) = save {
            journal::write(path, &self.config, self.games.values())?;
        }
        let mut scoreboard = Scoreboard::new(&self.config, self.games.into_values());
        let mut counted: Vec<GameRecord> = scoreboard.by_ref().collect();
        scoreboard.close();
        counted.extend(scoreboard.by_ref());
        if let Some(path) = record {
            write_new(path, texts(path, &counted)?.as_bytes())?;
        }
        if let Some(path) = json {
            write_json(path, &scoreboard.standings().summary(self.config.test()))?;
        }
        Ok(scoreboard)
    }
}

/// Returns the first setting that differs from the file `origin`; `None` if there is none.
fn difference(
    found: &MatchConfig,
    expected: &MatchConfig,
    origin: &Path,
) -> Result<Option<OtherSetting>, serde_json::Error> {
    // Generated openings follow from the other settings, which are more informative.
    let rest = |config: &MatchConfig| {
        let schedule = Schedule { openings: 0, ..config.schedule.clone() };
        serde_json::to_value(MatchConfig { schedule, openings: Vec::new(), ..config.clone() })
    };
    let of_rest = OtherSetting::first(&rest(found)?, &rest(expected)?, origin);
    let (found, expected) = (serde_json::to_value(found)?, serde_json::to_value(expected)?);
    Ok(of_rest.or_else(|| OtherSetting::first(&found, &expected, origin)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::example;
    use crate::journal::Journal;
    use crate::journal::tests::settings;
    use crate::record::{MoveRecord, Outcome};
    use crate::sprt::Sprt;
    use proptest::prelude::*;

    type Saved = (MatchConfig, Vec<GameRecord>);

    /// Returns a game of this duration; the first engine wins three of four and draws one.
    fn game(index: usize, time: u64) -> GameRecord {
        let outcome = [Outcome::WhiteWins, Outcome::BlackWins, Outcome::Draw, Outcome::BlackWins][index % 4];
        let moves = vec![MoveRecord { text: "d6".to_string(), time: Some(time), ..MoveRecord::default() }];
        GameRecord { index, outcome, moves, ..example() }
    }

    /// Returns a shard's journal, in a possible order of ending.
    fn part(config: &MatchConfig, shard: &str, time: u64) -> Saved {
        let config = MatchConfig { shard: shard.parse().expect("a shard"), concurrency: 4, ..config.clone() };
        let mut games: Vec<_> = config.games().map(|index| game(index, time)).collect();
        games.reverse();
        (config, games)
    }

    fn merged<'a>(journals: impl IntoIterator<Item = &'a Saved>) -> Result<Merged, MergeError> {
        let mut merged = None;
        for (i, (config, games)) in journals.into_iter().enumerate() {
            let path = PathBuf::from(format!("file{i}"));
            let merged = merged.get_or_insert_with(|| Merged::begin(&path, config));
            merged.add(&path, config.clone(), games.clone())?;
        }
        merged.ok_or(MergeError::NoFile)
    }

    /// Returns table, result and record of games counted in this order.
    fn shown(config: &MatchConfig, scoreboard: &Scoreboard, games: &[GameRecord]) -> [String; 3] {
        let json = serde_json::to_string_pretty(&scoreboard.standings().summary(config.test())).expect("JSON");
        [scoreboard.standings().text(config.test()), json + "\n", games.iter().map(GameRecord::text).collect()]
    }

    /// Returns the output of a single run whose games have this duration.
    fn one_run(config: &MatchConfig, time: u64) -> [String; 3] {
        let mut scoreboard = Scoreboard::new(config, config.games().map(|index| game(index, time)));
        let games: Vec<_> = scoreboard.by_ref().collect();
        shown(config, &scoreboard, &games)
    }

    /// Returns the output of a merge, and whether the test has decided.
    fn given(name: &str, merged: Merged) -> ([String; 3], bool) {
        let file =
            |kind: &str| std::env::temp_dir().join(format!("millbrain-merge-{name}-{kind}-{}", std::process::id()));
        let (record, json) = (file("record"), file("json"));
        let config = merged.config().clone();
        let scoreboard = merged.count(None, Some(&record), Some(&json)).expect("written");
        let [record, json] = [record, json].map(|path| {
            let text = std::fs::read_to_string(&path).expect("readable");
            std::fs::remove_file(&path).expect("removed");
            text
        });
        ([scoreboard.standings().text(config.test()), json, record], scoreboard.is_decided())
    }

    /// Returns all permutations of the numbers below this one.
    fn orders(count: usize) -> Vec<Vec<usize>> {
        let Some(last) = count.checked_sub(1) else { return vec![Vec::new()] };
        let with = |order: Vec<usize>| (0..count).map(move |at| [&order[..at], &[last], &order[at..]].concat());
        orders(last).into_iter().flat_map(with).collect()
    }

    const TEST: Sprt = Sprt { elo0: 0.0, elo1: 200.0, alpha: 0.05, beta: 0.05 };

    #[test]
    fn parts_in_any_order_and_repeated_give_what_one_run_gives() {
        for (name, config) in [("plain", settings(7, None)), ("test", settings(100, Some(TEST)))] {
            let parts = ["1/3", "2/3", "3/3"].map(|shard| part(&config, shard, 5));
            // The second part again, from a slower machine, and half of the whole.
            let mut half = part(&config, "1/1", 9);
            half.1.truncate(7);
            let journals = [&parts[0], &parts[1], &parts[2], &part(&config, "2/3", 8), &half];
            let expected = one_run(&config, 5);
            assert_eq!(expected[0].contains(": passed"), name == "test", "{}", expected[0]);
            assert_eq!(orders(5).len(), 120);
            for order in orders(5) {
                let merged = merged(order.iter().map(|&i| journals[i])).expect("one match");
                assert!(merged.games() == config.schedule.len() && merged.unfinished().is_empty());
                let (found, is_decided) = given(name, merged);
                assert_eq!(found, expected, "{order:?}");
                assert_eq!(is_decided, name == "test");
            }
        }
    }

    #[test]
    fn missing_games_are_reported_and_decide_nothing() {
        let config = settings(100, Some(TEST));
        let journals = ["1/4", "2/4", "4/4"].map(|shard| part(&config, shard, 5));
        let lacking = merged(&journals).expect("one match");
        assert_eq!(lacking.games(), 150);
        assert_eq!(lacking.unfinished().into_iter().collect::<Vec<_>>(), [Shard::with(2, 4)]);
        let ([text, json, _], is_decided) = given("lacking", lacking);
        assert!(text.contains("Games 150:") && !text.contains("passed") && !is_decided, "{text}");
        assert!(json.contains("\"decision\": null"));
        // A gap after the decision changes nothing.
        let mut journals = ["1/4", "2/4", "3/4", "4/4"].map(|shard| part(&config, shard, 5));
        journals[2].1.retain(|game| game.index < 150);
        let lacking = merged(&journals).expect("one match");
        assert_eq!(lacking.unfinished().into_iter().collect::<Vec<_>>(), [Shard::with(2, 4)]);
        assert_eq!(given("late", lacking), (one_run(&config, 5), true));
        // If the match was split in two ways, missing parts are not reported.
        let journals = [part(&config, "1/4", 5), part(&config, "1/3", 5)];
        assert!(merged(&journals).expect("one match").unfinished().is_empty());
        assert!(matches!(merged([]), Err(MergeError::NoFile)));
    }

    #[test]
    fn other_matches_are_refused() {
        let config = settings(7, None);
        let reported = |change: fn(&mut MatchConfig)| {
            let (first, mut second) = (part(&config, "1/2", 5), part(&config, "2/2", 5));
            change(&mut second.0);
            merged([&first, &second]).map(|merged| merged.games()).map_err(|error| error.to_string())
        };
        assert_eq!(reported(|_| {}), Ok(14));
        assert_eq!(reported(|config| config.concurrency = 9), Ok(14));
        let wrong = |what: &str| Err(format!("file1: {what} as in file0"));
        let nodes = reported(|config| config.engines[1].thinking.nodes = Some(7));
        assert_eq!(nodes, wrong("engines.1.thinking.nodes is 7, expected null"));
        let variant = reported(|config| config.variant = "smess".to_string());
        assert_eq!(variant, wrong("variant is \"smess\", expected \"morris\""));
        // More rounds imply more openings; the rounds are reported.
        let rounds = reported(|config| {
            (config.schedule.rounds, config.schedule.openings) = (9, 9);
            config.openings.extend(vec![config.openings[0].clone(); 8]);
        });
        assert_eq!(rounds, wrong("schedule.rounds is 9, expected 7"));
        let opening = reported(|config| config.openings[0].moves[0] = "f4".to_string());
        assert_eq!(opening, wrong("openings.0.moves.0 is \"f4\", expected \"d6\""));
        let more = reported(|config| config.openings[0].moves.push("f4".to_string()));
        assert_eq!(more, wrong("openings.0.moves.1 is \"f4\", expected null"));
        assert_eq!(reported(|config| config.recover = false), wrong("recover is false, expected true"));
    }

    #[test]
    fn a_merge_can_be_saved_and_goes_on() {
        let path = std::env::temp_dir().join(format!("millbrain-merge-saved-{}", std::process::id()));
        let _ = std::fs::remove_file(&path);
        let config = settings(7, None);
        let journals = ["3/3", "1/3"].map(|shard| part(&config, shard, 5));
        merged(&journals).expect("one match").count(Some(&path), None, None).expect("written");
        let (_, resumed, games) = Journal::resume(&path).expect("a journal");
        assert_eq!(resumed, MatchConfig { concurrency: 4, ..config });
        let indices: Vec<_> = games.iter().map(|game| game.index).collect();
        assert_eq!(indices, [0, 1, 4, 5, 6, 7, 10, 11, 12, 13]);
        // If one of the files exists, none is written.
        let record = path.with_extension("record");
        let refused = merged(&journals).expect("one match").count(Some(&path), Some(&record), None);
        let error = refused.err().expect("the file exists").to_string();
        assert!(error.ends_with("exists already, expected the name of a new file"), "{error}");
        assert!(!record.exists() && std::fs::read_to_string(&path).expect("readable").lines().count() == 11);
        std::fs::remove_file(&path).expect("removed");
    }

    proptest! {
        /// With contradictory journals the choice does not depend on their order either.
        #[test]
        fn what_is_merged_does_not_depend_on_the_order(
            journals in prop::collection::vec(prop::collection::vec((0usize..14, 0usize..3, 1u64..4), 0..10), 1..5)
                .prop_flat_map(|journals| (Just(journals.clone()), Just(journals).prop_shuffle())),
        ) {
            let config = settings(7, None);
            let merged = |journals: &[Vec<(usize, usize, u64)>]| {
                let saved = |games: &Vec<(usize, usize, u64)>| {
                    let outcomes = [Outcome::WhiteWins, Outcome::Draw, Outcome::BlackWins];
                    let game = |&(index, outcome, time)| GameRecord { outcome: outcomes[outcome], ..game(index, time) };
                    (config.clone(), games.iter().map(game).collect())
                };
                let journals: Vec<Saved> = journals.iter().map(saved).collect();
                merged(&journals).expect("one match").games
            };
            let (journals, shuffled) = journals;
            prop_assert_eq!(merged(&journals), merged(&shuffled));
        }
    }
}
