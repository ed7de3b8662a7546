//! The native part of the Python package `millbrain`: a thin layer over the Rust library. The modules in
//! `python/millbrain` are the public interface.

mod batch;
mod board;
mod book;
mod engine;
mod errors;
mod interrupt;
mod memory;
mod moves;
mod numbers;
mod parallel;
mod process;
mod records;
mod rules;
mod tables;
mod targets;
mod vector;

use pyo3::prelude::*;

/// The native part of the package.
#[pymodule]
mod _native {
    use super::*;
    use std::ffi::OsString;

    #[pymodule_export]
    use super::batch::{
        decode, encode, evaluate, feature_counts, feature_indices, fens, layout, probe_many, random_endings,
        random_games, sector_positions, sector_slots,
    };
    #[pymodule_export]
    use super::board::{Board, LegalMoves, board_layout};
    #[pymodule_export]
    use super::book::Book;
    #[pymodule_export]
    use super::engine::{Engine, chances};
    #[pymodule_export]
    use super::moves::{legal_actions, play_actions};
    #[pymodule_export]
    use super::process::Process;
    #[pymodule_export]
    use super::records::{GameReader, sanmill_fen, verify_game, write_game};
    #[pymodule_export]
    use super::tables::Tables;
    #[pymodule_export]
    use super::targets::{planes, targets_many};
    #[pymodule_export]
    use super::vector::{VectorGames, board_actions, board_planes, cores, learning_sizes, symmetries};

    /// The result of a position missing from the tables.
    #[pymodule_export]
    const UNKNOWN: i8 = super::batch::UNKNOWN;

    /// The version of the engine.
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");

    /// Returns the names of all variants.
    #[pyfunction]
    fn variants() -> Vec<&'static str> {
        millbrain::variant::Variant::NAMES.to_vec()
    }

    /// Runs the command line; returns the exit status.
    #[pyfunction]
    fn main(py: Python<'_>, words: Vec<OsString>) -> u8 {
        py.detach(|| millbrain::cli::main(words))
    }
}
