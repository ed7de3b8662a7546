//! The interface between a game and its tables: how positions are numbered.

use crate::compact::{History, Scanner};
use crate::metric::Metric;
use crate::rules::TablebaseRules;
use millbrain_core::any::Family;
use millbrain_core::game::value::{Value, known_end};
use millbrain_core::game::{Game, Notation, Placed};
use millbrain_core::variant::Ruleset;
use std::collections::HashSet;

/// The forces of the side to move and of its opponent, each a code defined by the game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Sector {
    /// Force of the side to move.
    pub own: u8,
    /// Force of the opponent.
    pub opp: u8,
}

impl Sector {
    /// Returns the sector of these two forces.
    pub const fn new(own: u8, opp: u8) -> Sector {
        Sector { own, opp }
    }

    /// Returns the sector that quiet moves lead to: the same forces with the other side to move.
    pub const fn partner(self) -> Sector {
        Sector { own: self.opp, opp: self.own }
    }
}

/// Where the value of a position is found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Located {
    /// The value of a finished game.
    Over(Value),
    /// A slot in the table of a sector.
    Slot(Sector, u64),
    /// No tables exist for such positions.
    Nowhere,
}

/// Eight bytes that identify the rules of a table file: family and switches.
pub type RulesTag = [u8; 8];

/// A game with numbered endings. Every position of a sector has a slot, which it shares with its images under symmetry.
pub trait Endings: Clone + Send + Sync + 'static {
    /// The rules.
    type Game: Family;

    /// Returns the rules.
    fn game(&self) -> Self::Game;

    /// Returns the mark of table files; equal for rule sets whose values are equal.
    fn tag(&self) -> RulesTag;

    /// Returns the rules behind a tag, for messages and the manifest.
    fn rules(&self) -> TablebaseRules;

    /// Returns the name of a sector, side to move first: `5-3`, `BS-B`.
    fn name(&self, sector: Sector) -> String;

    /// Counts the stones or pieces of both sides.
    fn pieces(&self, sector: Sector) -> u32;

    /// Returns whether each side's force lies between those of two other sectors.
    fn is_between(&self, sector: Sector, from: Sector, to: Sector) -> bool;

    /// Returns what distances count.
    fn metric(&self) -> Metric {
        Metric::End
    }

    /// Returns these endings with the draw counter of some rules, or `None` if there are no such tables.
    fn with_counter(&self, _: &Ruleset) -> Option<Self> {
        None
    }

    /// Returns the value of a position of a sector whose only move leads to `next` and a position of this value. `None`
    /// for `next` ends the game.
    fn before(&self, sector: Sector, next: Option<Sector>, value: Value) -> Value {
        self.metric().before(value, next != Some(sector.partner()))
    }

    /// Returns these endings without the sectors with stones in hand.
    fn moving_only(&self) -> Self {
        self.clone()
    }

    /// Counts the stones in hand of both sides.
    fn hand(&self, _: Sector) -> u32 {
        0
    }

    /// Returns whether the positions have stones in hand; such sectors are built on request only.
    fn in_hand(&self, sector: Sector) -> bool {
        self.hand(sector) > 0
    }

    /// Returns the sectors that have to be solved together with this one, each once.
    fn pair(&self, sector: Sector) -> Vec<Sector> {
        let mut pair = vec![sector, sector.partner()];
        pair.dedup();
        pair
    }

    /// Returns every sector that can have tables, in an order in which they can be built.
    fn sectors(&self) -> Vec<Sector>;

    /// Returns the sectors that moves lead to: the exits and, if quiet moves stay in the [pair](Endings::pair), the
    /// partner.
    fn successors(&self, sector: Sector) -> Vec<Sector> {
        let partner = sector.partner();
        let mut successors = self.exits(sector);
        successors.extend(self.pair(sector).contains(&partner).then_some(partner));
        successors
    }

    /// Returns the sector of the start position, or `None` if there are no tables for it.
    fn start(&self) -> Option<Sector> {
        None
    }

    /// Returns the sectors that captures and promotions lead to, unless they end the game.
    fn exits(&self, sector: Sector) -> Vec<Sector>;

    /// Returns whether a table of distances can be left out: one ply gives the value of a position, because none of the
    /// sectors that moves lead to is left out.
    fn is_derived(&self, _: Sector) -> bool {
        false
    }

    /// Returns whether compact tables leave a sector out: one ply gives the results of its positions, because none of
    /// the sectors that moves lead to is left out.
    fn is_left_out(&self, sector: Sector) -> bool {
        self.is_derived(sector)
    }

    /// Returns a scanner of the blocks of a sector in compact tables.
    fn scanner(&self, _: Sector) -> impl Scanner {
        History
    }

    /// Returns the sector of an undecided position, or `None` if there are no tables for such positions.
    fn sector(&self, pos: &PositionOf<Self>) -> Option<Sector>;

    /// Returns the number of slots of a sector, vacant ones included.
    fn slots(&self, sector: Sector) -> u64;

    /// Returns the slot of a position of a sector.
    fn slot(&self, pos: &PositionOf<Self>) -> u64;

    /// Locates the positions that moves from the positions of one sector lead to, given the positions before and after.
    fn locator(&self) -> impl FnMut(&PositionOf<Self>, &PositionOf<Self>) -> Located {
        let endings = self.clone();
        move |_, pos| endings.locate(pos)
    }

    /// Returns where the value of a position is found.
    fn locate(&self, pos: &PositionOf<Self>) -> Located {
        match known_end(&self.game(), pos) {
            Some(value) => Located::Over(value),
            None => self.sector(pos).map_or(Located::Nowhere, |sector| Located::Slot(sector, self.slot(pos))),
        }
    }

    /// Returns the position of a slot, with White to move, or `None` if the slot is vacant.
    fn position(&self, sector: Sector, slot: u64) -> Option<PositionOf<Self>>;

    /// Counts the positions of a slot, images included; 0 if it is vacant.
    fn images(&self, sector: Sector, slot: u64) -> u32;

    /// Returns the FEN of a position.
    fn fen(&self, pos: &PositionOf<Self>) -> String {
        self.game().fen(&Placed { position: *pos, move_number: 1 })
    }

    /// Returns these sectors and all that their values depend on, in building order.
    fn with_dependencies(&self, wanted: &[Sector]) -> Vec<Sector> {
        let mut needed: HashSet<Sector> = HashSet::new();
        let mut open = wanted.to_vec();
        while let Some(sector) = open.pop() {
            if needed.insert(sector) {
                open.extend(self.pair(sector));
                open.extend(self.exits(sector));
            }
        }
        self.sectors().into_iter().filter(|sector| needed.contains(sector)).collect()
    }
}

/// A position of a game that has endings.
pub type PositionOf<E> = <<E as Endings>::Game as Game>::Position;
