//! Carry packs: strategies that go into them, and proofs by them.

pub mod proof;
pub mod strategy;
