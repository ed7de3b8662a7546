//! The search: iterative-deepening principal variation search on a shared transposition table.
//!
//! It knows no game by name, only [`Searchable`](crate::game::Searchable).

mod busy;
pub mod clock;
pub mod control;
mod known;
mod node;
mod ordering;
mod pool;
mod proof;
mod quiescence;
mod root;
pub mod score;
pub mod strength;
pub mod table;
pub mod threads;
mod worker;

pub use clock::Limits;
pub use control::Control;
pub use pool::{Pool, PoolError};
pub use table::Table;
pub use threads::{Found, Info, Request, search};

/// Deepest nominal search depth in plies.
pub const MAX_DEPTH: i32 = 240;
/// Longest line the search can follow, quiescence and extensions included.
pub(crate) const MAX_PLY: usize = 250;
