//! Counts of what a sector holds.

use super::code::Code;
use super::endings::{Endings, Sector};
use crate::value::Value;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Numbers of positions by result, for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Counts {
    /// Won positions.
    pub wins: u64,
    /// Lost positions.
    pub losses: u64,
    /// Drawn positions.
    pub draws: u64,
}

impl Counts {
    /// All positions.
    pub const fn total(&self) -> u64 {
        self.wins + self.losses + self.draws
    }

    fn add(&mut self, value: Value, positions: u64) {
        match value {
            Value::Win(_) => self.wins += positions,
            Value::Loss(_) => self.losses += positions,
            Value::Draw => self.draws += positions,
        }
    }

    /// The sum of both.
    pub const fn plus(self, other: Counts) -> Counts {
        Counts { wins: self.wins + other.wins, losses: self.losses + other.losses, draws: self.draws + other.draws }
    }
}

/// A position of the longest distance.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Longest {
    /// Distance in plies.
    pub plies: u32,
    /// The position.
    pub fen: String,
}

/// A sector in figures.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Tally {
    /// A position and its images counted once.
    pub reduced: Counts,
    /// Every image counted.
    pub unreduced: Counts,
    /// The longest win of the side to move.
    pub longest_win: Option<Longest>,
    /// The longest loss of the side to move.
    pub longest_loss: Option<Longest>,
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Counts { wins, losses, draws } = self;
        write!(f, "{wins} won, {losses} lost, {draws} drawn")
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (all images: {})", self.reduced, self.unreduced)?;
        for (what, longest) in [("win", &self.longest_win), ("loss", &self.longest_loss)] {
            if let Some(Longest { plies, fen }) = longest {
                write!(f, ", longest {what} {plies} plies ({fen})")?;
            }
        }
        Ok(())
    }
}

/// The tally of part of a sector. The longest are distances with the first slot that has them.
#[derive(Clone, Copy, Default)]
struct Partial {
    reduced: Counts,
    unreduced: Counts,
    longest: [Option<(u32, u64)>; 2],
}

impl Partial {
    fn count(mut self, slot: u64, value: Value, images: u32) -> Partial {
        self.reduced.add(value, 1);
        self.unreduced.add(value, images.into());
        let (Value::Win(plies) | Value::Loss(plies)) = value else { return self };
        let longest = &mut self.longest[plies as usize % 2];
        *longest = longer(*longest, Some((plies, slot)));
        self
    }

    fn plus(self, other: Partial) -> Partial {
        Partial {
            reduced: self.reduced.plus(other.reduced),
            unreduced: self.unreduced.plus(other.unreduced),
            longest: [0, 1].map(|i| longer(self.longest[i], other.longest[i])),
        }
    }
}

/// The longer of two distances; if they are equal, the one with the smaller slot.
fn longer(a: Option<(u32, u64)>, b: Option<(u32, u64)>) -> Option<(u32, u64)> {
    a.into_iter().chain(b).max_by_key(|&(plies, slot)| (plies, std::cmp::Reverse(slot)))
}

/// Counts a sector.
pub(super) fn tally<E: Endings>(endings: &E, sector: Sector, code: impl Fn(u64) -> Code + Sync) -> Tally {
    const CHUNK: u64 = 1 << 16;
    let slots = endings.slots(sector);
    let partial = (0..slots.div_ceil(CHUNK))
        .into_par_iter()
        .map(|chunk| {
            (chunk * CHUNK..((chunk + 1) * CHUNK).min(slots)).fold(Partial::default(), |partial, slot| {
                match endings.images(sector, slot) {
                    0 => partial,
                    images => partial.count(slot, code(slot).value(), images),
                }
            })
        })
        .reduce(Partial::default, Partial::plus);
    let example = |longest: Option<(u32, u64)>| {
        let (plies, slot) = longest?;
        Some(Longest { plies, fen: endings.fen(&endings.position(sector, slot)?) })
    };
    Tally {
        reduced: partial.reduced,
        unreduced: partial.unreduced,
        longest_win: example(partial.longest[1]),
        longest_loss: example(partial.longest[0]),
    }
}
