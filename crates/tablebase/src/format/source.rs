//! The bytes of a table.

use super::Fault;
use crate::hosted::Hosted;
use millbrain_files::{open_regular, read_at};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The source of a table's bytes.
pub(crate) enum Source {
    /// Files are read rather than mapped: one that is cut short while it is open gives an error, not a signal.
    File {
        /// The open file.
        file: File,
        /// Its path.
        path: PathBuf,
    },
    /// Bytes in memory.
    Embedded(&'static [u8]),
    /// A file on a static host.
    Hosted(Arc<Hosted>),
}

impl Source {
    /// Opens a file.
    pub(crate) fn open(path: &Path) -> io::Result<Source> {
        Ok(Source::File { file: open_regular(path)?, path: path.to_path_buf() })
    }

    /// Returns the name of the file.
    pub(crate) fn name(&self) -> String {
        match self {
            Source::File { path, .. } => path.display().to_string(),
            Source::Embedded(_) => "part of the program".to_string(),
            Source::Hosted(file) => file.address().to_string(),
        }
    }

    /// Returns the number of bytes.
    pub(crate) fn length(&self) -> Result<u64, Fault> {
        match self {
            Source::File { file, .. } => Ok(file.metadata()?.len()),
            Source::Embedded(bytes) => Ok(bytes.len() as u64),
            Source::Hosted(file) => file.length(),
        }
    }

    /// Fills a buffer with the bytes from an offset on.
    #[inline]
    pub(crate) fn read(&self, buffer: &mut [u8], offset: u64) -> Result<(), Fault> {
        match self {
            Source::File { file, .. } => read_at(file, buffer, offset).map_err(|error| match error.kind() {
                io::ErrorKind::UnexpectedEof => Fault::CutShort,
                _ => error.into(),
            }),
            Source::Embedded(bytes) => {
                let rest = usize::try_from(offset).ok().and_then(|offset| bytes.get(offset..)?.get(..buffer.len()));
                buffer.copy_from_slice(rest.ok_or(Fault::CutShort)?);
                Ok(())
            }
            Source::Hosted(file) => file.read(buffer, offset),
        }
    }
}
