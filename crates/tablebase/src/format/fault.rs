//! The reasons why a table file is not used.

use std::io;

/// The reason why a table file is not used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// The file cannot be read.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The file is not a table of this kind.
    #[error("no table of this kind, expected a file made by 'tablebase build' or 'tablebase compact'")]
    Foreign,
    /// The file has another version of the format.
    #[error("format version {found}, expected {expected}")]
    Version {
        /// The version.
        found: u32,
        /// The version that the program reads.
        expected: u32,
    },
    /// The file is for other rules.
    #[error("a table of other rules")]
    Rules,
    /// The file has other forces than its name says.
    #[error("a table of other forces than its name says")]
    Sector,
    /// The file has a wrong length.
    #[error("{found} bytes long, expected {expected}")]
    Length {
        /// Length of the file.
        found: u64,
        /// Length that its header gives.
        expected: u64,
    },
    /// The header or the directory is damaged.
    #[error("damaged header: its checksum is wrong")]
    Header,
    /// A block is damaged.
    #[error("damaged block {block}: its checksum is wrong")]
    Block {
        /// Its number, from 0.
        block: u64,
    },
    /// The model of a section of a compact file is damaged.
    #[error("damaged model: its checksum is wrong")]
    Model,
    /// The file has become shorter since it was opened.
    #[error("cut short since it was opened")]
    CutShort,
    /// Pages of a file on a host have not arrived yet.
    #[error("not here yet")]
    Absent,
    /// The file is sound, but not the table that the manifest lists.
    #[error("not the table that the manifest lists")]
    Replaced,
}
