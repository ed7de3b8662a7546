//! Tests of ultra-strong values and of how folders store them.

mod definition;
mod folder;
