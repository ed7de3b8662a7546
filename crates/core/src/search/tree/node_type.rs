//! The kinds of nodes.

/// The kinds of nodes, distinguished at compile time.
pub(in crate::search) trait NodeType {
    /// Whether the node is on the principal variation: the window may be wide, and nothing is pruned.
    const PV: bool;
    /// Whether the node is the root of the tree.
    const ROOT: bool;
}
pub(in crate::search) struct Root;
pub(in crate::search) struct Pv;
/// A node with a zero window: only the side of the window on which the score lies matters.
pub(in crate::search) struct Zero;
impl NodeType for Root {
    const PV: bool = true;
    const ROOT: bool = true;
}
impl NodeType for Pv {
    const PV: bool = true;
    const ROOT: bool = false;
}
impl NodeType for Zero {
    const PV: bool = false;
    const ROOT: bool = false;
}
