//! The archive, from within.

use super::*;

#[test]
fn placeholder() {}
