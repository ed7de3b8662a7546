//! The stones of a side, and how its moves change them.

use crate::endings::Sector;
use millbrain_core::morris::rules::MIN_STONES;

/// The stones of a side, packed into the code of a force: 16 times those in hand, and those on the board.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Force {
    /// Stones on the board.
    pub board: u8,
    /// Stones in hand.
    pub hand: u8,
}

impl Force {
    /// Unpacks a code.
    pub const fn of(code: u8) -> Force {
        Force { board: code & 15, hand: code >> 4 }
    }

    /// Packs the force into its code.
    pub const fn code(self) -> u8 {
        self.hand << 4 | self.board
    }

    /// Returns the number of all stones.
    pub const fn total(self) -> u8 {
        self.board + self.hand
    }

    /// Returns the force after one stone is placed.
    pub const fn placed(self) -> Force {
        Force { board: self.board + 1, hand: self.hand - 1 }
    }

    /// Returns the force after one stone on the board is lost. Returns `None` if that ends the game, or there is none
    /// to lose.
    pub const fn reduced(self) -> Option<Force> {
        if self.total() > MIN_STONES && self.board > 0 { Some(Force { board: self.board - 1, ..self }) } else { None }
    }

    /// Returns whether stones on the board and in hand are between those of two forces.
    fn is_between(self, from: Force, to: Force) -> bool {
        (from.board..=to.board).contains(&self.board) && (from.hand..=to.hand).contains(&self.hand)
    }

    /// Returns the name, with the stones in hand if there are any in the sector.
    fn name(self, in_hand: bool) -> String {
        if in_hand { format!("{}+{}", self.board, self.hand) } else { self.board.to_string() }
    }
}

/// The forces of both sides, the side to move first.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Forces([Force; 2]);

impl Forces {
    /// Returns the forces of a sector.
    pub fn of(sector: Sector) -> Forces {
        Forces([sector.own, sector.opp].map(Force::of))
    }

    /// Returns the number of all stones.
    pub fn total(self) -> u32 {
        self.0.iter().map(|force| u32::from(force.total())).sum()
    }

    /// Returns the number of stones in hand.
    pub fn hand(self) -> u32 {
        self.0.iter().map(|force| u32::from(force.hand)).sum()
    }

    /// Returns whether each side's stones on the board and in hand are between those of two sectors.
    pub fn is_between(self, from: Sector, to: Sector) -> bool {
        let (Forces(from), Forces(to)) = (Forces::of(from), Forces::of(to));
        (0..2).all(|side| self.0[side].is_between(from[side], to[side]))
    }

    /// Returns the name of the sector.
    pub fn name(self) -> String {
        let [own, opp] = self.0.map(|force| force.name(self.hand() > 0));
        format!("{own}-{opp}")
    }
}

/// A way to move.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Act {
    /// A stone in hand is placed.
    Place,
    /// A stone on the board is moved.
    Slide,
}

impl Act {
    /// Returns the ways to move with these stones.
    pub fn all(own: Force, slides_while_placing: bool) -> impl Iterator<Item = Act> {
        let place = (own.hand > 0).then_some(Act::Place);
        let slide = (own.hand == 0 || slides_while_placing).then_some(Act::Slide);
        place.into_iter().chain(slide)
    }

    /// Returns the sectors that moves lead to, other than quiet slides, which stay in the pair.
    pub fn exits(sector: Sector, slides_while_placing: bool) -> Vec<Sector> {
        let acts = Act::all(Force::of(sector.own), slides_while_placing);
        let exits = acts.flat_map(|act| {
            let (quiet, reduced) = act.successors(sector);
            (act == Act::Place).then_some(quiet).into_iter().chain(reduced)
        });
        exits.collect()
    }

    /// Returns the sectors after such a move that is quiet, and after one with a removal, unless that ends the game.
    pub fn successors(self, sector: Sector) -> (Sector, Option<Sector>) {
        let (own, opp) = (Force::of(sector.own), Force::of(sector.opp));
        let own = if self == Act::Place { own.placed() } else { own };
        let after = |opp: Force| Sector::new(opp.code(), own.code());
        (after(opp), opp.reduced().map(after))
    }
}
