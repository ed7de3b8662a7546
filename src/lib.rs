//! An engine for Nine Men's Morris and Smess.

pub mod fen;
pub mod game;
pub mod morris;
pub mod perft;
pub mod play;
pub mod protocol;
pub mod search;
pub mod smess;
pub mod variant;
