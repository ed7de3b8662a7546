//! The properties that the fuzzers check: the same as in `tests/it/any_input.rs`.

#[path = "../tests/it/targets/mod.rs"]
pub mod targets;
