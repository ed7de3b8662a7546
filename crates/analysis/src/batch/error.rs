//! The errors of an analysis.

use millbrain_core::search::hash::OutOfMemory;
use millbrain_files::InFile;
use millbrain_files::difference::OtherSetting;
use millbrain_tablebase::Refusal;
use std::io;
use std::path::PathBuf;

/// The reason why an analysis cannot begin or continue.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AnalysisError {
    /// A place has no usable tablebases.
    #[error(transparent)]
    Tables(#[from] Refusal),
    /// There is no memory for the hash tables.
    #[error(transparent)]
    Memory(#[from] OutOfMemory),
    /// The threads cannot be started.
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
    /// The output exists, and the run is not to resume it.
    #[error("{}: exists already, expected the name of a new file, or --resume to go on with it", .0.display())]
    Exists(PathBuf),
    /// The output to resume was made with other settings or another input.
    #[error(transparent)]
    Other(#[from] Box<InFile<OtherSetting>>),
    /// The settings of the output to resume are unknown.
    #[error("{}: made by unknown settings, expected {} beside it, or the name of a new file", output.display(), settings.display())]
    Unknown {
        /// The output.
        output: PathBuf,
        /// The expected file of its settings.
        settings: PathBuf,
    },
    /// The settings file of an output has other content.
    #[error("{}: not the settings of an analysis, expected another name for the output", .0.display())]
    NoSettings(PathBuf),
    /// The positions cannot be compared with those of an earlier run.
    #[error(
        "--resume unusable with positions from a pipe, expected a file: it is compared with that of the earlier run"
    )]
    Pipe,
    /// The output is locked.
    #[error("{}: another run writes to it, expected one at a time", .0.display())]
    Busy(PathBuf),
    /// The output to resume has other content.
    #[error("{}:{line}: {source}, expected the output of an earlier run", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// The number of the line, from 1.
        line: usize,
        /// The fault in the line.
        source: serde_json::Error,
    },
    /// A worker has ended with a panic.
    #[error("an analysis has failed")]
    Panicked,
}
