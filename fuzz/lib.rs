//! The properties that the fuzzers check: the very ones of `tests/it/any_input.rs`.

#[path = "../tests/it/targets/mod.rs"]
pub mod targets;
