//! Files of long jobs, whatever is in them.
//!
//! Files are opened with care and written so that a kill at any moment leaves them whole. [`lines`] reads texts line by
//! line, a [`shard`] is a part of a job that several processes share, [`size`] has sizes in words, and [`difference`]
//! says where the settings of two runs differ.

pub mod difference;
mod file;
pub mod lines;
pub mod shard;
pub mod size;

pub use file::{
    InFile, WholeLines, allow_many_files, beside, can_write_whole, go_on_after, is_busy, is_same, named, open_regular,
    read_at, replace, whole_lines, write_whole,
};

/// The example of the README is compiled and run with those of the documentation.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
