//! Tablebases compared with values by definition, a module for each subject, in one binary.

mod board;
mod games;
mod known_truths;
mod placing;
mod plain;
mod proof;
