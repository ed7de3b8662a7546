//! Ultra-strong values: what they should be, and how folders keep them.

mod definition;
mod folder;
