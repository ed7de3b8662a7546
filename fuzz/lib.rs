//! The properties that the fuzzers check: the very ones of `tests/any_input.rs`.

#[path = "../tests/targets/mod.rs"]
pub mod targets;
