//! What can go wrong with an analysis.

use millbrain_core::search::hash::OutOfMemory;
use millbrain_files::InFile;
use millbrain_files::difference::OtherSetting;
use millbrain_tablebase::FolderFault;
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
    /// Not as many threads as asked for.
    #[error("no thread to analyse on ({0}), expected fewer --threads")]
    Thread(#[source] io::Error),
    /// The input cannot be read.
    #[error("input: {0}")]
    Input(#[source] io::Error),
    /// The output cannot be written; the message names it.
    #[error("{0}")]
    Output(#[source] io::Error),
    /// A file cannot be opened.
    #[error(transparent)]
    File(#[from] InFile<io::Error>),
    /// There is a file of this name, and it is not to be gone on with.
    #[error("{}: exists already, expected the name of a new file, or --resume to go on with it", .0.display())]
    Exists(PathBuf),
    /// The output to go on with was made by other settings, or of another input.
    #[error(transparent)]
    Other(#[from] Box<InFile<OtherSetting>>),
    /// It is not known how the output to go on with was made.
    #[error("{}: made by unknown settings, expected {} beside it, or the name of a new file", output.display(), settings.display())]
    Unknown {
        /// The output.
        output: PathBuf,
        /// Where its settings would be.
        settings: PathBuf,
    },
    /// The file for the settings of an output is something else.
    #[error("{}: not the settings of an analysis, expected another name for the output", .0.display())]
    NoSettings(PathBuf),
    /// Positions that cannot be compared with those of an earlier run.
    #[error(
        "--resume unusable with positions from a pipe, expected a file: it is compared with that of the earlier run"
    )]
    Pipe,
    /// The output is locked.
    #[error("{}: another run writes to it, expected one at a time", .0.display())]
    Busy(PathBuf),
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
