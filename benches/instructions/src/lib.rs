//! Nothing: the benches are in `benches`.
