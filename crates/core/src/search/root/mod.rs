//! The work at the root: positions that an oracle knows, iterative deepening, proofs, and the reports of the main
//! thread.

pub(super) mod deepening;
pub(super) mod known;
pub(super) mod orbits;
pub(super) mod proof;
pub(super) mod reporter;
pub(super) mod root_move;
