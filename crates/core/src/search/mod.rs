//! The search: iterative-deepening principal variation search on a shared transposition table.
//!
//! It knows no game by name, only [`Searchable`](crate::game::Searchable). `docs/search.md` describes its steps.
//!
//! From the bottom up: [`score`], [`limits`], [`hash`] and [`control`] are shared by all parts. A `Worker` is one
//! thread with its `Workspace`; `node`, `quiescence`, `ordering` and `deepening` are what it does. `threads` runs the
//! workers of a [`Pool`], `proof` and `known` use an oracle, and `steps` is the whole.

mod budget;
mod busy;
pub mod control;
mod deepening;
pub mod hash;
mod history;
mod known;
pub mod limits;
mod main_thread;
mod move_list;
mod node;
mod node_type;
mod ordering;
mod pool;
mod proof;
mod quiescence;
mod reductions;
mod report;
mod request;
mod root_move;
pub mod score;
mod steps;
pub mod strength;
mod threads;
mod worker;
mod workspace;

pub use control::{Control, Pulse};
pub use hash::{Bound, HashTable};
pub use limits::Limits;
pub use pool::{Pool, PoolError};
pub use report::{Found, Info, Line};
pub use request::Request;
pub use steps::search;

/// Highest nominal search depth in plies.
pub const MAX_DEPTH: i32 = 240;
/// Longest line the search can follow, quiescence and extensions included.
pub(crate) const MAX_PLY: usize = 250;
