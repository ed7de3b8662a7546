//! The contents of a pack, and a writer.

use super::{END, FORMAT, HEADER, MAGIC, Mark, Pack, PackFault, SUM, Said, checksum};
use crate::endings::{Endings, Located, Sector};
use crate::{NoEndings, with_endings};
use millbrain_core::game::Notation;
use millbrain_core::game::fen::Faults;
use millbrain_core::variant::Ruleset;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The reason why no pack can be made of some positions.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PackError {
    /// There are no tables for these rules, so positions have no numbers.
    #[error(transparent)]
    Rules(#[from] NoEndings),
    /// One of the positions is invalid.
    #[error("{fen}: {source}")]
    Fen {
        /// Its text.
        fen: String,
        /// The faults.
        source: Faults,
    },
    /// One of the positions is in no sector.
    #[error("{0}: in no table, expected an undecided position")]
    Nowhere(String),
}

/// The positions of a pack by their claims; symmetric positions are one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Contents {
    rules: Ruleset,
    /// The slots by claim.
    sets: BTreeMap<(Said, Sector), BTreeSet<u64>>,
}

impl Contents {
    /// Creates an empty pack for these rules.
    pub const fn new(rules: Ruleset) -> Contents {
        Contents { rules, sets: BTreeMap::new() }
    }

    /// Reads the positions of a file.
    ///
    /// # Errors
    /// Fails as for a pack that is not used.
    pub fn read(rules: &Ruleset, path: &Path) -> Result<Contents, PackFault> {
        with_endings!(
            *rules,
            |endings| Pack::open(path, &endings).map(|pack| pack.contents(rules)),
            else Err(PackFault::Rules)
        )
    }

    /// Adds a position that the side to move wins.
    ///
    /// # Errors
    /// Fails for rules without tables, or a text that is not an undecided position.
    pub fn add_won(&mut self, fen: &str) -> Result<(), PackError> {
        let rules = self.rules;
        with_endings!(rules, |endings| self.add(&endings, fen), else Err(NoEndings.into()))
    }

    fn add<E: Endings>(&mut self, endings: &E, fen: &str) -> Result<(), PackError> {
        let placed = endings.game().parse_fen(fen).map_err(|source| PackError::Fen { fen: fen.to_string(), source })?;
        let Located::Slot(sector, slot) = endings.locate(&placed.position) else {
            return Err(PackError::Nowhere(fen.to_string()));
        };
        self.extend(Said::Won, &[(sector, slot)]);
        Ok(())
    }

    /// Adds positions by their numbers.
    pub fn extend(&mut self, said: Said, keys: &[(Sector, u64)]) {
        for keys in keys.chunk_by(|a, b| a.0 == b.0) {
            let slots = keys.iter().map(|&(_, slot)| slot);
            self.sets.entry((said, keys[0].0)).or_default().extend(slots);
        }
    }

    /// Counts the positions with this claim.
    pub fn count(&self, said: Said) -> usize {
        self.sets.iter().filter(|((of, _), _)| *of == said).map(|(_, slots)| slots.len()).sum()
    }

    /// Returns the positions with this claim.
    pub fn keys(&self, said: Said) -> impl Iterator<Item = (Sector, u64)> {
        let sets = self.sets.iter().filter(move |((of, _), _)| *of == said);
        sets.flat_map(|((_, sector), slots)| slots.iter().map(|&slot| (*sector, slot)))
    }

    /// Returns whether a slot has this claim.
    pub fn has(&self, said: Said, sector: Sector, slot: u64) -> bool {
        self.sets.get(&(said, sector)).is_some_and(|slots| slots.contains(&slot))
    }

    /// Returns the bytes of a pack. Equal positions make equal packs.
    ///
    /// # Errors
    /// Fails for rules without tables.
    pub fn pack(&self) -> Result<Vec<u8>, NoEndings> {
        let rules = self.rules;
        with_endings!(rules, |endings| Ok(self.bytes(&endings)), else Err(NoEndings))
    }

    /// Returns the bytes of a pack of these endings, which are those of the positions.
    pub fn bytes<E: Endings>(&self, endings: &E) -> Vec<u8> {
        let mut bytes = vec![0; HEADER];
        bytes[..8].copy_from_slice(MAGIC);
        bytes[8..12].copy_from_slice(&FORMAT.to_le_bytes());
        bytes[12..16].copy_from_slice(&(self.sets.len() as u32).to_le_bytes());
        Mark::of(endings).write(&mut bytes);
        for ((said, sector), slots) in &self.sets {
            bytes.extend([sector.own, sector.opp, *said as u8, 0]);
            bytes.extend((slots.len() as u32).to_le_bytes());
        }
        for ((_, sector), slots) in &self.sets {
            let slots: Vec<u64> = slots.iter().copied().collect();
            super::Sparse::write(endings.slots(*sector), &slots, &mut bytes);
        }
        bytes.extend([0; END]);
        let length = (bytes.len() as u64).to_le_bytes();
        bytes[32..40].copy_from_slice(&length);
        let sum = checksum(&bytes).to_le_bytes();
        bytes[SUM..HEADER].copy_from_slice(&sum);
        bytes
    }
}

impl<E: Endings> Pack<E> {
    pub(super) fn contents(&self, rules: &Ruleset) -> Contents {
        let mut contents = Contents::new(*rules);
        for said in Said::ALL {
            for (&sector, set) in &self.sets[said as usize] {
                contents.sets.insert((said, sector), set.slots.iter(&self.bytes).collect());
            }
        }
        contents
    }
}
