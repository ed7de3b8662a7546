//! Plays matches between engines: this one, and any program that speaks the protocol.
//!
//! The runner is the referee. It knows the rules, checks every move, runs the clocks and ends each game. An engine is
//! an untrusted process: it can neither delay nor crash the match.
//!
//! This crate prints nothing: [`runner::run`] shows a match through a [`runner::Reporter`].

pub mod config;
pub mod dialect;
mod engine;
pub mod error;
#[cfg(test)]
mod example;
mod generator;
pub mod interrupt;
pub mod journal;
pub mod merge;
pub mod observer;
mod opening;
pub mod openings;
pub mod plan;
pub mod referee;
pub mod runner;
pub mod schedule;
pub mod scoreboard;
pub mod sprt;
pub mod standings;
mod workers;

use engine::{advertised, answer, dialogue};
pub use engine::{analyst, client, process};
pub use millbrain_games::record;

/// Compiles and runs the example of the README with the doctests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
