//! The tests of the whole engine in one binary, one module per subject.

mod analysis;
mod annotate;
mod any_input;
mod book;
mod common;
mod corpus;
#[path = "../../crates/core/tests/it/dao.rs"]
mod dao;
mod dialect;
mod differential;
mod disk;
mod hosted;
mod house_rules;
mod kills;
mod levels;
mod limits;
mod pipes;
mod play;
mod protocol;
mod reference;
mod remote;
mod session;
mod session_effects;
mod session_messages;
mod session_model;
mod shards;
mod soak;
mod tablebase;
mod tables_in_play;
mod targets;
mod third_family;
#[path = "../../crates/core/tests/it/three_men.rs"]
mod three_men;
mod torture;
mod tournament;
mod truth;
mod tuning;
