//! What sources that are too slow for a search answer before it begins.

use crate::endings::{Endings, Located, PositionOf, Sector};
use ahash::AHashMap;
use millbrain_core::game::value::{Known, Oracle, Value};
use millbrain_core::game::{Game, Verdict};
use std::sync::Arc;

/// Answers by sector and slot: images of a position have the same.
pub(super) type Reported = AHashMap<(Sector, u64), Known>;

/// Faster sources, and the answers for some positions.
pub(super) struct Prepared<E: Endings> {
    pub known: Arc<dyn Oracle<PositionOf<E>>>,
    pub endings: E,
    pub reported: Reported,
}

/// Returns where the value of a position is found, unless the game is over or there can be no table within a limit of
/// stones or pieces.
pub(super) fn place<E: Endings>(endings: &E, limit: u32, pos: &PositionOf<E>) -> Option<(Sector, u64)> {
    match endings.locate(pos) {
        Located::Slot(sector, slot) if endings.pieces(sector) <= limit => Some((sector, slot)),
        _ => None,
    }
}

/// Returns a position and those after its moves, without images of others; none if it can have no table.
pub(super) fn positions_ahead<E: Endings>(endings: &E, limit: u32, pos: &PositionOf<E>) -> Vec<PositionOf<E>> {
    if place(endings, limit, pos).is_none() {
        return Vec::new();
    }
    let game = endings.game();
    let mut positions = vec![*pos];
    let mut seen: Vec<(Sector, u64)> = Vec::new();
    for mv in game.moves(pos) {
        let next = game.play(pos, mv);
        let Some(place) = place(endings, limit, &next) else { continue };
        if !seen.contains(&place) {
            seen.push(place);
            positions.push(next);
        }
    }
    positions
}

impl<E: Endings> Prepared<E> {
    fn reported(&self, pos: &PositionOf<E>) -> Option<Known> {
        match self.endings.locate(pos) {
            Located::Slot(sector, slot) => self.reported.get(&(sector, slot)).copied(),
            _ => None,
        }
    }
}

impl<E: Endings> Oracle<PositionOf<E>> for Prepared<E> {
    fn beneath(&self) -> Option<&dyn Oracle<PositionOf<E>>> {
        Some(&*self.known)
    }

    fn verdict(&self, pos: &PositionOf<E>) -> Option<Verdict> {
        self.known.verdict(pos).or_else(|| self.reported(pos).map(Known::verdict))
    }

    fn value(&self, pos: &PositionOf<E>) -> Option<Value> {
        self.known.value(pos).or_else(|| match self.reported(pos)? {
            Known::Value(value) => Some(value),
            Known::Verdict(_) => None,
        })
    }

    fn ask(&self, pos: &PositionOf<E>, wait: &dyn Fn() -> bool) -> Option<Box<dyn Oracle<PositionOf<E>>>> {
        self.known.ask(pos, wait)
    }

    fn known(&self, pos: &PositionOf<E>) -> Option<Known> {
        let value = self.value(pos).map(Known::Value);
        value.or_else(|| self.reported(pos)).or_else(|| self.known.known(pos))
    }

    fn new_faults(&self) -> Vec<String> {
        self.known.new_faults()
    }
}
