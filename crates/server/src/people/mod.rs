//! People against people: games by link, a lobby of open games, spectators.
//!
//! `game` is a single game. `lobby` has all of them on its own thread, which saves every change before sending it.
//! `terms` and `wire` are the terms of a game and the messages, `socket` serves a client. `docs/server.md` describes
//! the messages.

mod game;
mod lobby;
mod socket;
mod terms;
mod wire;

pub use game::Game;
pub use lobby::{Lobby, LobbyError};
pub(super) use socket::upgrade;
