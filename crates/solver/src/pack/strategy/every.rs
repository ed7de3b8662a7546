//! Strategies that answer every reply, including those that give the draw away, and so prove it.
//!
//! After such a reply any move that does not lose is enough. A move to a position that is already held adds none to
//! answer. Otherwise few positions are chosen as for the replies that preserve the value. Rounds continue until one has
//! nothing to answer.

use super::{BASE, Key, Search, StrategyError, TOGETHER, choose};
use ahash::AHashSet;
use millbrain_core::game::value::known_end;
use millbrain_core::game::{Game, Searchable, Verdict};
use millbrain_tablebase::Endings;
use millbrain_tablebase::pack::{Contents, Said};
use rayon::prelude::*;

/// The number of positions that are answered together: memory is bounded, and answers to earlier ones may answer these.
const BATCH: usize = 200_000;
/// The number of held positions whose replies are visited together.
const PART: usize = 1_000_000;
/// The cost of an answer that gives the win away again. A strategy for five stones without flying has 1,236,300
/// positions with this, 1,361,249 without.
const DRAWN: u64 = 100;

impl<E: Endings<Game: Searchable>> Search<E> {
    /// Adds answers to all other replies to strategies that hold a draw.
    pub(super) fn answer_every_reply(&self, contents: &mut Contents) -> Result<(), StrategyError> {
        let mut front: Vec<Key> = contents.keys(Said::Held).collect();
        let mut held: AHashSet<Key> = front.iter().copied().collect();
        let mut asked = AHashSet::new();
        while !front.is_empty() {
            let mut to_answer = Vec::new();
            for part in front.chunks(PART) {
                let mut replies = self.links(part).to;
                replies.retain(|key| !asked.contains(key));
                let open = self.open(&replies, &held);
                asked.extend(open.iter().copied());
                to_answer.extend(open);
            }
            log::info!("strategy: {} held positions, {} more replies to answer", held.len(), to_answer.len());
            to_answer.sort_unstable();
            front.clear();
            for batch in to_answer.chunks(BATCH) {
                let chosen = self.cover_any(&self.open(batch, &held), &held, &asked)?;
                held.extend(chosen.iter().copied());
                front.extend(chosen);
            }
            front.sort_unstable();
            contents.extend(Said::Held, &front);
        }
        Ok(())
    }

    /// Returns the positions from which no move wins at once or leads to a held position.
    fn open(&self, keys: &[Key], held: &AHashSet<Key>) -> Vec<Key> {
        let is_open = |key: &&Key| !self.is_answered(**key, held);
        keys.par_iter().with_min_len(TOGETHER).filter(is_open).copied().collect()
    }

    fn is_answered(&self, key: Key, held: &AHashSet<Key>) -> bool {
        let (game, pos) = (self.endings.game(), self.position(key));
        game.moves(&pos).iter().any(|&mv| {
            let after = game.play(&pos, mv);
            known_end(&game, &after).is_some() || self.key(&after).is_some_and(|key| held.contains(&key))
        })
    }

    /// Returns few positions that answer all of these, by any moves that do not lose.
    fn cover_any(
        &self,
        to_answer: &[Key],
        held: &AHashSet<Key>,
        asked: &AHashSet<Key>,
    ) -> Result<Vec<Key>, StrategyError> {
        let links = self.links(to_answer);
        let verdicts = self.verdicts(&links.to)?;
        let candidates: Vec<usize> = (0..links.to.len()).filter(|&i| verdicts[i] != Verdict::Win).collect();
        let cost = |&i: &usize| BASE + if verdicts[i] == Verdict::Draw { DRAWN } else { 0 };
        let costs: Vec<u64> = candidates.iter().map(cost).collect();
        let keys: Vec<Key> = candidates.iter().map(|&i| links.to[i]).collect();
        let replies = self.links(&keys);
        let is_open = |&i: &usize| !asked.contains(&replies.to[i]) && !self.is_answered(replies.to[i], held);
        let open: Vec<usize> = (0..replies.to.len()).into_par_iter().with_min_len(TOGETHER).filter(is_open).collect();
        Ok(choose(&links, to_answer.len(), &candidates, &costs, &self.to_answer(&replies, &open, keys.len())))
    }
}
