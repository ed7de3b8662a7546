//! Tests of the server: a real one on a free local port, and its clients.

mod archive;
mod common;
mod contract;
mod corpus;
mod engine;
mod hostile;
#[cfg(unix)]
mod live;
mod operation;
mod people;
mod process;
mod tablebase;
