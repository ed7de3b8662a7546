//! People against people: games by link, a lobby of those that wait for an opponent, spectators.
//!
//! `game` is a game by itself, `hall` has all of them on a thread of its own, which writes what happens into the archive
//! before it tells anybody, `terms` and `wire` are what people agree on and the messages, and `socket` is the way in for
//! clients. `docs/server.md` tells the messages.

mod game;
mod hall;
mod socket;
mod terms;
mod wire;

pub use game::Game;
pub use hall::{Hall, HallError};
pub(super) use socket::upgrade;
