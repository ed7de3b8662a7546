//! A folder of tables in figures: the values of the first moves and their replies, and the positions by stones in hand.

use crate::endings::{Endings, PositionOf};
use crate::folder::Folder;
use crate::folder::stats::{FolderStats, NamedEntry, StatsError, stats};
use crate::probe::answer::Shown;
use crate::probe::tables::{Refusal, Tablebase};
use crate::rules::TablebaseRules;
use crate::tally::Tally;
use crate::{NoEndings, with_endings};
use millbrain_core::game::value::{Known, Oracle, known_end};
use millbrain_core::game::{Game, Notation};
use millbrain_core::variant::Ruleset;
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::Path;

/// The summary of a folder for a rule set. As JSON it is an object with these fields; draw counters and repetitions are
/// ignored.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Summary {
    /// The rules that the values depend on.
    pub ruleset: TablebaseRules,
    /// The start position, if the tables know it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<Start>,
    /// The positions by stones in hand, most first.
    pub hands: Vec<Hand>,
    /// The sectors in building order.
    pub sectors: Vec<NamedEntry>,
}

/// The start position.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Start {
    /// The position.
    pub fen: String,
    /// Its value.
    #[serde(flatten)]
    value: Shown,
    /// Its moves up to symmetry, best first.
    pub moves: Vec<First>,
}

/// A first move.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct First {
    /// The move.
    #[serde(flatten)]
    pub ply: Ply,
    /// The replies up to symmetry, best for the side that makes them first.
    pub replies: Vec<Ply>,
}

/// Moves that lead to images of the same position.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Ply {
    /// The moves, in the order in which they are generated.
    pub moves: Vec<String>,
    /// Their value for the side that makes them.
    #[serde(flatten)]
    value: Shown,
}

/// The positions with a given number of stones in hand.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Hand {
    /// Stones in hand of both sides.
    pub stones: u32,
    /// Number of sectors.
    pub sectors: u32,
    /// The counts of their positions.
    #[serde(flatten)]
    pub tally: Tally,
}

/// The reason why a folder has no summary.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SummaryError {
    /// The folder has no stats.
    #[error(transparent)]
    Stats(#[from] StatsError),
    /// The folder or a file in it is not used.
    #[error(transparent)]
    Refusal(#[from] Refusal),
    /// Files in the folder are damaged.
    #[error("{}", faults.join("; "))]
    Damaged {
        /// The faults found.
        faults: Vec<String>,
    },
}

/// Summarizes the tables of a folder for these rules.
///
/// # Errors
/// Fails if the folder cannot be used or is for other rules, or if files are damaged where they are read.
pub fn summary(rules: &Ruleset, folder: &Path) -> Result<Summary, SummaryError> {
    with_endings!(*rules, |endings| summary_with(Folder::endings(folder, endings).map_err(Refusal::from)?, folder), else Err(StatsError::from(NoEndings).into()))
}

fn summary_with<E: Endings>(endings: E, folder: &Path) -> Result<Summary, SummaryError> {
    let mut tables = Tablebase::none(endings.clone());
    if let Some(refusal) = tables.add_folder(folder).into_iter().next() {
        return Err(refusal.into());
    }
    let start = start(&tables);
    let faults = tables.new_faults();
    if !faults.is_empty() {
        return Err(SummaryError::Damaged { faults });
    }
    let FolderStats { rules, sectors } = stats(folder)?;
    Ok(Summary { ruleset: rules, start, hands: hands(&endings, &sectors), sectors })
}

/// Returns the start position, if its value is known.
fn start<E: Endings>(tables: &Tablebase<E>) -> Option<Start> {
    let endings = tables.endings();
    let game = endings.game();
    let start = game.start();
    let value = Shown::of(Some(tables.known(&start)?));
    let moves = plies(tables, &start).into_iter().map(|(pos, ply)| {
        let replies = plies(tables, &pos).into_iter().map(|(_, ply)| ply).collect();
        First { ply, replies }
    });
    Some(Start { fen: endings.fen(&start), value, moves: moves.collect() })
}

/// Returns the moves from a position up to symmetry, best first, with the position after the first of each.
fn plies<E: Endings>(tables: &Tablebase<E>, pos: &PositionOf<E>) -> Vec<(PositionOf<E>, Ply)> {
    let endings = tables.endings();
    let game = endings.game();
    let mut plies: Vec<(PositionOf<E>, Option<Known>, Vec<String>)> = Vec::new();
    for mv in game.moves(pos) {
        let (next, text) = (game.play(pos, mv), game.move_text(mv));
        let place = endings.locate(&next);
        match plies.iter_mut().find(|(other, ..)| endings.locate(other) == place) {
            Some((.., moves)) => moves.push(text),
            None => plies.push((
                next,
                known_end(&game, &next).map(Known::Value).or_else(|| tables.known(&next)).map(Known::before),
                vec![text],
            )),
        }
    }
    plies.sort_by_key(|(_, value, _)| Reverse(value.map(Known::rank)));
    plies.into_iter().map(|(next, value, moves)| (next, Ply { moves, value: Shown::of(value) })).collect()
}

/// Groups the sectors by stones in hand, most first.
fn hands<E: Endings>(endings: &E, entries: &[NamedEntry]) -> Vec<Hand> {
    let stones: BTreeMap<String, u32> =
        endings.sectors().into_iter().map(|sector| (endings.name(sector), endings.hand(sector))).collect();
    let mut hands: BTreeMap<Reverse<u32>, Hand> = BTreeMap::new();
    for NamedEntry { name, entry } in entries {
        let stones = stones.get(name).copied().unwrap_or(0);
        let hand = hands.entry(Reverse(stones)).or_insert_with(|| Hand { stones, sectors: 0, tally: Tally::default() });
        hand.sectors += 1;
        hand.tally.add(&entry.tally);
    }
    hands.into_values().collect()
}
