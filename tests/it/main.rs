//! The tests of the whole engine, a module for each subject, in one binary.

mod analysis;
mod any_input;
mod battery;
mod common;
mod differential;
mod disk;
mod kills;
mod known_truths;
mod levels;
mod limits;
mod minimax;
mod perft;
mod pipes;
mod protocol;
mod reference;
mod session;
mod session_model;
mod soak;
mod tablebase;
mod tables_in_play;
mod targets;
mod torture;
mod tournament;
mod tuning;
