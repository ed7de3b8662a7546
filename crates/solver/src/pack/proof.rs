//! Proofs from a pack and the rules alone.
//!
//! A set of positions is *closed* if each move from them can be answered by a move to another of them, or by one that
//! wins. A side that has moved to such a set can do so after every reply, for ever, and never loses. So a set that has
//! the start, and a position after some first move, proves that the game is drawn. Checking this takes no values: the
//! rules give all moves, and the pack is the set.

use millbrain_core::game::{Game, Side, Verdict};
use millbrain_core::threads::{self, NoThreads};
use millbrain_core::variant::Ruleset;
use millbrain_tablebase::pack::{Pack, PackFault, Said};
use millbrain_tablebase::{Endings, PositionOf, Sector};
use millbrain_tablebase::{NoEndings, with_endings};
use rayon::prelude::*;
use std::path::Path;

/// The number of positions that are checked together.
const TOGETHER: usize = 1_024;

/// The findings about the held positions of a pack.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Proof {
    /// Held positions.
    pub held: u64,
    /// Moves from these; symmetric moves count separately.
    pub replies: u64,
    /// Moves without an answer.
    pub open: u64,
    /// The position after one of them, if there are any.
    pub example: Option<String>,
    /// The sides that can reach a held position: the side to move at the start by its first move, its opponent without
    /// one.
    pub sides: Vec<Side>,
}

impl Proof {
    /// Returns whether the sides that can reach a held position are proved not to lose.
    pub fn is_closed(&self) -> bool {
        self.open == 0 && !self.sides.is_empty()
    }
}

/// The reason why a check failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProofError {
    /// There are no packs for these rules.
    #[error(transparent)]
    Rules(#[from] NoEndings),
    /// The pack is not used.
    #[error(transparent)]
    Pack(#[from] PackFault),
    /// The threads cannot be started.
    #[error(transparent)]
    Threads(#[from] NoThreads),
}

/// Checks whether the held positions of a pack are closed, and for whom.
///
/// # Errors
/// Fails for rules without tables, a pack that is not used, or threads that cannot be started.
pub fn check(rules: &Ruleset, path: &Path, threads: usize) -> Result<Proof, ProofError> {
    let pool = threads::pool(threads)?;
    with_endings!(
        *rules,
        |endings| {
            let pack = Pack::open(path, &endings)?;
            Ok(pool.install(|| proof(&pack)))
        },
        else Err(NoEndings.into())
    )
}

/// The moves from some positions.
#[derive(Default)]
struct Replies {
    all: u64,
    open: u64,
    example: Option<String>,
}

impl Replies {
    fn and(self, other: Replies) -> Replies {
        Replies { all: self.all + other.all, open: self.open + other.open, example: self.example.or(other.example) }
    }
}

/// Looks at all held positions of a pack.
pub(super) fn proof<E: Endings>(pack: &Pack<E>) -> Proof {
    let keys = pack.keys(Said::Held);
    let replies = keys.par_iter().with_min_len(TOGETHER).map(|&key| replies_to(pack, key));
    let Replies { all, open, example } = replies.reduce(Replies::default, Replies::and);
    let start = pack.endings().game().start();
    let mut sides = Vec::new();
    if is_safe(pack, &start) {
        sides.push(Side::White);
    }
    if pack.contains(Said::Held, &start, u32::MAX) {
        sides.push(Side::Black);
    }
    Proof { held: keys.len() as u64, replies: all, open, example, sides }
}

/// Checks each move from a held position.
fn replies_to<E: Endings>(pack: &Pack<E>, (sector, slot): (Sector, u64)) -> Replies {
    let (game, mut replies) = (pack.endings().game(), Replies::default());
    let Some(pos) = pack.endings().position(sector, slot) else {
        let example = format!("slot {slot} of {}, which is no position", pack.endings().name(sector));
        return Replies { open: 1, example: Some(example), ..replies };
    };
    game.generate(&pos, |mv| {
        replies.all += 1;
        let after = game.play(&pos, mv);
        if !is_safe(pack, &after) {
            replies.open += 1;
            replies.example.get_or_insert_with(|| pack.endings().fen(&after));
        }
    });
    replies
}

/// Returns whether the side to move has won, has a move that wins or leads to a held position, or the game is
/// drawn.
fn is_safe<E: Endings>(pack: &Pack<E>, pos: &PositionOf<E>) -> bool {
    let game = pack.endings().game();
    if let Some(ending) = game.decided(pos) {
        return ending.verdict != Verdict::Loss;
    }
    game.moves(pos).iter().any(|&mv| {
        let after = game.play(pos, mv);
        game.decided(&after).is_some_and(|ending| ending.verdict != Verdict::Win)
            || pack.contains(Said::Held, &after, u32::MAX)
    })
}
