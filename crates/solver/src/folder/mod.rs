//! Files of builds beside the tables of a folder: locks, and distances for later.

pub(crate) mod locks;
pub(crate) mod scratch;
