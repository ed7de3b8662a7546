//! What can go wrong with an analysis.

use crate::files::InFile;
use crate::search::hash::OutOfMemory;
use crate::tablebase::FolderFault;
use std::io;
use std::path::PathBuf;

/// Why an analysis cannot be begun, or cannot go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AnalysisError {
    /// A folder without usable tablebases.
    #[error(transparent)]
    Folder(#[from] FolderFault),
    /// No memory for the hash tables.
    #[error(transparent)]
    Memory(#[from] OutOfMemory),
    /// The input cannot be read.
    #[error("input: {0}")]
    Input(#[source] io::Error),
    /// The output cannot be written; the message names it.
    #[error(transparent)]
    Output(io::Error),
    /// A file cannot be opened.
    #[error(transparent)]
    File(#[from] InFile<io::Error>),
    /// There is a file of this name, and it is not to be gone on with.
    #[error("{}: exists already, expected the name of a new file, or --resume to go on with it", .0.display())]
    Exists(PathBuf),
    /// The output to go on with holds something else.
    #[error("{}:{line}: {source}, expected the output of an earlier run", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// The number of the line, from 1.
        line: usize,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// A worker has ended with a panic.
    #[error("an analysis has failed")]
    Panicked,
}
