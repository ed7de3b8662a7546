//! Measures the search's error rate in the positions of a set.

use super::hash_tables::HashTables;
use super::set::{Position, Set};
use millbrain_core::any::AnyGame;
use millbrain_core::game::Verdict;
use millbrain_core::search::hash::OutOfMemory;
use millbrain_core::search::{Control, HashTable, Limits, Request, Weakness, strength};
use millbrain_core::threads::{self, NoThreads};
use millbrain_tablebase::{Sources, open};
use rayon::prelude::*;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The settings of a measurement.
#[derive(Clone, Debug)]
pub struct Measure {
    /// Limits of each search; one of them must be set at full strength.
    pub limits: Limits,
    /// Skill level of the search; from [`strength::FULL`] on it plays at full strength.
    pub level: u32,
    /// Number of positions searched in parallel, each on one thread, from 1.
    pub threads: usize,
    /// Hash table of each search in MiB, cleared before it.
    pub hash_mib: usize,
}

/// The reason why nothing can be measured.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MeasureError {
    /// There is no memory for the tables of the searches.
    #[error(transparent)]
    Memory(#[from] OutOfMemory),
    /// The threads cannot be started.
    #[error(transparent)]
    Threads(#[from] NoThreads),
}

/// Counts of some positions.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Row {
    /// Positions.
    pub positions: usize,
    /// Positions in which the search has chosen a move that loses value.
    pub spoiled: usize,
    /// Expected number of positions spoiled by a mover that chooses uniformly among legal moves.
    pub random: f64,
    /// Nodes of the searches.
    pub nodes: u64,
}

impl Row {
    /// Returns the share of spoiled positions.
    pub fn share(&self) -> f64 {
        self.spoiled as f64 / self.positions.max(1) as f64
    }

    /// Returns the standard error of that share.
    pub fn error(&self) -> f64 {
        (self.share() * (1.0 - self.share()) / self.positions.max(1) as f64).sqrt()
    }

    /// Returns the share that a random mover would spoil.
    pub fn random_share(&self) -> f64 {
        self.random / self.positions.max(1) as f64
    }

    fn add(&mut self, other: &Row) {
        self.positions += other.positions;
        self.spoiled += other.spoiled;
        self.random += other.random;
        self.nodes += other.nodes;
    }
}

/// The results of a measurement.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Report {
    /// The rows by value (`won`, `drawn`), then by the id of the phase.
    pub rows: BTreeMap<&'static str, BTreeMap<&'static str, Row>>,
    /// All positions.
    pub total: Row,
    /// The spoiled positions, with the chosen moves, in the order of the set.
    pub mistakes: Vec<Mistake>,
}

/// A position that the search has spoiled.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Mistake {
    /// The position.
    pub fen: String,
    /// The chosen move.
    #[serde(rename = "move")]
    pub chosen: String,
}

/// Lets the search choose a move in every position. It has no tables except the small ones that are part of the
/// program, and no packs: these would measure the packs instead of the search. `progress` gets whether the position was
/// spoiled.
///
/// # Errors
/// Fails if there is no memory, or threads cannot be started.
pub fn measure(set: &Set, settings: &Measure, progress: &(dyn Fn(bool) + Sync)) -> Result<Report, MeasureError> {
    let pool = threads::pool(settings.threads)?;
    let mut start = AnyGame::new(set.rules.rules);
    start.set_oracle(open(&set.rules.rules, &Sources { packs: false, ..Sources::default() }).oracle.as_ref());
    start.prepare();
    let hash_tables = HashTables::new(settings.threads, settings.hash_mib)?;
    let handicap = strength::handicap(settings.level);
    let look = |(seed, position): (usize, &Position)| {
        let weakness = handicap.map(|handicap| Weakness { handicap, seed: seed as u64 });
        let found = hash_tables.lend(|hash| search(&start, position, &settings.limits, weakness, hash));
        progress(matches!(found, Some((_, _, Some(_)))));
        found
    };
    let measured: Vec<_> = pool.install(|| set.positions.par_iter().with_max_len(1).enumerate().map(look).collect());
    let mut report = Report::default();
    for (position, (phase, row, mistake)) in set.positions.iter().zip(measured).filter_map(|(a, b)| Some((a, b?))) {
        let value = if position.value == Verdict::Draw { "drawn" } else { "won" };
        report.rows.entry(value).or_default().entry(phase).or_default().add(&row);
        report.total.add(&row);
        report.mistakes.extend(mistake);
    }
    Ok(report)
}

