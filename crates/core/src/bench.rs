//! The benchmark: a fixed set of positions of all variants, searched to a fixed depth. With one thread the node total
//! is the same on every machine. It changes when and only when the search or an evaluation does.

use crate::any::AnyGame;
use crate::platform::Instant;
use crate::search::hash::OutOfMemory;
use crate::search::{Control, HashTable, Limits, Pool, PoolError, Request};
use crate::variant::Variant;
use std::sync::Arc;
use std::time::Duration;

/// Default depth.
pub const DEFAULT_DEPTH: u32 = 12;
/// Default hash size in MiB.
pub const DEFAULT_HASH: usize = 16;

/// The positions; `None` is the start position.
pub const POSITIONS: &[(Variant, Option<&str>)] = &[
    (Variant::Morris, None),
    (Variant::Morris, Some("3/1O1/3/1X1OX1/3/1X1/O2 w 6 6 0 4")),
    (Variant::Morris, Some("OO1/1XO/X2/XO1O1X/O1X/XOX/1XO w 1 1 0 1")),
    (Variant::Morris, Some("1OO/XX1/O1O/O1XXO1/1OX/OXX/X1O w 0 0 0 1")),
    (Variant::Morris, Some("X2/1O1/1OX/O1XX1O/1X1/O1O/1XX b 0 0 0 1")),
    (Variant::Morris, Some("O2/1O1/X2/4OX/2O/O2/1X1 w 0 0 0 1")),
    (Variant::Muehle, Some("O1X/1X1/O1O/1XXO1O/1XX/O1O/X1O w 0 0 4 14")),
    (Variant::Mylos, Some("OOO/1XX/1OX/O1XX2/1OX/X1O/O2 w 0 0 0 1")),
    (Variant::Mlyn, Some("OOO/O1O/X2/3O1X/OX1/X1X/XX1 w 0 0 0 1")),
    (Variant::Lasker, None),
    (Variant::Lasker, Some("X2/O2/O2/XO1XXX/3/O1O/X2 w 3 3 0 8")),
    (Variant::Morabaraba, None),
    (Variant::Morabaraba, Some("1OO/XX1/O1O/O1XXO1/1OX/OXX/X1O w 0 0 0 1")),
    (Variant::Smess, None),
    (Variant::Smess, Some("1s1b1s1/2nssn1/4n2/3n3/7/2N2N1/N1SS2N/2SBS2 w 0 1")),
    (Variant::Smess, Some("N3sb1/1NN1N2/7/3n3/3N3/7/2n1nn1/n1S1B1n w 0 1")),
    (Variant::Smess, Some("2s1b2/1n1n3/2n1s1n/3N3/1N2n2/4N1N/1SN2S1/3B3 b 3 20")),
];

/// The reason why the positions cannot be searched.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BenchError {
    /// There is no memory for the hash table.
    #[error(transparent)]
    Memory(#[from] OutOfMemory),
    /// The threads cannot be started.
    #[error(transparent)]
    Threads(#[from] PoolError),
}

/// Returns the nodes per second; the time counts as at least a microsecond.
pub fn nodes_per_second(nodes: u64, time: Duration) -> u64 {
    let micros = time.as_micros().max(1);
    (u128::from(nodes) * 1_000_000 / micros) as u64
}

/// Totals of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Total {
    /// Nodes of all searches.
    pub nodes: u64,
    /// Time of all searches.
    pub time: Duration,
}

impl Total {
    /// Returns the line `N nodes M nps`.
    pub fn line(&self) -> String {
        format!("{} nodes {} nps", self.nodes, nodes_per_second(self.nodes, self.time))
    }
}

/// Searches every position to a depth with an empty hash table, and reports on each. Ends early when `control` stops.
///
/// # Errors
/// Fails if there is no memory for the hash table or a thread cannot be started.
pub fn run(
    depth: u32,
    threads: usize,
    hash: usize,
    control: &Arc<Control>,
    mut tell: impl FnMut(&str),
) -> Result<Total, BenchError> {
    let hash_table = Arc::new(HashTable::new(hash)?);
    let pool = Pool::new(threads)?;
    let limits = Limits { depth: Some(depth), ..Limits::default() };
    let mut total = Total::default();
    for (i, &(variant, fen)) in POSITIONS.iter().enumerate() {
        if control.stopped() {
            break;
        }
        hash_table.clear();
        let mut game = AnyGame::new(variant.rules());
        if let Err(error) = game.set_up(fen, []) {
            tell(&format!("position {} cannot be set up: {error}", i + 1));
            continue;
        }
        let request = Request { pool: Some(&pool), ..Request::plain(&limits, &hash_table, control) };
        let started = Instant::now();
        let found = game.search(&request, &mut |_| {});
        let time = started.elapsed();
        total.nodes += found.nodes;
        total.time += time;
        tell(&format!(
            "{}/{} {variant} depth {} nodes {} time {} us {}",
            i + 1,
            POSITIONS.len(),
            found.depth,
            found.nodes,
            time.as_micros(),
            game.fen()
        ));
    }
    Ok(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reported(depth: u32, control: &Arc<Control>) -> (Total, Vec<String>) {
        let mut lines = Vec::new();
        let total = run(depth, 1, 1, control, |line| lines.push(line.to_string())).expect("a small table");
        (total, lines)
    }

    #[test]
    fn every_position_is_searched_and_counted() {
        let (total, lines) = reported(2, &Arc::new(Control::new(false)));
        assert_eq!(lines.len(), POSITIONS.len());
        let mut nodes = 0;
        for (number, (line, (variant, fen))) in (1..).zip(lines.iter().zip(POSITIONS)) {
            assert!(line.starts_with(&format!("{number}/{} {variant} depth 2 nodes ", POSITIONS.len())), "{line}");
            assert!(line.ends_with(fen.unwrap_or_default()), "{line}");
            nodes += line.split(' ').nth(5).and_then(|word| word.parse::<u64>().ok()).expect("nodes");
        }
        assert_eq!(total.nodes, nodes);
        assert!(nodes > 0 && total.time > Duration::ZERO);
        assert_eq!(reported(2, &Arc::new(Control::new(false))).0.nodes, nodes);
    }

    #[test]
    fn it_ends_when_stopped() {
        let control = Arc::new(Control::new(false));
        control.stop();
        assert_eq!(reported(2, &control), (Total::default(), Vec::new()));
    }

    #[test]
    fn totals_are_nodes_and_speed() {
        assert_eq!(Total { nodes: 500, time: Duration::from_millis(250) }.line(), "500 nodes 2000 nps");
    }
}
