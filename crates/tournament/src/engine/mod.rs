//! Engines as processes: one client for each, whatever it prints.

pub(crate) mod advertised;
pub mod analyst;
pub(crate) mod answer;
pub mod client;
pub(crate) mod dialogue;
pub mod process;
