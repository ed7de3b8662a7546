//! The node total of the bench positions, which changes exactly when the search or an evaluation does.

use millbrain_core::bench;
use millbrain_core::search::Control;
use std::sync::Arc;

/// The total at depth 9; that of the default depth is pinned with the binary.
const TOTAL: u64 = 279_986;

#[test]
fn the_node_total_is_pinned() {
    let mut lines = Vec::new();
    let total = bench::run(9, 1, 16, &Arc::new(Control::new(false)), |line| lines.push(line.to_string()));
    let total = total.expect("a small table and one thread").nodes;
    assert_eq!(total, TOTAL, "{lines:#?}");
}
