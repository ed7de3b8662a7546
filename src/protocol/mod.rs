//! The line protocol: UCI with a few extra commands. `protocol.md` is its reference.

mod bounds;
pub mod command;
pub mod display;
mod driver;
mod help;
mod options;
mod output;
pub mod player;
mod report;
mod session;
mod stdio;

pub use bounds::{Bounds, Files, MAX_LINE};
pub use driver::{Event, Runner, drive, events_of};
pub use options::{Effect, Kind, OPTIONS, Opt, OptionError, Settings, list_of};
pub use output::Output;
pub use player::{ResourceError, Resources};
pub use session::{Session, SessionError, Work};
pub use stdio::run;
