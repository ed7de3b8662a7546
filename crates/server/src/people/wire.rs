//! What clients say and are told about games between people, as `docs/server.md` has it.

use super::game::{Game, Stage};
use super::terms::{Both, Colour, Fault};
use serde::Deserialize;
use serde_json::{Value, json};

/// Games that are open or played, in all.
pub(super) const GAMES: usize = 2_000;
/// Invitations of an address.
pub(super) const INVITATIONS: usize = 8;

/// What a client asks for.
#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "lowercase", deny_unknown_fields)]
pub(super) enum Request {
    /// Opens a game.
    Create {
        token: String,
        #[serde(default)]
        name: String,
        colour: Option<Colour>,
        variant: String,
        #[serde(default)]
        rules: String,
        clock: Option<String>,
        #[serde(default)]
        listed: bool,
    },
    /// Takes the free seat of a game.
    Join {
        game: String,
        token: String,
        #[serde(default)]
        name: String,
    },
    /// Follows a game: from a seat with its secret, otherwise as a spectator.
    Follow { game: String, token: Option<String> },
    /// Follows the list of open games, or does no more.
    Lobby { follow: bool },
    /// Asks whether the server is there.
    Ping,
}

/// Why a client is refused.
#[derive(Debug, thiserror::Error)]
pub(super) enum Refusal {
    #[error(transparent)]
    Fault(#[from] Fault),
    #[error("{0}, expected a message of docs/server.md")]
    Unreadable(serde_json::Error),
    #[error("there is no such game, or it is long over")]
    NoGame,
    #[error("your address has {INVITATIONS} open games, expected one of them to be taken or withdrawn first")]
    Invitations,
    #[error("{GAMES} games are played here already, expected to try again later")]
    Games,
    #[error("you watch this game, expected to join it first")]
    Spectator,
    #[error("it could not be kept, expected to try again later")]
    Disk,
}

impl Refusal {
    const fn code(&self) -> &'static str {
        match self {
            Refusal::Fault(fault) => fault.code(),
            Refusal::Unreadable(_) => "unreadable",
            Refusal::NoGame => "no-game",
            Refusal::Invitations => "invitations",
            Refusal::Games => "games",
            Refusal::Spectator => "spectator",
            Refusal::Disk => "disk",
        }
    }

    /// What the client is told.
    pub(super) fn told(&self) -> Value {
        json!({"event": "refused", "code": self.code(), "error": self.to_string().replace('\n', " ")})
    }
}

/// A game as all who follow it are told, given the seats of those who do; a spectator has none.
pub(super) fn state(game: &Game, seats: &[Option<Colour>], now: u64) -> Value {
    let is_there = |colour| seats.contains(&Some(colour));
    let terms = game.terms();
    let mut state = json!({
        "event": "state",
        "game": game.id(),
        "variant": terms.variant,
        "rules": terms.rules,
        "clock": terms.clock,
        "listed": terms.listed,
        "names": game.names(),
        "moves": game.moves().collect::<Vec<_>>(),
        "clocks": game.clocks(now),
        "running": game.is_running().then(|| game.to_move()),
        "until": game.deadline().saturating_sub(now),
        "offers": game.offers(),
        "there": Both { white: is_there(Colour::White), black: is_there(Colour::Black) },
        "spectators": seats.iter().filter(|seat| seat.is_none()).count(),
        "next": game.next(),
        "record": game.record,
    });
    let stage = serde_json::to_value(game.stage()).unwrap_or_default();
    if let (Some(state), Value::Object(mut stage)) = (state.as_object_mut(), stage) {
        if let Stage::Over { result, termination, .. } = game.stage() {
            stage.insert("result".to_string(), json!(result.to_string()));
            stage.insert("termination".to_string(), json!(termination.to_string()));
        }
        state.extend(stage);
    }
    state
}

/// The list of open games.
pub(super) fn lobby(games: &[&Game]) -> Value {
    let listed = games.iter().map(|game| {
        let (terms, names) = (game.terms(), game.names());
        let host = if names.white.is_some() { Colour::White } else { Colour::Black };
        json!({
            "game": game.id(), "name": names.of(host), "side": host.other(),
            "variant": terms.variant, "rules": terms.rules, "clock": terms.clock,
        })
    });
    json!({"event": "lobby", "games": listed.collect::<Vec<_>>()})
}
