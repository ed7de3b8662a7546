//! One thread's walk through the tree: a [`Worker`](worker::Worker) with its [`Workspace`](workspace::Workspace), its
//! steps in a [`node`] and at the horizon, and how it orders and reduces moves.

pub(super) mod busy;
pub(super) mod history;
pub(super) mod move_list;
pub(super) mod node;
pub(super) mod node_type;
pub(super) mod ordering;
pub(super) mod quiescence;
pub(super) mod reductions;
pub(super) mod worker;
pub(super) mod workspace;
