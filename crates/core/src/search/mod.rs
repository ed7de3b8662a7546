//! The search: iterative-deepening principal variation search on a shared transposition table.
//!
//! It depends on no particular game, only on [`Searchable`](crate::game::Searchable). `docs/search.md` describes its
//! steps.
//!
//! From the bottom up: [`score`], [`limits`], [`hash`], [`control`] and `tunables` are shared by all parts. `tree` is
//! the work of one thread below the root, `root` the work at it. `threads` runs the workers of a [`Pool`], and `driver`
//! is the whole search.

mod budget;
pub mod control;
mod driver;
pub mod hash;
pub mod limits;
mod pool;
mod report;
mod request;
mod root;
pub mod score;
pub mod strength;
mod threads;
mod tree;
mod tunables;

pub use control::{Control, Pulse};
pub use driver::search;
pub use hash::{Bound, HashTable};
pub use limits::Limits;
pub use pool::{Pool, PoolError};
pub use report::{Found, Info, Line};
pub use request::{Request, Style};
pub use strength::{Weakness, search_below_strength};
#[cfg(feature = "tune")]
pub use tunables::{Tunable, Tunables};

/// Highest nominal search depth in plies.
pub const MAX_DEPTH: i32 = 240;
/// Longest line the search can follow, quiescence and extensions included.
pub(crate) const MAX_PLY: usize = 250;
