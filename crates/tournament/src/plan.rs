//! The rest of a match, for a program that hands it out in parts.

use super::journal::MatchConfig;
use super::record::GameRecord;
use super::scoreboard::Scoreboard;
use serde::Serialize;
use std::collections::{BTreeSet, HashSet};
use std::ops::Range;

/// The rest of a match.
#[derive(Serialize)]
pub struct Plan<'a> {
    /// Meetings of the match. `--shard I-J/MEETINGS` plays the meetings I to J.
    meetings: usize,
    /// Meetings that lack games, numbered from 0: from the first number up to, but without, the second.
    left: Vec<[usize; 2]>,
    /// Games of the match.
    games: usize,
    /// Games that are finished.
    played: usize,
    /// Whether no further game is needed: all are finished, or the sequential test has decided.
    is_over: bool,
    /// Cores that the games keep busy.
    cores: usize,
    /// Whether time limits an engine.
    is_timed: bool,
    /// The programs of the engines.
    programs: BTreeSet<&'a str>,
    /// The settings, as a journal begins with them.
    settings: &'a MatchConfig,
}

impl<'a> Plan<'a> {
    /// Plans the rest of a match of which these games are finished.
    pub fn new(settings: &'a MatchConfig, finished: Vec<GameRecord>) -> Plan<'a> {
        let MatchConfig { schedule, engines, concurrency, .. } = settings;
        let done: HashSet<usize> = finished.iter().map(|game| game.index).collect();
        let mut left = Vec::<Range<usize>>::new();
        for meeting in settings.games().filter(|game| !done.contains(game)).map(|game| schedule.meeting(game)) {
            match left.last_mut() {
                Some(last) if meeting <= last.end => last.end = meeting + 1,
                _ => left.push(meeting..meeting + 1),
            }
        }
        let mut scoreboard = Scoreboard::new(settings, finished);
        scoreboard.by_ref().for_each(drop);
        Plan {
            meetings: schedule.len() / schedule.games,
            is_over: left.is_empty() || scoreboard.is_decided(),
            left: left.into_iter().map(|Range { start, end }| [start, end]).collect(),
            games: settings.games().count(),
            played: done.len(),
            cores: concurrency * engines.iter().map(|engine| engine.threads()).max().unwrap_or(1),
            is_timed: engines.iter().any(|engine| engine.thinking.is_timed()),
            programs: engines.iter().map(|engine| engine.command.as_str()).collect(),
            settings,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::example;
    use crate::journal::tests::settings;
    use serde_json::json;

    #[test]
    fn what_is_left_is_in_the_plan() {
        let mut config = settings(5, None);
        config.concurrency = 2;
        config.engines[1].options.push(("threads".to_string(), "3".to_string()));
        let plan = |numbers: &[usize]| {
            let game = |&index: &usize| GameRecord { index, ..example() };
            serde_json::to_value(Plan::new(&config, numbers.iter().map(game).collect())).expect("JSON")
        };
        let all = plan(&[]);
        assert_eq!((&all["meetings"], &all["left"], &all["games"]), (&json!(5), &json!([[0, 5]]), &json!(10)));
        assert_eq!((&all["cores"], &all["is_timed"], &all["programs"]), (&json!(6), &json!(true), &json!(["a", "b"])));
        assert_eq!(all["settings"], serde_json::to_value(&config).expect("JSON"));
        // A meeting is left as long as it lacks a game; a game may be there twice.
        let some = plan(&[4, 5, 2, 5]);
        assert_eq!((&some["left"], &some["played"]), (&json!([[0, 2], [3, 5]]), &json!(3)));
        let none = plan(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
        assert_eq!((&none["left"], &none["is_over"], &some["is_over"]), (&json!([]), &json!(true), &json!(false)));
    }
}
