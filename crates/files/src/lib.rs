//! Files of long jobs, whatever their content.
//!
//! Files are opened with care, and written so that a kill at any moment leaves them whole.
//!
//! - [`lines`] reads texts line by line.
//! - [`shard`] is a part of a job that is split between processes.
//! - [`size`] has sizes as text.
//! - [`difference`] finds where the settings of two runs differ.

pub mod difference;
mod file;
pub mod lines;
pub mod shard;
pub mod size;

pub use file::{
    InFile, WholeLines, allow_many_files, beside, can_write_whole, go_on_after, is_busy, is_same, named, open_regular,
    read_at, replace, whole_lines, write_at, write_whole,
};

/// Compiles and runs the README's example with those of the documentation.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