/// Searches a position; returns `None` if it cannot be set up.
fn search(
    start: &AnyGame,
    position: &Position,
    limits: &Limits,
    weakness: Option<Weakness>,
    hash: &Arc<HashTable>,
) -> Option<(&'static str, Row, Option<Mistake>)> {
    let game = start.at(Some(&position.fen), []).ok()?;
    hash.clear();
    let control = Arc::new(Control::new(false));
    let answer = game.search(&Request { weakness, ..Request::plain(limits, hash, &control) }, &mut |_| {});
    let chosen = answer.best.filter(|best| !position.good.contains(best));
    let legal = game.moves().len();
    let row = Row {
        positions: 1,
        spoiled: usize::from(chosen.is_some()),
        random: (legal - position.good.len().min(legal)) as f64 / legal.max(1) as f64,
        nodes: answer.nodes,
    };
    Some((game.phase(), row, chosen.map(|chosen| Mistake { fen: position.fen.clone(), chosen })))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A game in which removing the right stone wins. On its second occurrence the wrong moves are listed.
    const SET: &str = "millbrain truth 1 morris\n\
                       1X1/3/1OX/O1OOX1/3/1XO/1X1 w 4 4;won;b4xd1 b4xd2\n\
                       1X1/3/1OX/O1OOX1/3/1XO/1X1 w 4 4;drawn;a1 a7\n\
                       3/1X1/1O1/2XXXO/3/3/2O w 0 0;won;d5g7xd6\n";

    fn report(set: &str, threads: usize) -> Report {
        let limits = Limits { nodes: Some(2_000), ..Limits::default() };
        let settings = Measure { limits, level: strength::FULL, threads, hash_mib: 1 };
        measure(&set.parse().expect("a set"), &settings, &|_| {}).expect("measured")
    }

    #[test]
    fn moves_that_are_not_named_are_mistakes() {
        let report = report(SET, 1);
        let counts = |value: &str, phase: &str| {
            let row = &report.rows[value][phase];
            (row.positions, row.spoiled)
        };
        assert_eq!(
            (counts("won", "placing"), counts("drawn", "placing"), counts("won", "flying")),
            ((1, 0), (1, 1), (1, 0))
        );
        assert_eq!((report.total.positions, report.total.spoiled), (3, 1));
        let [mistake] = report.mistakes.as_slice() else { panic!("{:?}", report.mistakes) };
        assert!(mistake.fen.starts_with("1X1/3/1OX/O1OOX1") && mistake.chosen.starts_with("b4x"), "{mistake:?}");
        assert!((report.total.share() - 1.0 / 3.0).abs() < 1e-9 && report.total.nodes > 0);
        let legal = |set: &str| {
            set.parse::<Set>().map(|set| {
                let position = &set.positions[0];
                let game = AnyGame::new(set.rules.rules).at(Some(&position.fen), []).expect("a position");
                1.0 - position.good.len() as f64 / game.moves().len() as f64
            })
        };
        let row = &report.rows["won"]["placing"];
        assert!((row.random_share() - legal(SET).expect("a set")).abs() < 1e-9, "{row:?}");
    }

    #[test]
    fn equal_searches_are_counted_alike_on_any_number_of_threads() {
        assert_eq!(report(SET, 1), report(SET, 3));
        assert_eq!(report("millbrain truth 1 mlyn\n", 2), Report::default());
    }
}
