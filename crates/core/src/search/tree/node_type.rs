//! The kinds of nodes.

/// Kinds of nodes, told apart at compile time.
pub(in crate::search) trait NodeType {
    /// On the principal variation: the window may be wide, and nothing is cut short.
    const PV: bool;
    /// The root of the tree.
    const ROOT: bool;
}
pub(in crate::search) struct Root;
pub(in crate::search) struct Pv;
/// With a zero window: all that is asked is on which side of it the score lies.
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
