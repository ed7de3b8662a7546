//! Why a table file is not used.

use super::FORMAT;
use std::io;

/// Why a table file is not used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// It cannot be read.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// It is no table of this kind.
    #[error("no table of this kind, expected a file made by 'tablebase build'")]
    Foreign,
    /// It is of another version of the format.
    #[error("format version {found}, expected {FORMAT}")]
    Version {
        /// The version.
        found: u32,
    },
    /// It is of other rules.
    #[error("a table of other rules")]
    Rules,
    /// It is of other forces than its name says.
    #[error("a table of other forces than its name says")]
    Sector,
    /// It has another length than it should have.
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
    /// It has become shorter since it was opened.
    #[error("cut short since it was opened")]
    CutShort,
    /// It is sound, but not the table that the manifest lists.
    #[error("not the table that the manifest lists")]
    Replaced,
}
