//! The forms of other sites and programs, which are only read.

pub(crate) mod coordinates;
pub(crate) mod goldtoken;
pub(crate) mod kaggle;
pub(crate) mod playok;

use millbrain_core::morris::board::{NAMES, READING_ORDER};

/// Returns the name of a point by its place, row by row from the top left: 0 is a7, 1 is d7, and 23 is g1.
fn by_rows(place: usize) -> Option<&'static str> {
    NAMES.get(usize::from(*READING_ORDER.get(place)?)).copied()
}
