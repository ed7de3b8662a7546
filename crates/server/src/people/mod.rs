//! People against people: games by link, a lobby of those that wait for an opponent, spectators.
//!
//! `game` is a game by itself, `hall` has all of them on a thread of its own, which writes what happens into the archive
//! before it tells anybody, and `socket` is the way in for clients. `docs/server.md` tells the messages.

mod game;
mod hall;
mod socket;

pub use game::Game;
pub use hall::{Hall, HallError};
pub(super) use socket::upgrade;
