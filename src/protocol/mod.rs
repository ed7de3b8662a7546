//! The line protocol: UCI with a few extra commands. `protocol.md` is its reference.

pub mod bench;
mod board;
pub mod command;
mod help;
mod options;
mod output;
mod report;
mod rules_text;
mod session;

pub use board::{Board, Resources, new_board};
pub use options::{OPTIONS, Settings};
pub use output::Output;
pub use session::run;
