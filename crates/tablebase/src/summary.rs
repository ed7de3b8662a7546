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

#[cfg(all(test, feature = "build"))]
mod tests {
    use super::*;
    use crate::build::build;
    use crate::tests::request;
    use millbrain_core::morris::rules::MORRIS;

    /// With three stones a side the whole game takes seconds.
    #[test]
    fn the_first_moves_and_all_that_follows_are_summed_up() {
        let rules = Ruleset::Morris(millbrain_core::morris::Rules { stones: 3, ..MORRIS });
        let request = request("summary", "game");
        build(rules, &request, &(), &mut |_| Ok(())).expect("built");
        let Summary { ruleset, start, hands, sectors } = summary(&rules, &request.folder).expect("a summary");
        std::fs::remove_dir_all(&request.folder).expect("removed");
        assert_eq!(ruleset.to_string(), "morris flying=true removal=if-all diagonals=false");
        let start = start.expect("known");
        assert_eq!(start.fen, "3/3/3/6/3/3/3 w 3 3 0 1");
        // Corners and middles of the outer and the inner ring, of the middle ring each.
        let mut orbits: Vec<usize> = start.moves.iter().map(|first| first.ply.moves.len()).collect();
        orbits.sort_unstable();
        assert_eq!(orbits, [4, 4, 8, 8]);
        assert_eq!(start.moves[0].ply.value, start.value, "the best move first");
        for First { ply, replies } in &start.moves {
            assert_eq!(replies.iter().map(|reply| reply.moves.len()).sum::<usize>(), 23, "after {:?}", ply.moves);
        }
        assert_eq!(hands.iter().map(|hand| hand.stones).collect::<Vec<_>>(), [6, 5, 4, 3, 2, 1, 0]);
        let replies: usize = start.moves.iter().map(|first| first.replies.len()).sum();
        let counted: Vec<u64> = hands.iter().take(3).map(|hand| hand.tally.reduced.total()).collect();
        assert_eq!(counted, [1, 4, replies as u64]);
        let total = |tallies: Vec<&Tally>| tallies.iter().map(|tally| tally.unreduced.total()).sum::<u64>();
        assert_eq!(
            total(hands.iter().map(|hand| &hand.tally).collect()),
            total(sectors.iter().map(|s| &s.entry.tally).collect())
        );
        assert_eq!(hands.iter().map(|hand| hand.sectors as usize).sum::<usize>(), sectors.len());
        assert_eq!(hands[6].tally, sectors[0].entry.tally, "three stones against three");
    }

    #[test]
    fn tables_without_stones_in_hand_tell_nothing_of_the_start() {
        let folder = crate::tests::three_against_three("summary-moving");
        let rules = Ruleset::Morris(MORRIS);
        let told = summary(&rules, &folder).expect("a summary");
        assert_eq!((told.start, told.hands.len(), told.sectors.len()), (None, 1, 1));
        let other = summary(&millbrain_core::variant::Variant::Mlyn.rules(), &folder).map(|_| ());
        assert!(other.is_err_and(|error| error.to_string().contains("flying")), "a folder of other rules");
        std::fs::remove_dir_all(folder).expect("removed");
    }
}
